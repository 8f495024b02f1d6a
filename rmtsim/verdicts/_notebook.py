"""Live progress in a Jupyter notebook: one line and the claims at work, updated in place."""

from __future__ import annotations

import html
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from rmtsim.verdicts._driver import Progress
from rmtsim.verdicts._words.numbers import time_words, within

_SECONDS = 0.4
"""Seconds between two updates; a notebook page is slower than a terminal."""
_LINES = 8


def notebook_progress() -> Callable[[Progress], None] | None:
    """Display of progress in a Jupyter notebook; None outside of one.

    >>> notebook_progress() is None
    True
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # Only a kernel can update its output; the IPython shell of a terminal cannot.
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    return _Shown(sys.modules["IPython.display"])


class _Shown:
    """Keeps one output of a cell up to date."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle = display.display(display.HTML("<pre>at work</pre>"), display_id=True)
        self._intervals: dict[str, tuple[float, float] | None] = {}
        self._verdicts: dict[str, str] = {}
        self._started = time.monotonic()
        self._updated = -math.inf

    def __call__(self, step: Progress) -> None:
        self._intervals[step.claim] = step.interval or self._intervals.get(step.claim)
        if step.result is not None:
            self._intervals.pop(step.claim, None)
            self._verdicts[step.claim] = "failed" if step.result.failed else str(step.result.verdict)
        now = time.monotonic()
        if now - self._updated > _SECONDS or step.finished == step.total:
            self._updated = now
            self._handle.update(self._display.HTML(f"<pre>{html.escape(self.text(step))}</pre>"))

    def text(self, step: Progress) -> str:
        """How far the run is, the last verdicts, and the claims at work with what is known about them."""
        elapsed = time.monotonic() - self._started
        lines = [f"{step.finished} of {step.total} parameter points decided, {time_words(elapsed)}"]
        if step.spent > 0 and math.isfinite(step.foreseen) and step.finished < step.total and elapsed > 2:
            lines[0] += f", about {time_words(step.foreseen * elapsed / step.spent)} left"
        lines += [f"{verdict:<12}  {name}" for name, verdict in list(self._verdicts.items())[-_LINES:]]
        for name, interval in list(self._intervals.items())[:_LINES]:
            known = "" if interval is None else within((interval[0] + interval[1]) / 2, interval)
            lines.append(f"at work       {name}  {known}")
        return "\n".join(lines)
