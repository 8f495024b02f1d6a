"""Twins of the statements about the layer Hessian, formed whole, and of further norms of the output Hessian."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.networks import Network, formula_error, overlap, project, squared, top
from tests.papers.wu.twins.weights import dimension, first, inputs, last


class Layer(Network):
    """All matrices of a network, with H whole."""

    def __init__(self, n, alpha, classes, rng, count=96):
        d = dimension(n, alpha)
        x, w1, self.w = inputs(count, n, alpha, rng), first(n, alpha, rng), last(n, classes, rng)
        u = x @ w1.T
        z = np.exp(np.maximum(u, 0) @ self.w.T)
        p, gates = z / z.sum(axis=1, keepdims=True), (u >= 0) * 1.0
        half = count // 2
        parts = (slice(0, half), slice(half, 2 * half))
        self.a = [np.diag(p[part].mean(axis=0)) - p[part].T @ p[part] / half for part in parts]
        self.m, self.independent, self.h = [], [], []
        for number, part in enumerate(parts):
            gated, q = gates[part][:, None, :] * self.w, p[part][:, :, None]
            # Rows whose outer products add up to DWᵀAWD of every input.
            roots = np.sqrt(q) * (gated - np.sum(q * gated, axis=1, keepdims=True))
            spread = (roots[:, :, :, None] * x[part][:, None, None, :]).reshape(half * classes, n * d)
            roots = roots.reshape(half * classes, n)
            self.m.append(roots.T @ roots / half)
            self.h.append(spread.T @ spread / (half * d))  # Ȟ
            self.independent.append(
                gates[part].T @ gates[part] / half * (self.w.T @ self.a[1 - number] @ self.w)
            )
        self.second = np.full((d, d), 1 / (2 * np.pi)) + np.eye(d) * (np.pi - 1) / (2 * np.pi)
        self.v = np.kron(self.w, np.ones((1, d)) / np.sqrt(d))
        self.layer_independent = [np.kron(each, self.second) / d for each in self.independent]


def lift(w, pair):
    return [w.T @ each @ w for each in pair]


def distance(own, projected, independent, w):
    """Root of ‖own‖² less the inner products within halves plus the lifted energy."""
    mixed = np.sum(projected[0] * independent[0]) + np.sum(projected[1] * independent[1])
    return np.sqrt(max(0, squared(own) - mixed + squared(lift(w, independent))))


def both(a, other):
    return [a[1] - other[0], a[0] - other[1]]


def scaled(pair, factor):
    return [each * factor for each in pair]


OUTPUT = {
    "lemmaB.20": lambda net: formula_error(net),
    "eq162": lambda net: squared(net.a) / 16 / squared(net.independent),
    "eq167": lambda net: squared(net.a) / 16 / squared(project(net.w, net.independent)),
    "eq199": lambda net: squared(lift(net.w, project(net.w, net.m))) / squared(net.m),
    "eq215": lambda net: distance(net.m, project(net.w, net.m), project(net.w, net.independent), net.w),
    "eq223": lambda net: (
        16 * squared(lift(net.w, both(scaled(net.a, 0.25), project(net.w, net.independent)))) / squared(net.a)
    ),
}
LAYER = {
    "lemmaB.19": lambda net: squared(project(net.v, net.h)) / squared(net.h),
    "lemmaB.21": lambda net: squared(net.h) / squared(net.layer_independent),
    "lemmaB.22": lambda net: squared(project(net.v, net.h)) / squared(project(net.v, net.layer_independent)),
    "lemmaB.23": lambda net: squared(project(net.v, net.layer_independent)) / squared(net.layer_independent),
    "eq243": lambda net: (
        squared(lift(net.w, both(scaled(net.a, 1 / (8 * np.pi)), project(net.v, net.layer_independent))))
        / squared(scaled(net.a, 1 / (8 * np.pi)))
    ),
    "eq242": lambda net: distance(net.h, project(net.v, net.h), project(net.v, net.layer_independent), net.w),
    "decoupling": lambda net: (
        squared([np.kron(m, net.second) / len(net.second) - h for m, h in zip(net.m, net.h, strict=True)])
        / squared(net.h)
    ),
}
CORRECTED = ("lemmaB.20", "eq162", "eq199", "eq215", "lemmaB.19", "lemmaB.23", "eq242")


@twin(
    {f"wu.{name}": {"name": name} for name in OUTPUT}
    | {f"wu.{name}/corrected": {"name": name} for name in CORRECTED if name in OUTPUT},
    [(16, {"alpha": 0.3, "classes": 4}), (24, {"alpha": 0.6, "classes": 2})],
    replicates=400,
)
def of_output(size, rng, alpha, classes, name):
    return OUTPUT[name](Network(size, alpha, classes, rng))


@twin(
    {f"wu.{name}": {"name": name} for name in LAYER}
    | {f"wu.{name}/corrected": {"name": name} for name in CORRECTED if name in LAYER},
    [(8, {"alpha": 0.3, "classes": 3}), (6, {"alpha": 0.6, "classes": 2})],
    replicates=250,
)
def of_layer(size, rng, alpha, classes, name):
    return LAYER[name](Layer(size, alpha, classes, rng))


@twin(
    "wu.thm4.1.overlap",
    [(8, {"alpha": 0.3, "classes": 2}), (6, {"alpha": 0.6, "classes": 2})],
    replicates=250,
)
def layer_overlap(size, rng, alpha, classes):
    net = Layer(size, alpha, classes, rng)
    products = [np.kron(m, net.second) for m in net.m]
    return overlap(top(net.h, classes - 1), top(products, classes - 1))


@twin(
    "wu.thm4.2.gap",
    [(10, {"alpha": 0.3, "classes": 3}), (14, {"alpha": 0.6, "classes": 2})],
    replicates=400,
)
def gap(size, rng, alpha, classes):
    x, w1, w = inputs(2 * size, size, alpha, rng), first(size, alpha, rng), last(size, classes, rng)
    u = x @ w1.T
    z = np.exp(np.maximum(u, 0) @ w.T)
    p = z / z.sum(axis=1, keepdims=True)
    halves = []
    for part in (slice(0, size), slice(size, 2 * size)):
        m = np.zeros((size, size))
        for gate, q in zip((u >= 0)[part], p[part], strict=True):
            m += (w * gate).T @ (np.diag(q) - np.outer(q, q)) @ (w * gate) / size
        halves.append(m)

    def ratio(matrix):
        values = np.sort(np.linalg.eigvalsh(matrix))[::-1]
        return values[classes - 1] / values[classes - 2]

    return 2 * ratio((halves[0] + halves[1]) / 2) - (ratio(halves[0]) + ratio(halves[1])) / 2
