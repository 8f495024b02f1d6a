"""`dong` (19) and (20): the second term of the cross-layer block (18) when C is large."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import HIDDEN
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance


def _cross_terms(
    parameters: Parameters, size: int, rng: np.random.Generator, kind: Literal["norm", "printed", "kept"]
) -> float:
    """Second term of (18) at C = size on a small network: its root mean square norm, or the error of (19)."""
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import sample_one_hidden

    hidden = int(parameters["hidden"])
    state = forward(sample_one_hidden(10, 20, hidden, size, rng), "ce")
    output, inputs = state.network.output, state.network.inputs
    gates = state.gates[:, 0]
    term = state.mixed_curvature(0)
    if kind == "norm":
        # ‖(1/N) Σ_n a_nj x_n f_nᵀ‖² for all classes j at once, through the Gram matrix of x_n fᵀ_n.
        gram = (inputs @ inputs.T) * (state.features @ state.features.T) * np.outer(gates, gates)
        energies = np.einsum("nj,nj->j", term, gram @ term) / len(inputs) ** 2
        return math.sqrt(float(energies.mean()))
    if kind == "printed":
        stated = np.broadcast_to(output[:, 0] / size, term.shape)
    else:
        stated = state.probabilities * (output[:, 0] - state.features[:, :1] / hidden)
    rows = gates > 0
    if not rows.any():
        return _cross_terms(parameters, size, rng, kind)
    return float(np.square(term[rows] - stated[rows]).sum() / np.square(term[rows]).sum())


def _cross_sampler(kind: Literal["norm", "printed", "kept"]) -> Sampler:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return np.array([_cross_terms(parameters, size, rng, kind) for _ in range(replicates)])

    return sample


_CROSS_COST = 3e-4
register(
    Claim(
        id="dong.eq20",
        paper="dong",
        equation="eq. (20)",
        statement="The second term of the cross-layer block (18) is O(1/C) as C → ∞ at fixed d, N, m "
        "(root mean square norm).",
        kind="rate",
        exponent=1.0,
        relation="O",
        parameters=(HIDDEN,),
        grid=({"hidden": 8},),
        sizes=(100, 400, 1600, 6400),
        size_name="C",
        sample=_cross_sampler("norm"),
        predict=None,
        tolerance=Tolerance(absolute=0.1),
        exponents=(1.0,),
        quick=False,
        cost=lambda parameters, size: _CROSS_COST + 6e-7 * size,
    )
)


def _eq19(name: str, statement: str, kind: Literal["printed", "kept"]) -> None:
    register(
        Claim(
            id=name,
            paper="dong",
            equation="eq. (19)",
            statement=statement,
            kind="limit",
            parameters=(HIDDEN,),
            grid=({"hidden": 8},),
            sizes=(200, 800, 3200),
            size_name="C",
            sample=_cross_sampler(kind),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=0.05),
            exponents=(0.5, 1.0),
            cost=lambda parameters, size: _CROSS_COST + 6e-7 * size,
            note="Neither p_nj ≈ 1/C nor Σ_c p_nc v_ci ≈ 0 becomes exact: C·p_nj stays log-normal "
            "and Σ_c p_nc v_ci → σ(w_i·x_n)/m.",
        )
    )


_eq19(
    "dong.eq19",
    "Σ_c (δ_jc - p_nc) p_nj v_ci ≈ v_ji/C when C is large: the relative squared error tends to zero.",
    "printed",
)
_eq19(
    "dong.eq19/corrected",
    "Σ_c (δ_jc - p_nc) p_nj v_ci ≈ p_nj (v_ji - σ(w_i·x_n)/m) when C is large: the relative "
    "squared error tends to zero.",
    "kept",
)
