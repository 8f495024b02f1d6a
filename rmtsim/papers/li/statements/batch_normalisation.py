"""Claims of `li`, section 5.2: the gradient of a network with batch normalisation."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Identity, Limit, Plan, claim
from rmtsim.papers.li.simulation.batch_normalisation import LAYERS, Batch
from rmtsim.papers.li.statements.parameters import positive_factor


def _error(found: float, stated: float) -> float:
    # A narrow network may be dead: both derivatives are 0 then, and agree.
    return abs(found - stated) / (max(abs(found), abs(stated)) or 1.0)


DERIVATIVES = Plan(sizes=(4, 8), size_name="n", cost=1e-3)


@claim("li.sec5.2.bn", states=Identity(within=1e-3), plan=DERIVATIVES)
def fixed_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of the display for a random layer with Σ kept fixed; corrected: with the factor Σ_p."""
    batch, layer = Batch(size, rng), int(rng.integers(LAYERS))
    return _error(batch.difference(layer, batch.scales, 1e-9), batch.display(layer, own=form == "corrected"))


@claim("li.sec5.2.bn.statistics", states=Identity(within=1e-3), plan=DERIVATIVES)
def moving_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of the display with Σ_p where Σ depends on the weights; corrected: of the full gradient."""
    batch, layer = Batch(size, rng), int(rng.integers(LAYERS))
    centred = form == "corrected"
    stated = batch.full(layer) if centred else batch.display(layer, own=True)
    return _error(batch.difference(layer, None, 1e-7, centred), stated)


@claim(
    "li.sec5.2.bn.variance",
    states=Limit(1.0, within=0.05),
    over=(positive_factor("c", default=4.0, highest=100.0, draw_range=(0.2, 9.0)),),
    points=({"factor": 4.0}, {"factor": 0.25}),
    plan=Plan(
        sizes=(16, 32, 64, 128), size_name="n", exponents=(1.0,), cost=lambda size: 5e-5 + 2e-9 * size**3
    ),
)
def weight_variance(size: int, rng: np.random.Generator, form: str, factor: float) -> float:
    """Mean of (w_ij Σ_jj)² over Σ_jj c/n; corrected: over Σ_jj² c/n."""
    w = rng.standard_normal((size, size)) * np.sqrt(factor / size)
    x = rng.standard_normal((4 * size, size))
    scale = 1 / (x @ w).std(axis=0)
    power = 1 if form == "printed" else 2
    return float((np.square(w * scale) * size / (scale**power * factor)).mean())
