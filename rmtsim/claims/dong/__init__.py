"""Statements of `dong`, one module a topic."""

MODULES = (
    "theorem_1",
    "identities",
    "theorem_2_limits",
    "theorem_2_networks",
    "joins",
    "gates",
    "approximations",
    "cross_terms",
    "lemmas",
    "spectra",
)
"""Modules that declare statements, in the order of the listings."""
