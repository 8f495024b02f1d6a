"""Products and block maps of torch models and of rmtsim's networks beside torch and public Hessian tools, in one run.

python benchmarks/hessians.py [--quick] [--threads N] [--only products|threads|map|large] [--large]

Products: time of one product of a float32 MLP's Hessian (all sides in turn, least of the rounds), relative to a bare
product by two backward passes. Threads: default threads relative to one thread, of the own engine and of a torch model
in float64, and torch's time relative to the own engine's with equal threads. Map: the block map of an MLP of 10⁵
parameters. Large: a product, block map, trace and eigenvalue of 10⁷ parameters in a process that may take 4 GiB.
curvlinops (`curvlinops-for-pytorch`), `pyhessian` and `hessian_eigenthings` are measured where they can be imported,
and named as missing where not. Threads: the default of the machine, or --threads.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import resource
import subprocess
import sys
import time

import numpy as np
import torch
from common import machine
from torch import nn
from torch.func import functional_call, grad, jvp

from rmtsim._internal.threads import NumpyThreads
from rmtsim.hessians import hessian
from rmtsim.networks import fully_connected

MEMORY = 4 * 2**30


def in_turn(functions, rounds, least=0.0):
    """{name: (wall, processor)}: least seconds of a call, one after the other in every round; the first warms up.

    Calls are repeated within a round until they take ``least`` seconds.
    """
    times = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            wall, processor, calls = time.perf_counter(), time.process_time(), 0
            while not calls or time.perf_counter() - wall < least:
                function()
                calls += 1
            if number:
                times[name].append(
                    ((time.perf_counter() - wall) / calls, (time.process_time() - processor) / calls)
                )
    return {name: tuple(min(each) for each in zip(*taken, strict=True)) for name, taken in times.items()}


def mlp(width, depth=2, inputs=64, outputs=10, bias=True):
    sizes = [inputs, *[width] * depth, outputs]
    layers = []
    for one, two in itertools.pairwise(sizes):
        layers += [nn.Linear(one, two, bias=bias), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def products(width, samples, rounds):
    torch.manual_seed(0)
    model, x, y = mlp(width), torch.randn(samples, 64), torch.randint(10, (samples,))
    loss = nn.CrossEntropyLoss()
    parameters = list(model.parameters())
    operator = hessian(model, loss, [(x, y)])
    v = np.random.default_rng(0).standard_normal(operator.size)
    flat = torch.from_numpy(v).float()
    parts = [
        p.reshape(q.shape)
        for p, q in zip(flat.split([q.numel() for q in parameters]), parameters, strict=True)
    ]

    def bare():
        gradient = torch.autograd.grad(loss(model(x), y), parameters, create_graph=True)
        return torch.cat([h.reshape(-1) for h in torch.autograd.grad(gradient, parameters, parts)])

    names = [n for n, _ in model.named_parameters()]
    start, tangents = dict(model.named_parameters()), dict(zip(names, parts, strict=True))

    def func():
        return jvp(grad(lambda p: loss(functional_call(model, p, (x,)), y)), (start,), (tangents,))[1]

    sides = {"bare torch": bare, "rmtsim": lambda: operator.product(v), "torch.func": func}
    for name in ("curvlinops", "pyhessian", "hessian_eigenthings"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"  {name}: not installed")
            continue
        if name == "curvlinops":
            other = module.HessianLinearOperator(model, loss, parameters, [(x, y)])
            sides[name] = lambda other=other: other @ flat
        elif name == "hessian_eigenthings":
            other = module.HessianOperator(model, [(x, y)], module.supervised_loss(loss))
            sides[name] = lambda other=other: other.matvec(flat)
        else:
            other = module.hessian(model, loss, data=(x, y), cuda=False)
            sides[name] = lambda other=other, module=module: module.utils.hessian_vector_product(
                other.gradsH, other.params, parts
            )
    wanted = bare().numpy()
    error = float(np.abs(operator.product(v) - wanted).max() / np.abs(wanted).max())
    found = in_turn(sides, rounds, 0.02)
    base = found["bare torch"]
    for name, (wall, processor) in found.items():
        print(
            f"| {width} | {operator.size} | {name} | {1e3 * wall:.2f} | {wall / base[0]:.2f} | "
            f"{processor / base[1]:.2f} |",
            flush=True,
        )
    print(f"<!-- largest relative difference from the bare product {error:.1e} -->")


def threads(width, depth, rounds, samples=256, inputs=32, outputs=4):
    """Own engine and the same model in torch: the default, one thread and all threads, in turn."""
    rng = np.random.default_rng(0)
    network = fully_connected((inputs, *[width] * depth, outputs), "tanh", loss="cross_entropy").sample(rng)
    x, y = rng.standard_normal((samples, inputs)), np.arange(samples) % outputs
    model = mlp(width, depth, inputs, outputs, bias=False).double()
    with torch.no_grad():
        for layer, w in zip(model[::2], network.weights, strict=True):
            layer.weight.copy_(torch.from_numpy(w))
    tx, ty, loss = torch.from_numpy(x), torch.from_numpy(y), nn.CrossEntropyLoss()
    own, theirs = hessian(network, data=(x, y)), hessian(model, loss, [(tx, ty)])
    v = rng.standard_normal(own.size)
    parameters = list(model.parameters())
    parts = [
        p.reshape(q.shape)
        for p, q in zip(torch.from_numpy(v).split([q.numel() for q in parameters]), parameters, strict=True)
    ]

    def bare():
        gradient = torch.autograd.grad(loss(model(tx), ty), parameters, create_graph=True)
        return torch.autograd.grad(gradient, parameters, parts)

    # Graph of the gradient kept: the own engine, too, keeps its linearisation between products.
    gradient = torch.autograd.grad(loss(model(tx), ty), parameters, create_graph=True)

    def kept():
        return torch.autograd.grad(gradient, parameters, parts, retain_graph=True)

    blas = NumpyThreads()
    default = torch.get_num_threads(), blas.get()

    def limited(function, both):
        def run():
            torch.set_num_threads(both[0])
            blas.set(both[1])
            try:
                return function()
            finally:
                torch.set_num_threads(default[0])
                blas.set(default[1])

        return run

    for _ in range(8):  # the choice of threads is made in the first products
        own.product(v), theirs.product(v)
    sides = {
        "own": lambda: own.product(v),
        "own, one": limited(lambda: own.product(v), (1, 1)),
        "torch operator": lambda: theirs.product(v),
        "torch operator, one": limited(lambda: theirs.product(v), (1, 1)),
        "bare": bare,
        "bare, one": limited(bare, (1, 1)),
        "kept": kept,
        "kept, one": limited(kept, (1, 1)),
    }
    found = {name: wall for name, (wall, _) in in_turn(sides, rounds, 0.02).items()}
    print(
        f"| {width} | {depth} | {1e3 * found['own, one']:.2f} | {found['own'] / found['own, one']:.2f} | "
        f"{found['torch operator'] / found['torch operator, one']:.2f} | {found['bare'] / found['bare, one']:.2f} | "
        f"{found['bare, one'] / found['own, one']:.2f} | {found['kept, one'] / found['own, one']:.2f} | "
        f"{found['bare'] / found['own']:.2f} |",
        flush=True,
    )


def block_map(width, samples, tolerance):
    torch.manual_seed(0)
    model = mlp(width)
    operator = hessian(
        model, nn.CrossEntropyLoss(), (torch.randn(samples, 64), torch.randint(10, (samples,)))
    )
    clock, processor = time.perf_counter(), time.process_time()
    found = operator.blocks("layer", tolerance=tolerance, most_products=3000)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"block map, {operator.size} parameters, tolerance {tolerance}: {clock:.1f} s by the clock, {processor:.1f} s "
        f"of the processor, {found.products} products, reached {found.reached}"
    )


def large():
    """In a process of its own that may take 4 GiB of data."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    torch.manual_seed(0)
    operator = hessian(
        mlp(3100), nn.CrossEntropyLoss(), (torch.randn(60, 64), torch.randint(10, (60,))), batch_size=10
    )
    start = time.perf_counter()
    operator.product(np.ones(operator.size))
    one = time.perf_counter() - start
    found = [operator.blocks("layer", tolerance=None, probes=4).ratio, operator.trace(products=8).population]
    found.append(operator.eigenvalues(1, population=False, tolerance=1e-2).values[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{operator.size} parameters, 60 samples in 6 batches: a product {one:.1f} s; block map, trace and largest "
        f"eigenvalue ({found[0]}; {found[1]}; {found[2]:.4g}) within {time.perf_counter() - start:.0f} s, peak "
        f"memory {peak:.2f} GiB (limit 4 GiB)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--only", choices=("products", "threads", "map", "large"))
    parser.add_argument("--large", action="store_true", help="10⁷ parameters as well")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
        NumpyThreads().set(arguments.threads)
    if arguments.only == "large":
        large()
        return
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{machine()}, torch {torch.__version__}, {torch.get_num_threads()} threads, load {load}\n")
    if arguments.only in (None, "products"):
        print(
            "| width | parameters | side | ms, least | of the bare product | processor time of the bare product |"
        )
        print("|---|---|---|---|---|---|")
        for width in (64,) if arguments.quick else (64, 256, 512):
            products(width, 512, 4 if arguments.quick else 12)
    if arguments.only in (None, "threads"):
        print(
            "\n| width | hidden layers | own, one thread, ms | own: default/one | torch operator: default/one | bare "
            "torch: default/one | bare torch/own, one thread | torch, kept graph/own, one thread | bare torch/own, "
            "default |\n|---|---|---|---|---|---|---|---|---|"
        )
        for depth, width in itertools.product(
            (2, 3, 4), (32,) if arguments.quick else (32, 64, 128, 256, 512, 1024)
        ):
            threads(width, depth, 3 if arguments.quick else 5)
    if arguments.only in (None, "map"):
        print()
        block_map(64 if arguments.quick else 256, 512, 0.2 if arguments.quick else 0.05)
    if arguments.large:
        subprocess.run([sys.executable, __file__, "--only", "large"], check=True)


if __name__ == "__main__":
    main()
