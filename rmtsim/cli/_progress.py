"""Live progress: verdicts are printed as they become known; below them the running claims, intervals and time left.

In a log there is one line per verdict.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from rmtsim._internal import plain
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._words.numbers import estimate_words, time_words, within

if TYPE_CHECKING:
    from rmtsim.verdicts import ClaimResult, Progress

_LINES = 8
"""Claims at work that are shown; the others are counted."""
_SOONEST = 2.0
"""Seconds before a time left is shown; earlier there is no basis for an estimate."""


@dataclass
class _Line:
    """State of the work on one claim."""

    planned: int = 0
    arrived: int = 0
    reused: int = 0
    interval: tuple[float, float] | None = None
    started: float = field(default_factory=time.monotonic)

    def words(self) -> str:
        """The interval so far, the number of batches done, and whether some were in the store."""
        parts = []
        if self.interval is not None and all(map(math.isfinite, self.interval)):
            middle = (self.interval[0] + self.interval[1]) / 2
            parts.append(within(middle, self.interval).partition(" in ")[2] or f"{middle:.6g}")
        if self.planned:
            parts.append(f"batch {self.arrived} of {self.planned}")
        if self.reused:
            parts.append(f"{self.reused} reused")
        return ", ".join(parts)


class ProgressDisplay:
    """Watches batches and rounds; a context manager.

    ``show`` formats the result of a claim that is printed when its verdict is known.
    """

    def __init__(
        self,
        console: Console | None = None,
        show: Callable[[ClaimResult], Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console = console or Console(stderr=True)
        self._show = show
        self._clock = clock
        self._lines: dict[str, _Line] = {}
        self._step: Progress | None = None
        self._started = clock()
        self._live = Live(
            console=self.console, get_renderable=self.rendered, transient=True, refresh_per_second=5
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._live.stop()

    def planned(self, key: BatchKey) -> None:
        """A batch is going to be computed."""
        self._line(key.claim.id).planned += 1

    def arrived(self, key: BatchKey, seconds: float) -> None:
        """A batch is computed and stored."""
        self._line(key.claim.id).arrived += 1

    def report(self, step: Progress) -> None:
        """A round has been analysed, or a claim has its verdict."""
        self._step = step
        line = self._line(step.claim)
        line.interval = step.interval or line.interval
        line.reused = step.reused
        if step.result is not None:
            self._lines.pop(step.claim, None)
            if self._show is not None:
                self.console.print(self._show(step.result))

    def rendered(self) -> Text:
        """The lines below the verdicts: how far the whole run is, then the claims at work."""
        width = self.console.width
        text = Text(self._overall()[:width], style="bold", no_wrap=True)
        working = [(name, line) for name, line in self._lines.items() if line.arrived < line.planned]
        for name, line in working[:_LINES]:
            shown = f"  {plain(name)}  {line.words()}"
            text.append(f"\n{shown if len(shown) <= width else f'{shown[: width - 1]}…'}", style="dim")
        if len(working) > _LINES:
            text.append(f"\n  … and {len(working) - _LINES} more", style="dim")
        return text

    def _overall(self) -> str:
        elapsed = self._clock() - self._started
        if self._step is None:
            return f"at work, {time_words(elapsed)}"
        done = f"{self._step.finished} of {self._step.total} parameter points decided, {time_words(elapsed)}"
        left = self.seconds_left()
        return done if left is None else f"{done}, about {_rough(left)} left"

    def seconds_left(self) -> float | None:
        """Estimated remaining time, at the pace so far; None while it is unknown."""
        step, elapsed = self._step, self._clock() - self._started
        if step is None or step.spent <= 0 or elapsed < _SOONEST or not math.isfinite(step.foreseen):
            return None
        return step.foreseen * elapsed / step.spent

    def _line(self, claim: str) -> _Line:
        return self._lines.setdefault(claim, _Line())


def _rough(seconds: float) -> str:
    """A duration rounded to one or two digits.

    >>> [_rough(s) for s in (3.3, 47, 95, 4000, 9000)]
    ['3 s', '50 s', '2 min', '70 min', '2 h']
    """
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 90:
        return f"{round(seconds, -1):.0f} s"
    if seconds < 600:
        return f"{seconds / 60:.0f} min"
    return f"{round(seconds / 60, -1):.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


class ProgressLines:
    """One line per verdict, for logs, where lines cannot be updated in place."""

    def __init__(self, claims: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._claims = claims
        self._stream = stream
        self._clock = clock
        self._fallen = 0
        self._started = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        """Do nothing: there is no display to remove."""

    def planned(self, key: BatchKey) -> None:
        """A batch is going to be computed."""

    def arrived(self, key: BatchKey, seconds: float) -> None:
        """A batch is computed and stored."""

    def report(self, step: Progress) -> None:
        """Print a line if a claim has its verdict."""
        if step.result is None:
            return
        self._fallen += 1
        verdict = "FAILED" if step.result.failed else str(step.result.verdict)
        counter = f"[{self._fallen:>{len(str(self._claims))}}/{self._claims}]"
        found = "" if step.result.failed else f"  {estimate_words(step.result.deciding)}"
        line = f"{counter} {verdict:<12}  {plain(step.claim)}{found}  {time_words(self._clock() - self._started)}"
        with contextlib.suppress(OSError):  # errors of the log do not end the run
            print(line, file=self._stream, flush=True)
