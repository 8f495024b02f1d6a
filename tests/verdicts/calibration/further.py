"""Claims of known truth of kinds that the other families lack: amplitudes that vary slowly, changes of sign, sizes of
three residues, rare modes, truncated logarithms, discrete values, tails of index 1.5, irregular sizes, extreme scales.

The rows are those of ``families``; each says which verdict would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.verdicts._results import Verdict
from tests.verdicts.calibration.families import Row, limit_of, measured_claim

_CONFIRMED, _REFUTED = Verdict.CONFIRMED, Verdict.REFUTED
_HALF: dict[str, Any] = {"exponents": (0.5,)}
_IRREGULAR = (37, 41, 44, 97, 301, 333)
_NARROW = (600, 610, 620, 630, 640)

Array = NDArray[np.float64]


def _y(n: float) -> float:
    return math.sqrt(40 / n)


def _drawn(
    mean: Callable[[float, float], float], low: float, high: float, stated: float
) -> Callable[[int], Claim]:
    """A claim about mean(a, n) with a uniform from ``low`` to ``high``."""

    def make(seed: int) -> Claim:
        a = float(np.random.default_rng([seed, 77]).uniform(low, high))
        return limit_of(lambda n: mean(a, n), stated, 0.05, **_HALF)(seed)

    return make


def _sampled(
    sample: Callable[[float, np.random.Generator, int], Array], limit: float, **options: Any
) -> Callable[[int], Claim]:
    def values(size: int, rng: np.random.Generator, replicates: int) -> Array:
        return sample(float(size), rng, replicates)

    return lambda seed: measured_claim(values, **{"limit": limit, **_HALF, **options})


def _residue(n: float) -> int:
    """Of the number of the size, divided by three."""
    return round(math.log2(n / 40)) % 3


def _rare_mode(n: float, rng: np.random.Generator, count: int) -> Array:
    """One value of two hundred is larger by 20: the mean is 1.1."""
    return 1 + 20.0 * (rng.random(count) < 0.005) + 0.05 * rng.standard_normal(count)


def _heavy(n: float, rng: np.random.Generator, count: int) -> Array:
    """Symmetric, tails of index 1.5."""
    return 1 + 0.5 * _y(n) + 0.05 * rng.choice([-1.0, 1.0], count) * rng.pareto(1.5, count)


def _one_sided(n: float, rng: np.random.Generator, count: int) -> Array:
    """Mean 1, tails of index 1.5 on one side."""
    return rng.pareto(1.5, count) - 1.0


def _noisy_at_the_end(jump: float) -> Callable[[float, np.random.Generator, int], Array]:
    def sample(n: float, rng: np.random.Generator, count: int) -> Array:
        last = n >= 640
        return 1 + jump * last + (5.0 if last else 0.05) * rng.standard_normal(count)

    return sample


def _antithetic(n: float, rng: np.random.Generator, count: int) -> Array:
    noise = rng.standard_normal((count + 1) // 2)
    return 1 + 0.3 * _y(n) + 0.05 * np.stack([noise, -noise], axis=1).ravel()[:count]


def _at_scale(scale: float, offset: float = 0.0) -> Callable[[float, np.random.Generator, int], Array]:
    return lambda n, rng, k: offset + scale * (1 + 0.3 * _y(n) + 0.05 * rng.standard_normal(k))


def _truncated_log(n: float) -> float:
    """1/log n until 300, constant from there on."""
    return 1 + 0.3 / math.log(min(n, 300.0)) - 0.3 / math.log(300.0)


ROWS: tuple[Row, ...] = (
    Row("amplitude that grows like 1 + ½ log n, true",
        _drawn(lambda a, n: 1 + a * (1 + 0.5 * math.log(n / 40)) * _y(n), 0.1, 0.5, 1.0), _REFUTED),
    Row("amplitude that falls like 1/√log n, true",
        _drawn(lambda a, n: 1 + a * _y(n) / math.sqrt(math.log(n)), 0.1, 0.5, 1.0), _REFUTED),
    Row("correction that changes sign, true",
        _drawn(lambda a, n: 1 + 0.4 * (_y(n) - 1.5 * a * _y(n) ** 2), 0.3, 0.9, 1.0), _REFUTED),
    Row("correction that changes sign, stated 0.9",
        _drawn(lambda a, n: 1 + 0.4 * (_y(n) - 1.5 * a * _y(n) ** 2), 0.3, 0.9, 0.9), _CONFIRMED),
    Row("sizes of three residues, decaying, true",
        _drawn(lambda a, n: 1 + (0.1 + a * (_residue(n) - 1)) * _y(n), 0.02, 0.2, 1.0), _REFUTED),
    Row("sizes of three residues, three limits",
        limit_of(lambda n: 1 + (0.0, 0.06, -0.06)[_residue(n)], 1.0, 0.05, **_HALF), _CONFIRMED),
    Row("rare mode (0.5 %) far away, stated without it", _sampled(_rare_mode, 1.0), _CONFIRMED),
    Row("rare mode (0.5 %) far away, true", _sampled(_rare_mode, 1.1), _REFUTED),
    Row("1/log n truncated at 300, undeclared, true",
        limit_of(_truncated_log, 1.0, 0.05, tolerance=0.01), _REFUTED),
    Row("1/log n truncated at 300, ½ declared, true",
        limit_of(_truncated_log, 1.0, 0.05, tolerance=0.01, **_HALF), _REFUTED),
    Row("values rounded to thirds, true",
        _sampled(lambda n, rng, k: np.round(3 * (1 + 0.5 * _y(n) + 0.4 * rng.standard_normal(k))) / 3, 1.0), _REFUTED),
    Row("zeros and ones without a support, stated 0.4 in place of 0.3",
        _sampled(lambda n, rng, k: (rng.random(k) < 0.3 + 0.2 * _y(n)).astype(float), 0.4), _CONFIRMED),
    Row("symmetric tails of index 1.5, true", _sampled(_heavy, 1.0, tolerance=0.05), _REFUTED),
    Row("symmetric tails of index 1.5, stated 1.3", _sampled(_heavy, 1.3, tolerance=0.05), _CONFIRMED),
    Row("one-sided tails of index 1.5, true", _sampled(_one_sided, 1.0, tolerance=0.1), _REFUTED),
    Row("irregular sizes, true", limit_of(lambda n: 1 + 0.3 * _y(n), 1.0, 0.05, sizes=_IRREGULAR, **_HALF), _REFUTED),
    Row("irregular sizes, stated 0.94",
        limit_of(lambda n: 1 + 0.3 * _y(n), 0.94, 0.05, sizes=_IRREGULAR, **_HALF), _CONFIRMED),
    Row("sizes 600 to 640, true", limit_of(lambda n: 1 + _y(n), 1.0, 0.001, sizes=_NARROW, **_HALF), _REFUTED),
    Row("sizes 600 to 640, stated 1.25",
        limit_of(lambda n: 1 + _y(n), 1.25, 0.001, sizes=_NARROW, **_HALF), _CONFIRMED),
    Row("tolerance 1e-9, stated 1e-5 off",
        limit_of(lambda n: 1 + 0.3 * _y(n), 1.00001, 0.05, tolerance=1e-9, **_HALF), _CONFIRMED),
    Row("limit -1e-3, true", _sampled(_at_scale(-1e-3), -1e-3, tolerance=2e-5), _REFUTED),
    Row("offset 1e12, stated 0.5 off", _sampled(_at_scale(1.0, 1e12), 1e12 + 1.5, tolerance=0.05), _CONFIRMED),
    Row("scale 1e-150, true", _sampled(_at_scale(1e-150), 1e-150, tolerance=2e-152), _REFUTED),
    Row("noise a hundred times larger at the largest size, true", _sampled(_noisy_at_the_end(0.0), 1.0), _REFUTED),
    Row("noise and mean change at the largest size, stated 1", _sampled(_noisy_at_the_end(0.5), 1.0), _CONFIRMED),
    Row("antithetic pairs, true", _sampled(_antithetic, 1.0), _REFUTED),
    Row("small deviation that grows like log n, stated constant",
        limit_of(lambda n: 1 + 0.002 * math.log(n / 40), 1.0, 1e-4, tolerance=0.05, **_HALF), _CONFIRMED),
)  # fmt: skip
