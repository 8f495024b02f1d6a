"""Trials of the verdict engine on synthetic claims whose truth is known, compared with a naive engine.

A synthetic claim measures value(n) = L + a(x + τx²) + noise, x = (n/n₁)^-p, at five sizes; it is true (L within a
quarter of the tolerance of the prediction), false (2 to 5 tolerances away) or exactly on the edge (one
tolerance away, where either confident verdict counts as wrong). Noise has unit variance times a scale, drawn
from a normal, lognormal, Pareto(3) or two-sided bounded law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim._internal.randomness import stream
from rmtsim.claims._model import Claim, Parameters, Tolerance
from rmtsim.runs._work import BatchKey, Runner
from rmtsim.verdicts._api import verify
from rmtsim.verdicts._evidence.moments import MeanSet
from rmtsim.verdicts._models.analysis import analyse_limit
from rmtsim.verdicts._question import decide
from rmtsim.verdicts._results import ClaimResult, Verdict

NOISES = ("normal", "lognormal", "pareto", "bounded")
EXPONENTS = (0.5, 2 / 3, 1.0, 2.0)
SIZES = (20, 40, 80, 160, 320)
TOLERANCE = 0.02
SECOND = 2.0
"""Largest second term relative to the first, at the smallest size."""
PREDICTED = 1.0


def standard_noise(law: str, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """``count`` draws of mean zero and variance one.

    >>> draws = standard_noise("pareto", np.random.default_rng(0), 200_000)
    >>> bool(abs(draws.mean()) < 0.02), bool(0.5 < draws.var() < 2)
    (True, True)
    """
    if law == "normal":
        return rng.standard_normal(count)
    if law == "lognormal":
        spread = math.sqrt((math.e - 1) * math.e)
        return np.asarray((np.exp(rng.standard_normal(count)) - math.exp(0.5)) / spread)
    if law == "pareto":  # Lomax with index 3: mean 1/2, variance 3/4, no third moment
        return np.asarray((rng.pareto(3.0, count) - 0.5) / math.sqrt(0.75))
    return np.asarray((rng.beta(0.5, 0.5, count) - 0.5) * math.sqrt(8))


@dataclass(frozen=True)
class SyntheticClaim:
    """One claim of the trial."""

    number: int
    kind: str
    noise: str
    exponent: float
    bias: float
    """Distance of the true limit from the prediction, in tolerances."""
    amplitude: float
    """First correction at the smallest size, in tolerances."""
    second: float
    """Second correction relative to the first, at the smallest size."""
    scale: float
    """Standard deviation of a replicate at the smallest size, in tolerances."""
    decay: float
    """The deviation falls like size^-decay."""

    def means(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """True means."""
        x = (sizes / SIZES[0]) ** -self.exponent
        return np.asarray(
            PREDICTED + TOLERANCE * (self.bias + self.amplitude * (x + self.second * x**2)), dtype=np.float64
        )

    def deviations(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """True standard deviations of a replicate."""
        return np.asarray(TOLERANCE * self.scale * (sizes / SIZES[0]) ** -self.decay, dtype=np.float64)

    def claim(self) -> Claim:
        """Claim for the engine; it has the prediction and all exponents of the trial, but not the true exponent."""

        def sample(
            parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
        ) -> NDArray[np.float64]:
            n = np.array([float(size)])
            return np.asarray(
                self.means(n)[0] + self.deviations(n)[0] * standard_noise(self.noise, rng, replicates)
            )

        return Claim(
            id=f"synthetic-{self.number}",
            paper="trial",
            equation=self.kind,
            statement="synthetic",
            kind="limit",
            sample=sample,
            predict=lambda parameters: PREDICTED,
            tolerance=Tolerance(absolute=TOLERANCE),
            sizes=SIZES,
            exponents=EXPONENTS,
            cost=lambda parameters, size: 1e-3 * size / SIZES[0],
        )

    def wrong(self, verdict: Verdict) -> bool:
        """Whether a verdict is wrong; for a claim on the edge both CONFIRMED and REFUTED are."""
        if self.kind == "edge":
            return verdict is not Verdict.INCONCLUSIVE
        return verdict is (Verdict.REFUTED if self.kind == "true" else Verdict.CONFIRMED)


def synthetic_claims(count: int, seed: int) -> list[SyntheticClaim]:
    """``count`` claims: all noises and exponents in turn, two fifths true, two fifths false, one fifth edge."""
    rng = stream(seed, "trial", {}, 0, 0)
    kinds = ("true", "false", "true", "false", "edge")
    claims = []
    for number, (kind, noise, exponent) in zip(
        range(count), itertools.cycle(itertools.product(kinds, NOISES, EXPONENTS)), strict=False
    ):
        sign = 1 if rng.random() < 0.5 else -1
        size = {"true": 0.25 * rng.random(), "false": rng.uniform(2, 5), "edge": 1.0}[kind]
        claims.append(
            SyntheticClaim(
                number,
                kind,
                noise,
                exponent,
                sign * size,
                rng.uniform(-8, 8),
                rng.uniform(-SECOND, SECOND),
                math.exp(rng.uniform(math.log(3), math.log(30))),
                0.5 if rng.random() < 0.5 else 0.0,
            )
        )
    return claims


class TrialRunner(Runner):
    """Runner that draws neighbouring batches together, because the trial needs millions of cheap draws."""

    def run(self, keys: Iterable[BatchKey]) -> Iterator[NDArray[np.float64]]:
        """Values of each batch, in the order of ``keys``."""
        for _, group in itertools.groupby(keys, key=lambda key: (id(key.claim), key.size)):
            batch = list(group)
            rng = stream(batch[0].seed, batch[0].claim.id, {}, batch[0].size, batch[0].batch)
            total = sum(key.replicates for key in batch)
            values = batch[0].claim.sample({}, batch[0].size, rng, total)
            position = 0
            for key in batch:
                yield values[position : position + key.replicates]
                position += key.replicates


def try_engine(item: SyntheticClaim, *, seed: int, level: float, budget: float) -> ClaimResult:
    """The engine's verdict on one synthetic claim."""
    (result,) = verify(item.claim(), seed=seed, level=level, budget=budget, runner=TrialRunner())
    return result


def naive_ends(values: NDArray[np.float64], level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Plain normal intervals for the mean after every 64 values."""
    ends = np.arange(64, len(values) + 1, 64)
    sums, squares = np.cumsum(values)[ends - 1], np.cumsum(values**2)[ends - 1]
    means = sums / ends
    radius = float(-special.ndtri(level / 2)) * np.sqrt(np.maximum(squares / ends - means**2, 0) / ends)
    return means - radius, means + radius


def naive_verdict(item: SyntheticClaim, *, seed: int, level: float, budget: float) -> tuple[Verdict, float]:
    """Verdict and cost with a plain normal interval at the largest size, evaluated after every batch of 64."""
    claim = item.claim()
    rng = stream(seed, "naive", {}, SIZES[-1], item.number)
    price = claim.cost({}, SIZES[-1])
    batches = max(2, int(budget / price / 64))
    values = claim.sample({}, SIZES[-1], rng, 64 * batches)
    ends = np.arange(64, 64 * batches + 1, 64)
    low, high = naive_ends(values, level)
    inside = (low >= PREDICTED - TOLERANCE) & (high <= PREDICTED + TOLERANCE)
    outside = (high < PREDICTED - TOLERANCE) | (low > PREDICTED + TOLERANCE)
    first = np.flatnonzero(inside | outside)
    if len(first) == 0:
        return Verdict.INCONCLUSIVE, budget
    at = int(first[0])
    return (Verdict.CONFIRMED if inside[at] else Verdict.REFUTED), float(ends[at] * price)


def fixed_size_cost(
    item: SyntheticClaim, *, seed: int, level: float, power: float = 0.9, looks: int = 40
) -> float:
    """Least cost at which one evaluation, planned with the true values, decides with probability ``power``.

    The same finite-size analysis of the same sizes, but a fixed-size confidence ellipsoid (chi-square) in
    place of the anytime-valid one, true variances, and cost spread over sizes like √cost. The probability is
    estimated from ``looks`` simulated evaluations.
    """
    sizes = np.array(SIZES, dtype=float)
    price = 1e-3 * sizes / SIZES[0]
    means, deviations = item.means(sizes), item.deviations(sizes)
    threshold = math.sqrt(2 * float(special.gammainccinv(len(sizes) / 2, level)))
    noise = stream(seed, "fixed", {}, 0, item.number).standard_normal((looks, len(sizes)))
    exponents = item.claim().exponents
    share = np.sqrt(price) / np.sqrt(price).sum()

    def enough(cost: float) -> bool:
        errors = deviations / np.sqrt(share * cost / price)
        misses = 0
        for row in noise:
            found = MeanSet(SIZES, means + errors * row, axes=threshold * errors, sigmas=threshold)
            analysis = analyse_limit(found, exponents, declared=True)
            misses += decide(analysis.interval, PREDICTED, TOLERANCE) is Verdict.INCONCLUSIVE
            if len(noise) - misses < power * len(noise):
                return False
        return True

    low, high = 1e-2, 1e-2
    while not enough(high):
        low, high = high, 4 * high
        if high > 1e7:
            return math.inf
    while high / low > 1.15:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def upper_limit(errors: int, claims: int, confidence: float = 0.95) -> float:
    """Clopper–Pearson upper limit of an error rate.

    >>> round(upper_limit(0, 100), 3)
    0.03
    """
    if errors >= claims:
        return 1.0
    return float(special.betaincinv(errors + 1, claims - errors, confidence))
