"""Comparison of a measured Hessian with `dong`: block ratios of dense networks, or why the theory does not apply."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim.hessians import HessianOperator
from rmtsim.networks import Network, from_torch
from rmtsim.papers.dong.comparison import compare_with_theory

__all__ = ["beside"]


def beside(operator: HessianOperator) -> str:
    """Block norms of the model and of the theory at its number of classes, or the reason why there is no theory.

    >>> from rmtsim.hessians import hessian
    >>> beside(hessian(np.eye(2)))
    'no theory here: its block norms are those of a network with a loss, not of a matrix'
    """
    try:
        network, inputs, targets = _network(operator)
        return str(compare_with_theory(network, inputs, targets))
    except (ValueError, TypeError) as error:
        return f"no theory here: {error}"


def _network(operator: HessianOperator) -> tuple[Network, Any, Any]:
    source: Any = operator.source
    if hasattr(source, "network"):
        return (source.network, *source.data())
    if not hasattr(source, "parts"):
        raise ValueError(
            f"its block norms are those of a network with a loss, not of a {operator.description}"
        )
    model, loss, batches = source.parts()
    name = type(loss).__name__
    if name not in ("CrossEntropyLoss", "MSELoss") or getattr(loss, "reduction", "") != "mean":
        raise ValueError(f"loss {name}: it is about CrossEntropyLoss and MSELoss with the mean over samples")
    if getattr(loss, "label_smoothing", 0) or getattr(loss, "weight", None) is not None:
        raise ValueError("a loss with weights or label smoothing")
    if not all(isinstance(batch, (tuple, list)) and len(batch) == 2 for batch in batches):
        raise ValueError("batches that are not (inputs, targets)")
    inputs = np.concatenate([_rows(batch[0]) for batch in batches])
    targets = np.concatenate([np.asarray(batch[1]) for batch in batches])
    return from_torch(model, inputs, targets), inputs, targets


def _rows(tensor: Any) -> Any:
    array = np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
    return array.reshape(len(array), -1)
