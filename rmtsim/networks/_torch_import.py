"""A network from a PyTorch module: read once, then computed without PyTorch (extra ``torch``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rmtsim.networks._activations import Activation, activation
from rmtsim.networks._losses import Loss
from rmtsim.networks._network import Network
from rmtsim.networks._own import network_from_arrays

_UNDERSTOOD = (
    "Linear, Identity, ReLU, LeakyReLU, Tanh, Sigmoid, Softplus (beta 1, threshold 20 or more), GELU (exact), SiLU, "
    "Flatten (from dimension 1), Dropout in evaluation mode, Softmax as the last layer"
)
_SOFTPLUS_THRESHOLD = 20.0
"""Torch's softplus is z itself beyond its threshold, where it differs from log(1 + e^z) by 2e-9."""


def from_torch(module: Any, inputs: Any, targets: Any, *, loss: str | Loss | None = None) -> Network:
    """Network from a PyTorch module, as double-precision arrays.

    Parameters
    ----------
    module : torch.nn.Sequential
        Linear and activation layers. A layer that is not supported is named in the error.
    inputs : array_like or torch.Tensor
        Samples, one per row. The outputs of module and network are compared on them.
    targets : array_like or torch.Tensor
        Targets that the loss must accept.
    loss : str or Loss, optional
        Loss of one sample; by default "cross_entropy" for integer targets and "square" otherwise.

    Returns
    -------
    Network
        The network. Parameters keep the order of ``module.parameters()``.

    Raises
    ------
    ImportError
        If PyTorch is not installed (extra ``torch``).
    ValueError
        If a layer is not supported, layers share a weight or compute it from others, or the outputs of module and
        network differ by more than the module's precision.

    Notes
    -----
    Both losses are means over samples, as in ``torch.nn.CrossEntropyLoss``. The square loss is ‖f − y‖²;
    ``torch.nn.MSELoss`` also averages over outputs, which is ``loss("square", factor=1/outputs)``.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))  # doctest: +SKIP
    >>> from_torch(module, torch.randn(5, 3), torch.tensor([0, 1, 1, 0, 1]))  # doctest: +SKIP
    Network(dense 3→4 tanh, dense 4→2 identity; loss cross_entropy; 26 parameters)
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
    goal = None if targets is None else _array(targets)
    guessed = loss is None
    if loss is None:
        loss = "cross_entropy" if goal is not None and goal.dtype.kind in "iu" else "square"
    network = network_from_arrays(weights, biases, names, loss)
    _check(module, network, torch, inputs, flat)
    try:
        network.loss(flat, goal)
    except (TypeError, ValueError) as error:
        if not guessed:
            raise
        raise type(error)(
            f"{error} (the loss {loss} was chosen by the targets' type; loss=… says another)"
        ) from None
    return network


def _array(values: Any) -> Any:
    if not hasattr(values, "detach"):
        return np.asarray(values)
    tensor = values.detach().cpu()
    # NumPy has no bfloat16.
    return np.asarray(tensor.float().numpy() if "bfloat16" in str(tensor.dtype) else tensor.numpy())


def _leaves(module: Any, torch: Any, path: str = "") -> list[tuple[str, Any]]:
    """The layers in the order of the pass; one that is used several times is listed as often."""
    if isinstance(module, torch.nn.Sequential):
        return [
            leaf
            for name, child in module._modules.items()
            for leaf in _leaves(child, torch, f"{path}.{name}" if path else name)
        ]
    return [(path or "module", module)]


def _shown(layer: Any) -> str:
    return " ".join(str(layer).split())


def _idle(layer: Any, nn: Any) -> bool:
    """Whether a layer returns its input rows unchanged."""
    if isinstance(layer, nn.Dropout):
        return not (layer.training and layer.p > 0)
    return isinstance(layer, nn.Identity) or (isinstance(layer, nn.Flatten) and layer.start_dim == 1)


def _own_parameters(path: str, layer: Any, owners: dict[int, str]) -> None:
    """Refuse a linear layer whose weight is computed, or is another layer's: it would count twice here."""
    names = {name for name, _ in layer.named_parameters()}
    if names != {"weight"} | ({"bias"} if layer.bias is not None else set()):
        raise ValueError(
            f"layer {path!r} ({_shown(layer)}) computes its weight or bias from {', '.join(sorted(names))}; expected "
            "plain ones (torch.nn.utils.parametrize.remove_parametrizations makes them so)"
        )
    for name, parameter in layer.named_parameters():
        owner = owners.setdefault(id(parameter), path)
        if owner != path:
            raise ValueError(
                f"layer {path!r} shares its {name} with layer {owner!r}; layers here have parameters of their own"
            )


def _layers(module: Any, torch: Any) -> tuple[list[Any], list[Any], list[str | Activation]]:
    weights: list[Any] = []
    biases: list[Any] = []
    names: list[str | Activation] = []
    nn = torch.nn
    leaves = [(path, layer) for path, layer in _leaves(module, torch) if not _idle(layer, nn)]
    owners: dict[int, str] = {}
    for place, (path, layer) in enumerate(leaves):
        if isinstance(layer, nn.Linear):
            _own_parameters(path, layer, owners)
            weights.append(_array(layer.weight).astype(np.float64))
            biases.append(None if layer.bias is None else _array(layer.bias).astype(np.float64))
            names.append("identity")
            continue
        found = _activation(layer, nn, last=place == len(leaves) - 1)
        if found is None:
            raise ValueError(
                f"layer {path!r} is {_shown(layer)}, which is not understood here; understood are {_UNDERSTOOD}"
            )
        if not weights:
            raise ValueError(f"layer {path!r} ({_shown(layer)}) comes before any linear layer")
        if names[-1] != "identity":
            raise ValueError(
                f"layer {path!r} ({_shown(layer)}) follows another activation; expected one a linear layer"
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
    if isinstance(layer, nn.Softplus) and layer.beta == 1 and layer.threshold >= _SOFTPLUS_THRESHOLD:
        return "softplus"
    if isinstance(layer, nn.GELU) and layer.approximate == "none":
        return "gelu"
    if isinstance(layer, nn.Softmax) and last and layer.dim in (1, -1):
        return "softmax"
    return None


def _check(module: Any, network: Network, torch: Any, inputs: Any, flat: Any) -> None:
    """Compare the outputs of module and network on the given inputs."""
    got = network.output(flat)
    parameter = next(module.parameters())
    tensor = torch.as_tensor(_array(inputs)).to(parameter.dtype).to(parameter.device)
    with torch.no_grad():
        wanted = _array(module(tensor)).astype(np.float64)
    scale = max(1.0, float(np.abs(wanted).max()))
    precision = torch.finfo(parameter.dtype).eps
    if any(layer.activation.name == "softplus" for layer in network.architecture.layers):
        precision = max(precision, math.exp(-_SOFTPLUS_THRESHOLD))
    room = 1e3 * precision * scale
    if got.shape != wanted.shape or float(np.abs(got - wanted).max()) > room:
        raise ValueError(
            "module: its output differs from that of the layers read from it (hooks, or a forward method of its own?)"
        )
