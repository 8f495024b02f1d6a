"""Comparison of a measured Hessian with `wu`: the decoupling E[M] ⊗ E[xxᵀ] of every dense layer."""

from __future__ import annotations

from typing import Any

from rmtsim.errors import ConvergenceError
from rmtsim.hessians import HessianOperator, kronecker_decoupling

__all__ = ["beside"]

_LARGEST = 512
"""Outputs of a layer up to which its curvature is formed."""
_LAYERS = 6
"""Layers that are compared, the last ones."""


def beside(operator: HessianOperator) -> str:
    """One line per dense layer: overlap of its leading eigenspace with that of the Kronecker product.

    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> beside(hessian(np.eye(2)))
    'no theory here: the decoupling is about dense layers of a torch model'
    """
    source: Any = operator.source
    if not hasattr(source, "layer_factors"):
        return "no theory here: the decoupling is about dense layers of a torch model"
    weights = [slot for slot in operator.slots if slot.name.endswith("weight") and len(slot.shape) == 2]
    lines = []
    for slot in weights[-_LAYERS:]:
        if slot.shape[0] > _LARGEST:
            lines.append(f"{slot.name}: {slot.shape[0]} outputs, more than {_LARGEST}; not compared")
            continue
        try:
            lines.append(
                str(kronecker_decoupling(operator, slot.name.removesuffix("weight").removesuffix(".")))
            )
        except (ValueError, ConvergenceError) as error:
            lines.append(f"{slot.name}: no theory here ({error})")
    return (
        "\n  ".join(["Kronecker decoupling of dense layers", *lines])
        if lines
        else "no theory here: no dense layer"
    )
