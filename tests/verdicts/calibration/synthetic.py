"""Claims of every kind with a known truth, and falsified theorems."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim, Kind, Parameters, Tolerance
from tests.verdicts.calibration.wild import noises

_SIZES = (20, 40, 80, 160)


def _synthetic(
    name: str,
    kind: Kind,
    draw: Callable[[int, np.random.Generator, int], NDArray[np.float64]],
    predicted: float | None,
    **fields: object,
) -> Claim:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return draw(size, rng, replicates)

    settings: dict[str, object] = {
        "id": f"coverage-{name}",
        "paper": "trial",
        "equation": name,
        "statement": "synthetic",
        "kind": kind,
        "sample": sample,
        "predict": None if predicted is None else (lambda parameters: predicted),
        # So narrow that no verdict ends the run before the budget is spent.
        "tolerance": Tolerance(absolute=1e-9),
        "sizes": _SIZES,
        "exponents": (0.5, 1.0),
        "cost": lambda parameters, size: 1e-3 * size / _SIZES[0],
    }
    return Claim(**{**settings, **fields})  # type: ignore[arg-type]


def _shared_noise(largest: int, rng: np.random.Generator, numbers: int) -> NDArray[np.float64]:
    """Rows of one number per size: a common part, skewed, and a part of each size's own."""
    n = np.array(_SIZES, dtype=float)
    rows = numbers // len(n)
    common = 0.3 * (rng.exponential(size=(rows, 1)) - 1)
    return np.asarray(1 + 2 / n + common + 0.1 * rng.standard_normal((rows, len(n)))).ravel()


def _on_noise(
    noise: Callable[[np.random.Generator, int], NDArray[np.float64]], mean: float
) -> Callable[[int, np.random.Generator, int], NDArray[np.float64]]:
    return lambda size, rng, count: np.asarray(1 + 1 / size + noise(rng, count) - mean)


def _series(run: int) -> Callable[[int, np.random.Generator, int], NDArray[np.float64]]:
    """1 and four powers of 1/size with coefficients of order one at the smallest size, others in every run."""
    terms = np.random.default_rng(run).standard_normal(4)
    return lambda size, rng, count: np.full(count, 1 + terms @ (_SIZES[0] / size) ** np.arange(1, 5))


def coverage_claims(run: int = 0) -> dict[str, tuple[Claim, float]]:
    """One claim per kind of interval, and one per law of noise, with the true value of the estimated quantity.

    A computed quantity has no randomness, so a different sequence is used in every ``run``.
    """
    skewed = 1 / math.sqrt((math.e - 1) * math.e)
    return {
        "limit, normal": (
            _synthetic("normal", "limit", lambda n, rng, r: 1 + 2 / n + 0.3 * rng.standard_normal(r), 1.0),
            1.0,
        ),
        "limit, lognormal": (
            _synthetic(
                "lognormal",
                "limit",
                lambda n, rng, r: 1 + n**-0.5 + 0.3 * skewed * (rng.lognormal(size=r) - math.exp(0.5)),
                1.0,
            ),
            1.0,
        ),
        "limit, bounded": (
            _synthetic(
                "bounded",
                "limit",
                lambda n, rng, r: rng.beta(8 - 8 / n, 2 + 8 / n, r),
                0.8,
                support=(0.0, 1.0),
            ),
            0.8,
        ),
        "limit, coupled": (
            _synthetic("coupled", "limit", _shared_noise, 1.0, coupled=True),
            1.0,
        ),
        "rate, exponent": (
            _synthetic(
                "exponent",
                "rate",
                lambda n, rng, r: 3 / n * (1 + 2 / n) * (1 + 0.3 * rng.standard_normal(r)),
                None,
                exponent=1.0,
            ),
            1.0,
        ),
        "rate, amplitude": (
            _synthetic(
                "amplitude",
                "rate",
                lambda n, rng, r: 3 / n * (1 + 2 / n) * (1 + 0.3 * rng.standard_normal(r)),
                3.0,
                exponent=1.0,
            ),
            3.0,
        ),
        "law, distance": (
            _synthetic("law", "law", lambda n, rng, r: n**-0.5 * rng.exponential(size=r), 0.0),
            0.0,
        ),
        "probability": (
            _synthetic(
                "event", "probability", lambda n, rng, r: (rng.random(r) < 1 - 1 / n).astype(float), 1.0
            ),
            1.0,
        ),
        "limit, computed": (
            _synthetic("computed", "limit", _series(run), 1.0, accuracy=1e-14, exponents=(1.0,)),
            1.0,
        ),
        # Cauchy values have no mean to be covered.
        **{
            f"noise: {name}": (
                _synthetic(
                    name.replace(" ", "_"),
                    "limit",
                    _on_noise(noise, mean),
                    1.0,
                    exponents=(1.0,),
                    cost=lambda parameters, size: 1e-4 * size / _SIZES[0],
                ),
                1.0,
            )
            for name, (noise, mean) in noises().items()
            if name != "Cauchy"
        },
    }


def _with_value(claim: Claim, change: Callable[[float], float]) -> Claim:
    predict = claim.predict
    assert predict is not None
    return dataclasses.replace(claim, predict=lambda parameters: change(predict(parameters)))


def falsified(claim: Claim) -> list[tuple[str, Claim]]:
    """Wrong versions of a true claim, each with a label: constant ± 5 %, wrong exponent, wrong power.

    The sampler and the tolerance stay those of the true claim. A version is kept only if it is false at the
    claim's declared resolution: its prediction must differ from the true one by more than the tolerance (zero
    times 1.05 is still zero, and a tolerance of 8 % cannot tell 5 %).
    """
    versions: list[tuple[str, Claim]] = []
    if claim.kind in ("identity", "bound"):
        return versions
    if claim.kind == "rate" and claim.exponent is not None:
        for step in (-0.5, 0.5):
            # An upper bound O(n^-p) stays true for smaller p: only a faster decay is false.
            if claim.relation == "O" and step < 0:
                continue
            wrong = dataclasses.replace(claim, exponent=claim.exponent + step)
            versions.append((f"{claim.id}: exponent {claim.exponent + step:g}", wrong))
    if claim.predict is None or claim.kind in ("law", "probability") or claim.relation == "O":
        return versions
    value = claim.prediction(claim.grid[0])
    zone = claim.tolerance.width(value)
    changes: list[tuple[str, Callable[[float], float]]] = [
        ("constant × 1.05", lambda v: 1.05 * v),
        ("constant × 0.95", lambda v: 0.95 * v),
        ("square of the constant", lambda v: v**2),
        ("square root of the constant", lambda v: math.sqrt(abs(v))),
    ]
    for label, change in changes:
        # The wrong version's own tolerance may be relative to its own value.
        if abs(change(value) - value) > max(zone, claim.tolerance.width(change(value))):
            versions.append((f"{claim.id}: {label}", _with_value(claim, change)))
    if claim.kind == "limit" and claim.outer is None and abs(value) > zone:
        sample = claim.sample

        def scaled(
            parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
        ) -> NDArray[np.float64]:
            return np.asarray(sample(parameters, size, rng, replicates) * (size / claim.sizes[0]) ** -0.5)

        wrong = dataclasses.replace(claim, sample=scaled)
        versions.append((f"{claim.id}: quantity scaled by size^-1/2", wrong))
    return versions
