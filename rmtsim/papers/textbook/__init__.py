"""Classical theorems on random matrices, one module a topic: known to be true, they test the engine itself."""

MODULES = ("bulk", "edge", "spikes", "gaps", "plane")
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "textbook.wigner",
    "textbook.wachter",
    "textbook.bbp.above",
    "textbook.gaudin.cue",
)
"""The quick set: a law, a limit and a local statistic that seconds decide; exponents and edges need minutes."""

HEADLINES = ("textbook.wigner", "textbook.bbp.above")
"""Those that the quick set of all papers together keeps."""
