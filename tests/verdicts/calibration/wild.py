"""Difficult claims of known truth: slow corrections, heavy-tailed noise, examples from random-matrix theory.

Every case comes twice: as it is (true), and with its stated value moved by three tolerances (false). Where no finite
set of sizes can decide, the only right answer is an open verdict, which is never counted as wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from rmtsim._internal.randomness import stream
from rmtsim.claims._declare import claim
from rmtsim.claims._model import Claim, Tolerance
from rmtsim.verdicts._question import decide
from rmtsim.verdicts._results import Verdict
from tests.verdicts.calibration.trial import naive_ends

SIZES = (40, 80, 160, 320, 640)

Draw = Callable[[int, np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Case:
    """One quantity with its limit."""

    kind: str
    name: str
    draw: Draw
    limit: float
    tolerance: float = 0.02
    sizes: tuple[int, ...] = SIZES
    exponents: tuple[float, ...] | None = None
    """Declared exponents; None if there are none."""

    def claim(self, true: bool) -> Claim:
        """As a claim: its limit as stated, or three tolerances off."""
        draw = self.draw

        def measured(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
            return draw(size, rng, replicates)

        declared: Claim = claim(
            f"wild.{self.kind}.{self.name}".replace(" ", "_"),
            measured,
            limit=self.limit if true else self.limit + 3 * self.tolerance,
            tolerance=Tolerance(absolute=self.tolerance),
            sizes=self.sizes,
            exponents=self.exponents,
            cost=lambda size: 1e-4 * size / self.sizes[0],
        )
        return declared


def _with_noise(quantity: Callable[[float], float], deviation: float = 0.1) -> Draw:
    return lambda size, rng, count: quantity(float(size)) + deviation * rng.standard_normal(count)


def _with_law(noise: Callable[[np.random.Generator, int], NDArray[np.float64]], mean: float) -> Draw:
    return lambda size, rng, count: np.asarray(1 + 1 / size + noise(rng, count) - mean)


def _goe_edge(size: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Largest eigenvalue of a GOE matrix over √n, from its tridiagonal form."""
    found = np.empty(count)
    degrees = np.arange(size - 1, 0, -1)
    for k in range(count):
        diagonal = math.sqrt(2) * rng.standard_normal(size)
        off = np.sqrt(rng.chisquare(degrees))
        found[k] = linalg.eigvalsh_tridiagonal(diagonal, off, select="i", select_range=(size - 1, size - 1))[
            0
        ]
    return found / math.sqrt(size)


def _largest_spacing(size: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """n·(largest spacing of n uniform points)/log n → 1."""
    gaps = rng.exponential(size=(count, size + 1))
    return np.asarray(gaps.max(axis=1) / gaps.sum(axis=1) * size / math.log(size))


def _largest_normal(size: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """max of n normals over √(2 log n) → 1."""
    uniform = rng.random(count) ** (1 / size)
    return np.asarray(special.ndtri(uniform) / math.sqrt(2 * math.log(size)))


def _inverse_trace(size: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """(1/p) tr W⁻¹, W = XᵀX/n with p = 10 columns: n/(n - 11) → 1."""
    return np.array(
        [
            np.trace(np.linalg.inv(x.T @ x / size)) / 10
            for x in (rng.standard_normal((size, 10)) for _ in range(count))
        ]
    )


def _participation(size: int, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """n Σ v⁴ of a random direction: 3n/(n + 2) → 3."""
    squares = rng.standard_normal((count, size)) ** 2
    return np.asarray(size * (squares**2).sum(axis=1) / squares.sum(axis=1) ** 2)


def _jumps(rate: float, height: float) -> Callable[[np.random.Generator, int], NDArray[np.float64]]:
    """Normal noise of deviation 0.1 with jumps of so many deviations: these cannot be detected before they occur."""
    return lambda rng, k: 0.1 * (rng.standard_normal(k) + height * (rng.random(k) < rate))


def noises() -> dict[str, tuple[Callable[[np.random.Generator, int], NDArray[np.float64]], float]]:
    """Noise laws with their means."""
    return {
        "rare 2 (0.003)": (lambda rng, k: 2.0 * (rng.random(k) < 0.003), 0.006),
        "rare 2 (0.01)": (lambda rng, k: 2.0 * (rng.random(k) < 0.01), 0.02),
        "rare 1e4 (1e-4)": (lambda rng, k: 1e4 * (rng.random(k) < 1e-4), 1.0),
        "contaminated exponential": (
            lambda rng, k: 0.1 * rng.exponential(size=k) * np.where(rng.random(k) < 0.01, 50.0, 1.0),
            0.1 * (0.99 + 0.5),
        ),
        "lognormal 2": (lambda rng, k: 0.05 * rng.lognormal(0, 2, k), 0.05 * math.exp(2)),
        "lognormal 3": (lambda rng, k: 0.01 * rng.lognormal(0, 3, k), 0.01 * math.exp(4.5)),
        "Pareto 2.5": (lambda rng, k: 0.2 * rng.pareto(2.5, k), 0.2 / 1.5),
        "Pareto 1.5": (lambda rng, k: 0.05 * rng.pareto(1.5, k), 0.05 * 2),
        "two points (1/2)": (lambda rng, k: 0.4 * (rng.random(k) < 0.5), 0.2),
        "two points (1/20)": (lambda rng, k: 0.8 * (rng.random(k) < 0.05), 0.04),
        "normal, 1 % jumps of 10": (_jumps(0.01, 10.0), 0.01),
        "normal, 1 % jumps of 30": (_jumps(0.01, 30.0), 0.03),
        "Cauchy": (lambda rng, k: 0.05 * rng.standard_cauchy(k), 0.0),
    }


def cases() -> list[Case]:
    """All cases, by kind."""
    found = [
        Case("slow", "1 over log", _with_noise(lambda n: 1 / math.log(n)), 0.0),
        Case("slow", "power 0.1", _with_noise(lambda n: n**-0.1), 0.0),
        Case("slow", "log over root", _with_noise(lambda n: math.log(n) / math.sqrt(n)), 0.0),
        Case("slow", "late crossover", _with_noise(lambda n: 1 / (1 + n / 1000)), 0.0),
        Case("slow", "oscillation", _with_noise(lambda n: math.cos(2 * math.log(n)) / math.sqrt(n)), 0.0),
        Case(
            "second term",
            "5(n^-1/2-6.3/n)",
            _with_noise(lambda n: 5 * (n**-0.5 - 6.3 / n)),
            0.0,
            exponents=(0.5,),
        ),
        Case("second term", "n/(n-11)", _with_noise(lambda n: n / (n - 11)), 1.0, exponents=(1.0,)),
        Case(
            "second term",
            "1/(root+10)",
            _with_noise(lambda n: 1 / (math.sqrt(n) + 10)),
            0.0,
            0.01,
            exponents=(0.5,),
        ),
        Case("second term", "undeclared", _with_noise(lambda n: 5 * (n**-0.5 - 6.3 / n)), 0.0),
        Case(
            "units",
            "sizes in thousandths",
            _with_noise(lambda n: 1 / (math.sqrt(n / 1000) + 10)),
            0.0,
            0.01,
            tuple(1000 * n for n in SIZES),
            (0.5,),
        ),
        Case("natural", "GOE edge", _goe_edge, 2.0, 0.02, (20, 40, 80, 160), (2 / 3,)),
        Case("natural", "largest spacing", _largest_spacing, 1.0, 0.05),
        Case("natural", "largest of normals", _largest_normal, 1.0, 0.02),
        Case("natural", "tr W^-1, p = 10", _inverse_trace, 1.0, 0.05, (20, 40, 80, 160), (1.0,)),
        Case("natural", "participation ratio", _participation, 3.0, 0.05, (20, 40, 80, 160), (1.0,)),
    ]
    found += [
        Case("noise", name, _with_law(noise, mean), 1.0, exponents=(1.0,))
        for name, (noise, mean) in noises().items()
    ]
    return found


def naive_verdict_on(case: Case, true: bool, *, seed: int, level: float, budget: float) -> Verdict:
    """The naive engine on the same claim: a plain interval at the largest size, evaluated after every batch of 64."""
    item = case.claim(true)
    size = case.sizes[-1]
    price = float(item.cost({}, size))
    # Limits the run time of the naive engine.
    batches = max(2, min(2000, int(budget / price / 64)))
    values = case.draw(size, stream(seed, "naive", {}, size, 0), 64 * batches)
    predicted = item.prediction({})
    for low, high in zip(*naive_ends(values, level), strict=True):
        verdict = decide((float(low), float(high)), predicted, case.tolerance)
        if verdict is not Verdict.INCONCLUSIVE:
            return verdict
    return Verdict.INCONCLUSIVE
