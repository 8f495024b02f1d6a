"""Errors that rmtsim raises in addition to ``ValueError`` and ``TypeError``.

The classes in ``__all__`` are public. Each of the others is a special case of one of them.
"""

from __future__ import annotations

__all__ = [
    "ConvergenceError",
    "ExecutorError",
    "MemoryLimitError",
    "PaperError",
    "PaperWarning",
    "RunError",
    "SamplerError",
    "StoreError",
    "UnknownClaimError",
]


class ConvergenceError(ArithmeticError):
    """An iteration ended before its result could be certified; no uncertified value is returned.

    Parameters
    ----------
    message : str
        Description.
    residual : float
        Residual that was reached.
    iterations : int
        Number of iterations.
    status : str, optional
        How the iteration ended.

    Examples
    --------
    >>> from rmtsim.errors import ConvergenceError
    >>> error = ConvergenceError("no root was found", residual=0.1, iterations=50)
    >>> error.residual, error.iterations, error.status
    (0.1, 50, 'stalled')
    """

    def __init__(self, message: str, *, residual: float, iterations: int, status: str = "stalled") -> None:
        super().__init__(message)
        self.residual = residual
        self.iterations = iterations
        self.status = status


class MemoryLimitError(ValueError):
    """A request would not fit in memory; raised before any work, with the estimated need.

    Examples
    --------
    >>> from rmtsim.ensembles import gaussian
    >>> gaussian(10**6, 0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rmtsim.errors.MemoryLimitError: ...
    """


class SamplerError(ValueError):
    """The function of a claim returned something other than the numbers it declares.

    Examples
    --------
    >>> from rmtsim import claim, verify
    >>> @claim("example.text", limit=1.0, tolerance=0.1, sizes=(10, 20))
    ... def text(size, rng):
    ...     return "one"
    >>> verify(text)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rmtsim.errors.SamplerError: ...
    """


class UnknownClaimError(ValueError):
    """No registered claim has this id; the message suggests similar ones.

    Examples
    --------
    >>> from rmtsim import find
    >>> find("dong.thm1.diagnal")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rmtsim.errors.UnknownClaimError: ...
    """


class PaperError(ValueError):
    """An installed paper cannot be used: its package fails to import, or declares something that is not accepted."""


class PaperWarning(UserWarning):
    """A paper that cannot be used is left out of a listing or a run of all papers."""


class RunError(Exception):
    """A run could not start or continue, for a reason outside the mathematics. Finished batches are kept."""


class StoreError(RunError):
    """The store of results cannot be used; the message names the file and what to do."""


class NotAStoreError(StoreError):
    """The file does not exist or is not a store."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of rmtsim."""


class ReadOnlyStoreError(StoreError):
    """The store can be read but not written."""


class StoreFullError(StoreError):
    """There is no space left on the disk for another batch."""


class StoreBusyError(StoreError):
    """Another process kept the store locked for longer than the time limit."""


class CorruptedStoreError(StoreError):
    """The database file is damaged."""


class CorruptedRowError(StoreError):
    """A stored batch does not match its checksum."""


class NotReproducibleError(StoreError):
    """A batch that was computed again in the same environment differs from the stored one."""


class ExecutorError(RunError):
    """The workers cannot be started, or the pool given by the user broke."""


class UnshippableClaimError(ExecutorError):
    """A claim that exists only in the memory of this process cannot be sent to a worker."""


class CodeMismatchError(ExecutorError):
    """A worker has other code for a claim than the process that requests it."""
