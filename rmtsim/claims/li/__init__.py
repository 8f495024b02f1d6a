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
    "li.lemmaF.1",
    "li.sec5.2.regimes",
    "li.propF.1",
    "li.propF.1/corrected",
    "li.F.2.1.gates",
    "li.F.2.1.gates/corrected",
    "li.sec5.2.bn",
    "li.sec5.2.bn/corrected",
    "li.sec5.2.bn.statistics",
    "li.sec5.2.bn.statistics/corrected",
    "li.sec5.1.coefficients",
    "li.sec5.1.coefficients/corrected",
    "li.appE.5.exponent",
    "li.appE.5.exponent/corrected",
    "li.alg1",
    "li.alg1/corrected",
    "li.table2.correlation",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = (*QUICK[:10], "li.propF.1", "li.propF.1/corrected", "li.table2.correlation")
"""Those that the quick set of all papers together keeps."""
