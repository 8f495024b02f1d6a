"""Statements of `liu` (linearity of wide networks), one module a topic."""

MODULES = (
    "one_hidden_layer",
    "tensors",
    "linearity",
    "hessian_bounds",
    "wide_networks",
    "training",
    "appendix_f",
    "appendix_g",
)
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "liu.eq9.constant",
    "liu.eq9.trained",
    "liu.eq10",
    "liu.eq13",
    "liu.eq13/corrected",
    "liu.eq13.norm",
    "liu.eq15",
    "liu.prop2.1",
    "liu.prop2.2",
    "liu.prop2.2.display",
    "liu.prop2.2.display/corrected",
    "liu.sec1.linear",
    "liu.eq57",
    "liu.eq20",
    "liu.thm3.1",
    "liu.sec3.3.kernel",
    "liu.sec3.3.kernel/corrected",
    "liu.eq2",
    "liu.eq3",
    "liu.eq4",
    "liu.eq38",
    "liu.eq38/corrected",
    "liu.eq40",
    "liu.eq40/corrected",
    "liu.lemmaF.3",
    "liu.eq74",
    "liu.eq74/corrected",
    "liu.lemmaF.6.step",
    "liu.eq85",
    "liu.sec-g1.backward",
    "liu.sec-g1.backward/corrected",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = (
    "liu.eq9.constant",
    "liu.eq10",
    "liu.eq13",
    "liu.eq13/corrected",
    "liu.eq40",
    "liu.eq40/corrected",
)
"""Those that the quick set of all papers together keeps."""
