"""Claims of `li`, section 5.2: the gradient of a network with batch normalisation."""

from __future__ import annotations

import numpy as np

from rmtsim.claims import Corrected, Erratum, Identity, Limit, Place, Plan, claim
from rmtsim.papers.li.simulation.batch_normalisation import LAYERS, Batch
from rmtsim.papers.li.statements.parameters import positive_factor

SECTION = "Section 5.2, online variance normalization"


def _error(found: float, stated: float) -> float:
    # A narrow network may be dead: both derivatives are 0 then, and agree.
    return abs(found - stated) / (max(abs(found), abs(stated)) or 1.0)


DERIVATIVES = Plan(sizes=(4, 8), size_name="n", cost=1e-3)


@claim(
    "li.sec5.2.bn",
    at=SECTION,
    standing="equation",
    printed="With batch normalisation ∂l/∂vec W_p = l' αᵀ Π_{j>p}(dg(h_j) Σ_j W_jᵀ) dg(h_p) ⊗ xᵀ Π_{i<p}(W_i Σ_i "
    "dg(h_i)); Σ held, as the display has it; along a random direction, against differences.",
    corrected="With Σ held, ∂l/∂vec W_p = l' αᵀ Π_{j>p}(dg(h_j) Σ_j W_jᵀ) dg(h_p) Σ_p ⊗ xᵀ Π_{i<p}(W_i Σ_i dg(h_i)).",
    states=Identity(within=1e-3),
    plan=DERIVATIVES,
    erratum=Erratum(
        cause="the normalisation Σ_p of the differentiated layer itself is left out",
        note="W_p enters through W_p Σ_p dg(h_p), so its derivative carries Σ_p; the display has Σ of all layers but "
        "p.",
    ),
)
def fixed_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of the display for a random layer with Σ kept fixed; corrected: with the factor Σ_p."""
    batch, layer = Batch(size, rng), int(rng.integers(LAYERS))
    return _error(batch.difference(layer, batch.scales, 1e-9), batch.display(layer, own=form == "corrected"))


@claim(
    "li.sec5.2.bn.statistics",
    at=Place(f"{SECTION}, “NN with BN has gradient”", qualifier="BN amounts to"),
    standing="heuristic",
    printed="The network with batch normalisation has that gradient (Σ_p put in): against differences of the network "
    "whose Σ is the inverse deviation of its own batch.",
    corrected=Corrected(
        "With mean and deviation of the batch differentiated, what passes a normalisation backwards is (g - ḡ - ẑ "
        "mean(gẑ))/s, ẑ the normalised pre-activation and s its deviation, and ∂R/∂W_p sums x̃_{p-1} times it over the "
        "batch.",
    ),
    states=Identity(within=1e-3),
    plan=DERIVATIVES,
    erratum=Erratum(
        cause="the batch's own mean and deviation are differentiated as constants",
        note="Σ_l depends on W_1, …, W_l, and one sample's gradient on the whole batch. With Σ differentiated, the "
        "gradient is orthogonal to each column of W_p (a longer column changes nothing), which the display is not.",
        credit="The paper introduces the display as multiplication by a diagonal matrix, and appendix G.3 says that "
        "the batch's own statistics are used.",
    ),
)
def moving_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of the display with Σ_p where Σ depends on the weights; corrected: of the full gradient."""
    batch, layer = Batch(size, rng), int(rng.integers(LAYERS))
    centred = form == "corrected"
    stated = batch.full(layer) if centred else batch.display(layer, own=True)
    return _error(batch.difference(layer, None, 1e-7, centred), stated)


@claim(
    "li.sec5.2.bn.variance",
    at=Place(f"{SECTION}, the weights at initialisation", qualifier="amounts to"),
    standing="remark",
    printed="At initialisation normalising amounts to weights w_ij ~ N(0, Σ_jj c/n), 1/Σ_jj the deviation of unit j; "
    "measured as the variance of w_ij Σ_jj over Σ_jj c/n, standard normal inputs.",
    corrected="At initialisation normalising amounts to weights of variance Σ_jj² c/n; measured as the ratio.",
    states=Limit(1.0, within=0.05),
    over=(positive_factor("c", default=4.0, highest=100.0, draw_range=(0.2, 9.0)),),
    points=({"factor": 4.0}, {"factor": 0.25}),
    plan=Plan(
        sizes=(16, 32, 64, 128),
        size_name="n",
        exponents=(1.0,),
        because="deviations over a batch of 4n have an expansion in 1/n",
        cost=lambda size: 5e-5 + 2e-9 * size**3,
    ),
    erratum=Erratum(
        cause="a deviation is scaled by Σ, so a variance by Σ²",
        note="W_l Σ_l has entries w_ij Σ_jj, of variance Σ_jj² c/n.",
    ),
)
def weight_variance(size: int, rng: np.random.Generator, form: str, factor: float) -> float:
    """Mean of (w_ij Σ_jj)² over Σ_jj c/n; corrected: over Σ_jj² c/n."""
    w = rng.standard_normal((size, size)) * np.sqrt(factor / size)
    x = rng.standard_normal((4 * size, size))
    scale = 1 / (x @ w).std(axis=0)
    power = 1 if form == "printed" else 2
    return float((np.square(w * scale) * size / (scale**power * factor)).mean())
