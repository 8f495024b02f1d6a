"""One engine for every network: exact outputs, gradients, Hessians and their products, tangent kernels, block norms.

Conventions: inputs have one sample a row; ``weights[l]`` is (out, in); parameters are ordered W₁, b₁, W₂, b₂, …, each
row-major; the loss is the mean over samples, the square loss ‖f - y‖² without ½. See docs/networks.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rmtsim.networks._activations import ACTIVATIONS, Activation, activation
    from rmtsim.networks._architecture import Architecture, fully_connected
    from rmtsim.networks._energies import LayerEnergies, block_energies
    from rmtsim.networks._layers import Layer, convolution, dense
    from rmtsim.networks._losses import LOSSES, Loss, loss
    from rmtsim.networks._network import Network
    from rmtsim.networks._own import network_from_arrays
    from rmtsim.networks._spectrum import GroupSpectrum, hessian_extremes, hessian_spectrum
    from rmtsim.networks._torch_import import from_torch

_HOMES = {
    "ACTIVATIONS": "_activations",
    "Activation": "_activations",
    "activation": "_activations",
    "Architecture": "_architecture",
    "fully_connected": "_architecture",
    "Layer": "_layers",
    "convolution": "_layers",
    "dense": "_layers",
    "LOSSES": "_losses",
    "Loss": "_losses",
    "loss": "_losses",
    "Network": "_network",
    "network_from_arrays": "_own",
    "LayerEnergies": "_energies",
    "block_energies": "_energies",
    "GroupSpectrum": "_spectrum",
    "hessian_extremes": "_spectrum",
    "hessian_spectrum": "_spectrum",
    "from_torch": "_torch_import",
}

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "Activation",
    "Architecture",
    "GroupSpectrum",
    "Layer",
    "LayerEnergies",
    "Loss",
    "Network",
    "activation",
    "block_energies",
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
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim.networks' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rmtsim.networks.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
