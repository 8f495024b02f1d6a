"""Exact moments of the softmax of independent Gaussian logits.

p_i = e^{Y_i}/S, S = Σ e^{Y_c}, with Y_1…Y_C independent N(0, scale²). With k = a₁ + … + a_r,

    1/Sᵏ = ∫₀^∞ tᵏ⁻¹ e^{-tS} dt / (k-1)!

turns the expectation of a ratio into a one-dimensional integral of products over classes:

    E[p₁^a₁ ⋯ p_r^a_r] = ∫₀^∞ tᵏ⁻¹/(k-1)! · φ_{a₁}(t) ⋯ φ_{a_r}(t) · φ₀(t)^{C-r} dt,   φ_a(t) = E[e^{aY - t e^Y}].

In u = log t both integrals have integrands analytic in a strip of half-width π/2 and decaying at both ends,
so the trapezoidal rule converges exponentially: at step 1/8 its error is below exp(-60). What is left is
rounding. See docs/papers/dong/softmax-moments.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays

__all__ = ["softmax_moment"]

_STEP = 1 / 8
_MAXIMUM_ORDER = 32


@takes_arrays(whole=("exponents",))
def softmax_moment(exponents: Sequence[int], classes: int, *, scale: float = 1.0) -> float:
    """E[p₁^a₁ ⋯ p_r^a_r] for the softmax p of ``classes`` independent N(0, scale²) logits.

    Relative error about 1e-14 (tested to 1e-12 against 40-digit values) for 2 to 10⁹ classes and scale up
    to 4. Source: the functions of `dong` section 7.1 need it; the Laplace-transform route is in
    docs/papers/dong/softmax-moments.md.

    >>> softmax_moment((1,), 10)            # the p_i sum to one and are exchangeable
    0.1
    >>> from math import isclose
    >>> isclose(9 * softmax_moment((1, 1), 10) + softmax_moment((2,), 10), 0.1, rel_tol=1e-13)
    True
    """
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    scale = validate.positive_number("scale", scale, meaning="standard deviation of a logit")
    if not 1e-100 <= scale <= 4:
        raise ValueError(f"scale={scale}: expected a number in [1e-100, 4] (standard deviation of a logit)")
    if not hasattr(exponents, "__iter__"):
        raise TypeError(f"exponents={exponents!r:.60}: expected a sequence of integers >= 0, one per class")
    powers = tuple(
        validate.integer(f"exponents[{index}]", power, minimum=0, maximum=_MAXIMUM_ORDER)
        for index, power in enumerate(exponents)
    )
    powers = tuple(power for power in powers if power)
    if len(powers) > classes:
        raise ValueError(f"exponents={powers}: expected at most classes={classes} of them")
    order = sum(powers)
    if order > _MAXIMUM_ORDER:
        raise ValueError(f"exponents={powers}: expected a sum <= {_MAXIMUM_ORDER}")
    if order == 0:
        return 1.0
    if order == 1:
        return 1 / classes
    return float(math.fsum(_integrand(powers, classes, scale)) * _STEP)


def _integrand(powers: tuple[int, ...], classes: int, scale: float) -> NDArray[np.float64]:
    """Values of the outer integrand, times du, on the grid in u = log t."""
    order = sum(powers)
    # Left end: the integrand falls like e^{k(u + log C)}. Right end: each of the (at least two) transforms
    # falls like exp(-u²/(2 scale²)) against the growth e^{ku}.
    lowest = -math.log(classes) - 45 / order - 14 * scale - order * scale**2
    highest = 14 * scale + order * scale**2 + 6
    u = _STEP * np.arange(math.floor(lowest / _STEP), math.ceil(highest / _STEP) + 1, dtype=np.float64)
    logarithm = order * u - math.lgamma(order)
    if classes > len(powers):
        logarithm += (classes - len(powers)) * _log_transform(0, u, scale)
    transforms = {power: _log_transform(power, u, scale) for power in set(powers)}
    for power in powers:
        logarithm += transforms[power]
    return np.asarray(np.exp(logarithm))


def _logit_grid(power: int, scale: float, highest: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes y and weights of e^{ay}·N(0, scale²), as trapezoidal rule around the tilted mean a·scale²."""
    step = min(_STEP, scale / 4)
    # The factor exp(-t e^y), t <= e^highest, moves the mass left of the tilted mean by at most
    # W(t·scale²) <= log(1 + t·scale²), W being Lambert's function, and never to the right.
    shift = power * scale**2 + float(np.logaddexp(0.0, highest + 2 * math.log(scale)))
    count = math.ceil((14 * scale + shift) / step)
    y = power * scale**2 + step * np.arange(-count, math.ceil(14 * scale / step) + 1, dtype=np.float64)
    weights = np.exp(power * y - 0.5 * (y / scale) ** 2) * (step / (scale * math.sqrt(2 * math.pi)))
    return y, weights


def _log_transform(power: int, u: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """log φ_a(e^u); minus infinity where φ_a is below the smallest float, far out in the right tail."""
    y, weights = _logit_grid(power, scale, float(u[-1]))
    exponential = np.exp(u[:, None] + y)
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.exp(-exponential) @ weights)
    if power == 0:
        # Where φ₀ is close to one its logarithm comes from 1 - φ₀, computed without cancellation: the
        # (C - r)-th power then keeps all digits up to the largest C.
        deficit = -np.expm1(-exponential) @ weights
        close = deficit < 0.5
        logarithm[close] = np.log1p(-deficit[close])
    return np.asarray(logarithm)
