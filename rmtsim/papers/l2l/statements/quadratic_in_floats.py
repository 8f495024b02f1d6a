"""Equations (5.1), (5.2), Corollary 5.3.3: the meta-gradient of one quadratic in floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rmtsim.claims import Bound, Choice, Identity, Limit, Plan, claim
from rmtsim.papers.l2l.simulation.quadratics import Instance, draw
from rmtsim.papers.l2l.simulation.unrolled import Quadratic, backpropagate, scaled_tangent
from rmtsim.papers.l2l.statements.parameters import PRODUCT


def _exact_gradient(one: Instance, step: float, steps: int) -> float:
    """Equation (5.1) in enough digits that nothing cancels."""
    import mpmath

    values, coordinates = one.problem.eigen()
    with mpmath.workdps(60):
        pairs = [
            (mpmath.mpf(float(v)), mpmath.mpf(float(c)) ** 2)
            for v, c in zip(values, coordinates, strict=True)
        ]
        eta = mpmath.mpf(step)
        top = mpmath.fsum(c * v * v * (1 - eta * v) ** (2 * steps - 1) for v, c in pairs)
        return float(-2 * top / mpmath.fsum(c * v * (1 - eta * v) ** (2 * steps) for v, c in pairs))


@claim("l2l.eq5.1", states=Identity(within=1e-9), plan=Plan(sizes=(2, 5), size_name="d", cost=3e-4))
def formula_error(size: int, rng: np.random.Generator) -> float:
    """Difference of the formula and the tangent, over the size of the derivative's terms."""
    one = draw(size, rng, spread=1.5)
    step = rng.uniform(0.05, 3) / one.largest
    scale = 2 * one.largest / max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    return abs(_exact_gradient(one, step, one.steps) - one.slope(step)) / scale


@claim("l2l.eq5.2", states=Identity(within=1e-9), plan=Plan(sizes=(2, 5), size_name="d", cost=2e-3))
def scaled_formula_error(size: int, rng: np.random.Generator) -> float:
    """Error of the scaled formula at a random number of steps up to 10⁵."""
    from rmtsim.papers.l2l.theory import log_meta_gradient

    one = draw(size, rng, spread=1.5)
    steps = int(np.exp(rng.uniform(0, math.log(1e5))))
    step = rng.uniform(0.05, 3) / one.largest
    values, coordinates = one.problem.eigen()
    scale = 2 * one.largest / max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    return (
        abs(log_meta_gradient(values, coordinates, step, steps) - _exact_gradient(one, step, steps)) / scale
    )


def _largest_factor(product: float) -> float:
    """max|1 - ηλ| for eigenvalues from 0.1 to 1."""
    return max(abs(1 - 0.1 * product), abs(1 - product))


@claim(
    "l2l.cor5.3.3",
    states=Limit(lambda product: -2 * math.log(_largest_factor(product)), within=0.01),
    over=(PRODUCT,),
    points=({"product": 0.5}, {"product": 1.95}, {"product": 2.5}, {"product": 6.0}),
    plan=Plan(sizes=(50, 100, 200, 400), size_name="t", exponents=(1.0,), cost=lambda size: 1.5e-5 * size),
)
def loss_exponent(size: int, rng: np.random.Generator, product: float) -> float:
    """-(1/t) log f(w_t) with eigenvalues 0.1 and 1 and one between them, w₀ random."""
    start = rng.standard_normal(3)
    problem = Quadratic(np.diag([0.1, rng.uniform(0.2, 0.9), 1.0]), start / np.linalg.norm(start))
    return -scaled_tangent(problem, product, size).log_loss / size


_BITS = Choice(
    "bits", {"float32": np.float32, "float64": np.float64}, "type of floating-point numbers", codes=(32, 64)
)


def _first(happens: Callable[[int], bool], near: int = 4) -> int:
    """Least t with a property that stays once it holds; the search begins at ``near``."""
    low, high = near // 2, near
    while low > 0 and happens(low):
        low, high = low // 2, low
    while not happens(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if happens(middle) else (middle, high)
    return high


def _breaks(problem: Quadratic, step: float, steps: int, bits: type[np.floating]) -> bool:
    found = backpropagate(problem, step, steps, bits)
    return found.seed == 0 or not (math.isfinite(found.seed) and math.isfinite(found.gradient))


def _steps_to_break(
    size: int, rng: np.random.Generator, bits: type[np.floating], product: float
) -> tuple[int, int]:
    """Steps at which back-propagation breaks, and those at which log f(w_t) leaves the range."""
    start = rng.standard_normal(size)
    values = [0.5, *rng.uniform(0.6, 0.9, size - 2), 1.0]
    problem = Quadratic(np.diag(values), start / np.linalg.norm(start))
    top = math.log(float(np.finfo(bits).max))

    def leaves(steps: int) -> bool:
        # f(w_t) = ½ Σ λ c² (1 - ηλ)^{2t} in the eigenbasis, in logarithms
        terms = np.log(values * problem.start**2) + 2 * steps * np.log(
            np.abs(1 - product * np.asarray(values))
        )
        loss = float(np.logaddexp.reduce(terms)) - math.log(2)
        return loss + math.log(2) > top or loss + math.log(steps) < -top

    place = _first(leaves)
    return _first(lambda steps: _breaks(problem, product, steps, bits), place), place


_BREAKING = Plan(
    sizes=(3, 6),
    size_name="d",
    cost=lambda size, bits, product: (0.002 if product > 2 else 0.004) * (1 if bits is np.float32 else 8),
)


@claim(
    "l2l.cor5.3.3.range",
    states=Bound(1.0),
    over=(_BITS, replace(PRODUCT, default=4.0, lowest=2.2, draw_range=(2.5, 6.0))),
    points=({"bits": "float32", "product": 4.0}, {"bits": "float64", "product": 4.0}),
    plan=_BREAKING,
)
def steps_to_overflow(size: int, rng: np.random.Generator, bits: type[np.floating], product: float) -> float:
    """Distance of the steps at which back-propagation breaks from those at which log f(w_t) leaves the range."""
    broken, place = _steps_to_break(size, rng, bits, product)
    factor = max(abs(1 - 0.5 * product), abs(1 - product))
    return abs(broken - place) / (1 + math.log(place) / abs(2 * math.log(factor)))


@claim(
    "l2l.cor5.3.3.underflow",
    states=Identity(within=1e-12),
    over=(_BITS, replace(PRODUCT, default=0.9, highest=1.6, draw_range=(0.3, 1.6))),
    points=({"bits": "float32", "product": 0.9}, {"bits": "float64", "product": 0.9}),
    plan=_BREAKING,
)
def steps_to_underflow(size: int, rng: np.random.Generator, bits: type[np.floating], product: float) -> float:
    """The same distance, over the steps at which t·f(w_t) passes the inverse of the largest float."""
    broken, place = _steps_to_break(size, rng, bits, product)
    return abs(broken / place - 1)
