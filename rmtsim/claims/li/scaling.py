"""Claims of `li` on scaling and support: Lemma F.2 and Remark D.4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.li.theorems import SIZES, _cost
from rmtsim.claims.model import Parameter, Parameters, Tolerance

FACTOR = Parameter("factor", "c, by which H is multiplied", 2.0, open_below=True, draw_range=(0.3, 3.0))
REACH = Parameter("reach", "half-width t of the window [−t, t]", 1.0, open_below=True, draw_range=(0.3, 1.5))
_GRID: tuple[Parameters, ...] = ({"factor": 2.0, "reach": 1.0}, {"factor": 0.5, "reach": 0.6})


def _window(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Share of the eigenvalues of cH in [−t, t], H a Wigner matrix of variance 1."""
    from rmtsim.sampling.ensembles import wigner

    values = np.empty(replicates)
    for index in range(replicates):
        spectrum = parameters["factor"] * np.linalg.eigvalsh(wigner(size, 1.0, rng))
        values[index] = np.mean(np.abs(spectrum) <= parameters["reach"])
    return values


def _mass(half_width: float) -> float:
    from rmtsim.laws import Semicircle

    law = Semicircle()
    return float(law.cdf(half_width) - law.cdf(-half_width))


def _printed(parameters: Parameters) -> float:
    # ∫ over [−t, t] of μ_H(cx) dx = (1/c) μ_H([−ct, ct])
    return _mass(parameters["factor"] * parameters["reach"]) / float(parameters["factor"])


def _right(parameters: Parameters) -> float:
    return _mass(parameters["reach"] / parameters["factor"])


for _id, _text, _predict in (
    ("li.lemmaF.2", "μ_{cH}(x) = μ_H(cx)", _printed),
    ("li.lemmaF.2/corrected", "μ_{cH}(x) = μ_H(x/c)/c for c > 0", _right),
):
    register(
        Claim(
            id=_id,
            paper="li",
            equation="Lemma F.2",
            statement=f"The eigenvalue densities of H and cH satisfy {_text}; measured as the share of eigenvalues of "
            "cH in [−t, t].",
            kind="limit",
            sample=_window,
            predict=_predict,
            tolerance=Tolerance(absolute=0.01),
            sizes=SIZES,
            size_name="N",
            parameters=(FACTOR, REACH),
            grid=_GRID,
            exponents=(1.0,),  # counts in a window have an expansion in 1/N
            cost=_cost,
            note="The proof replaces d^{L/2}G by G' without moving the factor out of z: the map is inverted and the "
            "Jacobian 1/c lost, so the printed density has mass 1/c.",
        )
    )


def _outermost(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """(largest point certified in the bulk − largest eigenvalue of A)/2‖S‖^½ for random A and S."""
    from rmtsim.laws.dyson import MatrixDyson
    from rmtsim.laws.self_energy import GaussianSum, VarianceProfile, Wigner

    values = np.empty(replicates)
    for index in range(replicates):
        case = rng.integers(3)
        if case == 0:
            energy: GaussianSum | VarianceProfile | Wigner = Wigner(size, float(rng.uniform(0.2, 5)))
        elif case == 1:
            profile = rng.random((size, size)) ** 3
            energy = VarianceProfile(profile + profile.T)
        else:
            raw = rng.standard_normal((size, size, size))
            energy = GaussianSum(raw + raw.transpose(0, 2, 1))
        scale = 2 * np.sqrt(energy.norm)
        mean = np.diag(rng.standard_normal(size)) * scale * rng.choice([0.0, 0.2, 2.0])
        law = MatrixDyson(mean, energy)
        top = float(np.diag(mean).max())
        steps = np.array([0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0001, 1.01, 1.1, 1.4])
        inside = law.boundary(top + scale * steps).status == "bulk"
        values[index] = steps[inside].max(initial=0.0)
    return values


register(
    Claim(
        id="li.remarkD.4",
        paper="li",
        equation="Remark D.4",
        statement="The support of the law of the Matrix Dyson equation lies in Spec A + [−2‖S‖^½, 2‖S‖^½]; measured as "
        "the reach beyond the largest eigenvalue of A over 2‖S‖^½.",
        kind="bound",
        sample=_outermost,
        predict=lambda parameters: 1.0,
        tolerance=Tolerance(absolute=1e-6),
        sizes=(2, 4),
        size_name="n",
        cost=lambda parameters, size: 0.02,
        quick=False,
    )
)


def _largest(size: int, rng: np.random.Generator) -> float:
    from rmtsim.sampling.ensembles import wigner

    return float(np.abs(np.linalg.eigvalsh(wigner(size, 1.0, rng))[[0, -1]]).max())


def _edge(size: int) -> float:
    """2‖S‖^½ with the transpose term of the real ensemble, ‖S‖ = 1 + 1/n: the widest reading of the remark."""
    return 2 * float(np.sqrt(1 + 1 / size))


def _contained(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    return np.array([float(_largest(size, rng) <= _edge(size)) for _ in range(replicates)])


def _excess(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    return np.array([max(0.0, _largest(size, rng) - _edge(size)) for _ in range(replicates)])


register(
    Claim(
        id="li.remarkD.4.eigenvalues",
        paper="li",
        equation="Remark D.4 with Definition D.1",
        statement="Read with μ_H as Definition D.1 has it, the eigenvalues of H themselves: all of them lie in "
        "Spec A + [−2‖S‖^½, 2‖S‖^½]; Wigner matrices with A = 0.",
        kind="probability",
        sample=_contained,
        predict=lambda parameters: 1.0,
        tolerance=Tolerance(absolute=0.05),
        sizes=(16, 32, 64, 128),
        size_name="N",
        exponents=(1 / 3, 2 / 3, 1.0),
        cost=_cost,
        note="The inclusion is proved for the law of the equation. Extreme eigenvalues fluctuate on both sides of its "
        "edge at the scale N^(-2/3) (Tracy and Widom), so some lie outside with a probability that does not vanish.",
    )
)
register(
    Claim(
        id="li.remarkD.4.eigenvalues/corrected",
        paper="li",
        equation="Remark D.4 with Definition D.1",
        statement="No eigenvalue of H leaves Spec A + [−2‖S‖^½ − ε, 2‖S‖^½ + ε] as N → ∞: the excess tends to zero; "
        "Wigner matrices with A = 0.",
        kind="law",
        sample=_excess,
        predict=lambda parameters: 0.0,
        tolerance=Tolerance(absolute=0.01),
        sizes=SIZES,
        size_name="N",
        exponents=(2 / 3, 1.0),
        cost=_cost,
        quick=False,
    )
)
