"""Twins of statements about spectra of samples and gradient descent on one task."""

import numpy as np

from tests.papers.twinning import twin

TWO = [(12, {"ratio": 4 / 3}), (16, {"ratio": 4.0})]


def design(size, rng, ratio):
    return rng.normal(size=(max(1, round(size / ratio)), size))


def eigenvalues(size, rng, ratio):
    x = design(size, rng, ratio)
    return np.sort(np.linalg.eigvalsh(x @ x.T / len(x)))[::-1], len(x)


@twin("l2l.lemmaD.2.3", [(4, {"ratio": 4 / 3}), (8, {"ratio": 4 / 3})], replicates=3000)
def contained(size, rng, ratio):
    values, n = eigenvalues(size, rng, ratio)
    singular = np.sqrt(values * n)
    inside = singular.min() >= np.sqrt(size / 100) and singular.max() <= np.sqrt(100 * size)
    return float(inside and values.min() >= 0.01 and values.max() <= 100)


@twin("l2l.lemmaD.2.3.largest", TWO, replicates=800)
def largest(size, rng, ratio):
    return eigenvalues(size, rng, ratio)[0][0]


@twin("l2l.lemmaD.2.3.smallest", TWO, replicates=800)
def smallest(size, rng, ratio):
    return eigenvalues(size, rng, ratio)[0][-1]


@twin("l2l.lemmaD.2.22.variance", TWO, replicates=800)
def variance(size, rng, ratio):
    values, n = eigenvalues(size, rng, ratio)
    return np.var(values) / (size / n + size / n**2 - 2 * size / n**3)


@twin("l2l.lemmaD.2.22", [(6, {"ratio": 4 / 3}), (8, {"ratio": 2.0})], replicates=2000)
def spread(size, rng, ratio):
    values, n = eigenvalues(size, rng, ratio)
    quarter = max(1, n // 4)
    return float(values[quarter - 1] - values[n - quarter] >= 1)


@twin("l2l.lemmaD.3.4", [(2, {"epsilon": 0.8}), (3, {"epsilon": 0.5})], replicates=1000)
def near_one(size, rng, epsilon):
    n = int(np.ceil(10 * size / epsilon**2))
    values = np.linalg.svd(rng.normal(size=(n, size)) / np.sqrt(n), compute_uv=False)
    both = np.concatenate([values, values**2])
    return float(both.min() >= 1 - epsilon and both.max() <= 1 + epsilon)


@twin("l2l.lemmaD.5.2", [(10, {}), (20, {})], replicates=800)
def tall(size, rng):
    return np.linalg.svd(rng.normal(size=(2 * size, size)), compute_uv=False)[0] / np.sqrt(size)


@twin("l2l.wishart.inverse", [(4, {}), (8, {})], replicates=1500)
def inverse(size, rng):
    x = rng.normal(size=(3 * size, size))
    return np.sum((np.linalg.pinv(x) @ rng.normal(size=3 * size)) ** 2) / (size / (2 * size - 1))


def task(size, rng, ratio, noise):
    x = design(size, rng, ratio)
    truth = rng.normal(size=size)
    truth /= np.linalg.norm(truth)
    return x, truth, x @ truth + noise * rng.normal(size=len(x))


def descend(x, y, rate, steps):
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        w = w - rate * x.T @ (x @ w - y) / len(x)
    return w


@twin(
    "l2l.thmD.2.1.floor",
    [(12, {"ratio": 2.0, "noise": 1.0}), (16, {"ratio": 4.0, "noise": 3.0})],
    replicates=1500,
)
def floor(size, rng, ratio, noise):
    x, truth, y = task(size, rng, ratio, noise)
    return np.sum((np.linalg.pinv(x) @ y - truth) ** 2) / noise**2


@twin(
    "l2l.sec5.4.1.loss",
    [(12, {"ratio": 4 / 3, "noise": 1.0}), (16, {"ratio": 4.0, "noise": 3.0})],
    replicates=400,
)
def small_step(size, rng, ratio, noise):
    x, _, y = task(size, rng, ratio, noise)
    return np.sum((x @ descend(x, y, 0.01, 200) - y) ** 2) / (2 * len(x)) / noise**2


@twin(
    "l2l.lemma5.4.3.monotone",
    [(8, {"ratio": 2.0, "noise": 1.0}), (6, {"ratio": 4 / 3, "noise": 3.0})],
    replicates=60,
    accuracy=1e-12,
)
def increase(size, rng, ratio, noise):
    x, _, y = task(size, rng, ratio, noise)
    steps = int(np.exp(rng.uniform(0, np.log(1000))))
    losses = []
    for rate in np.linspace(0, 0.01, 21):
        losses.append(np.sum((x @ descend(x, y, rate, steps) - y) ** 2))
    return np.max(np.array(losses[1:]) / np.array(losses[:-1]) - 1)


@twin("l2l.lemmaD.2.23", [(8, {"ratio": 2.0}), (12, {"ratio": 4.0})], replicates=1500)
def least_excess(size, rng, ratio):
    noise, steps = 50.0, 10**4 + int(rng.integers(2))
    x, truth, y = task(size, rng, ratio, noise)
    n = len(x)
    values, vectors = np.linalg.eigh(x @ x.T / n)
    # In the coordinates of the left singular vectors: Xw_t = (1 - (1 - ηλ)^t) y, Xw* as it is.
    fitted, right = vectors.T @ y, vectors.T @ (x @ truth)
    rates = np.concatenate(
        [np.geomspace(0.01, 300, 400), 2 / values.max() * (1 + np.linspace(-1e-3, 3e-3, 4001))]
    )
    rates = rates[(rates >= 0.01) & (rates <= 300)]
    with np.errstate(over="ignore", invalid="ignore"):
        powers = (1 - np.outer(rates, values)) ** steps
        excess = np.sum(((1 - powers) * fitted - right) ** 2, axis=1) / n
    return float(np.nanmin(excess) >= noise**2 / 2)
