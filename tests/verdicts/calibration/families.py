"""Claims of known truth whose finite-size correction is not a single power: long series, transitions, oscillations.

Every row says which verdicts would be wrong. Wrong verdicts with a warning in their first line are counted
separately. Clear claims, which should be decided, have separate rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats

from rmtsim.claims._declare import claim
from rmtsim.claims._model import Claim
from rmtsim.verdicts._question import decide
from rmtsim.verdicts._results import Verdict

SIZES = (40, 80, 160, 320, 640)
_CONFIRMED, _REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

Means = Callable[[float], float]


@dataclass(frozen=True)
class Row:
    """One family: a claim for every seed, the verdict that would be wrong, and the nominal budget of a run."""

    name: str
    make: Callable[[int], Claim]
    wrong: Verdict
    budget: float = 20.0
    clear: bool = False
    """Whether the claim should be decided."""

    @property
    def truth(self) -> str:
        """Whether the stated claim is true."""
        return "true" if self.wrong is _REFUTED else "false"


def _measured(mean: Means, deviation: float) -> Callable[..., NDArray[np.float64]]:
    def measured(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        return mean(float(size)) + deviation * rng.standard_normal(replicates)

    return measured


def limit_of(
    mean: Means, limit: float | None, deviation: float = 0.1, **options: Any
) -> Callable[[int], Claim]:
    """A claim about values of a given mean with normal noise; without a limit ``options`` say what is stated."""
    stated = {} if limit is None else {"limit": limit}
    return lambda seed: measured_claim(_measured(mean, deviation), **stated, **options)


def measured_claim(function: Callable[..., Any], **options: Any) -> Claim:
    """A claim with the trial's defaults: tolerance 0.02, sizes 40…640, cost proportional to the size."""
    cost = options.pop("cost", lambda size: 1e-4 * size / 40)
    # Noise of a constant deviation: what tends to the limit is the mean.
    mean = {"mode": "mean"} if "limit" in options and not {"accuracy", "outer", "mode"} & set(options) else {}
    settings = {"tolerance": 0.02, "sizes": SIZES, "cost": cost, **mean, **options}
    found: Claim = claim("family", function, **settings)
    return found


def _series(scale: float, **options: Any) -> Callable[[int], Claim]:
    """1 + Σ c_j y^j, j = 1…4, y = √(40/n), with independent normal coefficients."""

    def make(seed: int) -> Claim:
        terms = scale * np.random.default_rng([seed, 4]).standard_normal(4)
        mean = lambda n: 1 + float(terms @ (40 / n) ** (np.arange(1, 5) / 2))  # noqa: E731
        return measured_claim(_measured(mean, 0.1), limit=1.0, exponents=(0.5,), **options)

    return make


def _cubic(n: float) -> float:
    y = math.sqrt(40 / n)
    return 1 + 0.3 * float(y - 2 * y**2 + 1.5 * y**3)


def _late_step(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Skewed values, whose mean is 1.5 at the largest size and 0 below."""
    return (1.5 if size >= 320 else 0.0) + rng.exponential(size=replicates) - 1


def _late_jumps(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    jumps = 3.0 * (rng.random(replicates) < 0.1) if size >= 640 else 0.0
    return 1 + jumps + 0.1 * rng.standard_normal(replicates)


def _transition(n: float) -> float:
    return float(1 / (1 + (700 / n) ** 2.1))


def _urn(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
    """Share of one colour in Pólya's urn: its limit is random."""
    share = rng.random(replicates)
    return rng.binomial(size, share) / size


def _goe_edge(size: int, rng: np.random.Generator) -> float:
    diagonal = math.sqrt(2) * rng.standard_normal(size)
    off = np.sqrt(rng.chisquare(np.arange(size - 1, 0, -1)))
    top = linalg.eigvalsh_tridiagonal(diagonal, off, select="i", select_range=(size - 1, size - 1))
    return float(top[0]) / math.sqrt(size)


def _computed(mean: Callable[[float], float], **options: Any) -> Callable[[int], Claim]:
    def value(size: int) -> float:
        return mean(float(size))

    return lambda seed: measured_claim(value, accuracy=1e-12, limit=0.0, **options)


def _oscillating(seed: int) -> Claim:
    """cos(½ log n + phase)/n^p, p from ¼ to 1."""
    rng = np.random.default_rng([seed, 8])
    power, phase = rng.uniform(0.25, 1.0), rng.uniform(0, 2 * math.pi)

    def value(size: int) -> float:
        return float(math.cos(0.5 * math.log(size) + phase) * size**-power)

    return measured_claim(value, accuracy=1e-12, limit=0.0, sizes=tuple(40 * 2**k for k in range(7)))


def _coupled(scale: float, tolerance: float, limit: float) -> Callable[[int], Claim]:
    """All sizes of one draw: 1 + scale·(y - 2y² + 1.5y³)/0.3 and common noise."""

    def rows(sizes: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
        n = np.array(sizes, dtype=float)
        means = 1 + scale * np.array([(_cubic(each) - 1) / 0.3 for each in n])
        noise = 0.1 * rng.standard_normal((64, 1)) + 0.05 * rng.standard_normal((64, len(n)))
        return np.asarray(means + noise)

    return lambda seed: measured_claim(
        rows, limit=limit, exponents=(0.5,), coupled=True, tolerance=tolerance, cost=1e-4
    )


def _iterated(limit: float) -> Callable[[int], Claim]:
    def value(size: int, rng: np.random.Generator, replicates: int, classes: int) -> NDArray[np.float64]:
        return 1 + 1 / classes + 3 / size + 0.1 * rng.standard_normal(replicates)

    return lambda seed: measured_claim(
        value, limit=limit, exponents=(1.0,), outer=("classes", (4, 8, 16, 32))
    )


def _contaminated(share: float, tolerance: float) -> Callable[[int], Claim]:
    """Normal draws, of which a share has standard deviation 10."""

    def draws(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        wide = rng.random(replicates) < share
        return rng.standard_normal(replicates) * np.where(wide, 10.0, 1.0)

    return lambda seed: measured_claim(
        draws, law=stats.norm(), tolerance=tolerance, exponents=(1.0,), cost=1e-6
    )


def _clear(declared: bool, shift: float) -> Callable[[int], Claim]:
    """Limit 1 + a·x + b·x² with a and b up to ten tolerances at the smallest size; undeclared, a alone up to five.

    The deviation of a replicate is five tolerances, or one if no exponents are declared.
    """

    def make(seed: int) -> Claim:
        rng = np.random.default_rng([seed, 6])
        power = rng.choice([0.5, 2 / 3, 1.0])
        first, second = rng.uniform(-0.2, 0.2, 2) * (1.0 if declared else np.array([0.5, 0.0]))
        mean = lambda n: 1 + first * (40 / n) ** power + second * (40 / n) ** (2 * power)  # noqa: E731
        options = {"exponents": (float(power),)} if declared else {}
        return measured_claim(_measured(mean, 0.1 if declared else 0.02), limit=1 + shift, **options)

    return make


ROWS = (
    Row("series of four powers, 0.3, tolerance 0.01", _series(0.3, tolerance=0.01), _REFUTED, 300.0),
    Row("series of four powers, 0.3, tolerance 0.02", _series(0.3), _REFUTED, 300.0),
    Row("series of four powers, 1, tolerance 0.01", _series(1.0, tolerance=0.01), _REFUTED, 300.0),
    Row("cubic in n^-1/2, limit 1", limit_of(_cubic, 1.0, exponents=(0.5,)), _REFUTED),
    Row("cubic in n^-1/2, limit 1.038", limit_of(_cubic, 1.038, exponents=(0.5,)), _CONFIRMED),
    Row(
        "exp(-3√(n/40)) → 0",
        limit_of(lambda n: math.exp(-3 * math.sqrt(n / 40)), 0.0, exponents=(0.5,)),
        _REFUTED,
    ),
    Row(
        "exp(-3√(40/n)) → 1",
        limit_of(lambda n: math.exp(-3 * math.sqrt(40 / n)), 1.0, exponents=(0.5,)),
        _REFUTED,
    ),
    Row(
        "0 below 320, 1.5 there, cost n³",
        lambda seed: measured_claim(
            _late_step,
            limit=0.0,
            tolerance=0.1,
            sizes=SIZES[:4],
            cost=lambda size: 4e-4 * (size / 40) ** 3,
            exponents=(1.0,),
        ),
        _CONFIRMED,
    ),
    Row(
        "jumps (10 %) at the largest size only",
        lambda seed: measured_claim(
            _late_jumps, limit=1.0, exponents=(1.0,), cost=lambda size: 1e-4 * (size / 40) ** 3
        ),
        _CONFIRMED,
    ),
    Row(
        "the same, largest size beyond the budget",
        lambda seed: measured_claim(
            _late_jumps, limit=1.0, exponents=(1.0,), cost=lambda size: 1e-4 * (size / 40) ** 4
        ),
        _CONFIRMED,
    ),
    Row(
        "transition at 700, sizes 100…1600",
        limit_of(_transition, 1.0, 0.5, sizes=(100, 200, 400, 800, 1600), tolerance=0.05),
        _REFUTED,
    ),
    Row(
        "transition at 700, exponent 1 declared",
        limit_of(_transition, 1.0, 0.5, sizes=(100, 200, 400, 800, 1600), tolerance=0.05, exponents=(1.0,)),
        _REFUTED,
    ),
    Row("computed cos(½ log n)/n^p", _oscillating, _REFUTED),
    Row(
        "oscillation cos(2 log n)/√n",
        limit_of(lambda n: math.cos(2 * math.log(n)) / math.sqrt(n), 0.0),
        _REFUTED,
    ),
    Row(
        "oscillation, exponent ½ declared",
        limit_of(lambda n: math.cos(2 * math.log(n)) * math.sqrt(10 / n), 0.0, exponents=(0.5,)),
        _REFUTED,
    ),
    Row(
        "parity: sign alternates, n^-1/2",
        limit_of(lambda n: (-1) ** round(math.log2(n / 40)) * math.sqrt(10 / n), 0.0, exponents=(0.5,)),
        _REFUTED,
    ),
    Row(
        "Pólya's urn tends to ½",
        lambda seed: measured_claim(_urn, limit=0.5, exponents=(1.0,), mode=None),
        _CONFIRMED,
    ),
    Row(
        "lognormal(2) noise, limit 1",
        lambda seed: measured_claim(
            lambda size, rng, replicates: (
                1 + 1 / size + 0.05 * (rng.lognormal(0, 2, replicates) - math.exp(2))
            ),
            limit=1.0,
            exponents=(1.0,),
        ),
        _REFUTED,
    ),
    Row(
        "GOE edge, exponent 1 declared, limit 2",
        lambda seed: measured_claim(
            _goe_edge, limit=2.0, exponents=(1.0,), tolerance=0.01, cost=lambda n: 1e-5 * n
        ),
        _REFUTED,
    ),
    Row(
        "GOE edge, exponent 1 declared, limit 1.99",
        lambda seed: measured_claim(
            _goe_edge, limit=1.99, exponents=(1.0,), tolerance=0.005, cost=lambda n: 1e-5 * n
        ),
        _CONFIRMED,
        60.0,
    ),
    Row(
        "n^-1/2, exponent 1 declared",
        limit_of(lambda n: 1 + math.sqrt(4 / n), 1.0, exponents=(1.0,)),
        _REFUTED,
    ),
    Row("coupled cubic, limit 1", _coupled(0.3, 0.02, 1.0), _REFUTED),
    Row("coupled cubic, limit 1.038", _coupled(0.3, 0.02, 1.038), _CONFIRMED),
    Row("iterated, limit 1", _iterated(1.0), _REFUTED),
    Row("iterated, limit 1.1", _iterated(1.1), _CONFIRMED),
    Row("law with 1 % contamination, tolerance 0.02", _contaminated(0.01, 0.02), _REFUTED),
    Row("law with 5 % contamination, tolerance 0.005", _contaminated(0.05, 0.005), _CONFIRMED, 60.0),
    Row("clear, declared, true", _clear(True, 0.0), _REFUTED, 600.0, clear=True),
    Row("clear, declared, false", _clear(True, 0.08), _CONFIRMED, 200.0, clear=True),
    Row("clear, undeclared, true", _clear(False, 0.0), _REFUTED, 200.0, clear=True),
    Row("clear, undeclared, false", _clear(False, 0.08), _CONFIRMED, 200.0, clear=True),
)


def naive_verdict_of(row: Row, seed: int, replicates: int = 4000) -> Verdict:
    """A plain engine: one power fitted through all sizes by least squares, and its 95 % interval compared."""
    item = row.make(seed)
    rng = np.random.default_rng([seed, 1])
    x = item.sizes[0] / np.array(item.sizes, dtype=float)
    values = [item.sample({}, size, rng, replicates) for size in item.sizes]
    means, errors = np.array([[each.mean(), each.std() / math.sqrt(replicates)] for each in values]).T
    design = np.stack((np.ones(len(x)), x ** min(item.exponents)), axis=1) / errors[:, None]
    covariance = np.linalg.inv(design.T @ design)
    limit = float((covariance @ design.T @ (means / errors))[0])
    half = 1.96 * math.sqrt(covariance[0, 0])
    predicted = item.prediction({})
    return decide((limit - half, limit + half), predicted, item.tolerance.width(predicted))
