"""How much memory a batch took, from the kernel's own high-water mark."""

from __future__ import annotations

__all__ = ["PeakMemory"]


class PeakMemory:
    """Peak of resident memory above the level at which this object was made.

    Linux lets a process reset its high-water mark; elsewhere nothing is measured and nothing is guessed.
    The mark belongs to the process: with several threads computing, it is the peak of all of them.
    """

    def __init__(self) -> None:
        self._start: float | None = None
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as handle:
                handle.write("5")
            self._start = _status("VmRSS")
        except OSError:
            pass

    def extra(self) -> float | None:
        """Bytes above the starting level at the highest point since, or None where it is not told."""
        if self._start is None:
            return None
        peak = _status("VmHWM")
        return None if peak is None else max(0.0, peak - self._start)


def _status(field: str) -> float | None:
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith(field + ":"):
                return float(line.split()[1]) * 1024
    return None
