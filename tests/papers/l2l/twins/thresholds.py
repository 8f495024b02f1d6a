"""Twins of the statements about step sizes from which on tasks are truncated."""

import numpy as np

from tests.papers.twinning import twin

from ._models_a import descend, largest_eigenvalue, samples, tasks

BATCH = 200
"""Tasks per call."""
POINTS = [
    (12, {"ratio": 2.0, "noise": 1.0, "steps": 8}),
    (8, {"ratio": 4.0, "noise": 0.1, "steps": 16}),
]


@twin(
    {
        "l2l.sec5.4.1.threshold": {"factor": 100},
        "l2l.sec5.4.1.threshold/corrected": {"factor": 1},
        "l2l.lemmaD.2.7": {"factor": 100},
        "l2l.lemmaD.2.7.upper": {"factor": 1},
    },
    POINTS,
    replicates=600,
)
@twin(
    "l2l.lemmaD.3.7",
    [(2, {"ratio": 0.02, "noise": 1.0, "steps": 8}), (1, {"ratio": 0.025, "noise": 0.1, "steps": 3})],
    replicates=600,
)
def critical(size, rng, ratio, noise, steps, factor=1):
    x, _, y = tasks(BATCH, size, samples(size, ratio), noise, rng)

    def reached(rate):
        return descend(x, y, rate[:, None], steps, 40 * noise)[1][:, 0]

    top = largest_eigenvalue(x)
    low, high = 0.5 / top, 4 / top
    while np.any(short := ~reached(high)):
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    while np.any(long := reached(low)):
        low, high = np.where(long, low / 2, low), np.where(long, low, high)
    while np.any(wide := high - low > 1e-3 * high):
        middle = (low + high) / 2
        beyond = reached(middle)
        low, high = np.where(wide & ~beyond, middle, low), np.where(wide & beyond, middle, high)
    return factor * high


@twin(
    "l2l.lemmaD.2.6",
    [(8, {"ratio": 4 / 3, "noise": 1.0}), (2, {"ratio": 0.02, "noise": 0.03})],
    replicates=100,
)
def ordered(size, rng, ratio, noise):
    n = samples(size, ratio)
    x, _, y = tasks(1, size, n, noise, rng)
    values = np.linalg.svd(x[0], compute_uv=False) ** 2 / n
    low, high = (0.01, 100) if ratio > 1 else (0.5, 1.5)
    if values.min() < low or values.max() > high:
        return 1.0
    rates = (1 + np.arange(61) / 15) / values.max()
    marked = descend(x, y, rates[None], int(rng.integers(2, 60)), 40 * noise)[1][0]
    return 1 - np.mean(marked[:-1] & ~marked[1:])
