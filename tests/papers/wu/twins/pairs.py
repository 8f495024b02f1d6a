"""Twins of the statements about two or more models (sections 5.3 and G.3)."""

from itertools import combinations

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.weights import first, inputs, last


def softmax(z):
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


def top(matrix, k):
    return np.linalg.eigh(matrix)[1][:, -k:]


def roots(p, gated):
    """Rows whose outer products add up to the curvature of every input, inputs first."""
    return np.sqrt(p)[:, :, None] * (gated - np.sum(p[:, :, None] * gated, axis=1, keepdims=True))


class Model:
    """A network with all activations of the given inputs."""

    def __init__(self, x, n, alpha, classes, depth, rng):
        self.x, self.y, self.gates = x, [], []
        middle = [rng.normal(size=(n, n)) / np.sqrt(n) for _ in range(depth - 2)]
        for w in (first(n, alpha, rng), *middle):
            u = x @ w.T
            x = np.maximum(u, 0)
            self.gates.append((u >= 0) * 1.0)
            self.y.append(x)
        self.w = last(n, classes, rng)
        self.p = softmax(x @ self.w.T)

    def last_gradients(self):
        return roots(self.p, self.w * self.gates[-1][:, None, :])


def hessian(gradients, x):
    """Mean of GᵀG ⊗ xxᵀ."""
    flat = (gradients[:, :, :, None] * x[:, None, None, :]).reshape(
        gradients.shape[0] * gradients.shape[1], -1
    )
    return flat.T @ flat / len(x)


def models(count, size, alpha, classes, rng, depth=2):
    x = inputs(2 * size, size, alpha, rng)
    return [Model(x, size, alpha, classes, depth, rng) for _ in range(count)]


def over_orders(g):
    """Mean of (Σ_i G_{iπ(i)})² over all orders π."""
    n, whole = len(g), g.sum()
    rows, columns, own = np.sum(g.sum(axis=0) ** 2), np.sum(g.sum(axis=1) ** 2), np.sum(g**2)
    return own / n + (whole**2 - rows - columns + own) / (n * (n - 1))


def overlap_over_orders(u, v, blocks):
    """‖UᵀV‖²_F/k averaged over the orders of the blocks of V."""
    u, v = (each.T.reshape(each.shape[1], blocks, -1) for each in (u, v))
    return np.mean([sum(over_orders(one @ two.T) for two in v) for one in u])


def of_one_order(u, v, order):
    n, k = u.shape
    return n / k**2 * np.sum((u.T @ v[order]) ** 2)


FRACTIONS = [
    (12, {"alpha": 0.3, "classes": 4, "fraction": 0.25}),
    (8, {"alpha": 0.6, "classes": 3, "fraction": 0.5}),
]


def output_space(size, rng, alpha, classes, fraction):
    (model,) = models(1, size, alpha, classes, rng)
    gradients = model.last_gradients().reshape(-1, size)
    return top(gradients.T @ gradients, max(1, round(fraction * size)))


@twin("wu.thmG.1", FRACTIONS, replicates=200)
def output_overlap(size, rng, alpha, classes, fraction):
    u, v = (output_space(size, rng, alpha, classes, fraction) for _ in range(2))
    return np.mean([of_one_order(u, v, rng.permutation(size)) for _ in range(16)])


@twin("wu.thmG.1.spread", FRACTIONS, replicates=120)
def spread(size, rng, alpha, classes, fraction):
    spaces = [output_space(size, rng, alpha, classes, fraction) for _ in range(4)]
    values = [
        of_one_order(*pair, rng.permutation(size)) for pair in combinations(spaces, 2) for _ in range(16)
    ]
    return np.mean((np.array(values) - 1) ** 2)


@twin(
    "wu.thmG.1.layer",
    [(8, {"alpha": 0.3, "classes": 3}), (6, {"alpha": 0.6, "classes": 2})],
    replicates=70,
)
def layer_overlap(size, rng, alpha, classes):
    found = models(4, size, alpha, classes, rng)
    spaces = [top(hessian(model.last_gradients(), model.x), classes - 1) for model in found]
    pairs = [overlap_over_orders(*pair, size) for pair in combinations(spaces, 2)]
    return np.mean(pairs) * size / (classes - 1)


def mean_direction(model, layer):
    return np.linalg.svd(model.y[layer])[2][0]


@twin(
    "wu.thmG.1.hidden",
    [(10, {"alpha": 0.3, "classes": 4}), (8, {"alpha": 0.6, "classes": 3})],
    replicates=70,
)
def hidden_overlap(size, rng, alpha, classes):
    found = models(4, size, alpha, classes, rng, depth=3)
    known = [
        (top(hessian(model.last_gradients(), model.y[0]), classes - 1), mean_direction(model, 0))
        for model in found
    ]
    pairs = [overlap_over_orders(u, v, size) / (t @ s) ** 2 for (u, t), (v, s) in combinations(known, 2)]
    return np.mean(pairs) * size / (classes - 1)


@twin(
    {
        "wu.secG.3.2": {"k": lambda classes: classes - 1},
        "wu.secG.3.2.below": {"k": lambda classes: classes // 2},
        "wu.secG.3.2.peak": {"k": lambda classes: classes},
        "wu.secG.3.2.peak/corrected": {"k": lambda classes: classes},
    },
    [(16, {"alpha": 0.3, "classes": 4}), (10, {"alpha": 0.6, "classes": 5})],
    replicates=120,
)
def last_overlap(size, rng, alpha, classes, k):
    values = []
    for _ in range(2):
        known = []
        for model in models(2, size, alpha, classes, rng):
            whole = hessian(roots(model.p, np.eye(classes) + np.zeros((len(model.p), 1, 1))), model.y[-1])
            known.append((top(whole, k(classes)), mean_direction(model, -1)))
        (u, t), (v, s) = known
        values.append(overlap_over_orders(u, v, classes) / (t @ s) ** 2)
    return np.mean(values)


@twin(
    "wu.sec5.3.means",
    [
        (12, {"alpha": 0.3, "depth": 2}),
        (16, {"alpha": 0.6, "depth": 3}),
    ],
    replicates=200,
)
def means(size, rng, alpha, depth):
    x = inputs(96, size, alpha, rng)
    one, two = (Model(x, size, alpha, 2, depth, rng).y[-1] for _ in range(2))
    a, b, c, d = one[:48].mean(axis=0), one[48:].mean(axis=0), two[:48].mean(axis=0), two[48:].mean(axis=0)
    apart = (a.sum() * b.sum() - a @ b) * (c.sum() * d.sum() - c @ d) / (size * (size - 1))
    return ((a @ b) * (c @ d) / size + apart) / ((a @ b) * (c @ d))
