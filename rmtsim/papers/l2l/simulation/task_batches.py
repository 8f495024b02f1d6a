"""Many least-squares tasks as arrays, in their eigenbases, with a loop over spectra only.

The law of every task is that of ``rmtsim.papers.l2l.simulation.least_squares.draw_rotated_task``; none is truncated.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.ensembles import wishart_tridiagonal
from rmtsim.papers.l2l.simulation.least_squares import learned_share


@frozen
class TaskBatch:
    """m tasks (rows) in the k = min(n, d) directions of their samples; step sizes make the columns of every answer."""

    values: Array
    """Non-zero eigenvalues of H = XᵀX/n: one row a spectrum, which m/rows tasks after one another share."""
    fitted: Array
    """Coordinates of w_ERM."""
    truth: Array
    """Coordinates of w*."""
    truth_outside: Array
    """Lengths of the parts of w* outside these directions."""
    floor: Array
    """Training losses of w_ERM."""
    noise: float

    def gaps(self, rates: Array, steps: int) -> Array:
        """w_t - w*, shape (m, rates, k + 1): in the eigenbasis, then along the outer part of w*."""
        inner = self._shares(rates, steps) * self.fitted[:, None, :] - self.truth[:, None, :]
        outer = np.broadcast_to(-self.truth_outside[:, None, None], (*inner.shape[:2], 1))
        return np.concatenate((inner, outer), axis=2)

    def errors(self, rates: Array, steps: int) -> Array:
        """‖w_t - w*‖² after t steps from zero."""
        gap = self.gaps(rates, steps)
        return np.asarray(np.einsum("mri,mri->mr", gap, gap))

    def training_losses(self, rates: Array, steps: int) -> Array:
        """(1/2n)‖Xw_t - y‖² after t steps from zero."""
        gap = (1 - self._shares(rates, steps)) * self.fitted[:, None, :]
        return np.asarray(0.5 * np.einsum("mri,mi->mr", gap**2, self._own_values()) + self.floor[:, None])

    def norm_bound(self, rate: float, steps: int) -> float:
        """No ‖w_τ‖ of any task exceeds this for τ ≤ t and step sizes up to ``rate``.

        For p = ηλ the share |1 - (1 - p)^τ| is at most min(2, tp) where p ≤ 2, and 1 + (p - 1)^t beyond.
        """
        products = rate * self._own_values()
        with np.errstate(over="ignore"):
            beyond = 1 + np.maximum(products - 1, 1.0) ** steps
            shares = np.where(products <= 2, np.minimum(2.0, steps * products), beyond)
            return float(np.sqrt(np.sum((shares * self.fitted) ** 2, axis=1).max()))

    def _own_values(self) -> Array:
        return np.repeat(self.values, len(self.truth) // len(self.values), axis=0)

    def _shares(self, rates: Array, steps: int) -> Array:
        steps = validate.integer("steps", steps, maximum=10**18, meaning="number t of gradient steps")
        rates = np.atleast_1d(validate.real_array("rates", rates, meaning="step sizes η"))
        shares = learned_share(rates[:, None] * self.values[:, None, :], steps)
        return np.repeat(shares, len(self.truth) // len(self.values), axis=0)


def draw_tasks(
    spectra: int, each: int, samples: int, dimension: int, noise: float, rng: np.random.Generator
) -> TaskBatch:
    """Independent spectra, with ``each`` tasks on every one of them: averages then fluctuate with the spectra alone.

    >>> tasks = draw_tasks(2, 3, 4, 6, 1.0, np.random.default_rng(0))
    >>> tasks.values.shape, tasks.truth.shape
    ((2, 4), (6, 4))
    >>> bool(np.allclose(tasks.errors(np.array([0.0]), 10), 1.0, rtol=1e-14))
    True
    """
    spectra = validate.integer("spectra", spectra, meaning="number of spectra")
    each = validate.integer("each", each, meaning="tasks on one spectrum")
    n = validate.integer("samples", samples, meaning="number n of samples")
    d = validate.integer("dimension", dimension, meaning="dimension d")
    noise = validate.finite_number("noise", noise, meaning="standard deviation σ of the label noise")
    if (
        not 0 <= noise <= 1e100
    ):  # its square and its quotients by eigenvalues must stay in the range of doubles
        raise ValueError(
            f"noise={noise}: expected a number in [0, 1e100] (standard deviation σ of the label noise)"
        )
    rng = validate.generator("rng", rng)
    k, m = min(n, d), spectra * each
    validate.memory(32.0 * m * k, f"{m} tasks with samples={n}, dimension={d}")
    values = np.array([wishart_tridiagonal(d, n, rng).eigenvalues() for _ in range(spectra)])
    truth = rng.standard_normal((m, k))
    outside = rng.chisquare(d - k, size=m) if d > k else np.zeros(m)
    length = np.sqrt(np.einsum("mi,mi->m", truth, truth) + outside)
    truth /= length[:, None]
    spread = noise / np.sqrt(n * np.repeat(values, each, axis=0))
    fitted = truth + spread * rng.standard_normal((m, k))
    floor = noise**2 * rng.chisquare(n - d, size=m) / (2 * n) if n > d else np.zeros(m)
    return TaskBatch(values, fitted, truth, np.sqrt(outside) / length, floor, noise)


class ValidationSets:
    """A validation set of n₂ samples for every task of a batch, drawn only in the directions on which losses depend.

    X' and ξ' are Gaussian and independent of the task. Losses need no more than the Gram matrix of their products
    with the requested directions, which is that of a triangular matrix of chi and normal variables (Bartlett), for
    any n₂; directions requested later append columns to it. All answers belong to the same sets.
    """

    def __init__(self, tasks: TaskBatch, samples: int, rng: np.random.Generator) -> None:
        self._tasks = validate.instance("tasks", tasks, TaskBatch)
        self._samples = validate.integer("samples", samples, meaning="number n₂ of validation samples")
        self._rng = validate.generator("rng", rng)
        m, k = tasks.truth.shape
        self._basis = np.zeros((m, k + 1, 0))
        self._triangle = np.zeros((m, 0, 0))
        self._append(1)  # the labels' noise

    def losses(self, rates: Array, steps: int) -> Array:
        """(1/2n₂)‖X'w_t - y'‖², tasks × step sizes.

        >>> rng = np.random.default_rng(0)
        >>> tasks = draw_tasks(3, 1, 4, 6, 1.0, rng)
        >>> sets = ValidationSets(tasks, 5, rng)
        >>> first = sets.losses(np.array([0.1, 0.2]), 3)
        >>> bool(np.allclose(sets.losses(np.array([0.2]), 3), first[:, 1:]))
        True
        """
        gaps = self._tasks.gaps(rates, steps).transpose(0, 2, 1)
        known = self._basis.transpose(0, 2, 1) @ gaps
        directions, rest = np.linalg.qr(gaps - self._basis @ known)
        self._basis = np.concatenate((self._basis, directions), axis=2)
        self._append(directions.shape[2])
        noise = np.full((len(gaps), 1, gaps.shape[2]), -self._tasks.noise)
        residual = self._triangle @ np.concatenate((noise, known, rest), axis=1)
        return np.asarray(np.einsum("mir,mir->mr", residual, residual) / (2 * self._samples))

    def _append(self, columns: int) -> None:
        """Columns of independent Gaussian vectors in n₂ dimensions, in the basis in which all are triangular."""
        m, rows, old = self._triangle.shape
        new = old + columns
        height = min(self._samples, new)
        block = self._rng.standard_normal((m, height, columns))
        row, column = np.arange(height)[:, None], np.arange(old, new)
        block[:, row > column] = 0.0
        diagonal = np.arange(old, height)
        block[:, diagonal, diagonal - old] = np.sqrt(
            self._rng.chisquare(self._samples - diagonal, size=(m, diagonal.size))
        )
        triangle = np.zeros((m, height, new))
        triangle[:, :rows, :old] = self._triangle
        triangle[:, :, old:] = block
        self._triangle = triangle
