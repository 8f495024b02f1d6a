"""Twins of the statements about projections of the output Hessian on the row space of W, and about its gates."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.networks import TWO, mean_curvature, respond


class Halves:
    """Estimates on two halves of the inputs."""

    def __init__(self, n, alpha, classes, rng, count=96):
        self.w, gates, _, p = respond(n, alpha, classes, count, rng)
        half = count // 2
        parts = (slice(0, half), slice(half, count))
        self.a = [mean_curvature(p[part]) for part in parts]
        self.rates = [gates[part].mean(axis=0) for part in parts]
        self.joint = [gates[part].T @ gates[part] / half for part in parts]
        self.m = []
        for part in parts:
            gated, q = gates[part][:, None, :] * self.w, p[part][:, :, None]
            centred = np.sqrt(q) * (gated - np.sum(q * gated, axis=1, keepdims=True))
            flat = centred.reshape(half * classes, n)
            self.m.append(flat.T @ flat / half)
        self.own, self.other = (
            [joint * (self.w.T @ a @ self.w) for joint, a in zip(self.joint, order, strict=True)]
            for order in (self.a, self.a[::-1])
        )
        self.inside = np.linalg.pinv(self.w) @ self.w
        self.outside = np.eye(n) - self.inside


def squared(pair):
    return np.sum(pair[0] * pair[1])


def norm(pair):
    return np.sqrt(max(0, squared(pair)))


def between(left, pair, right):
    return [left @ each @ right for each in pair]


def difference(one, two):
    return [first - second for first, second in zip(one, two, strict=True)]


def kept(net):
    return between(net.inside, net.m, net.inside)


def lifted(net):
    return between(net.w.T @ net.w, net.m, net.w.T @ net.w)


def reduced(net):
    return between(net.w, net.m, net.w.T)


def orthonormal_rows(net):
    rows = np.linalg.solve(np.linalg.cholesky(net.w @ net.w.T), net.w)
    projected = between(rows, net.m, rows.T)
    mixed = np.sum(projected[0] * net.a[1]) + np.sum(projected[1] * net.a[0])
    return np.sqrt(max(0, squared(net.m) - mixed / 4 + squared(net.a) / 16))


def activation_formula(net):
    formula = []
    for rates, a in zip(net.rates, net.a[::-1], strict=True):
        core = net.w.T @ a @ net.w
        each = rates[:, None] * core * rates
        np.fill_diagonal(each, rates * np.diag(core))
        formula.append(each)
    return squared(difference(net.other, formula)) / squared(net.other)


def gated_gram(net):
    s = net.rates[0] * net.rates[1]
    return np.sum(((net.w * s) @ net.w.T - s.mean() * np.eye(len(net.w))) ** 2) / len(net.w)


STATISTICS = {
    "eq203": lambda net: norm(kept(net)) / norm(net.m),
    "eq204": lambda net: 1 - squared(kept(net)) / squared(net.m),
    "eq205.mixed": lambda net: norm(between(net.inside, net.m, net.outside)) / norm(net.m),
    "eq205.complement": lambda net: norm(between(net.outside, net.m, net.outside)) / norm(net.m),
    "eq208": lambda net: np.sqrt(max(0, squared(net.m) - squared(kept(net)))),
    "eq211": lambda net: np.sqrt(
        max(0, squared(net.m) - 2 * squared(reduced(net)) + squared(lifted(net)))
    ),
    "eq228": orthonormal_rows,
    "eq8.activation-formula": activation_formula,
    "thm4.2.difference": lambda net: squared(difference(net.m, net.own)) / squared(net.own),
    "thm4.2.gated-gram": gated_gram,
    "eq198": lambda net: squared(lifted(net)) / squared(reduced(net)),
    "eq202": lambda net: (norm(lifted(net)) - norm(kept(net))) ** 2 / squared(net.m),
    "eq210": lambda net: squared(difference(kept(net), lifted(net))) / squared(net.m),
}  # fmt: skip
CORRECTED = ("eq203", "eq204", "eq205.mixed", "eq205.complement", "eq208", "eq211", "eq228")
SPREAD = ("thm4.2.difference", "eq8.activation-formula", "thm4.2.gated-gram", "eq210")


BATCH = ("eq211", "eq202")


def of_halves(size, rng, alpha, classes, name, networks):
    return np.mean([STATISTICS[name](Halves(size, alpha, classes, rng)) for _ in range(networks)])


def variants(names, networks):
    stated = [f"wu.{name}" for name in names] + [
        f"wu.{name}/corrected" for name in names if name in CORRECTED
    ]
    return {full: {"name": full[3:].removesuffix("/corrected"), "networks": networks} for full in stated}


twin(variants([name for name in STATISTICS if name not in SPREAD + BATCH], 4), TWO, replicates=80)(of_halves)
twin(variants(BATCH, 12), TWO, replicates=60)(of_halves)
twin(variants(SPREAD, 4), TWO, replicates=250)(of_halves)


@twin(
    "wu.lemmaB.15.bounds",
    [(1, {"alpha": 0.3, "classes": 2}), (2, {"alpha": 0.6, "classes": 2})],
    replicates=1500,
)
def bounds(size, rng, alpha, classes):
    net = Halves(size, alpha, classes, rng, count=32)
    m = (net.other[0] + net.other[1]) / 2
    g = (np.pi - 1) ** 2 / (4 * np.pi**2)
    eta = 0.68**classes * (np.exp(-g) / (classes * np.exp(g))) ** 2 / (2 * classes)
    return float(np.linalg.norm(m, 2) >= eta / 4 and np.linalg.norm(m) <= 2 * classes**2)
