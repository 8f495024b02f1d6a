"""Twins of the statements about stationary points of small hinge networks: Theorem 1(a) and (b), Section 4.2."""

import numpy as np
from scipy.optimize import linprog

from tests.papers.twinning import twin

from ._models_a import (
    draw_data,
    draw_network,
    forward,
    hessian,
    hinge_hessian,
    mirror_defect,
    pack,
    plateau,
    risk,
    sample_gradients,
    train,
    unpack,
)

BATCH = 100
"""Networks that are trained together."""


def trained(n, layers, rng):
    """Ends of training of a batch: weights, α, inputs, labels and whether the gradient is zero."""
    weights, alpha = draw_network(n, layers, rng, batch=(BATCH,))
    x, y = draw_data(n, 2 * n, rng, (BATCH,))
    weights, alpha, largest = train(weights, alpha, x, y)
    return weights, alpha, x, y, largest == 0


@twin("li.thm1.a", [(2, {"layers": 3}), (3, {"layers": 6})], replicates=600)
def certified_risk(size, rng, layers):
    weights, alpha, x, y, still = trained(size, layers, rng)
    return np.where(still & plateau(weights, alpha, x, y), risk(weights, alpha, x, y), 0)


ENDS = [(2, {"layers": 3}), (3, {"layers": 4})]


def positive_ends(size, rng, layers):
    weights, alpha, x, y, still = trained(size, layers, rng)
    chosen = still & (risk(weights, alpha, x, y) > 0)
    return [w[chosen] for w in weights], alpha[chosen], x[chosen], y[chosen]


@twin("li.thm1.a/corrected", ENDS, replicates=60, accuracy=1e-12)
def harmonic(size, rng, layers):
    weights, alpha, x, y = positive_ends(size, rng, layers)
    r = risk(weights, alpha, x, y)
    found = np.abs(r - (y * forward(weights, alpha, x)[2] < 1).mean(axis=-1))
    theta, flat = pack(weights, alpha), plateau(weights, alpha, x, y)
    for _ in range(4):
        moved = risk(*unpack(theta + 1e-7 * rng.normal(size=theta.shape), size, layers), x, y)
        found = np.where(flat, np.maximum(found, np.abs(moved - r)), found)
    return found


@twin("li.thm1.b", ENDS, replicates=200)
def no_saddle(size, rng, layers):
    return plateau(*positive_ends(size, rng, layers)).astype(float)


@twin("li.thm1.b/corrected", [(3, {"layers": 2}), (4, {"layers": 3})], replicates=40, accuracy=1e-12)
def saddle(size, rng, layers):
    n = size
    while True:
        weights, alpha = draw_network(n, layers, rng)
        x, y = draw_data(n, 4 * n, rng)
        a = forward(weights[:-1], alpha, x)[0][-1]

        def b(w, a=a, y=y):
            return y @ np.maximum(a @ w, 0)

        rows = []
        for start in weights[-1]:
            low = start
            for _ in range(99):
                high = rng.normal(size=n)
                if b(low) * b(high) < 0:
                    break
                low = high
            else:
                break
            sign = np.sign(b(low))
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if b(middle) * sign > 0 else (low, middle)
            rows.append(low)
        if len(rows) < n:
            continue
        h = hinge_hessian([*weights[:-1], np.array(rows)], 0 * alpha, x, y)
        if np.abs(np.linalg.eigvalsh(h)).max() > 1e-6:
            return mirror_defect(h)


@twin(
    {"li.sec4.2.signs": {"corrected": False}, "li.sec4.2.signs/corrected": {"corrected": True}},
    [(2, {}), (3, {})],
    replicates=40,
)
def minima(size, rng, corrected):
    weights, alpha, x, y, still = trained(size, 2, rng)
    margins = y * forward(weights, alpha, x)[2]
    closed = (x @ np.swapaxes(weights[0], -1, -2) < 0).all(axis=-1)
    found = []
    for k in np.flatnonzero(still & ((margins > 1) | closed).all(axis=-1)):
        values = np.linalg.eigvalsh(hinge_hessian([weights[0][k]], alpha[k], x[k], y[k]))
        found.append(np.abs(values).max() if corrected else float(not (values > 0).all()))
    return np.array(found)


def curvature(weights, alpha, x, c):
    acts, gates, _ = forward(weights, alpha, x)
    return hessian(weights, alpha, acts, gates, c)


def walk(theta, n, layers, x, y):
    """Sequential linear programmes."""
    m, step = len(x), 0.1
    r = risk(*unpack(theta, n, layers), x, y)
    for _ in range(100):
        weights, alpha = unpack(theta, n, layers)
        rows = y[:, None] * sample_gradients(weights, alpha, x)
        margins = y * forward(weights, alpha, x)[2]
        size = len(theta)
        solved = linprog(
            np.append(np.zeros(size), np.full(m, 1 / m)),
            A_ub=np.hstack([-rows, -np.eye(m)]),
            b_ub=margins - 1,
            bounds=[(-step, step)] * size + [(0, None)] * m,
        )
        d = solved.x[:size]
        q = r - np.maximum(1 - margins - rows @ d, 0).mean()
        if step < 1e-9 or q < 1e-12:
            break
        moved = risk(*unpack(theta + d, n, layers), x, y)
        if r - moved >= q / 10:
            theta, r = theta + d, moved
        else:
            step /= 4
    return theta


def newton(theta, n, layers, x, y):
    """Point, multipliers, the samples on margins, and the residual."""
    m = len(x)

    def look(theta):
        weights, alpha = unpack(theta, n, layers)
        return (
            weights,
            alpha,
            y * forward(weights, alpha, x)[2],
            y[:, None] * sample_gradients(weights, alpha, x) / m,
        )

    margins = look(theta)[2]
    on = np.abs(margins - 1) < 1e-5
    mu = (margins < 1 - 1e-5).astype(float)
    active = mu > 0
    if on.any():
        for _ in range(8):
            weights, alpha, margins, g = look(theta)
            if not mu[on].any():
                mu[on] = np.linalg.lstsq(g[on].T, -g[active].sum(axis=0), rcond=None)[0]
            e = g[on]
            k = len(e)
            matrix = np.block([[curvature(weights, alpha, x, mu * y / m), e.T], [e, np.zeros((k, k))]])
            right = np.append(-mu @ g, (1 - margins[on]) / m)
            found = np.linalg.lstsq(matrix, right, rcond=1e-10)[0]
            if np.abs(found[: len(theta)]).max() > 0.01:
                break
            theta = theta + found[: len(theta)]
            mu[on] += found[len(theta) :]
    _, _, margins, g = look(theta)
    residual = max(np.abs(mu @ g).max(), np.abs(margins[on] - 1).max(initial=0))
    return theta, mu, on, residual


def rank(matrix, cutoff, relative=False):
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > cutoff * (values.max(initial=0) if relative else 1)).sum())


def certified(theta, mu, on, residual, n, layers, x, y, rng):
    weights, alpha = unpack(theta, n, layers)
    margins = y * forward(weights, alpha, x)[2]
    if not on.any() or residual > 1e-10 or (mu[on] <= 1e-6).any() or (mu[on] >= 1 - 1e-6).any():
        return False
    if (np.abs(margins[~on] - 1) < 1e-6).any():
        return False
    a = x
    for w in weights:
        z = (a @ w.T)[a.any(axis=1)]
        if (np.abs(z) < 1e-6).any():
            return False
        a = np.maximum(a @ w.T, 0)
    gradients = sample_gradients(weights, alpha, x)
    _, values, right = np.linalg.svd(gradients[on])
    f = right[(values > 1e-10 * values[0]).sum() :]
    c = -f @ curvature(weights, alpha, x, mu * y / len(x)) @ f.T
    eigenvalues = np.linalg.eigvalsh(c)
    loaded = mu > 0
    rho = rank(gradients[loaded], 1e-8)
    if (eigenvalues <= -1e-8).any() or (np.abs(eigenvalues) < 1e-8).sum() != len(theta) - rho:
        return False
    u = rng.normal(size=len(theta))
    near = unpack(theta + 1e-3 * u / np.linalg.norm(u), n, layers)
    return rank(sample_gradients(*near, x)[loaded], 1e-8) == rho


def moving_ends(size, rng, layers):
    weights, alpha, x, y, still = trained(size, layers, rng)
    theta = pack(weights, alpha)
    for k in np.flatnonzero(~still)[:30]:
        end = walk(theta[k], size, layers, x[k], y[k])
        yield (*newton(end, size, layers, x[k], y[k]), x[k], y[k])


KINKS = [(1, {"layers": 3}), (2, {"layers": 2})]


@twin("li.thm1.a.kinks", KINKS, replicates=30)
def kinks(size, rng, layers):
    found = []
    for theta, mu, on, residual, x, y in moving_ends(size, rng, layers):
        good = certified(theta, mu, on, residual, size, layers, x, y, rng)
        found.append(risk(*unpack(theta, size, layers), x, y) if good else 0.0)
    return np.array(found)


@twin("li.thm1.a.kinks/corrected", KINKS, replicates=30, accuracy=1e-9)
def multipliers(size, rng, layers):
    """The value is zero up to the residual, at most 10⁻¹⁰ times the length of the weights."""
    return np.array(
        [
            abs(risk(*unpack(theta, size, layers), x, y) - mu.mean())
            for theta, mu, on, residual, x, y in moving_ends(size, rng, layers)
            if on.any() and residual < 1e-10
        ]
    )
