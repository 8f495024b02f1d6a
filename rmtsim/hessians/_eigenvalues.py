"""Extreme eigenvalues of a Hessian, and intervals for those of the population.

The largest eigenvalue of a mean over samples is too large on average: its vector fits the noise. A vector found on one
part of the data and evaluated on the rest gives a value that is too small on average. To first order in the noise the
two errors are b = Σ_k |u_kᵀΔu|²/(λ - λ_k) and -κb, κ = K/(K - 1) for K parts, so that the mean of the two with weights
κ and 1 has no error of first order. The expansion holds where b is small beside the distance to the next eigenvalue;
where it is not, the interval extends from the one to the other.

The error of the estimate is the larger one of two: of the values on folds of the data that their vector was not found
from, and of the jackknife, which also contains the motion of the vector and is too large rather than too small on
average (Efron and Stein 1981). The interval takes the skewness of the folds' values into account.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure
from rmtsim._internal.randomness import RandomSource
from rmtsim.hessians._groups import Group, read_groups
from rmtsim.hessians._left_out import PARTS, held_out, values_without
from rmtsim.hessians._measured import Measured, quantile, skewed_interval
from rmtsim.hessians._operator import HessianOperator, in_one_pool
from rmtsim.hessians._restricted import restricted
from rmtsim.matrix_free import _lanczos

_SEPARATED = 0.25
"""Largest first-order error, relative to the distance to the next eigenvalue, at which it is corrected."""
_RESIDUALS = {"top": 1e-6, "bottom": 1e-4}
"""Default residuals, relative to the norm."""


@frozen(eq=False)
class Eigenvalues:
    """Extreme eigenvalues of a Hessian or of a diagonal block.

    Made by :func:`extreme_eigenvalues`; printing it shows a table.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> print(hessian(np.diag([5.0, 3.0])).eigenvalues(1))
    top eigenvalues of model
     this data set  residual   (population: give at least five batches)
                 5   0.0e+00
    """

    name: str
    """Name of the group."""
    which: str
    """End of the spectrum: "top" or "bottom"."""
    values: Array
    """Eigenvalues for this data set, the outermost first."""
    vectors: Array
    """Unit eigenvectors, one per column, on the parameters of the group."""
    residuals: Array
    """``‖Hv − λv‖``: an eigenvalue lies within it of the value."""
    population: tuple[Measured, ...] | None
    """Estimates and intervals for the eigenvalues of the population's Hessian; None with fewer than five batches."""
    held_out: Array | None
    """Quadratic forms of eigenvectors on data that they were not found from."""
    separated: tuple[bool, ...]
    """Whether the first-order correction holds: if not, the interval is the one from ``held_out`` to ``values``,
    extended by sampling errors."""
    samples: int | None
    """Samples behind the estimates."""
    _decay: tuple[tuple[float, float], ...] = ()
    """Half lengths of the intervals: the part that decreases as N^-1/2 and the part that decreases as 1/N."""

    def samples_needed(self, relative: float = 0.1) -> tuple[int, ...] | None:
        """Samples with which the intervals for the population extend ± ``relative`` of each eigenvalue.

        Parameters
        ----------
        relative : float, optional
            Wanted relative half length of the intervals.

        Returns
        -------
        tuple of int or None
            One number per eigenvalue, extrapolated from this data set; None if unknown.
        """
        relative = validate.positive_number("relative", relative)
        if self.population is None or self.samples is None:
            return None
        needed = []
        for found, (root, linear) in zip(self.population, self._decay, strict=True):
            goal = relative * abs(found.value)
            if goal == 0:
                return None
            # goal = root x + linear x², x² = N/needed.
            x = 2 * goal / (root + math.sqrt(root**2 + 4 * linear * goal)) if root + linear > 0 else math.inf
            needed.append(max(1, math.ceil(self.samples / x**2)))
        return tuple(needed)

    @returns_figure
    def plot(self) -> Any:
        """Draw the eigenvalues with the intervals for the population."""
        from rmtsim.plots._hessian import eigenvalue_figure

        return eigenvalue_figure(self)

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """All numbers but the vectors, for JSON."""
        needed = self.samples_needed()
        return {
            "name": self.name,
            "which": self.which,
            "values": self.values.tolist(),
            "residuals": self.residuals.tolist(),
            "population": None if self.population is None else [m.to_dict() for m in self.population],
            "held_out": None if self.held_out is None else self.held_out.tolist(),
            "separated": list(self.separated),
            "samples_needed_for_10_percent": None if needed is None else list(needed),
        }

    def __str__(self) -> str:
        lines = [f"{self.which} eigenvalues of {self.name}"]
        if self.population is None or self.held_out is None:
            lines.append(f"{'this data set':>14}{'residual':>10}   (population: give at least five batches)")
            lines += [f"{v:14.5g}{r:10.1e}" for v, r in zip(self.values, self.residuals, strict=True)]
            return "\n".join(lines)
        lines.append(
            f"{'this data set':>14}{'residual':>10}{'held out':>12}   {'population, 95 %':<32}samples for ±10 %"
        )
        needed = self.samples_needed() or (0,) * len(self.values)
        for v, r, h, m, s, n in zip(
            self.values, self.residuals, self.held_out, self.population, self.separated, needed, strict=True
        ):
            note = "" if s else "  (not separated: no correction)"
            lines.append(f"{v:14.5g}{r:10.1e}{h:12.5g}   {m!s:<32}{n or '?'}{note}{m.note}")
        return "\n".join(lines)


@in_one_pool
def extreme_eigenvalues(
    operator: HessianOperator,
    count: int = 5,
    *,
    which: Literal["top", "bottom"] = "top",
    group: Any = None,
    population: bool = True,
    tolerance: float | None = None,
    rng: RandomSource = 0,
) -> Eigenvalues:
    """Largest or smallest eigenvalues of a Hessian or of a diagonal block, and those of the population.

    Parameters
    ----------
    operator : HessianOperator
        Made by :func:`hessian`.
    count : int, optional
        Number of eigenvalues; fewer if the group is smaller.
    which : {"top", "bottom"}, optional
        End of the spectrum.
    group : Group or array_like of int, optional
        Parameters whose block is meant; all by default.
    population : bool, optional
        Whether to find the intervals for the population, at about five times the cost; needs five batches.
    tolerance : float, optional
        Largest residual, relative to the operator's norm; by default 1e-6 at the top and 1e-4 at the bottom, where
        eigenvalues are often close to each other, or what the arithmetic allows.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of the random start; the default is a fixed stream, None a new one at every call.

    Returns
    -------
    Eigenvalues
        Values, residuals and, for several batches, intervals for the population.

    Raises
    ------
    ConvergenceError
        If an eigenvalue does not converge.

    Notes
    -----
    Batches are the sampling unit: they must be drawn independently. The largest eigenvalue of a mean over samples is
    biased upwards, that of a vector evaluated on data it was not found from downwards; their weighted mean is free of
    bias to first order. The correction needs an eigenvalue that is separated from the next ones.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import extreme_eigenvalues, hessian
    >>> extreme_eigenvalues(hessian(np.diag([5.0, 1.0, 3.0])), 2).values
    array([5., 3.])
    """
    operator = validate.instance("operator", operator, HessianOperator).prepared()
    validate.choice("which", which, ("top", "bottom"))
    rng = validate.generator("rng", rng)
    chosen = Group("model", np.arange(operator.size)) if group is None else read_groups(operator, [group])[0]
    count = min(validate.integer("count", count, meaning="eigenvalues"), chosen.size)
    if tolerance is None:
        tolerance = max(_RESIDUALS[which], 500 * operator.precision)
    tolerance = validate.positive_number("tolerance", tolerance)
    more = min(count + 1, chosen.size)
    found = _lanczos.extreme_eigenvalues(
        restricted(operator, chosen), chosen.size, rng, count=more, which=which, tolerance=tolerance
    )
    values, vectors = found.values, found.vectors
    kept = (values[:count], vectors[:, :count], found.residuals[:count])
    if not population or len(operator.folds) < PARTS:
        return Eigenvalues(chosen.name, which, *kept, None, None, (False,) * count, operator.samples)
    forms = held_out(operator, chosen, vectors[:, :count], which, tolerance)
    others = values_without(operator, chosen, values, vectors, which, count)
    population_values, separated, decay = [], [], []
    for j in range(count):
        gaps = [abs(values[j] - values[k]) for k in (j - 1, j + 1) if 0 <= k < more]
        gap = float(min(gaps)) if gaps else math.inf
        found_j = _for_population(float(values[j]), gap, operator.fold_weights, forms[:, j], others[:, j])
        population_values.append(found_j[0])
        separated.append(found_j[1])
        decay.append(found_j[2])
    return Eigenvalues(
        chosen.name,
        which,
        *kept,
        tuple(population_values),
        operator.fold_weights @ forms,
        tuple(separated),
        operator.samples,
        tuple(decay),
    )


def _for_population(
    value: float, gap: float, weights: Array, forms: Array, others: Array
) -> tuple[Measured, bool, tuple[float, float]]:
    """Interval for one eigenvalue of the population, whether it is separated, and how the interval decreases."""
    folds = len(weights)
    low = float(weights @ forms)
    spread = weights * (forms - low)
    jackknife = (1 - weights) * (others - others.mean())
    error = math.sqrt(folds / (folds - 1)) * max(math.hypot(*spread), math.hypot(*jackknife))
    bias = (value - low) / (1 + PARTS / (PARTS - 1))
    centre = value - bias
    separated = abs(bias) <= _SEPARATED * gap
    # Where it is not, the vectors, and with them the forms, are not independent.
    degrees = folds - 1 if separated else PARTS - 1
    found = skewed_interval(centre, error, weights, forms, degrees)
    if separated:
        below = above = bias * (bias / gap) if 0 < gap < math.inf else 0.0
    else:
        below, above = centre - min(value, low), max(value, low) - centre
    found = replace(found, low=found.low - below, high=found.high + above)
    root = quantile(degrees) * error
    return found, separated, (root, max((found.high - found.low) / 2 - root, 0.0))
