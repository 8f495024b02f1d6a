"""Appendix B: what the printed set-up of the experiments can fit."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import minimize

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Corrected, Identity, Plan, claim
from rmtsim.networks import Architecture, dense

CLASSES = 3
_CENTRES = np.array([0.0, 10.0, -10.0])


def clusters(samples: int, rng: Generator) -> tuple[Array, NDArray[np.int64]]:
    """The data (42): labels uniform in {0, 1, 2}, x ~ N(0, 1), N(10, 1), N(-10, 1)."""
    labels = rng.integers(CLASSES, size=samples)
    return np.asarray(_CENTRES[labels] + rng.standard_normal(samples)), labels


def _least_half(x: Array, labels: NDArray[np.int64]) -> float:
    """Least sum of cross-entropies over one half-line, where the logits are |x|·a: a convex problem in a."""
    if not x.size:
        return 0.0

    def loss(a: Array) -> tuple[float, Array]:
        logits = np.outer(np.abs(x), a)
        top = logits.max(axis=1, keepdims=True)
        weights = np.exp(logits - top)
        sums = weights.sum(axis=1, keepdims=True)
        value = float((np.log(sums) + top)[:, 0].sum() - logits[np.arange(x.size), labels].sum())
        slopes = weights / sums
        slopes[np.arange(x.size), labels] -= 1
        return value, np.asarray(np.abs(x) @ slopes)

    return float(minimize(loss, np.zeros(CLASSES), jac=True, method="L-BFGS-B").fun)


def _homogeneity(size: int, rng: Generator) -> float:
    """|f(cx) - c f(x)|/|c f(x)| for (48) as printed, random c > 0."""
    root = 1 / math.sqrt(size)
    layers = (
        dense(1, size, "relu"),
        dense(size, 3, scale=root),
        dense(3, size, "relu"),
        dense(size, CLASSES, scale=root),
    )
    network = Architecture(layers).sample(rng)
    x, factor = float(rng.standard_normal()), float(rng.uniform(0.1, 10))
    value = network.output([[x], [factor * x]])
    return float(np.abs(value[1] - factor * value[0]).max() / np.abs(value[1]).max())


@claim(
    "liu.eq48",
    corrected=Corrected(
        measured=_homogeneity,
        states=Identity(within=1e-12),
        plan=Plan(sizes=(20, 60), size_name="m", cost=3e-3),
    ),
    states=Bound(1e-4, within=1e-6),
    plan=Plan(sizes=(30, 60), size_name="N", cost=3e-3),
)
def least_loss(size: int, rng: Generator) -> float:
    """The infimum over f(x) = |x| f(sign x) of the mean cross-entropy on N samples."""
    x, labels = clusters(size, rng)
    halves = (x > 0, x <= 0)
    return sum(_least_half(x[half], labels[half]) for half in halves) / size
