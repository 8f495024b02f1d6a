"""Twins of the statements about learned step sizes (Theorem 5.4.1)."""

import numpy as np

from tests.papers.twinning import twin

from ._models_a import descend, largest_eigenvalue, loss, tasks, truncated, unit

SPECTRA = 8


def shared(each, size, n, noise, rng):
    """Tasks with eight matrices X, each for several tasks.

    All of them may have the same singular vectors too: w*, ξ and the validation samples are invariant under rotations.
    """
    x = np.repeat(rng.normal(size=(SPECTRA, n, size)), each, axis=0)
    truth = unit(rng, len(x), size)
    return x, truth, np.einsum("kni,ki->kn", x, truth) + noise * rng.normal(size=(len(x), n))


def may_be_truncated(x, y, rate, steps, noise):
    """Whether the bound of the norms reaches 40σ for a task."""
    each = len(x) // SPECTRA
    one = x[::each]
    values, right = np.linalg.eigh(np.swapaxes(one, 1, 2) @ one / one.shape[1])
    inverse = np.swapaxes(right, 1, 2) @ np.linalg.pinv(one)
    values, inverse = np.repeat(values, each, axis=0), np.repeat(inverse, each, axis=0)
    a = np.einsum("kin,kn->ki", inverse, y)
    products = rate * np.maximum(values, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        beyond = 1 + (products - 1) ** steps
    s = np.where(products <= 2, np.minimum(2, steps * products), beyond)
    return np.sqrt(np.sum((s * a) ** 2, axis=1)).max() >= 40 * noise


def vertex(rates, values):
    best = int(np.clip(np.argmin(values), 1, len(rates) - 2))
    a, b, c = values[best - 1 : best + 2]
    if not a - 2 * b + c > 0:
        return rates[best]
    spacing = np.log(rates[1] / rates[0])
    return rates[best] * np.exp(spacing * np.clip((a - c) / 2 / (a - 2 * b + c), -1, 1))


def learned(size, n, noise, steps, validation, rng):
    """The step size learned by train-by-train or by train-by-validation."""
    x, truth, y = shared(16, size, n, noise, rng)
    cut = may_be_truncated(x, y, 2 / largest_eigenvalue(x[::16]).max(), steps, noise)
    if cut:
        x, truth, y = tasks(16 * SPECTRA, size, n, noise, rng)
    limit = 2 / largest_eigenvalue(x if cut else x[::16]).max()
    u = unit(rng, len(x), size)
    new = rng.normal(size=(len(x), n, size))
    labels = np.einsum("kni,ki->kn", new, truth) + noise * rng.normal(size=(len(x), n))

    def objective(rates):
        w, reached = descend(x, y, np.tile(rates, (len(x), 1)), steps, 40 * noise if cut else np.inf)
        w = np.where(reached[:, :, None], 40 * noise * u[:, None, :], w)
        return np.mean(loss(new, labels, w) if validation else loss(x, y, w), axis=0)

    rates = np.geomspace((1e-3 / steps if validation else 0.05) * limit, limit, 25)
    first = vertex(rates, objective(rates))
    width = (rates[1] / rates[0]) ** 1.5
    rates = np.geomspace(first / width, min(first * width, limit), 13)
    return vertex(rates, objective(rates))


def risk(size, n, noise, steps, rate, rng):
    """The error on new tasks."""
    x, truth, y = shared(32, size, n, noise, rng)
    if may_be_truncated(x, y, rate, steps, noise):
        x, truth, y = tasks(64, size, n, noise, rng)
        w = truncated(x, y, np.full((64, 1), rate), steps, noise, rng)[0]
    else:
        w = descend(x, y, np.full((len(x), 1), rate), steps)[0]
    return np.mean(np.sum((w[:, 0] - truth) ** 2, axis=1))


def scaled(size, number, dimension):
    return max(1, round(size * number / dimension))


@twin(
    {"l2l.step-size": {"error": False}, "l2l.step-size.risk": {"error": True}},
    [
        (12, {"samples": 60, "dimension": 100, "noise": 1.0, "steps": 5}),
        (8, {"samples": 150, "dimension": 100, "noise": 0.03, "steps": 3}),
    ],
    replicates=40,
)
def validated(size, rng, samples, dimension, noise, steps, error):
    n = scaled(size, samples, dimension)
    rate = learned(size, n, noise, steps, True, rng)
    return risk(size, n, noise, steps, rate, rng) if error else rate


@twin(
    "l2l.split",
    [
        (16, {"samples": 75, "training": 50, "dimension": 100, "noise": 2.0, "steps": 2}),
        (8, {"samples": 300, "training": 150, "dimension": 100, "noise": 1.0, "steps": 3}),
    ],
    replicates=50,
)
def split(size, rng, samples, training, dimension, noise, steps):
    n, n1 = scaled(size, samples, dimension), scaled(size, training, dimension)
    whole = risk(size, n, noise, steps, learned(size, n, noise, steps, False, rng), rng)
    return whole - risk(size, n1, noise, steps, learned(size, n1, noise, steps, True, rng), rng)


@twin(
    "l2l.thm5.4.1.train-step",
    [(12, {"ratio": 2.0, "noise": 1.0, "steps": 5}), (8, {"ratio": 4.0, "noise": 0.02, "steps": 3})],
    replicates=40,
)
def train_step(size, rng, ratio, noise, steps):
    return learned(size, max(1, round(size / ratio)), noise, steps, False, rng)


@twin(
    {"l2l.thm5.4.1.train-error": {"validation": False}, "l2l.thm5.4.1.valid-error": {"validation": True}},
    [(16, {"ratio": 2.0, "noise": 1.0, "steps": 2}), (12, {"ratio": 4 / 3, "noise": 2.0, "steps": 3})],
    replicates=50,
)
def learned_error(size, rng, ratio, noise, steps, validation):
    n = max(1, round(size / ratio))
    found = risk(size, n, noise, steps, learned(size, n, noise, steps, validation, rng), rng)
    return 1 - found if validation else found / noise**2


@twin("l2l.thm5.4.1.valid-step", [(2, {}), (4, {})], replicates=30)
def valid_step(size, rng):
    return learned(64, 32, 2.0, size, True, rng)
