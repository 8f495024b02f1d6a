"""Parameters and tolerances that several statements on the log-linear word model have."""

from __future__ import annotations

from rmtsim.claims import Parameter, Tolerance

ROUNDING = Tolerance(absolute=1e-10)
"""Slack of inequalities and identities between sums of at most some hundred numbers of order one."""

SHIFT = Parameter(
    "shift", "s, by which the logit of one word is lowered", 1.0, open_below=True, highest=200.0,
    draw_range=(0.1, 10.0),
)  # fmt: skip
SPREAD = Parameter(
    "spread", "standard deviation of the teacher's logits", 1.0, highest=20.0, draw_range=(0.2, 4.0)
)
