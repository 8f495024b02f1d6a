"""Statements of `liu` (linearity of wide networks), one module a topic."""

MODULES = (
    "one_hidden_layer",
    "nonlinear_output",
    "bottleneck",
    "shifted_sums",
    "table_1",
    "optimisation",
    "experiments",
)
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "liu.eq10",
    "liu.eq27",
    "liu.eq28",
    "liu.sec4.always",
    "liu.sec4.vanishing",
    "liu.eq30",
    "liu.eq108",
    "liu.eq109",
    "liu.appH.activations",
    "liu.appH.activations/corrected",
    "liu.eq33",
    "liu.eq33/corrected",
    "liu.thm4.1",
    "liu.lemmaH.1",
    "liu.lemmaH.1.fixed",
    "liu.eq122",
    "liu.eq122/corrected",
    "liu.eq122.bound",
    "liu.eq124",
    "liu.eq124/corrected",
    "liu.eq48",
    "liu.eq48/corrected",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = (
    "liu.eq10",
    "liu.eq28",
    "liu.sec4.always",
    "liu.thm4.1",
    "liu.lemmaH.1",
    "liu.eq124",
    "liu.eq124/corrected",
)
"""Those that the quick set of all papers together keeps."""
