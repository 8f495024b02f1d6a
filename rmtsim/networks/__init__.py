"""One engine for every network: exact outputs, gradients, Hessians and their products, tangent kernels, block norms.

Conventions: inputs have one sample a row; ``weights[l]`` is (out, in); parameters are ordered W₁, b₁, W₂, b₂, …, each
row-major; the loss is the mean over samples, the square loss ‖f - y‖² without ½. See docs/networks.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rmtsim.comparison import Comparison, compare_with_theory
    from rmtsim.networks.activations import ACTIVATIONS, Activation, activation
    from rmtsim.networks.architecture import Architecture, fully_connected
    from rmtsim.networks.energies import LayerEnergies, block_energies
    from rmtsim.networks.layers import Layer, convolution, dense
    from rmtsim.networks.losses import LOSSES, Loss, loss
    from rmtsim.networks.network import Network
    from rmtsim.networks.own import network_from_arrays
    from rmtsim.networks.spectrum import GroupSpectrum, hessian_extremes, hessian_spectrum
    from rmtsim.networks.torch_import import from_torch

# Each name and the module of this package it lives in. No module has the name of something exported: importing it
# would put the module in the export's place.
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
    "LayerEnergies": "energies",
    "block_energies": "energies",
    "GroupSpectrum": "spectrum",
    "hessian_extremes": "spectrum",
    "hessian_spectrum": "spectrum",
    "from_torch": "torch_import",
}
_ABOVE = {"Comparison": "rmtsim.comparison", "compare_with_theory": "rmtsim.comparison"}
"""Where simulation meets theory, reached from here on first use; nothing in this package imports theory."""

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "Activation",
    "Architecture",
    "Comparison",
    "GroupSpectrum",
    "Layer",
    "LayerEnergies",
    "Loss",
    "Network",
    "activation",
    "block_energies",
    "compare_with_theory",
    "convolution",
    "dense",
    "from_torch",
    "fully_connected",
    "hessian_extremes",
    "hessian_spectrum",
    "loss",
    "network_from_arrays",
]


def __getattr__(name: str) -> Any:
    if name in _ABOVE:
        return getattr(importlib.import_module(_ABOVE[name]), name)
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim.networks' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rmtsim.networks.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_ABOVE})
