"""Correlated ensembles compared with their solved laws: histogram, density, Kolmogorov distance and its null level.

Six ensembles are drawn from their definitions in `rmtsim.papers.li.simulation.ensembles`; the last three are a
Gaussian sum inflated by its own law and two block linearisations. Densities are solved by the Matrix Dyson equation.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.laws import MatrixDyson
from rmtsim.laws.dyson import anticommutator, random_features
from rmtsim.laws.self_energy import GaussianSum
from rmtsim.papers.li.statements.ensembles import ENSEMBLES, LAWS
from rmtsim.spectra import empirical, random_matrix

NAME = "dyson_ensembles"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=harness.positive_integer, default=1000, help="side of the matrices")
    parser.add_argument("--seed", type=int, default=0)


def _row(title: str, law: MatrixDyson, fresh: Callable[[], Any]) -> dict[str, Any]:
    values = fresh()
    low, high = law.support[0][0], law.support[-1][1]
    x = np.unique(
        np.concatenate(
            [
                np.linspace(low - 0.05 * (high - low), high + 0.05 * (high - low), 201),
                *(a + (b - a) * np.sin(np.linspace(0, np.pi / 2, 81)) ** 2 for a, b in law.support),
            ]
        )
    )
    kept = np.array(values)
    for location, _ in law.atoms:
        kept = kept[np.abs(kept - location) > 1e-9]
    counts, edges = np.histogram(kept, bins=60)
    distance = empirical(values).kolmogorov(law)
    # Null level: a distance above all of 19 distances of fresh draws has probability 1/20 if the law is true.
    threshold = max(empirical(fresh()).kolmogorov(law) for _ in range(19))
    return {
        "title": title,
        "x": x.tolist(),
        "density": np.minimum(law.density(x), 1e3).tolist(),
        "support": [list(band) for band in law.support],
        "atoms": [list(atom) for atom in law.atoms],
        "histogram": (counts / len(values) / np.diff(edges)).tolist(),
        "edges": edges.tolist(),
        "distance": distance,
        "threshold": float(threshold),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    panels = []
    for name, ensemble in ENSEMBLES.items():
        value = ensemble.parameter.default
        rng = stream(arguments.seed, NAME, {name: value}, arguments.size, 0)
        fresh = functools.partial(ensemble.eigenvalues, arguments.size, rng, value)
        panels.append(_row(f"{name}, {ensemble.parameter.name} {value:g}", LAWS[ensemble](value), fresh))
        print(
            f"{name}: distance {panels[-1]['distance']:.4f}, null {panels[-1]['threshold']:.4f}", flush=True
        )
    rng = stream(arguments.seed, NAME, {}, arguments.size, 1)
    raw = rng.standard_normal((3, 5, 5))
    general = MatrixDyson(
        np.diag([-2.0, -2.0, 0.0, 1.5, 3.0]), GaussianSum((raw + raw.transpose(0, 2, 1)) / np.sqrt(60))
    )
    side = 10 * max(1, arguments.size // 10)
    for title, law in (
        ("Σ Bₖ⊗Gₖ, general mean", general),
        ("XY + YX (3×3 block)", anticommutator()),
        ("random features (4×4 block)", random_features(0.8, 0.5)),
    ):
        panels.append(_row(title, law, lambda law=law: np.linalg.eigvalsh(random_matrix(law, side, rng))))
        print(f"{title}: distance {panels[-1]['distance']:.4f}", flush=True)
    return {"panels": panels, "size": arguments.size}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from figures.dyson import spectra

    from rmtsim.plots._style import save

    save(spectra(data["panels"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
