"""Twins of the statements about Hessians of small hinge networks at drawn weights."""

import numpy as np

from tests.papers.twinning import twin

from ._models_a import (
    blocks,
    draw_data,
    draw_network,
    forward,
    hessian,
    hinge_hessian,
    inner,
    mean_gradient,
    mirror_defect,
    pack,
    risk,
    slopes,
    unpack,
)


def spectral(h):
    return np.abs(np.linalg.eigvalsh(h)).max()


def network_hessian(size, rng, layers):
    while True:
        weights, alpha = draw_network(size, layers, rng)
        h = hinge_hessian(weights, alpha, *draw_data(size, 2 * size, rng))
        if h.any():
            return h


NETWORKS = [(3, {"layers": 3}), (4, {"layers": 4})]


@twin({"li.thm3": {}, "li.thm3.deep": {}}, NETWORKS, replicates=800)
def symmetry(size, rng, layers):
    return mirror_defect(network_hessian(size, rng, layers))


@twin({"li.thm3.half": {}, "li.thm3.half-deep": {}}, NETWORKS, replicates=1500)
def imbalance(size, rng, layers):
    values = np.linalg.eigvalsh(network_hessian(size, rng, layers))
    values = values[np.abs(values) > 1e-9 * np.abs(values).max()]
    return abs(np.mean(values < 0) - 0.5)


def norms(weights, alpha, x, slope):
    """‖H‖ and the largest ‖∇²T(x_i)‖."""
    acts, gates, _ = forward(weights, alpha, x)
    total, largest = 0.0, 0.0
    for i in range(len(x)):
        one = hessian(
            weights,
            alpha,
            [a[i : i + 1] for a in acts],
            [None, *(h[i : i + 1] for h in gates[1:])],
            np.ones(1),
        )
        total = total + slope[i] * one / len(x)
        largest = max(largest, spectral(one))
    return spectral(total), largest


@twin(
    {"li.thm1.c": {"corrected": False}, "li.thm1.c/corrected": {"corrected": True}},
    [(2, {}), (3, {})],
    replicates=1500,
)
def bound(size, rng, corrected):
    while True:
        weights, alpha = draw_network(size, int(rng.integers(2, 5)), rng)
        x, y = draw_data(size, 2 * size, rng)
        slope = slopes(forward(weights, alpha, x)[2], y)
        if not slope.any():
            continue
        norm, largest = norms(weights, alpha, x, slope)
        if largest > 0:
            return norm / largest - np.mean(np.abs(slope) if corrected else slope)


@twin(
    {"li.thm1.c.class": {"corrected": False}, "li.thm1.c.class/corrected": {"corrected": True}},
    [(2, {}), (3, {})],
    replicates=2000,
)
def bound_of_the_class(size, rng, corrected):
    while True:
        weights, alpha = draw_network(size, 3, rng)
        x = rng.normal(size=(int(rng.integers(1, 4)), size))
        kinks, rates = np.sort(rng.normal(size=4)), np.sort(rng.normal(size=5))
        rates[0], rates[-1] = -abs(rates[0]) - 0.1, abs(rates[-1]) + 0.1
        slope = rates[np.searchsorted(kinks, forward(weights, alpha, x)[2])]
        norm, largest = norms(weights, alpha, x, slope)
        if largest > 0:
            return norm / largest - np.mean(np.abs(slope) if corrected else slope)


STEPS = 1 / np.array([256, 512, 1024, 2048, 4096, 8192])


@twin("li.eq10", [(256, {}), (4096, {})], replicates=300)
def descent(size, rng):
    """The values at all sizes of the plan, which the sampler returns together."""
    ratios = []
    while len(ratios) < 25:
        n, layers = 6, int(rng.integers(2, 5))
        weights, alpha = draw_network(n, layers, rng)
        x, y = draw_data(n, 12, rng)
        acts, gates, output = forward(weights, alpha, x)
        gradient = pack(*mean_gradient(weights, alpha, acts, gates, slopes(output, y) / 12))
        square = gradient @ gradient
        if square == 0:
            continue
        moved = unpack(pack(weights, alpha) - STEPS[:, None] * gradient, n, layers)
        errors = np.abs((risk(*moved, x, y) - risk(weights, alpha, x, y)) / (STEPS * square) + 1)
        if errors[-1] > 1e-10:
            ratios.append(errors[:-1] / errors[-1])
    return np.median(ratios, axis=0)


@twin("li.cond4.5", [(2, {"layers": 3}), (3, {"layers": 4})], replicates=50, accuracy=1e-13)
def projected(size, rng, layers):
    while True:
        weights, alpha = draw_network(size, layers, rng)
        x, y = draw_data(size, 16, rng)
        # Each sample is a data set of its own.
        spread = [np.broadcast_to(w, (16, *w.shape)) for w in weights], np.broadcast_to(alpha, (16, size))
        acts, gates, output = forward(*spread, x[:, None])
        h = hessian(*spread, acts, gates, slopes(output, y[:, None]))
        owner = np.append(np.repeat(np.arange(layers - 1), size**2), np.full(size, layers - 1))
        p = np.diag((owner == rng.integers(layers)).astype(float))
        s = (h @ p @ h).mean(axis=0)
        if s.any():
            return np.linalg.norm(p @ s @ p) / np.linalg.norm(s)


@twin("li.cond4.3", [(2, {}), (3, {})], replicates=100, accuracy=1e-11)
def euler(size, rng):
    while True:
        layers = int(rng.integers(2, 6))
        weights, alpha = draw_network(size, layers, rng)
        x, y = draw_data(size, 2 * size, rng)
        theta = pack(weights, alpha)
        u = theta @ hinge_hessian(weights, alpha, x, y) @ theta
        active = np.mean(y * forward(weights, alpha, x)[2] < 1)
        v = layers * (layers - 1) * (risk(weights, alpha, x, y) - active)
        if abs(v) > 1e-9:
            return abs(u - v) / (abs(u) + abs(v))


def hinge_blocks(weights, alpha, x, y):
    acts, gates, output = forward(weights, alpha, x)
    return blocks(weights, alpha, acts, gates, slopes(output, y) / x.shape[-2])


@twin("li.cond4.3.learnable", [(3, {}), (5, {})], replicates=800)
def learnable(size, rng):
    while True:
        weights, alpha = draw_network(size, 3, rng)
        x = rng.normal(size=(2, 8 * size, size))
        one, two = (hinge_blocks(weights, alpha, each, np.sign(each[:, 0])) for each in x)
        if inner(one, one) > 0 and inner(two, two) > 0:
            return 2 * inner(one, two) / (inner(one, one) + inner(two, two))


@twin("li.cond4.3.fair", [(2, {}), (4, {})], replicates=300)
def fair(size, rng):
    while True:
        weights, alpha = draw_network(size, 3, rng)
        x, y = draw_data(size, 4 * size, rng, (64,))
        acts, gates, _ = forward(weights, alpha, x)
        h = hessian(weights, alpha, acts, gates, -y / (4 * size)).reshape(64, -1)
        length = np.linalg.norm(h, axis=1)
        if length.all():
            h = h / length[:, None]
            return (h[:32] @ h[32:].T).mean()


def gaps(weights, alpha, m, rng):
    """Mean of ‖H - H'‖² over 128/m pairs of data sets of m samples."""
    pairs = 128 // m
    x = rng.normal(size=(pairs, 2 * m, 5))
    acts, gates, output = forward(weights, alpha, x)
    sign = np.repeat([1.0, -1.0], m)
    found = blocks(weights, alpha, acts, gates, sign * slopes(output, np.sign(x[..., 0])) / m)
    return inner(found, found).mean()


@twin("li.cond4.3.many-samples", [(8, {}), (128, {})], replicates=1500)
def many_samples(size, rng):
    """The values at all sizes of the plan, which the sampler returns together."""
    while True:
        weights, alpha = draw_network(5, 3, rng)
        divisor = gaps(weights, alpha, 8, rng)
        if divisor > 0:
            return np.array([gaps(weights, alpha, m, rng) for m in (8, 16, 32, 64, 128)]) / divisor
