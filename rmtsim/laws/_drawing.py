"""Method ``plot`` of the laws: the only module of the laws that imports figures, when a law is drawn."""

from __future__ import annotations

from typing import Any


def draw(law: Any, y: str = "pdf", ax: Any = None) -> Any:
    """Draw a method of a law into axes, new ones if None; returns the axes."""
    from rmtsim.plots._laws import draw_law

    return draw_law(law, y, ax)
