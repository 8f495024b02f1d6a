"""Ticks of logarithmic axes that span a decade or two: 1, 2, 5 as plain numbers instead of 2 × 10⁰."""

from __future__ import annotations

from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter


def plain_ticks(axis: Axis, decades: float = 2.5) -> None:
    """Label 1, 2, 5 of every decade, if the logarithmic ``axis`` spans at most so many; wider ones stay as they are."""
    low, high = axis.get_view_interval()
    if high > low * 10**decades:
        return
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())
