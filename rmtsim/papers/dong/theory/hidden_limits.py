"""Limits of `dong` Theorem 2 as the number of classes grows: (30)-(33) with (67), as printed and as derived.

Notation of docs/papers/dong/one-hidden-layer.md: ρ = 1/m, I_k(ρ) the quadrant integrals of
:mod:`rmtsim.papers.dong.theory.orthant`.
The constants of (67) are a_1k = I_k(1/m), a_2k = I_k(2/m); b_1, b_2 are meant to be E[exp(ρσ(x)σ(y))] =
3/4 + I₀(ρ), but are printed with 1/(8π) where the integral needs 1/(2π).
"""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import records_take_arrays, takes_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.dong.theory.orthant import orthant_moment, relu_exponential

__all__ = [
    "Constants",
    "constants",
    "hidden_ce_diagonal_limit",
    "hidden_ce_offdiagonal_limit",
    "hidden_mse_diagonal_limit",
    "hidden_mse_offdiagonal_limit",
    "output_ce_diagonal_limit",
    "output_ce_offdiagonal_limit",
    "printed_constants",
    "printed_hidden_ce_offdiagonal_limit",
    "printed_output_ce_diagonal_limit",
    "printed_output_ce_offdiagonal_limit",
]


@frozen
class Constants:
    """The six constants of `dong` eq. (67) for one number of hidden neurons."""

    a11: float
    a12: float
    a21: float
    a22: float
    b1: float
    b2: float


def _hidden(hidden: int, minimum: int = 3) -> int:
    return validate.integer("hidden", hidden, minimum=minimum, meaning="number of hidden neurons m")


def _factor(factor: float) -> float:
    number = validate.finite_number("factor", factor, meaning="2 for the loss, 1 for the printed expression")
    if abs(number) > 1e100:
        raise ValueError(f"factor={number}: expected a number within ±1e100 (2 for the loss)")
    return number


def _gamma(gamma: float) -> float:
    return validate.positive_number("gamma", gamma, meaning="gamma = d/N")


@records_take_arrays
def constants(hidden: int) -> Constants:
    """The constants of `dong` eq. (67) with b_1, b_2 as the proof needs them: E[exp(kσ(x)σ(y)/m)], k = 1, 2.

    Finite for m ≥ 3; the integrals with 2/m diverge at m = 2, although the paper calls all of them finite there.

    >>> round(constants(1000).b1, 3)        # tends to one: the exponent vanishes
    1.0
    """
    hidden = _hidden(hidden)
    one, two = 1 / hidden, 2 / hidden
    return Constants(
        a11=orthant_moment(1, one),
        a12=orthant_moment(2, one),
        a21=orthant_moment(1, two),
        a22=orthant_moment(2, two),
        b1=relu_exponential(one),
        b2=relu_exponential(two),
    )


@records_take_arrays
def printed_constants(hidden: int) -> Constants:
    """The constants exactly as `dong` eq. (67) prints them: b_k = 3/4 + (1/8π)∫∫, a quarter of the integral.

    >>> round(printed_constants(10**6).b1, 4)       # 13/16 where E[exp(0)] = 1 is meant
    0.8125
    """
    right = constants(hidden)
    return Constants(
        a11=right.a11,
        a12=right.a12,
        a21=right.a21,
        a22=right.a22,
        b1=0.75 + (right.b1 - 0.75) / 4,
        b2=0.75 + (right.b2 - 0.75) / 4,
    )


@takes_arrays
def hidden_ce_diagonal_limit(gamma: float, hidden: int) -> float:
    """lim h_ii(γ, C) = (1 + 2γ)/(4m²). Source: `dong` eq. (30), first part; it holds.

    >>> hidden_ce_diagonal_limit(1.5, 4)
    0.0625
    """
    return (1 + 2 * _gamma(gamma)) / (4 * _hidden(hidden) ** 2)


def _single_sample_part(hidden: int) -> float:
    """lim C·E[η²] = (E[(z²/m² + 1/m) e^{z²/m}; z > 0])² (E e^{σ(z)²/m})^{m-2}: `dong` eq. (95)."""
    m = _hidden(hidden)
    # In logarithms: 2^m overflows no float before m = 1024, but larger m are legitimate.
    growth = (m - 2) * math.log1p((math.sqrt(m / (m - 2)) - 1) / 2)
    return (m - 1) ** 2 / (4 * m * (m - 2) ** 3) * math.exp(growth)


@takes_arrays
def printed_hidden_ce_offdiagonal_limit(gamma: float, hidden: int) -> float:
    """lim C·h_ij(γ, C) as printed in `dong` eq. (30): γ(m-1)²/(2^m (m-2)³ m) · (√(m/(m-2)) + 1)^{m-2}.

    >>> round(printed_hidden_ce_offdiagonal_limit(0.1, 8), 6)
    0.001108
    """
    return _gamma(gamma) * _single_sample_part(hidden)


@takes_arrays
def hidden_ce_offdiagonal_limit(gamma: float, hidden: int) -> float:
    """lim C·h_ij(γ, C) with the term that `dong` eq. (92) loses: E over V of the square of E[η|V].

    γ·lim C·E[η²] + (I₁(1/m)/m² + I₀(1/m)/m)² (3/4 + I₀(1/m))^{m-2}.

    >>> round(hidden_ce_offdiagonal_limit(0.1, 8), 6)
    0.002676
    """
    m = _hidden(hidden)
    pair = orthant_moment(1, 1 / m) / m**2 + orthant_moment(0, 1 / m) / m
    shared = pair**2 * relu_exponential(1 / m) ** (m - 2)
    return printed_hidden_ce_offdiagonal_limit(gamma, hidden) + shared


@takes_arrays
def hidden_mse_diagonal_limit(gamma: float, hidden: int, *, factor: float = 2.0) -> float:
    """lim u_ii(γ, C)/C² = factor²(1 + 2γ)/(4m²): 2 for the Hessian of the loss (7), 1 for the expression (8).

    Source: `dong` eq. (31), which prints the value with factor 1.

    >>> hidden_mse_diagonal_limit(1.5, 4), hidden_mse_diagonal_limit(1.5, 4, factor=1)
    (0.25, 0.0625)
    """
    factor = _factor(factor)
    return factor**2 * (1 + 2 * _gamma(gamma)) / (4 * _hidden(hidden, 1) ** 2)


@takes_arrays
def hidden_mse_offdiagonal_limit(gamma: float, hidden: int, *, factor: float = 2.0) -> float:
    """lim u_ij(γ, C)/C = factor²(1 + 4γ)/(16m²): 2 for the Hessian of the loss (7), 1 for the expression (8).

    Source: `dong` eq. (31), which prints the value with factor 1.

    >>> hidden_mse_offdiagonal_limit(0.75, 2), hidden_mse_offdiagonal_limit(0.75, 2, factor=1)
    (0.25, 0.0625)
    """
    factor = _factor(factor)
    return factor**2 * (1 + 4 * _gamma(gamma)) / (16 * _hidden(hidden, 1) ** 2)


@takes_arrays
def output_ce_diagonal_limit(hidden: int) -> float:
    """lim C² q_ii = m a_12 b_1^{m-1} + m(m-1) a_11² b_1^{m-2} = E[(s·s')² e^{s·s'/m}], s = σ(z), s' = σ(z').

    Source: `dong` eq. (32) with the b_1 of :func:`constants`.

    >>> round(output_ce_diagonal_limit(8), 5)
    5.73158
    """
    m, c = _hidden(hidden), constants(hidden)
    return m * c.a12 * c.b1 ** (m - 1) + m * (m - 1) * c.a11**2 * c.b1 ** (m - 2)


@takes_arrays
def output_ce_offdiagonal_limit(hidden: int) -> float:
    """lim C⁴ q_ij = m a_22 b_2^{m-1} + m(m-1) a_21² b_2^{m-2} = E[(s·s')² e^{2 s·s'/m}].

    Source: `dong` eq. (110), (111) with the b_2 of :func:`constants`; eq. (33) prints the last power as m-1.

    >>> round(output_ce_offdiagonal_limit(8), 4)
    10.5089
    """
    m, c = _hidden(hidden), constants(hidden)
    return m * c.a22 * c.b2 ** (m - 1) + m * (m - 1) * c.a21**2 * c.b2 ** (m - 2)


@takes_arrays
def printed_output_ce_diagonal_limit(hidden: int) -> float:
    """lim C² q_ii exactly as `dong` eq. (32) with (67) prints it.

    >>> round(printed_output_ce_diagonal_limit(8), 4)
    1.3347
    """
    m, c = _hidden(hidden), printed_constants(hidden)
    return m * c.a12 * c.b1 ** (m - 1) + m * (m - 1) * c.a11**2 * c.b1 ** (m - 2)


@takes_arrays
def printed_output_ce_offdiagonal_limit(hidden: int) -> float:
    """lim C⁴ q_ij exactly as `dong` eq. (33) with (67) prints it.

    >>> round(printed_output_ce_offdiagonal_limit(8), 4)
    1.9881
    """
    m, c = _hidden(hidden), printed_constants(hidden)
    return m * c.a22 * c.b2 ** (m - 1) + m * (m - 1) * c.a21**2 * c.b2 ** (m - 1)
