"""Claims of `wu` on moments of rectified Gaussians, by quadrature: eqs. (36), (80), (90), (183), (186), Lemma B.24."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import claim, correction
from rmtsim.claims.model import Tolerance
from rmtsim.claims.papers import PAPERS
from rmtsim.claims.wu.causes import DIAGONAL_OF_AUTOCORRELATION, FOURTH_MOMENT, MASS_AT_ZERO
from rmtsim.claims.wu.parameters import ALPHA, CLASSES

statement_computed = partial(
    claim,
    paper=PAPERS["wu"],
    standing="equation",
    accuracy=1e-11,
    parameters=(ALPHA, CLASSES),
    grid=({"alpha": 0.3}, {"alpha": 0.6}),
    sizes=(8, 16, 32, 64),
    size_name="width",
    exponents=(0.5, 1.0),
    because="the value is the same at every width",
    cost=2e-3,
)


def input_moments() -> tuple[float, float, float, float]:
    """E x, E x², E x³, E x⁴ of max(g, 0) by quadrature of the density."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, w = 6.5 * (nodes + 1), 6.5 * weights
    density = np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)
    first, second, third, fourth = (float((w * density) @ x**k) for k in (1, 2, 3, 4))
    return first, second, third, fourth


def autocorrelation(size: int, alpha: float) -> NDArray[np.float64]:
    """E[xxᵀ] with d = size^(1+α)."""
    from rmtsim.sampling.relu_network import input_dimension

    d = input_dimension(size, alpha)
    mean, square, _, _ = input_moments()
    matrix = np.full((d, d), mean**2)
    np.fill_diagonal(matrix, square)
    return matrix


# ---- The autocorrelation of the inputs ---------------------------------------------------------------------------


@statement_computed(
    "wu.lemmaB.24",
    source="Lemma B.24",
    standing="lemma",
    statement="λ₁(E[xxᵀ]/d) = 1/(2π) + (π-1)/(2πd) with eigenvector 1/√d, all others (π-1)/(2πd): relative error.",
    identity=True,
    tolerance=Tolerance(absolute=1e-10),
)
def error_of_spectrum(size: int, alpha: float, classes: int) -> float:
    """Largest error of the stated eigenvalues and of the eigenvector's residual, over λ₁."""
    matrix = autocorrelation(size, alpha)
    d = matrix.shape[0]
    values = np.linalg.eigvalsh(matrix / d)[::-1]
    bulk = (math.pi - 1) / (2 * math.pi * d)
    stated = np.full(d, bulk)
    stated[0] += 1 / (2 * math.pi)
    vector = np.full(d, 1 / math.sqrt(d))
    residual = np.abs(matrix @ vector / d - stated[0] * vector).max()
    return float(max(np.abs(values - stated).max(), residual) / stated[0])


@statement_computed(
    "wu.eq186",
    source="eq. (186)",
    statement="‖E[xxᵀ]‖²_F = d²/(4π²) + d(π-1)/(2π): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π-1)/(2π).",
    limit=(math.pi - 1) / (2 * math.pi),
    tolerance=Tolerance(relative=1e-8),
    cause=DIAGONAL_OF_AUTOCORRELATION,
    note="A diagonal entry is 1/2, so d of them exceed 1/(4π²) each by 1/4 - 1/(4π²); eq. (173) has a third value.",
    corrected=correction(
        "wu.eq186/corrected",
        statement="‖E[xxᵀ]‖²_F = d²/(4π²) + d(π²-1)/(4π²): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π²-1)/(4π²).",
        limit=(math.pi**2 - 1) / (4 * math.pi**2),
    ),
)
def excess_of_energy(size: int, alpha: float, classes: int) -> float:
    """(‖E[xxᵀ]‖²_F - d²/(4π²))/d."""
    matrix = autocorrelation(size, alpha)
    d = matrix.shape[0]
    return float((np.sum(matrix**2) - d**2 / (4 * math.pi**2)) / d)


@statement_computed(
    "wu.eq183",
    source="eq. (183)",
    statement="1ᵀE[xxᵀ]1 = d²/(2π) + d(π-1)/(2π): (1ᵀE[xxᵀ]1 - d²/(2π))/d = (π-1)/(2π).",
    limit=(math.pi - 1) / (2 * math.pi),
    tolerance=Tolerance(relative=1e-8),
)
def excess_of_sum(size: int, alpha: float, classes: int) -> float:
    """(1ᵀE[xxᵀ]1 - d²/(2π))/d."""
    matrix = autocorrelation(size, alpha)
    return float((matrix.sum() - len(matrix) ** 2 / (2 * math.pi)) / len(matrix))


# ---- Moments of a unit -------------------------------------------------------------------------------------------


def central_fourth() -> float:
    """E(x - Ex)⁴ of max(g, 0)."""
    m1, m2, m3, m4 = input_moments()
    return m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


_CORE = (6 * math.pi**2 - 10 * math.pi - 3) / (4 * math.pi**2)


@statement_computed(
    "wu.eq80",
    source="eq. (80)",
    statement="E(x - Ex)⁴ = (6π² - 10π - 3)/(4π²) for x = max(g, 0), g standard normal.",
    limit=_CORE,
    tolerance=Tolerance(relative=1e-9),
)
def fourth_moment_of_input(size: int, alpha: float, classes: int) -> float:
    """E(x - Ex)⁴."""
    return central_fourth()


@statement_computed(
    "wu.eq90",
    source="eq. (90)",
    statement="E(y - Ey)⁴ = (6π² - 10π - 3)(π-1)/(8π³) for y the rectified N(0, (π-1)/(2π)).",
    limit=_CORE * (math.pi - 1) / (2 * math.pi),
    tolerance=Tolerance(relative=1e-9),
    cause=FOURTH_MOMENT,
    note="A fourth moment scales with the square of the variance; the printed value scales with the variance.",
    corrected=correction(
        "wu.eq90/corrected",
        statement="E(y - Ey)⁴ = (6π² - 10π - 3)(π-1)²/(16π⁴) for y the rectified N(0, (π-1)/(2π)).",
        limit=_CORE * ((math.pi - 1) / (2 * math.pi)) ** 2,
    ),
)
def fourth_moment_of_unit(size: int, alpha: float, classes: int) -> float:
    """E(y - Ey)⁴."""
    return central_fourth() * ((math.pi - 1) / (2 * math.pi)) ** 2


def mass_with(sign: float) -> Callable[..., float]:
    """Measure: total mass of the density of eq. (36) at μ = 1/2, σ = 1: Φ(sign·μ/σ) at zero plus the positive part."""

    def total_mass(size: int, alpha: float, classes: int) -> float:
        from scipy.special import ndtr

        mean = 0.5
        nodes, weights = np.polynomial.legendre.leggauss(200)
        x, w = 6.5 * (nodes + 1), 6.5 * weights
        density = np.exp(-0.5 * (x - mean) ** 2) / math.sqrt(2 * math.pi)
        return float(ndtr(sign * mean) + w @ density)

    return total_mass


statement_computed(
    "wu.eq36",
    mass_with(1.0),
    source="eq. (36)",
    statement="The rectified Gaussian has point mass Φ(μ/σ) at zero: the stated density has mass one (μ = 1/2, σ = 1).",
    limit=1.0,
    tolerance=Tolerance(relative=1e-9),
    cause=MASS_AT_ZERO,
    note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ); only μ = 0 is used in the paper.",
    corrected=correction(
        "wu.eq36/corrected",
        measured=mass_with(-1.0),
        statement="The rectified Gaussian has point mass Φ(-μ/σ) at zero: the stated density has mass one (μ = 1/2, "
        "σ = 1).",
        note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ).",
    ),
)


@statement_computed(
    "wu.sec3.1",
    source="section 3.1",
    standing="remark",
    statement="The autocorrelation E[xxᵀ] of non-negative inputs is near rank one: λ₂/λ₁ → 0.",
    limit=0.0,
    tolerance=Tolerance(absolute=0.01),
    exponents=(1.0,),
    because="λ₂/λ₁ = (π-1)/(d + π - 1), a series in 1/d",
)
def input_gap(size: int, alpha: float, classes: int) -> float:
    """λ₂/λ₁ of E[xxᵀ]."""
    values = np.linalg.eigvalsh(autocorrelation(size, alpha))
    return float(values[-2] / values[-1])


@statement_computed(
    "wu.sec3.1.centred",
    source="sections 3.1 and G.4",
    standing="remark",
    statement="For centred inputs E[xxᵀ] is not near rank one: λ₂/λ₁ = 1 (the covariance is a multiple of I).",
    limit=1.0,
    tolerance=Tolerance(relative=1e-8),
)
def centred_gap(size: int, alpha: float, classes: int) -> float:
    """λ₂/λ₁ of the covariance of x."""
    matrix = autocorrelation(size, alpha)
    values = np.linalg.eigvalsh(matrix - input_moments()[0] ** 2)
    return float(values[-2] / values[-1])
