"""The exact Hessian of a deep ReLU network with hinge loss against PyTorch: 5 084 parameters, 200 samples.

python -m benchmarks.li [--width 41] [--layers 4] [--samples 200] [--json FILE]: one thread, float64; processor seconds,
the least of two, and the ratio torch/rmtsim with the largest relative difference. Torch: rows by `autograd.grad` of
the gradient, unit vectors in batches of 250 (`is_grads_batched`). PyTorch (extra `torch`) is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

if __name__ == "__main__":  # the number of threads is read when the libraries load
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"


import numpy as np
import torch

from benchmarks.common import machine
from rmtsim.papers.li.simulation.hinge_training import hinge_problem

CHUNK = 250


def seconds(function, repeats=2):
    """Least processor time of some calls, and what the last returned."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def torch_hessian(network, inputs, labels):
    weights = [torch.from_numpy(w.copy()).requires_grad_() for w in network.weights]
    row = torch.from_numpy(inputs)
    for w in weights[:-1]:
        row = torch.relu(row @ w.T)
    loss = torch.clamp(1 - torch.from_numpy(labels) * (row @ weights[-1].T), min=0).mean()
    gradient = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, weights, create_graph=True)])
    unit = torch.eye(len(gradient))
    rows = []
    for start in range(0, len(gradient), CHUNK):
        parts = torch.autograd.grad(
            gradient, weights, unit[start : start + CHUNK], retain_graph=True, is_grads_batched=True,
            allow_unused=True, materialize_grads=True,
        )  # fmt: skip
        rows.append(torch.cat([p.reshape(len(p), -1) for p in parts], dim=1))
    return torch.cat(rows).numpy()


def main():
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=41)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    network, inputs, labels = hinge_problem(
        options.width, options.layers, options.samples, np.random.default_rng(0)
    )
    ours, here = seconds(lambda: network.hessian(inputs, labels))
    theirs, there = seconds(lambda: torch_hessian(network, inputs, labels))
    row = {
        "parameters": network.parameters.size,
        "samples": options.samples,
        "rmtsim": round(ours, 3),
        "torch": round(theirs, 3),
        "ratio": round(theirs / ours, 2),
        "difference": float(np.abs(here - there).max() / np.abs(there).max()),
    }
    print("  ".join(f"{key} {value}" for key, value in row.items()))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "rows": [row]}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
