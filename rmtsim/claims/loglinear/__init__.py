"""Statements of `loglinear` (chapter 3 and appendix B of the thesis), one module a topic."""

MODULES = ("necessity",)
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "loglinear.thm3.3.1",
    "loglinear.eqB.8",
    "loglinear.eqB.8/corrected",
    "loglinear.eqB.9",
    "loglinear.eqB.9/corrected",
    "loglinear.thm3.3.2",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = QUICK
"""Those that the quick set of all papers together keeps."""
