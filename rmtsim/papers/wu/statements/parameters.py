"""Parameters of `wu` section 4 and the points at which its statements are tested."""

from __future__ import annotations

from dataclasses import replace

from rmtsim.claims import Grid, Parameter

ALPHA = Parameter(
    "alpha",
    "d = width^(1+alpha)",
    default=0.3,
    open_below=True,
    highest=1.5,
    draw_range=(0.1, 0.8),
    assumption="wu section 4 takes d = n^(1+α), α > 0; simulated up to 1.5",
)
WIDE_ALPHA = replace(
    ALPHA,
    default=1.0,
    open_below=False,
    lowest=0.2,
    highest=2.0,
    draw_range=(0.5, 1.5),
    assumption="wu section 4 takes d = n^(1+α), α > 0; below 0.2 n^(-α/2) hardly moves over sizes one can simulate",
)
CLASSES = Parameter(
    "classes",
    "number of classes c",
    default=4,
    integer=True,
    lowest=2,
    highest=50,
    draw_range=(2, 8),
    assumption="wu section 4 takes a fixed finite c",
)
FEW_CLASSES = replace(CLASSES, default=3, highest=10, draw_range=(2, 5), assumption="")
EPSILON = Parameter(
    "epsilon",
    "threshold ε of the event",
    default=0.5,
    open_below=True,
    highest=10.0,
    draw_range=(0.1, 2.0),
    assumption="the lemma is stated for every ε > 0",
)
DEPTH = Parameter(
    "depth",
    "layers of weights L",
    default=3,
    integer=True,
    lowest=2,
    highest=8,
    draw_range=(2, 5),
    assumption="all hidden layers of one width",
)
FRACTION = Parameter(
    "fraction",
    "k/m, dimension of the compared spaces over the output dimension",
    default=0.25,
    open_below=True,
    highest=1.0,
    draw_range=(0.1, 0.9),
    assumption="Theorem G.1 is stated for k ≤ m",
)
FIRST, SECOND = (
    Parameter(
        name,
        f"{symbol}/n^{{0.45α}}, the {name} fixed input in parts of the lemma's range",
        default=1.0,
        lowest=-1.0,
        highest=1.0,
        draw_range=(0.05, 1.0),
        assumption="wu Lemma B.11 takes a, b in (-n^β, n^β), β < α/2; here β = 0.45α",
    )
    for name, symbol in (("first", "a"), ("second", "b"))
)
NETWORK_GRID = Grid((ALPHA, CLASSES), points=({"alpha": 0.3, "classes": 4}, {"alpha": 0.6, "classes": 2}))
"""Where statements about random two-layer networks are tested."""
ALPHA_GRID = Grid((ALPHA, CLASSES), points=({"alpha": 0.3}, {"alpha": 0.6}))
"""Where statements that do not depend on the classes are tested."""
