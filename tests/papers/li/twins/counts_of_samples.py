"""Twins of the statements about counts of correlations, skewnesses and kurtoses in samples, and small exact facts."""

from itertools import product

import numpy as np

from tests.papers.twinning import twin

OBSERVATIONS = 157


def standardised(shape, rng):
    """Normal samples along the last axis but one, each centred and divided by its own deviation."""
    z = rng.normal(size=shape)
    z -= z.mean(axis=-2, keepdims=True)
    return z / z.std(axis=-2, keepdims=True)


@twin(
    {"li.sec5.2.bn.variance": {"power": 1}, "li.sec5.2.bn.variance/corrected": {"power": 2}},
    [(8, {"factor": 4.0}), (16, {"factor": 0.25})],
    replicates=1000,
)
def normalised(size, rng, factor, power):
    w = rng.normal(size=(size, size)) * np.sqrt(factor / size)
    sigma = 1 / (rng.normal(size=(4 * size, size)) @ w).std(axis=0)
    return np.mean((w * sigma) ** 2 / (sigma**power * factor / size))


@twin("li.alg2", [(8, {}), (32, {})], replicates=4000)
def interval(size, rng):
    sample = rng.exponential(size=(100, size, 1))
    picked = rng.integers(size, size=(100, size, 100))
    means = np.sort(np.take_along_axis(np.broadcast_to(sample, picked.shape), picked, axis=1).mean(axis=1))
    return (means[:, 4] <= 1) & (means[:, 94] >= 1)


def skewness_count(rng, threshold):
    z = standardised((OBSERVATIONS, 100), rng)
    above = np.abs((z**2).T @ z) / OBSERVATIONS > threshold
    own = np.trace(above)
    return own + 3 * (above.sum() - own)


def kurtosis_count(rng, orders):
    z = standardised((OBSERVATIONS, 100), rng)
    square = z * z
    r = z.T @ z / OBSERVATIONS
    three = np.abs((square * z).T @ z / OBSERVATIONS - 3 * r) > 1
    two = np.abs(square.T @ square / OBSERVATIONS - 1 - 2 * r * r) > 1
    n1 = np.sum(np.abs((square * square).mean(axis=0) - 3) > 1)
    n3 = three.sum() - np.trace(three)
    n2 = np.triu(two, 1).sum()
    return n1 + 4 * n3 + 6 * n2 if orders else n1 + n3 + n2


@twin(
    {
        "li.table2.skewness/corrected": {"threshold": 0.4},
        "li.alg3.skewness": {"threshold": 0.4},
        "li.alg3.skewness/corrected": {"threshold": 0.5},
    },
    [(1, {}), (3, {})],
    replicates=600,
)
def skewnesses(size, rng, threshold):
    return np.mean([skewness_count(rng, threshold) for _ in range(size)])


@twin("li.table2.skewness", [(1, {}), (5, {})], replicates=200)
def many_skewnesses(size, rng):
    """0 in nearly all cases; the counts themselves are compared by the corrected statement."""
    return float(skewnesses(size, rng, 0.4) >= 57.8)


@twin("li.alg3.kurtosis", [(1, {}), (2, {})], replicates=400)
def kurtoses(size, rng, orders=True):
    return np.mean([kurtosis_count(rng, orders) for _ in range(size)])


@twin(
    {"li.table2.kurtosis": {"orders": True}, "li.table2.kurtosis/corrected": {"orders": False}},
    [(1, {}), (2, {})],
    replicates=500,
)
def few_kurtoses(size, rng, orders):
    return float(kurtoses(size, rng, orders) <= 2.2)


# About two findings are expected among the pairs of the larger size.
@twin("li.alg3.ensured", [(24, {}), (64, {})], replicates=30)
def false_findings(size, rng):
    z = standardised((OBSERVATIONS, size**2), rng).astype(np.float32)
    bound, found = 0.4 * OBSERVATIONS, 0
    for start in range(0, size**2, 256):
        # Pairs of these columns are met in both orders, those with later columns in one.
        own = z[:, start : start + 256].T @ z[:, start : start + 256]
        found += (np.sum(np.abs(own) > bound) - len(own)) // 2
        other = z[:, start : start + 256].T @ z[:, start + 256 :]
        found += np.sum(np.abs(other) > bound)
    return found


def bonferroni(entries, level):
    """θ with P(|r| > θ) = level/pairs; r² has a density proportional to (1 - r²)^((n - 4)/2)/r."""
    r = np.linspace(0, 1, 200001)
    density = (1 - r**2) ** ((OBSERVATIONS - 4) / 2)
    beyond = np.cumsum(((density[1:] + density[:-1]) / 2)[::-1])[::-1]
    beyond = np.append(beyond / beyond[0], 0.0)
    return np.interp(-level / (entries * (entries - 1) / 2), -beyond, r)


THRESHOLDS = {}


@twin("li.alg3.ensured/corrected", [(2, {"level": 0.5}), (3, {"level": 0.3})], replicates=6000)
def none_passes(size, rng, level):
    if (size, level) not in THRESHOLDS:
        THRESHOLDS[size, level] = bonferroni(size**2, level)
    z = standardised((OBSERVATIONS, size**2), rng)
    return float(np.abs(np.triu(z.T @ z, 1)).max() / OBSERVATIONS <= THRESHOLDS[size, level])


@twin("li.appE.1.kurtosis", [(50, {}), (90, {})], replicates=1500)
def common_scale(size, rng):
    w = np.sqrt(rng.choice([0.5, 1.5], size=(size, 1))) * rng.normal(size=(size, 8))
    w = (w - w.mean(axis=0)) / w.std(axis=0)
    kappa = (w**2).T @ w**2 / size - 1 - 2 * (w.T @ w / size) ** 2
    return kappa[np.triu_indices(8, 1)].mean()


def chain(rng):
    """Probabilities of the 2⁸ states, and the seven entries in each."""
    p, (a, b) = rng.uniform(0.2, 0.4), rng.uniform(0.5, 1.5, size=2)
    high = np.array(list(product([False, True], repeat=8)))
    x = np.where(high, np.sqrt((1 - p) / p), -np.sqrt(p / (1 - p)))
    w = x[:, :-1] * x[:, 1:] + a * x[:, :-1] + b * x[:, 1:]
    return np.where(high, p, 1 - p).prod(axis=1), w


EVERY = [(3, {}), (5, {})]


# The counts are the same in every draw; the accuracies are for rounding.
@twin(
    {"li.sec5.1.skewness": {"trees": 1}, "li.sec5.1.skewness/corrected": {"trees": 3}},
    EVERY,
    replicates=30,
    accuracy=1e-12,
)
def chain_skewness(size, rng, trees):
    states, w = chain(rng)
    return np.sum(np.abs(np.einsum("s,sj,sk->jk", states * w[:, 3], w, w)) > 1e-9) / (trees * size**2)


@twin(
    {"li.sec5.1.kurtosis": {"trees": 1}, "li.sec5.1.kurtosis/corrected": {"trees": 16}},
    EVERY,
    replicates=30,
    accuracy=1e-12,
)
def chain_kurtosis(size, rng, trees):
    states, w = chain(rng)
    c = np.einsum("s,sj,sk->jk", states, w, w)
    fourth = np.einsum("s,sj,sk,sl->jkl", states * w[:, 3], w, w, w, optimize=True)
    fourth -= (
        np.einsum("j,kl->jkl", c[3], c) + np.einsum("k,jl->jkl", c[3], c) + np.einsum("l,jk->jkl", c[3], c)
    )
    return np.sum(np.abs(fourth) > 1e-9) / (trees * size**3)


@twin(
    {"li.appE.5.exponent": {"corrected": False}, "li.appE.5.exponent/corrected": {"corrected": True}},
    [(64, {}), (110, {})],
    replicates=3000,
)
def exponent(size, rng, corrected):
    groups = int(np.sqrt(size))
    members = np.bincount(rng.integers(groups, size=size), minlength=groups)
    c = np.sum(members * (members - 1)) / size
    return 2 + np.log(c / (size - 1)) / np.log(size) if corrected else np.log(c) / np.log(groups)


@twin("li.alg1", [(5, {}), (9, {})], replicates=6000)
def repeated_rows(size, rng):
    total = 4 * size
    entries = size * np.bincount(rng.integers(total, size=size))
    share = np.sum(entries * (entries - 1)) / (size**2 * (size**2 - 1))
    return share / ((total - 1) / (total**2 - 1))


@twin("li.alg1/corrected", [(5, {}), (9, {})], replicates=30, accuracy=1e-12)
def strata(size, rng):
    total = 4 * size
    rows = rng.permutation(total)[:size]
    same = rows[:, None] == rows
    f, g = np.diag(same).mean(), same[~np.eye(size, dtype=bool)].mean()
    q = (total - 1) / (total**2 - 1)
    return abs((f * q + g * (1 - q)) / q - 1)


@twin("li.appE.3.law", [(20, {}), (50, {})], replicates=1500)
def correlation_law(size, rng):
    z = standardised((2, 12, size), rng)
    r = np.sort((z[0] * z[1]).mean(axis=0))
    # Student's distribution function with ten degrees of freedom at r·√(10/(1 - r²)), a polynomial in r.
    series = 1 + sum(c * (1 - r**2) ** k for k, c in ((1, 1 / 2), (2, 3 / 8), (3, 5 / 16), (4, 35 / 128)))
    stated = 0.5 + r * series / 2
    steps = np.arange(size + 1) / size
    return max(np.abs(steps[1:] - stated).max(), np.abs(steps[:-1] - stated).max())


@twin(
    {"li.appB.2.average": {"power": 0}, "li.appB.2.average/corrected": {"power": 0.5}},
    [(1, {}), (2, {})],
    replicates=20000,
)
def average(size, rng, power):
    return np.abs(rng.normal(size=(2000, size)).mean(axis=1)) <= 2 / size**power


@twin({"li.sec3.3.covariance": {}, "li.sec3.3.covariance/corrected": {}}, [(3, {}), (8, {})], replicates=600)
def both_open(size, rng):
    u, v = np.linalg.qr(rng.normal(size=(size, 2)))[0].T
    signs = rng.choice([-1.0, 1.0], size=2)
    x = rng.normal(size=(500, size))
    return np.mean((x @ u * signs[0] > 0) & (x @ v * signs[1] > 0))


# Exact with three nodes and more: 2 as printed, 0 corrected; the accuracy is for rounding over κ(0.05) = 0.005.
@twin(
    {"li.corD.1.form": {"stated": 2}, "li.corD.1.form/corrected": {"stated": 4}},
    [(3, {}), (5, {})],
    replicates=30,
    accuracy=1e-10,
)
def doubled(size, rng, stated):
    nodes, weights = np.polynomial.hermite_e.hermegauss(size)
    weights = weights / weights.sum()

    def kappa(r):
        other = r * nodes[:, None] + np.sqrt(1 - r**2) * nodes
        return weights @ (nodes[:, None] ** 2 * other**2) @ weights - 1

    rho = rng.uniform(0.05, 0.45)
    return abs(kappa(2 * rho) / kappa(rho) - stated)


@twin(
    {"li.lemmaD.1": {"sign": -1}, "li.lemmaD.1/corrected": {"sign": 1}}, [(2, {}), (6, {})], replicates=2000
)
def inversion(size, rng, sign):
    k, eta = size + 2, 1e-9
    places = rng.normal(size=k)
    while np.diff(np.sort(places)).min() < 0.01:
        places = rng.normal(size=k)
    mass = rng.dirichlet(np.ones(k))
    one, two = rng.choice(k, size=2, replace=False)
    a, b = sorted((places[one], places[two]))
    left = mass[(places > a) & (places < b)].sum() + (mass[one] + mass[two]) / 2
    integral = mass @ (np.arctan((b - places) / eta) - np.arctan((a - places) / eta)) / np.pi
    return abs(left - sign * integral)


@twin("li.lemmaD.2/corrected", [(3, {}), (4, {})], replicates=30, accuracy=1e-11)
def moments(size, rng):
    d = rng.normal(size=(size, size))
    places = np.cos(np.pi * (np.arange(size) + 0.5) / size)
    v = places[:, None] ** np.arange(size)
    changes = v.T @ d @ v
    inverse = np.linalg.inv(v)
    return np.abs(d - inverse.T @ changes @ inverse).max()


@twin({"li.size": {"corrected": False}}, [(3, {}), (5, {})], replicates=2000)
@twin({"li.size/corrected": {"corrected": True}}, [(3, {}), (5, {})], replicates=30)
def dimension(size, rng, corrected):
    layers = rng.integers(2, 11)
    shapes = [(size, size)] * (layers - 1) + [(1, size)]
    weights = sum(rows * columns for rows, columns in shapes)
    stated = (layers - 1) * size**2 + size if corrected else size**4 * layers
    return abs(stated - weights) / weights
