"""Parameters shared by the statements on sparse coding."""

from __future__ import annotations

from rmtsim.claims import Parameter

SPARSITY = Parameter(
    "sparsity", "number k of atoms in a code", 1, integer=True, lowest=1, highest=2, draw_range=(1, 2)
)
NOISE = Parameter("noise", "standard deviation σ of the noise", 0.5, open_below=True, draw_range=(0.1, 3.0))
WIDTH = Parameter(
    "ratio",
    "limit of p/d",
    2.0,
    lowest=1.2,
    draw_range=(1.5, 6.0),
    assumption="p/d → ratio, rectangular dictionaries",
)
