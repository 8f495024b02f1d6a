"""`dong` Figure 1: blocks of a network with 8 neurons on 128 images, C = 100, at initialisation, as numbers.

CIFAR-100 is not shipped: --cifar names a user's own train.bin of cifar-100-binary. Without it, synthetic fields of
amplitude 1/f (32 × 32 × 3) are used, and Gaussian noise of the same size; C = 10 and 100, several seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import harness
import numpy as np
from images import PIXELS, image_like, read_cifar_100, standardised

from rmtsim._internal.randomness import stream
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies, output_energies

NAME = "dong_images"
HIDDEN = 8


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cifar", type=Path, help="train.bin or test.bin of cifar-100-binary")
    parser.add_argument("--images", type=harness.positive_integer, default=128)
    parser.add_argument("--seeds", type=harness.positive_integer, default=8)


def _inputs(kind: str, arguments: argparse.Namespace, rng: np.random.Generator) -> np.ndarray:
    if kind == "noise":
        return rng.standard_normal((arguments.images, PIXELS))
    if kind == "1/f":
        return standardised(image_like(arguments.images, rng))
    images, _ = read_cifar_100(arguments.cifar)
    return standardised(images[rng.permutation(len(images))[: arguments.images]].astype(float))


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    kinds = ["noise", "1/f"] + (["CIFAR-100"] if arguments.cifar else [])
    for kind in kinds:
        for classes in (10, 100):
            for seed in range(arguments.seeds):
                rng = stream(seed, NAME, {"kind": kind, "classes": classes}, arguments.images, 0)
                inputs = _inputs(kind, arguments, rng)
                network = sample_one_hidden(PIXELS, len(inputs), HIDDEN, classes, rng)
                network = replace(network, inputs=inputs)
                row: dict[str, Any] = {"inputs": kind, "classes": classes, "seed": seed}
                for loss in ("mse", "ce"):
                    state = forward(network, "mse" if loss == "mse" else "ce")
                    hidden, output = hidden_energies(state), output_energies(state)
                    row[f"ww {loss}"] = float(1 - np.trace(hidden) / hidden.sum())
                    row[f"vv {loss}"] = float(
                        output.offdiagonal / (output.offdiagonal + output.diagonal.sum())
                    )
                rows.append(row)
            print(rows[-1], flush=True)
    return {"rows": rows, "images": arguments.images}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from dong_images_figures import shares

    from rmtsim.plots._style import save

    save(shares(data["rows"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
