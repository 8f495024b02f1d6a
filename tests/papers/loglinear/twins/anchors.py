"""Twins of the statements of Section 3.4: linear fits of the log partition function, and its variation."""

import numpy as np

from tests.papers.twinning import twin

DIMENSION = 6


def sphere(count, dimension, radius, rng):
    g = rng.normal(size=(count, dimension))
    return radius * g / np.linalg.norm(g, axis=1, keepdims=True)


def log_mean(contexts, atoms):
    """log(Z/n) of each context."""
    return np.log(np.exp(contexts @ atoms.T).mean(axis=1))


def residual(contexts, target, intercept=False):
    columns = np.column_stack([contexts, np.ones(len(contexts))]) if intercept else contexts
    best = np.linalg.lstsq(columns, target, rcond=None)[0]
    return np.mean((target - columns @ best) ** 2)


def contexts_with_mean(size, rng, mean, spread):
    contexts = spread * rng.normal(size=(size, DIMENSION))
    contexts[:, 0] += mean
    return contexts


def cone(size, rng, rank):
    atoms = np.zeros((size, DIMENSION))
    atoms[:, :rank] = rng.normal(size=(size, rank))
    atoms[:, 0] += 2
    return atoms


@twin(
    "loglinear.hyp3.4.2.gaussian",
    [(30, {"mean": 1.0, "spread": 0.3, "level": 10.0}), (50, {"mean": 0.0, "spread": 0.5, "level": 1.0})],
    replicates=2000,
)
def gaussian(size, rng, mean, spread, level):
    contexts = contexts_with_mean(size, rng, mean, spread)
    return residual(contexts, log_mean(contexts, rng.normal(size=(size, DIMENSION))) + level)


@twin(
    "loglinear.hyp3.4.2.cone",
    [
        (30, {"rank": 6, "mean": 1.0, "spread": 0.3, "level": 10.0}),
        (50, {"rank": 2, "mean": 0.5, "spread": 0.2, "level": 1.0}),
    ],
    replicates=2000,
)
def cone_fit(size, rng, rank, mean, spread, level):
    contexts = contexts_with_mean(size, rng, mean, spread)
    return residual(contexts, log_mean(contexts, cone(size, rng, rank)) + level)


@twin(
    "loglinear.hyp3.4.2.intercept",
    [(30, {"rank": 6, "mean": 1.0, "spread": 0.3}), (50, {"rank": 2, "mean": 0.5, "spread": 0.2})],
    replicates=2000,
)
def cone_intercept(size, rng, rank, mean, spread):
    contexts = contexts_with_mean(size, rng, mean, spread)
    return residual(contexts, log_mean(contexts, cone(size, rng, rank)), intercept=True)


def spheres(size, rng, length):
    contexts = sphere(size, DIMENSION, length, rng)
    return contexts, log_mean(contexts, sphere(size, DIMENSION, np.sqrt(DIMENSION), rng))


@twin(
    "loglinear.hyp3.4.2.spherical",
    [(30, {"length": 0.8, "level": 10.0}), (50, {"length": 1.2, "level": 1.0})],
    replicates=2000,
)
def spherical(size, rng, length, level):
    contexts, logs = spheres(size, rng, length)
    return residual(contexts, logs + level)


LENGTHS = [(30, {"length": 0.8}), (50, {"length": 1.2})]


@twin(
    {
        "loglinear.sec3.4.3.spherical": {"corrected": False},
        "loglinear.sec3.4.3.spherical/corrected": {"corrected": True},
    },
    LENGTHS,
    replicates=2000,
)
def spherical_share(size, rng, length, corrected):
    contexts, logs = spheres(size, rng, length)
    error = residual(contexts, logs + np.log(size), intercept=corrected)
    # The angle θ between v and u has a density proportional to sin⁴θ; the mean of exp⟨v, u⟩ by the midpoint rule.
    angle = (np.arange(200) + 0.5) * np.pi / 200
    mean = np.average(
        np.exp(length * np.sqrt(DIMENSION) * np.cos(angle)), weights=np.sin(angle) ** (DIMENSION - 2)
    )
    return error if corrected else error / (np.log(size) + np.log(mean)) ** 2


@twin(
    "loglinear.hyp3.4.2.bulk",
    [(30, {"length": 0.8, "share": 0.1}), (50, {"length": 1.2, "share": 0.3})],
    replicates=4000,
)
def bulk(size, rng, length, share):
    atoms = rng.normal(size=(size, DIMENSION))
    logits = np.sort(sphere(4, DIMENSION, length, rng) @ atoms.T, axis=1)
    kept = logits[:, : size - round(size * share)]
    return np.mean(np.log(np.exp(kept).sum(axis=1) / size))


@twin("loglinear.hyp3.4.2.heavy", LENGTHS, replicates=4000)
def heavy(size, rng, length):
    atoms = rng.normal(size=(size, DIMENSION)) / np.abs(rng.normal(size=(size, 1)))
    logits = atoms @ sphere(1, DIMENSION, length, rng)[0]
    return 1 / np.exp(logits - logits.max()).sum()


@twin("loglinear.sec3.4.1.words", LENGTHS, replicates=8000)
def words(size, rng, length):
    one, two = (
        np.exp(length * sphere(size, DIMENSION, np.sqrt(DIMENSION), rng)[:, 0]).mean() for _ in range(2)
    )
    return (one - two) ** 2 / 2


@twin("loglinear.sec3.4.1.dimension", [(6, {"length": 0.8}), (16, {"length": 1.2})], replicates=8000)
def dimension(size, rng, length):
    one, two = (np.exp(length * sphere(32, size, np.sqrt(size), rng)[:, 0]).mean() for _ in range(2))
    return 16 * (one - two) ** 2
