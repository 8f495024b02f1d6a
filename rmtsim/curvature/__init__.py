"""Exact norms of Hessian blocks, and derivatives in high precision to check them against.

The linear softmax model (inputs x_n, weights v_c, cross-entropy loss) has Hessian blocks
H_ij = (1/N) Σ_n (p_ni δ_ij − p_ni p_nj) x_n x_nᵀ; their Frobenius norms follow from Gram matrices, so that no block is
formed. Names load on first use.

>>> import numpy as np
>>> model = sample_linear(dimension=4, samples=6, classes=3, rng=np.random.default_rng(0))
>>> block_energies(model).energies.shape
(3, 3)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rmtsim.curvature._differentiation import SecondDifferences, hessian_by_differences
    from rmtsim.curvature._linear_energies import (
        block,
        block_eigenvalues,
        block_energies,
        block_norms,
        pair_norms,
    )
    from rmtsim.curvature._linear_model import LinearModel, sample_linear

_HOMES = {
    "SecondDifferences": "_differentiation",
    "hessian_by_differences": "_differentiation",
    "block": "_linear_energies",
    "block_eigenvalues": "_linear_energies",
    "block_energies": "_linear_energies",
    "block_norms": "_linear_energies",
    "pair_norms": "_linear_energies",
    "LinearModel": "_linear_model",
    "sample_linear": "_linear_model",
}

__all__ = [
    "LinearModel",
    "SecondDifferences",
    "block",
    "block_eigenvalues",
    "block_energies",
    "block_norms",
    "hessian_by_differences",
    "pair_norms",
    "sample_linear",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim.curvature' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rmtsim.curvature.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
