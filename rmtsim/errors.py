"""The errors rmtsim raises beyond plain ``ValueError`` and ``TypeError``."""

from __future__ import annotations

__all__ = ["ConvergenceError", "MemoryLimitError", "SamplerError", "UnknownClaimError"]


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
