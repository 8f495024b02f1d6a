"""Beyond `dong`: which statements hold for other inputs? Rademacher, uniform, Student t with 5 and with 3 degrees.

(27) and (29) are tested as differences from Gaussian inputs at the same W and V, in units of the theory value, and
Proposition 2 as the distance of the spectrum of H_11 from its law: the verdict says whether the limit is zero. Student
t with 3 degrees has no fourth moment, so E‖H‖² does not exist at any size and (27), (29) have no meaning for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import harness
import numpy as np
from dong_hidden_figures import surviving_statements
from scipy import stats
from scipy.special import erf, ndtr

from rmtsim.claims import Claim, claim
from rmtsim.claims._model import LEVEL
from rmtsim.curvature import block_eigenvalues
from rmtsim.curvature._linear_model import LinearModel
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.papers.dong.simulation.one_hidden_average import averaged_energies
from rmtsim.papers.dong.statements.resolvents import StatedResolvent
from rmtsim.papers.dong.theory import hidden_finite as theory
from rmtsim.papers.dong.theory.curvature_population import linear_population
from rmtsim.plots._style import save
from rmtsim.verdicts import verify

NAME = "dong_other_data"
HIDDEN, CLASSES, DRAWS = 8, 20, 8
SIZES = (25, 50, 100, 200)
LAWS = ("rademacher", "uniform", "student 5", "student 3")
QUANTITIES = {
    "h_ii": ("hidden", 0, lambda: theory.hidden_ce_diagonal(1.0, HIDDEN, CLASSES).value),
    "h_ij": ("hidden", 1, lambda: theory.hidden_ce_offdiagonal(1.0, HIDDEN, CLASSES).value),
    "q_ii": ("output", 0, lambda: theory.output_ce_diagonal(HIDDEN, CLASSES).value),
    "q_ij": ("output", 1, lambda: theory.output_ce_offdiagonal(HIDDEN, CLASSES).value),
}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=float, default=8.0, help="nominal seconds per law and statement")
    parser.add_argument("--seed", type=int, default=0)


_NODES = np.linspace(-8.0, 8.0, 4001)


@cache
def _quantiles(law: str) -> np.ndarray:
    """Values of the law, scaled to variance one, where a standard Gaussian has ``_NODES``."""
    freedom = float(law.split()[1])
    # Lower tail on both sides: 1 - Φ(8) is lost to rounding.
    lower = stats.t.ppf(ndtr(-np.abs(_NODES)), freedom) * np.sqrt((freedom - 2) / freedom)
    return np.asarray(-np.sign(_NODES) * lower)


def inputs_of(law: str, gaussian: np.ndarray) -> np.ndarray:
    """Entries of the law with mean zero and variance one, each the increasing image of a Gaussian one.

    Both inputs then have nearly the same W x, and the noise of their difference is a fraction of that of either.
    """
    if law == "rademacher":
        return np.sign(gaussian)
    if law == "uniform":
        return np.sqrt(3.0) * erf(gaussian / np.sqrt(2.0))
    return np.interp(gaussian, _NODES, _quantiles(law))


def energy_claim(law: str, quantity: str) -> Claim:
    """(energy at ``law`` - energy at Gaussian inputs)/theory tends to zero, N = d = size, same W and V for both."""
    layer, which, stated = QUANTITIES[quantity]
    scale = stated()

    def relative_difference(size: int, rng: np.random.Generator) -> float:
        hidden = rng.standard_normal((HIDDEN, size)) / np.sqrt(size)
        outputs = rng.standard_normal((DRAWS, CLASSES, HIDDEN)) / np.sqrt(HIDDEN)
        found = []
        gaussian = rng.standard_normal((size, size))
        for inputs in (inputs_of(law, gaussian), gaussian):
            before = inputs @ hidden.T
            vectors = inputs if layer == "hidden" else np.maximum(before, 0.0)
            kernel = np.square(vectors @ vectors.T / size)
            energies = averaged_energies(before, kernel, outputs, layer, "ce")  # type: ignore[arg-type]
            found.append(energies[which] / (size if layer == "hidden" else 1))
        return (found[0] - found[1]) / scale

    return claim(
        f"other-data.{law.replace(' ', '-')}.{quantity}",
        relative_difference,
        source="eq. (27), (29)",
        statement=f"{quantity} of {law} inputs is that of Gaussian ones as d, N grow.",
        limit=0.0,
        tolerance=0.05,
        sizes=SIZES,
        exponents=(1.0,),
        because="moments of the entries enter through sums over d or N of them: series in 1/d",
        cost=lambda size: 1e-3 + 2e-5 * size + 3e-8 * size**2 * DRAWS,
    )


@cache
def _stated() -> StatedResolvent:
    return StatedResolvent.of(GeneralizedMarchenkoPastur(1.0, linear_population(CLASSES, True)))


def law_claim(law: str) -> Claim:
    """The spectrum of H_11 of the linear model tends to the law of Proposition 2."""
    stated = _stated()

    def squared_gap(size: int, rng: np.random.Generator) -> float:
        weights = rng.standard_normal((CLASSES, size)) / np.sqrt(size)
        eigenvalues = block_eigenvalues(
            LinearModel(inputs_of(law, rng.standard_normal((size, size))), weights), 0, 0
        )
        return stated.distance(eigenvalues)

    return claim(
        f"other-data.{law.replace(' ', '-')}.law",
        squared_gap,
        source="Proposition 2",
        statement=f"The spectrum of H_11 at {law} inputs tends to the law of Gaussian ones.",
        law=0.0,
        tolerance=0.02**2,
        sizes=SIZES,
        # Without fourth moments corrections are slower than 1/d.
        exponents=(0.5, 1.0) if law == "student 3" else (1.0,),
        cost=lambda size: 3e-4 + 5e-8 * size**2 + 1e-9 * size**3,
    )


def _known(number: float) -> float | None:
    """A number for JSON, which has no infinity: an infinite end is null."""
    return float(number) if np.isfinite(number) else None


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    for law in LAWS:
        claims = [law_claim(law)]
        if law != "student 3":
            claims = [energy_claim(law, quantity) for quantity in QUANTITIES] + claims
        for statement in claims:
            (result,) = verify(statement, seed=arguments.seed, budget=arguments.budget, level=LEVEL / 16)
            point = result.points[0]
            row = {
                "law": law,
                "quantity": statement.id.rpartition(".")[2],
                "verdict": str(result.verdict),
                "low": _known(point.interval[0]),
                "high": _known(point.interval[1]),
                "largest_size": point.sizes[-1],
                "value": _known(point.values[-1]),
                "error": _known(point.errors[-1]),
            }
            rows.append(row)
            print(row, flush=True)
    return {"rows": rows, "classes": CLASSES, "hidden": HIDDEN}


def draw(data: Mapping[str, Any], path: Path) -> None:
    save(surviving_statements(data["rows"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
