"""Statements of `li`, one module a topic."""

MODULES = ("theorems", "scaling")
"""Modules that declare statements, in the order of the listings."""
