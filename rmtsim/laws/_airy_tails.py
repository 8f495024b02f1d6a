"""Tails of the largest eigenvalue's law for β = 1, 2, 4 in logarithms, as functions of t.

Everything is made of D∓(t) = det(1 ∓ V_t), V_t the operator with kernel Ai(x + y + t) on L²(0, ∞) (Ferrari and Spohn
2005): F₁ = D₋, F₂ = D₋D₊, F₄ = (D₋ + D₊)/2. Where a determinant keeps its digits (t ≥ -1) it comes from Gauss
quadrature (Bornemann 2010); to the left, where it falls like e^{-|t|³/24}, from Painlevé II,
log D∓ = -½∫_t^∞((x - t)q² ± q); far to the right from its first traces. Both agree to 1e-14 where they meet.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import airy, airye

from rmtsim._internal.arrays import FloatArray
from rmtsim.laws import _painleve as painleve
from rmtsim.laws._piecewise import evaluate

MEET, FAR, FARTHEST = -1.0, 8.0, 160.0
"""Painlevé II up to the first, determinants up to the second, traces of V beyond; the last is where all tails are 0."""
_NEAR_LEFT = -10.0
"""From here to ``FAR`` one series has both tails."""
_NODES, _REACH = 32, 14.0
_OVERFLOW = 1e100
"""From here to the left even the logarithm of the cdf, -|t|³/12, is beyond a double."""
_ASYMPTOTIC = 1e5
"""From here to the right the leading term of the tail is exact in its logarithm."""
_DEGREE = 17


def log_tails(t: FloatArray, beta: int) -> tuple[FloatArray, FloatArray]:
    """log F and log(1 - F), each from the side on which it is small."""
    lower, upper = np.zeros(t.shape), np.full(t.shape, -np.inf)
    left, right = t < MEET, t >= MEET
    if left.any():
        lower[left] = _log_left(t[left], beta)
        upper[left] = np.log(-np.expm1(lower[left]))
    if right.any():
        upper[right] = _log_right(t[right], beta)
        lower[right] = np.log1p(-np.exp(upper[right]))
    return lower, upper


def tails(t: FloatArray, beta: int) -> tuple[FloatArray, FloatArray]:
    """F and 1 - F."""
    if not t.size or not (t.min() >= _NEAR_LEFT and t.max() < FAR):
        lower, upper = log_tails(t, beta)
        return np.exp(lower), np.exp(upper)
    # One series for log F on the left and log(1 - F) on the right.
    smaller = evaluate(*_both_sides(beta), t)
    small, large = np.exp(smaller), -np.expm1(smaller)
    left = t < MEET
    return np.where(left, small, large), np.where(left, large, small)


@functools.cache
def _both_sides(beta: int) -> tuple[FloatArray, FloatArray]:
    """Ends and coefficients of log F left of the meeting point and of log(1 - F) from there to ``FAR``."""
    _ends, coefficients = _right_elements(beta)
    left_ends = np.linspace(_NEAR_LEFT, MEET, 10)
    points = _element_points(left_ends)
    left = _log_left(points.ravel(), beta).reshape(points.shape) @ painleve.to_coefficients(_DEGREE).T
    return np.concatenate([left_ends[:-1], _NEAR_ENDS]), np.concatenate(
        [left, coefficients[: len(_NEAR_ENDS) - 1]]
    )


def density(t: FloatArray, beta: int) -> FloatArray:
    """dF/dt."""
    values = np.zeros(t.shape)
    left, right = (t < MEET) & (t > -400), (t >= MEET) & (t < FARTHEST)
    if left.any():
        values[left] = np.exp(_log_left(t[left], beta)) * _slope_left(t[left], beta)
    if right.any():
        slope = _log_right(t[right], beta, derivative=True)
        values[right] = -np.exp(_log_right(t[right], beta)) * slope
    return values


def _log_left(t: FloatArray, beta: int) -> FloatArray:
    """log F left of the meeting point, from Painlevé II and, beyond its elements, its asymptotic series."""
    energy, first = _left_integrals(t)
    if beta == 2:
        return -energy
    if beta == 1:
        return -0.5 * (energy + first)
    # log cosh(I/2) for large I, without overflow
    return -0.5 * energy + 0.5 * first + np.log1p(np.exp(-first)) - math.log(2)


def _slope_left(t: FloatArray, beta: int) -> FloatArray:
    """(log F)': with R = ∫_t^∞ q² = q'² - tq² - q⁴."""
    solution = painleve.hastings_mcleod()
    s = np.maximum(t, painleve.LEFT)
    q = evaluate(solution.ends, solution.values, s)
    slope = evaluate(solution.ends, solution.slopes, s)
    energy = slope**2 - s * q**2 - q**4
    far = t < painleve.LEFT
    if far.any():
        root, square = _series_integrals(t[far])[2:]
        q[far], energy[far] = root, energy[far] + square
    if beta == 2:
        return np.asarray(energy)
    if beta == 1:
        return np.asarray(0.5 * (q + energy))
    first = _left_integrals(t)[1]
    return np.asarray(0.5 * (energy - q * np.tanh(0.5 * first)))


def _left_integrals(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """∫_t^∞ (x - t)q² and ∫_t^∞ q."""
    solution = painleve.hastings_mcleod()
    s = np.maximum(t, painleve.LEFT)
    energy = evaluate(solution.ends, solution.energy, s)
    first = evaluate(solution.ends, solution.first, s)
    far = (t < painleve.LEFT) & (t > -_OVERFLOW)
    if far.any():
        beyond_first, beyond_energy, _, _ = _series_integrals(t[far])
        first[far] += beyond_first
        energy[far] += beyond_energy + (painleve.LEFT - t[far]) * _square_at_left()
    energy[t <= -_OVERFLOW] = np.inf
    return energy, first


@functools.cache
def _square_at_left() -> float:
    """∫ q² from the left end of the elements."""
    solution = painleve.hastings_mcleod()
    s = np.array([painleve.LEFT])
    q, slope = (evaluate(solution.ends, part, s) for part in (solution.values, solution.slopes))
    return float((slope**2 - s * q**2 - q**4)[0])


def _series_integrals(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """∫ q, ∫ (x - t)q² over (t, LEFT), q(t) and ∫ q² over (t, LEFT), from the asymptotic series."""
    y, end = -t, -painleve.LEFT
    first, moment, root, square = (np.zeros(t.shape) for _ in range(4))
    for k, c in enumerate(painleve.series()):
        power = 1.5 - 3 * k
        first += c / math.sqrt(2) * (y**power - end**power) / power
        root += c / math.sqrt(2) * y ** (0.5 - 3 * k)
    for k, c in enumerate(painleve.squared_series()):
        # q² = ½ Σ c y^{1-3k}; ∫ over (end, y) of it, and of (y - u) times it
        a = 2 - 3 * k
        piece = 0.5 * c * (y**a - end**a) / a
        square += piece
        # y^{3-3k}/(3-3k), and the logarithm instead for k = 1
        risen = np.log(y / end) if k == 1 else (y ** (a + 1) - end ** (a + 1)) / (a + 1)
        moment += y * piece - 0.5 * c * risen
    return first, moment, root, square


@functools.cache
def _right_elements(beta: int) -> tuple[FloatArray, FloatArray]:
    """Ends of elements from the meeting point on, and Chebyshev coefficients of log(1 - F) on them.

    Beyond FAR the growth of the exponent, (2/3)t^{3/2} or twice that, is taken out.
    """
    near = _element_points(_NEAR_ENDS)
    far = _element_points(_FAR_ENDS)
    values = np.array(
        [_near_right(row, beta) for row in _eigenvalues()] + [_far_right(t, beta) for t in far.ravel()]
    ).reshape(len(near) + len(far), -1)
    ends = np.concatenate([_NEAR_ENDS, _FAR_ENDS[1:]])
    return ends, values @ painleve.to_coefficients(_DEGREE).T


_NEAR_ENDS = np.linspace(MEET, FAR, 10)
_FAR_ENDS = FAR * (FARTHEST / FAR) ** np.linspace(0, 1, 7)


def _element_points(ends: FloatArray) -> FloatArray:
    half = 0.5 * np.diff(ends)[:, None]
    return np.asarray(ends[:-1, None] + half * (painleve.nodes(_DEGREE) + 1))


@functools.cache
def _eigenvalues() -> FloatArray:
    """Eigenvalues of V_t at all points near the meeting point, for all three laws."""
    t = _element_points(_NEAR_ENDS).ravel()
    u, w = np.polynomial.legendre.leggauss(_NODES)
    u, w = 0.5 * _REACH * (u + 1), 0.5 * _REACH * w
    root = np.sqrt(w)
    kernel = airy(t[:, None, None] + u[:, None] + u)[0]
    return np.asarray(np.linalg.eigvalsh(root[:, None] * kernel * root))


def _log_right(t: FloatArray, beta: int, *, derivative: bool = False) -> FloatArray:
    ends, coefficients = _right_elements(beta)
    values = np.full(t.shape, -np.inf)
    inside = t < FARTHEST
    s = t[inside]
    found = evaluate(ends, coefficients, s, derivative=derivative)
    far = s >= FAR
    order = 1 if beta == 1 else 2
    found[far] -= order * (np.sqrt(s[far]) if derivative else (2 / 3) * s[far] ** 1.5)
    values[inside] = found
    beyond = ~inside & np.isfinite(t)
    if beyond.any():
        with np.errstate(over="ignore"):  # beyond 1e205 even the logarithm is minus infinity
            values[beyond] = [_far_right(s, beta) - order * (2 / 3) * s**1.5 for s in t[beyond]]
    return values


def _near_right(values: FloatArray, beta: int) -> float:
    """log(1 - F) from the eigenvalues of V_t, which keep their digits while V_t is not near 1."""
    if beta == 1:
        return math.log(-math.expm1(math.fsum(np.log1p(-values))))
    if beta == 2:
        return math.log(-math.expm1(math.fsum(np.log1p(-(values**2)))))
    # 1 - ½(D₋ + D₊) is minus the sum of the even elementary symmetric functions from the second on.
    symmetric = np.zeros(9)
    symmetric[0] = 1.0
    for value in values[np.argsort(-np.abs(values))]:
        symmetric[1:] += value * symmetric[:-1]
    return math.log(-math.fsum(symmetric[2::2]))


def _far_right(t: float, beta: int) -> float:
    """log(1 - F) + order·(2/3)t^{3/2} from the first traces of V_t, all exponents relative to that at t.

    From ``_ASYMPTOTIC`` on, where SciPy's Airy function ends and the two traces of β = 4 cancel, the leading terms
    1/(4√π t^{3/4}), 1/(16π t^{3/2}) and 1/(128π t³) are used; relative to the logarithm they are exact to t^{-3}.
    """
    if t >= _ASYMPTOTIC:
        factor, power = {1: (4 * math.sqrt(math.pi), 0.75), 2: (16 * math.pi, 1.5), 4: (128 * math.pi, 3.0)}[
            beta
        ]
        return -math.log(factor) - power * math.log(t)
    scale = 1 / (2 * math.sqrt(t))
    u, w = _laguerre()
    u, w = u * scale, w * scale

    def relative(x: FloatArray) -> FloatArray:
        """Ai(x + t)·exp((2/3)t^{3/2}): the difference of exponents as a product, free of cancellation."""
        s = x + t
        exponent = (2 / 3) * x * (s**2 + s * t + t**2) / (s**1.5 + t**1.5)
        return np.asarray(airye(s)[0] * np.exp(-exponent))

    if beta == 1:
        # log D₋ = -tr V - ½ tr V² - …, tr V = ∫ Ai(2x + t), tr V² = ∫ x Ai(x + t)²
        small = math.exp(-(2 / 3) * t**1.5)
        first, second = math.fsum(w * relative(2 * u)), math.fsum(w * u * relative(u) ** 2)
        trace = first + 0.5 * small * second
        return math.log(trace) + math.log1p(-0.5 * small * trace)
    if beta == 2:
        return math.log(math.fsum(w * u * relative(u) ** 2))
    # -e₂(V) = ½∫∫ (Ai(x+y+t)² - Ai(2x+t)Ai(2y+t))
    cross = relative(u[:, None] + u[None, :])
    own = relative(2 * u)
    return math.log(0.5 * float(w @ (cross**2 - np.outer(own, own)) @ w))


@functools.cache
def _laguerre() -> tuple[FloatArray, FloatArray]:
    """Gauss–Laguerre nodes with the weight e^{-u} taken back into the integrand."""
    u, w = np.polynomial.laguerre.laggauss(40)
    return u, np.asarray(w * np.exp(u))


@functools.cache
def moment_nodes() -> tuple[FloatArray, FloatArray]:
    """Composite Gauss–Legendre nodes over all of the mass that doubles can resolve."""
    x, w = np.polynomial.legendre.leggauss(20)
    ends = np.linspace(-14.0, 26.0, 81)
    half = 0.5 * np.diff(ends)
    return (
        ((ends[:-1] + ends[1:])[:, None] / 2 + half[:, None] * x).ravel(),
        (half[:, None] * w).ravel(),
    )
