"""Progress on standard error: one line per claim at work, with rate and time left."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from rmtsim.runs.work import BatchKey

if TYPE_CHECKING:
    from rmtsim.verdicts import Progress

__all__ = ["ProgressDisplay"]

_LINES = 12
"""Claims shown at once; the others are counted."""


@dataclass
class _Line:
    """What is known about one claim's work."""

    task: TaskID
    planned: int = 0
    arrived: int = 0
    waiting: float = 0.0
    fraction: float = 0.0
    started: float = field(default_factory=time.monotonic)

    def rate(self) -> float:
        """Batches per second of wall time."""
        return self.arrived / max(time.monotonic() - self.started, 1e-3)

    def left(self) -> str:
        """Time to the end of the allowance at this pace; a verdict may come earlier."""
        elapsed = time.monotonic() - self.started
        if self.fraction > 0:
            seconds = elapsed * (1 - self.fraction) / self.fraction
        elif self.arrived:
            seconds = (self.planned - self.arrived) / self.rate()
        else:
            return ""
        return f"≤ {_duration(seconds)}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class ProgressDisplay:
    """Watches batches and rounds; a context manager."""

    def __init__(self, console: Console | None = None) -> None:
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[rate]:>14}", markup=False),
            TextColumn("{task.fields[left]:>10}", markup=False),
            console=console or Console(stderr=True),
            transient=True,
        )
        self._lines: dict[str, _Line] = {}
        self._all = self._bars.add_task("points decided", total=None, rate="", left="")

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._bars.stop()

    def planned(self, key: BatchKey) -> None:
        """A batch is going to be computed."""
        line = self._line(key.claim.id)
        line.planned += 1
        self._show(key.claim.id)

    def arrived(self, key: BatchKey, seconds: float) -> None:
        """A batch is computed and safe."""
        line = self._line(key.claim.id)
        line.arrived += 1
        self._show(key.claim.id)

    def report(self, step: Progress) -> None:
        """A round has been analysed."""
        line = self._line(step.claim)
        line.fraction = max(line.fraction, step.fraction)
        self._show(step.claim)
        self._bars.update(self._all, completed=step.finished, total=step.total)
        if step.verdict:
            self._bars.update(line.task, visible=False)

    def _line(self, claim: str) -> _Line:
        if claim not in self._lines:
            task = self._bars.add_task(claim, total=1.0, rate="", left="", visible=False)
            self._lines[claim] = _Line(task)
        return self._lines[claim]

    def _show(self, claim: str) -> None:
        line = self._lines[claim]
        shown = sum(task.visible for task in self._bars.tasks)
        within_round = line.arrived / line.planned if line.planned else 0.0
        self._bars.update(
            line.task,
            completed=line.fraction if line.fraction > 0 else 0.1 * within_round,
            rate=f"{line.rate():.3g} batches/s" if line.arrived else "",
            left=line.left(),
            visible=line.arrived < line.planned and (self._bars.tasks[line.task].visible or shown <= _LINES),
        )
