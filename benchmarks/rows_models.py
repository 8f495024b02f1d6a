"""Rows of the papers ``dong`` and ``wu``: linear softmax models, one hidden layer, samplers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from benchmarks.measure import Row, Sides
from benchmarks.measure import agree as _agree


def block_norms() -> Sides:
    import torch

    from rmtsim.curvature import block_norms, sample_linear

    model = sample_linear(64, 64, 40, np.random.default_rng(0))
    inputs, labels = torch.from_numpy(model.inputs), torch.arange(64) % 40

    def loss(weights: Any) -> Any:
        return torch.nn.functional.cross_entropy(inputs @ weights.T, labels)

    def autodiff() -> Any:
        return torch.func.hessian(loss)(torch.from_numpy(model.weights)).pow(2).sum(dim=(1, 3)).sqrt().numpy()

    gram, p = np.ones((64, 64)), np.ones((64, 40))
    _agree(autodiff(), block_norms(model))
    return Sides(lambda: block_norms(model), autodiff, lambda: [gram @ p for _ in range(40)])


def block_energies(size: int) -> Sides:
    from rmtsim.curvature import block_energies, sample_linear
    from rmtsim.curvature._linear_model import probabilities

    model = sample_linear(size, size, size, np.random.default_rng(0))
    p, pairs = probabilities(model), 3

    def some_blocks() -> float:
        blocks = ((model.inputs.T * (-p[:, i] * p[:, i + 1])) @ model.inputs / size for i in range(pairs))
        return sum(float((block**2).sum()) for block in blocks)

    return Sides(
        lambda: block_energies(model),
        some_blocks,
        lambda: (model.inputs @ p, p @ model.inputs),
        {"alternative": size * (size + 1) / 2 / pairs},
    )


def expectations() -> Sides:
    from rmtsim.papers.dong.theory.linear import diagonal_energy, offdiagonal_energy

    def monte_carlo() -> Any:
        rng, p = np.random.default_rng(0), np.empty((0, 2))
        for _ in range(10):
            weights = np.exp(rng.standard_normal((1000, 1000)))
            p = np.concatenate([p, weights[:, :2] / weights.sum(axis=1, keepdims=True)])
        return np.square(p[:, 0] * (1 - p[:, 0])).mean(), np.square(p[:, 0] * p[:, 1]).mean()

    both = (lambda: diagonal_energy(1.0, 1000)), (lambda: offdiagonal_energy(1.0, 1000))
    return Sides(lambda: [each() for each in both], monte_carlo, None, {"alternative": 100.0})


def one_hidden(size: int, torch_side: bool) -> Sides:
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
    from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies

    network = sample_one_hidden(size, size, 8, 1000, np.random.default_rng(0))

    def ours() -> Any:
        return hidden_energies(forward(network, "ce"))

    def blocks() -> Any:
        state = forward(network, "ce")
        return [np.square(hidden_block(state, i, j)).sum() for i in range(8) for j in range(i, 8)]

    def autograd() -> Any:
        import torch

        x, w, v = (torch.from_numpy(a) for a in (network.inputs, network.hidden, network.output))
        labels = torch.from_numpy(network.targets.argmax(axis=1))

        def loss(flat: Any) -> Any:
            return torch.nn.functional.cross_entropy(torch.relu(x @ flat.reshape(w.shape).T) @ v.T, labels)

        hessian = torch.autograd.functional.hessian(loss, w.reshape(-1))
        return hessian.reshape(8, size, 8, size).square().sum(dim=(1, 3)).numpy()

    if torch_side:
        _agree(ours(), autograd())
    hidden = np.ones((size, 8))
    return Sides(
        ours,
        autograd if torch_side else blocks,
        lambda: (network.inputs @ network.inputs.T, hidden @ network.output.T),
    )


def output_hessians() -> Sides:
    from rmtsim.papers.wu.simulation.output_hessian import (
        independent_output_hessian,
        mean_curvature,
        output_hessian,
    )
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

    rng = np.random.default_rng(0)
    network = draw_network(400, 0.3, 4, rng)
    inputs = draw_inputs(4000, network.weights[0].shape[1], rng)
    weights = network.weights[-1]

    def ours() -> Any:
        response = respond(network, inputs)
        return output_hessian(weights, response), independent_output_hessian(
            weights, response.active[0], mean_curvature(response)
        )

    def loop() -> Any:
        total, joint, curvature = np.zeros((400, 400)), np.zeros((400, 400)), np.zeros((4, 4))
        for x in inputs:
            u = network.weights[0] @ x
            on = (u >= 0).astype(float)
            p = np.exp(weights @ (u * on))
            p /= p.sum()
            a = np.diag(p) - np.outer(p, p)
            g = weights * on
            total += g.T @ a @ g
            joint += np.outer(on, on)
            curvature += a
        count = len(inputs)
        return total / count, joint / count * (weights.T @ curvature @ weights / count)

    for fast, slow in zip(ours(), loop(), strict=True):
        _agree(fast, slow, 1e-9)
    gates, rows = np.ones((4000, 400)), np.ones((16_000, 400))
    return Sides(ours, loop, lambda: (inputs @ network.weights[0].T, gates.T @ gates, rows.T @ rows))


def linear_sampler(size: int, classes: int) -> Sides:
    """Sixteen replicates of Theorem 1; the floor draws the numbers and takes the products of the compiled form."""
    from rmtsim.papers.dong.simulation.linear_blocks import draw_block_energies

    def floor() -> None:
        rng = np.random.default_rng(0)
        for _ in range(16):
            drawn = rng.standard_normal((size + classes, size))
            x, weights = drawn[:size], drawn[size:]
            gram, p = x @ x.T, weights @ x.T
            p.T @ p
            p @ gram
            p @ gram

    return Sides(lambda: draw_block_energies(size, np.random.default_rng(0), 16, 1.0, classes), None, floor)


def one_hidden_sampler(size: int) -> Sides:
    from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies

    def ours() -> Any:
        return hidden_energies(forward(sample_one_hidden(size, size, 8, 20, np.random.default_rng(0)), "ce"))

    def floor() -> None:
        rng = np.random.default_rng(0)
        x, w, v = (rng.standard_normal(shape) for shape in ((size, size), (8, size), (20, 8)))
        gram, curvatures = x @ x.T, np.ones((size, 36))
        gram @ curvatures
        (x @ w.T) @ v.T

    return Sides(ours, None, floor)


def wu_sampler(width: int) -> Sides:
    """M and M* of a drawn network with a thousand drawn inputs."""
    from rmtsim.papers.wu.simulation.output_hessian import (
        independent_output_hessian,
        mean_curvature,
        output_hessian,
    )
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

    def ours() -> Any:
        rng = np.random.default_rng(0)
        network = draw_network(width, 0.3, 4, rng)
        response = respond(network, draw_inputs(1000, network.weights[0].shape[1], rng))
        weights = network.weights[-1]
        return output_hessian(weights, response), independent_output_hessian(
            weights, response.active[0], mean_curvature(response)
        )

    inputs = draw_network(width, 0.3, 4, np.random.default_rng(0)).weights[0].shape[1]

    def floor() -> None:
        rng = np.random.default_rng(0)
        w, x = rng.standard_normal((width, inputs)), rng.standard_normal((1000, inputs))
        pre = x @ w.T
        pre.T @ pre
        rows = np.broadcast_to(pre, (4, 1000, width)).reshape(4000, width)
        rows.T @ rows

    return Sides(ours, None, floor)


_LINEAR, _HIDDEN, _SAMPLERS = "linear softmax model", "one hidden layer", "samplers"
_part = functools.partial

ROWS = [
    Row(
        "norms.linear",
        _LINEAR,
        "all block norms, N = d = 64, C = 40",
        block_norms,
        "`torch.func.hessian`",
        "40 products 64×64 by 64×40",
    ),
    *(
        Row(
            f"energies.{n}",
            _LINEAR,
            f"block energies, N = d = C = {n}",
            _part(block_energies, n),
            "blocks in NumPy, three timed",
            "two products of n×n matrices",
            n <= 1000,
            ("block energies, N = d = C", n),
        )
        for n in (64, 125, 250, 500, 1000, 2000)
    ),
    Row(
        "expectations",
        _LINEAR,
        "exact g_ii and g_ij, C = 1000",
        expectations,
        "10⁶ Monte Carlo draws, 1 % timed",
    ),
    Row(
        "hidden.600",
        _HIDDEN,
        "all blocks, one hidden layer, m = 8, C = 1000, N = d = 600",
        _part(one_hidden, 600, False),
        "blocks one by one in NumPy",
        "Gram matrix and outputs",
    ),
    Row(
        "hidden.40",
        _HIDDEN,
        "the same, N = d = 40",
        _part(one_hidden, 40, True),
        "`torch.autograd.functional.hessian`",
        "Gram matrix and outputs",
    ),
    Row(
        "outputs.wu",
        _HIDDEN,
        "M and M* of `wu`, n = 400, 4000 inputs",
        output_hessians,
        "loop over samples in NumPy",
        "three products",
    ),
    *(
        Row(
            f"sampler.linear.{n}.{c}",
            _SAMPLERS,
            f"Theorem 1 of `dong`, d = N = {n}, C = {c}, 16 replicates",
            _part(linear_sampler, n, c),
            "",
            "random numbers, five products",
            n <= 320,
            ("sampler of Theorem 1, C = 10", n) if c == 10 else None,
        )
        for n, c in ((40, 10), (80, 10), (160, 10), (320, 10), (640, 10), (160, 1000), (320, 1000))
    ),
    *(
        Row(
            f"sampler.hidden.{n}",
            _SAMPLERS,
            f"one hidden layer of `dong`, d = N = {n}, m = 8, C = 20",
            _part(one_hidden_sampler, n),
            "",
            "random numbers, four products",
        )
        for n in (100, 200, 400)
    ),
    *(
        Row(
            f"sampler.wu.{n}",
            _SAMPLERS,
            f"M and M* of `wu`, n = {n}, 1000 inputs",
            _part(wu_sampler, n),
            "",
            "random numbers, three products",
            n <= 512,
            ("M and M* of `wu`, 1000 inputs", n),
        )
        for n in (64, 128, 256, 512, 1024)
    ),
]
