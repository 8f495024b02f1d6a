"""The ensembles for which `li`'s theorems are tested: how each is drawn, and separately its law in theory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims import Choice, Option, Parameter
from rmtsim.laws.dyson import MatrixDyson
from rmtsim.laws.dyson import ensembles as theory
from rmtsim.papers.li.simulation import ensembles as simulation

if TYPE_CHECKING:
    from rmtsim.ensembles import Tridiagonal


@frozen
class Ensemble:
    """A family of random matrices with one parameter, drawn from its definition."""

    label: str
    parameter: Parameter
    draw: Callable[[int, float, np.random.Generator], NDArray[np.float64]]

    def value(self, parameters: Mapping[str, float]) -> float:
        """The value of the ensemble's own parameter."""
        return float(parameters[self.parameter.name])

    def eigenvalues(self, size: int, rng: np.random.Generator, value: float) -> NDArray[np.float64]:
        """Eigenvalues of one draw, in increasing order."""
        return np.asarray(np.linalg.eigvalsh(self.draw(size, float(value), rng)), dtype=np.float64)

    def tridiagonal(self, size: int, rng: np.random.Generator, value: float) -> Tridiagonal:
        """One draw in tridiagonal form, for quantities that take half the time of computing all eigenvalues."""
        from rmtsim.ensembles import tridiagonal_form

        return tridiagonal_form(self.draw(size, float(value), rng))


_positive = functools.partial(Parameter, open_below=True)
WIGNER = Ensemble(
    "independent Gaussian entries, of twice the variance on the diagonal",
    _positive("variance", "n times the variance of an entry", 1.0, highest=100.0, draw_range=(0.2, 5.0)),
    simulation.wigner,
)
TWO_BLOCK = Ensemble(
    "independent entries, variances 1 and 0.1 within two halves and another between them",
    _positive(
        "across",
        "variance between the halves over that within the first",
        0.2,
        highest=10.0,
        draw_range=(0.05, 3.0),
    ),
    simulation.two_block,
)
BANDED = Ensemble(
    "independent entries with a soft band of variances",
    Parameter("width", "width of the band over n", 0.15, lowest=0.02, highest=10.0, draw_range=(0.05, 0.5)),
    simulation.banded,
)
SEPARABLE = Ensemble(
    "L^½ G L^½, all entries correlated through L_ij = r^|i−j|",
    _positive("correlation", "correlation r of neighbours", 0.5, highest=0.9, draw_range=(0.1, 0.8)),
    simulation.separable,
)
DEFORMED = Ensemble(
    "Wigner plus a mean with two eigenvalues",
    _positive("separation", "eigenvalues ± separation of the mean", 1.4, highest=20.0, draw_range=(0.3, 3.0)),
    simulation.deformed,
)
RECTANGULAR = Ensemble(
    "the linearisation [[0, X], [Xᵀ, 0]] of a Wishart matrix, X of N columns and ratio·N rows",
    Parameter("ratio", "rows of X over its columns", 0.5, lowest=0.01, highest=100.0, draw_range=(0.2, 3.0)),
    simulation.rectangular,
)
ENSEMBLES = {
    "wigner": WIGNER,
    "two-block": TWO_BLOCK,
    "banded": BANDED,
    "separable": SEPARABLE,
    "deformed": DEFORMED,
    "rectangular": RECTANGULAR,
}


def choice_of_ensemble(*names: str) -> Choice:
    """The choice of an ensemble in the id of a claim, each with its own parameter; all of them without ``names``."""
    chosen = {name: ENSEMBLES[name] for name in names or ENSEMBLES}
    return Choice(
        "ensemble", {name: Option(each, each.label, over=(each.parameter,)) for name, each in chosen.items()}
    )


# Solved laws are kept: every replicate of a size is compared with the same one.
LAWS: dict[Ensemble, Callable[..., MatrixDyson]] = {
    WIGNER: functools.lru_cache(theory.wigner),
    TWO_BLOCK: functools.lru_cache(theory.two_block),
    BANDED: functools.lru_cache(theory.banded),
    SEPARABLE: functools.lru_cache(theory.separable),
    DEFORMED: functools.lru_cache(theory.deformed),
    RECTANGULAR: functools.lru_cache(theory.rectangular),
}
"""``law(value)`` is that of infinite matrices, ``law(value, size=n)`` that of side n."""
