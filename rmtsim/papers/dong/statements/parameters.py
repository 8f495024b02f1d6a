"""What the claims of `dong` on one-hidden-layer networks share: parameters, and a fixed V."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Parameter

__all__ = ["CLASSES", "GAMMA", "HIDDEN", "SMALL_CLASSES", "fixed_output", "integer_parameter"]

_MEANINGS = {
    "hidden": "number of hidden neurons m",
    "classes": "number of classes C",
    "dimension": "input dimension d",
    "samples": "number of samples N",
}


def integer_parameter(
    name: str,
    *,
    default: int,
    lowest: int,
    highest: float = float("inf"),
    draw_range: tuple[float, float],
    assumption: str = "",
) -> Parameter:
    """A whole-numbered parameter with the meaning its name has throughout the paper.

    >>> integer_parameter("hidden", default=8, lowest=3, draw_range=(3, 20)).meaning
    'number of hidden neurons m'
    """
    return Parameter(
        name,
        _MEANINGS[name],
        default=default,
        integer=True,
        lowest=lowest,
        highest=highest,
        draw_range=draw_range,
        assumption=assumption,
    )


GAMMA = Parameter(
    "gamma",
    "limit of d/N",
    default=1.0,
    open_below=True,
    draw_range=(0.2, 5.0),
    assumption="Theorem 2 assumes d/N → γ in (0, ∞)",
)
HIDDEN = integer_parameter(
    "hidden", default=8, lowest=3, draw_range=(5, 20), assumption="Theorem 2 assumes a fixed m ≥ 3"
)
CLASSES = integer_parameter(
    "classes", default=20, lowest=2, draw_range=(2, 100), assumption="d, N → ∞ at a fixed C ≥ 2"
)
SMALL_CLASSES = integer_parameter(
    "classes", default=5, lowest=2, draw_range=(2, 10), assumption="d, N → ∞ at a fixed C ≥ 2"
)


def fixed_output(classes: int, hidden: int) -> NDArray[np.float64]:
    """The deterministic V of statements conditional on it: one draw with N(0, 1/m) entries for each (C, m).

    >>> bool((fixed_output(3, 2) == fixed_output(3, 2)).all())
    True
    """
    return np.random.default_rng([classes, hidden]).standard_normal((classes, hidden)) / math.sqrt(hidden)
