"""Products and block maps of torch models and of rmtsim's networks beside torch and public Hessian tools, in one run.

python benchmarks/hessians.py [--quick] [--only products|threads|paths|map|large] [--large] [--json FILE]

Products: time of one product of a float32 MLP's Hessian, all sides in turn, with default threads and with one, least of
the rounds, relative to a bare product by two backward passes. Threads: default threads relative to one thread, of the
own engine and of a torch model in float64, and torch's time relative to the own engine's with equal threads. Paths: the
same for whole analyses and for short calls, repeated for 50 ms. Map: block maps of an MLP of 10⁵ parameters, per layer
and per neuron. Large: a product, block map, trace, density and both ends of the spectrum of 10⁷ parameters in a process
that may allocate 4 GiB (RLIMIT_DATA), with the peak of its resident memory. curvlinops (`curvlinops-for-pytorch`),
`pyhessian` and `hessian_eigenthings` are measured where they can be imported, and named as missing where not.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from common import machine
from torch import nn
from torch.func import functional_call, grad, jvp

from rmtsim._internal.threads import NumpyThreads
from rmtsim.hessians import hessian
from rmtsim.networks import fully_connected

MEMORY = 4 * 2**30
PAUSE = 0.07


def in_turn(functions, rounds, least=0.0):
    """{name: (wall, processor)}: least seconds of a call, one after the other in every round; the first warms up.

    Calls are repeated within a round until they take ``least`` seconds. Idle threads of OpenBLAS keep a core busy for
    about 50 ms after their last task; the next function starts later.
    """
    times = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            time.sleep(PAUSE)
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


def limited(function, both):
    """The function with so many threads of torch and of NumPy."""
    blas = NumpyThreads()

    def run():
        default = torch.get_num_threads(), blas.get()
        torch.set_num_threads(both[0])
        blas.set(both[1])
        try:
            return function()
        finally:
            torch.set_num_threads(default[0])
            blas.set(default[1])

    return run


def products(width, samples, rounds):
    """Rows of one product: every side with default threads and with one, in turn."""
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
            print(f"{name}: not installed")
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
    both = {(name, "default"): side for name, side in sides.items()}
    both |= {(name, "one"): limited(side, (1, 1)) for name, side in sides.items()}
    found = {key: wall for key, (wall, _) in in_turn(both, rounds, 0.02).items()}
    return [
        {
            "width": width,
            "parameters": operator.size,
            "side": name,
            "default, ms": 1e3 * found[name, "default"],
            "one thread, ms": 1e3 * found[name, "one"],
            "of the bare product, default": found[name, "default"] / found["bare torch", "default"],
            "of the bare product, one": found[name, "one"] / found["bare torch", "one"],
            "default / one": found[name, "default"] / found[name, "one"],
            "difference of rmtsim from the bare product": error,
        }
        for name in sides
    ]


def threads(width, depth, rounds, samples=256, inputs=32, outputs=4):
    """Own engine and the same model in torch: the default, one thread and all threads, in turn."""
    rng = np.random.default_rng(0)
    network = fully_connected((inputs, *[width] * depth, outputs), "tanh", loss="cross_entropy").sample(rng)
    x, y = rng.standard_normal((samples, inputs)), np.arange(samples) % outputs
    model = mlp(width, depth, inputs, outputs, bias=False).double()
    with torch.no_grad():
        for layer, w in zip(model[::2], network.weights, strict=True):
            layer.weight.copy_(torch.tensor(w))
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
    return {
        "width": width,
        "hidden layers": depth,
        "own, default, ms": 1e3 * found["own"],
        "own, one, ms": 1e3 * found["own, one"],
        "own: default / one": found["own"] / found["own, one"],
        "torch operator: default / one": found["torch operator"] / found["torch operator, one"],
        "bare torch: default / one": found["bare"] / found["bare, one"],
        "bare torch / own, one": found["bare, one"] / found["own, one"],
        "torch, graph kept / own, one": found["kept, one"] / found["own, one"],
        "bare torch / own, default": found["bare"] / found["own"],
        "torch, graph kept / own, default": found["kept"] / found["own"],
    }


def paths(rounds):
    """Whole analyses with default threads and with one."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    data = torch.randn(512, 64), torch.randint(10, (512,))
    model = hessian(mlp(128), nn.CrossEntropyLoss(), data)
    newton = hessian(mlp(128), nn.CrossEntropyLoss(), data, matrix="gauss-newton")
    network = fully_connected((64, 128, 128, 10), "tanh", loss="cross_entropy").sample(rng)
    x, y = rng.standard_normal((512, 64)), np.arange(512) % 10
    own = hessian(network, data=(x, y))
    v = rng.standard_normal(model.size)
    sides = {}
    for name, operator in (("torch", model), ("own engine", own)):
        sides |= {
            f"{name}: blocks per layer": lambda o=operator: o.blocks("layer", tolerance=None),
            f"{name}: blocks per class": lambda o=operator: o.blocks("class", tolerance=None, probes=4),
            f"{name}: top eigenvalue, population": lambda o=operator: o.eigenvalues(1, tolerance=1e-3),
            f"{name}: bottom eigenvalue": lambda o=operator: o.eigenvalues(
                1, which="bottom", population=False, tolerance=1e-2
            ),
            f"{name}: trace": lambda o=operator: o.trace(products=12),
            f"{name}: density": lambda o=operator: o.spectrum(probes=4, steps=20),
        }
    sides |= {
        "torch: Gauss–Newton product": lambda: newton.product(v),
        "networks: gradient": lambda: network.gradient(x, y),
        "networks: tangent kernel": lambda: network.tangent_kernel(x[:128]),
        "networks: Gauss–Newton product": lambda: network.gauss_newton_product(x, y, v[: own.size]),
    }
    both = {(name, "default"): side for name, side in sides.items()}
    both |= {(name, "one"): limited(side, (1, 1)) for name, side in sides.items()}
    found = {key: wall for key, (wall, _) in in_turn(both, rounds, 0.05).items()}
    return [
        {
            "analysis": name,
            "default, ms": 1e3 * found[name, "default"],
            "one thread, ms": 1e3 * found[name, "one"],
            "default / one": found[name, "default"] / found[name, "one"],
        }
        for name in sides
    ]


def block_map(width, samples, tolerance, per="layer"):
    torch.manual_seed(0)
    model = mlp(width)
    operator = hessian(
        model, nn.CrossEntropyLoss(), (torch.randn(samples, 64), torch.randint(10, (samples,)))
    )
    clock, processor = time.perf_counter(), time.process_time()
    found = operator.blocks(per, tolerance=tolerance)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return {
        "parameters": operator.size,
        "groups": len(found.names),
        "tolerance": "none, ten probes a group" if tolerance is None else tolerance,
        "seconds": clock,
        "processor, seconds": processor,
        "products": found.products,
        "reached": str(found.reached),
    }


def large():
    """In a process of its own that may take 4 GiB of data."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    torch.manual_seed(0)
    operator = hessian(
        mlp(3125), nn.CrossEntropyLoss(), (torch.randn(60, 64), torch.randint(10, (60,))), batch_size=10
    )
    calls = {
        "product": lambda: operator.product(np.ones(operator.size))[0],
        "block map": lambda: operator.blocks("layer", tolerance=None, probes=4).ratio,
        "trace": lambda: operator.trace(products=8).population,
        "density": lambda: operator.spectrum(probes=2)[0].trace(),
        "largest eigenvalue": lambda: operator.eigenvalues(1, tolerance=1e-2).population[0],
        "smallest eigenvalue": lambda: operator.eigenvalues(
            1, which="bottom", population=False, tolerance=1e-2
        ).values[0],
    }
    row = {"parameters": operator.size, "limit, GiB": MEMORY / 2**30}
    for name, call in calls.items():
        start = time.perf_counter()
        found = call()
        row[f"{name}, seconds"] = time.perf_counter() - start
        row[f"peak after {name}, GiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(name, found, file=sys.stderr, flush=True)
    print(json.dumps(row))


def table(title, rows):
    """Print rows as a Markdown table."""
    print(f"\n{title}\n\n| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()) + " |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("products", "threads", "paths", "map", "large"))
    parser.add_argument("--large", action="store_true", help="10⁷ parameters as well")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    arguments = parser.parse_args()
    if arguments.only == "large":
        large()
        return
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{machine()}, torch {torch.__version__}, {torch.get_num_threads()} threads, load {load}")
    quick, data = arguments.quick, {"machine": machine(), "torch": torch.__version__, "load": load}

    def show(title, key, rows):
        table(title, rows)
        data[key] = rows
        if arguments.json:
            arguments.json.write_text(json.dumps(data, indent=1) + "\n")

    if arguments.only in (None, "products"):
        found = [
            row
            for width in ((64,) if quick else (64, 256, 512))
            for row in products(width, 512, 2 if quick else 5)
        ]
        show("Product of a float32 MLP, 512 samples", "products", found)
    if arguments.only in (None, "threads"):
        sizes = itertools.product((2, 4), (32,) if quick else (32, 64, 128, 256, 512, 1024))
        found = [threads(width, depth, 3) for depth, width in sizes]
        show("Own engine and torch in float64, 256 samples", "threads", found)
    if arguments.only in (None, "paths"):
        show("Whole analyses, 27 000 parameters, 512 samples", "paths", paths(1 if quick else 2))
    if arguments.only in (None, "map"):
        width = 16 if quick else 281
        found = [block_map(width, 512, 0.2 if quick else 0.05), block_map(width, 512, None, "neuron")]
        show("Block maps of an MLP", "map", found)
    if arguments.large:
        command = [sys.executable, __file__, "--only", "large"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout.splitlines()[-1])
        show("10⁷ parameters in a process that may take 4 GiB of data", "large", [row])


if __name__ == "__main__":
    main()
