"""Common parts of the statements of `dong`: parameters, and the choice between kinds of block."""

from __future__ import annotations

from typing import Any

from rmtsim.claims import Choice, Option, Parameter

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

SERIES = (
    "gates and logits depend on W only through W Wᵀ, a Wishart matrix over d, and inputs enter as averages "
    "over N: expectations are series in 1/d (docs/papers/dong/one-hidden-layer.md)"
)
"""Why the corrections to mean energies of networks have the exponent one."""


def blocks(
    values: tuple[Any, Any] = ("diagonal", "offdiagonal"),
    *,
    names: tuple[str, str] = ("diagonal", "offdiagonal"),
    **pairs: tuple[Any, Any],
) -> Choice:
    """The choice between diagonal and off-diagonal blocks, called ii and ij in statements.

    Each of the ``pairs`` is a word of the statement or a part of an :class:`Option`, for the one and for the other.

    >>> blocks(equation=("22", "23")).value("offdiagonal").words
    {'equation': '23'}
    """

    def option(which: int, label: str) -> Option:
        own = {key: pair[which] for key, pair in pairs.items()}
        words = {key: text for key, text in own.items() if isinstance(text, str)}
        parts = {key: part for key, part in own.items() if not isinstance(part, str)}
        return Option(values[which], label, words=words, **parts)

    return Choice("block", dict(zip(names, (option(0, "ii"), option(1, "ij")), strict=True)))
