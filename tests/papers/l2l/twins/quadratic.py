"""Twins of the statements of Section 5.3 and Appendix D.1 about one quadratic."""

from types import SimpleNamespace

import numpy as np

from tests.papers.twinning import twin

from ._models_a import bisect, unit

BATCH = 500
"""Values per call."""
SMALL = [(2, {}), (4, {})]


def quadratic(size, rng, scale=3.0):
    """Eigenvalues in increasing order with the coordinates along their eigenvectors, and a number of steps."""
    values = np.sort(np.exp(scale * rng.uniform(-1, 1, size=(BATCH, size))), axis=1)
    return SimpleNamespace(
        values=values,
        c=unit(rng, BATCH, size) ** 2,
        t=rng.integers(1, 21, size=(BATCH, 1)),
        low=values[:, 0],
        top=values[:, -1],
    )


def slope(q, rate):
    """F' at one rate for each draw."""
    factors = 1 - rate[:, None] * q.values
    return -q.t[:, 0] * np.sum(q.c * q.values**2 * factors ** (2 * q.t - 1), axis=1)


def log_slope(q, rate):
    """G' at one rate for each draw, without overflow."""
    factors = 1 - rate[:, None] * q.values
    greatest = np.abs(factors).max(axis=1, keepdims=True)
    shares = factors / greatest
    above = np.sum(q.c * q.values**2 * shares ** (2 * q.t - 1), axis=1)
    below = np.sum(q.c * q.values * shares ** (2 * q.t), axis=1)
    return -2 * above / below / greatest[:, 0]


def spread(q, rate):
    return np.maximum(np.abs(1 - rate * q.low), np.abs(1 - rate * q.top))


@twin("l2l.thm5.3.1.convex", SMALL, replicates=2000)
def convex(size, rng):
    q = quadratic(size, rng)
    first, second = np.sort(4 / q.top * rng.uniform(size=(2, BATCH)), axis=0)
    one, two = slope(q, first), slope(q, second)
    return (two - one) / (np.abs(one) + np.abs(two))


@twin("l2l.thm5.3.1.vanishing", SMALL, replicates=3000)
def vanishing(size, rng):
    q = quadratic(size, rng)
    rate = 2 / q.top * rng.uniform(size=BATCH)
    t = q.t[:, 0]
    return np.abs(slope(q, rate)) / (t * q.top**2 * spread(q, rate) ** (2 * t - 1))


# For d > 1 the value has an infinite mean (that of 1/c_L²); d = 1 has light tails.
@twin("l2l.thm5.3.1.exploding", [(1, {}), (2, {})], replicates=2000)
def exploding(size, rng):
    q = quadratic(size, rng)
    rate = rng.uniform(2, 6, size=BATCH) / q.top
    t = q.t[:, 0]
    bound = q.top**2 * t
    return (np.abs(slope(q, rate)) + bound) / (q.c[:, -1] * bound * (rate * q.top - 1) ** (2 * t - 1))


@twin("l2l.claim5.3.4", SMALL, replicates=200)
def one_root(size, rng):
    q = quadratic(size, rng)
    ends = np.array([-4 - np.log(q.top), 4 - np.log(q.low)])
    inner = ends[0] + (ends[1] - ends[0]) * rng.uniform(size=(10, BATCH))
    rates = np.exp(np.vstack([ends[:1], np.sort(inner, axis=0), ends[1:]]))
    signs = np.sign([log_slope(q, rate) for rate in rates])
    changes = np.sum(signs[1:] != signs[:-1], axis=0)
    return np.where((signs[0] < 0) & (signs[-1] > 0), 2 - changes, 0).astype(float)


@twin("l2l.claimD.1.1.interval", SMALL, replicates=3000)
def interval(size, rng):
    q = quadratic(size, rng)
    s = np.where(rng.uniform(size=BATCH) < 0.5, 1e-6, rng.uniform(size=BATCH))
    before, after = (1 - s) / q.top, (1 + s) / q.low
    return np.minimum(
        -log_slope(q, before) * spread(q, before) / (2 * q.top),
        log_slope(q, after) * spread(q, after) / (2 * q.top),
    )


@twin("l2l.claim5.3.5", SMALL, replicates=4000)
def bounded(size, rng):
    q = quadratic(size, rng)
    rate = np.exp(rng.uniform(-4, 4, size=BATCH)) / q.top
    least = np.minimum(q.c[:, 0], q.c[:, -1])
    return np.abs(log_slope(q, rate)) * least * q.low * (q.top - q.low) / (4 * q.top**3)


# The mean is infinite: 1/ε has no mean, and for d > 1 neither have 1/c_L² and 1/c_α².
@twin("l2l.claim5.3.6", [(2, {}), (3, {})], replicates=300)
def away_from_the_root(size, rng):
    q = quadratic(size, rng)
    root = bisect(lambda rate: log_slope(q, rate), 1 / q.top, 1 / q.low)
    epsilon = rng.uniform(size=BATCH) / q.top
    m = rng.uniform(2, 4, size=BATCH) / q.low
    left, right = root - epsilon, m - root - epsilon
    # One uniform place on both intervals laid side by side.
    place = rng.uniform(size=BATCH) * (np.maximum(left, 0) + right)
    below = place < left
    rate = np.where(below, place, root + epsilon + place - np.maximum(left, 0))
    bound = np.minimum(
        2 * epsilon * q.c[:, 0] * q.low**3 / q.top,
        2 * epsilon * q.c[:, -1] * q.top**2 / (m * q.top - 1) ** 2,
    )
    return np.abs(log_slope(q, rate)) / bound


@twin("l2l.cor5.3.3", [(5, {"product": 0.5}), (20, {"product": 2.5})], replicates=2000)
def logarithm(size, rng, product):
    values = np.stack([np.full(BATCH, 0.1), rng.uniform(0.2, 0.9, size=BATCH), np.ones(BATCH)], axis=1)
    logs = np.log(unit(rng, BATCH, 3) ** 2 * values / 2) + 2 * size * np.log(np.abs(1 - product * values))
    return -np.logaddexp.reduce(logs, axis=1) / size


@twin(
    {"l2l.footnote2.coordinates": {}, "l2l.footnote2.coordinates/corrected": {}},
    [(4, {"share": 0.5}), (9, {"share": 1.0})],
    replicates=8000,
)
def coordinates(size, rng, share):
    w = np.abs(unit(rng, BATCH, size)[:, :2])
    return np.all(w >= share / np.sqrt(size), axis=1).astype(float)


@twin(
    {"l2l.footnote2.spectrum": {"gap": False}, "l2l.footnote2.gap": {"gap": True}},
    [(10, {}), (24, {})],
    replicates=3000,
)
def wishart(size, rng, gap):
    x = rng.normal(size=(BATCH, size, 2 * size))
    values = np.linalg.eigvalsh(x @ np.swapaxes(x, 1, 2)) / size
    return values[:, -1] - values[:, 0] if gap else values[:, 0]


@twin("l2l.secD.6.2.step", [(6, {}), (12, {})], replicates=60)
def usual(size, rng):
    x = rng.normal(size=(64, size, size))
    values = np.linalg.eigvalsh(np.swapaxes(x, 1, 2) @ x)
    c = rng.normal(size=(64, size)) ** 2

    def derivative(rate):
        with np.errstate(over="ignore"):
            return -np.sum(c * values**2 * (1 - rate[:, None] * values) ** 79, axis=1)

    best = bisect(derivative, 1 / values[:, -1], 1 / values[:, 0])
    return abs(np.median(best) / 0.03 - 1)


def meta(values, rate):
    """The derivative and the second derivative of (1/3) log f(w_3) at equal weights."""
    factors = 1 - rate[:, None] * values
    n = np.sum(values**2 * factors**5, axis=1)
    d = np.sum(values * factors**6, axis=1)
    derivative_n, derivative_d = -5 * np.sum(values**3 * factors**4, axis=1), -6 * n
    return -2 * n / d, -2 * (derivative_n * d - n * derivative_d) / d**2


def pair(rng, count, low, high):
    values = np.stack([rng.uniform(*low, size=count), rng.uniform(*high, size=count)], axis=1)
    return values, bisect(lambda rate: meta(values, rate)[0], 1 / values[:, 1], 1 / values[:, 0])


def step(values, rate, k):
    return np.maximum(0, rate - meta(values, rate)[0] / np.sqrt(k))


@twin("l2l.thm5.3.2.convergence", [(30, {}), (100, {})], replicates=200)
def meta_rate(size, rng):
    values, best = pair(rng, 200, (0.010, 0.014), (0.026, 0.030))
    rate = best * (1 + rng.uniform(-0.05, 0.05, size=200))
    distances = []
    for k in range(1, 4 * size + 1):
        rate = step(values, rate, k)
        if k in (size, 4 * size):
            distances.append(np.abs(rate - best))
    return np.log(distances[0] / distances[1]) / (2 * np.sqrt(size) * meta(values, best)[1])


@twin(
    {"l2l.thm5.3.2.iterations": {}, "l2l.thm5.3.2.iterations/corrected": {}},
    [(1, {}), (2, {})],
    replicates=30,
)
def meta_iterations(size, rng):
    values, best = pair(rng, 30, (0.5, 0.7), (1.3, 1.5))
    numbers = []
    for start in (1 / size, 0.0):
        rate = np.full(30, start)
        last = np.where(np.abs(rate - best) > 0.05, 0, -1)
        for k in range(1, 6001):
            rate = step(values, rate, k)
            last = np.where(np.abs(rate - best) > 0.05, k, last)
        numbers.append(last + 1)
    return numbers[0] / numbers[1]
