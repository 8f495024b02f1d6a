"""Parameters that several statements of `li` have."""

from __future__ import annotations

from rmtsim.claims import Parameter


def depth(
    *,
    default: int = 3,
    lowest: int = 2,
    highest: int,
    draw_range: tuple[int, int],
    meaning: str = "L, the last one α",
) -> Parameter:
    """The number of layers L of a network."""
    return Parameter(
        "layers", meaning, default, integer=True, lowest=lowest, highest=highest, draw_range=draw_range
    )


def positive_factor(
    meaning: str, *, default: float, highest: float, draw_range: tuple[float, float]
) -> Parameter:
    """A factor greater than zero, of variances or of a matrix."""
    return Parameter("factor", meaning, default, open_below=True, highest=highest, draw_range=draw_range)
