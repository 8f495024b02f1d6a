"""Cost against size of three tasks, beside an alternative and the least that the task must compute.

    PYTHONPATH=. python benchmarks/scaling.py [--json FILE] [--figure docs/figures/benchmark_scaling.png]

Times are processor times of one thread, the best of several runs. The floor of a panel is a part of the task that every
method has to do: the matrix products that the formula consists of, or one evaluation of the defining equation.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import threadpoolctl
import torch
from common import machine, seconds
from laws import fixed_point, inside
from networks import pair

from rmtsim.curvature import block_energies, sample_linear
from rmtsim.laws import GeneralizedMarchenkoPastur
from rmtsim.plots._style import DATA, LIMIT, OUTLIER, panels, save

SERIES = ("rmtsim", "alternative", "floor")
SAMPLES = 64


def _least(function, repeats=5):
    return seconds(function, repeats=repeats, clock=time.process_time)


def blocks(size):
    """Energies of all blocks of a linear softmax model with N = d = C = size."""
    model = sample_linear(size, size, size, np.random.default_rng(0))
    logits = model.inputs @ model.weights.T
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    pairs = 10

    def some_blocks():
        for i in range(pairs):
            block = (model.inputs.T * (-p[:, i] * p[:, i + 1])) @ model.inputs / size
            (block**2).sum()

    def two_products():
        model.inputs @ model.inputs.T
        p @ p.T

    return {
        "size": size,
        "rmtsim": _least(lambda: block_energies(model)),
        "alternative": _least(some_blocks, 3) / pairs * (size * (size + 1) / 2),
        "floor": _least(two_products),
    }


def product(width):
    """Hessian-vector product of a tanh network with three hidden layers."""
    rng = np.random.default_rng(0)
    network, module = pair(width, 3, rng)
    x = rng.standard_normal((SAMPLES, network.weights[0].shape[1]))
    labels = rng.integers(network.weights[-1].shape[0], size=SAMPLES)
    vector = rng.standard_normal(network.parameters.size)
    inputs, targets, v = torch.from_numpy(x), torch.from_numpy(labels), torch.from_numpy(vector)
    parameters = list(module.parameters())
    parts = [
        part.reshape(q.shape)
        for part, q in zip(v.split([q.numel() for q in parameters]), parameters, strict=True)
    ]

    def autograd():
        loss = torch.nn.functional.cross_entropy(module(inputs), targets)
        gradient = torch.autograd.grad(loss, parameters, create_graph=True)
        return torch.autograd.grad(gradient, parameters, parts)

    activities = [rng.standard_normal((SAMPLES, w.shape[1])) for w in network.weights]
    signals = [rng.standard_normal((SAMPLES, w.shape[0])) for w in network.weights]

    def nine_products():  # forward and backward pass, and both differentiated: three products a layer each time
        for w, a, s in zip(network.weights, activities, signals, strict=True):
            for _ in range(3):
                a @ w.T
                s @ w
                s.T @ a

    ours = network.hessian_product(x, labels, vector)
    theirs = torch.cat([each.reshape(-1) for each in autograd()]).numpy()
    assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-8 * np.abs(theirs).max())
    return {
        "size": vector.size,
        "rmtsim": _least(lambda: network.hessian_product(x, labels, vector)),
        "alternative": _least(autograd),
        "floor": _least(nine_products),
    }


def density(count):
    """Density of a generalised Marchenko–Pastur law of ``count`` atoms at 200 points."""
    atoms, ratio = np.random.default_rng(1).uniform(1, 3, count), 0.5
    law = GeneralizedMarchenkoPastur(ratio, atoms)
    x = inside(law, 200)
    height = 1e-4 * (law.support[-1][1] - law.support[0][0])
    s = (x + 1j) ** -1

    def once():
        return 1 / ((atoms / (1 + ratio * s[:, None] * atoms)).mean(axis=1) - x)

    return {
        "size": count,
        "rmtsim": _least(lambda: GeneralizedMarchenkoPastur(ratio, atoms).density(x)),
        "alternative": _least(lambda: fixed_point(ratio, atoms, x, height, 1e-9), 1),
        "floor": _least(once),
    }


PANELS = {
    "block energies, N = d = C": (
        blocks,
        (32, 64, 128, 256, 512, 1024),
        ("size", "every block formed in NumPy", "two matrix products"),
    ),
    "Hessian-vector product": (
        product,
        (16, 32, 64, 128, 256, 512),
        ("parameters", "PyTorch autograd", "nine matrix products a layer"),
    ),
    "density at 200 points": (
        density,
        (3, 10, 30, 100, 300),
        ("atoms of the population", "damped fixed point", "one evaluation of the equation"),
    ),
}


def draw(found, path):
    """One log-log panel per task."""
    figure, axes = panels(3, width=3.6, height=3.1)
    for ax, (title, rows) in zip(axes, found.items(), strict=True):
        size, alternative, floor = PANELS[title][2]
        x = [row["size"] for row in rows]
        for name, label, colour, style in zip(
            SERIES, ("rmtsim", alternative, floor), (DATA, OUTLIER, LIMIT), ("o-", "s--", "^:"), strict=True
        ):
            ax.loglog(x, [row[name] for row in rows], style, color=colour, label=label, markersize=4)
        ax.set(title=title, xlabel=size, ylabel="processor seconds")
        ax.legend(fontsize=7, frameon=False, loc="upper left")
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * (high / low) ** 0.3)
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    with threadpoolctl.threadpool_limits(1):
        found = {title: [task(size) for size in sizes] for title, (task, sizes, _) in PANELS.items()}
    print(machine())
    for title, rows in found.items():
        print(
            f"\n| {title}: size | rmtsim, s | alternative, s | floor, s | alternative/rmtsim | rmtsim/floor |\n|"
            + "---|" * 6
        )
        for row in rows:
            ours, theirs, floor = (row[name] for name in SERIES)
            numbers = (ours, theirs, floor, theirs / ours, ours / floor)
            print(f"| {row['size']} | {' | '.join(f'{each:.3g}' for each in numbers)} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "rows": found}, indent=1) + "\n")
    if arguments.figure:
        draw(found, arguments.figure)


if __name__ == "__main__":
    main()
