"""Pairs of rectified Gaussian vectors s, s' drawn from laws tilted by e^{ρ s·s'}, from uniform numbers.

Inputs of one network share its weights, so its averages are over two inputs, and as C grows their integrands tend to
multiples of e^{ρ s·s'}. Drawing from that law keeps the rest bounded. A neuron takes three uniforms: the quadrant of
(z, z'), then the point in it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtri

from rmtsim._internal import validate
from rmtsim._internal.quasi_random import seeded_points
from rmtsim.papers.dong.theory.orthant import orthant_moment, relu_exponential

__all__ = ["MOST_NEURONS", "quadrant_points", "squared_overlap_average", "tilted_neurons"]

MOST_NEURONS = 20_000
"""Averages over the inputs of more neurons than this would take minutes and gigabytes."""

_Array = NDArray[np.float64]

_BLOCKS = 16
_ANGLES = 4097
"""Nodes of the tabulated law of the angle; the linear interpolation errs by 1e-7."""


@functools.lru_cache(maxsize=8)
def _angle_law(power: int, sector: float) -> tuple[_Array, _Array]:
    """Distribution function of the angle, density ∝ (sin φ sin(sector - φ))^power, and its nodes φ."""
    nodes = np.linspace(0, sector, _ANGLES)
    density = (np.sin(nodes) * np.sin(sector - nodes)) ** power
    mass = np.concatenate(([0.0], np.cumsum(density[1:] + density[:-1])))
    return mass / mass[-1], nodes


def quadrant_points(power: int, coupling: float, a: _Array, b: _Array) -> tuple[_Array, _Array]:
    """(x, y) of the positive quadrant with density ∝ (xy)^power e^{ρxy - x²/2 - y²/2}, from uniforms a, b.

    In polar coordinates of the plane where the Gaussian is round: the quadrant is a sector of the angle
    π/2 + arcsin ρ, r²/2 follows a Gamma law of order power + 1, the angle the density (sin φ sin(sector - φ))^power.

    >>> x, y = quadrant_points(1, 0.2, np.array([0.3]), np.array([0.5]))
    >>> bool(abs(x - y)[0] < 1e-6)     # the middle of the sector is the diagonal
    True
    """
    root = math.sqrt((1 - coupling) * (1 + coupling))
    sector = math.pi / 2 + math.asin(coupling)
    angle = np.interp(b, *_angle_law(power, sector)) if power else sector * b
    inside = np.minimum(a, 1 - 1e-16)
    # Order one is the exponential law, whose quantiles need no special function.
    half_square = -np.log1p(-inside) if power == 0 else gammaincinv(power + 1, inside)
    radius = np.sqrt(2 * half_square)
    return radius * np.sin(angle) / root, radius * np.sin(sector - angle) / root


def tilted_neurons(coupling: float, uniforms: _Array, forced: int = 0) -> tuple[_Array, _Array]:
    """(s, s') with independent neurons, density ∝ e^{ρ s·s'}; the first ``forced`` neurons are active in both.

    ``uniforms`` is (points, 3·neurons).

    >>> s, t = tilted_neurons(0.1, np.full((1, 6), 0.01), forced=1)
    >>> s.shape, bool((s * t > 0).all())
    ((1, 2), True)
    """
    both, total = orthant_moment(0, coupling), relu_exponential(coupling)
    choice, a, b = (uniforms[:, k::3] for k in range(3))
    x, y = quadrant_points(0, coupling, a, b)
    half = ndtri(0.5 + 0.5 * np.clip(a, 1e-16, 1 - 1e-16))
    positive = choice < both / total
    positive[:, :forced] = True
    # The other three quadrants: one vector active, the other active, none; a quarter of the mass each.
    place = (choice - both / total) / (0.25 / total)
    first = np.where(positive, x, np.where(place < 1, half, 0.0))
    second = np.where(positive, y, np.where((place >= 1) & (place < 2), half, 0.0))
    return first, second


def _squared_overlap_pairs(hidden: int, coupling: float, uniforms: _Array) -> tuple[_Array, _Array]:
    """(s, s') of density ∝ (s·s')² e^{ρ s·s'}, up to the order of neurons; ``uniforms`` is (points, 3·hidden + 1).

    (s·s')² is a sum over one neuron of (xy)² and over two of xy each: a mixture, chosen by the last uniform.
    """
    first, second = tilted_neurons(coupling, uniforms[:, :-1])
    alone = orthant_moment(2, coupling) * relu_exponential(coupling)
    paired = (hidden - 1) * orthant_moment(1, coupling) ** 2
    alone_mask = uniforms[:, -1] < alone / (alone + paired)
    # Quantiles of Gamma laws are most of the work: each point has one of the two.
    alone_uniforms, paired_uniforms = uniforms[alone_mask], uniforms[~alone_mask]
    first[alone_mask, 0], second[alone_mask, 0] = quadrant_points(
        2, coupling, alone_uniforms[:, 1], alone_uniforms[:, 2]
    )
    first[~alone_mask, :2], second[~alone_mask, :2] = quadrant_points(
        1, coupling, paired_uniforms[:, 1:6:3], paired_uniforms[:, 2:6:3]
    )
    return first, second


def _shape_features(first: _Array, second: _Array) -> _Array:
    """Polynomials of degree four, symmetric in s and s', in the logarithms of |s|², |s'|² and s·s'."""
    one, two = np.log1p((first**2).sum(axis=1)), np.log1p((second**2).sum(axis=1))
    total, gap, overlap = one + two, (one - two) ** 2, np.log1p((first * second).sum(axis=1))
    columns = [
        total**i * gap**j * overlap**k
        for i in range(5)
        for j in range(3)
        for k in range(5)
        if i + 2 * j + k <= 4
    ]
    return np.stack(columns, axis=1)


@functools.lru_cache(maxsize=32)
def _mean_features(hidden: int, coupling: float, seed: int, first: int) -> _Array:
    """Means of the shape features over sixteen independent blocks of inputs, one a row; the first has number ``first``.

    Whatever is averaged (any number of classes), these stay: they are computed once.
    """
    # With many neurons the three numbers hardly vary, and every point costs more.
    points = 2**15 if hidden <= 50 else 2**13 if hidden <= 500 else 2**11
    rows = []
    for block in range(_BLOCKS):
        uniforms = seeded_points(points // _BLOCKS, 3 * hidden + 1, seed, first + block)
        rows.append(_shape_features(*_squared_overlap_pairs(hidden, coupling, uniforms)).mean(axis=0))
    return np.array(rows)


def squared_overlap_average(
    hidden: int,
    coupling: float,
    function: Callable[[_Array, _Array], float],
    *,
    points: int,
    scrambles: int,
    seed: int,
) -> tuple[float, float]:
    """E[(s·s')² f(s, s')] over independent rectified Gaussians, and its standard error.

    f may depend on |s|, |s'| and s·s' alone. Inputs are drawn with density ∝ (s·s')² e^{ρ s·s'}; what is left,
    f e^{-ρ s·s'}, is smooth in three numbers, so a polynomial fitted to ``points`` × ``scrambles`` values of it and
    averaged over many more (cheap) inputs carries almost all of the mean.

    >>> mean, error = squared_overlap_average(3, 0.0, lambda s, t: 1.0, points=8, scrambles=4, seed=0)
    >>> round(mean, 3) == round(3 / 4 + 6 / (4 * np.pi**2), 3)      # E[(s·s')²] = m/4 + m(m-1)/(4π²)
    True
    """
    hidden = validate.integer(
        "hidden", hidden, minimum=2, maximum=MOST_NEURONS, meaning="neurons averaged over"
    )
    moments, total = [orthant_moment(k, coupling) for k in range(3)], relu_exponential(coupling)
    scale = hidden * (moments[2] * total + (hidden - 1) * moments[1] ** 2) * total ** (hidden - 2)
    values, features = [], []
    for scramble in range(scrambles):
        uniforms = seeded_points(points, 3 * hidden + 1, seed, scramble)
        first, second = _squared_overlap_pairs(hidden, coupling, uniforms)
        features.append(_shape_features(first, second))
        values += [
            function(s, t) * math.exp(-coupling * float(s @ t)) for s, t in zip(first, second, strict=True)
        ]
    design, measured = np.concatenate(features), np.array(values)
    unit = np.abs(design).max(axis=0)
    coefficients, _, rank, _ = np.linalg.lstsq(design / unit, measured, rcond=1e-10)
    residuals = measured - design / unit @ coefficients
    fitted = _mean_features(hidden, coupling, seed, scrambles) / unit @ coefficients
    spread = math.sqrt(float((residuals**2).sum()) / max(measured.size - int(rank), 1))
    error = math.hypot(spread / math.sqrt(measured.size), float(fitted.std(ddof=1)) / math.sqrt(fitted.size))
    # The constant is among the features, so the residuals average to zero.
    return scale * float(fitted.mean()), scale * error
