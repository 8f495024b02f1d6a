"""How symmetric is the spectrum of a network's Hessian? Theorem 3 of li against width and depth.

Hinge loss, fair labels, 2n normal samples, weights N(0, 2/n), L layers of width n. Distance of the spectrum to its
mirror image, Σ|λ_i + λ_{N+1−i}|/Σ|λ_i|, |share of negative among non-zero eigenvalues − ½|, and the size of the
skewness, |tr H³/N|/(tr H²/N)^(3/2); new weights for each matrix ("weights"), or one draw of the weights with
new data ("data"; mean over four such draws). Errors are two standard errors; exponents are slopes of log mean
against log width.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np
from resumable import slope_of_means, summary

from rmtsim._internal.randomness import stream
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import hinge_problem

NAME = "li_symmetry"
MODES = ("weights", "data")
MEASURES = ("mirror", "half", "skewness")
FIXED = 4
"""Draws of the weights that are kept while the data change."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--widths", type=harness.positive_integer, nargs="+", default=[4, 8, 16])
    parser.add_argument("--layers", type=harness.positive_integer, nargs="+", default=[2, 3, 4, 6])
    parser.add_argument("--draws", type=harness.positive_integer, default=24, help="matrices per cell")
    parser.add_argument("--seed", type=int, default=0)


def _spectrum(network: Network, size: int, rng: np.random.Generator) -> np.ndarray | None:
    """Eigenvalues of the Hessian on fresh data; None if no sample reaches the output."""
    inputs = rng.standard_normal((2 * size, size))
    labels = 2.0 * rng.integers(0, 2, (2 * size, 1)) - 1.0
    hessian = network.hessian(inputs, labels)
    return np.linalg.eigvalsh(hessian) if hessian.any() else None


def distances(spectrum: np.ndarray) -> tuple[float, float, float]:
    """Distance to the mirror image, of the share of negative eigenvalues to one half, and the size of the skewness."""
    mirrored = float(np.abs(spectrum + spectrum[::-1]).sum() / np.abs(spectrum).sum())
    nonzero = spectrum[np.abs(spectrum) > 1e-9 * np.abs(spectrum).max()]
    skewness = float(abs((spectrum**3).mean()) / (spectrum**2).mean() ** 1.5)
    return mirrored, float(abs(np.mean(nonzero < 0) - 0.5)), skewness


def cell(mode: str, size: int, layers: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """The three measures of every draw, (draws, 3)."""
    found: list[tuple[float, float, float]] = []
    kept = [hinge_problem(size, layers, 1, rng)[0] for _ in range(FIXED)]
    failures = 0
    while len(found) < draws:
        network = kept[len(found) % FIXED] if mode == "data" else hinge_problem(size, layers, 1, rng)[0]
        spectrum = _spectrum(network, size, rng)
        if spectrum is not None:
            found.append(distances(spectrum))
            continue
        failures += 1
        if mode == "data" and failures % 10 == 0:  # weights through which no sample passes are drawn again
            kept[len(found) % FIXED] = hinge_problem(size, layers, 1, rng)[0]
    return np.array(found)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows, slopes = [], []
    for mode in MODES:
        for layers in arguments.layers:
            begin, samples = time.process_time(), []
            for size in arguments.widths:
                rng = stream(arguments.seed, NAME, {"mode": mode, "layers": layers}, size, 0)
                samples.append(cell(mode, size, layers, arguments.draws, rng))
                rows.append(
                    {"mode": mode, "layers": layers, "width": size}
                    | {
                        key: value
                        for k, name in enumerate(MEASURES)
                        for key, value in summary(name, samples[-1][:, k]).items()
                    }
                )
            said = []
            for k, name in enumerate(MEASURES):
                values = [each[:, k] for each in samples]
                if len(values) > 1 and min(float(each.mean()) for each in values) > 1e-10:
                    rng = stream(arguments.seed, NAME, {"slope": layers, "mode": mode, "measure": name}, 0, 0)
                    slope, error = slope_of_means(arguments.widths, values, rng)
                    slopes.append(
                        {"measure": name, "mode": mode, "layers": layers, "slope": slope, "error": error}
                    )
                    said.append(f"{name} slope {slope:+.2f} ± {error:.2f}")
                else:
                    said.append(f"{name}: zero to rounding")
            shown = "; ".join(
                f"n = {row['width']}: "
                + ", ".join(f"{row[name]:.4f} ± {row[f'{name} error']:.4f}" for name in MEASURES)
                for row in rows[-len(arguments.widths) :]
            )
            print(
                f"{mode}, L = {layers}: {shown}; {'; '.join(said)} ({time.process_time() - begin:.1f} s)",
                flush=True,
            )
    return {"rows": rows, "slopes": slopes}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from li_figures import symmetry_against_width

    from rmtsim.plots._style import save

    save(symmetry_against_width(data["rows"], data["slopes"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
