"""Marks arguments of predictors that are arrays by their meaning."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Whole:
    """An argument that is an array by its meaning and is passed to every call unchanged."""

    value: Any
