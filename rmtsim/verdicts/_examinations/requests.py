"""What passes between an examination and its driver: a setting at the start, requests and values, a result."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._model import Claim
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._results import PointResult


@dataclass(frozen=True)
class Request:
    """Batches wanted, their nominal cost, and the nominal seconds until a verdict is expected."""

    keys: tuple[BatchKey, ...]
    cost: float
    outlook: float = 0.0
    interval: tuple[float, float] | None = None
    """What is known so far, for whoever watches."""


@dataclass(frozen=True)
class Setting:
    """What an examination is told: point, seed, level, allowance, shift of the prediction."""

    parameters: dict[str, Any]
    seed: int
    level: float
    allowance: float
    control: float = 0.0
    drawn: bool = False
    left: Callable[[], float] = lambda: math.inf
    """Nominal seconds that are still to be had: the last round takes what is left rather than nothing."""


Examination = Generator[Request, "list[NDArray[np.float64]] | None", PointResult]


def keys_for(
    claim: Claim, setting: Setting, size: int, start: int, number: int, length: int
) -> list[BatchKey]:
    """Names of ``number`` batches from number ``start`` on."""
    point = tuple(sorted(setting.parameters.items()))
    return [BatchKey(claim, point, size, start + step, length, setting.seed) for step in range(number)]
