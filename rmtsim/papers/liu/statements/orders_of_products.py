"""Products of norms, Remark 3.5, rates of Lemmas F.1 and F.6, eqs. (121) and (123) of `liu`."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special, stats

from rmtsim._internal.arrays import Array
from rmtsim.claims import Bound, Computed, Grid, Parameter, Rate, claim
from rmtsim.networks import activation as function_of
from rmtsim.papers.liu.simulation.shifted_sums import fixed_shifts
from rmtsim.papers.liu.simulation.training import trained_distances
from rmtsim.papers.liu.simulation.wide_networks import WideNetworks, of_many
from rmtsim.papers.liu.statements.parameters import ACTIVATION, DEPTH, WIDTHS
from rmtsim.papers.liu.statements.table_1 import INPUTS, TARGETS
from rmtsim.papers.liu.statements.wide_networks import drawing_cost

# ---- Sections 3.2 and 3.3.1: ‖Jb‖² against ‖J‖²‖b‖² ----


@claim(
    "liu.sec3.2.product",
    states=Rate(0.0, within=0.05),
    over=(ACTIVATION, DEPTH),
    points=({"activation": "tanh", "depth": 2}, {"activation": "tanh", "depth": 4}),
    plan=WIDTHS.but(sizes=(64, 128, 256, 512), exponents=(0.5, 1.0), cost=drawing_cost),
)
def smallest_quotient(size: int, rng: Generator, replicates: int, activation: str, depth: int) -> Array:
    """The least ‖J_l b_l‖²/(‖J_l‖²‖b_l‖²) over the hidden layers, J_l = ∂α_l/∂W_l, b_l = ∂f/∂α_l.

    J_l has the singular values |σ'(z_i)|·‖read‖, so that ‖J_l b_l‖ = ‖σ'(z)∘b‖·‖read‖: the lengths cancel.
    """
    sigma = function_of(activation)

    def least(batch: WideNetworks) -> Array:
        found = []
        for before, b in zip(batch.before[:-1], batch.activation_gradients, strict=True):
            slopes = sigma.derivative(before, 1)
            whole = np.abs(slopes).max(axis=1) ** 2 * (b**2).sum(axis=1)
            found.append(((slopes * b) ** 2).sum(axis=1) / whole)
        return np.asarray(np.min(found, axis=0))

    return of_many([size] * depth, rng, replicates, activation, least)


# ---- Remark 3.5 ----


@claim(
    "liu.remark3.5",
    states=Rate(0.0, within=0.05),
    over=(DEPTH,),
    points=({"depth": 2}, {"depth": 3}),
    plan=WIDTHS.but(
        sizes=(16, 32, 64, 128, 256),
        exponents=(1.0,),
        cost=lambda size, depth: depth * (1.2e-4 + 2.5e-8 * size**2),
    ),
)
def training_distance(size: int, rng: Generator, replicates: int, depth: int) -> Array:
    """‖W* - W₀‖, tanh, two samples."""
    return of_many(
        [size] * depth,
        rng,
        replicates,
        "tanh",
        lambda batch: trained_distances(batch, INPUTS, TARGETS),
        x=INPUTS[0],
    )


# ---- Rates of Lemmas F.1 and F.6 ----


@claim(
    "liu.lemmaF.1.rate",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(1, 2, 4, 8), cost=1e-5),
    evidence=Computed(1e-10, chain=("liu.lemmaF.1",)),
)
def length_quotient(size: int) -> float:
    """P(‖v‖ > 3√m)/(2e^{-m/2}), exactly."""
    return float(stats.chi2.sf(9 * size, size) / (2 * math.exp(-size / 2)))


@claim(
    "liu.lemmaF.6.base",
    states=Bound(1.0),
    plan=WIDTHS.but(sizes=(8, 16, 64, 256, 1024), cost=1e-5),
    evidence=Computed(1e-10, chain=("liu.lemmaF.6",)),
)
def largest_output_quotient(size: int) -> float:
    """P(‖v‖_∞ > ln m)/(2m e^{-ln²(m)/2}), exactly."""
    level = math.log(size)
    inside = size * math.log1p(-special.erfc(level / math.sqrt(2)))
    return float(-math.expm1(inside) / (2 * size * math.exp(-(level**2) / 2)))


# ---- Appendix I.9: the small-ball bound ----

_SHIFT = Parameter("radius", "length R of the fixed shifts s and t", 1.0, draw_range=(0.1, 2.0))
_SMALL = Parameter("delta", "δ₁ of the bound", 0.92, open_below=True, highest=0.99, draw_range=(0.1, 0.95))
_LARGEST_CONSTANT = 2.1
"""C₁. In the limit the sum over √(E(…)²) is Gaussian, and P(|G| ≥ C₁δ³) ≥ 1 - δ for all δ if and only if C₁ ≤ 2.248; at
m = 16 the largest constant is about 2.2."""


_SMALL_BALL = Grid(
    (_SHIFT, _SMALL),
    points=({"radius": 1.0, "delta": 0.92}, {"radius": 1.0, "delta": 0.5}),
    plan=WIDTHS.but(sizes=(16, 64, 256), cost=lambda size: 2e-6 + 6e-8 * size),
)
_AT_LEAST = Bound(lambda delta: 1 - delta, ">=", of="probability")


def _sums(size: int, rng: Generator, replicates: int, radius: float) -> tuple[Array, float]:
    """|Σ(x+s)y² + 2Σxty| for fixed s and t, and its second moment."""
    s, t = fixed_shifts(size, rng, radius)
    x, y = rng.standard_normal((2, replicates, size))
    moment = 3 * size + 2 * float(s @ s) + float(s.sum()) ** 2 + 4 * float(t @ t)
    return np.abs(((x + s) * y**2 + 2 * x * t * y).sum(axis=1)), moment


@claim("liu.eq121", states=_AT_LEAST, over=_SMALL_BALL)
def above_moment(
    size: int, rng: Generator, replicates: int, radius: float, delta: float
) -> NDArray[np.bool_]:
    """Whether the sum is at least C₁δ³ times the root of its second moment."""
    found, moment = _sums(size, rng, replicates, radius)
    return np.asarray(found >= _LARGEST_CONSTANT * delta**3 * math.sqrt(moment))


@claim("liu.eq123", states=_AT_LEAST, over=_SMALL_BALL)
def above_root(size: int, rng: Generator, replicates: int, radius: float, delta: float) -> NDArray[np.bool_]:
    """Whether the sum is at least √3C₁δ³√m."""
    found, _ = _sums(size, rng, replicates, radius)
    return np.asarray(found >= _LARGEST_CONSTANT * delta**3 * math.sqrt(3 * size))
