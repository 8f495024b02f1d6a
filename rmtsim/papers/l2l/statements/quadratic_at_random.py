"""Footnote 2: how large the coordinates, the smallest eigenvalue and the gap of a random quadratic are."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims._declare import correction
from rmtsim.claims._model import Parameter, Tolerance
from rmtsim.papers.l2l.statements.parameters import statement

_SHARE = Parameter(
    "share",
    "δ in c_min ≥ δ/√d",
    0.5,
    open_below=True,
    highest=2.0,
    draw_range=(0.2, 1.0),
    assumption="the constant hidden in Ω(1/√d)",
)


def _both_coordinates(share: float) -> float:
    return math.erfc(share / math.sqrt(2)) ** 2


@statement(
    "l2l.footnote2.coordinates",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with high probability",
    statement="If w₀ is uniform on the sphere, then with high probability c_min = min(|c₁|, |c_d|) ≥ δ/√d.",
    probability=1.0,
    tolerance=0.05,
    parameters=(_SHARE,),
    grid=({"share": 0.5}, {"share": 1.0}),
    sizes=(20, 80, 320),
    size_name="d",
    exponents=(1.0,),
    because="the density of √d·c_i has an expansion in 1/d",
    cost=2e-5,
    cause="a constant probability is called high",
    note="√d·c_i tends to a standard Gaussian variable, whose probability of falling below a constant is a "
    "constant: about 0.8δ for each of the two coordinates. Read as “for every failure probability there is a "
    "constant” the remark holds.",
    credit="The same footnote says “with constant probability” of the eigenvalues, where high probability would "
    "be right.",
    corrected=correction(
        "l2l.footnote2.coordinates/corrected",
        statement="If w₀ is uniform on the sphere, c_min ≥ δ/√d with probability tending to erfc(δ/√2)².",
        probability=_both_coordinates,
        tolerance=0.02,
    ),
)
def coordinates_are_large(
    size: int, rng: np.random.Generator, replicates: int, share: float
) -> NDArray[np.float64]:
    """Whether both coordinates of a uniform unit vector exceed δ/√d."""
    w = rng.standard_normal((replicates, size))
    w /= np.linalg.norm(w, axis=1)[:, None]
    return np.asarray((np.abs(w[:, [0, -1]]).min(axis=1) >= share / math.sqrt(size)).astype(float))


@statement(
    "l2l.footnote2.spectrum",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with constant probability",
    statement="For H = XXᵀ, X d×2d Gaussian, α and L - α are of order d: α/d → (√2 - 1)²; the footnote asserts a "
    "constant probability, and it tends to one.",
    limit=(math.sqrt(2) - 1) ** 2,
    tolerance=Tolerance(relative=0.05),
    sizes=(40, 80, 160, 320),
    size_name="d",
    exponents=(2 / 3, 1.0),
    because="the smallest eigenvalue sits at a soft edge",
    cost=lambda size: 1e-4 + 4e-10 * size**3,
)
def smallest_over_d(size: int, rng: np.random.Generator) -> float:
    """Smallest eigenvalue of XXᵀ over d."""
    x = rng.standard_normal((size, 2 * size))
    return float(np.linalg.eigvalsh(x @ x.T)[0]) / size


@statement(
    "l2l.footnote2.gap",
    source="Section 5.3, footnote 2",
    standing="remark",
    qualifier="with constant probability",
    statement="For the same H, (L - α)/d → 4√2, with probability tending to one.",
    limit=4 * math.sqrt(2),
    tolerance=Tolerance(relative=0.02),
    sizes=(40, 80, 160, 320),
    size_name="d",
    exponents=(2 / 3, 1.0),
    because="both extreme eigenvalues sit at soft edges",
    cost=lambda size: 1e-4 + 4e-10 * size**3,
)
def gap_over_d(size: int, rng: np.random.Generator) -> float:
    """(Largest minus smallest eigenvalue of XXᵀ) over d."""
    x = rng.standard_normal((size, 2 * size))
    values = np.linalg.eigvalsh(x @ x.T)
    return float(values[-1] - values[0]) / size
