"""Claims of `li` on the Matrix Dyson equation: Lemma D.3, Theorems 2 and 3, eq. (8)."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Choice,
    Identity,
    Law,
    Option,
    Parameter,
    Plan,
    Rate,
    Simulated,
    claim,
)
from rmtsim.papers.li.simulation.spectral_symmetry import asymmetry, mirror_error
from rmtsim.papers.li.statements.ensembles import LAWS, RECTANGULAR, WIGNER, Ensemble, choice_of_ensemble

SIZES = (32, 64, 128, 256)
RATE_SIZES = (8, 16, 32, 64, 128, 256)
"""An exponent is read off a range of sizes: five doublings."""
ABSCISSA = Parameter("x", "Re z", 0.5, lowest=-10.0, highest=10.0, draw_range=(0.1, 2.0))
HEIGHT = Parameter(
    "height",
    "Im z",
    0.5,
    lowest=0.05,
    highest=10.0,
    draw_range=(0.2, 2.0),
    assumption="the theorem asks for Im z ≥ N^(γ−1), so a fixed height",
)


def eigenvalue_cost(size: int, ratio: float = 0.0) -> float:
    """Nominal seconds of drawing a symmetric matrix and its eigenvalues; ``ratio`` is that of [[0, X], [Xᵀ, 0]]."""
    side = size * (1 + ratio)
    return 1.5e-4 + 2e-8 * side**2 + 4e-10 * side**3


# ---- The equation itself: random ensembles, each solved twice ----------------------------------------------------

EQUATION_PLAN = Plan(sizes=(3, 6), size_name="n", cost=0.03)
SOLVER_TESTED = Simulated(
    theory="the solver of the equation is what is tested, against an iteration that shares nothing with it"
)


def _random_problem(
    size: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], complex, NDArray[np.complex128]]:
    """Symmetric Bₖ of a random Gaussian ensemble with ‖S‖ of order one, a spectral parameter, the solver's M."""
    from rmtsim.laws.dyson import MatrixDyson
    from rmtsim.laws.self_energy import GaussianSum

    count = int(rng.integers(1, 2 * size))
    raw = rng.standard_normal((count, size, size))
    matrices = (raw + raw.transpose(0, 2, 1)) / np.sqrt(2 * count * size)
    z = complex(rng.uniform(-2, 2), rng.uniform(0.3, 1.0))
    return matrices, z, MatrixDyson(np.zeros((size, size)), GaussianSum(matrices)).solve(z).full()


def _iterate(
    matrices: NDArray[np.float64], z: complex, start: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    """The equation solved by half-averaging, without code of the solver under test."""
    identity, state = np.eye(len(start)), start
    for _ in range(20_000):
        energy = (matrices @ state @ matrices).sum(axis=0)
        new = -np.linalg.inv(z * identity + energy)
        change = np.linalg.norm(new - state)
        state = (state + new) / 2
        if change <= 1e-13 * np.linalg.norm(state):
            break
    return state


@claim("li.lemmaD.3", states=Identity(within=1e-8), plan=EQUATION_PLAN, evidence=SOLVER_TESTED)
def reflection_error(size: int, rng: np.random.Generator) -> float:
    """‖M(−z*) + M(z)*‖/‖M(z)‖, the left one by iteration."""
    matrices, z, solution = _random_problem(size, rng)
    mirrored = _iterate(matrices, -z.conjugate(), 1j * np.eye(size, dtype=np.complex128))
    return float(np.linalg.norm(mirrored + solution.conj().T) / np.linalg.norm(solution))


@claim("li.thm2.a", states=Identity(within=1e-8), plan=EQUATION_PLAN, evidence=SOLVER_TESTED)
def distance_from_a_random_start(size: int, rng: np.random.Generator) -> float:
    """‖M' − M‖/‖M‖, M' the end of an iteration from a random start with Im > 0."""
    matrices, z, solution = _random_problem(size, rng)
    real = rng.standard_normal((size, size))
    root = rng.standard_normal((size, size))
    start = 3 * (real + real.T) + 1j * (root @ root.T + 0.01 * np.eye(size))
    return float(np.linalg.norm(_iterate(matrices, z, start) - solution) / np.linalg.norm(solution))


# ---- The resolvent against the solution --------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _normalised_trace(ensemble: Ensemble, value: float, size: int, z: complex) -> complex:
    """tr M/n of the solution at this size."""
    return complex(LAWS[ensemble](value, size=size).stieltjes(z))


def trace_gap(
    size: int,
    rng: np.random.Generator,
    form: str,
    ensemble: Ensemble,
    *,
    x: float,
    height: float,
    **parameter: float,
) -> float:
    """|tr(G − M)| of a drawn matrix, as printed; corrected: divided by the side of the matrix."""
    z, value = complex(x, height), ensemble.value(parameter)
    drawn = ensemble.tridiagonal(size, rng, value)
    gap = abs(drawn.mean_resolvent(z) - _normalised_trace(ensemble, value, size, z))
    return gap if form == "corrected" else gap * len(drawn)


TRACE_PLAN = Plan(
    sizes=RATE_SIZES,
    size_name="N",
    exponents=(1.0,),
    because="linear statistics of a Gaussian ensemble have an expansion in 1/N",
    cost=eigenvalue_cost,
)
AGAINST_THE_SOLUTION = Simulated(
    theory="the distance between the drawn resolvent and the solved M is the quantity that is stated"
)

WITH_THE_CONDITIONS = ("wigner", "two-block", "banded", "separable", "deformed")
"""Ensembles that satisfy Condition 4.5; [[0, X], [Xᵀ, 0]] does not."""

claim(
    "li.thm2.c.{ensemble}",
    trace_gap,
    states=Rate(1.0, "O", within=0.05),
    over=(choice_of_ensemble(*WITH_THE_CONDITIONS), ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=AGAINST_THE_SOLUTION,
)
claim(
    "li.thm2.c.rectangular",
    partial(trace_gap, ensemble=RECTANGULAR),
    states=Rate(1.0, "O", within=0.05),
    over=(RECTANGULAR.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=AGAINST_THE_SOLUTION,
)
claim(
    "li.eq8",
    partial(trace_gap, ensemble=WIGNER),
    states=Rate(1.0, "O", within=0.05),
    over=(WIGNER.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=AGAINST_THE_SOLUTION,
)


# ---- The law, its symmetry, and the balance of signs -------------------------------------------------------------


def distance_to_the_law(size: int, rng: np.random.Generator, ensemble: Ensemble, **parameter: float) -> float:
    """Kolmogorov distance of the eigenvalues to the solved law of infinite matrices."""
    from rmtsim.spectra import empirical

    value = ensemble.value(parameter)
    return float(empirical(ensemble.eigenvalues(size, rng, value)).kolmogorov(LAWS[ensemble](value)))


def asymmetry_of_draw(size: int, rng: np.random.Generator, ensemble: Ensemble, **parameter: float) -> float:
    """Kolmogorov distance between the spectrum of a draw and its mirror image."""
    return asymmetry(ensemble.eigenvalues(size, rng, ensemble.value(parameter)))


def imbalance(size: int, rng: np.random.Generator, ensemble: Ensemble, **parameter: float) -> float:
    """|share of negative among non-zero eigenvalues − ½|; zero is what lies within 1e-10 of their root mean square."""
    drawn = ensemble.tridiagonal(size, rng, ensemble.value(parameter))
    square = np.square(drawn.diagonal).sum() + 2 * np.square(drawn.off_diagonal).sum()
    zero = 1e-10 * float(np.sqrt(square / len(drawn)))
    negative = drawn.count_at_most(-zero)
    nonzero = len(drawn) - drawn.count_at_most(zero) + negative
    return abs(negative / nonzero - 0.5)


SPECTRUM_PLAN = Plan(
    sizes=SIZES,
    size_name="N",
    because="eigenvalues are rigid: their number in an interval fluctuates by (log N)^½, so the distance is of order "
    "(log N)^½/N, which lies between the powers ½ and 1 that are admitted",
    cost=eigenvalue_cost,
)

claim(
    "li.thm2.law.{ensemble}",
    distance_to_the_law,
    states=Law(0.0, within=0.01),
    over=(choice_of_ensemble(*WITH_THE_CONDITIONS),),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm2.law.rectangular",
    partial(distance_to_the_law, ensemble=RECTANGULAR),
    states=Law(0.0, within=0.01),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm3.{part}.{ensemble}",
    states=Law(0.0, within=0.01),
    over=(
        Choice(
            "part",
            {
                "symmetry": Option(
                    label="the spectrum tends to its own mirror image", measured=asymmetry_of_draw
                ),
                "half": Option(label="half of the non-zero eigenvalues are negative", measured=imbalance),
            },
        ),
        choice_of_ensemble("wigner", "two-block", "banded", "separable"),
    ),
    plan=SPECTRUM_PLAN,
)


@claim(
    "li.thm3.symmetry.rectangular",
    states=Identity(within=1e-10),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN,
)
def rectangular_mirror_error(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Σ|λ_i + λ_{N+1−i}|/Σ|λ_i|."""
    return mirror_error(RECTANGULAR.eigenvalues(size, rng, ratio))


claim(
    "li.thm3.half.rectangular",
    partial(imbalance, ensemble=RECTANGULAR),
    states=Identity(within=1e-12),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN,
)
