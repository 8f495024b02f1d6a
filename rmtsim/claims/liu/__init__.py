"""Statements of `liu` (linearity of wide networks), one module a topic."""

MODULES = ("one_hidden_layer",)
"""Modules that declare statements, in the order of the listings."""

QUICK = ("liu.eq10",)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = ("liu.eq10",)
"""Those that the quick set of all papers together keeps."""
