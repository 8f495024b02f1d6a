"""The network engine against PyTorch: Hessian-vector products, tangent kernels, block norms. One thread, float64.

python benchmarks/networks.py [--quick] [--json FILE]: processor time as ratios torch/rmtsim with the largest relative
difference. Products of all sides are taken in turn, and both the least time and the median are compared: on a shared
machine one side measured after the other meets another load. Elsewhere it is the least of some repeats. PyTorch (extra
`torch`) is needed; curvlinops (`curvlinops-for-pytorch`, its `HessianLinearOperator` and `GGNLinearOperator`) is
measured too where it can be imported.

Products: both sides keep what does not depend on the vector (ours the linearisation; torch the graph of the gradient,
`torch.autograd.grad(g, parameters, v, retain_graph=True)`); `torch.func` is jvp of grad, compiled nowhere, which
recomputes. Kernels: `vmap(jacrev)` and one product of Jacobians. Block norms: all pairs of one layer from
`torch.func.hessian` of the layer's weights, once, against Gram matrices.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import statistics
import time
from pathlib import Path

if __name__ == "__main__":  # the number of threads is read when the libraries load
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"


import numpy as np
import torch
from common import machine
from torch.func import functional_call, grad, hessian, jacrev, jvp, vmap

from rmtsim.curvature import block_energies
from rmtsim.networks import fully_connected
from rmtsim.networks._products import hessian_product

INPUTS, OUTPUTS = 32, 4


def best(function, least=0.4, most=50):
    """Processor seconds: the minimum of repeats that take ``least`` seconds together, after one warm-up."""
    function()
    times = []
    while len(times) < 3 or (sum(times) < least and len(times) < most):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def in_turn(functions, least=6.0, most=150):
    """Processor seconds of all functions, one after the other in every round: {name: (least, median)}."""
    times = {name: [] for name in functions}
    spent, rounds = 0.0, -1  # the first round warms up
    while rounds < 5 or (spent < least and rounds < most):
        for name, function in functions.items():
            start = time.process_time()
            function()
            elapsed = time.process_time() - start
            spent += elapsed
            if rounds >= 0:
                times[name].append(elapsed)
        rounds += 1
    return {name: (min(taken), statistics.median(taken)) for name, taken in times.items()}


def pair(width, depth, rng, activation="tanh"):
    """The same network on both sides: ``depth`` hidden layers, cross-entropy."""
    network = fully_connected((INPUTS, *[width] * depth, OUTPUTS), activation, loss="cross_entropy").sample(
        rng
    )
    layers = []
    for w in network.weights:
        linear = torch.nn.Linear(w.shape[1], w.shape[0], bias=False)
        linear.weight.data = torch.from_numpy(w.copy())
        layers += [linear, torch.nn.Tanh() if activation == "tanh" else torch.nn.ReLU()]
    return network, torch.nn.Sequential(*layers[:-1])


def difference(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


def products(width, depth, samples, rng):
    network, module = pair(width, depth, rng)
    x = rng.standard_normal((samples, INPUTS))
    labels = rng.integers(OUTPUTS, size=samples)
    vector = rng.standard_normal(network.parameters.size)
    point = network.linearise(x, labels)
    tx, ty = torch.from_numpy(x), torch.from_numpy(labels)
    parameters = list(module.parameters())
    parts = [
        p.reshape(q.shape)
        for p, q in zip(
            torch.from_numpy(vector).split([q.numel() for q in parameters]), parameters, strict=True
        )
    ]
    loss = torch.nn.functional.cross_entropy(module(tx), ty)
    gradient = torch.autograd.grad(loss, parameters, create_graph=True)

    def kept():
        return torch.autograd.grad(gradient, parameters, parts, retain_graph=True)

    named = {name: p.detach() for name, p in module.named_parameters()}
    tangents = dict(zip(named, parts, strict=True))

    def value(values):
        return torch.nn.functional.cross_entropy(functional_call(module, values, (tx,)), ty)

    def fresh():
        return jvp(grad(value), (named,), (tangents,))[1]

    mine = hessian_product(point, vector)
    functions = {
        "ours": lambda: hessian_product(point, vector),
        "kept": kept,
        "ours, from scratch": lambda: network.hessian_product(x, labels, vector),
        "fresh": fresh,
    }
    pairs = {"torch, kept graph": ("kept", "ours"), "torch.func": ("fresh", "ours, from scratch")}
    gaps = {"largest difference": difference(mine, torch.cat([p.reshape(-1) for p in kept()]).numpy())}
    if importlib.util.find_spec("curvlinops") is not None:
        operators = curvlinops_operators(module, tx, ty)
        hessian, ggn = (lambda matrix=matrix: matrix @ torch.from_numpy(vector) for matrix in operators)
        functions |= {"hessian": hessian, "ggn": ggn}
        functions["ours, GN"] = lambda: network.gauss_newton_product(x, labels, vector)
        pairs |= {
            "curvlinops Hessian": ("hessian", "ours, from scratch"),
            "curvlinops GGN": ("ggn", "ours, GN"),
        }
        gaps["largest difference from curvlinops"] = max(
            difference(mine, hessian().detach().numpy()),
            difference(network.gauss_newton_product(x, labels, vector), ggn().detach().numpy()),
        )
    taken = in_turn(functions)
    return {
        "what": "Hessian-vector product",
        "width": width,
        "hidden layers": depth,
        "samples": samples,
        "parameters": vector.size,
        "ours, ms": 1e3 * taken["ours"][0],
        **{
            f"{name}{word}": taken[theirs][which] / taken[ours][which]
            for name, (theirs, ours) in pairs.items()
            for which, word in enumerate(("", " (median)"))
        },
        **gaps,
        "peak of the process, GiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def curvlinops_operators(module, tx, ty):
    """curvlinops' Hessian and Gauss-Newton operators, which pass through the data at each product."""
    from curvlinops import GGNLinearOperator, HessianLinearOperator

    loss, parameters = torch.nn.CrossEntropyLoss(), list(module.parameters())
    return [
        kind(module, loss, parameters, [(tx, ty)], check_deterministic=False)
        for kind in (HessianLinearOperator, GGNLinearOperator)
    ]


def kernels(width, depth, samples, rng):
    network, module = pair(width, depth, rng)
    x = rng.standard_normal((samples, INPUTS))
    tx = torch.from_numpy(x)
    named = {name: p.detach() for name, p in module.named_parameters()}

    def theirs():
        jacobian = vmap(jacrev(lambda p, row: functional_call(module, p, (row,))), (None, 0))(named, tx)
        return sum(
            torch.einsum("nkp,mlp->nkml", j.flatten(2), j.flatten(2)) for j in jacobian.values()
        ).reshape(samples * OUTPUTS, -1)

    ours = best(lambda: network.tangent_kernel(x))
    return {
        "what": "tangent kernel",
        "width": width,
        "hidden layers": depth,
        "samples": samples,
        "parameters": network.parameters.size,
        "ours, ms": 1e3 * ours,
        "torch.func": best(theirs, most=5) / ours,
        "largest difference": difference(network.tangent_kernel(x), theirs().numpy()),
    }


def norms(width, depth, samples, rng):
    """All pairs of blocks of the first hidden layer."""
    network, module = pair(width, depth, rng, "relu")
    x = rng.standard_normal((samples, INPUTS))
    labels = rng.integers(OUTPUTS, size=samples)
    tx, ty = torch.from_numpy(x), torch.from_numpy(labels)
    named = {name: p.detach() for name, p in module.named_parameters()}

    def value(weight):
        return torch.nn.functional.cross_entropy(
            functional_call(module, {**named, "0.weight": weight}, (tx,)), ty
        )

    def theirs():
        return hessian(value)(named["0.weight"]).square().sum(dim=(1, 3)).numpy()

    ours = best(lambda: block_energies(network, x, labels, layers=[0], pairs=True))
    got = block_energies(network, x, labels, layers=[0], pairs=True)[0].pairs
    start = time.process_time()
    wanted = theirs()
    elapsed = time.process_time() - start
    return {
        "what": "all block norms of layer 1",
        "width": width,
        "hidden layers": depth,
        "samples": samples,
        "parameters": INPUTS * width,
        "ours, ms": 1e3 * ours,
        "torch.func": elapsed / ours,
        "largest difference": difference(got, wanted),
    }


def jacobian_bytes(width, depth, samples):
    """Least memory of torch's computation of a tangent kernel: the Jacobian of all samples and outputs."""
    return 8 * samples * OUTPUTS * width * (INPUTS + (depth - 1) * width + OUTPUTS)


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
    parser.add_argument("--only", choices=("products", "kernels", "norms"), help="one table")
    parser.add_argument("--widths", type=int, nargs="+", help="widths of products and kernels")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    print(
        f"{machine()}, PyTorch {torch.__version__}; one thread, float64, processor time, ratios torch/rmtsim"
    )
    widths = arguments.widths or ((64, 256) if arguments.quick else (64, 256, 1024, 4096))
    norms(4, 1, 5, rng)  # torch.func sets itself up at its first Hessian, which is not what is measured
    plans = {
        "products": (products, [(w, d, 128) for w in widths for d in (1, 2, 4)]),
        "kernels": (
            kernels,
            [(w, d, 32) for w in widths for d in (1, 2, 4) if jacobian_bytes(w, d, 32) < 2**32],
        ),
        "norms": (norms, [(w, d, 100) for w in (16, 32, 64, 96) for d in (1, 2)]),
    }
    tables = []
    for name, (function, sizes) in plans.items():
        if arguments.only in (None, name):
            tables.append([function(*size, rng) for size in sizes])
            show(tables[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "tables": tables}, indent=1) + "\n")


if __name__ == "__main__":
    main()
