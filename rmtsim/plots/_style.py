"""Common style of all figures: sizes of a two-column page, colours for grey print and colour-blind readers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DATA = "#4477aa"
THEORY = "#cc3311"
LIMIT = "#228833"
OUTLIER = "#aa3377"
CYCLE = (DATA, LIMIT, "#ee7733", THEORY, OUTLIER, "#66ccee", "#ccbb44")
"""Colours of unordered series (Paul Tol's, safe for colour-blind readers); the first four lines of most figures."""
SEQUENTIAL, SIGNED = "magma", "RdBu_r"
"""Colour maps of heat maps: sizes, and numbers of both signs."""

_WIDTH = 3.4
_HEIGHT = 2.7


def panels(
    columns: int = 1, rows: int = 1, *, width: float = _WIDTH, height: float = _HEIGHT
) -> tuple[Figure, Any]:
    """A figure with ``rows × columns`` axes (an array of them, flat), lettered, without touching global state.

    >>> figure, axes = panels(2)
    >>> len(axes)
    2
    """
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes:
        _plain(ax)
    if len(axes) > 1:
        letter(axes)
    return figure, axes


def letter(axes: Iterable[Axes]) -> None:
    """(a), (b), … at the upper left of each panel, outside the data; ``panels`` does so where there are several.

    >>> figure, axes = panels(2)
    >>> [ax.texts[0].get_text() for ax in axes]
    ['(a)', '(b)']
    """
    for index, ax in enumerate(axes):
        ax.text(
            -0.02, 1.04, f"({chr(97 + index)})", transform=ax.transAxes, fontsize=9, fontweight="bold", ha="right",
        )  # fmt: skip


def shades(count: int) -> list[tuple[float, float, float]]:
    """Colours of an ordered series (epochs, widths), from dark to light.

    >>> first, last = shades(2)
    >>> bool(sum(first) < sum(last))
    True
    """
    from matplotlib import colormaps

    places = [0.15 + 0.65 * k / max(count - 1, 1) for k in range(count)]
    return [colormaps[SEQUENTIAL](place)[:3] for place in places]


def _plain(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=8)
    ax.xaxis.label.set_fontsize(9)
    ax.yaxis.label.set_fontsize(9)
    ax.title.set_fontsize(9)


def save(figure: Figure, path: Path, *, colours: int | None = None) -> None:
    """Write the figure at print resolution; the same figure gives the same bytes (no date inside).

    ``colours`` keeps only so many of them (PNG): heat maps of noise become a third as large.
    """
    undated = {".png": {"Software": None}, ".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    with rc_context({"svg.hashsalt": "rmtsim"}):
        figure.savefig(path, dpi=200, metadata=undated.get(path.suffix))
    if colours is not None:
        from PIL import Image

        with Image.open(path) as image:
            image.convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
