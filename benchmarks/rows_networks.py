"""Rows of networks: products, tangent kernels and norms of Hessians beside PyTorch and public Hessian tools."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from benchmarks.measure import Row, Sides
from benchmarks.measure import agree as _agree

INPUTS, OUTPUTS = 32, 4


def pair(width: int, depth: int, rng: np.random.Generator, activation: str = "tanh") -> Any:
    """The same network in rmtsim and in torch, double precision."""
    import torch

    from rmtsim.networks import fully_connected

    network = fully_connected((INPUTS, *[width] * depth, OUTPUTS), activation, loss="cross_entropy").sample(
        rng
    )
    layers: list[Any] = []
    for w in network.weights:
        linear = torch.nn.Linear(w.shape[1], w.shape[0], bias=False)
        linear.weight.data = torch.from_numpy(w.copy())
        layers += [linear, torch.nn.Tanh() if activation == "tanh" else torch.nn.ReLU()]
    return network, torch.nn.Sequential(*layers[:-1])


def products(width: int, depth: int = 3, samples: int = 64) -> Sides:
    """Products with the Hessian; both sides keep what does not depend on the vector."""
    import torch

    from rmtsim.networks._products import hessian_product

    rng = np.random.default_rng(0)
    network, module = pair(width, depth, rng)
    x, labels = rng.standard_normal((samples, INPUTS)), rng.integers(OUTPUTS, size=samples)
    vector = rng.standard_normal(network.parameters.size)
    point = network.linearise(x, labels)
    parameters = list(module.parameters())
    pieces = torch.from_numpy(vector).split([q.numel() for q in parameters])
    parts = [piece.reshape(q.shape) for piece, q in zip(pieces, parameters, strict=True)]
    loss = torch.nn.functional.cross_entropy(module(torch.from_numpy(x)), torch.from_numpy(labels))
    gradient = torch.autograd.grad(loss, parameters, create_graph=True)

    def kept() -> Any:
        return torch.autograd.grad(gradient, parameters, parts, retain_graph=True)

    activities = [rng.standard_normal((samples, w.shape[1])) for w in network.weights]
    signals = [rng.standard_normal((samples, w.shape[0])) for w in network.weights]

    def six_products() -> (
        None
    ):  # both passes, differentiated: forward twice, backward twice, two for the parameters
        for w, a, s in zip(network.weights, activities, signals, strict=True):
            for _ in range(2):
                a @ w.T
                s @ w
                s.T @ a

    _agree(hessian_product(point, vector), torch.cat([each.reshape(-1) for each in kept()]).numpy())
    return Sides(lambda: hessian_product(point, vector), kept, six_products, size=vector.size)


def tangent_kernel(width: int) -> Sides:
    import torch
    from torch.func import functional_call, jacrev, vmap

    rng = np.random.default_rng(0)
    network, module = pair(width, 4, rng)
    x = rng.standard_normal((32, INPUTS))
    named = {name: p.detach() for name, p in module.named_parameters()}

    def theirs() -> Any:
        jacobian = vmap(jacrev(lambda p, row: functional_call(module, p, (row,))), (None, 0))(
            named, torch.from_numpy(x)
        )
        parts = (torch.einsum("nkp,mlp->nkml", j.flatten(2), j.flatten(2)) for j in jacobian.values())
        return sum(parts).reshape(32 * OUTPUTS, -1).numpy()

    _agree(network.tangent_kernel(x), theirs())
    signals = [np.ones((32 * OUTPUTS, w.shape[0])) for w in network.weights[:-1]]
    return Sides(
        lambda: network.tangent_kernel(x),
        theirs,
        lambda: [s @ w for s, w in zip(signals[1:], network.weights[1:-1], strict=True)],
    )


def layer_norms() -> Sides:
    import torch
    from torch.func import functional_call, hessian

    from rmtsim.curvature import block_energies

    rng = np.random.default_rng(0)
    network, module = pair(64, 2, rng, "relu")
    x, labels = rng.standard_normal((100, INPUTS)), rng.integers(OUTPUTS, size=100)
    named = {name: p.detach() for name, p in module.named_parameters()}

    def value(weight: Any) -> Any:
        outputs = functional_call(module, {**named, "0.weight": weight}, (torch.from_numpy(x),))
        return torch.nn.functional.cross_entropy(outputs, torch.from_numpy(labels))

    def theirs() -> Any:
        return hessian(value)(named["0.weight"]).square().sum(dim=(1, 3)).numpy()

    def ours() -> Any:
        return block_energies(network, x, labels, layers=[0], pairs=True)[0].pairs

    _agree(ours(), theirs())
    return Sides(ours, theirs)


def norm_of_hessian() -> Sides:
    from rmtsim.networks import fully_connected
    from rmtsim.networks._one_input import one_input_hessian
    from rmtsim.networks._spectrum import hessian_extremes

    point = np.array([[0.5, -1.0, 0.3, 0.8]])
    network = fully_connected((4, 256, 256, 256, 1), "tanh", parametrisation="ntk").sample(
        np.random.default_rng(0)
    )

    def ours() -> float:
        return (
            one_input_hessian(network, point).extremes(np.random.default_rng(1), tolerance=1e-6).spectral_norm
        )

    def whole() -> float:
        return hessian_extremes(network, point, rng=np.random.default_rng(1), tolerance=1e-6).spectral_norm

    _agree(ours(), np.array(whole()), 1e-5)
    return Sides(ours, whole)


def torch_product(other: str) -> Sides:
    """One product of a float32 MLP's Hessian."""
    import torch
    from torch import nn

    from rmtsim.hessians import hessian

    torch.manual_seed(0)
    sizes = [64, 480, 480, 10]
    layers = [part for one, two in itertools.pairwise(sizes) for part in (nn.Linear(one, two), nn.Tanh())]
    model, x, y = nn.Sequential(*layers[:-1]), torch.randn(512, 64), torch.randint(10, (512,))
    loss, parameters = nn.CrossEntropyLoss(), list(model.parameters())
    operator = hessian(model, loss, [(x, y)])
    v = np.random.default_rng(0).standard_normal(operator.size)
    flat = torch.from_numpy(v).float()
    pieces = flat.split([q.numel() for q in parameters])
    parts = [piece.reshape(q.shape) for piece, q in zip(pieces, parameters, strict=True)]

    def bare() -> Any:
        gradient = torch.autograd.grad(loss(model(x), y), parameters, create_graph=True)
        return torch.cat([h.reshape(-1) for h in torch.autograd.grad(gradient, parameters, parts)])

    sides: Any = bare
    if other == "curvlinops":
        import curvlinops

        operator_there = curvlinops.HessianLinearOperator(model, loss, parameters, [(x, y)])
        sides = lambda: operator_there @ flat  # noqa: E731
    elif other == "pyhessian":
        from pyhessian import hessian as pyhessian

        there = pyhessian(model, loss, data=(x, y), cuda=False)
        from pyhessian.utils import hessian_vector_product

        sides = lambda: hessian_vector_product(there.gradsH, there.params, parts)  # noqa: E731
    _agree(operator.product(v), bare().numpy(), 1e-3)
    return Sides(lambda: operator.product(v), sides, bare)


_NETWORKS, _TORCH = "networks", "torch models"
_part = functools.partial

ROWS = [
    *(
        Row(
            f"product.{w}",
            _NETWORKS,
            f"Hessian product, three hidden layers of {w}, 64 samples",
            _part(products, w),
            "PyTorch, graph of the gradient kept",
            "six products a layer",
            w <= 512,
            ("Hessian-vector product", w),
        )
        for w in (32, 64, 128, 256, 512, 1024)
    ),
    Row(
        "kernel.256",
        _NETWORKS,
        "tangent kernel, four layers of 256, 32 inputs",
        _part(tangent_kernel, 256),
        "`vmap(jacrev)`",
        "backward products",
    ),
    Row(
        "kernel.512",
        _NETWORKS,
        "tangent kernel, four layers of 512, 32 inputs",
        _part(tangent_kernel, 512),
        "`vmap(jacrev)`",
        "backward products",
        False,
    ),
    Row(
        "norms.layer", _NETWORKS, "block norms of layer 1, 2048 weights", layer_norms, "`torch.func.hessian`"
    ),
    Row(
        "norm.hessian",
        _NETWORKS,
        "norm of H, width 256, three layers",
        norm_of_hessian,
        "Lanczos on all parameters",
    ),
    *(
        Row(
            f"torch.{name}",
            _TORCH,
            "Hessian product, 266 890 parameters, 512 samples, float32",
            _part(torch_product, name),
            words,
            "two backward passes",
        )
        for name, words in (
            ("bare", "two backward passes"),
            ("curvlinops", "curvlinops"),
            ("pyhessian", "PyHessian, graph kept"),
        )
    ),
]
