"""What all claims of ``wu`` share: parameters, the trial sampler, nominal costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Kind, Parameter, Parameters, Sampler, Tolerance
from rmtsim.predict.wu import curvature as wu_curvature
from rmtsim.predict.wu import limits as wu_limits

if TYPE_CHECKING:
    from rmtsim.hessian.two_layer import Trial

__all__ = [
    "ALPHA",
    "CLASSES",
    "FAIR_COIN",
    "GRID",
    "INPUTS",
    "energy_cost",
    "layer_cost",
    "output_cost",
    "projected_cost",
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
SIZES = (64, 128, 256, 512)
"""Corrections are series in c/n: from 64 on the first two terms carry them up to c = 10 or so."""
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


Inputs = int | Callable[[int], int]
Cost = Callable[[Parameters, int, int, int], float]


def response_cost(
    parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS, inner: bool = True
) -> float:
    """Nominal seconds of drawing the responses of ``networks`` networks to ``inputs`` inputs."""
    d = float(width) ** (1 + parameters["alpha"])
    shared = 2e-4 + 8e-9 * inputs * d + (3e-11 * inputs**2 * d if inner else 0.0)
    direct = d <= 2 * inputs or not inner
    each = (8e-9 + 4e-11 * inputs) * width * d if direct else 6e-11 * inputs**2 * width
    return float(shared + networks * (1.2e-4 + each + 2.2e-8 * inputs * width))


def output_cost(
    parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS, inner: bool = True
) -> float:
    """The same with M, M* and their top eigenspaces."""
    c = float(parameters["classes"])
    each = (
        6e-4 + 5e-9 * inputs * c * width + 7e-11 * inputs * (c + 1) * width**2 + 7e-10 * (c + 12) * width**2
    )
    return response_cost(parameters, width, inputs, networks, inner) + networks * each


def projected_cost(
    parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS
) -> float:
    """The same with W M Wᵀ and W M* Wᵀ alone, which need no n × n matrix."""
    c = float(parameters["classes"])
    return response_cost(parameters, width, inputs, networks) + networks * (
        5e-4 + 2e-10 * inputs * c**2 * width + 1e-8 * inputs * c**2
    )


def energy_cost(parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS) -> float:
    """The same as :func:`output_cost` with norms of H^(1), from inner products of its Gram side."""
    rows = inputs / 2 * (float(parameters["classes"]) - 1)
    return output_cost(parameters, width, inputs, networks) + networks * (
        4e-4 + 1.2e-10 * rows**2 * (width + 60)
    )


def layer_cost(parameters: Parameters, width: int, inputs: int = INPUTS, networks: int = NETWORKS) -> float:
    """The same with top eigenvectors of H^(1) on both halves."""
    rows = inputs / 2 * (float(parameters["classes"]) - 1)
    return output_cost(parameters, width, inputs, networks) + networks * (
        2.5e-3 + 1.2e-10 * rows**2 * (width + 150)
    )


def _count(inputs: Inputs, width: int) -> int:
    return inputs(width) if callable(inputs) else inputs


def _memory(parameters: Parameters, width: int, inputs: int) -> float:
    """Bytes: a few n × n and N × n matrices, two N × N ones, the curvature rows, and 64 MiB for inputs in slices."""
    classes = float(parameters["classes"])
    return 8.0 * (6 * width**2 + (8 + 2 * classes) * inputs * width + 2 * inputs**2) + 2**26


Shape = Callable[[float, float, float], float]
"""What a quantity tends to as a function of the averages Σ|K_i|²π_i, Σ|K_i|²π_i², Σ|K_i|² (over c-1)."""


def slopes(shape: Shape) -> tuple[float, float, float]:
    """Derivatives of ``shape`` at the limits (1/2, q, 1) of its averages.

    >>> tuple(round(slope, 6) for slope in slopes(lambda projected, energy, gram: projected**2 / gram))
    (1.0, 0.0, -0.25)
    """
    centre = (0.5, wu_limits.activation_second_moment(), 1.0)
    step = 1e-5
    result = []
    for index in range(3):
        above, below = ([*centre[:index], centre[index] + h, *centre[index + 1 :]] for h in (step, -step))
        result.append((shape(*above) - shape(*below)) / (2 * step))
    return result[0], result[1], result[2]


def trial_sampler(
    statistic: Callable[[Trial], float],
    inputs: Inputs = INPUTS,
    networks: int = NETWORKS,
    shape: Shape | None = None,
    curved: bool = False,
    inner: bool = True,
) -> Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]:
    """Sampler of a function of freshly drawn networks, averaged over the networks of a replicate.

    With a ``shape`` the statistic's first-order dependence on averages of exactly known mean is subtracted
    (:mod:`rmtsim.hessian.known_averages`): the same expectation with less noise. ``curved`` says that the quantity is
    ``shape`` times ‖E[A]‖_F, which depends on the logits' random bias too. ``inner``: whether inner products of the
    inputs are needed.
    """
    gradient = None if shape is None else slopes(shape)

    def controlled(classes: int) -> Callable[[Trial], float]:
        if gradient is None or shape is None:
            return statistic
        from rmtsim.hessian.known_averages import Controlled

        if not curved:
            return Controlled(statistic, (*gradient, 0.0))
        factor, slope = wu_curvature.curvature_norm(classes), wu_curvature.curvature_norm_slope(classes)
        size = shape(0.5, wu_limits.activation_second_moment(), 1.0)
        return Controlled(
            statistic, (factor * gradient[0], factor * gradient[1], factor * gradient[2], size * slope)
        )

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.two_layer import draw_trials

        classes = int(parameters["classes"])
        measure = controlled(classes)
        count = _count(inputs, size)
        values = np.empty(replicates)
        for index in range(replicates):
            trials = draw_trials(size, parameters["alpha"], classes, count, networks, rng, inner=inner)
            values[index] = sum(map(measure, trials)) / networks
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
    cost: Cost = output_cost,
    sizes: tuple[int, ...] = SIZES,
    grid: tuple[Parameters, ...] = GRID,
    note: str = "",
    inputs: Inputs = INPUTS,
    networks: int = NETWORKS,
    shape: Shape | None = None,
    curved: bool = False,
    inner: bool = True,
    sample: Sampler | None = None,
    **more: Any,
) -> object:
    """Register a statement about one number of a random two-layer network.

    Expectations over random weights of smooth functions have corrections in whole powers of 1/n, so 1 is
    the slowest exponent unless a statement says otherwise. ``shape``, ``curved``: :func:`trial_sampler`.
    ``inputs`` is their number or a function of the width; ``cost`` takes (parameters, width, inputs, networks). A
    ``sample`` of its own takes the statistic's place.
    """
    if kind == "probability":
        networks = 1
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
            sample=sample or trial_sampler(statistic, inputs, networks, shape, curved, inner),
            predict=predict,
            tolerance=tolerance,
            exponents=exponents,
            cost=lambda parameters, size: cost(parameters, size, _count(inputs, size), networks),
            memory=lambda parameters, size: _memory(parameters, size, _count(inputs, size)),
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
