"""Twins of the bounds of the Hessian of deep networks (Proposition 3.1, Theorem 3.1) and of their kernel."""

import numpy as np

from tests.papers.liu.twins._models_b import LIPSCHITZ, backward, expand, forward, layer_norms, sigma, size_of
from tests.papers.twinning import twin


def two_layers(m, rng, activation, x):
    """Matrices, output weights, forward pass, b_1 and b_2, and ‖H‖ in the two matrices."""
    ws, v = [rng.normal(size=(m, 3)), rng.normal(size=(m, m))], rng.normal(size=m)
    names, scales, out = [activation] * 2, [1.0, m**-0.5], m**-0.5
    read, before = forward(ws, x, names, scales)
    b = backward(ws, v, before, names, scales, out)
    return ws, read, b, size_of(expand(ws, v, x, names, scales, out, head=False)[2])


@twin("liu.prop3.1", [(2, {"activation": "tanh"}), (4, {"activation": "gelu"})], replicates=400)
def two_layer_bound(size, rng, activation):
    ws, read, b, value = two_layers(size, rng, activation, rng.normal(size=3))
    slope, own, _, _ = layer_norms(ws[0], read[0], 1.0, activation)
    _, last, twice, mixed = layer_norms(ws[1], read[1], size**-0.5, activation)
    bound = (slope**2 * twice + 2 * slope * mixed + last) * np.abs(b[1]).max() + own * np.abs(b[0]).max()
    return value / bound


@twin("liu.eq18", [(4, {"activation": "tanh"}), (6, {"activation": "sin"})], replicates=400)
def over_entries(size, rng, activation):
    _, _, b, value = two_layers(size, rng, activation, np.ones(3))
    return value / (np.abs(b[0]).max() + np.abs(b[1]).max())


def theorem(norms, b, lipschitz, m, start):
    """The bound of Theorem 3.1; ``start`` is 0 if j = k is among the pairs j ≤ k, else 1."""
    depth = len(norms)
    slopes = [each[0] for each in norms]
    parts = [each[1] for each in norms]
    for top in range(depth):
        for k in range(top):
            parts.append(slopes[k] * norms[top][3])
            parts += [slopes[j] * slopes[k] * norms[top][2] for j in range(k + 1 - start)]
    entry = max(np.abs(each).max() for each in b)
    power = lipschitz**depth
    one = depth * (depth**2 * power**2 + depth * power + 1) * max(parts) * entry
    return one + depth * power * max(slopes) / np.sqrt(m)


@twin(
    {"liu.thm3.1": {"corrected": False}, "liu.thm3.1/corrected": {"corrected": True}},
    [
        (5, {"activation": "tanh", "depth": 2, "output": 1.0}),
        (4, {"activation": "sigmoid", "depth": 3, "output": 0.3}),
    ],
    replicates=400,
)
def deep_bound(size, rng, activation, depth, output, corrected):
    m = size
    ws = [rng.normal(size=(m, m if k else 3)) for k in range(depth)]
    v, x = output * rng.normal(size=m), rng.normal(size=3)
    names, scales, out = [activation] * depth, [3**-0.5] + [m**-0.5] * (depth - 1), m**-0.5
    read, before = forward(ws, x, names, scales)
    b = backward(ws, v, before, names, scales, out)
    norms = [layer_norms(w, r, s, activation) for w, r, s in zip(ws, read[:-1], scales, strict=True)]
    lipschitz = max((LIPSCHITZ[activation] * np.linalg.norm(w, 2) / np.sqrt(m) for w in ws[1:]), default=1.0)
    if corrected:
        lipschitz = max(lipschitz, 1.0)
    value = size_of(expand(ws, v, x, names, scales, out)[2])
    return value / theorem(norms, b, lipschitz, m, 0)


@twin(
    {"liu.eq20": {"corrected": False}, "liu.eq20/corrected": {"corrected": True}},
    [(3, {"length": 1000.0}), (5, {"length": 600.0})],
    replicates=400,
)
def linear_first_layer(size, rng, length, corrected):
    m = size
    ws, v = [np.zeros((m, 3)), rng.normal(size=(m, m))], rng.normal(size=m)
    x = length * rng.normal(size=3)
    names, scales, out = ["identity", "gelu"], [3**-0.5, m**-0.5], m**-0.5
    read, before = forward(ws, x, names, scales)
    b = backward(ws, v, before, names, scales, out)
    norms = [layer_norms(w, r, s, n) for w, r, s, n in zip(ws, read[:-1], scales, names, strict=True)]
    lipschitz = max(1.0, LIPSCHITZ["gelu"] * np.linalg.norm(ws[1], 2) / np.sqrt(m))
    value = size_of(expand(ws, v, x, names, scales, out)[2])
    return value / theorem(norms, b, lipschitz, m, 0 if corrected else 1)


@twin(
    {"liu.sec3.3.kernel": {"corrected": False}, "liu.sec3.3.kernel/corrected": {"corrected": True}},
    [(3, {"activation": "tanh", "depth": 3}), (5, {"activation": "gelu", "depth": 2})],
    replicates=400,
    accuracy=1e-13,
)
def kernel(size, rng, activation, depth, corrected):
    m = size
    ws = [rng.normal(size=(m, m if k else 3)) for k in range(depth)]
    v, x = rng.normal(size=m), rng.normal(size=3)
    names, scales, out = [activation] * depth, [3**-0.5] + [m**-0.5] * (depth - 1), m**-0.5
    _, gradient, _ = expand(ws, v, x, names, scales, out)
    read, before = forward(ws, x, names, scales)
    b = backward(ws, v, before, names, scales, out)
    total = sum(
        np.sum(np.outer(s * sigma(activation, z, 1) * each, r) ** 2)
        for s, z, each, r in zip(scales, before, b, read[:-1], strict=True)
    )
    if corrected:
        total += out**2 * read[-1] @ read[-1]
    return abs(total - gradient @ gradient) / (gradient @ gradient)
