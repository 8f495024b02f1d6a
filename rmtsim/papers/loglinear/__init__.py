"""Statements of `loglinear` (chapter 3 and appendix B of the thesis), one module a topic."""

MODULES = ("necessity", "anchors", "transfer", "theorem")
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "loglinear.thm3.3.1",
    "loglinear.eqB.8",
    "loglinear.eqB.8/corrected",
    "loglinear.eqB.9",
    "loglinear.eqB.9/corrected",
    "loglinear.thm3.3.2",
    "loglinear.sec3.4.3.spherical",
    "loglinear.sec3.4.3.spherical/corrected",
    "loglinear.lemma3.5.9",
    "loglinear.lemma3.5.10.step",
    "loglinear.lemma3.5.10.step/corrected",
    "loglinear.eqB.48",
    "loglinear.eq3.37",
    "loglinear.eq3.37/corrected",
    "loglinear.eq3.14",
    "loglinear.eq3.14/corrected",
    "loglinear.eq3.20.cases",
    "loglinear.eq3.20.sinh",
    "loglinear.eq3.20.sinh/corrected",
    "loglinear.thm3.5.7",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = (
    "loglinear.eqB.8",
    "loglinear.eqB.8/corrected",
    "loglinear.eqB.9",
    "loglinear.thm3.3.2",
    "loglinear.eq3.37",
    "loglinear.eq3.14",
    "loglinear.thm3.5.7",
)
"""Those that the quick set of all papers together keeps."""
