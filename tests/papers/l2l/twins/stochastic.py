"""Twins of the statements about stochastic gradient descent (Section D.4)."""

import numpy as np

from tests.papers.l2l.twins._models_b import (
    LIPSCHITZ,
    best_time,
    flow_error,
    samples,
    tasks,
    train_loss,
    unit,
    validation_loss,
)
from tests.papers.twinning import twin


def stochastic(x, y, rates, steps, rng, level=np.inf):
    """Paths of tasks (first axis) at rates (second axis), with one sequence of indices for each task.

    Returns the ends of the paths without truncation and whether they have reached the level.
    """
    count, n, d = x.shape
    rates = np.broadcast_to(rates, (count, np.shape(rates)[-1]))
    steps = np.broadcast_to(steps, count)
    w = np.zeros((count, rates.shape[1], d))
    reached = np.zeros(w.shape[:2], dtype=bool)
    every, same = np.arange(count), steps.min() == steps.max()
    for step in range(steps.max()):
        chosen = rng.integers(0, n, size=count)
        row = x[every, chosen]
        miss = np.einsum("rkd,rd->rk", w, row) - y[every, chosen][:, None]
        change = rates * miss if same else rates * miss * (step < steps)[:, None]
        w -= change[:, :, None] * row[:, None, :]
        if np.isfinite(level):
            reached |= np.einsum("rkd,rkd->rk", w, w) >= level**2
    return w, reached


def truncated(w, reached, noise):
    away = np.zeros(w.shape[-1])
    away[0] = 40 * noise
    return np.where(reached[..., None], away, w)


def horizon(size):
    return int(np.ceil(size**2 * np.log(size) ** 2))


LIMITS = [
    (8, {"rate": 0.2, "epochs": 1.0, "noise": 1.0, "ratio": 2.0}),
    (6, {"rate": 0.4, "epochs": 1.5, "noise": 0.5, "ratio": 0.5}),
]


@twin({"l2l.sgd.error": {"kind": "error"}, "l2l.sgd.loss": {"kind": "loss"}}, LIMITS, replicates=4000)
def limits(size, rng, rate, epochs, noise, ratio, kind, count=1000):
    x, truth, y = tasks(rng, (count,), size, samples(size, ratio), noise)
    w, _ = stochastic(x, y, [rate / size], round(epochs * size), rng)
    return np.sum((w[:, 0] - truth) ** 2, axis=1) if kind == "error" else train_loss(x, y, w)[:, 0]


@twin("l2l.sgd.moments", [(4, {"ratio": 2.0}), (6, {"ratio": 0.5})], replicates=600)
def moments(size, rng, ratio, count=100):
    n, rate, steps = samples(size, ratio), 0.4 / size, 2 * size
    x, truth, y = tasks(rng, (count,), size, n, 1.0)
    repeated, labels = np.repeat(x, 32, axis=0), np.repeat(y, 32, axis=0)
    w, _ = stochastic(repeated, labels, [rate], steps, rng)
    found = np.sum((w.reshape(count, 32, size) - truth[:, None]) ** 2, axis=2).mean(axis=1)
    hessian = np.swapaxes(x, 1, 2) @ x / n
    trained = np.einsum("rdn,rn->rd", np.linalg.pinv(x), y)
    rest = y - np.einsum("rnd,rd->rn", x, trained)
    mean, second = -trained, trained[:, :, None] * trained[:, None, :]
    for _ in range(steps):
        products = np.einsum("rnd,rd->rn", x, mean)
        s = np.einsum("rni,rij,rnj->rn", x, second, x) - 2 * rest * products + rest**2
        mean = mean - rate * np.einsum("rij,rj->ri", hessian, mean)
        added = np.einsum("rn,rni,rnj->rij", s, x, x) / n
        second = second - rate * (hessian @ second + second @ hessian) + rate**2 * added
    shift = trained - truth
    exact = np.einsum("rii->r", second) + 2 * np.sum(mean * shift, axis=1) + np.sum(shift**2, axis=1)
    return found / exact


def one_step(x, v, rate):
    """D(η) = (E‖v'‖² - ‖v‖²)/(η‖v‖²) for a step from w_train + v on interpolated labels."""
    products = np.einsum("rnd,rd->rn", x, v) ** 2
    lengths = np.sum(x**2, axis=2)
    return (rate[:, None] * lengths * products - 2 * products).mean(axis=1) / np.sum(v**2, axis=1)


@twin(
    {"l2l.lemmaD.4.3.step": {"factor": 1}, "l2l.lemmaD.4.3.step/corrected": {"factor": 2}},
    [(4, {}), (7, {})],
    replicates=3000,
)
def step(size, rng, factor, count=1000):
    n = size // 2
    left = np.linalg.qr(rng.normal(size=(count, n, n)))[0]
    right = np.linalg.qr(rng.normal(size=(count, size, n)))[0]
    singular = np.ones(n)
    singular[0] = np.sqrt(LIPSCHITZ)
    x = np.sqrt(n) * (left * singular) @ np.swapaxes(right, 1, 2)
    rate = rng.uniform(0, 1, size=count) / (2 * LIPSCHITZ**3 * size)
    return (one_step(x, right[:, :, 0], rate) + factor * LIPSCHITZ) / LIPSCHITZ


@twin("l2l.lemmaD.4.3.contraction", [(6, {"ratio": 4 / 3}), (12, {"ratio": 4.0})], replicates=3000)
def contraction(size, rng, ratio, count=500):
    x, _, y = tasks(rng, (count,), size, samples(size, ratio), 1.0)
    v = -np.einsum("rdn,rn->rd", np.linalg.pinv(x), y)
    rate = rng.uniform(0, 1, size=count) / (2 * LIPSCHITZ**3 * size)
    return 2 * LIPSCHITZ * one_step(x, v, rate)


# One sample: the map of second moments is a number, so that the twin has no minimum of rounding.
@twin("l2l.lemmaD.4.3", [(2, {"ratio": 2.0}), (3, {"ratio": 3.0})], replicates=60)
def largest_step(size, rng, ratio):
    n = samples(size, ratio)
    x, _, y = tasks(rng, (), size, n, 1.0)
    gram, top = x @ x.T, 1 / (2 * LIPSCHITZ**3 * size)
    rates = np.geomspace(1e-6 * top, top, 9)
    steps = size * round(10 ** rng.uniform(5, 9))
    unit_matrices = np.eye(n * n).reshape(n * n, n, n)
    losses = []
    for rate in rates:
        images = []
        for q in unit_matrices:
            noise = gram @ np.diag(np.diag(q)) @ gram
            images.append(q - rate / n * (gram @ q + q @ gram) + rate**2 / n * noise)
        # The factor 1/n is of the mean over the indices: E[(q_i)² K_i K_iᵀ] = K diag(Q) K/n.
        power = np.linalg.matrix_power(np.array(images).reshape(n * n, n * n).T, steps)
        losses.append(np.trace((power @ np.outer(y, y).ravel()).reshape(n, n)) / (2 * n))
    losses = np.array(losses)
    return rates[np.flatnonzero(losses == losses.min())[-1]] / top


@twin(
    "l2l.lemmaD.4.4",
    [(12, {"ratio": 2.0, "noise": 1.0}), (16, {"ratio": 4.0, "noise": 3.0})],
    replicates=3000,
)
def mean_path(size, rng, ratio, noise, count=500):
    n = samples(size, ratio)
    x, truth, y = tasks(rng, (count,), size, n, noise)
    steps = np.ceil(6.0 * LIPSCHITZ**6 * size * np.log(2))
    low, high = 1 / (6 * LIPSCHITZ**5 * size), 1 / (2 * LIPSCHITZ**3 * size)
    rate = np.exp(rng.uniform(np.log(low), np.log(high), size=(count, 1)))
    left, singular, right = np.linalg.svd(x, full_matrices=False)
    moved = -np.expm1(steps * np.log1p(-rate * singular**2 / n))
    fit = moved * np.einsum("rni,rn->ri", left, y) / singular
    return np.sum((np.einsum("ri,rid->rd", fit, right) - truth) ** 2, axis=1) / noise**2


TIMES = {}


def time(ratio, noise):
    if (ratio, noise) not in TIMES:
        TIMES[ratio, noise] = best_time(ratio, noise)
    return TIMES[ratio, noise]


@twin(
    "l2l.thmD.4.2",
    [(4, {"ratio": 4 / 3, "noise": 1.0}), (8, {"ratio": 2.0, "noise": 2.0})],
    replicates=8000,
)
def gain(size, rng, ratio, noise, count=4000):
    steps = horizon(size)
    x, truth, y = tasks(rng, (count,), size, samples(size, ratio), noise)
    w, reached = stochastic(x, y, [time(ratio, noise) / steps], steps, rng, 40 * noise)
    return 1 - np.sum((truncated(w, reached, noise)[:, 0] - truth) ** 2, axis=1)


# With small noise truncation happens: weights are of the order one, the level is 40σ.
SMALL = [(6, {"ratio": 4 / 3, "noise": 0.003}), (8, {"ratio": 4.0, "noise": 0.004})]


@twin("l2l.lemmaD.4.14", SMALL, replicates=2000)
def contained(size, rng, ratio, noise, count=1000):
    rate = 1 / (size**2 * np.log(100 * size) ** 2)
    x, _, y = tasks(rng, (count,), size, samples(size, ratio), noise)
    _, reached = stochastic(x, y, [rate], horizon(size), rng, 40 * noise)
    return 1.0 - reached[:, 0]


@twin(
    "l2l.lemmaD.4.13",
    [(6, {"ratio": 4 / 3, "noise": 1.0}), (12, {"ratio": 4.0, "noise": 3.0})],
    replicates=1500,
)
def noise_size(size, rng, ratio, noise, count=1500):
    n = samples(size, ratio)
    x, _, y = tasks(rng, (count,), size, n, noise)
    w, _ = stochastic(x, y, [1 / (2 * LIPSCHITZ**3 * size)], rng.integers(1, 1000, size=count), rng)
    q = np.einsum("rnd,rd->rn", x, w[:, 0]) - y
    mean = np.einsum("rnd,rn->rd", x, q) / n
    size_ = np.mean(np.sum(x**2, axis=2) * q**2, axis=1) - np.sum(mean**2, axis=1)
    return size_ / (4 * LIPSCHITZ**3 * noise**2 * size)


@twin(
    "l2l.lemmaD.4.7",
    [(4, {"ratio": 2.0, "noise": 1.0}), (6, {"ratio": 3.0, "noise": 2.0})],
    replicates=700,
)
def uniform(size, rng, ratio, noise, count=200):
    n, steps = samples(size, ratio), horizon(size)
    times = np.linspace(0, 1, 5)
    x, truth, y = tasks(rng, (count * size,), size, n, noise)
    w, reached = stochastic(x, y, times / steps, steps, rng, 40 * noise)
    losses = validation_loss(rng, truth, truncated(w, reached, noise), n, noise)
    found = losses.reshape(count, size, 5).mean(axis=1)
    limit = flow_error(times, ratio, noise) / 2 + noise**2 / 2
    return np.abs(found - limit).max(axis=1) / (1 + noise**2)


@twin(
    "l2l.lemmaD.4.8",
    [(5, {"ratio": 2.5, "noise": 80.0}), (6, {"ratio": 3.0, "noise": 100.0})],
    replicates=1200,
)
def fitted_noise(size, rng, ratio, noise, count=1200):
    x, truth, y = tasks(rng, (count,), size, samples(size, ratio), noise)
    length = horizon(size)
    steps = np.ceil(LIPSCHITZ * np.log(2) * length * np.exp(rng.uniform(0, 1, size=count)))
    low = np.log(LIPSCHITZ * np.log(2) / steps)
    rate = np.exp(low + rng.uniform(0, 1, size=count) * (np.log(1 / length) - low))
    w, _ = stochastic(x, y, rate[:, None], steps.astype(int), rng)
    return np.sum((w[:, 0] - truth) ** 2, axis=1)


@twin("l2l.lemmaD.4.9", SMALL, replicates=2000)
def changed(size, rng, ratio, noise, count=500):
    n = samples(size, ratio)
    x, truth = rng.normal(size=(count, n, size)), unit(rng, count, size)
    errors = noise * rng.normal(size=(count, n))
    y = np.einsum("rnd,rd->rn", x, truth) + errors
    singular = np.linalg.svd(x, compute_uv=False)
    length = np.linalg.norm(errors, axis=1)
    good = (singular.min(axis=1) >= np.sqrt(size / LIPSCHITZ)) & (
        singular.max(axis=1) <= np.sqrt(LIPSCHITZ * size)
    )
    good &= (singular.min(axis=1) ** 2 / n >= 1 / LIPSCHITZ) & (singular.max(axis=1) ** 2 / n <= LIPSCHITZ)
    good &= (length >= np.sqrt(size) * noise / 4) & (length <= np.sqrt(size) * noise)
    rate = rng.uniform(0, 1, size=count) / (size * np.log(100 * size)) ** 2
    steps = np.ceil(horizon(size) * np.exp(rng.uniform(0, 1, size=count))).astype(int)
    four = [np.repeat(each, 4, axis=0) for each in (x, y, rate[:, None], steps)]
    w, reached = stochastic(*four, rng, 40 * noise)
    true = np.repeat(truth, 4, axis=0)
    ends = [np.sum((each[:, 0] - true) ** 2, axis=1) for each in (truncated(w, reached, noise), w)]
    return np.abs((ends[0] - ends[1]).reshape(count, 4).sum(axis=1)) / 8 * good


@twin(
    "l2l.lemmaD.4.12",
    [(4, {"ratio": 2.0, "noise": 1.0}), (6, {"ratio": 3.0, "noise": 0.5})],
    replicates=30,
)
def variation(size, rng, ratio, noise, count=250):
    steps, best = 4 * horizon(size), time(ratio, noise)
    times = np.concatenate([np.linspace(0, best, 6), np.linspace(best, 4, 7)[1:]])
    x, truth, y = tasks(rng, (count * 8,), size, samples(size, ratio), noise)
    w, reached = stochastic(x, y, times / steps, steps, rng, 40 * noise)
    errors = np.sum((truncated(w, reached, noise) - truth[:, None]) ** 2, axis=2) / 2
    return np.abs(np.diff(errors.reshape(count, 8, 12).mean(axis=1), axis=1)).sum(axis=1)
