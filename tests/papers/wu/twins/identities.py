"""Twins of the identities, and of the statements about small matrices."""

import numpy as np

from tests.papers.twinning import twin

PRINTED, CORRECTED = {"printed": True}, {"printed": False}


def both(name):
    return {f"wu.{name}": PRINTED, f"wu.{name}/corrected": CORRECTED}


def softmax(z):
    z = np.exp(z - z.max(axis=-1, keepdims=True))
    return z / z.sum(axis=-1, keepdims=True)


def curvature(p):
    return np.diag(p) - np.outer(p, p)


@twin(both("sec2.kronecker"), [(2, {}), (4, {})], replicates=500, accuracy=1e-14)
def kronecker(size, rng, printed, **_):
    m, n = rng.normal(size=(2, size, size))
    true, stated = np.zeros((2, size * size, size * size))
    for i1 in range(size):
        for j1 in range(size):
            true[i1 * size : (i1 + 1) * size, j1 * size : (j1 + 1) * size] = m[i1, j1] * n
            for i2 in range(size):
                for j2 in range(size):
                    entry = m[i1, i2] * n[j1, j2] if printed else m[i1, j1] * n[i2, j2]
                    stated[i1 * size + i2, j1 * size + j2] = entry
    return np.abs(true - stated).max() / np.abs(true).max()


@twin(both("sec3.2.order"), [(2, {}), (4, {})], replicates=1500, accuracy=1e-12)
def order(size, rng, printed, **_):
    x = rng.normal(size=size + 2)
    x /= np.linalg.norm(x)
    b = rng.normal(size=(size, size))
    u = np.linalg.eigh(np.kron(b @ b.T + np.eye(size), np.outer(x, x)))[1][:, -size:]
    v = np.kron(x[:, None], np.eye(size)) if printed else np.kron(np.eye(size), x[:, None])
    return 1 - np.sum((u.T @ v) ** 2) / size


# Central differences of the gradient with step 1e-5 err by about 1e-10.
@twin(both("eq10"), [(2, {"classes": 4}), (5, {"classes": 3})], replicates=60, accuracy=1e-7)
def training_loss(size, rng, classes, printed, **_):
    logits, v = rng.normal(size=(size, classes)), rng.normal(size=classes)
    labels = np.eye(classes)[rng.integers(classes, size=size)]
    step = 1e-5

    def gradient(at):
        return np.mean(softmax(logits + at) - labels, axis=0)

    true = np.stack([(gradient(v + step * e) - gradient(v - step * e)) / (2 * step) for e in np.eye(classes)])
    stated = np.sum([curvature(p) for p in softmax(logits + v)], axis=0)
    return np.abs(true - (stated if printed else stated / size)).max() / np.abs(true).max()


@twin(both("eq18"), [(4, {"depth": 3}), (6, {"depth": 4})], replicates=1500, accuracy=1e-12)
def product_of_layers(size, rng, depth, printed, **_):
    weights = rng.normal(size=(depth, size, size)) / np.sqrt(size)
    biases = rng.normal(size=(depth, size))
    z = weights[0] @ np.abs(rng.normal(size=size)) + biases[0]
    stated = z
    for w, b in zip(weights[1:], biases[1:], strict=True):
        gates = (z >= 0) * 1.0
        z = w @ np.maximum(z, 0) + b
        stated = w @ (gates * stated) + (0 if printed else b)
    return np.abs(stated - z).max() / np.abs(z).max()


@twin(both("lemmaB.12.factor"), [(3, {}), (6, {})], replicates=500, accuracy=1e-14)
def factor(size, rng, printed, **_):
    p = softmax(rng.normal(size=size) * (np.pi - 1) / (2 * np.pi))
    q = np.diag(np.sqrt(p)) @ (np.eye(size) - np.outer(np.ones(size), p))
    true = curvature(p)
    return np.abs((q @ q.T if printed else q.T @ q) - true).max() / np.abs(true).max()


@twin({"wu.eq108": {}, "wu.eq108/corrected": {}}, [(4, {"classes": 4}), (6, {"classes": 3})], replicates=400)
def second_eigenvalues(size, rng, classes, **_):
    p = softmax(rng.normal(size=(size, classes)) * (np.pi - 1) / (2 * np.pi))
    a = p[:, :, None] * np.eye(classes) - p[:, :, None] * p[:, None, :]
    traces = np.trace(a, axis1=1, axis2=2) / (classes - 1)
    return np.mean(np.linalg.eigvalsh(a)[:, 1]) / np.mean(traces)


@twin(
    {"wu.eq229": {}, "wu.eq229/corrected": {}},
    [(8, {"classes": 2, "reach": 1.0}), (5, {"classes": 4, "reach": 0.8})],
    replicates=3000,
    accuracy=1e-6,  # the sine of an angle that is zero up to rounding
)
def davis_kahan(size, rng, classes, reach, **_):
    basis = np.linalg.qr(rng.normal(size=(size, size)))[0]
    values = 1 + rng.exponential(size=classes - 1)
    least = values.min()
    smallest, outside = basis[:, np.argmin(values)], basis[:, classes - 1]
    m = (basis[:, : classes - 1] * values) @ basis[:, : classes - 1].T
    s, t = rng.uniform(0, reach * least, size=2)
    change = s * np.outer(outside, outside) - t * np.outer(smallest, smallest)
    one, two = (np.linalg.eigh(each)[1][:, 1 - classes :] for each in (m, m + change))
    sine = np.sqrt(max(0, classes - 1 - np.sum((one.T @ two) ** 2)))
    return sine * least / np.linalg.norm(change)


@twin(both("eq277"), [(2, {}), (6, {})], replicates=1500, accuracy=1e-12)
def pac_bayes(size, rng, printed, **_):
    j = rng.integers(1, 300)
    level = 0.1 * np.exp(-j / 100)
    m, s = rng.normal(size=size), level * rng.uniform(0.2, 2, size=size)
    q_from_p = np.sum(np.log(level / s) + (s + m**2) / level - 1) / 2
    p_from_q = np.sum(np.log(s / level) + (level + m**2) / s - 1) / 2
    share = 60000 / 0.025
    true = q_from_p + np.log(share * np.pi**2 * j**2 / 6)
    stated = (p_from_q if printed else q_from_p) + 2 * np.log(100 * np.log(0.1 / level))
    return abs(stated + np.log(np.pi**2 * share / 6) - true) / abs(true)


def derivatives(function, at, chosen, columns, step=1e-5):
    """Central differences of a gradient: chosen rows and columns."""
    out = np.zeros((len(chosen), len(columns)))
    for place, coordinate in enumerate(chosen):
        e = np.zeros_like(at)
        e[coordinate] = step
        out[place] = ((function(at + e) - function(at - e)) / (2 * step))[columns]
    return out


def second_derivatives(size, rng, alpha, classes, gates):
    d = round(size ** (1 + alpha))
    x = np.zeros((2, d))
    while np.any(x.max(axis=1) == 0):
        x = np.maximum(rng.normal(size=(2, d)), 0)
    w1 = rng.normal(size=(size, d)) / np.sqrt(d)
    w = rng.normal(size=(classes, size)) / np.sqrt(size)
    labels = np.eye(classes)[rng.integers(classes, size=2)]
    u = x @ w1.T
    y = np.maximum(u, 0)
    z = y @ w.T

    def in_output(shift):  # mean loss of z + shift
        return np.mean(softmax(z + shift) - labels, axis=0)

    def in_hidden(shift):
        p = softmax(np.maximum(u + shift, 0) @ w.T)
        return np.mean(((p - labels) @ w) * (u + shift >= 0), axis=0)

    def in_first(flat):
        u = x @ flat.reshape(size, d).T
        p = softmax(np.maximum(u, 0) @ w.T)
        return (((p - labels) @ w) * (u >= 0)).T.dot(x).ravel() / 2

    def in_last(flat):
        p = softmax(y @ flat.reshape(classes, size).T)
        return ((p - labels).T @ y).ravel() / 2

    a = [curvature(p) for p in softmax(z)]
    gated = [w * ((each >= 0) if gates else 1.0) for each in u]
    m = [g.T @ each @ g for g, each in zip(gated, a, strict=True)]
    cases = (
        (in_hidden, np.zeros(size), np.mean(m, axis=0)),
        (
            in_first,
            w1.ravel(),
            np.mean([np.kron(g, np.outer(v, v)) for g, v in zip(m, x, strict=True)], axis=0),
        ),
        (in_output, np.zeros(classes), np.mean(a, axis=0)),
        (
            in_last,
            w.ravel(),
            np.mean([np.kron(g, np.outer(v, v)) for g, v in zip(a, y, strict=True)], axis=0),
        ),
    )
    worst = 0.0
    for function, at, stated in cases:
        chosen, columns = rng.integers(len(at), size=(2, 3))
        gap = np.abs(derivatives(function, at, chosen, columns) - stated[np.ix_(chosen, columns)]).max()
        worst = max(worst, gap / max(np.abs(stated).max(), 1e-3))
    return worst


# Central differences of the gradient err by about 1e-9 of the largest entry.
FEW = [(3, {"alpha": 1.0, "classes": 3}), (4, {"alpha": 0.8, "classes": 2})]
twin(
    {"wu.eq4": {"gates": True}, "wu.eq4.literal/corrected": {"gates": True}},
    FEW,
    replicates=30,
    accuracy=1e-6,
)(second_derivatives)


@twin("wu.eq4.literal", FEW, replicates=90, accuracy=1e-6)
def without_gates(size, rng, **point):
    return np.mean([second_derivatives(size, rng, gates=False, **point) for _ in range(4)])
