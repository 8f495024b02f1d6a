"""One engine for every network: exact outputs, gradients, Hessians and their products, tangent kernels, block norms.

Conventions: inputs have one sample a row; ``weights[l]`` is (out, in); parameters are ordered W₁, b₁, W₂, b₂, …, each
row-major; the loss is the mean over samples, the square loss ‖f - y‖² without ½. See docs/networks.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rmtsim.networks.activations import ACTIVATIONS, Activation, activation
    from rmtsim.networks.architecture import Architecture, fully_connected
    from rmtsim.networks.layers import Layer, convolution, dense
    from rmtsim.networks.losses import LOSSES, Loss, loss
    from rmtsim.networks.network import Network
    from rmtsim.networks.own import network_from_arrays

_HOMES = {
    "ACTIVATIONS": "activations",
    "Activation": "activations",
    "activation": "activations",
    "Architecture": "architecture",
    "fully_connected": "architecture",
    "Layer": "layers",
    "convolution": "layers",
    "dense": "layers",
    "LOSSES": "losses",
    "Loss": "losses",
    "loss": "losses",
    "Network": "network",
    "network_from_arrays": "own",
}

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "Activation",
    "Architecture",
    "Layer",
    "Loss",
    "Network",
    "activation",
    "convolution",
    "dense",
    "fully_connected",
    "loss",
    "network_from_arrays",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim.networks' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rmtsim.networks.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
