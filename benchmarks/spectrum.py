"""σ and outliers of synthetic weights beside WeightWatcher, layer by layer in one run.

PEER_WEIGHTWATCHER names a folder with weightwatcher and what it needs (pip install --target FOLDER weightwatcher);
PyTorch must be importable. Each row: ``--runs`` matrices of one shape with known σ and spikes, the same for both.
Spikes are rank-one parts of the given strength over the threshold at which noise hides them, s = θ/θ_c.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import logging
import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.common import machine
from rmtsim import model_spectrum

LEVELS = (0.05, 0.01)
SIGMA = 0.03
ROWS: tuple[tuple[int, int, tuple[float, ...], str], ...] = (
    (200, 200, (), "noise"),
    (400, 200, (), "noise"),
    (300, 150, (), "noise"),
    (1000, 100, (), "noise"),
    (400, 200, (1.3,), "one spike near the threshold"),
    (400, 200, (1.6,), "one weak spike"),
    (400, 200, (3.0, 2.5, 2.0), "three spikes"),
    (1000, 100, (3.0, 2.5, 2.0), "three spikes"),
    (200, 200, (3.0, 2.5, 2.0), "three spikes"),
    (400, 200, tuple(np.linspace(3, 8, 10)), "ten strong spikes"),
    (1000, 500, tuple(np.linspace(3, 8, 10)), "ten strong spikes"),
    (400, 200, tuple(np.linspace(3, 8, 40)), "rank 40"),
    (400, 200, (), "a tenth of the columns dead"),
)


def layer(shape: tuple[int, int], strengths: tuple[float, ...], what: str, rng: np.random.Generator) -> Any:
    """σ·noise plus Σ θ u vᵀ, θ = s·σ(dN)^{1/4}: the threshold of detection is s = 1."""
    rows, columns = shape
    weights = rng.standard_normal((rows, columns))
    if strengths:
        left = np.linalg.qr(rng.standard_normal((rows, len(strengths))))[0]
        right = np.linalg.qr(rng.standard_normal((columns, len(strengths))))[0]
        weights += (left * (np.array(strengths) * (rows * columns) ** 0.25)) @ right.T
    if "dead" in what:
        weights[:, : columns // 10] = 0.0
    return (SIGMA * weights).astype(np.float32)


def weightwatcher(layers: dict[str, Any]) -> tuple[list[float], list[int]]:
    import torch
    import weightwatcher as ww

    logging.getLogger("weightwatcher").setLevel(logging.CRITICAL)
    model = torch.nn.Sequential()
    for weights in layers.values():
        linear = torch.nn.Linear(weights.shape[1], weights.shape[0], bias=False)
        linear.weight.data = torch.from_numpy(weights)
        model.append(linear)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = ww.WeightWatcher(model=model).analyze(mp_fit=True, plot=False, min_evals=10)
    # It fits W·W_scale/… without the factor 1/N: back to the deviation of an entry.
    sigma = (table["sigma_mp"] / table["W_scale"] / np.sqrt(table["N"])).tolist()
    return sigma, table["num_spikes"].astype(int).tolist()


def ours(level: float, layers: dict[str, Any]) -> tuple[list[float], list[int]]:
    found = model_spectrum(layers, level=level).layers
    return [each.spectrum.sigma for each in found], [each.spectrum.rank for each in found]


def measured(tool: Any, layers: dict[str, Any], true: int) -> tuple[float, float, float, float]:
    """RMS error of σ in per cent, spikes found, share of layers with a false one, milliseconds a layer."""
    start = time.perf_counter()
    sigmas, counts = tool(layers)
    spent = 1e3 * (time.perf_counter() - start) / len(layers)
    error = 100 * float(np.sqrt(np.mean((np.array(sigmas) / SIGMA - 1) ** 2)))
    found = float(np.mean(np.minimum(counts, true)))
    return error, found, float(np.mean(np.array(counts) > true)), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shape", help="only rows of this shape, such as 1000×100")
    parser.add_argument("--what", help="only rows of these words, such as 'rank 40'")
    parser.add_argument("--without-peer", action="store_true", help="our columns alone, for many runs")
    arguments = parser.parse_args()
    if not arguments.without_peer:
        folder = os.environ.get("PEER_WEIGHTWATCHER")
        if not folder:
            sys.exit("PEER_WEIGHTWATCHER: expected the folder of weightwatcher (or --without-peer)")
        sys.path.append(folder)
        import matplotlib as mpl

        mpl.use("Agg")
    print(f"{machine()}; {arguments.runs} matrices a row; rmtsim at level {LEVELS[0]}, then at {LEVELS[1]}\n")
    print(
        "| shape | what | σ error: floor (%) | rmtsim | WW | spikes: true | rmtsim | WW | layers with a false one: "
        "rmtsim | WW | ms a layer: rmtsim | WW |\n|" + "---|" * 12
    )
    for number, (rows, columns, strengths, what) in enumerate(ROWS):
        if arguments.shape not in (None, f"{rows}×{columns}") or arguments.what not in (None, what):
            continue
        rng = np.random.default_rng([arguments.seed, number])
        layers = {str(k): layer((rows, columns), strengths, what, rng) for k in range(arguments.runs)}
        own, strict = (measured(functools.partial(ours, level), layers, len(strengths)) for level in LEVELS)
        other = (
            (float("nan"),) * 4 if arguments.without_peer else measured(weightwatcher, layers, len(strengths))
        )
        floor = 100 / np.sqrt(2 * rows * columns)
        cells = [
            f"{rows}×{columns}", what, f"{floor:.2f}", f"{own[0]:.2f}, {strict[0]:.2f}", f"{other[0]:.2f}",
            str(len(strengths)), f"{own[1]:.2f}, {strict[1]:.2f}", f"{other[1]:.2f}",
            f"{own[2]:.3f}, {strict[2]:.3f}", f"{other[2]:.3f}", f"{own[3]:.0f}", f"{other[3]:.0f}",
        ]  # fmt: skip
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
