"""Parameters shared by the statements on wide networks; activations are numbered, since parameters are numbers."""

from __future__ import annotations

from rmtsim.claims import Parameter, Plan

SMOOTH = ("tanh", "sigmoid", "softplus", "gelu", "swish", "sin")
"""Twice differentiable activations by their number in the claims."""

ACTIVATION = Parameter(
    "activation",
    f"smooth activation: {', '.join(f'{number} {name}' for number, name in enumerate(SMOOTH))}",
    default=0,
    integer=True,
    lowest=0,
    highest=len(SMOOTH) - 1,
    draw_range=(1, len(SMOOTH) - 1),
    assumption="the activation is Lipschitz and smooth",
)
INPUT = Parameter(
    "x", "the input x of a network on the real line", default=1.0, open_below=True, draw_range=(0.3, 3.0)
)
RADIUS = Parameter("radius", "radius R of the ball around W₀", default=1.0, draw_range=(0.1, 3.0))

STATEMENT_PLAN = Plan(size_name="m")
"""A statement of the paper; sizes are widths."""

CONSTANTS = "the stated bound contains the constants L_σ, β_σ or σ(0) of the activation"
"""Why a quotient of a simulated norm by a stated bound may use theory."""
