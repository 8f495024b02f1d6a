"""Further claims of known truth, written to break the engine: near-cancelling series, late events, odd values.

The rows are those of ``families``; each says which verdict would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rmtsim.claims._model import Claim
from rmtsim.verdicts._results import Verdict
from tests.verdicts.calibration.families import Row, limit_of, measured_claim

_CONFIRMED, _REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

Sample = Callable[[float, np.random.Generator, int], NDArray[np.float64]]


def _sampled(sample: Sample, **options: Any) -> Callable[[int], Claim]:
    """A claim whose values are drawn by ``sample``."""

    def values(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        return sample(float(size), rng, replicates)

    return lambda seed: measured_claim(values, **options)


def _exact(value: Callable[[float], float], **options: Any) -> Callable[[int], Claim]:
    """A claim about a computed sequence."""

    def values(size: int) -> float:
        return value(float(size))

    return lambda seed: measured_claim(values, **{"accuracy": 1e-12, **options})


def _cancelling(seed: int) -> Claim:
    """Three powers of n^-½ whose sum at the smallest size is a tenth of each."""
    a, b = np.random.default_rng([seed, 11]).uniform(-1, 1, 2)
    c = 0.05 - a - b
    mean = lambda n: 1 + float(a * _y(n) + b * _y(n) ** 2 + c * _y(n) ** 3)  # noqa: E731
    return limit_of(mean, 1.0, 0.02, exponents=(0.5,))(seed)


def _log_oscillation(seed: int) -> Claim:
    """A power times a cosine of log n whose period is drawn."""
    rng = np.random.default_rng([seed, 12])
    period, phase, power = rng.uniform(1, 6), rng.uniform(0, 2 * math.pi), float(rng.uniform(0.3, 1))
    mean = lambda n: 1 + 0.3 * (40 / n) ** power * math.cos(2 * math.pi * math.log(n / 40) / period + phase)  # noqa: E731
    return limit_of(mean, 1.0, 0.02, exponents=(power,))(seed)


def _two_groups(size: float, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Values near 0 and near 2, half each: the mean is 1 + 1/n."""
    return 2.0 * rng.integers(0, 2, count) + 1 / size + 0.01 * rng.standard_normal(count)


def _correlated(size: float, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Replicates of one batch share half of their noise."""
    return 1.0 + 0.3 * rng.standard_normal() + 0.1 * rng.standard_normal(count)


def _rare_at_the_end(size: float, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """With probability 0.02 a value of 10 at the two largest sizes only: the limit is 1.2."""
    rare = rng.random(count) < (0.02 if size >= 320 else 0.0)
    return 1 + 10.0 * rare + 0.1 * rng.standard_normal(count)


def _iterated_rows(truth: float, stated: float) -> Callable[[int], Claim]:
    def values(size: int, rng: np.random.Generator, replicates: int, classes: int) -> NDArray[np.float64]:
        return truth + 1 / classes + classes / size + 0.05 * rng.standard_normal(replicates)

    return lambda seed: measured_claim(
        values, limit=stated, exponents=(1.0,), outer=("classes", (4, 8, 16, 32))
    )


def _contamination(share: float, stated: Any, tolerance: float) -> Callable[[int], Claim]:
    """Draws of a normal law of which a share is moved by five."""

    def values(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        return rng.standard_normal(replicates) + 5.0 * (rng.random(replicates) < share)

    return lambda seed: measured_claim(values, law=stated, tolerance=tolerance, cost=1e-6)


def _y(n: float) -> float:
    return math.sqrt(40 / n)


ROWS: tuple[Row, ...] = (
    Row("three powers that nearly cancel at the smallest size", _cancelling, _REFUTED),
    Row("oscillation in log n, drawn period", _log_oscillation, _REFUTED),
    Row("cancelling pair 0.5(y - y²), wrong limit 1.08",
        limit_of(lambda n: 1 + 0.5 * (_y(n) - _y(n) ** 2), 1.08, 0.02, exponents=(0.5,)), _CONFIRMED),
    Row("y·log n with ½ declared, wrong limit 1.1",
        limit_of(lambda n: 1 + 0.05 * math.log(n) * _y(n), 1.1, 0.02, exponents=(0.5,)), _CONFIRMED),
    Row("1/log n, undeclared, wrong limit 1.1",
        limit_of(lambda n: 1 + 1 / math.log(n), 1.1, 0.02), _CONFIRMED),
    Row("1/log n, undeclared, true", limit_of(lambda n: 1 + 1 / math.log(n), 1.0, 0.02), _REFUTED),
    Row("log log n/log n, undeclared, true",
        limit_of(lambda n: 1 + math.log(math.log(n)) / math.log(n), 1.0, 0.02), _REFUTED),
    Row("grows like 0.01·log n, stated constant",
        limit_of(lambda n: 1 + 0.01 * math.log(n / 40), 1.02, 0.02, tolerance=0.005), _CONFIRMED),
    Row("grows like n^0.02, stated constant",
        limit_of(lambda n: (n / 40) ** 0.02, 1.03, 0.02, tolerance=0.01), _CONFIRMED),
    Row("constant until 320, then 0.1·log(n/320)",
        limit_of(lambda n: 1 + 0.1 * max(0.0, math.log(n / 320)), 1.0, 0.05, exponents=(1.0,)), _CONFIRMED),
    Row("parity of size/40 beside 1/n, true",
        limit_of(lambda n: 1 + (0.3 + 0.2 * (-1) ** int(n / 40)) * 40 / n, 1.0, 0.02,
              sizes=(40, 120, 200, 360, 640), exponents=(1.0,)), _REFUTED),
    Row("parity that stays, two limits 0.9 and 1.1",
        limit_of(lambda n: 1 + 0.1 * (-1) ** round(math.log2(n / 40)), 1.0, 0.02, exponents=(1.0,)), _CONFIRMED),
    Row("deviation grows like √n, true",
        _sampled(lambda n, rng, k: 1 + 1 / n + 0.02 * math.sqrt(n / 40) * rng.standard_normal(k),
                 limit=1.0, exponents=(1.0,)), _REFUTED),
    Row("deviation grows like √n, wrong limit 1.1",
        _sampled(lambda n, rng, k: 1 + 1 / n + 0.02 * math.sqrt(n / 40) * rng.standard_normal(k),
                 limit=1.1, exponents=(1.0,)), _CONFIRMED),
    Row("deviation vanishes at the largest size, true",
        _sampled(lambda n, rng, k: 1 + 1 / n + (0.0 if n >= 640 else 0.1) * rng.standard_normal(k),
                 limit=1.0, exponents=(1.0,)), _REFUTED),
    Row("rare values (2 %) at the two largest sizes only",
        _sampled(_rare_at_the_end, limit=1.0, exponents=(1.0,), tolerance=0.05), _CONFIRMED),
    Row("two groups of values, true", _sampled(_two_groups, limit=1.0, exponents=(1.0,)), _REFUTED),
    Row("two groups of values, mode None: the limit is random",
        _sampled(_two_groups, limit=1.0, exponents=(1.0,), mode=None), _CONFIRMED, 60.0),
    Row("whole numbers: Poisson(3), mean 3", _sampled(lambda n, rng, k: rng.poisson(3 + 1 / n, k).astype(float),
        limit=3.0, tolerance=0.05, exponents=(1.0,)), _REFUTED),
    Row("whole numbers: Poisson(3), stated 3.2", _sampled(lambda n, rng, k: rng.poisson(3 + 1 / n, k).astype(float),
        limit=3.2, tolerance=0.05, exponents=(1.0,)), _CONFIRMED),
    Row("Student's t with 2.1 degrees of freedom, true",
        _sampled(lambda n, rng, k: 1 + 1 / n + 0.1 * rng.standard_t(2.1, k), limit=1.0, exponents=(1.0,)), _REFUTED),
    Row("Pareto(2.2), one-sided, true",
        _sampled(lambda n, rng, k: 1 + 1 / n + 0.1 * (rng.pareto(2.2, k) - 1 / 1.2), limit=1.0, exponents=(1.0,)),
        _REFUTED),
    Row("Pareto(2.2), one-sided, stated median",
        _sampled(lambda n, rng, k: 1 + 1 / n + 0.3 * rng.pareto(2.2, k), limit=1.11, exponents=(1.0,)), _CONFIRMED),
    Row("constant values 1, stated 1.5",
        _sampled(lambda n, rng, k: np.ones(k), limit=1.5, exponents=(1.0,)), _CONFIRMED),
    Row("replicates of a batch share their noise, true", _sampled(_correlated, limit=1.0, exponents=(1.0,)), _REFUTED),
    Row("replicates of a batch share their noise, stated 1.1",
        _sampled(_correlated, limit=1.1, exponents=(1.0,)), _CONFIRMED),
    Row("hard support [0, 1], mean 1 - 0.5/√n, true",
        _sampled(lambda n, rng, k: rng.beta(2 * math.sqrt(n) - 1, 1, k), limit=1.0, exponents=(0.5,),
                 support=(0.0, 1.0)), _REFUTED),
    Row("unit 1e-12, true",
        _sampled(lambda n, rng, k: 1e-12 * (1 + 1 / n + 0.1 * rng.standard_normal(k)), limit=1e-12,
                 tolerance=2e-14, exponents=(1.0,)), _REFUTED),
    Row("unit 1e12, off by five tolerances",
        _sampled(lambda n, rng, k: 1e12 * (1 + 1 / n + 0.1 * rng.standard_normal(k)), limit=1.1e12,
                 tolerance=2e10, exponents=(1.0,)), _CONFIRMED),
    Row("negative limit -3, true",
        limit_of(lambda n: -3 + 20 / n - 200 / n**2, -3.0, 0.05, exponents=(1.0,)), _REFUTED),
    Row("negative limit -3, stated +3",
        limit_of(lambda n: -3 + 20 / n, 3.0, 0.05, exponents=(1.0,)), _CONFIRMED),
    Row("limit zero of n^-1/4, true, ¼ declared",
        limit_of(lambda n: (40 / n) ** 0.25, 0.0, 0.02, exponents=(0.25,)), _REFUTED),
    Row("tends to 0.06, stated 0, ½ declared",
        limit_of(lambda n: 0.06 + 0.3 * _y(n), 0.0, 0.02, exponents=(0.5,)), _CONFIRMED),
    Row("exp(-√(n/40)) → 0, ½ declared", limit_of(lambda n: math.exp(-math.sqrt(n / 40)), 0.0, 0.02, exponents=(0.5,)),
        _REFUTED),
    Row("exp(-n/200) → 0, 1 declared", limit_of(lambda n: math.exp(-n / 200), 0.0, 0.02, exponents=(1.0,)), _REFUTED),
    Row("exp(-n/200) → 0, undeclared", limit_of(lambda n: math.exp(-n / 200), 0.0, 0.02), _REFUTED),
    Row("n^-1/2 beside 1/n, 1 declared, true",
        limit_of(lambda n: 1 + 0.2 * _y(n) - 0.3 * 40 / n, 1.0, 0.05, exponents=(1.0,)), _REFUTED),
    Row("n^-2/3, 1 declared, wrong limit 0.98",
        limit_of(lambda n: 1 - 0.5 * (40 / n) ** (2 / 3), 0.98, 0.02, tolerance=0.005, exponents=(1.0,)), _CONFIRMED),
    Row("n^-3/2 alone, ½ declared, true",
        limit_of(lambda n: 1 + 2 * (40 / n) ** 1.5, 1.0, 0.02, exponents=(0.5,)), _REFUTED),
    Row("probability 1 - 3/n tends to one",
        _sampled(lambda n, rng, k: (rng.random(k) > 3 / n).astype(float), probability=1.0, exponents=(1.0,)),
        _REFUTED),
    Row("probability 0.97 stated to tend to one, tolerance 0.01",
        _sampled(lambda n, rng, k: (rng.random(k) < 0.97).astype(float), probability=1.0, exponents=(1.0,),
                 tolerance=0.01), _CONFIRMED),
    Row("bound on a value attained exactly",
        _sampled(lambda n, rng, k: np.where(rng.random(k) < 0.3, 1.0, rng.random(k)), bound=1.0, tolerance=1e-9),
        _REFUTED),
    Row("bound on a value exceeded with probability 0.001",
        _sampled(lambda n, rng, k: np.where(rng.random(k) < 0.001, 1.01, rng.random(k)), bound=1.0, tolerance=1e-9),
        _CONFIRMED),
    Row("bound on a mean attained in the limit",
        _sampled(lambda n, rng, k: 1 - 1 / n + 0.3 * rng.standard_normal(k), bound=1.0, of="mean",
                 tolerance=0.01), _REFUTED),
    Row("bound on a mean exceeded by three tolerances",
        _sampled(lambda n, rng, k: 1.03 + 0.3 * rng.standard_normal(k), bound=1.0, of="mean", tolerance=0.01),
        _CONFIRMED),
    Row("bound on a probability attained",
        _sampled(lambda n, rng, k: (rng.random(k) < 0.1).astype(float), bound=0.1, of="probability",
                 tolerance=0.02), _REFUTED),
    Row("computed 1/n + rounding noise 1e-9, accuracy 1e-8",
        _exact(lambda n: 1 + 1 / n + 1e-9 * math.sin(1e6 * n), limit=1.0, tolerance=1e-4, exponents=(1.0,),
               accuracy=1e-8), _REFUTED),
    Row("computed, rounding noise 1e-5 beyond its accuracy 1e-8",
        _exact(lambda n: 1 + 1 / n + 1e-5 * math.sin(1e6 * n), limit=1.0, tolerance=1e-6, exponents=(1.0,),
               accuracy=1e-8), _REFUTED),
    Row("computed (log n)²/n, 1 declared", _exact(lambda n: math.log(n) ** 2 / n, limit=0.0, tolerance=0.005,
        exponents=(1.0,)), _REFUTED),
    Row("computed parity: 1/n on even powers, -1/n on odd ones",
        _exact(lambda n: (-1) ** round(math.log2(n / 40)) / n, limit=0.0, tolerance=1e-4, exponents=(1.0,)),
        _REFUTED),
    Row("iterated: 1 + 1/C + C/n, true", _iterated_rows(1.0, 1.0), _REFUTED, 60.0),
    Row("iterated: 1 + 1/C + C/n, stated 1.1", _iterated_rows(1.0, 1.1), _CONFIRMED, 60.0),
    Row("2 % of a normal law moved by 5, stated normal, tolerance 0.005",
        _contamination(0.02, stats.norm(), 0.005), _CONFIRMED),
    Row("0.1 % of a normal law moved by 5, stated normal, tolerance 0.02",
        _contamination(0.001, stats.norm(), 0.02), _REFUTED),
    Row("rate n^-½ stated, n^-0.6 true",
        limit_of(lambda n: (40 / n) ** 0.6, None, 0.02, rate=0.5, tolerance=0.03), _CONFIRMED),
    Row("rate n^-½ with relative correction 1.5/√n, true",
        limit_of(lambda n: _y(n) * (1 + 1.5 * _y(n)), None, 0.02, rate=0.5, tolerance=0.05), _REFUTED),
    Row("rate n^-1 stated, tends to 0.01",
        limit_of(lambda n: 0.01 + 40 / n, None, 0.002, rate=1.0, tolerance=0.1), _CONFIRMED),
)  # fmt: skip
"""Budgets are 20 nominal seconds unless stated; sizes 40…640."""
