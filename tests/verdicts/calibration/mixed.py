"""Claims of known truth of every kind: rates, laws, probabilities, bounds, iterated, coupled and computed ones, with
unusual sizes, dependent draws and wrongly declared exponents.

The rows are those of ``families``; each says which verdict would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import signal, stats

from rmtsim.claims._model import Claim
from rmtsim.laws import Semicircle
from rmtsim.verdicts._results import Verdict
from tests.verdicts.calibration.families import Row, limit_of, measured_claim

_CONFIRMED, _REFUTED = Verdict.CONFIRMED, Verdict.REFUTED
_HALF: dict[str, Any] = {"exponents": (0.5,)}
_ONE: dict[str, Any] = {"exponents": (1.0,)}
_SCATTERED = (7, 9, 1000, 1003, 100_000)

Array = NDArray[np.float64]
Draws = Callable[[float, np.random.Generator, int], Array]


def _y(n: float) -> float:
    return math.sqrt(40 / n)


def _sampled(sample: Draws, **options: Any) -> Callable[[int], Claim]:
    def values(size: int, rng: np.random.Generator, replicates: int) -> Array:
        return sample(float(size), rng, replicates)

    return lambda seed: measured_claim(values, **options)


def _events(chance: Callable[[float], float], **options: Any) -> Callable[[int], Claim]:
    return _sampled(lambda n, rng, k: (rng.random(k) < chance(n)).astype(float), **options)


def _computed(value: Callable[[float], float], limit: float, **options: Any) -> Callable[[int], Claim]:
    def computed(size: int) -> float:
        return value(float(size))

    return lambda seed: measured_claim(computed, limit=limit, accuracy=1e-13, **options)


def _coupled(mean: Callable[[float], float], limit: float) -> Callable[[int], Claim]:
    """Sizes share the steps of one random walk."""

    def rows(sizes: tuple[int, ...], rng: np.random.Generator) -> Array:
        walk = np.cumsum(rng.standard_normal(max(sizes)))
        return np.array([mean(float(n)) + 0.3 * walk[n - 1] / math.sqrt(n) for n in sizes])

    return lambda seed: measured_claim(rows, limit=limit, coupled=True, cost=1e-4, **_HALF)


def _iterated(mean: Callable[[float, float], float], limit: float, **options: Any) -> Callable[[int], Claim]:
    def values(size: int, rng: np.random.Generator, replicates: int, classes: int) -> Array:
        return mean(float(size), float(classes)) + 0.05 * rng.standard_normal(replicates)

    outer = ("classes", (4, 8, 16, 32))
    return lambda seed: measured_claim(values, limit=limit, outer=outer, **options)


def _spectrum(scale: float, tolerance: float) -> Callable[[int], Claim]:
    """Eigenvalues of a symmetric normal matrix, times ``scale``, against the semicircle."""

    def eigenvalues(size: int, rng: np.random.Generator) -> Array:
        entries = rng.standard_normal((size, size))
        return np.asarray(scale * np.linalg.eigvalsh((entries + entries.T) / math.sqrt(2 * size)))

    return lambda seed: measured_claim(
        eigenvalues, law=Semicircle(), tolerance=tolerance, sizes=(16, 32, 64, 128),
        cost=lambda size: 1e-6 * size**2, **_ONE,
    )  # fmt: skip


def _autoregressive(correlation: float, limit: float) -> Callable[[int], Claim]:
    def values(n: float, rng: np.random.Generator, count: int) -> Array:
        steps = math.sqrt(1 - correlation**2) * rng.standard_normal(count)
        return np.asarray(1 + 0.3 * _y(n) + 0.2 * signal.lfilter([1.0], [1.0, -correlation], steps))

    return _sampled(values, limit=limit, **_HALF)


def _harmonic(n: float) -> float:
    return sum(1 / k for k in range(1, int(n) + 1)) - math.log(n)


ROWS: tuple[Row, ...] = (
    Row("O(n^-½) stated, n^-0.4 true",
        limit_of(lambda n: (40 / n) ** 0.4, None, 0.02, rate=0.5, relation="O", tolerance=0.03), _CONFIRMED),
    Row("O(n^-½) stated, n^-1 true",
        limit_of(lambda n: 40 / n, None, 0.01, rate=0.5, relation="O", tolerance=0.03), _REFUTED),
    Row("rate n^-1 stated, 1/n + 0.05·n^-½ true",
        limit_of(lambda n: 40 / n + 0.05 * _y(n), None, 0.003, rate=1.0, tolerance=0.1), _CONFIRMED),
    Row("rate n^-½ times 2 + cos(log n), true",
        limit_of(lambda n: _y(n) * (2 + math.cos(math.log(n))), None, 0.02, rate=0.5, tolerance=0.05), _REFUTED),
    Row("limit 2 at rate ⅔ stated, rate ⅓ true",
        limit_of(lambda n: 2 - 0.6 * n ** (-1 / 3), 2.0, 0.02, rate=2 / 3, tolerance=0.1, mode=None), _CONFIRMED),
    Row("probability 1 - n^-0.1, ½ declared",
        _events(lambda n: 1 - n**-0.1, probability=1.0, **_HALF), _REFUTED),
    Row("probability 0.98 ± 0.01 by parity, stated to tend to one, tolerance 0.005",
        _events(lambda n: 0.98 + 0.01 * (-1) ** round(math.log2(n / 40)), probability=1.0, tolerance=0.005, **_ONE),
        _CONFIRMED),
    Row("Student's t with 3 degrees of freedom, stated normal, tolerance 0.01",
        _sampled(lambda n, rng, k: rng.standard_t(3, k) / math.sqrt(3), law=stats.norm(), tolerance=0.01, cost=1e-6,
                 **_HALF), _CONFIRMED),
    Row("semicircle law, true", _spectrum(1.0, 0.03), _REFUTED),
    Row("semicircle law, radius 5 % larger", _spectrum(1.05, 0.005), _CONFIRMED),
    Row("bound 0.04 on a probability of 0.0455",
        _events(lambda n: 0.0455, bound=0.04, of="probability", tolerance=1e-3),
        _CONFIRMED),
    Row("bound on a mean, exceeded at the largest size only",
        limit_of(lambda n: 0.9 + 0.13 * (n > 600), None, 0.3, bound=1.0, of="mean", tolerance=0.01), _CONFIRMED),
    Row("iterated 1 + C/n + 0.5/√C, ½ declared, true",
        _iterated(lambda n, c: 1 + c / n + 0.5 / math.sqrt(c), 1.0, **_HALF), _REFUTED),
    Row("iterated 1 + C/n + 0.5/√C, 1 declared, stated 1.1",
        _iterated(lambda n, c: 1 + c / n + 0.5 / math.sqrt(c), 1.1, **_ONE), _CONFIRMED),
    Row("coupled, oscillation in log n, true",
        _coupled(lambda n: 1 + 0.3 * _y(n) * math.cos(math.log(n)), 1.0), _REFUTED),
    Row("coupled 1 + 0.3·n^-½, stated 1.1", _coupled(lambda n: 1 + 0.3 * _y(n), 1.1), _CONFIRMED),
    Row("computed sin(n)/n, true", _computed(lambda n: math.sin(n) / n, 0.0, tolerance=1e-3, **_ONE), _REFUTED),
    Row("computed harmonic sum - log n, 0.002 off",
        _computed(_harmonic, np.euler_gamma + 0.002, tolerance=5e-4, **_ONE), _CONFIRMED),
    Row("computed 1 + 0.1·n/(n + 5000), stated 1",
        _computed(lambda n: 1 + 0.1 * n / (n + 5000), 1.0, **_ONE), _CONFIRMED),
    Row("1 + 0.1·n/(n + 5000), stated 1", limit_of(lambda n: 1 + 0.1 * n / (n + 5000), 1.0, 0.02, **_ONE), _CONFIRMED),
    Row("correlation 0.5 between neighbours of one call, true", _autoregressive(0.5, 1.0), _REFUTED),
    Row("correlation 0.9 between neighbours of one call, stated 1.05", _autoregressive(0.9, 1.05), _CONFIRMED),
    Row("sizes 7, 9, 1000, 1003, 100000, true",
        limit_of(lambda n: 1 + 0.3 * _y(n), 1.0, 0.05, sizes=_SCATTERED, cost=1e-4, **_HALF), _REFUTED),
    Row("sizes 7, 9, 1000, 1003, 100000, stated 1.05",
        limit_of(lambda n: 1 + 0.3 * _y(n), 1.05, 0.05, sizes=_SCATTERED, cost=1e-4, **_HALF), _CONFIRMED),
    Row("n^-⅓, ½ and 1 declared, true",
        limit_of(lambda n: 1 + 0.3 * (40 / n) ** (1 / 3), 1.0, 0.05, exponents=(0.5, 1.0)), _REFUTED),
    Row("small n^-½, 2 declared, true", limit_of(lambda n: 1 + 0.08 * _y(n), 1.0, 0.05, exponents=(2.0,)), _REFUTED),
    Row("Poisson(0.1 + 120/n), stated 0",
        _sampled(lambda n, rng, k: rng.poisson(0.1 + 120 / n, k).astype(float), limit=0.0, **_ONE), _CONFIRMED),
    Row("amplitude of n^-½ doubles above 300, true",
        limit_of(lambda n: 1 + 0.2 * _y(n) * (1 + (n > 300)), 1.0, 0.05, **_HALF), _REFUTED),
)  # fmt: skip
