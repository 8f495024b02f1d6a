"""Twins of the steps of Lemma H.1."""

import numpy as np

from tests.papers.twinning import twin


@twin(
    {"liu.eq124": {"corrected": False}, "liu.eq124/corrected": {"corrected": True}},
    [(4, {"radius": 0.5, "delta": 0.2}), (6, {"radius": 1.0, "delta": 0.4})],
    replicates=4000,
)
def obeyed(size, rng, radius, delta, corrected):
    log = np.log(4 / delta)
    bound = radius**2 * np.sqrt(2 * log) if corrected else radius**4 * log
    x, y = rng.normal(size=(2, 500, size))
    s = np.zeros(size)
    s[0] = radius
    sums = np.maximum(np.abs((s * s * y).sum(axis=1)), np.abs((x * s**2).sum(axis=1)))
    return (sums <= bound).astype(float)
