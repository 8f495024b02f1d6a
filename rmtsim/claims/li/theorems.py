"""Claims of `li` on the Matrix Dyson equation: Lemma D.3, Theorems 2 and 3, eq. (8), Lemma F.2, Remark D.4."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.li.ensembles import ENSEMBLES, Ensemble, eigenvalues
from rmtsim.claims.model import Parameter, Parameters, Tolerance

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


def _cost(parameters: Parameters, size: int) -> float:
    """Drawing and the eigenvalues; a rectangular draw has more than n of them."""
    side = size * (1 + float(parameters.get("ratio", 0.0)))
    return 1.5e-4 + 2e-8 * side**2 + 4e-10 * side**3


def _random_problem(size: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], complex]:
    """Symmetric Bₖ of a random Gaussian ensemble with ‖S‖ of order one, and a spectral parameter."""
    count = int(rng.integers(1, 2 * size))
    raw = rng.standard_normal((count, size, size))
    matrices = (raw + raw.transpose(0, 2, 1)) / np.sqrt(2 * count * size)
    return matrices, complex(rng.uniform(-2, 2), rng.uniform(0.3, 1.0))


def _iterate(
    matrices: NDArray[np.float64], z: complex, start: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    """The equation solved by plain half-averaging, written out: shares nothing with the solver under test."""
    identity, state = np.eye(len(start)), start
    for _ in range(20_000):
        energy = np.einsum("kab,bc,kcd->ad", matrices, state, matrices, optimize=True)
        new = -np.linalg.inv(z * identity + energy)
        change = np.linalg.norm(new - state)
        state = (state + new) / 2
        if change <= 1e-13 * np.linalg.norm(state):
            break
    return state


def _random_problems(
    size: int, rng: np.random.Generator, count: int
) -> Iterator[tuple[NDArray[np.float64], complex, NDArray[np.complex128]]]:
    """Ensembles and spectral parameters, each with the solver's M."""
    from rmtsim.laws.dyson import MatrixDyson
    from rmtsim.laws.self_energy import GaussianSum

    for _ in range(count):
        matrices, z = _random_problem(size, rng)
        yield matrices, z, MatrixDyson(np.zeros((size, size)), GaussianSum(matrices)).solve(z).full()


def _reflection(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    values = []
    for matrices, z, solution in _random_problems(size, rng, replicates):
        mirrored = _iterate(matrices, -z.conjugate(), 1j * np.eye(size, dtype=np.complex128))
        values.append(np.linalg.norm(mirrored + solution.conj().T) / np.linalg.norm(solution))
    return np.array(values)


register(
    Claim(
        id="li.lemmaD.3",
        paper="li",
        equation="Lemma D.3",
        statement="With A = 0 the solutions of the Matrix Dyson equation at z and −z* satisfy M(−z*) = −M(z)*.",
        kind="identity",
        sample=_reflection,
        predict=lambda parameters: 0.0,
        tolerance=Tolerance(absolute=1e-8),
        sizes=(3, 6),
        size_name="n",
        cost=lambda parameters, size: 0.03,
    )
)


def _uniqueness(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    values = []
    for matrices, z, solution in _random_problems(size, rng, replicates):
        real = rng.standard_normal((size, size))
        root = rng.standard_normal((size, size))
        start = 3 * (real + real.T) + 1j * (root @ root.T + 0.01 * np.eye(size))
        values.append(np.linalg.norm(_iterate(matrices, z, start) - solution) / np.linalg.norm(solution))
    return np.array(values)


register(
    Claim(
        id="li.thm2.a",
        paper="li",
        equation="Theorem 2(a)",
        statement="The Matrix Dyson equation has one solution with Im M > 0 at every z with Im z > 0: iterations from "
        "random starts all end in it.",
        kind="identity",
        sample=_uniqueness,
        predict=lambda parameters: 0.0,
        tolerance=Tolerance(absolute=1e-8),
        sizes=(3, 6),
        size_name="n",
        cost=lambda parameters, size: 0.03,
    )
)


@functools.lru_cache(maxsize=4096)
def _solution(name: str, value: float, size: int, z: complex) -> complex:
    return complex(ENSEMBLES[name].finite(value, size).stieltjes(z))


def _trace_gap(
    ensemble: Ensemble,
    normalised: bool,
    parameters: Parameters,
    size: int,
    rng: np.random.Generator,
    count: int,
) -> NDArray[np.float64]:
    """|tr(G − M)|, divided by the side of the matrix if ``normalised``."""
    z = complex(parameters["x"], parameters["height"])
    expected = _solution(ensemble.name, float(parameters[ensemble.parameter.name]), size, z)
    values = np.empty(count)
    for index in range(count):
        spectrum = eigenvalues(ensemble, parameters, size, rng)
        gap = abs(np.mean(1 / (spectrum - z)) - expected)
        values[index] = gap if normalised else gap * len(spectrum)
    return values


for _ensemble in ENSEMBLES.values():
    register(
        Claim(
            id=f"li.thm2.c.{_ensemble.name}",
            paper="li",
            equation="Theorem 2(a), (c)",
            statement="The normalised trace of the resolvent is within O(1/N) (up to N^ε) of that of M; "
            f"ensemble: {_ensemble.text}.",
            kind="rate",
            exponent=1.0,
            relation="O",
            sample=functools.partial(_trace_gap, _ensemble, True),
            predict=None,
            tolerance=Tolerance(absolute=0.1),
            sizes=RATE_SIZES,
            size_name="N",
            parameters=(_ensemble.parameter, ABSCISSA, HEIGHT),
            exponents=(1.0,),  # linear statistics of a Gaussian ensemble have an expansion in 1/N
            cost=_cost,
            quick=_ensemble.name == "two-block",
        )
    )

for _id, _normalised in (("li.eq8", False), ("li.eq8/corrected", True)):
    register(
        Claim(
            id=_id,
            paper="li",
            equation="eq. (8), Condition 4.2",
            statement=(
                "|(1/N) trace B(G − M)| ≤ ‖B‖ N^ε/((1 + |z|)² N) with high probability; here B = 1."
                if _normalised
                else "|trace B(G − M)| ≤ ‖B‖ N^ε/((1 + |z|)² N) with high probability; here B = 1."
            ),
            kind="rate",
            exponent=1.0,
            relation="O",
            sample=functools.partial(_trace_gap, ENSEMBLES["wigner"], _normalised),
            predict=None,
            tolerance=Tolerance(absolute=0.1),
            sizes=RATE_SIZES,
            size_name="N",
            parameters=(ENSEMBLES["wigner"].parameter, ABSCISSA, HEIGHT),
            exponents=(1.0,),
            cost=_cost,
            note="The bound it quotes is for the normalised trace; the unnormalised one fluctuates at order one.",
        )
    )


def _distance(
    ensemble: Ensemble, parameters: Parameters, size: int, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """Kolmogorov distance of the eigenvalues to the solved limit law."""
    from rmtsim.laws import empirical

    law = ensemble.limit(float(parameters[ensemble.parameter.name]))
    return np.array(
        [empirical(eigenvalues(ensemble, parameters, size, rng)).kolmogorov(law) for _ in range(count)]
    )


def _asymmetry(
    ensemble: Ensemble, parameters: Parameters, size: int, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """sup |F_H − F_{−H}|, the Kolmogorov distance between a spectrum and its mirror image."""
    values = np.empty(count)
    for index in range(count):
        spectrum = eigenvalues(ensemble, parameters, size, rng)
        spectrum[np.abs(spectrum) < 1e-10 * np.abs(spectrum).max()] = 0.0
        mirrored = -spectrum[::-1]
        places = np.concatenate([spectrum, mirrored])
        here = np.searchsorted(spectrum, places, side="right") - np.searchsorted(
            mirrored, places, side="right"
        )
        values[index] = np.abs(here).max() / len(spectrum)
    return values


def _imbalance(
    ensemble: Ensemble, parameters: Parameters, size: int, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """|share of negative among non-zero eigenvalues − ½|."""
    values = np.empty(count)
    for index in range(count):
        spectrum = eigenvalues(ensemble, parameters, size, rng)
        nonzero = spectrum[np.abs(spectrum) > 1e-10 * np.abs(spectrum).max()]
        values[index] = abs(np.mean(nonzero < 0) - 0.5)
    return values


for _ensemble in ENSEMBLES.values():
    register(
        Claim(
            id=f"li.thm2.law.{_ensemble.name}",
            paper="li",
            equation="Theorem 2",
            statement="The eigenvalues follow the law whose Stieltjes transform is tr M/N (Kolmogorov distance); "
            f"ensemble: {_ensemble.text}.",
            kind="law",
            sample=functools.partial(_distance, _ensemble),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=0.01),
            sizes=SIZES,
            size_name="N",
            parameters=(_ensemble.parameter,),
            cost=_cost,
            quick=_ensemble.name == "deformed",
        )
    )
    if not _ensemble.centred:
        continue
    for _name, _quantity, _text in (
        ("symmetry", _asymmetry, "the spectrum tends to its own mirror image"),
        ("half", _imbalance, "half of the non-zero eigenvalues are negative"),
    ):
        register(
            Claim(
                id=f"li.thm3.{_name}.{_ensemble.name}",
                paper="li",
                equation="Theorem 3",
                statement=f"With A = 0 {_text}; ensemble: {_ensemble.text}.",
                kind="law",
                sample=functools.partial(_quantity, _ensemble),
                predict=lambda parameters: 0.0,
                tolerance=Tolerance(absolute=0.01),
                sizes=SIZES,
                size_name="N",
                parameters=(_ensemble.parameter,),
                cost=_cost,
                quick=(_name, _ensemble.name) == ("half", "two-block"),
            )
        )
