"""Families of finite-size curves of known limit, with parameters, noise and tolerance drawn at random in every run.

Every curve is tried in three ways: with its limit stated (a refutation is wrong), with a limit two to five tolerances
off, and with the limit on which a least-squares fit of one to three declared powers lands, where that is off (a
confirmation is wrong). Only the examination itself is run: no store, no processes, no e-values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._declare import claim
from rmtsim.claims._model import Claim
from rmtsim.verdicts._examinations.conclude import warnings_of
from rmtsim.verdicts._examinations.design import Setting
from rmtsim.verdicts._examinations.random import Random
from rmtsim.verdicts._results import Verdict
from tests.verdicts.calibration.trial import TrialRunner

SIZES = (40, 80, 160, 320, 640)
VARIANTS = ("true", "off", "truncated")
LEVEL = 0.05


@dataclass(frozen=True)
class Curve:
    """The mean at every size, its limit, and the exponents declared (None: none)."""

    mean: Callable[[float], float]
    limit: float
    exponents: tuple[float, ...] | None


Draw = Callable[[np.random.Generator], Curve]


def _in_powers(
    function: Callable[[float, float], float], limit: float, p: float, low: float, high: float
) -> Draw:
    """function(a, y) with y = (40/n)^p and a uniform from ``low`` to ``high``."""

    def draw(rng: np.random.Generator) -> Curve:
        a = float(rng.uniform(low, high))
        return Curve(lambda n: function(a, (40 / n) ** p), limit, (p,))

    return draw


def _series(scale: float, p: float, terms: int = 4) -> Draw:
    """1 + Σ c_j y^j with independent normal coefficients."""

    def draw(rng: np.random.Generator) -> Curve:
        factors = scale * rng.standard_normal(terms)
        return Curve(lambda n: 1 + float(factors @ (40 / n) ** (p * np.arange(1, terms + 1))), 1.0, (p,))

    return draw


def _two_terms(powers: tuple[float, float], declared: tuple[float, ...], reach: float = 0.5) -> Draw:
    def draw(rng: np.random.Generator) -> Curve:
        a, b = rng.uniform(-reach, reach, 2).tolist()
        return Curve(lambda n: 1 + a * (40 / n) ** powers[0] + b * (40 / n) ** powers[1], 1.0, declared)

    return draw


def _rational_transition(rng: np.random.Generator) -> Curve:
    where, power = math.exp(rng.uniform(math.log(60), math.log(900))), rng.uniform(1, 3)
    return Curve(lambda n: float(1 / (1 + (where / n) ** power)), 1.0, (1.0,))


def _sudden_transition(rng: np.random.Generator) -> Curve:
    where, width = math.exp(rng.uniform(math.log(60), math.log(900))), rng.uniform(0.2, 1)
    return Curve(lambda n: 0.5 + 0.5 * math.tanh(math.log(n / where) / width), 1.0, (1.0,))


def _oscillation(rng: np.random.Generator) -> Curve:
    frequency, phase = rng.uniform(0.5, 3), rng.uniform(0, 2 * math.pi)
    power, a = float(rng.uniform(0.4, 1)), rng.uniform(0.1, 1)
    return Curve(
        lambda n: 1 + a * math.cos(frequency * math.log(n) + phase) * (40 / n) ** power, 1.0, (power,)
    )


def _parity(mild: bool) -> Draw:
    def draw(rng: np.random.Generator) -> Curve:
        power, a, b = float(rng.uniform(0.4, 1)), rng.uniform(0.1, 1), rng.uniform(0.02, 0.2)
        even, odd = (a, b) if mild else (0.0, a)
        return Curve(
            lambda n: 1 + (even + odd * (-1) ** round(math.log2(n / 40))) * (40 / n) ** power, 1.0, (power,)
        )

    return draw


def _with_logarithm(rng: np.random.Generator) -> Curve:
    power, a = float(rng.choice([0.5, 1.0])), rng.uniform(0.02, 0.3)
    return Curve(lambda n: 1 + a * math.log(n) * (40 / n) ** power, 1.0, (power,))


def _shifted(rng: np.random.Generator) -> Curve:
    a, shift = rng.uniform(-0.5, 0.5), rng.uniform(-25, 200)
    return Curve(lambda n: 1 + a * 40 / (n + shift), 1.0, (1.0,))


def _single_power(rng: np.random.Generator) -> Curve:
    p, a = float(rng.choice([0.5, 2 / 3, 1.0])), rng.uniform(-0.3, 0.3)
    return Curve(lambda n: 1 + a * (40 / n) ** p, 1.0, (p,))


def _pair(rng: np.random.Generator) -> Curve:
    p, a, b = float(rng.choice([0.5, 2 / 3, 1.0])), *rng.uniform(-0.2, 0.2, 2)
    return Curve(lambda n: 1 + a * (40 / n) ** p + b * (40 / n) ** (2 * p), 1.0, (p,))


def _undeclared(draw: Draw) -> Draw:
    def without(rng: np.random.Generator) -> Curve:
        found = draw(rng)
        return Curve(found.mean, found.limit, None)

    return without


def _any_power(rng: np.random.Generator) -> Curve:
    p, a = float(rng.uniform(0.3, 2)), rng.uniform(-0.5, 0.5)
    return Curve(lambda n: 1 + a * (40 / n) ** p, 1.0, None)


def _one_over_log(rng: np.random.Generator) -> Curve:
    a = rng.uniform(0.1, 1)
    return Curve(lambda n: 1 + a / math.log(n), 1.0, None)


CURVES: dict[str, Draw] = {
    "flat": lambda rng: Curve(lambda n: 1.0, 1.0, (1.0,)),
    "one declared power": _single_power,
    "two declared powers": _pair,
    "flat, undeclared": lambda rng: Curve(lambda n: 1.0, 1.0, None),
    **{f"series of four powers, p = {name}": _series(0.3, p) for name, p in
       (("1/3", 1 / 3), ("1/2", 0.5), ("2/3", 2 / 3), ("1", 1.0), ("3/2", 1.5), ("2", 2.0))},
    "series of four powers, coefficients 1": _series(1.0, 0.5),
    "series of six powers": _series(0.3, 0.5, 6),
    "1 + 0.3(y - 2y² + 1.5y³)": _in_powers(lambda a, y: 1 + 0.3 * (y - 2 * y**2 + 1.5 * y**3), 1.0, 0.5, 0, 1),
    "exp(-cy), c = 1…5, p = 1/2": _in_powers(lambda a, y: math.exp(-a * y), 1.0, 0.5, 1, 5),
    "exp(-cy), c = 1…5, p = 1": _in_powers(lambda a, y: math.exp(-a * y), 1.0, 1.0, 1, 5),
    "exp(-c/y), c = 0.3…3": _in_powers(lambda a, y: math.exp(-a / y), 0.0, 0.5, 0.3, 3),
    "1/(1 + ay), a = 0.5…8, p = 1/2": _in_powers(lambda a, y: 1 / (1 + a * y), 1.0, 0.5, 0.5, 8),
    "1/(1 + ay), a = 0.5…8, p = 1": _in_powers(lambda a, y: 1 / (1 + a * y), 1.0, 1.0, 0.5, 8),
    "1/(1 - ay), a = 0.2…0.9": _in_powers(lambda a, y: 1 / (1 - a * y), 1.0, 0.5, 0.2, 0.9),
    "log(1 + ay), a = 0.3…8": _in_powers(lambda a, y: math.log1p(a * y), 0.0, 0.5, 0.3, 8),
    "√(1 + ay), a = 0.3…8": _in_powers(lambda a, y: math.sqrt(1 + a * y), 1.0, 0.5, 0.3, 8),
    "√(1 - ay), a = 0.3…1": _in_powers(lambda a, y: math.sqrt(1 - a * y), 1.0, 0.5, 0.3, 1),
    "tanh(1/(ay)), a = 0.5…8, p = 1": _in_powers(lambda a, y: math.tanh(1 / (a * y)), 1.0, 1.0, 0.5, 8),
    "1 + 0.3 sin(ay), a = 1…6": _in_powers(lambda a, y: 1 + 0.3 * math.sin(a * y), 1.0, 0.5, 1, 6),
    "0.3 cos(ay), a = 1…6": _in_powers(lambda a, y: 0.3 * math.cos(a * y), 0.3, 0.5, 1, 6),
    "transition 1/(1 + (n₀/n)^k), n₀ = 60…900": _rational_transition,
    "transition tanh, n₀ = 60…900": _sudden_transition,
    "oscillation in log n": _oscillation,
    "parity, sign alternates": _parity(mild=False),
    "parity beside a power": _parity(mild=True),
    "log n/n^p": _with_logarithm,
    "1/2 and 2/3 together": _two_terms((0.5, 2 / 3), (0.5, 2 / 3)),
    "1/2 and 1 together": _two_terms((0.5, 1.0), (0.5, 1.0)),
    "1/2 and 1, declared 1": _two_terms((0.5, 1.0), (1.0,)),
    "2/3 and 4/3, declared 1": _two_terms((2 / 3, 4 / 3), (1.0,), 0.3),
    "40/(n + b), b = -25…200": _shifted,
    "one power from 0.3 to 2, undeclared": _any_power,
    "series of four powers, undeclared": _undeclared(_series(0.3, 0.5)),
    "exp(-cy), undeclared": _undeclared(_in_powers(lambda a, y: math.exp(-a * y), 1.0, 0.5, 1, 5)),
    "transition, undeclared": _undeclared(_rational_transition),
    "oscillation, undeclared": _undeclared(_oscillation),
    "1/log n, undeclared": _one_over_log,
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a run gave."""

    verdict: Verdict
    wrong: bool
    warned: bool
    cost: float


def _landing(curve: Curve, powers: int) -> float:
    """The limit that a least-squares fit of so many multiples of the exponent gives without noise."""
    x = 40 / np.array(SIZES, dtype=float)
    p = 0.5 if curve.exponents is None else curve.exponents[0]
    columns = np.stack([x ** (p * k) for k in range(powers + 1)], axis=1)
    values = np.array([curve.mean(float(size)) for size in SIZES])
    return float(np.linalg.lstsq(columns, values, rcond=None)[0][0])


def attempt(name: str, variant: str, seed: int, *, budget: float = 20.0) -> Outcome | None:
    """One run; None where a truncated series lands within 1.2 tolerances of the limit."""
    item, wrong = curve_claim(name, variant, seed)
    if item is None:
        return None
    verdict, warned, cost = _examined(item, seed, budget)
    return Outcome(verdict, verdict is wrong, warned, cost)


def curve_claim(name: str, variant: str, seed: int) -> tuple[Claim | None, Verdict]:
    """A claim about a curve (None for a truncated series that lands near the limit), and the verdict that is wrong.

    Tolerances are 0.01 or 0.02, standard deviations of a replicate log-uniform from 0.003 to 0.3.
    """
    wrong = Verdict.REFUTED if variant == "true" else Verdict.CONFIRMED
    rng = np.random.default_rng([seed, *name.encode(), 3])
    curve = CURVES[name](rng)
    tolerance, deviation = (
        float(rng.choice([0.01, 0.02])),
        math.exp(rng.uniform(math.log(0.003), math.log(0.3))),
    )
    if variant == "true":
        stated = curve.limit + tolerance * rng.uniform(-0.3, 0.3)
    elif variant == "off":
        stated = curve.limit + rng.choice([-1, 1]) * tolerance * rng.uniform(2, 5)
    else:
        stated = _landing(curve, int(rng.integers(1, 4)))
        if abs(stated - curve.limit) < 1.2 * tolerance:
            return None, wrong

    def measured(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        return curve.mean(float(size)) + deviation * rng.standard_normal(replicates)

    options: dict[str, Any] = {} if curve.exponents is None else {"exponents": curve.exponents}
    item: Claim = claim(
        "curve", measured, limit=float(stated), tolerance=tolerance, sizes=SIZES,
        cost=lambda size: 1e-4 * size / 40, mode="mean", **options,
    )  # fmt: skip
    return item, wrong


def _examined(item: Claim, seed: int, budget: float) -> tuple[Verdict, bool, float]:
    """Verdict, whether its first line warns, and nominal cost."""
    spent, looks, runner = 0.0, 0, TrialRunner()
    strategy = Random(item, Setting({}, seed, LEVEL, budget, left=lambda: budget - spent))
    outlook: float | None = 0.0
    while outlook is not None:
        keys, cost = strategy.ask()
        if looks and spent + cost > 1.001 * budget:
            break
        strategy.take(list(runner.run(keys)))
        spent, looks = spent + cost, looks + 1
        outlook = strategy.analyse(spent, looks)
    verdict = strategy.asked.verdict(strategy.analysis)
    return verdict, bool(warnings_of(strategy.asked, verdict, strategy.analysis, (), ())), spent
