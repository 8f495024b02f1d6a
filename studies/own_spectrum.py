"""The picture of docs/your-own-spectrum.md: noise with three spikes, one of them near the threshold."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim import spectrum
from rmtsim._internal.randomness import stream
from rmtsim.plots._style import save

NAME = "own_spectrum"
SPIKES = (9.0, 3.5, 2.2)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--samples", type=harness.positive_integer, default=900)
    parser.add_argument("--features", type=harness.positive_integer, default=300)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rng = stream(arguments.seed, NAME, {}, arguments.features, 0)
    data = rng.standard_normal((arguments.samples, arguments.features))
    data[:, : len(SPIKES)] *= np.sqrt(SPIKES)
    values = np.linalg.eigvalsh(data.T @ data / arguments.samples)
    return {"samples": arguments.samples, "eigenvalues": values.tolist()}


def draw(data: Mapping[str, Any], path: Path) -> None:
    found = spectrum(data["eigenvalues"], samples=data["samples"], name="data")
    save(found.plot(), path)
    print(found.report())


if __name__ == "__main__":
    harness.run(NAME, __doc__, measure, draw, options)
