"""An estimated population: the cdf of the best one, and the band that holds all that explain the eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, THEORY, panels

if TYPE_CHECKING:
    from rmtsim.spectra._population import PopulationEstimate


def population_figure(estimate: PopulationEstimate) -> Figure:
    """The cdf of the population's eigenvalues, on a logarithmic axis.

    >>> from rmtsim.spectra import deconvolve
    >>> figure = population_figure(deconvolve(np.random.default_rng(0).standard_normal((90, 30))))
    >>> figure.axes[0].get_xlabel()
    'population eigenvalue'
    """
    figure, (ax,) = panels(1, width=4.6, height=3.0)
    first, last = estimate.range
    if estimate.explained:
        lower, upper = estimate.bands
        # Between two points the cdf lies between its values at these points.
        ax.fill_between(
            estimate.points[:-1].repeat(2)[1:],
            lower[:-1].repeat(2)[:-1],
            upper[1:].repeat(2)[:-1],
            color=DATA,
            alpha=0.35,
            linewidth=0,
            label=f"holds the population with probability {1 - estimate.level:g}",
        )
    ax.step(
        np.concatenate([[first], estimate.places, [max(last, estimate.places[-1])]]),
        np.concatenate([[0.0], np.cumsum(estimate.shares), [1.0]]),
        where="post",
        color=THEORY,
        label="best population",
    )
    ax.set_xscale("log")
    ax.set_xlim(first, last)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("population eigenvalue")
    ax.set_ylabel("share below")
    ax.legend(fontsize=8, loc="upper left")
    name = f"{estimate.name}: ".replace("$", r"\$") if estimate.name else ""
    ax.set_title(f"{name}{estimate.dimension} features, {estimate.samples} samples", fontsize=9, loc="left")
    return figure
