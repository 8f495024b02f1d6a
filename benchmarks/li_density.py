"""Spectral density of a hinge network with a million parameters, and exact Hessians of thousands, beside PyTorch.

python -m benchmarks.li_density [--quick] [--json FILE]: `li`'s appendix G.1 estimates a density on 200 samples by 128
Lanczos steps from one start. Here several starts give a standard error. The same Lanczos rule then runs on torch's
products (gradient of the kept gradient graph) from the first start; ratios torch/rmtsim of seconds, one thread,
float64. Dense Hessians against `torch.func.hessian`. PyTorch (extra `torch`) is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from pathlib import Path

if __name__ == "__main__":  # the number of threads is read when the libraries load
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"


import numpy as np
import torch

from benchmarks.common import machine
from rmtsim.matrix_free._lanczos import lanczos_quadrature
from rmtsim.networks import fully_connected, hessian_spectrum

INPUTS, SAMPLES = 64, 200


def peak():
    """Peak resident memory so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def problem(width, rng):
    network = fully_connected((INPUTS, width, width, width, 1), "relu", gain=2.0, loss="hinge").sample(rng)
    return network, rng.standard_normal((SAMPLES, INPUTS)), rng.choice([-1.0, 1.0], size=(SAMPLES, 1))


def torch_loss(x, y):
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)

    def loss(weights):
        a = tx
        for w in weights[:-1]:
            a = torch.relu(a @ w.T)
        return torch.clamp(1 - ty * (a @ weights[-1].T), min=0).mean()

    return loss


def density(width, probes, steps, seed):
    rng = np.random.default_rng(seed)
    network, x, y = problem(width, rng)
    size = network.parameters.size
    starts = np.random.default_rng(seed + 1)
    begun = time.perf_counter()
    (found,) = hessian_spectrum(network, x, y, rng=starts, probes=probes, steps=steps, exact_up_to=0)
    ours = time.perf_counter() - begun
    memory = peak()
    low, high = found.range
    grid = np.linspace(low, high, 201)
    values, errors = found.density(grid, (high - low) / 60)
    point = int(values.argmax())

    weights = [torch.from_numpy(w.copy()).requires_grad_() for w in network.weights]
    gradient = torch.autograd.grad(torch_loss(x, y)(weights), weights, create_graph=True)
    sizes = [w.numel() for w in weights]

    def product(v):
        parts = [p.reshape(w.shape) for p, w in zip(torch.from_numpy(v).split(sizes), weights, strict=True)]
        answer = torch.autograd.grad(gradient, weights, parts, retain_graph=True)
        return torch.cat([a.reshape(-1) for a in answer]).numpy()

    first = np.random.default_rng(seed + 1).standard_normal(size)
    begun = time.perf_counter()
    nodes, _ = lanczos_quadrature(product, size, first, steps)
    theirs = time.perf_counter() - begun
    return {
        "parameters": size,
        "starts": probes,
        "steps": steps,
        "seconds": ours,
        "peak GB": memory,
        "torch / ours, one start": theirs * probes / ours,
        "largest error of density / peak": float(errors.max() / values[point]),
        "tr H / P": found.moment(1).value,
        "its error": found.moment(1).error,
        "difference of extreme nodes": float(
            max(abs(nodes.max() - found.nodes[0].max()), abs(nodes.min() - found.nodes[0].min()))
            / max(-low, high)
        ),
    }


def exact(width, seed):
    rng = np.random.default_rng(seed)
    network, x, y = problem(width, rng)
    begun = time.perf_counter()
    dense = network.hessian(x, y)
    ours = time.perf_counter() - begun
    weights = tuple(torch.from_numpy(w.copy()) for w in network.weights)
    loss = torch_loss(x, y)
    begun = time.perf_counter()
    blocks = torch.func.hessian(lambda *w: loss(w), argnums=tuple(range(len(weights))))(*weights)
    theirs = time.perf_counter() - begun
    rows = [
        torch.cat([block.reshape(weights[i].numel(), -1) for block in row], dim=1)
        for i, row in enumerate(blocks)
    ]
    wanted = torch.cat(rows).numpy()
    return {
        "parameters": network.parameters.size,
        "samples": SAMPLES,
        "seconds": ours,
        "torch.func / ours": theirs / ours,
        "largest difference": float(np.abs(dense - wanted).max() / np.abs(wanted).max()),
    }


def show(rows):
    columns = list(rows[0])
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        print(
            "| " + " | ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()) + " |",
            flush=True,
        )


def main():
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    print(f"{machine()}, PyTorch {torch.__version__}; one thread, float64")
    densities = [density(width, arguments.starts, 128, 0) for width in ((60,) if arguments.quick else (700,))]
    show(densities)
    exacts = [exact(width, 0) for width in ((12,) if arguments.quick else (12, 36))]
    show(exacts)
    if arguments.json:
        tables = {"machine": machine(), "density": densities, "exact": exacts}
        arguments.json.write_text(json.dumps(tables, indent=1) + "\n")


if __name__ == "__main__":
    main()
