"""A network from a PyTorch module: read once, then computed without PyTorch (extra ``torch``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rmtsim.networks.activations import Activation, activation
from rmtsim.networks.losses import Loss
from rmtsim.networks.network import Network
from rmtsim.networks.own import network_from_arrays

__all__ = ["from_torch"]

_UNDERSTOOD = (
    "Linear, Identity, ReLU, LeakyReLU, Tanh, Sigmoid, Softplus (beta 1), GELU (exact), SiLU, Flatten, "
    "Dropout in evaluation mode, Softmax as the last layer"
)


def from_torch(module: Any, inputs: Any, targets: Any, *, loss: str | Loss | None = None) -> Network:
    """The network of an ``nn.Sequential`` of linear and activation layers, as double-precision arrays.

    ``inputs`` and ``targets`` (tensors or arrays) are used to check the reading: the outputs of module and network must
    agree to the module's precision, and the targets must suit the loss. ``loss`` is "cross_entropy" where ``targets``
    are integer labels and "square" otherwise, unless given; note that the square loss here is ‖f - y‖² averaged over
    samples, where ``torch.nn.MSELoss`` averages over outputs too. Parameters keep the order of
    ``module.parameters()``: weight (out, in), bias, layer by layer.
    """
    try:
        import torch
    except ImportError:
        raise ImportError("from_torch needs PyTorch: pip install rmtsim[torch]") from None
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module={type(module).__name__}: expected a torch.nn.Module (nn.Sequential)")
    rows = _array(inputs)
    flat = rows.reshape(len(rows), -1) if rows.ndim > 2 else rows
    weights, biases, names = _layers(module, torch)
    goal = _array(targets)
    if loss is None:
        loss = "cross_entropy" if goal.dtype.kind in "iu" else "square"
    network = network_from_arrays(weights, biases, names, loss)
    _check(module, network, torch, inputs, flat)
    network.loss(flat, goal)
    return network


def _array(values: Any) -> Any:
    return np.asarray(values.detach().cpu().numpy() if hasattr(values, "detach") else values)


def _leaves(module: Any, torch: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(module, torch.nn.Sequential):
        return [
            leaf
            for name, child in module.named_children()
            for leaf in _leaves(child, torch, f"{path}.{name}" if path else name)
        ]
    return [(path or "module", module)]


def _layers(module: Any, torch: Any) -> tuple[list[Any], list[Any], list[str | Activation]]:
    weights: list[Any] = []
    biases: list[Any] = []
    names: list[str | Activation] = []
    nn = torch.nn
    leaves = _leaves(module, torch)
    for place, (path, layer) in enumerate(leaves):
        if isinstance(layer, nn.Linear):
            weights.append(_array(layer.weight).astype(np.float64))
            biases.append(None if layer.bias is None else _array(layer.bias).astype(np.float64))
            names.append("identity")
            continue
        if isinstance(layer, nn.Identity) or (isinstance(layer, nn.Flatten) and not weights):
            continue
        if isinstance(layer, nn.Dropout) and not (layer.training and layer.p > 0):
            continue
        found = _activation(layer, nn, last=place == len(leaves) - 1)
        if found is None:
            raise ValueError(
                f"layer {path!r} is {layer}, which is not understood here; understood are {_UNDERSTOOD}"
            )
        if not weights:
            raise ValueError(f"layer {path!r} ({layer}) stands before any linear layer")
        if names[-1] != "identity":
            raise ValueError(
                f"layer {path!r} ({layer}) follows another activation; put them into one linear layer"
            )
        names[-1] = found
    if not weights:
        raise ValueError("module: no linear layer found")
    return weights, biases, names


def _activation(layer: Any, nn: Any, *, last: bool) -> str | Activation | None:
    if isinstance(layer, nn.ReLU):
        return "relu"
    if isinstance(layer, nn.LeakyReLU):
        return activation("leaky_relu", slope=float(layer.negative_slope))
    if isinstance(layer, nn.Tanh):
        return "tanh"
    if isinstance(layer, nn.Sigmoid):
        return "sigmoid"
    if isinstance(layer, nn.SiLU):
        return "swish"
    if isinstance(layer, nn.Softplus) and layer.beta == 1:
        return "softplus"
    if isinstance(layer, nn.GELU) and layer.approximate == "none":
        return "gelu"
    if isinstance(layer, nn.Softmax) and last and layer.dim in (1, -1):
        return "softmax"
    return None


def _check(module: Any, network: Network, torch: Any, inputs: Any, flat: Any) -> None:
    """The module's own output beside the network's, on the inputs given."""
    parameter = next(module.parameters())
    tensor = torch.as_tensor(_array(inputs)).to(parameter.dtype).to(parameter.device)
    with torch.no_grad():
        wanted = _array(module(tensor)).astype(np.float64)
    got = network.output(flat)
    scale = max(1.0, float(np.abs(wanted).max()))
    room = 1e3 * torch.finfo(parameter.dtype).eps * scale
    if got.shape != wanted.shape or float(np.abs(got - wanted).max()) > room:
        raise ValueError(
            "module: its output differs from that of the layers read from it (hooks, or a forward method of its own?)"
        )
