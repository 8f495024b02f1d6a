"""Section 5.3: one quadratic, its meta-gradient, meta-gradient descent, and what floats make of back-propagation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from rmtsim.claims.declare import correction
from rmtsim.claims.l2l.parameters import statement
from rmtsim.claims.model import Parameter, Tolerance
from rmtsim.sampling.unrolled import Quadratic, backpropagate, meta_descent, scaled_tangent

_SLACK = Tolerance(absolute=1e-7)
"""Room for rounding in quotients that a bound compares with one."""
_SIZES = (2, 5)
_COST = 3e-4


@dataclass(frozen=True)
class Instance:
    """A drawn quadratic with what the statements speak of."""

    problem: Quadratic
    smallest: float
    largest: float
    along_smallest: float
    along_largest: float
    steps: int

    @property
    def c_min(self) -> float:
        """min(|c₁|, |c_d|)."""
        return min(self.along_smallest, self.along_largest)

    def slope(self, step: float) -> float:
        """Derivative of (1/t) log f(w_t), by carrying dw/dη along the descent."""
        return scaled_tangent(self.problem, step, self.steps).ratio


def draw(size: int, rng: np.random.Generator, longest: int = 20, spread: float = 3.0) -> Instance:
    """Eigenvalues log-uniform over up to ``spread`` factors of e, eigenvectors and w₀ uniform, up to ``longest`` "
    "steps.
    """
    values = np.sort(np.exp(spread * rng.uniform(-1, 1, size)))
    basis = np.linalg.qr(rng.standard_normal((size, size)))[0]
    start = rng.standard_normal(size)
    start /= np.linalg.norm(start)
    along = np.abs(basis.T @ start)
    problem = Quadratic((basis * values) @ basis.T, start)
    return Instance(
        problem,
        float(values[0]),
        float(values[-1]),
        float(along[0]),
        float(along[-1]),
        int(rng.integers(1, longest + 1)),
    )


def minimiser(instance: Instance) -> float:
    """η*: where the slope changes sign between 1/L and 1/α (that it does is l2l.claimD.1.1.interval)."""
    low, high = (1 - 1e-9) / instance.largest, (1 + 1e-9) / instance.smallest
    return float(brentq(instance.slope, low, high, xtol=1e-12 * high, rtol=1e-12))


# ---- Theorem 5.3.1 ----


@statement(
    "l2l.thm5.3.1.convex",
    source="Theorem 5.3.1",
    standing="theorem",
    statement="F(η) = f(w_{t,η}) is strictly convex: its derivative increases; measured as the increase between "
    "two step sizes over the sum of the sizes.",
    bound=0.0,
    sense=">=",
    tolerance=Tolerance(absolute=1e-9),
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def derivative_increase(size: int, rng: np.random.Generator) -> float:
    """(F'(η₂) - F'(η₁))/(|F'(η₁)| + |F'(η₂)|) for two random step sizes η₁ < η₂."""
    one = draw(size, rng)
    low, high = np.sort(rng.uniform(0, 4 / one.largest, 2))
    first, second = (scaled_tangent(one.problem, float(step), one.steps) for step in (low, high))
    top = max(first.log_gradient, second.log_gradient)
    a, b = (item.sign * math.exp(item.log_gradient - top) for item in (first, second))
    return (b - a) / (abs(a) + abs(b))


@statement(
    "l2l.thm5.3.1.vanishing",
    source="Theorem 5.3.1",
    standing="theorem",
    statement="For 0 < η < 2/L: |F'(η)| ≤ tL² max(|1 - ηα|^{2t-1}, |1 - ηL|^{2t-1}); measured as the quotient.",
    bound=1.0,
    tolerance=_SLACK,
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def vanishing_quotient(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over the printed bound, η uniform in (0, 2/L)."""
    one = draw(size, rng)
    step = rng.uniform(0, 2) / one.largest
    rho = max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    found = scaled_tangent(one.problem, step, one.steps).log_gradient
    return math.exp(found - math.log(one.steps * one.largest**2) - (2 * one.steps - 1) * math.log(rho))


@statement(
    "l2l.thm5.3.1.exploding",
    source="Theorem 5.3.1",
    standing="theorem",
    statement="For η > 2/L: |F'(η)| ≥ c₁²L²t(ηL - 1)^{2t-1} - L²t; measured as (|F'| + L²t) over the first term.",
    bound=1.0,
    sense=">=",
    tolerance=_SLACK,
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def exploding_quotient(size: int, rng: np.random.Generator) -> float:
    """(|F'(η)| + L²t) over c₁²L²t(ηL - 1)^{2t-1}, η between 2/L and 6/L."""
    one = draw(size, rng)
    step = rng.uniform(2, 6) / one.largest
    scale = math.log(one.steps * one.largest**2)
    found = np.logaddexp(scaled_tangent(one.problem, step, one.steps).log_gradient, scale)
    printed = scale + 2 * math.log(one.along_largest) + (2 * one.steps - 1) * math.log(step * one.largest - 1)
    return math.exp(found - printed)


# ---- Claims 5.3.4-5.3.6 (D.1.1-D.1.3), Theorem 5.3.2 ----


@statement(
    "l2l.claim5.3.4",
    source="Claim 5.3.4, Claim D.1.1",
    standing="lemma",
    statement="(1/t) log f(w_t) has one stationary point η*, its minimiser: the derivative is negative before and "
    "positive behind it; measured as 2 minus the number of sign changes over 12 random step sizes, negative first.",
    bound=1.0,
    sense=">=",
    tolerance=Tolerance(absolute=1e-9),
    sizes=_SIZES,
    size_name="d",
    cost=2e-3,
)
def room_for_sign_changes(size: int, rng: np.random.Generator) -> float:
    """2 - number of sign changes of F' over step sizes from e⁻⁴/L to e⁴/α; 0 if it begins positive or ends negative."""
    one = draw(size, rng)
    steps = np.sort(np.exp(rng.uniform(-4 - math.log(one.largest), 4 - math.log(one.smallest), 10)))
    ends = math.exp(-4) / one.largest, math.exp(4) / one.smallest
    signs = np.sign([one.slope(float(step)) for step in (ends[0], *steps, ends[1])])
    changes = int(np.count_nonzero(signs[1:] != signs[:-1]))
    return float(2 - changes) if signs[0] < 0 < signs[-1] else 0.0


@statement(
    "l2l.claimD.1.1.interval",
    source="Claim D.1.1",
    standing="lemma",
    statement="η* lies in [1/L, 1/α]: the derivative is negative below 1/L and positive above 1/α; measured as the "
    "smaller of both, signed so, relative to 2L/max|1 - ηλ_i|.",
    bound=0.0,
    sense=">=",
    tolerance=Tolerance(absolute=1e-9),
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def interval_margin(size: int, rng: np.random.Generator) -> float:
    """min(-F'(η₁), F'(η₂)), scaled, for η₁ just below 1/L or anywhere below, η₂ just above 1/α or anywhere above."""
    one = draw(size, rng)
    shift = rng.choice([1e-6, rng.uniform(0, 1)])
    below, above = (1 - shift) / one.largest, (1 + shift) / one.smallest
    scaled = [
        sign
        * one.slope(step)
        * max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
        / (2 * one.largest)
        for sign, step in ((-1, below), (1, above))
    ]
    return float(min(scaled))


@statement(
    "l2l.claim5.3.5",
    source="Claim 5.3.5, Claim D.1.2, Theorem 5.3.2 (first part)",
    standing="lemma",
    statement="For every η ≥ 0: |d/dη (1/t) log f(w_t)| ≤ 4L³/(c_min²α(L - α)); measured as the quotient.",
    bound=1.0,
    tolerance=_SLACK,
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def gradient_over_bound(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over 4L³/(c_min²α(L - α)), η over many orders of magnitude."""
    one = draw(size, rng)
    step = math.exp(rng.uniform(-4, 4)) / one.largest
    bound = 4 * one.largest**3 / (one.c_min**2 * one.smallest * (one.largest - one.smallest))
    return abs(one.slope(step)) / bound


@statement(
    "l2l.claim5.3.6",
    source="Claim 5.3.6, Claim D.1.3",
    standing="lemma",
    statement="For M ≥ 2/α, 0 < ε < 1/L and η in [0, η* - ε] ∪ [η* + ε, M]: |F'(η)| ≥ min(2εc_d²α³/L, 2εc₁²L²/(ML "
    "- 1)²) ≥ 2εc_min² min(α³/L, 1/M²); measured as |F'| over the first minimum.",
    bound=1.0,
    sense=">=",
    tolerance=_SLACK,
    sizes=_SIZES,
    size_name="d",
    cost=2e-3,
    note="The chapter writes F for the meta-objective with a hat; nothing else is meant.",
)
def gradient_away_from_minimiser(size: int, rng: np.random.Generator) -> float:
    """|F'(η)| over the larger of the two printed lower bounds, at a distance of at least ε from η*."""
    one = draw(size, rng)
    best = minimiser(one)
    epsilon = rng.uniform(0, 1) / one.largest
    furthest = rng.uniform(2, 4) / one.smallest
    left, right = best - epsilon, furthest - best - epsilon
    if left > 0 and rng.random() < left / (left + right):
        step = rng.uniform(0, left)
    else:
        step = rng.uniform(best + epsilon, furthest)
    bound = min(
        2 * epsilon * one.along_smallest**2 * one.smallest**3 / one.largest,
        2 * epsilon * one.along_largest**2 * one.largest**2 / (furthest * one.largest - 1) ** 2,
    )
    return abs(one.slope(step)) / bound


@dataclass(frozen=True)
class Pair:
    """Two directions of weight one half: constants stay moderate, and a meta-iteration costs microseconds."""

    smallest: float
    largest: float
    steps: int = 3
    c_min: float = math.sqrt(0.5)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Pair:
        """Eigenvalues near 0.6 and 1.4."""
        return cls(0.5 + 0.2 * rng.random(), 1.3 + 0.2 * rng.random())

    def slope(self, step: float) -> float:
        """Equation (5.2): the meta-gradient, scaled by the larger factor."""
        a, b = 1 - step * self.smallest, 1 - step * self.largest
        top = max(abs(a), abs(b))
        a, b = a / top, b / top
        low, high = a ** (2 * self.steps - 1), b ** (2 * self.steps - 1)
        upper = self.smallest**2 * low + self.largest**2 * high
        return -2 * upper / (self.smallest * a * low + self.largest * b * high) / top

    def minimiser(self) -> float:
        """η* by bisection."""
        low, high = 1 / self.largest, 1 / self.smallest
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.slope(middle) < 0 else (low, middle)
        return (low + high) / 2


@statement(
    "l2l.thm5.3.2.convergence",
    source="Theorem 5.3.2",
    standing="theorem",
    statement="Meta-gradient descent on (1/t) log f(w_t) with meta step size 1/√k, reset to zero when negative, "
    "converges: |η_k - η*| → 0; measured from random starts below M = 3.",
    law=0.0,
    tolerance=0.01,
    sizes=(300, 1000, 3000, 10_000),
    size_name="k",
    exponents=(0.5, 1.0),
    because="the theorem itself claims an error of order k^(-1/2)",
    cost=lambda size: 1.2e-6 * size,
)
def distance_after(size: int, rng: np.random.Generator) -> float:
    """|η_k - η*|."""
    pair = Pair.draw(rng)
    path = meta_descent(pair.slope, float(rng.uniform(0, 3)), size, "decay", 1.0)
    return abs(float(path[-1]) - pair.minimiser())


_NEAR = 0.05
"""ε of the counts of iterations."""


def _iterations(start: float, pair: Pair, most: int = 6_000) -> int:
    """First k from which on |η_k - η*| ≤ ε, as far as ``most`` iterations show."""
    path = meta_descent(pair.slope, start, most, "decay", 1.0)
    outside = np.nonzero(np.abs(path - pair.minimiser()) > _NEAR)[0]
    return int(outside[-1]) + 1 if outside.size else 0


def _proved(pair: Pair, furthest: float) -> float:
    """k₂ of the proof, with M̂ = max(1/α + D_max, M) written out."""
    steepest = 4 * pair.largest**3 / (pair.c_min**2 * pair.smallest * (pair.largest - pair.smallest))
    reach = max(1 / pair.smallest + steepest, furthest)
    flattest = 2 * _NEAR * pair.c_min**2 * min(pair.smallest**3 / pair.largest, 1 / reach**2)
    # Σ 1/√k from k₁ to k₂ exceeds 2√k₂ - 2√k₁ - 1, and must reach R/D_min.
    return float((steepest / _NEAR + (reach / flattest + 1) / 2) ** 2)


def share_of_proved(size: int, rng: np.random.Generator) -> float:
    """Iterations from η₀ = M = 1/size until η_k stays within ε of η*, over k₂."""
    pair = Pair.draw(rng)
    return _iterations(1 / size, pair) / _proved(pair, 1 / size)


@statement(
    "l2l.thm5.3.2.iterations",
    source="Theorem 5.3.2",
    standing="theorem",
    statement="If η₀ ≤ M, meta-gradient descent stays within ε of η* from k' = (M⁶/ε²)·poly(1/c_min, L, 1/α, 1/(L "
    "- α)) on: the number of iterations is O(M⁶); measured for starts η₀ = M → 0.",
    rate=6.0,
    relation="O",
    tolerance=0.5,
    sizes=(4, 8, 16, 32),
    size_name="1/M",
    cost=0.008,
    cause="M is written for the larger of M and 1/α + D_max",
    note="The proof bounds the iterates by max(1/α + D_max, M) and then writes M⁶ alone. From a start near zero "
    "the way to η* ≥ 1/L remains, however small M is, and the number of iterations does not vanish.",
    credit="The proof bounds the iterates by the maximum; for M ≥ 1/α + D_max the statement stands as printed, and a "
    "larger M is a bound of η₀ too.",
    corrected=correction(
        "l2l.thm5.3.2.iterations/corrected",
        statement="From η₀ ≤ M, |η_k - η*| ≤ ε for all k ≥ k₂ with √k₂ = D_max/ε + (R/D_min + 1)/2, where D_min "
        "is taken at max(1/α + D_max, M): order max(M, 1/α + D_max)⁶/ε²; measured as the number of iterations "
        "over k₂.",
        measured=share_of_proved,
        bound=1.0,
        tolerance=_SLACK,
        sizes=(4, 32),
        relation="power",
        note="",
    ),
)
def iterations_from_small_start(size: int, rng: np.random.Generator) -> float:
    """Iterations after which η_k stays within 0.05 of η*, from η₀ = M = 1/size."""
    return float(_iterations(1 / size, Pair.draw(rng)))


# ---- Equations (5.1), (5.2), Corollary 5.3.3 ----


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


@statement(
    "l2l.eq5.1",
    source="eq. (5.1), eq. (D.1)",
    standing="equation",
    statement="d/dη (1/t) log f(w_t) = -2 Σ c_i²λ_i²(1 - ηλ_i)^{2t-1}/Σ c_i²λ_i(1 - ηλ_i)^{2t}; against the "
    "derivative carried along the descent, relative to 2L/max|1 - ηλ_i|.",
    identity=True,
    tolerance=Tolerance(absolute=1e-9),
    sizes=_SIZES,
    size_name="d",
    cost=_COST,
)
def formula_error(size: int, rng: np.random.Generator) -> float:
    """Difference of the formula and the tangent, over the size of the derivative's terms."""
    one = draw(size, rng, spread=1.5)
    step = rng.uniform(0.05, 3) / one.largest
    scale = 2 * one.largest / max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    return abs(_exact_gradient(one, step, one.steps) - one.slope(step)) / scale


@statement(
    "l2l.eq5.2",
    source="eq. (5.2), Section 5.3 (remark after Corollary 5.3.3)",
    standing="equation",
    statement="Divided by the largest |1 - ηλ_i|^{2t}, numerator and denominator of (5.1) stay in range and give the "
    "meta-gradient; float64 against 60 digits at up to 10⁵ steps, relative to 2L/max|1 - ηλ_i|.",
    identity=True,
    tolerance=Tolerance(absolute=1e-9),
    sizes=(2, 5),
    size_name="d",
    cost=2e-3,
    theory_in_sampler="the scaled formula in floats is itself what is tested, against 60 digits of (5.1)",
)
def scaled_formula_error(size: int, rng: np.random.Generator) -> float:
    """Error of the scaled formula at a random number of steps up to 10⁵."""
    from rmtsim.predict.l2l import log_meta_gradient

    one = draw(size, rng, spread=1.5)
    steps = int(np.exp(rng.uniform(0, math.log(1e5))))
    step = rng.uniform(0.05, 3) / one.largest
    values, coordinates = one.problem.eigen()
    scale = 2 * one.largest / max(abs(1 - step * one.smallest), abs(1 - step * one.largest))
    return (
        abs(log_meta_gradient(values, coordinates, step, steps) - _exact_gradient(one, step, steps)) / scale
    )


_PRODUCT = Parameter(
    "product",
    "step size times the largest eigenvalue, ηL",
    0.5,
    open_below=True,
    highest=10.0,
    draw_range=(0.2, 6.0),
    assumption="Corollary 5.3.3 distinguishes ηL below and above 2",
)


def _largest_factor(product: float) -> float:
    """max|1 - ηλ| for eigenvalues from 0.1 to 1."""
    return max(abs(1 - 0.1 * product), abs(1 - product))


@statement(
    "l2l.cor5.3.3",
    source="Corollary 5.3.3",
    standing="lemma",
    statement="Back-propagation starts from 1/(t f(w_t)), which is exponentially large for η < 2/L and "
    "exponentially small for η > 2/L: -(1/t) log f(w_t) → -2 log max|1 - ηλ|; eigenvalues from 0.1 to 1.",
    limit=lambda product: -2 * math.log(_largest_factor(product)),
    tolerance=0.01,
    parameters=(_PRODUCT,),
    grid=({"product": 0.5}, {"product": 1.95}, {"product": 2.5}, {"product": 6.0}),
    sizes=(50, 100, 200, 400),
    size_name="t",
    exponents=(1.0,),
    because="f(w_t) is a fixed factor times the 2t-th power, up to exponentially small terms",
    cost=lambda size: 1.5e-5 * size,
)
def loss_exponent(size: int, rng: np.random.Generator, product: float) -> float:
    """-(1/t) log f(w_t) with eigenvalues 0.1 and 1 and one between them, w₀ random."""
    start = rng.standard_normal(3)
    problem = Quadratic(np.diag([0.1, rng.uniform(0.2, 0.9), 1.0]), start / np.linalg.norm(start))
    return -scaled_tangent(problem, product, size).log_loss / size


_BITS = Parameter("bits", "32 for float32, 64 for float64", 32, integer=True, lowest=32, highest=64)


def _first(happens: Callable[[int], bool]) -> int:
    """Least t with a property that stays once it holds."""
    high = 4
    while not happens(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if happens(middle) else (middle, high)
    return high


def _breaks(problem: Quadratic, step: float, steps: int, bits: int) -> bool:
    found = backpropagate(problem, step, steps, np.float32 if bits == 32 else np.float64)
    return found.seed == 0 or not (math.isfinite(found.seed) and math.isfinite(found.gradient))


@statement(
    "l2l.cor5.3.3.range",
    source="Corollary 5.3.3",
    standing="lemma",
    statement="So back-propagation leaves the range of floats after a number of steps that is linear in the "
    "exponent range: it breaks where 2f(w_t) passes the largest float or t·f(w_t) the inverse of it; measured as "
    "the number of steps at the break over that at this place, eigenvalues from 0.5 to 1.",
    limit=1.0,
    tolerance=0.04,
    parameters=(_BITS, _PRODUCT),
    grid=(
        {"bits": 32, "product": 0.9},
        {"bits": 32, "product": 4.0},
        {"bits": 64, "product": 0.9},
        {"bits": 64, "product": 4.0},
    ),
    sizes=(3, 6),
    size_name="d",
    exponents=(1.0,),
    because="the number of directions does not matter",
    cost=lambda size, bits, product: (0.01 if product > 2 else 0.02) * (1 if bits == 32 else 9),
)
def steps_to_break(size: int, rng: np.random.Generator, bits: int, product: float) -> float:
    """Steps at which back-propagation breaks over those at which log f(w_t) leaves the range."""
    start = rng.standard_normal(size)
    values = [0.5, *rng.uniform(0.6, 0.9, size - 2), 1.0]
    problem = Quadratic(np.diag(values), start / np.linalg.norm(start))
    top = math.log(float(np.finfo(np.float32 if bits == 32 else np.float64).max))

    def leaves(steps: int) -> bool:
        loss = scaled_tangent(problem, product, steps).log_loss
        return loss + math.log(2) > top or loss + math.log(steps) < -top

    return _first(lambda steps: _breaks(problem, product, steps, bits)) / _first(leaves)


# ---- Footnote 2 ----

_SHARE = Parameter(
    "share",
    "δ in c_min ≥ δ/√d",
    0.5,
    open_below=True,
    highest=2.0,
    draw_range=(0.2, 1.0),
    assumption="the constant hidden in Ω(1/√d)",
)


def _both_coordinates(share: float) -> float:
    return math.erfc(share / math.sqrt(2)) ** 2


@statement(
    "l2l.footnote2.coordinates",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with high probability",
    statement="If w₀ is uniform on the sphere, then with high probability c_min = min(|c₁|, |c_d|) ≥ δ/√d.",
    probability=1.0,
    tolerance=0.05,
    parameters=(_SHARE,),
    grid=({"share": 0.5}, {"share": 1.0}),
    sizes=(20, 80, 320),
    size_name="d",
    exponents=(1.0,),
    because="the density of √d·c_i has an expansion in 1/d",
    cost=2e-5,
    cause="a constant probability is called high",
    note="√d·c_i tends to a standard Gaussian variable, whose probability of falling below a constant is a "
    "constant: about 0.8δ for each of the two coordinates. Read as “for every failure probability there is a "
    "constant” the remark holds.",
    credit="The same footnote says “with constant probability” of the eigenvalues, where high probability would "
    "be right.",
    corrected=correction(
        "l2l.footnote2.coordinates/corrected",
        statement="If w₀ is uniform on the sphere, c_min ≥ δ/√d with probability tending to erfc(δ/√2)².",
        probability=_both_coordinates,
        tolerance=0.02,
    ),
)
def coordinates_are_large(
    size: int, rng: np.random.Generator, replicates: int, share: float
) -> NDArray[np.float64]:
    """Whether both coordinates of a uniform unit vector exceed δ/√d."""
    w = rng.standard_normal((replicates, size))
    w /= np.linalg.norm(w, axis=1)[:, None]
    return np.asarray((np.abs(w[:, [0, -1]]).min(axis=1) >= share / math.sqrt(size)).astype(float))


@statement(
    "l2l.footnote2.spectrum",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with constant probability",
    statement="For H = XXᵀ, X d×2d Gaussian, α and L - α are of order d: α/d → (√2 - 1)²; the footnote asserts a "
    "constant probability, and it tends to one.",
    limit=(math.sqrt(2) - 1) ** 2,
    tolerance=Tolerance(relative=0.05),
    sizes=(40, 80, 160, 320),
    size_name="d",
    exponents=(2 / 3, 1.0),
    because="the smallest eigenvalue sits at a soft edge",
    cost=lambda size: 1e-4 + 4e-10 * size**3,
)
def smallest_over_d(size: int, rng: np.random.Generator) -> float:
    """Smallest eigenvalue of XXᵀ over d."""
    x = rng.standard_normal((size, 2 * size))
    return float(np.linalg.eigvalsh(x @ x.T)[0]) / size


@statement(
    "l2l.footnote2.gap",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with constant probability",
    statement="For the same H, (L - α)/d → 4√2, with probability tending to one.",
    limit=4 * math.sqrt(2),
    tolerance=Tolerance(relative=0.02),
    sizes=(40, 80, 160, 320),
    size_name="d",
    exponents=(2 / 3, 1.0),
    because="both extreme eigenvalues sit at soft edges",
    cost=lambda size: 1e-4 + 4e-10 * size**3,
)
def gap_over_d(size: int, rng: np.random.Generator) -> float:
    """(Largest minus smallest eigenvalue of XXᵀ) over d."""
    x = rng.standard_normal((size, 2 * size))
    values = np.linalg.eigvalsh(x @ x.T)
    return float(values[-1] - values[0]) / size
