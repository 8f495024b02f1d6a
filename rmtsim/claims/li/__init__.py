"""Statements of `li`, one module a topic."""

MODULES = ("theorems", "scaling", "mean_field", "homogeneity", "batch_normalisation", "order_parameters")
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "li.lemmaD.3",
    "li.thm2.a",
    "li.thm2.c.two-block",
    "li.thm2.c.two-block/corrected",
    "li.eq8",
    "li.eq8/corrected",
    "li.thm3.half.two-block",
    "li.thm2.law.deformed",
    "li.lemmaF.2",
    "li.lemmaF.2/corrected",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = QUICK
"""Those that the quick set of all papers together keeps."""
