"""Twins of the statements about the loss and the error of gradient descent on tasks of Section 5.4."""

import numpy as np

from tests.papers.twinning import twin

from ._models_a import (
    L,
    bisect,
    descend,
    largest_eigenvalue,
    loss,
    marchenko_pastur,
    samples,
    tasks,
    truncated,
    unit,
)

BATCH = 100
"""Tasks per call."""
DRAWS = 64
"""Tasks with the same samples where only the mean over them counts."""
POINTS = [
    (12, {"step": 0.1, "steps": 20, "noise": 1.0, "ratio": 2.0}),
    (8, {"step": 0.2, "steps": 6, "noise": 2.0, "ratio": 0.5}),
]


@twin("l2l.prediction.error", POINTS, replicates=3000)
def error(size, rng, step, steps, noise, ratio):
    x, truth, y = tasks(BATCH, size, samples(size, ratio), noise, rng)
    w = descend(x, y, np.full((BATCH, 1), step), steps)[0][:, 0]
    return np.sum((w - truth) ** 2, axis=1)


def one_spectrum(size, n, noise, rng):
    """Many tasks with the same X: truths and labels are columns."""
    x, truth = rng.normal(size=(n, size)), unit(rng, DRAWS, size).T
    return x, truth, x @ truth + noise * rng.normal(size=(n, DRAWS))


@twin(
    {
        "l2l.prediction.train-by-train": {"validation": False},
        "l2l.prediction.train-by-validation": {"validation": True},
    },
    POINTS,
    replicates=600,
)
def objective(size, rng, step, steps, noise, ratio, validation):
    n = samples(size, ratio)
    x, truth, y = one_spectrum(size, n, noise, rng)
    w = np.zeros_like(truth)
    for _ in range(steps):
        w = w - step * x.T @ (x @ w - y) / n
    if not validation:
        return np.sum((x @ w - y) ** 2) / (2 * n) / DRAWS
    count = max(1, n // 2)
    new = rng.normal(size=(DRAWS, count, size))
    labels = np.einsum("kni,ik->kn", new, truth) + noise * rng.normal(size=(DRAWS, count))
    return np.sum((np.einsum("kni,ik->kn", new, w) - labels) ** 2) / (2 * count) / DRAWS


@twin(
    "l2l.prediction.minimiser",
    [(16, {"noise": 1.0, "ratio": 2.0}), (8, {"noise": 2.0, "ratio": 0.4})],
    replicates=1500,
)
def minimiser(size, rng, noise, ratio):
    x, truth, y = one_spectrum(size, samples(size, ratio), noise, rng)
    return np.sum((np.linalg.pinv(x) @ y - truth) ** 2) / DRAWS


# Rounding alone: a thousand steps reach the minimiser.
@twin("l2l.footnote4", [(8, {"noise": 1.0}), (20, {"noise": 3.0})], replicates=60, accuracy=1e-13)
def long_descent(size, rng, noise):
    x, _, y = tasks(60, size, size // 4, noise, rng)
    w = descend(x, y, 1 / largest_eigenvalue(x)[:, None], 1000)[0][:, 0]
    least = np.einsum("kin,kn->ki", np.linalg.pinv(x), y)
    return np.linalg.norm(w - least, axis=1) / np.linalg.norm(least, axis=1)


@twin(
    {"l2l.truncation.cost": {"count": 1}, "l2l.lemmaD.2.20": {"count": 16}},
    [(6, {"ratio": 2.0, "noise": 1.0}), (8, {"ratio": 4.0, "noise": 0.02})],
    replicates=2000,
)
def cost(size, rng, ratio, noise, count):
    x, _, y = tasks(BATCH * count, size, samples(size, ratio), noise, rng)
    w = np.zeros((len(x), 1, size))
    w[:, :, 0] = 40 * noise
    return loss(x, y, w).reshape(BATCH, count).mean(axis=1) / noise**2


def eigenbasis(count, size, n, noise, rng):
    """Eigenvalues of XXᵀ/n for n ≤ size, and X, w*, y in the basis of its eigenvectors."""
    x, truth, y = tasks(count, size, n, noise, rng)
    values, vectors = np.linalg.eigh(x @ np.swapaxes(x, 1, 2) / n)
    return values, np.swapaxes(vectors, 1, 2) @ x, truth, np.einsum("knj,kn->kj", vectors, y)


def weights(values, x, y, factors):
    """w_t = Xᵀ(XXᵀ)⁻¹(1 - (1 - ηλ)^t)y, given the powers (1 - ηλ)^t."""
    return np.einsum("kji,kj->ki", x, (1 - factors) * y / (values * x.shape[1]))


@twin(
    "l2l.lemma5.4.3.bound",
    [(4, {"ratio": 4 / 3, "noise": 1.0}), (12, {"ratio": 4.0, "noise": 3.0})],
    replicates=4000,
)
def slow_decay(size, rng, ratio, noise):
    n = samples(size, ratio)
    values, _, _, y = eigenbasis(BATCH, size, n, noise, rng)
    t = np.floor(np.exp(rng.uniform(0, np.log(1e5), size=BATCH)))
    # Norms stay far below 40σ.
    final = np.sum(((1 - values / L) ** t[:, None] * y) ** 2, axis=1) / (2 * n)
    bound = 2 * L**2 * noise**2 * (1 - 1 / L**2) ** t
    return np.where(values[:, 0] < 1 / L, 0, final / bound)


def limit_norm(places, weight, ratio, noise, rate, steps):
    with np.errstate(over="ignore"):
        powers = (1 - rate * places) ** steps
        return np.sqrt(np.sum(weight * (1 - powers) ** 2 * (1 + noise**2 * ratio / places)))


def limit_threshold(ratio, noise, steps):
    places, weight, _ = marchenko_pastur(ratio)

    def beyond(rate):
        return max(limit_norm(places, weight, ratio, noise, rate, t) for t in (steps, steps - 1)) - 40 * noise

    rates = np.geomspace(1e-3, 100, 500)
    first = next(i for i, rate in enumerate(rates) if beyond(rate) >= 0)
    return float(bisect(beyond, rates[first - 1], rates[first], 40))


@twin(
    "l2l.lemma5.4.4",
    [(6, {"ratio": 2.0, "noise": 1.0, "steps": 8}), (8, {"ratio": 4.0, "noise": 0.3, "steps": 20})],
    replicates=100,
)
def beyond_threshold(size, rng, ratio, noise, steps):
    threshold = limit_threshold(ratio, noise, steps)
    x, _, y = tasks(16 * BATCH, size, samples(size, ratio), noise, rng)
    rates = 1.1 * threshold * np.exp(rng.uniform(0, 3, size=BATCH))
    w, _ = truncated(x, y, np.repeat(rates, 16)[:, None], steps, noise, rng)
    mean = loss(x, y, w).reshape(BATCH, 16).mean(axis=1)
    return np.log(mean) - np.log(noise**2 / 10) + 8 * np.log(L)


@twin(
    "l2l.lemma5.4.5",
    [(60, {"ratio": 4.0, "noise": 2.0}), (40, {"ratio": 4 / 3, "noise": 1.0})],
    replicates=80,
)
def uniform_distance(size, rng, ratio, noise):
    places, weight, _ = marchenko_pastur(ratio, 500)
    rates = np.linspace(1 / L, 1.6 / (1 + np.sqrt(ratio)) ** 2, 12)
    powers = (1 - np.outer(rates, places)) ** 20
    population = (powers * (places + noise**2 * ratio)) @ weight / 2 + noise**2 * max(0, 1 - ratio) / 2
    x, _, y = tasks(size, size, samples(size, ratio), noise, rng)
    w, _ = truncated(x, y, np.tile(rates, (size, 1)), 10, noise, rng)
    return np.max(np.abs(loss(x, y, w).mean(axis=0) - population)) / noise**2


@twin(
    "l2l.lemmaD.2.9",
    # With little noise tasks are truncated at small norms, and tails are lighter.
    [(20, {"ratio": 2.0, "noise": 0.02}), (24, {"ratio": 4.0, "noise": 0.025})],
    replicates=6000,
)
def lipschitz(size, rng, ratio, noise):
    count, n, h = 2000, samples(size, ratio), 1e-6
    values, _, _, y = eigenbasis(count, size, n, noise, rng)
    t = rng.integers(1, 100, size=count)
    top = values[:, -1]
    rate = 1 / L + (2.2 / top - 1 / L) * rng.uniform(size=count)
    losses, out = [], np.zeros(count, dtype=bool)
    for each in (rate, rate * (1 + h)):
        factors = 1 - each[:, None] * values
        power = np.ones_like(values)
        final = np.zeros(count)
        for step in range(1, 100):
            power = power * factors
            norm = np.sum((1 - power) ** 2 * y**2 / (values * n), axis=1)
            out |= (norm >= (40 * noise) ** 2) & (step <= t)
            final = np.where(step == t, np.sum((power * y) ** 2, axis=1) / (2 * n), final)
        losses.append(final)
    quotient = np.abs(losses[1] - losses[0]) / (h * rate) / (48 * L**3 * noise**2 * t)
    return np.where(out, 0, quotient)


def best_time(ratio, noise):
    """τ*, by a grid of exponents and one refinement after another."""
    places, weight, atom = marchenko_pastur(ratio, 2000)
    low, high = np.log(1e-4), np.log(1e4)
    for _ in range(12):
        times = np.exp(np.linspace(low, high, 41))[:, None]
        decay = np.exp(-times * places)
        risk = (decay**2 + noise**2 * ratio * (1 - decay) ** 2 / places) @ weight + atom
        best, gap = np.log(times[np.argmin(risk), 0]), (high - low) / 40
        low, high = best - gap, best + gap
    return np.exp(best)


@twin(
    "l2l.lemma5.4.6",
    [(12, {"ratio": 2.0, "noise": 0.5}), (16, {"ratio": 4 / 3, "noise": 1.0})],
    replicates=4000,
)
def early(size, rng, ratio, noise):
    n, rate = samples(size, ratio), best_time(ratio, noise) / 1000
    values, x, truth, y = eigenbasis(4000, size, n, noise, rng)
    # Norms stay far below 40σ.
    w = weights(values, x, y, (1 - rate * values) ** 1000)
    return 1 - np.sum((w - truth) ** 2, axis=1)


@twin(
    "l2l.lemma5.4.6.late",
    [(10, {"ratio": 2.0, "noise": 80.0}), (12, {"ratio": 4.0, "noise": 120.0})],
    replicates=2000,
)
def late(size, rng, ratio, noise):
    count = 2000
    n = samples(size, ratio)
    values, x, truth, y = eigenbasis(count, size, n, noise, rng)
    t = np.ceil(L**2 * np.log(2) * np.exp(rng.uniform(0, 5, size=count)))
    low, high = np.log(L * np.log(2) / t), -np.log(L)
    rate = np.exp(low + (high - low) * rng.uniform(size=count))
    # For ηλ ≤ 1 the norm increases with the number of steps.
    w = weights(values, x, y, (1 - rate[:, None] * values) ** t[:, None])
    out = np.linalg.norm(w, axis=1) >= 40 * noise
    w = np.where(out[:, None], 40 * noise * unit(rng, count, size), w)
    return np.sum((w - truth) ** 2, axis=1)
