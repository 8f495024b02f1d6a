"""The quoted tools of appendix D.5, with the constants that they leave open: Lemmas D.5.1, D.5.3, D.5.4, D.5.5."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Parameter, Plan, Probability, claim

DISTANCE = Parameter(
    "distance", "distance s from the centre", 1.0, open_below=True, highest=3.0, draw_range=(0.5, 2.0)
)


@claim(
    "l2l.lemmaD.5.1",
    states=Probability(lambda distance: math.erfc(distance), within=0.01),
    over=(DISTANCE,),
    points=({"distance": 0.5}, {"distance": 1.0}),
    plan=Plan(sizes=(4, 8, 16, 32), size_name="n", exponents=(1.0,), cost=lambda size: 2e-8 * size),
)
def norm_is_far(size: int, rng: np.random.Generator, replicates: int, distance: float) -> Array:
    """Whether ‖x‖ is at least s away from √n."""
    norms = np.sqrt((rng.standard_normal((replicates, size)) ** 2).sum(axis=1))
    return np.asarray(np.abs(norms - math.sqrt(size)) >= distance, dtype=np.float64)


def _lipschitz_values(size: int, rng: np.random.Generator, draws: int) -> Array:
    """A function of Lipschitz constant one at Gaussian vectors: a coordinate, the largest, the norm, or ‖·‖₁/√n."""
    x = rng.standard_normal((draws, size))
    kind = int(rng.integers(4))
    if kind == 0:
        return np.asarray(x[:, 0])
    if kind == 1:
        return np.asarray(x.max(axis=1))
    if kind == 2:
        return np.asarray(np.sqrt((x**2).sum(axis=1)))
    return np.asarray(np.abs(x).sum(axis=1) / math.sqrt(size))


_DRAWS = 4096


@claim(
    "l2l.lemmaD.5.3",
    states=Bound(1.0, likely=True),
    plan=Plan(sizes=(4, 32), size_name="n", cost=lambda size: 2e-4 + 1e-4 * size),
)
def share_over_bound(size: int, rng: np.random.Generator) -> float:
    """Share of draws at least s above the mean, over exp(-s²/2)."""
    values = _lipschitz_values(size, rng, _DRAWS)
    distance = rng.uniform(0.25, 2)
    return float(np.mean(values - values.mean() >= distance)) * math.exp(distance**2 / 2)


@claim(
    "l2l.lemmaD.5.4",
    states=Bound(1.0, likely=True),
    plan=Plan(sizes=(3, 10), size_name="n", cost=lambda size: 200 * (1.5e-5 + 1e-7 * size**2)),
)
def escapes_over_bound(size: int, rng: np.random.Generator) -> float:
    """Share of matrices with a singular value outside, over 2exp(-s²/2)."""
    rows = int(rng.integers(size, 4 * size + 1))
    distance = rng.uniform(0, 2)
    values = np.linalg.svd(rng.standard_normal((200, rows, size)), compute_uv=False)
    low, high = math.sqrt(rows) - math.sqrt(size) - distance, math.sqrt(rows) + math.sqrt(size) + distance
    outside = (values.min(axis=1) < low) | (values.max(axis=1) > high)
    return float(outside.mean()) * math.exp(distance**2 / 2) / 2


_SHARE = Parameter(
    "share", "n/d, the subspace's share", 0.5, open_below=True, highest=0.9, draw_range=(0.1, 0.7)
)


@claim(
    "l2l.lemmaD.5.5",
    states=Probability(lambda distance, share: math.erfc(distance / math.sqrt(1 - share)), within=0.01),
    over=(DISTANCE, _SHARE),
    points=({"distance": 0.5, "share": 0.5}, {"distance": 1.0, "share": 0.25}),
    plan=Plan(
        sizes=(4, 8, 16, 32), size_name="n", exponents=(1.0,), cost=lambda size, share: 2e-8 * size / share
    ),
)
def projection_is_far(
    size: int, rng: np.random.Generator, replicates: int, distance: float, share: float
) -> Array:
    """Whether the projected length is at least s/√n away from its centre; z turned at random, the subspace fixed."""
    dimension = round(size / share)
    squares = rng.standard_normal((replicates, dimension)) ** 2
    lengths = np.sqrt(squares[:, :size].sum(axis=1) / squares.sum(axis=1) * dimension / size)
    return np.asarray(np.abs(lengths - 1) >= distance / math.sqrt(size), dtype=np.float64)
