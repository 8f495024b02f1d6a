"""The map of block energies: results of the probes, ratios, intervals, text and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import plain
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure
from rmtsim.hessians._measured import Measured, positive_interval, skewed_interval

_SHOWN = 12
"""Groups up to which the table of all pairs is printed."""


@frozen(eq=False)
class Columns:
    """Squared norms of probes: ``values[j][k, i]`` = ‖(Hω)_i‖² of probe k in group j; sums per fold of batches."""

    sizes: NDArray[np.intp]
    values: Sequence[Array]
    pairs: Sequence[Array] | None
    """The same from pairs of different folds: unbiased for the population."""
    own: Array | None
    """(folds, i, j): Σ_k ‖w_b(H_bω)_i‖²."""
    cross: Array | None
    """(folds, i, j): Σ_k ⟨w_b(H_bω)_i, (Hω)_i⟩."""
    weights: Array | None

    @property
    def probes(self) -> NDArray[np.intp]:
        """Probes of each group."""
        return np.array([len(v) for v in self.values])

    def refuse_overflow(self) -> None:
        """Raise ValueError if a squared norm is not finite."""
        if not all(np.isfinite(each).all() for each in self.values):
            raise ValueError(
                "squared norms of blocks exceed the range of float64; divide the loss by a constant"
            )

    @cached_property
    def shares(self) -> Array:
        """Weight of the probes of j in the estimate of ‖H_ij‖², the rest is that of i's; from their numbers alone."""
        left = 1.0 - self.probes / self.sizes
        information = self.probes / np.maximum(left, 1e-12)
        return np.asarray(information[None, :] / (information[:, None] + information[None, :]))

    def spread(self, j: int, values: Array) -> Any:
        """Variance of the mean over the probes of group j."""
        count = len(values)
        left = 1.0 - count / self.sizes[j]
        return (
            values.var(axis=0, ddof=1) / count * left
            if left > 0 and count > 1
            else np.zeros(values.shape[1:])
        )

    def symmetric(self, means: Array) -> Array:
        """Both estimates of each pair, combined."""
        weighted = self.shares * means
        return weighted + np.swapaxes(weighted, -1, -2)

    def energies(self, values: Sequence[Array]) -> Array:
        """Estimates of all pairs from values of probes."""
        return self.symmetric(np.stack([v.mean(axis=0) for v in values], axis=1))

    def variances(self, values: Sequence[Array]) -> Array:
        """Their variances over probes."""
        single = np.stack([self.spread(j, v) for j, v in enumerate(values)], axis=1)
        weighted = np.square(self.shares) * single
        both = weighted + weighted.T
        np.fill_diagonal(both, np.diag(single))
        return np.asarray(both)

    def log_ratio_variance(self) -> Array:
        """Variance of log ‖H_ij‖²/(‖H_ii‖‖H_jj‖) over probes; zero where a block vanishes."""
        energies = self.energies(self.values)
        own = np.diag(energies)
        parts = np.zeros_like(energies)
        safe = np.where(energies > 0, energies, np.inf)
        for j, values in enumerate(self.values):
            if own[j] <= 0:
                continue
            slopes = self.shares[:, j] * values / safe[:, j] - 0.5 * values[:, j : j + 1] / own[j]
            parts[:, j] = self.spread(j, slopes)
        total = parts + parts.T
        np.fill_diagonal(total, 0.0)
        total[energies <= 0] = 0.0
        return total

    def mean_ratio_variances(self, values: Sequence[Array], energies: Array) -> Array:
        """Variance over the probes of each group of the logarithm of mean off-diagonal over mean diagonal energy."""
        diagonal = float(np.trace(energies))
        beside = float(energies.sum()) - diagonal
        found = np.zeros(len(values))
        for j, each in enumerate(values):
            slopes = 2.0 * self.shares[:, j] * each / beside
            slopes[:, j] = -each[:, j] / diagonal
            found[j] = float(self.spread(j, slopes.sum(axis=1)))
        return found

    def mean_ratio_variance(self, values: Sequence[Array], energies: Array) -> float:
        """Variance over all probes of the same."""
        return float(self.mean_ratio_variances(values, energies).sum())

    def without_each_fold(self) -> Array:
        """(folds, i, j): the population's energies estimated with one fold of batches left out."""
        assert self.own is not None
        assert self.cross is not None
        assert self.weights is not None
        counts = self.probes
        total = np.stack([v.sum(axis=0) for v in self.values], axis=1)
        squares = np.square(self.weights)
        kept = (1.0 - self.weights) ** 2 - (squares.sum() - squares)
        without = total - 2.0 * self.cross + self.own - (self.own.sum(axis=0) - self.own)
        return self.symmetric(without / kept[:, None, None] / counts)


@frozen(eq=False)
class BlockMap:
    """Squared Frobenius norms of all blocks of a Hessian between groups of parameters.

    Made by :func:`block_energies`; printing it shows a table.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> found = hessian(np.array([[2.0, 1.0], [1.0, 2.0]])).blocks({"a": [0], "b": [1]})
    >>> found.ratios[0, 1], found.ratio.value
    (np.float64(0.25), 0.25)
    """

    names: tuple[str, ...]
    """Names of the groups."""
    sizes: NDArray[np.intp]
    """Parameters of each group."""
    energies: Array
    errors: Array
    """``‖H_ij‖²_F`` for this data set and standard errors of the probes (zero where exact)."""
    ratios: Array
    ratio_errors: Array
    """``‖H_ij‖²/(‖H_ii‖ ‖H_jj‖)`` and standard errors of the probes; NaN-free: zero where a diagonal block vanishes.
    """
    population: Array | None
    population_errors: Array | None
    """Estimates of ``‖H_ij‖²_F`` for the distribution that the batches were drawn from, and standard errors of probes
    and data together; None if there is one batch. An estimate may be negative where a block is near zero."""
    ratio: Measured | None
    """Mean off-diagonal over mean diagonal energy for this data set; None for one group or a zero diagonal."""
    population_ratio: Measured | None
    """The same for the population; None if unknown or if the diagonal is not significantly positive."""
    products: int
    """Products with the operator that were used."""
    tolerance: float | None
    """Requested relative half width of the intervals of the ratios."""
    reached: bool
    """Whether it was reached."""

    @classmethod
    def from_columns(
        cls,
        names: tuple[str, ...],
        columns: Columns,
        *,
        products: int,
        tolerance: float | None,
        reached: bool,
    ) -> BlockMap:
        """Energies, ratios and errors from the results of the probes.

        Parameters
        ----------
        names : tuple of str
            Names of the groups.
        columns : Columns
            Squared norms from the probes.
        products, tolerance, reached
            Fields of the result.

        Returns
        -------
        BlockMap
        """
        columns.refuse_overflow()
        energies = columns.energies(columns.values)
        own = np.sqrt(np.diag(energies))
        scale = np.outer(own, own)
        ratios = np.divide(energies, scale, out=np.zeros_like(energies), where=scale > 0)
        deviation = np.sqrt(columns.log_ratio_variance())
        population, population_errors, population_ratio = _population(columns)
        return cls(
            names,
            columns.sizes,
            energies,
            np.sqrt(columns.variances(columns.values)),
            ratios,
            ratios * deviation,
            population,
            population_errors,
            _mean_ratio(columns, energies),
            population_ratio,
            products,
            tolerance,
            reached,
        )

    @returns_figure
    def plot(self, *, population: bool = False) -> Any:
        """Draw the map of ratios.

        Parameters
        ----------
        population : bool, optional
            Whether to draw the population's estimates instead of those of this data set.
        """
        from rmtsim.plots._hessian import block_figure

        return block_figure(self, population=population)

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "groups": [{"name": n, "size": int(s)} for n, s in zip(self.names, self.sizes, strict=True)],
            "energies": self.energies.tolist(),
            "errors": self.errors.tolist(),
            "ratios": self.ratios.tolist(),
            "ratio_errors": self.ratio_errors.tolist(),
            "population": None if self.population is None else self.population.tolist(),
            "population_errors": None if self.population_errors is None else self.population_errors.tolist(),
            "ratio": None if self.ratio is None else self.ratio.to_dict(),
            "population_ratio": None if self.population_ratio is None else self.population_ratio.to_dict(),
            "products": self.products,
            "tolerance": self.tolerance,
            "reached": self.reached,
        }

    def __str__(self) -> str:
        count = len(self.names)
        lines = [f"‖H_ij‖² of {count} groups, {self.products} products"]
        if count <= _SHOWN:
            wide = min(max(len(plain(n)) for n in self.names), 28)
            lines.append("ratio ‖H_ij‖²/(‖H_ii‖‖H_jj‖) ± standard error of the probes")
            for i, name in enumerate(self.names):
                cells = "  ".join(
                    f"{self.ratios[i, j]:8.3g}" + (f"±{self.ratio_errors[i, j]:<7.1g}" if i != j else " " * 8)
                    for j in range(i + 1)
                )
                lines.append(f"{plain(name)[:wide]:<{wide}}  ‖H_ii‖² {self.energies[i, i]:9.3g}  {cells}")
        if self.ratio is not None:
            lines.append(f"off-diagonal / diagonal, this data set:  {self.ratio}")
        if self.population_ratio is not None:
            lines.append(
                f"off-diagonal / diagonal, population:     {self.population_ratio}{self.population_ratio.note}"
            )
        elif self.population is None:
            lines.append("population: unknown (one batch; give several batches)")
        if not self.reached and self.tolerance is not None:
            lines.append(
                f"NOT REACHED: every ratio within {self.tolerance:.0%}; raise most_products or the tolerance"
            )
        return "\n".join(lines)


def _mean_ratio(columns: Columns, energies: Array) -> Measured | None:
    value = _ratio(energies)
    if value is None:
        return None
    degrees = float(np.where(columns.probes >= columns.sizes, 10**6, columns.probes - 1).min())
    if value == 0:
        return Measured(0.0, 0.0, 0.0, 0.0)
    deviation = float(np.sqrt(columns.mean_ratio_variance(columns.values, energies)))
    return positive_interval(value, value * deviation, degrees)


def _ratio(energies: Array) -> float | None:
    count = len(energies)
    diagonal = float(np.trace(energies))
    if count < 2 or diagonal <= 0:
        return None
    return float(energies.sum() - diagonal) / (count - 1) / diagonal


def _population(columns: Columns) -> tuple[Array | None, Array | None, Measured | None]:
    """Energies of the population, their errors, and the mean ratio."""
    if columns.pairs is None or columns.weights is None:
        return None, None, None
    folds = len(columns.weights)
    energies = columns.energies(columns.pairs)
    if folds < 3:
        return None, None, None
    left = columns.without_each_fold()
    data = (folds - 1) / folds * np.square(left - left.mean(axis=0)).sum(axis=0)
    errors = np.sqrt(data + columns.variances(columns.pairs))
    own, own_error = float(np.trace(energies)), float(np.sqrt(np.square(np.diag(errors)).sum()))
    value = _ratio(energies)
    if value is None or own < 3 * own_error:
        return energies, errors, None
    ratios = np.array([_ratio(each) or 0.0 for each in left])
    spread = (folds - 1) / folds * float(np.square(ratios - ratios.mean()).sum())
    beside = float(energies.sum()) - own
    if beside != 0:
        spread += value**2 * columns.mean_ratio_variance(columns.pairs, energies)
    each = folds * value - (folds - 1) * ratios
    weights = np.full(folds, 1 / folds)
    return energies, errors, skewed_interval(value, float(np.sqrt(spread)), weights, each, folds - 1)
