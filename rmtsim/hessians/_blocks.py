"""Squared norms of all Hessian blocks between groups of parameters, with the errors of probes and of data.

For a probe ω inside group j with E ωωᵀ = 1, the mean of ‖(Hω)_i‖² is ‖H_ij‖²_F for every i at once. The probes of a
group of n parameters are √n times rows of a random orthonormal basis, drawn without replacement: their mean is
unbiased, its error has the factor 1 - m/n of a sample from a finite population, and with m = n it is exact.

The squared norm of a mean over batches is larger than that of the population, by the variance of the mean. The
population's is estimated without bias from pairs of different folds of batches, ⟨(H_bω)_i, (H_b'ω)_i⟩, b ≠ b', and its
error by the jackknife over folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.randomness import RandomSource
from rmtsim.hessians._block_map import BlockMap, Columns
from rmtsim.hessians._groups import Group, read_groups
from rmtsim.hessians._measured import quantile
from rmtsim.hessians._operator import HessianOperator, in_one_pool

_FIRST = 10
"""Probes of each group in the first round."""
_GROWTH = 4.0
"""A round multiplies the probes of a group by at most this."""
_TOGETHER = 2**17
"""Numbers of one probe's products that are summed together: they stay in the cache."""
_AT_ONCE = 2**28
"""Bytes that the products of all folds with the probes of one call may take."""


@in_one_pool
def block_energies(
    operator: HessianOperator,
    groups: Any = "layer",
    *,
    tolerance: float | None = 0.05,
    probes: int = _FIRST,
    most_products: int = 20_000,
    data_error: bool = True,
    rng: RandomSource = 0,
    progress: Callable[[str], None] | None = None,
) -> BlockMap:
    """Squared Frobenius norms of the Hessian blocks between all pairs of groups.

    Parameters
    ----------
    operator : HessianOperator
        Made by :func:`hessian`.
    groups : str, mapping or sequence, optional
        A kind as in :meth:`HessianOperator.groups`, a dictionary of names and indices, or a sequence of groups.
    tolerance : float or None, optional
        Probes are added until the 95 % intervals of every ratio ``‖H_ij‖²/(‖H_ii‖ ‖H_jj‖)`` and of mean off-diagonal
        over mean diagonal energy extend at most this far, relative to the ratio. None: one round of ``probes``.
    probes : int, optional
        Random vectors per group in the first round, at least 4. A group of at most this many parameters is exact.
    most_products : int, optional
        Products with the operator at most. If they do not suffice, ``reached`` of the result is False.
    data_error : bool, optional
        Whether to estimate the population's norms and the error of the data as well; it needs two batches.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of the probes; the default is a fixed stream, None a new one at every call.
    progress : callable, optional
        Called with a line of text after every round.

    Returns
    -------
    BlockMap
        Energies, ratios, their errors and intervals; ``plot`` draws the map.

    Raises
    ------
    ValueError
        If a group or an option is out of range, or ``most_products`` does not allow the first round.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import block_energies, hessian
    >>> matrix = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    >>> found = block_energies(hessian(matrix), {"first": [0, 1], "second": [2]})
    >>> found.energies
    array([[8., 1.],
           [1., 9.]])
    """
    operator = validate.instance("operator", operator, HessianOperator).prepared()
    found = read_groups(operator, groups)
    if tolerance is not None:
        tolerance = validate.positive_number(
            "tolerance", tolerance, meaning="relative half width of an interval"
        )
    probes = validate.integer("probes", probes, minimum=4, meaning="random vectors per group")
    most = validate.integer("most_products", most_products, meaning="products at most")
    data_error = validate.flag("data_error", data_error)
    rng = validate.generator("rng", rng)
    if operator.formed:
        probes, most = operator.size, max(most, operator.size * len(found))
    first = sum(min(g.size, probes) for g in found)
    if first > most:
        raise ValueError(f"most_products={most}: the first round needs {first} ({len(found)} groups)")
    folds = len(operator.folds) if data_error and operator.batches > 1 else 1
    count = len(found)
    validate.memory(8.0 * count**2 * (2 * folds + 6) + 24.0 * count * first, f"energies of {count}² blocks")
    work = _Work(
        operator,
        found,
        folds,
        [_Probes(g.size, stream) for g, stream in zip(found, rng.spawn(count), strict=True)],
    )
    for j, group in enumerate(found):
        work.add(j, min(group.size, probes))
        if progress is not None:
            progress(f"blocks: first probes, group {j + 1} of {count}")
    reached = True
    while tolerance is not None:
        columns = work.columns()
        columns.refuse_overflow()
        wanted = _wanted(columns, tolerance)
        if not wanted.any():
            break
        if work.products + int(wanted.sum()) > most:
            reached = False
            break
        for j, more in enumerate(wanted.tolist()):
            work.add(j, more)
        if progress is not None:
            progress(f"blocks: {work.products} products")
    columns = work.columns()
    if tolerance is None:
        reached = True
    return BlockMap.from_columns(
        tuple(g.name for g in found), columns, products=work.products, tolerance=tolerance, reached=reached
    )


def _wanted(columns: Columns, tolerance: float) -> NDArray[np.intp]:
    """Probes to add to each group so that every ratio is known well enough; zeros if it is."""
    count = len(columns.sizes)
    probes, sizes = columns.probes, columns.sizes
    more = np.zeros(count, dtype=np.intp)
    variance = columns.log_ratio_variance()
    degrees = np.where(probes >= sizes, 10**6, probes - 1)
    least = np.minimum.outer(degrees, degrees)
    for degree in np.unique(least):
        half = np.where(least == degree, quantile(float(degree)) * np.sqrt(variance), 0.0)
        for i, j in zip(*np.nonzero(half > tolerance), strict=True):
            factor = min((half[i, j] / tolerance) ** 2 * 1.1, _GROWTH)
            for k in (i, j):
                if probes[k] < sizes[k]:
                    target = min(int(sizes[k]), math.ceil(probes[k] * factor))
                    if target > 0.7 * int(sizes[k]):
                        target = int(sizes[k])
                    more[k] = max(int(more[k]), target - int(probes[k]))
    return np.maximum(more, _wanted_for_the_mean(columns, tolerance, degrees))


def _wanted_for_the_mean(columns: Columns, tolerance: float, degrees: NDArray[np.intp]) -> NDArray[np.intp]:
    """Probes to add so that the ratio of mean off-diagonal to mean diagonal energy is known well enough."""
    probes, sizes = columns.probes, columns.sizes
    more = np.zeros(len(sizes), dtype=np.intp)
    energies = columns.energies(columns.values)
    diagonal = float(np.trace(energies))
    if len(sizes) < 2 or diagonal <= 0 or float(energies.sum()) <= diagonal:
        return more
    parts = columns.mean_ratio_variances(columns.values, energies)
    half = quantile(float(degrees.min())) * math.sqrt(float(parts.sum()))
    if half <= tolerance:
        return more
    factor = min((half / tolerance) ** 2 * 1.1, _GROWTH)
    for k in np.nonzero((probes < sizes) & (parts > 0.1 * parts.max()))[0]:
        target = min(int(sizes[k]), math.ceil(probes[k] * factor))
        more[k] = (int(sizes[k]) if target > 0.7 * sizes[k] else target) - int(probes[k])
    return more


class _Probes:
    """Rows of a random orthonormal basis, times √n: random signs times cosines, in random order."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self._size = size
        self._signs = rng.choice(np.array([-1.0, 1.0]), size)
        self._order = rng.permutation(size)
        self.drawn = 0

    def draw(self, count: int) -> Array:
        waves = self._order[self.drawn : self.drawn + count]
        self.drawn += count
        places = np.arange(self._size) + 0.5
        rows = np.cos(np.pi / self._size * np.outer(waves, places)) * self._signs
        rows[waves > 0] *= math.sqrt(2.0)
        return np.asarray(rows)


def _pieces(runs: NDArray[np.intp], size: int, most: int) -> list[tuple[slice, slice, NDArray[np.intp]]]:
    """Whole runs that are summed together: their parameters, their places among the runs, and their starts.

    >>> _pieces(np.array([0, 2, 3]), 7, 3)
    [(slice(0, 3, None), slice(0, 2, None), array([0, 2])), (slice(3, 7, None), slice(2, 3, None), array([0]))]
    """
    ends = np.append(runs[1:], size)
    found, first = [], 0
    while first < len(runs):
        last = max(first + 1, int(np.searchsorted(ends, runs[first] + most, side="right")))
        places = slice(int(runs[first]), int(ends[last - 1]))
        found.append((places, slice(first, last), runs[first:last] - runs[first]))
        first = last
    return found


class _Work:
    """Collects, column by column, the squared norms in all groups from the probes of each group."""

    def __init__(
        self, operator: HessianOperator, groups: tuple[Group, ...], folds: int, probes: list[_Probes]
    ) -> None:
        self._operator, self._groups, self._folds, self._probes = operator, groups, folds, probes
        count = len(groups)
        self._gather = np.concatenate([g.indices for g in groups])
        owners = np.repeat(np.arange(count), [g.size for g in groups])
        # Groups that divide all parameters are summed in the order of the parameters, others in their own.
        self._whole = self._gather.size == operator.size and np.unique(self._gather).size == operator.size
        if self._whole:
            owners = owners[np.argsort(self._gather)]
        self._runs = np.concatenate([[0], np.flatnonzero(np.diff(owners)) + 1])
        self._order = np.argsort(owners[self._runs], kind="stable")
        self._starts = np.searchsorted(owners[self._runs][self._order], np.arange(count))
        self._pieces = _pieces(self._runs, owners.size, max(1, _TOGETHER // folds))
        self._images = np.empty((folds, 0, operator.size))
        self.products = 0
        self._values: list[list[Array]] = [[] for _ in groups]
        self._pairs: list[list[Array]] = [[] for _ in groups]
        self._own = np.zeros((folds, count, count)) if folds > 1 else None
        self._cross = np.zeros((folds, count, count)) if folds > 1 else None

    def add(self, j: int, count: int) -> None:
        """``count`` further probes inside group j."""
        operator, group = self._operator, self._groups[j]
        step = max(1, int(_AT_ONCE // (8 * operator.size * (self._folds + 1))))
        for first in range(0, count, step):
            now = min(step, count - first)
            vectors = np.zeros((now, operator.size))
            vectors[:, group.indices] = self._probes[j].draw(now)
            with np.errstate(over="ignore", invalid="ignore"):  # BlockMap refuses what is not finite
                if self._folds == 1:
                    self._values[j].append(self._sums(np.square(self._ordered(operator.product(vectors)))))
                else:
                    self._add_folds(j, self._fold_images(vectors))
            self.products += now

    def _fold_images(self, vectors: Array) -> Array:
        """Products of every fold; the array is used again, since memory from the system is slow to get."""
        if self._images.shape[1] < len(vectors):
            self._images = np.empty((self._folds, *vectors.shape))
        found = self._images[:, : len(vectors)]
        for fold in range(self._folds):
            found[fold] = self._operator.product_on(np.array([fold]), vectors)
        return found

    def _add_folds(self, j: int, images: Array) -> None:
        weights = self._operator.fold_weights
        assert self._own is not None
        assert self._cross is not None
        runs = len(self._runs)
        for row in range(images.shape[1]):
            values, own, cross = (
                np.empty(runs),
                np.empty((len(weights), runs)),
                np.empty((len(weights), runs)),
            )
            for places, within, starts in self._pieces:
                each = images[:, row, places] if self._whole else images[:, row, self._gather[places]]
                parts = each * weights[:, None]
                total = parts.sum(axis=0)
                values[within] = np.add.reduceat(np.square(total), starts)
                cross[:, within] = np.add.reduceat(parts * total, starts, axis=1)
                own[:, within] = np.add.reduceat(np.square(parts, out=parts), starts, axis=1)
            whole, own, cross = self._joined(values[None]), self._joined(own), self._joined(cross)
            self._own[:, :, j] += own
            self._cross[:, :, j] += cross
            self._values[j].append(whole)
            self._pairs[j].append((whole - own.sum(axis=0)) / (1.0 - np.square(weights).sum()))

    def _sums(self, squares: Array) -> Array:
        """Sums over each group, of rows."""
        return self._joined(np.add.reduceat(squares, self._runs, axis=1))

    def _joined(self, runs: Array) -> Array:
        """Sums over each group from sums over runs of neighbouring parameters."""
        return np.asarray(np.add.reduceat(runs[:, self._order], self._starts, axis=1))

    def _ordered(self, images: Array) -> Array:
        """Parameters in the order in which they are summed."""
        return images if self._whole else np.take(images, self._gather, axis=-1)

    def columns(self) -> Columns:
        """All that was collected."""
        return Columns(
            np.array([g.size for g in self._groups]),
            [np.concatenate(each) for each in self._values],
            [np.concatenate(each) for each in self._pairs] if self._folds > 1 else None,
            self._own,
            self._cross,
            self._operator.fold_weights if self._folds > 1 else None,
        )
