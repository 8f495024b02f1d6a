"""What `liu` predicts for a measured Hessian: nothing for one model, a power of the width for a family."""

from __future__ import annotations

from rmtsim.hessians import HessianOperator

__all__ = ["beside"]


def beside(operator: HessianOperator) -> str:
    """The reason why one model is not enough, and what to call.

    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> beside(hessian(np.eye(2))).startswith("no theory here")
    True
    """
    return (
        "no theory here: the theorem is about the Hessian of the output of networks of growing width, "
        "rmtsim.hessians.norm_against_width(make, widths, inputs)"
    )
