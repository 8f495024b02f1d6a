"""Voiculescu's R- and S-transform on the real line, by inverting the Stieltjes transform, with a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import FloatArray
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._roots import increasing_root

TOLERANCE = 1e-11
"""Largest relative residual of the inverted equation; more is refused."""


def r_transform(law: SpectralLaw, g: ArrayLike) -> Any:
    """R-transform of a law on the real axis.

    Parameters
    ----------
    law : SpectralLaw
        The law.
    g : float or array_like
        Points between the values of G at the two ends of the law.

    Returns
    -------
    float or ndarray
        ``R(g) = G⁻¹(g) − 1/g`` with ``G(z) = ∫ dμ(x)/(z − x)``.

    Raises
    ------
    ValueError
        If a point lies outside the range of G; the message states the range.
    ConvergenceError
        If the relative residual of G(z) = g exceeds 1e-11.

    See Also
    --------
    free_sum : R-transforms add under the free sum.

    Notes
    -----
    The Taylor coefficients of R are the free cumulants: ``R(g) = κ₁ + κ₂g + κ₃g² + …``.

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur, Semicircle, r_transform
    >>> round(r_transform(Semicircle(2.0), 0.3), 12)  # variance·g
    0.6
    >>> round(r_transform(MarchenkoPastur(0.5), 0.4), 12)  # 1/(1 - ratio·g)
    1.25
    """
    _check(law)
    points = validate.real_array("g", g, meaning="argument of the R-transform")
    low, high = _hull(law)
    flat = points.ravel()
    values = np.full(flat.shape, law.moment(1))
    for sign in (1.0, -1.0):
        # Nearer to zero 1/g is no double, and R is the mean to rounding.
        here = np.flatnonzero(sign * flat > 1e-300)
        if not here.size:
            continue
        level = sign * flat[here]
        # 1/(z - a) ≤ G(z) ≤ 1/(z - b) beyond b brackets z, of the reflected law for negative g.
        near, far = (high, low) if sign > 0 else (-low, -high)
        tiny = 1e-13 * max(abs(near), abs(far), near - far)
        bottom = np.maximum(near + tiny, far + 1 / level)

        def transform(z: FloatArray, s: float = sign) -> FloatArray:
            return -s * np.asarray(law.stieltjes(s * z))

        top = near + tiny + 1 / level
        outside = transform(bottom) < level
        if outside.any():
            limit = sign * float(transform(np.array([near + tiny]))[0])
            raise ValueError(
                f"g={sign * level[outside][0]}: expected a number between 0 and {limit:.6g} (G at the law's edge)"
            )
        z = _inverted(transform, level, bottom, top)
        values[here] = sign * z - 1 / flat[here]
    shaped = values.reshape(points.shape)
    return shaped if shaped.ndim else float(shaped)


def s_transform(law: SpectralLaw, u: ArrayLike) -> Any:
    """S-transform of a law on [0, ∞).

    Parameters
    ----------
    law : SpectralLaw
        A law on [0, ∞) other than a point mass at zero.
    u : float or array_like
        Points in (−(1 − μ({0})), 0].

    Returns
    -------
    float or ndarray
        ``S(u) = χ(u)(1 + u)/u``, with χ(u) the solution of ``∫ χx/(1 − χx) dμ(x) = u``; S(0) is one over the mean.

    Raises
    ------
    ValueError
        If the law has negative values or a point lies outside the interval.
    ConvergenceError
        If the relative residual of the equation exceeds 1e-11.

    See Also
    --------
    free_product : S-transforms multiply under the free product.

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur, s_transform
    >>> round(s_transform(MarchenkoPastur(0.5), -0.4), 12)  # 1/(1 + ratio·u)
    1.25
    """
    _check(law)
    points = validate.real_array("u", u, meaning="argument of the S-transform")
    low, high = _hull(law)
    if low < 0 or high == 0:
        raise ValueError(
            f"law={law!r}: expected a law on [0, ∞) other than δ₀, and its support begins at {low:g}"
        )
    mean = law.moment(1)
    mass = 1 - sum(mass for place, mass in law.atoms if place == 0)
    flat = points.ravel()
    outside = (flat > 0) | (flat <= -mass)
    if outside.any():
        raise ValueError(f"u={flat[outside][0]}: expected a number in (-{mass:g}, 0]")
    values = np.full(flat.shape, 1 / mean)
    here = np.flatnonzero(flat < 0)
    if here.size:
        level = -flat[here]

        # ∫ x/(t + x) dμ = 1 - t s(-t), falling in t, lies between mean/(t + b) and mean/t.
        def transform(t: FloatArray) -> FloatArray:
            return np.asarray(1 - t * np.asarray(law.stieltjes(-t)))

        top = mean / level
        bottom = np.maximum(top - high, 1e-14 * top)
        t = _inverted(transform, level, bottom, top)
        values[here] = (1 + flat[here]) / (level * t)
    shaped = values.reshape(points.shape)
    return shaped if shaped.ndim else float(shaped)


def _check(law: SpectralLaw) -> None:
    if not isinstance(law, SpectralLaw):
        raise TypeError(f"law={validate.shown(law)}: expected a spectral law")


def _hull(law: SpectralLaw) -> tuple[float, float]:
    ends = [end for ends in law.support for end in ends] + [place for place, _ in law.atoms]
    return min(ends), max(ends)


def _inverted(
    falling: Callable[[FloatArray], FloatArray], level: FloatArray, bottom: FloatArray, top: FloatArray
) -> FloatArray:
    """The points of [bottom, top] at which a falling function takes these levels, certified by the residual."""

    def excess(x: FloatArray, k: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        # No slopes are given: the root finder then bisects and uses secants of the bracket.
        return level[k] - falling(x), np.full(x.shape, np.nan)

    found = increasing_root(excess, bottom, top, None, 2e-16 * level)
    residual = np.abs(falling(found) / level - 1)
    if (residual > TOLERANCE).any():
        raise ConvergenceError(
            f"the transform is inverted only to a relative residual of {residual.max():.2e}",
            residual=float(residual.max()),
            iterations=0,
        )
    return found
