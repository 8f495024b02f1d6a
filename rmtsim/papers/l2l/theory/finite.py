"""Exact expectations at finite n and d: least squares through moments of Wishart matrices and their inverses."""

from __future__ import annotations

import math

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim.papers.l2l.theory.errors import check_shape

__all__ = ["exact_erm_error", "exact_error", "wishart_moment"]


def _shape(samples: int, dimension: int) -> tuple[int, int]:
    return (
        validate.integer("samples", samples, meaning="number n of samples"),
        validate.integer("dimension", dimension, meaning="dimension d"),
    )


@takes_arrays
def wishart_moment(order: int, samples: int, dimension: int) -> float:
    """(1/d) E tr H^order for H = XᵀX/n, X n×d standard Gaussian; orders -2 to 4.

    Negative orders need n > d + 1 (order -1) or n > d + 3 (order -2): otherwise the moment is infinite.

    >>> wishart_moment(2, samples=10, dimension=5), wishart_moment(-1, samples=10, dimension=5)
    (1.6, 2.5)
    """
    n, d = _shape(samples, dimension)
    order = validate.integer("order", order, minimum=-2, maximum=4, meaning="power of H")
    if order < 0:
        spare = n - d - (1 if order == -1 else 3)
        if spare <= 0:
            least = 2 if order == -1 else 4
            raise ValueError(
                f"samples={n}: expected an integer >= {d + least} (dimension={d}: H^{order} has no mean)"
            )
        if order == -1:
            return n / (n - d - 1)
        return n * n * (n - 1) / ((n - d) * (n - d - 1) * (n - d - 3))
    top = (
        1,
        1,
        n + d + 1,
        n**2 + 3 * n * d + d**2 + 3 * (n + d) + 4,
        n**3 + 6 * n * n * d + 6 * n * d * d + d**3 + 6 * n * n + 17 * n * d + 6 * d * d + 21 * (n + d) + 20,
    )[order]
    return float(top / n ** max(order - 1, 0))


@takes_arrays
def exact_erm_error(samples: int, dimension: int, noise: float) -> float:
    """E‖X⁺y - w*‖² at finite n, d: 1 - n/d + σ²n/(d - n - 1) for d > n + 1, σ²d/(n - d - 1) for n > d + 1.

    Between (|n - d| ≤ 1) the expectation is infinite for σ > 0.

    >>> exact_erm_error(40, 100, 1.0), exact_erm_error(100, 40, 1.0)
    (1.277966..., 0.677966...)
    """
    n, d = _shape(samples, dimension)
    noise = check_shape(noise, 1.0)[0]
    bias = max(0.0, 1 - n / d)
    if noise == 0:
        return bias
    spare = abs(n - d) - 1
    return bias + noise * noise * min(n, d) / spare if spare > 0 else math.inf


@takes_arrays
def exact_error(step: float, steps: int, noise: float, samples: int, dimension: int) -> float:
    """E‖w_t - w*‖² at finite n, d after one or two steps: a polynomial in η and the moments of H.

    >>> round(exact_error(0.1, 1, 1.0, samples=50, dimension=100), 12)
    0.8502
    """
    n, d = _shape(samples, dimension)
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, maximum=2, meaning="number of steps with a closed form")
    noise = check_shape(noise, 1.0)[0]
    moments = [wishart_moment(k, n, d) for k in range(5)]
    signs = [math.comb(2 * steps, k) * (-step) ** k for k in range(2 * steps + 1)]
    bias = math.fsum(c * moments[k] for k, c in enumerate(signs))
    if steps == 1:
        variance = step**2 * moments[1]
    else:  # (2η - η²λ)² λ
        variance = 4 * step**2 * moments[1] - 4 * step**3 * moments[2] + step**4 * moments[3]
    return bias + noise * noise * d / n * variance
