"""Twins of the statements about training."""

import numpy as np

from tests.papers.dong.twins.linear import softmax
from tests.papers.twinning import twin

D = C = 20
M = 4
N = 200


def path(steps, rng, square):
    """Networks (x, y, w, v) at nine moments of Adam at the rate 0.01."""
    x = rng.normal(size=(N, D))
    y = np.eye(C)[rng.permutation(np.repeat(np.arange(C), 10))]
    weights = [rng.normal(size=(M, D)) / np.sqrt(D), rng.normal(size=(C, M)) / np.sqrt(M)]
    first = [np.zeros_like(each) for each in weights]
    second = [np.zeros_like(each) for each in weights]
    moments = {steps * part // 8 for part in range(9)}
    found = []
    for step in range(steps + 1):
        if step in moments:
            found.append((x, y, weights[0].copy(), weights[1].copy()))
        w, v = weights
        f = np.maximum(x @ w.T, 0)
        out = f @ v.T
        slope = 2 * (out - y) / N if square else (softmax(out) - y) / N
        gradients = [((slope @ v) * (f > 0)).T @ x, slope.T @ f]
        for k in range(2):
            first[k] = 0.9 * first[k] + 0.1 * gradients[k]
            second[k] = 0.999 * second[k] + 0.001 * gradients[k] ** 2
            ahead = first[k] / (1 - 0.9 ** (step + 1))
            weights[k] = weights[k] - 0.01 * ahead / (np.sqrt(second[k] / (1 - 0.999 ** (step + 1))) + 1e-8)
    return found


SHORT = [(40, {}), (80, {})]


@twin(
    {
        f"dong.{name}.residual{form}": {"square": square}
        for name, square in (("eq12", True), ("eq21", False))
        for form in ("", "/corrected")
    },
    SHORT,
    replicates=60,
)
def residual(size, rng, square):
    values = []
    for x, y, w, v in path(size, rng, square):
        out = np.maximum(x @ w.T, 0) @ v.T
        values.append(np.sum(((out if square else softmax(out)) - y) ** 2) / N)
    return min(values)


def energies(x, y, w, v):
    """Squared norms of the stripes of H_wv and of the rest, summed over neurons and classes."""
    f = np.maximum(x @ w.T, 0)
    p = softmax(f @ v.T)
    stripe = rest = 0.0
    for i in range(M):
        kept = x * (f[:, i] > 0)[:, None]
        for j in range(C):
            whole = kept.T @ ((p[:, j] * (v[j, i] - p @ v[:, i]))[:, None] * f) / N
            whole[:, i] += kept.T @ (p[:, j] - y[:, j]) / N
            stripe += np.sum(whole[:, i] ** 2)
            rest += np.sum(np.delete(whole, i, axis=1) ** 2)
    return stripe, rest


@twin({"dong.eq21.stripes": {}, "dong.eq21.stripes/corrected": {}}, SHORT, replicates=40)
def stripes(size, rng):
    values = [energies(*each)[0] for each in path(size, rng, False)]
    return min(values) / values[0]


@twin("dong.eq21.contrast", SHORT, replicates=40)
def contrast(size, rng):
    stripe, rest = energies(*path(size, rng, False)[-1])
    return stripe / (stripe + rest)
