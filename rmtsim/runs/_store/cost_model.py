"""Cost of a claim at sizes that were not run: power laws fitted to the batches in the store.

log(cost) = c + a·log(size) + Σ b_k·log(parameter_k), by least squares over the medians of all stored
(parameter point, size) pairs; a parameter enters only if it varies in the store, on its own. The
spread of the residuals
is reported as a factor, and a prediction far outside the fitted range is an extrapolation and says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rmtsim._internal.docstrings import frozen
from rmtsim.runs._store.store import Store, StoredBatch

_LEAST_SECONDS = 5e-3
"""Batches shorter than this measure Python's overhead, not the claim."""
_LEAST_BYTES = 2.0**21
"""Memory below this is dominated by the allocator."""


@frozen
class PowerLaw:
    """cost = scale · Π variable^exponent, within about a factor ``spread``."""

    scale: float
    exponents: dict[str, float]
    spread: float
    points: int

    def __call__(self, at: Mapping[str, float]) -> float:
        """The cost at these values of the variables; a variable that is not given is an error."""
        missing = sorted(set(self.exponents) - set(at))
        if missing:
            raise ValueError(f"{missing[0]}: its value is needed to predict the cost")
        return self.scale * math.exp(
            math.fsum(power * math.log(at[name]) for name, power in self.exponents.items())
        )

    @property
    def text(self) -> str:
        """The formula, for people.

        >>> PowerLaw(2e-9, {"size": 2.5}, 1.1, 6).text
        '2.0e-09 · size^2.50'
        """
        return " · ".join(
            [f"{self.scale:.1e}", *(f"{name}^{power:.2f}" for name, power in self.exponents.items())]
        )


@frozen
class CostFit:
    """Seconds per replicate and bytes per batch of one claim, and the sizes they were fitted on."""

    claim: str
    seconds: PowerLaw | None
    memory: PowerLaw | None
    sizes: tuple[int, int]
    batches: int


def fit_power_law(costs: Sequence[float], variables: Sequence[Mapping[str, float]]) -> PowerLaw | None:
    """Least squares on logarithms; None where the points do not determine the exponents.

    >>> law = fit_power_law([4e-6, 16e-6, 64e-6], [{"size": 2}, {"size": 4}, {"size": 8}])
    >>> round(law.exponents["size"], 6), round(law.scale * 1e6, 6)
    (2.0, 1.0)
    """
    names = sorted({name for point in variables for name in point})
    matrix = np.ones((len(costs), 1))
    varying: list[str] = []
    # Size first: of variables that vary together in the store, only the first can be identified.
    for name in sorted(names, key=lambda name: (name != "size", name)):
        if not all(name in point for point in variables):
            continue
        column = np.log([[point[name]] for point in variables])
        wider = np.hstack([matrix, column])
        if len(costs) >= wider.shape[1] and np.linalg.matrix_rank(wider) == wider.shape[1]:
            matrix = wider
            varying.append(name)
    if not varying:
        return None
    target = np.log(np.asarray(costs, dtype=float))
    solution, *_ = np.linalg.lstsq(matrix, target, rcond=None)
    freedom = max(1, len(costs) - matrix.shape[1])
    spread = math.sqrt(float(np.sum((matrix @ solution - target) ** 2)) / freedom)
    return PowerLaw(
        math.exp(solution[0]),
        {name: float(power) for name, power in zip(varying, solution[1:], strict=True)},
        math.exp(2 * spread),
        len(costs),
    )


def fit_costs(store: Store, claim: str | None = None) -> list[CostFit]:
    """Cost models of every claim in the store (or of one)."""
    groups: dict[str, dict[tuple[str, int], list[StoredBatch]]] = defaultdict(lambda: defaultdict(list))
    for row in store.rows(claim):
        groups[row.claim][row.parameters, row.size].append(row)
    return [_fit(name, cells) for name, cells in groups.items()]


def _fit(claim: str, cells: dict[tuple[str, int], list[StoredBatch]]) -> CostFit:
    seconds: list[float] = []
    seconds_at: list[dict[str, float]] = []
    memory: list[float] = []
    memory_at: list[dict[str, float]] = []
    for rows in cells.values():
        variables = _variables(rows[0])
        # The first batch of a worker pays for compilation; the median does not.
        typical = float(np.median([row.seconds for row in rows]))
        if typical >= _LEAST_SECONDS:
            seconds.append(float(np.median([row.seconds / row.replicates for row in rows])))
            seconds_at.append(variables)
        peaks = [row.memory for row in rows if row.memory is not None]
        if peaks and max(peaks) >= _LEAST_BYTES:
            memory.append(max(peaks))
            memory_at.append(variables)
    sizes = [size for _, size in cells]
    return CostFit(
        claim,
        fit_power_law(seconds, seconds_at),
        fit_power_law(memory, memory_at),
        (min(sizes), max(sizes)),
        sum(len(rows) for rows in cells.values()),
    )


def _variables(row: StoredBatch) -> dict[str, float]:
    variables: dict[str, float] = {"size": float(row.size)}
    for name, value in row.point.items():
        number: Any = value
        if isinstance(number, (int, float)) and not isinstance(number, bool) and number > 0:
            variables[name] = float(number)
    return variables
