"""What all claims of ``wu`` share: parameters, the trial sampler, nominal costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Claim, Kind, Parameter, Parameters, Tolerance
from rmtsim.claims.registry import register

if TYPE_CHECKING:
    from rmtsim.hessian.wu_trial import Trial

__all__ = [
    "ALPHA",
    "CLASSES",
    "FAIR_COIN",
    "GRID",
    "INPUTS",
    "layer_cost",
    "output_cost",
    "response_cost",
    "trial_claim",
    "with_correction",
]

ALPHA = Parameter(
    "alpha",
    "d = width^(1+alpha)",
    default=0.3,
    open_below=True,
    highest=1.5,
    draw_range=(0.1, 0.8),
    assumption="wu section 4 takes d = n^(1+α), α > 0; simulated up to 1.5",
)
CLASSES = Parameter(
    "classes",
    "number of classes c",
    default=4,
    integer=True,
    lowest=2,
    highest=50,
    draw_range=(2, 8),
    assumption="wu section 4 takes a fixed finite c",
)
GRID: tuple[Parameters, ...] = ({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 2})
SIZES = (32, 64, 128, 256)
INPUTS = 96
"""Inputs of a trial, half of them for each of the two independent estimates."""
NETWORKS = 4
"""Independent networks per replicate, on the same inputs; a replicate's value is their mean."""

QUICK = frozenset(
    {
        "thm4.1.overlap",
        "thm4.2.overlap",
        "thm4.2.gap",
        "thm4.2.rowspace",
        "thm4.2.rowspace/corrected",
        "eq8",
        "eq8/corrected",
        "eq224",
        "lemmaB.9",
        "lemmaB.9/corrected",
        "lemmaB.12",
        "lemmaB.14",
        "lemmaB.16",
        "corB.5",
    }
)
"""Trial claims of the quick set; the others are variants of these or follow from them."""

FAIR_COIN = (
    "Fails with Lemma B.1: row sums of W^(1) are N(0, 1), not N(0, 1/n), so the mean of the rectified inputs gives "
    "unit i the bias μ·g_i and it is active with probability π_i = Φ(g_i/√(π-1)), not 1/2; E π_i = 1/2 but "
    "E π_i² = 1/4 + arcsin(1/π)/(2π)."
)


def response_cost(
    parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS
) -> float:
    """Nominal seconds of drawing the responses of ``networks`` networks to ``inputs`` inputs."""
    d = float(width) ** (1 + parameters["alpha"])
    shared = 2e-4 + 8e-9 * inputs * d + 3e-11 * inputs**2 * d
    each = (8e-9 + 4e-11 * inputs) * width * d if d <= 2 * inputs else 6e-11 * inputs**2 * width
    return float(shared + networks * (1.2e-4 + each + 2.2e-8 * inputs * width))


def output_cost(parameters: Parameters, width: int, inputs: int = INPUTS) -> float:
    """The same with M, M* and their top eigenspaces."""
    c = float(parameters["classes"])
    each = (
        6e-4 + 5e-9 * inputs * c * width + 7e-11 * inputs * (c + 1) * width**2 + 7e-10 * (c + 12) * width**2
    )
    return response_cost(parameters, width, inputs) + NETWORKS * each


def layer_cost(parameters: Parameters, width: int, inputs: int = INPUTS) -> float:
    """The same with H^(1) through the Gram side."""
    c = float(parameters["classes"])
    half = inputs / 2
    return output_cost(parameters, width, inputs) + NETWORKS * (
        1.5e-3 + 1.2e-10 * (half * c) ** 2 * (width + 60)
    )


def trial_sampler(
    statistic: Callable[[Trial], float], inputs: int = INPUTS, networks: int = NETWORKS
) -> Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]:
    """Sampler of a function of freshly drawn networks, averaged over the networks of a replicate."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.wu_trial import draw_trials

        classes = int(parameters["classes"])
        values = np.empty(replicates)
        for index in range(replicates):
            trials = draw_trials(size, parameters["alpha"], classes, inputs, networks, rng)
            values[index] = sum(map(statistic, trials)) / networks
        return values

    return sample


def trial_claim(
    name: str,
    equation: str,
    statement: str,
    statistic: Callable[[Trial], float],
    predict: Callable[[Parameters], float],
    tolerance: Tolerance,
    *,
    kind: Kind = "limit",
    exponents: tuple[float, ...] = (1.0,),
    cost: Callable[[Parameters, int, int], float] = output_cost,
    sizes: tuple[int, ...] = SIZES,
    grid: tuple[Parameters, ...] = GRID,
    note: str = "",
    inputs: int = INPUTS,
    **more: Any,
) -> Claim:
    """Register a statement about one number of a random two-layer network.

    Expectations over random weights of smooth functions have corrections in whole powers of 1/n, so 1 is
    the slowest exponent unless a statement says otherwise.
    """
    return register(
        Claim(
            id=f"wu.{name}",
            paper="wu",
            equation=equation,
            statement=statement,
            kind=kind,
            parameters=(ALPHA, CLASSES),
            grid=grid,
            sizes=sizes,
            size_name="width",
            sample=trial_sampler(statistic, inputs, 1 if kind == "probability" else NETWORKS),
            predict=predict,
            tolerance=tolerance,
            exponents=exponents,
            cost=lambda parameters, size: cost(parameters, size, inputs),
            memory=lambda parameters, size: 8.0 * (6 * size**2 + 8 * inputs * size) + 2**26,
            note=note,
            quick=name in QUICK,
            **more,
        )
    )


def with_correction(
    name: str,
    equation: str,
    printed: str,
    right: str,
    statistic: Callable[[Trial], float],
    printed_value: float,
    true_value: Callable[[Parameters], float],
    tolerance: Mapping[str, float],
    note: str = FAIR_COIN,
    **options: Any,
) -> None:
    """Register a refuted statement and, with the same sampler, the right one beside it."""
    zone = Tolerance(**tolerance)
    trial_claim(name, equation, printed, statistic, lambda p: printed_value, zone, note=note, **options)
    trial_claim(f"{name}/corrected", equation, right, statistic, true_value, zone, note=note, **options)
