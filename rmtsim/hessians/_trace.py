"""Trace of a Hessian or of its diagonal blocks, with the errors of the probes and of the data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure
from rmtsim._internal.randomness import RandomSource
from rmtsim.hessians._groups import Group, read_groups
from rmtsim.hessians._measured import Measured, interval, quantile, skewed_interval
from rmtsim.hessians._operator import HessianOperator, in_one_pool
from rmtsim.hessians._restricted import embedded, inside, restricted
from rmtsim.matrix_free._estimates import Estimate
from rmtsim.matrix_free._trace import trace_of_product

_SKETCH = 2**29
"""Bytes of a sketch at most; beyond, probes are used one at a time."""
_FORMS = 16
"""Probes that the error of the data is estimated with."""


@frozen
class Trace:
    """Trace of a Hessian, or of its block of one group of parameters.

    Examples
    --------
    >>> Trace("model", 7.0, 0.0, None, None, None).value
    7.0
    """

    name: str
    """Name of the group."""
    value: float
    error: float
    """Trace for this data set and standard error of the probes; zero if exact."""
    population: Measured | None
    """Trace for the distribution that the batches were drawn from, with an interval for the errors of probes and data
    together; None if there are fewer than three batches."""
    data_error: float | None
    """Standard error of the finite data alone."""
    samples: int | None
    """Samples behind the estimate."""
    folds: int = 1
    """Groups of batches from which ``data_error`` was estimated."""

    def samples_needed(self, relative: float = 0.1) -> int | None:
        """Samples with which the 95 % interval for the population's trace extends ± ``relative`` of it.

        Parameters
        ----------
        relative : float, optional
            Wanted relative half length of the interval.

        Returns
        -------
        int or None
            Number of samples, for the error of the data alone, which decreases as one over their root; None if
            unknown.
        """
        relative = validate.positive_number("relative", relative)
        if self.data_error is None or self.samples is None or self.value == 0:
            return None
        half = quantile(self.folds - 1) * self.data_error / abs(self.value)
        return max(1, math.ceil(self.samples * (half / relative) ** 2))

    @returns_figure
    def plot(self) -> Any:
        """Draw the trace for this data set and, if it is known, for the population, with 95 % intervals."""
        from rmtsim.plots._hessian import interval_figure

        shown = {"this data set": interval(self.value, self.error, math.inf)}
        if self.population is not None:
            shown["population"] = self.population
        return interval_figure(shown, f"trace of {self.name}")

    def __str__(self) -> str:
        words = f"trace of {self.name}: {self.value:.5g}"
        if self.error:
            words += f" ± {self.error:.2g} (probes)"
        if self.population is None:
            return words
        return f"{words}; population {self.population}{self.population.note}"

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "error": self.error,
            "population": None if self.population is None else self.population.to_dict(),
            "samples_needed_for_10_percent": self.samples_needed(),
        }


@in_one_pool
def trace(
    operator: HessianOperator,
    group: Any = None,
    *,
    products: int = 60,
    data_error: bool = True,
    rng: RandomSource = 0,
) -> Trace:
    """Trace of a Hessian or of one of its diagonal blocks.

    Parameters
    ----------
    operator : HessianOperator
        Made by :func:`hessian`.
    group : Group or array_like of int, optional
        Parameters whose block is meant; all by default.
    products : int, optional
        Approximate number of products, at least 6; a group of at most this many parameters is exact.
    data_error : bool, optional
        Whether to estimate the error of the data as well; it needs three batches.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of the probes; the default is a fixed stream, None a new one at every call.

    Returns
    -------
    Trace
        Value, error and, for several batches, an interval for the population.

    Notes
    -----
    XTrace, or Hutchinson's estimator where a sketch would not fit into half a gigabyte. A trace is linear in the
    Hessian, so the trace of the data set is unbiased for that of the population; its error is estimated from the
    spread of the traces of folds of batches.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian, trace
    >>> trace(hessian(np.diag([1.0, 2.0, 4.0]))).value
    7.0
    """
    operator = validate.instance("operator", operator, HessianOperator).prepared()
    products = validate.integer("products", products, minimum=6, meaning="products with the operator")
    rng = validate.generator("rng", rng)
    chosen = Group("model", np.arange(operator.size)) if group is None else read_groups(operator, [group])[0]
    size = chosen.size
    if operator.formed:
        products = max(products, size)
    small = 8.0 * 4 * size * products <= _SKETCH
    if size <= products or small:
        found = trace_of_product(restricted(operator, chosen), size, rng, "xtrace", products)
    else:
        found = _one_at_a_time(operator, chosen, products, rng)
    folds = len(operator.folds)
    if not data_error or folds < 3:
        return Trace(chosen.name, found.value, found.error, None, None, operator.samples)
    traces = _fold_traces(operator, chosen, size <= products, rng)
    moved = operator.fold_weights * (traces - operator.fold_weights @ traces)
    spread = math.sqrt(folds / (folds - 1)) * math.hypot(*moved)
    data = skewed_interval(found.value, spread, operator.fold_weights, traces, folds - 1)
    probes = quantile(folds - 1) * found.error
    population = replace(
        data,
        error=math.hypot(spread, found.error),
        low=found.value - math.hypot(found.value - data.low, probes),
        high=found.value + math.hypot(data.high - found.value, probes),
    )
    return Trace(chosen.name, found.value, found.error, population, spread, operator.samples, folds)


def _one_at_a_time(
    operator: HessianOperator, group: Group, products: int, rng: np.random.Generator
) -> Estimate:
    values = np.empty(products)
    for k in range(products):
        probe = rng.choice(np.array([-1.0, 1.0]), group.size)
        values[k] = probe @ inside(operator, group, operator.product(embedded(operator, group, probe)))
    return Estimate(float(values.mean()), float(values.std(ddof=1) / math.sqrt(products)))


def _fold_traces(operator: HessianOperator, group: Group, exact: bool, rng: np.random.Generator) -> Array:
    """Traces of the folds, by the same probes."""
    if exact:
        images = operator.fold_products(embedded(operator, group, np.eye(group.size)))[..., group.indices]
        return np.asarray(np.trace(images, axis1=1, axis2=2))
    traces = np.zeros(len(operator.folds))
    for _ in range(_FORMS):
        probe = rng.choice(np.array([-1.0, 1.0]), group.size)
        images = inside(operator, group, operator.fold_products(embedded(operator, group, probe)))
        traces += images @ probe / _FORMS
    return traces
