"""Wide networks at one input: the Hessian on its own subspace beside Lanczos on all parameters and beside PyTorch.

python benchmarks/liu.py [--largest 4096] [--json FILE]: three hidden layers, tanh, one input, float64. Products: the
reduced product and the engine's full one against PyTorch with the graph of the gradient kept (processor time, least
of some repeats, equal threads: OMP_NUM_THREADS, one unless set). Norms: seconds for ‖H‖ to 10⁻⁶ by Lanczos, reduced
against full. PyTorch's columns are left out where it is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import time
from pathlib import Path

if __name__ == "__main__":  # the number of threads is read when the libraries load
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


import numpy as np
from common import machine

from rmtsim.networks import fully_connected, hessian_extremes
from rmtsim.networks._one_input import one_input_hessian
from rmtsim.networks._products import hessian_product

TORCH = importlib.util.find_spec("torch") is not None
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
INPUT = np.array([[1.0, -1.0, 1.0, 1.0]])


def best(function, least=0.3, most=30):
    """Processor seconds: the least of repeats after one warm-up."""
    function()
    times = []
    while len(times) < 3 or (sum(times) < least and len(times) < most):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def torch_product(network, vector):
    """The same product with PyTorch's graph of the gradient, kept."""
    import torch

    torch.set_num_threads(THREADS)
    weights = [torch.from_numpy(w.copy()).requires_grad_() for w in network.weights]
    a = torch.from_numpy(INPUT)
    for index, (w, layer) in enumerate(zip(weights, network.architecture.layers, strict=True)):
        a = layer.scale * (a @ w.T)
        a = torch.tanh(a) if index + 1 < len(weights) else a
    gradient = torch.autograd.grad(a.sum(), weights, create_graph=True)
    parts = [
        p.reshape(w.shape)
        for p, w in zip(torch.from_numpy(vector).split([w.numel() for w in weights]), weights, strict=True)
    ]
    return lambda: torch.autograd.grad(gradient, weights, parts, retain_graph=True)


def products(width, depth, rng):
    network = fully_connected((4, *[width] * depth, 1), "tanh", parametrisation="ntk").sample(rng)
    vector = rng.standard_normal(network.parameters.size)
    reduced, point = one_input_hessian(network, INPUT), network.linearise(INPUT)
    small = rng.standard_normal(reduced.size)
    full = best(lambda: hessian_product(point, vector))
    row = {
        "width": width, "hidden layers": depth, "parameters": vector.size, "numbers": reduced.size,
        "full product, ms": 1e3 * full, "full/reduced": full / best(lambda: reduced.product(small)),
    }  # fmt: skip
    if TORCH:
        theirs = torch_product(network, vector)
        row["torch/full"] = best(theirs) / full
        flat = np.concatenate([p.numpy().ravel() for p in theirs()])
        ours = hessian_product(point, vector)
        row["largest difference"] = float(np.abs(flat - ours).max() / np.abs(ours).max())
    return row


def norms(width, rng, full):
    network = fully_connected((4, width, width, width, 1), "tanh", parametrisation="ntk").sample(rng)
    start = time.perf_counter()
    ours = one_input_hessian(network, INPUT).extremes(np.random.default_rng(1), tolerance=1e-6).spectral_norm
    reduced = time.perf_counter() - start
    row = {"width": width, "parameters": network.parameters.size, "‖H‖": ours, "√m‖H‖": ours * width**0.5,
           "reduced, s": reduced, "full/reduced": "", "difference": ""}  # fmt: skip
    if full:
        start = time.perf_counter()
        whole = hessian_extremes(network, INPUT, rng=np.random.default_rng(1), tolerance=1e-6).spectral_norm
        row |= {"full/reduced": (time.perf_counter() - start) / reduced, "difference": abs(whole / ours - 1)}
    return row


def show(rows):
    columns = list(rows[0])
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        print(
            "| " + " | ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()) + " |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=4096, help="largest width of the sweep")
    parser.add_argument("--full", type=int, default=512, help="largest width of Lanczos on all parameters")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{machine()}; {THREADS} thread(s), float64; load {os.getloadavg()[0]:.1f}")
    widths = [w for w in (64, 128, 256, 512, 1024, 2048, 4096) if w <= arguments.largest]
    sweep = [products(w, d, rng) for w in widths if w in (64, 256, 1024) for d in (1, 3)]
    show(sweep)
    begin = time.perf_counter()
    found = [norms(w, rng, w <= arguments.full) for w in widths]
    show(found)
    print(f"\nwidths up to {widths[-1]}: {time.perf_counter() - begin:.1f} s in all")
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"machine": machine(), "tables": [sweep, found]}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
