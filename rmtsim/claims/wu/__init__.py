"""Statements of `wu`, one module a topic."""

MODULES = (
    "weights",
    "hidden_units",
    "logits",
    "output_spaces",
    "output_norms",
    "layer_hessian",
    "kronecker",
    "identities",
    "moments",
    "deep",
    "two_models",
    "full_hessian",
)
"""Modules that declare statements, in the order of the listings."""
