"""Claims of ``wu`` on the Gaussian weights alone: Lemmas B.1–B.8 and B.25, Corollaries B.1 and B.2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Kind, Parameter, Parameters, Tolerance
from rmtsim.claims.wu.common import ALPHA, CLASSES
from rmtsim.predict.wu import limits as wu_limits

Draw = Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]

EPSILON = Parameter(
    "epsilon",
    "threshold ε of the event",
    default=0.5,
    open_below=True,
    highest=10.0,
    draw_range=(0.1, 2.0),
    assumption="the lemma is stated for every ε > 0",
)
WIDE_ALPHA = Parameter(
    "alpha",
    "d = width^(1+alpha)",
    default=1.0,
    lowest=0.2,
    highest=2.0,
    draw_range=(0.5, 1.5),
    assumption="wu section 4 takes d = n^(1+α), α > 0; below 0.2 n^(-α/2) hardly moves over sizes one can simulate",
)


def _register(
    name: str,
    equation: str,
    statement: str,
    sample: Draw,
    predict: Callable[[Parameters], float],
    tolerance: Tolerance,
    *,
    kind: Kind = "limit",
    parameters: tuple[Parameter, ...] = (ALPHA, CLASSES),
    grid: tuple[Parameters, ...] = ({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 2}),
    sizes: tuple[int, ...] = (64, 128, 256, 512),
    exponents: tuple[float, ...] = (1.0,),
    cost: Callable[[Parameters, int], float] = lambda parameters, size: 3e-6 + 6e-8 * size,
    **more: Any,
) -> None:
    register(
        Claim(
            id=f"wu.{name}",
            paper="wu",
            equation=equation,
            statement=statement,
            kind=kind,
            parameters=parameters,
            grid=grid,
            sizes=sizes,
            size_name="width",
            sample=sample,
            predict=predict,
            tolerance=tolerance,
            exponents=exponents,
            cost=cost,
            **more,
        )
    )


def _row_sum_event(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    from rmtsim.sampling.weights import row_sum

    # A replicate is the share of 64 rows with the event: fractions fill the bounds' interval less wastefully.
    sums = row_sum(size, rng, 64 * replicates).reshape(replicates, 64)
    return np.asarray((np.abs(sums) >= parameters["epsilon"]).mean(axis=1))


_ROW_SUM = (
    "n independent entries of variance 1/n have a sum of variance 1, not 1/n: the proof's N(0, 1/n) is the law of "
    "the mean. Everything that takes the mean of the inputs for negligible rests on this."
)
for _suffix, _statement, _predict in (
    ("", "P(|Σ_j W^(2)_ij| ≥ ε) → 0 for every ε > 0.", lambda parameters: 0.0),
    (
        "/corrected",
        "Σ_j W^(2)_ij is N(0, 1) at every n: P(|Σ_j W^(2)_ij| ≥ ε) = 2(1 - Φ(ε)).",
        lambda parameters: wu_limits.row_sum_probability(parameters["epsilon"]),
    ),
):
    _register(
        f"lemmaB.1{_suffix}",
        "Lemma B.1, eq. (44)",
        _statement,
        _row_sum_event,
        _predict,
        Tolerance(absolute=0.01),
        parameters=(ALPHA, CLASSES, EPSILON),
        grid=({"epsilon": 0.5}, {"epsilon": 1.0}),
        exponents=(1.0,),
        cost=lambda parameters, size: 2e-5 + 64 * 1.2e-8 * size,
        note=_ROW_SUM,
    )


def _norm_deviation(rows: Callable[[Parameters], int]) -> Draw:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.weights import squared_norm

        count = rows(parameters)
        return (squared_norm(size, count, rng, replicates) - count) ** 2

    return sample


_register(
    "lemmaB.3",
    "Lemma B.3, eq. (47)",
    "‖W^(2)‖²_F → c in probability: E(‖W^(2)‖²_F - c)² → 0.",
    _norm_deviation(lambda parameters: int(parameters["classes"])),
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    cost=lambda parameters, size: 3e-6 + 3e-8 * size * parameters["classes"],
    quick=False,
    note="Holds; the first inequality sign of eq. (49) is printed the wrong way round.",
)
_register(
    "lemmaB.3.row",
    "Lemma B.3, eq. (48)",
    "‖W^(2)_i‖² → 1 in probability: E(‖W^(2)_i‖² - 1)² → 0.",
    _norm_deviation(lambda parameters: 1),
    lambda parameters: 0.0,
    Tolerance(absolute=0.01),
    quick=False,
)


def _column_event(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    from rmtsim.sampling.weights import largest_column_norm

    bound = 5 * size ** (-parameters["alpha"] / 2)
    return np.concatenate(
        [largest_column_norm(size, parameters["alpha"], rng, 1) < bound for _ in range(replicates)]
    ).astype(float)


_register(
    "lemmaB.4",
    "Lemma B.4, eq. (53)",
    "P(max_i ‖w_i‖ < 5 n^{-α/2}) → 1 over the columns of W^(1).",
    _column_event,
    lambda parameters: 1.0,
    Tolerance(absolute=0.02),
    kind="probability",
    sizes=(16, 32, 64, 128),
    exponents=(1.0,),
    cost=lambda parameters, size: 2e-5 + 5e-8 * float(size) ** (1 + parameters["alpha"]),
    note="Holds with √5 in place of 5, as the proof's eq. (56) shows.",
)


def _gram_sample(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    from rmtsim.sampling.weights import gram_deviation

    deviations = np.array([gram_deviation(size, parameters["alpha"], rng) for _ in range(replicates)])
    # 2y + y² with y = n^{-α/2} becomes y itself: one correction, however slow, where two nearly equal ones would
    # be extrapolated wrongly.
    return np.asarray(np.sqrt(1 + deviations) - 1)


_register(
    "lemmaB.5",
    "Lemma B.5, eq. (57)",
    "‖W^(1)W^(1)ᵀ - I‖ → 0 in spectral norm; measured as √(1 + ‖W^(1)W^(1)ᵀ - I‖) - 1.",
    _gram_sample,
    lambda parameters: 0.0,
    Tolerance(absolute=0.025),
    parameters=(WIDE_ALPHA, CLASSES),
    grid=({"alpha": 1.0}, {"alpha": 0.6}),
    sizes=(64, 256, 1024, 4096),
    exponents=(0.5, 0.75, 1.0),
    # The norm is 2n^{-α/2} + n^{-α}: however small α, the limit is zero.
    slowest=lambda parameters: parameters["alpha"] / 2,
    cost=lambda parameters, size: 2e-4 + 9e-7 * size,
    quick=False,
    note="Holds with I_n in place of the printed I_c; the norm is 2n^{-α/2} + n^{-α}, slow for small α.",
)


def _projection_sample(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    from rmtsim.sampling.weights import projection_deviation

    return projection_deviation(size, int(parameters["classes"]), rng, replicates)


_PROJECTION_COST = lambda parameters, size: 2e-5 + 3e-8 * size * parameters["classes"]  # noqa: E731
_register(
    "lemmaB.7",
    "Lemma B.7, eq. (65)",
    "‖W^(2)ᵀW^(2) - P_W‖²_F → 0, P_W the projection on the row space of W^(2).",
    _projection_sample,
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    exponents=(1.0,),
    cost=_PROJECTION_COST,
)
_register(
    "lemmaB.25",
    "Lemma B.25, eq. (239)",
    "‖VᵀV - P_V‖²_F → 0 for V = W^(2) ⊗ 1ᵀ/√d: equal to Lemma B.7's quantity for every W.",
    _projection_sample,
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    exponents=(1.0,),
    cost=_PROJECTION_COST,
    quick=False,
)


def _last_gram_sample(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    classes = int(parameters["classes"])
    w = rng.standard_normal((replicates, classes, size)) / np.sqrt(size)
    values = np.linalg.eigvalsh(w @ w.transpose(0, 2, 1))
    return np.asarray(np.abs(values - 1).max(axis=1) ** 2)


_register(
    "corB.1",
    "Corollary B.1, eq. (64)",
    "‖W^(2)W^(2)ᵀ - I‖ → 0 in spectral norm: its mean square → 0.",
    _last_gram_sample,
    lambda parameters: 0.0,
    Tolerance(absolute=0.02),
    cost=_PROJECTION_COST,
    note="Holds with I_c in place of the printed I_n.",
    quick=False,
)


def _entry_event(shape: Callable[[Parameters, int], tuple[int, int]]) -> Draw:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.weights import largest_entry

        rows, columns = shape(parameters, size)
        return np.asarray(
            largest_entry(rows, columns, rng, replicates) <= 2 * columns ** (-1 / 3), dtype=float
        )

    return sample


def _first_shape(parameters: Parameters, size: int) -> tuple[int, int]:
    from rmtsim.sampling.relu_network import input_dimension

    return size, input_dimension(size, parameters["alpha"])


for _name, _equation in (
    ("lemmaB.8", "Lemma B.8, eq. (74)"),
    ("corB.2", "Corollary B.2, eq. (79), first line"),
):
    _register(
        _name,
        _equation,
        "P(max |W^(1)_ij| > 2 d^{-1/3}) → 0: the event max |W^(1)_ij| ≤ 2 d^{-1/3} has probability → 1.",
        _entry_event(_first_shape),
        lambda parameters: 1.0,
        Tolerance(absolute=0.02),
        kind="probability",
        # From here on the probability of a larger entry falls faster than any power, also for small α.
        sizes=(256, 512, 1024, 2048),
        exponents=(1.0,),
        cost=lambda parameters, size: 2e-7,
        quick=False,
    )
_register(
    "corB.2.last",
    "Corollary B.2, eq. (79), second line",
    "P(max |W^(2)_ij| > 2 n^{-1/3}) → 0: the complement has probability → 1.",
    _entry_event(lambda parameters, size: (int(parameters["classes"]), size)),
    lambda parameters: 1.0,
    Tolerance(absolute=0.02),
    kind="probability",
    sizes=(256, 512, 1024, 2048),
    exponents=(1.0,),
    cost=lambda parameters, size: 2e-7,
    quick=False,
)
