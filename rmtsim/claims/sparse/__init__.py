"""Statements of `sparse` (chapter 2 and appendix A of the thesis), one module a topic."""

MODULES = ("assumptions", "two_sparsities")
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "sparse.sec2.2.3.gershgorin",
    "sparse.eqA.3",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = QUICK
"""Those that the quick set of all papers together keeps."""
