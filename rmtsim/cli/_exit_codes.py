"""Exit codes of every command, in one place."""

from __future__ import annotations

__all__ = ["BAD_USAGE", "FAILED", "INTERRUPTED", "UNWANTED"]

FAILED = 1
"""The work could not be completed: memory, disk, workers, a locked or damaged store; or ``--check`` found damage."""
BAD_USAGE = 2
"""What was asked cannot be meant: an unknown claim, a value outside its range, a file that is no store."""
UNWANTED = 3
"""The run completed, with a verdict that ``--fail-on`` names."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it."""
