"""Statements of `wu`, one module a topic."""

MODULES = ("weights", "activations", "output_hessian", "layer_hessian", "identities", "further")
"""Modules that declare statements, in the order of the listings."""
