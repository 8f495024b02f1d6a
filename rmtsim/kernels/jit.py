"""The decorator of every kernel; it lives in :mod:`rmtsim.jit` because the laws compile loops of their own."""

from rmtsim.jit import kernel

__all__ = ["kernel"]
