"""Statements of `sparse` (chapter 2 and appendix A of the thesis), one module a topic."""

MODULES = ("assumptions", "two_sparsities", "overfitting", "masking")
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "sparse.sec2.2.3.gershgorin",
    "sparse.eqA.3",
    "sparse.eqA.6",
    "sparse.eqA.7",
    "sparse.lemmaA.1.2",
    "sparse.thm2.3.2.columns",
    "sparse.thm2.3.2.columns/corrected",
    "sparse.thm2.3.2.distance",
    "sparse.thm2.3.2.distance/corrected",
    "sparse.thm2.3.2.tail",
    "sparse.cor2.3.4.distance",
    "sparse.cor2.3.4.net",
    "sparse.cor2.3.4.net/corrected",
    "sparse.eqA.15",
    "sparse.eqA.15/corrected",
    "sparse.eqA.16",
    "sparse.eqA.16/corrected",
    "sparse.eqA.23",
    "sparse.thmA.1.1",
    "sparse.thmA.1.1/corrected",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = (
    "sparse.eqA.3",
    "sparse.thm2.3.2.distance",
    "sparse.thm2.3.2.distance/corrected",
    "sparse.eqA.15",
    "sparse.eqA.15/corrected",
    "sparse.eqA.23",
    "sparse.thmA.1.1",
    "sparse.thmA.1.1/corrected",
)
"""Those that the quick set of all papers together keeps."""
