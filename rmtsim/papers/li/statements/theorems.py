"""Claims of `li` on the Matrix Dyson equation: Lemma D.3, Theorems 2 and 3, eq. (8)."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Identity, Law, Parameter, Place, Plan, Rate, Simulated, claim
from rmtsim.papers.li.statements.ensembles import (
    BANDED,
    DEFORMED,
    LAWS,
    RECTANGULAR,
    SEPARABLE,
    TWO_BLOCK,
    WIGNER,
    Ensemble,
)

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


def eigenvalue_cost(size: int) -> float:
    """Nominal seconds of drawing a symmetric matrix and its eigenvalues."""
    return _cost_of_side(size)


def rectangular_cost(size: int, ratio: float) -> float:
    """The same for [[0, X], [Xᵀ, 0]], which has more than n rows."""
    return _cost_of_side(size * (1 + ratio))


def _cost_of_side(side: float) -> float:
    return 1.5e-4 + 2e-8 * side**2 + 4e-10 * side**3


# ---- The equation itself: random ensembles, each solved twice ----------------------------------------------------

EQUATION_PLAN = Plan(sizes=(3, 6), size_name="n", cost=0.03)
EQUATION_THEORY = (
    "the solver of the equation is what is tested, against an iteration that shares nothing with it"
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
    """The equation solved by plain half-averaging, written out: shares nothing with the solver under test."""
    identity, state = np.eye(len(start)), start
    for _ in range(20_000):
        energy = (matrices @ state @ matrices).sum(axis=0)
        new = -np.linalg.inv(z * identity + energy)
        change = np.linalg.norm(new - state)
        state = (state + new) / 2
        if change <= 1e-13 * np.linalg.norm(state):
            break
    return state


@claim(
    "li.lemmaD.3",
    at="Lemma D.3",
    standing="lemma",
    printed="With A = 0 the solutions of the Matrix Dyson equation at z and −z* satisfy M(−z*) = −M(z)*.",
    states=Identity(within=1e-8),
    plan=EQUATION_PLAN,
    evidence=Simulated(theory=EQUATION_THEORY),
)
def reflection_error(size: int, rng: np.random.Generator) -> float:
    """‖M(−z*) + M(z)*‖/‖M(z)‖, the left one by iteration."""
    matrices, z, solution = _random_problem(size, rng)
    mirrored = _iterate(matrices, -z.conjugate(), 1j * np.eye(size, dtype=np.complex128))
    return float(np.linalg.norm(mirrored + solution.conj().T) / np.linalg.norm(solution))


@claim(
    "li.thm2.a",
    at="Theorem 2(a)",
    standing="theorem",
    printed="The Matrix Dyson equation has one solution with Im M > 0 at every z with Im z > 0: iterations from "
    "random starts all end in it.",
    states=Identity(within=1e-8),
    plan=EQUATION_PLAN,
    evidence=Simulated(theory=EQUATION_THEORY),
)
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


def _trace_gap(
    ensemble: Ensemble, size: int, rng: np.random.Generator, x: float, height: float, value: float
) -> tuple[float, int]:
    """(|tr(G − M)| divided by the side of the matrix, this side)."""
    z = complex(x, height)
    drawn = ensemble.tridiagonal(size, rng, value)
    return abs(drawn.mean_resolvent(z) - _normalised_trace(ensemble, value, size, z)), len(drawn)


def normalised_gap(
    ensemble: Ensemble, size: int, rng: np.random.Generator, *, x: float, height: float, **parameter: float
) -> float:
    """|(1/N) tr(G − M)| of a drawn matrix."""
    return _trace_gap(ensemble, size, rng, x, height, parameter[ensemble.parameter.name])[0]


def plain_gap(
    ensemble: Ensemble, size: int, rng: np.random.Generator, *, x: float, height: float, **parameter: float
) -> float:
    """|tr(G − M)| of a drawn matrix, as printed."""
    gap, side = _trace_gap(ensemble, size, rng, x, height, parameter[ensemble.parameter.name])
    return gap * side


TRACE_PLAN = Plan(
    sizes=RATE_SIZES,
    size_name="N",
    exponents=(1.0,),
    because="linear statistics of a Gaussian ensemble have an expansion in 1/N",
    cost=eigenvalue_cost,
)
TRACE_THEORY = "the distance between the drawn resolvent and the solved M is the quantity that is stated"
TRACE_CREDIT = "Appendix D.3 takes the transform of the spectrum from the normalised trace (1/N) tr G."
TRACE_NOTE = (
    "The Notations define ⟨A, B⟩ as tr AᵀB (our copy reads ⟨AᵀB⟩ := tr(AᵀB)); the theorem that is quoted has the "
    "normalised trace (1/N) tr. The plain one fluctuates at order one."
)
_PRINTED = (
    "|⟨B, G − M⟩| ≤ ‖B‖ N^ε/((1 + |z|)² N) with high probability, ⟨A, B⟩ = tr AᵀB as in the Notations; here B = 1, "
    "tested as the decay of the mean over draws; ensemble: "
)
_RIGHT = (
    "The normalised trace of the resolvent is within O(1/N) (up to N^ε) of that of M, in the mean over draws; "
    "ensemble: "
)

claim(
    "li.thm2.c.wigner",
    partial(plain_gap, WIGNER),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "independent Gaussian entries of one variance.",
    corrected=Corrected(
        _RIGHT + "independent Gaussian entries of one variance.", measured=partial(normalised_gap, WIGNER)
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(WIGNER.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.thm2.c.two-block",
    partial(plain_gap, TWO_BLOCK),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "independent entries, variances 1 and 0.1 within two halves and another between them.",
    corrected=Corrected(
        _RIGHT + "independent entries, variances 1 and 0.1 within two halves and another between them.",
        measured=partial(normalised_gap, TWO_BLOCK),
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(TWO_BLOCK.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.thm2.c.banded",
    partial(plain_gap, BANDED),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "independent entries with a soft band of variances.",
    corrected=Corrected(
        _RIGHT + "independent entries with a soft band of variances.",
        measured=partial(normalised_gap, BANDED),
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(BANDED.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.thm2.c.separable",
    partial(plain_gap, SEPARABLE),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "L^½ G L^½, all entries correlated through L_ij = r^|i−j|.",
    corrected=Corrected(
        _RIGHT + "L^½ G L^½, all entries correlated through L_ij = r^|i−j|.",
        measured=partial(normalised_gap, SEPARABLE),
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(SEPARABLE.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.thm2.c.deformed",
    partial(plain_gap, DEFORMED),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "Wigner plus a mean with two eigenvalues.",
    corrected=Corrected(
        _RIGHT + "Wigner plus a mean with two eigenvalues.", measured=partial(normalised_gap, DEFORMED)
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(DEFORMED.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.thm2.c.rectangular",
    partial(plain_gap, RECTANGULAR),
    at="Theorem 2(c)",
    standing="theorem",
    printed=_PRINTED + "the linearisation [[0, X], [Xᵀ, 0]] of a Wishart matrix.",
    corrected=Corrected(
        _RIGHT + "the linearisation [[0, X], [Xᵀ, 0]] of a Wishart matrix.",
        measured=partial(normalised_gap, RECTANGULAR),
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(RECTANGULAR.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN.but(cost=rectangular_cost),
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(cause="the trace lacks its 1/N", note=TRACE_NOTE, credit=TRACE_CREDIT),
)
claim(
    "li.eq8",
    partial(plain_gap, WIGNER),
    at=Place("eq. (8), Condition 4.2", qualifier="an informal version"),
    standing="heuristic",
    printed="|trace B(G − M)| ≤ ‖B‖ N^ε/((1 + |z|)² N) with high probability; here B = 1, tested "
    "as the decay of the mean over draws.",
    corrected=Corrected(
        "|(1/N) trace B(G − M)| ≤ ‖B‖ N^ε/((1 + |z|)² N) with high probability; here B = 1, tested "
        "as the decay of the mean over draws.",
        measured=partial(normalised_gap, WIGNER),
    ),
    states=Rate(1.0, "O", within=0.1),
    over=(WIGNER.parameter, ABSCISSA, HEIGHT),
    plan=TRACE_PLAN,
    evidence=Simulated(theory=TRACE_THEORY),
    erratum=Erratum(
        cause="the trace lacks its 1/N",
        note="The bound it quotes is for the normalised trace; the unnormalised one fluctuates at order one.",
        credit=TRACE_CREDIT,
    ),
)


# ---- The law, its symmetry, and the balance of signs -------------------------------------------------------------


def distance_to_the_law(ensemble: Ensemble, size: int, rng: np.random.Generator, **parameter: float) -> float:
    """Kolmogorov distance of the eigenvalues to the solved law of infinite matrices."""
    from rmtsim.laws import empirical

    value = parameter[ensemble.parameter.name]
    return float(empirical(ensemble.eigenvalues(size, rng, value)).kolmogorov(LAWS[ensemble](float(value))))


def asymmetry(ensemble: Ensemble, size: int, rng: np.random.Generator, **parameter: float) -> float:
    """sup |F_H − F_{−H}|, the Kolmogorov distance between a spectrum and its mirror image."""
    spectrum = ensemble.eigenvalues(size, rng, parameter[ensemble.parameter.name])
    spectrum[np.abs(spectrum) < 1e-10 * np.abs(spectrum).max()] = 0.0
    mirrored = -spectrum[::-1]
    places = np.concatenate([spectrum, mirrored])
    here = np.searchsorted(spectrum, places, side="right") - np.searchsorted(mirrored, places, side="right")
    return float(np.abs(here).max() / len(spectrum))


def mirror_error(ensemble: Ensemble, size: int, rng: np.random.Generator, **parameter: float) -> float:
    """Σ|λ_i + λ_{N+1−i}|/Σ|λ_i|: zero, to rounding, for a spectrum that is its own mirror image."""
    spectrum = ensemble.eigenvalues(size, rng, parameter[ensemble.parameter.name])
    return float(np.abs(spectrum + spectrum[::-1]).sum() / np.abs(spectrum).sum())


def imbalance(ensemble: Ensemble, size: int, rng: np.random.Generator, **parameter: float) -> float:
    """|share of negative among non-zero eigenvalues − ½|; zero is what lies within 1e-10 of their root mean square."""
    drawn = ensemble.tridiagonal(size, rng, parameter[ensemble.parameter.name])
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
LAW_THEORY = "the distance of the drawn eigenvalues to the solved law is the quantity that is stated"


claim(
    "li.thm2.law.wigner",
    partial(distance_to_the_law, WIGNER),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "independent Gaussian entries of one variance.",
    states=Law(0.0, within=0.01),
    over=(WIGNER.parameter,),
    plan=SPECTRUM_PLAN,
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm3.symmetry.wigner",
    partial(asymmetry, WIGNER),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 the spectrum tends to its own mirror image; ensemble: independent Gaussian entries of one"
    " variance.",
    states=Law(0.0, within=0.01),
    over=(WIGNER.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm3.half.wigner",
    partial(imbalance, WIGNER),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 half of the non-zero eigenvalues are negative; ensemble: independent Gaussian entries of "
    "one variance.",
    states=Law(0.0, within=0.01),
    over=(WIGNER.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm2.law.two-block",
    partial(distance_to_the_law, TWO_BLOCK),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "independent entries, variances 1 and 0.1 within two halves and another between them.",
    states=Law(0.0, within=0.01),
    over=(TWO_BLOCK.parameter,),
    plan=SPECTRUM_PLAN,
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm3.symmetry.two-block",
    partial(asymmetry, TWO_BLOCK),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 the spectrum tends to its own mirror image; ensemble: independent entries, variances 1 "
    "and 0.1 within two halves and another between them.",
    states=Law(0.0, within=0.01),
    over=(TWO_BLOCK.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm3.half.two-block",
    partial(imbalance, TWO_BLOCK),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 half of the non-zero eigenvalues are negative; ensemble: independent entries, variances 1"
    " and 0.1 within two halves and another between them.",
    states=Law(0.0, within=0.01),
    over=(TWO_BLOCK.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm2.law.banded",
    partial(distance_to_the_law, BANDED),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "independent entries with a soft band of variances.",
    states=Law(0.0, within=0.01),
    over=(BANDED.parameter,),
    plan=SPECTRUM_PLAN,
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm3.symmetry.banded",
    partial(asymmetry, BANDED),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 the spectrum tends to its own mirror image; ensemble: independent entries with a soft "
    "band of variances.",
    states=Law(0.0, within=0.01),
    over=(BANDED.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm3.half.banded",
    partial(imbalance, BANDED),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 half of the non-zero eigenvalues are negative; ensemble: independent entries with a soft "
    "band of variances.",
    states=Law(0.0, within=0.01),
    over=(BANDED.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm2.law.separable",
    partial(distance_to_the_law, SEPARABLE),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "L^½ G L^½, all entries correlated through L_ij = r^|i−j|.",
    states=Law(0.0, within=0.01),
    over=(SEPARABLE.parameter,),
    plan=SPECTRUM_PLAN,
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm3.symmetry.separable",
    partial(asymmetry, SEPARABLE),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 the spectrum tends to its own mirror image; ensemble: L^½ G L^½, all entries correlated "
    "through L_ij = r^|i−j|.",
    states=Law(0.0, within=0.01),
    over=(SEPARABLE.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm3.half.separable",
    partial(imbalance, SEPARABLE),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 half of the non-zero eigenvalues are negative; ensemble: L^½ G L^½, all entries "
    "correlated through L_ij = r^|i−j|.",
    states=Law(0.0, within=0.01),
    over=(SEPARABLE.parameter,),
    plan=SPECTRUM_PLAN,
)
claim(
    "li.thm2.law.deformed",
    partial(distance_to_the_law, DEFORMED),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "Wigner plus a mean with two eigenvalues.",
    states=Law(0.0, within=0.01),
    over=(DEFORMED.parameter,),
    plan=SPECTRUM_PLAN,
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm2.law.rectangular",
    partial(distance_to_the_law, RECTANGULAR),
    at="Theorem 2",
    standing="theorem",
    printed="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); ensemble: "
    "the linearisation [[0, X], [Xᵀ, 0]] of a Wishart matrix.",
    states=Law(0.0, within=0.01),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN.but(cost=rectangular_cost),
    evidence=Simulated(theory=LAW_THEORY),
)
claim(
    "li.thm3.symmetry.rectangular",
    partial(mirror_error, RECTANGULAR),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 the spectrum tends to its own mirror image; ensemble: the linearisation [[0, X], [Xᵀ, 0]]"
    " of a Wishart matrix, where it is its own mirror image at every draw: Σ|λ_i + λ_{N+1−i}|/Σ|λ_i|.",
    states=Identity(within=1e-10),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN.but(because="", cost=rectangular_cost),
)
claim(
    "li.thm3.half.rectangular",
    partial(imbalance, RECTANGULAR),
    at="Theorem 3",
    standing="theorem",
    printed="With A = 0 half of the non-zero eigenvalues are negative; ensemble: the linearisation [[0, X], [Xᵀ, "
    "0]] of a Wishart matrix, where it is so exactly, at every draw.",
    states=Identity(within=1e-12),
    over=(RECTANGULAR.parameter,),
    plan=SPECTRUM_PLAN.but(because="", cost=rectangular_cost),
)
