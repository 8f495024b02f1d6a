"""The errors rmtsim raises beyond plain ``ValueError`` and ``TypeError``."""

from __future__ import annotations

__all__ = [
    "CodeMismatchError",
    "ConvergenceError",
    "CorruptedRowError",
    "CorruptedStoreError",
    "ExecutorError",
    "MemoryLimitError",
    "NotAStoreError",
    "NotReproducibleError",
    "PaperError",
    "PaperWarning",
    "ReadOnlyStoreError",
    "RunError",
    "SamplerError",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreVersionError",
    "UnknownClaimError",
    "UnshippableClaimError",
]


class ConvergenceError(ArithmeticError):
    """An iteration stopped before its certificate held; carries what was reached.

    Nothing unconverged is ever returned: a solver either meets its residual or raises this.
    """

    def __init__(self, message: str, *, residual: float, iterations: int, status: str = "stalled") -> None:
        super().__init__(message)
        self.residual = residual
        self.iterations = iterations
        self.status = status


class MemoryLimitError(ValueError):
    """A request that would not fit in memory, refused before any work, with the estimate of its need."""


class SamplerError(ValueError):
    """A claim's sampler returned something that is not the numbers it promised."""


class UnknownClaimError(ValueError):
    """No registered claim has this name; the message suggests near ones."""


class PaperError(ValueError):
    """An installed paper cannot be used: its package fails to import, or declares something that is not accepted."""


class PaperWarning(UserWarning):
    """A paper that cannot be used is left out of a listing or a run of all papers."""


class RunError(Exception):
    """A run could not start or go on, for a reason outside the mathematics. Nothing acknowledged is lost."""


class StoreError(RunError):
    """The store of results cannot be used; the message names the file and what to do."""


class NotAStoreError(StoreError):
    """The file is absent or something else: another database, a text, an empty file."""


class StoreVersionError(StoreError):
    """The store was written by a newer rmtsim than this one."""


class ReadOnlyStoreError(StoreError):
    """The store can be read but not written."""


class StoreFullError(StoreError):
    """The disk has no room for another batch."""


class StoreBusyError(StoreError):
    """Another process kept the store locked for longer than this one waits."""


class CorruptedStoreError(StoreError):
    """The database file itself is damaged: bits changed, or it was cut short."""


class CorruptedRowError(StoreError):
    """A stored batch does not have the bytes it was stored with."""


class NotReproducibleError(StoreError):
    """A batch computed again in the same environment gave other bytes than those stored."""


class ExecutorError(RunError):
    """The workers cannot be started, or those of a pool that is not rmtsim's own broke."""


class UnshippableClaimError(ExecutorError):
    """A claim exists only in this process's memory, and there is no way to hand it to a worker."""


class CodeMismatchError(ExecutorError):
    """A worker has other code for a claim than the process that asks for it."""
