"""Parameters and parts that several modules of statements share."""

from __future__ import annotations

from rmtsim.claims import Choice, Parameter, Plan, Simulated

SMOOTH = ("tanh", "sigmoid", "softplus", "gelu", "swish", "sin")
"""Twice differentiable activations."""


def smooth_function(name: str, meaning: str, default: str, assumption: str) -> Choice:
    """A parameter whose values are the activations of :data:`SMOOTH`."""
    return Choice(name, SMOOTH, meaning, default, range(len(SMOOTH)), assumption)


ACTIVATION = smooth_function(
    "activation", "smooth activation", "tanh", "the activation is Lipschitz and smooth"
)
INPUT = Parameter(
    "x", "the input x of a network on the real line", default=1.0, open_below=True, draw_range=(0.3, 3.0)
)
RADIUS = Parameter("radius", "radius R of the ball around W₀", default=1.0, draw_range=(0.1, 3.0))
DEPTH = Parameter("depth", "number L of hidden layers", default=3, integer=True, lowest=1, draw_range=(1, 4))
TANH = ({"activation": "tanh"},)

WIDTHS = Plan(size_name="m")
"""Sizes are widths."""
WITH_CONSTANTS = Simulated(
    theory="the stated bound contains the constants L_σ, β_σ or σ(0) of the activation"
)
"""A quotient of a simulated norm by a stated bound may use these constants."""
