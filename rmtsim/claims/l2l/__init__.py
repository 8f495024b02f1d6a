"""Statements of `l2l` (chapter 5 and appendix D of the thesis), one module a topic."""

MODULES = (
    "quadratic",
    "prediction",
    "step_sizes",
    "spectrum",
    "truncation",
    "train_by_train",
    "train_by_validation",
    "many_samples",
    "stochastic",
)
"""Modules that declare statements, in the order of the listings."""
