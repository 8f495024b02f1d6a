"""Twins of the statements about two-layer networks."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.weights import first, inputs, last


def respond(n, alpha, classes, count, rng):
    """W, gates, activations and softmax of one network."""
    x, w1, w = inputs(count, n, alpha, rng), first(n, alpha, rng), last(n, classes, rng)
    u = x @ w1.T
    y = np.maximum(u, 0)
    z = np.exp(y @ w.T)
    return w, (u >= 0) * 1.0, y, z / z.sum(axis=1, keepdims=True)


def mean_curvature(p):
    return np.diag(p.mean(axis=0)) - p.T @ p / len(p)


class Network:
    """Estimates of all matrices on both halves of 96 inputs."""

    def __init__(self, n, alpha, classes, rng):
        self.w, gates, _, p = respond(n, alpha, classes, 96, rng)
        w, parts = self.w, (slice(0, 48), slice(48, 96))
        self.a = [mean_curvature(p[part]) for part in parts]
        self.rates = [gates[part].mean(axis=0) for part in parts]
        self.m, self.independent = [], []
        for half, part in enumerate(parts):
            gated, q = gates[part][:, None, :] * w, p[part][:, :, None]
            # Rows whose outer products add up to DWᵀAWD of every input.
            roots = np.sqrt(q) * (gated - np.sum(q * gated, axis=1, keepdims=True))
            roots = roots.reshape(48 * classes, n)
            self.m.append(roots.T @ roots / 48)
            joint = gates[part].T @ gates[part] / 48
            self.independent.append(joint * (w.T @ self.a[1 - half] @ w))


def squared(pair):
    return np.sum(pair[0] * pair[1])


def project(w, pair):
    return [w @ each @ w.T for each in pair]


def top(pair, count):
    return [np.linalg.eigh(each)[1][:, -count:] for each in pair]


def rows(w):
    classes = len(w)
    centred = w - w.mean(axis=0)  # v ⊥ 1 are combinations of centred rows
    return np.linalg.svd(centred.T, full_matrices=False)[0][:, : classes - 1]


def overlap(first_pair, second_pair):
    def shared(u, v):
        return np.sum((u.T @ v) ** 2)

    cross = (shared(first_pair[0], second_pair[1]) + shared(first_pair[1], second_pair[0])) / 2
    return cross / np.sqrt(shared(*first_pair) * shared(*second_pair))


def core(network, half):
    return network.w.T @ network.a[half] @ network.w


def formula_error(net):
    stated = []
    for half in (0, 1):
        lifted = core(net, 1 - half)
        stated.append((lifted + np.diag(np.diag(lifted))) / 4)
    gap = [net.independent[half] - stated[half] for half in (0, 1)]
    return np.sqrt(max(0, squared(gap)) / squared(net.independent))


def projected_difference(net):
    return [
        one - two for one, two in zip(project(net.w, net.m), project(net.w, net.independent), strict=True)
    ]


STATISTICS = {
    "thm4.2.overlap": lambda net, k: overlap(top(net.m, k), top(net.independent, k)),
    "thm4.2.rowspace": lambda net, k: overlap(top(net.independent, k), [rows(net.w)] * 2),
    "thm4.2.rowspace-output": lambda net, k: overlap(top(net.m, k), [rows(net.w)] * 2),
    "thm4.2.activation-space": lambda net, k: overlap(top(net.m, k), [gated(net.w, r) for r in net.rates]),
    "eq8": lambda net, k: formula_error(net),
    "eq144": lambda net, k: np.sqrt(max(0, squared(net.independent)) / squared([core(net, 0), core(net, 1)])),
    "lemmaB.14": lambda net, k: squared(project(net.w, net.m)) / squared(net.m),
    "lemmaB.16": lambda net, k: squared(net.m) / squared(net.independent),
    "lemmaB.17": lambda net, k: squared(project(net.w, net.m)) / squared(project(net.w, net.independent)),
    "lemmaB.17.entries": lambda net, k: squared(projected_difference(net)),
    "lemmaB.18": lambda net, k: squared(project(net.w, net.independent)) / squared(net.independent),
    "eq224": lambda net, k: np.sqrt(max(0, squared([net.m[half] - core(net, half) / 4 for half in (0, 1)]))),
}  # fmt: skip
STATISTICS["lemmaB.15"] = STATISTICS["eq8"]
CORRECTED = (
    "thm4.2.rowspace",
    "thm4.2.rowspace-output",
    "eq8",
    "eq144",
    "lemmaB.14",
    "lemmaB.15",
    "lemmaB.18",
    "eq224",
)


def gated(w, rates):
    """Basis of {Π Wᵀ v : v ⊥ 1}."""
    return np.linalg.svd(((w - w.mean(axis=0)) * rates).T, full_matrices=False)[0][:, : len(w) - 1]


TWO = [(16, {"alpha": 0.3, "classes": 4}), (24, {"alpha": 0.6, "classes": 2})]


@twin(
    {f"wu.{name}": {"name": name} for name in STATISTICS}
    | {f"wu.{name}/corrected": {"name": name} for name in CORRECTED},
    TWO,
    replicates=400,
)
def statistic(size, rng, alpha, classes, name):
    return STATISTICS[name](Network(size, alpha, classes, rng), classes - 1)


@twin({"wu.lemmaB.9.activation": {}, "wu.lemmaB.9.activation/corrected": {}}, TWO, replicates=600)
def rates(size, rng, alpha, classes):
    _, gates, _, _ = respond(size, alpha, classes, 48, rng)
    return np.mean((gates[:24].mean(axis=0) - 0.5) * (gates[24:].mean(axis=0) - 0.5))


@twin({"wu.lemmaB.9.second": {}, "wu.lemmaB.9.second/corrected": {}}, TWO, replicates=600)
def second(size, rng, alpha, classes):
    return np.mean(respond(size, alpha, classes, 48, rng)[2] ** 2)


@twin({"wu.lemmaB.10.mean": {}, "wu.lemmaB.10.mean/corrected": {}}, TWO, replicates=600)
def mean_logit(size, rng, alpha, classes):
    y = respond(size, alpha, classes, 48, rng)[2]
    return np.mean(y[:24].mean(axis=0) * y[24:].mean(axis=0))


@twin({"wu.lemmaB.10.variance": {}, "wu.lemmaB.10.variance/corrected": {}}, TWO, replicates=600)
def variance_of_logit(size, rng, alpha, classes):
    return np.mean(respond(size, alpha, classes, 48, rng)[2].var(axis=0, ddof=1))


@twin("wu.lemmaB.12", TWO, replicates=200)
def gap(size, rng, alpha, classes):
    values = np.linalg.eigvalsh(mean_curvature(respond(size, alpha, classes, 32, rng)[3]))
    g = (np.pi - 1) ** 2 / (4 * np.pi**2)
    bound = 0.68**classes * (np.exp(-g) / (classes * np.exp(g))) ** 2 / (2 * classes)
    return float(abs(values[0]) < 1e-12 and values[1] >= bound)
