"""Statements of `wu`, one module a topic."""

MODULES = (
    "weights",
    "fourth_moments",
    "hidden_units",
    "logits",
    "output_spaces",
    "output_norms",
    "proof_of_theorem_4_2",
    "layer_hessian",
    "kronecker",
    "identities",
    "moments",
    "deep",
    "logit_gradients",
    "two_models",
    "full_hessian",
)
"""Modules that declare statements, in the order of the listings."""
