"""Products and block maps of torch models: rmtsim.hessians beside torch and the public Hessian tools, in one run.

python benchmarks/hessians.py [--quick] [--threads N] [--large]: time of one product of a float32 MLP's Hessian (all
sides in turn, least and median), relative to a bare product by two backward passes; the block map of an MLP of 10⁵
parameters; with --large a product and a block map of 10⁷ parameters and the peak memory. curvlinops
(`curvlinops-for-pytorch`), `pyhessian` and `hessian_eigenthings` are measured where they can be imported, and named as
missing where not. Threads: the default of the machine, or --threads.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import resource
import statistics
import time

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad, jvp

from rmtsim.hessians import hessian


def in_turn(functions, rounds):
    """{name: (least, median)} of wall seconds, one after the other in every round; the first round warms up."""
    times = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: (min(taken), statistics.median(taken)) for name, taken in times.items()}


def mlp(width, depth=2, inputs=64, outputs=10):
    sizes = [inputs, *[width] * depth, outputs]
    layers = []
    for one, two in itertools.pairwise(sizes):
        layers += [nn.Linear(one, two), nn.Tanh()]
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
        elif name == "pyhessian":
            other = module.hessian(model, loss, data=(x, y), cuda=False)
            sides[name] = lambda other=other, module=module: module.utils.hessian_vector_product(
                other.gradsH, other.params, parts
            )
    wanted = bare().numpy()
    error = float(np.abs(operator.product(v) - wanted).max() / np.abs(wanted).max())
    found = in_turn(sides, rounds)
    base = found["bare torch"]
    for name, (least, median) in found.items():
        print(
            f"  {name:<20} {1e3 * least:8.2f} ms least, {1e3 * median:8.2f} median; "
            f"of the bare product {least / base[0]:.2f}, {median / base[1]:.2f}"
        )
    print(f"  largest relative difference from the bare product {error:.1e}")


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
    torch.manual_seed(0)
    model = mlp(3100)
    operator = hessian(
        model, nn.CrossEntropyLoss(), (torch.randn(60, 64), torch.randint(10, (60,))), batch_size=10
    )
    start = time.perf_counter()
    operator.product(np.ones(operator.size))
    one = time.perf_counter() - start
    operator.blocks("layer", tolerance=None, probes=4)
    operator.trace(products=8)
    operator.eigenvalues(1, population=False, tolerance=1e-2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{operator.size} parameters: a product {one:.1f} s, block map, trace and largest eigenvalue within "
        f"{time.perf_counter() - start:.0f} s, peak memory {peak:.2f} GiB"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    if arguments.large:
        large()
    else:
        for width in (64,) if arguments.quick else (64, 256, 512):
            print(f"product, width {width}, 512 samples")
            products(width, 512, 10 if arguments.quick else 40)
        block_map(64 if arguments.quick else 256, 512, 0.2 if arguments.quick else 0.05)
