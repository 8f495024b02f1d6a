"""Compiled loops of the laws: roots of the inverse map, its values in double-double, the Marchenko–Pastur density.

No validation here. Every kernel has a plain twin in tests/laws/test_kernels.py. Around an anchor c, one per row,

    z(c + w) - z(c) = w·(z'(c) + w·Q(w)),    Q(w) = Σ Cₖ/(dₖ + w),    dₖ = c - tₖ,    Cₖ = wₖtₖ²/dₖ².
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray, IndexArray
from rmtsim._internal.jit import kernel

EPS = 2.0**-52
CERTIFICATE = 256 * EPS
"""A residual of at most this many ulps of the equation's terms, together with the derivative identity, certifies."""
IDENTITY = 1e-9
"""Error of the derivative identity over its terms. The real root beside a cusp misses it by √(distance) or more."""
NEWTON = 40
SPLITTER = 134217729.0


@kernel
def _expand(
    poles: FloatArray, weights: FloatArray, base: float, offset: float, gap: FloatArray, mass: FloatArray
) -> None:
    for k in range(poles.size):
        gap[k] = offset - (poles[k] - base)
        quotient = poles[k] / gap[k]
        mass[k] = weights[k] * quotient * quotient


@kernel
def upper_sums(
    gap: FloatArray,
    mass: FloatArray,
    a: float,
    b: float,
    first: FloatArray,
    ratio_1: FloatArray,
    ratio_2: FloatArray,
) -> tuple[float, float, float, float]:
    """Σ C/|d+w|², Σ C·D/|d+w|², Σ C b²/|d+w|⁴, Σ C·D b/|d+w|⁴ with w = a + ib, D = d + a; scratch arrays last."""
    for k in range(gap.size):
        distance = gap[k] + a
        inverse = 1.0 / (distance * distance + b * b)
        first[k] = mass[k] * inverse
        # Im w/(…) times |…|² stays below one, where a second division by |…|² could overflow.
        turned = inverse * b
        ratio_1[k] = distance * turned
        ratio_2[k] = turned * b
    plain = tilted = square = tilted_square = 0.0
    for k in range(gap.size):
        plain += first[k]
        tilted += first[k] * (gap[k] + a)
        square += first[k] * ratio_2[k]
        tilted_square += first[k] * ratio_1[k]
    return plain, tilted, square, tilted_square


@kernel
def _identity(
    gap: FloatArray, mass: FloatArray, slope: float, target_imaginary: float, a: float, b: float
) -> tuple[float, float]:
    """Im of the equation over Im w: ratio - Σ wₖtₖ²/|v - tₖ|² - Im z/Im v, and the size of its terms."""
    plain = tilted = size = 0.0
    for k in range(gap.size):
        distance = gap[k] + a
        first = mass[k] / (distance * distance + b * b)
        plain += first
        tilted += first * distance
        size += abs(first * distance)
    lift = target_imaginary / b
    value = slope + 2 * a * tilted + (b * b - a * a) * plain - lift
    # With D = d + a the sum Σ C(2aD + b² - a²)/|d + w|² is Σ C(2ad + |w|²)/|d + w|²: no larger than this.
    return value, abs(slope) + abs(lift) + 2 * abs(a) * size + (a * a + b * b) * plain


@kernel
def _newton(
    gap: FloatArray,
    mass: FloatArray,
    slope: float,
    ratio: float,
    target: complex,
    w: complex,
    first: FloatArray,
    ratio_1: FloatArray,
    ratio_2: FloatArray,
) -> tuple[complex, float, int]:
    """Newton for w(slope + w Q(w)) = target from Im w > 0; steps shorten Im w at most to a quarter.

    Returns w, residual over the size of the terms (infinite if it did not settle) and steps.
    """
    for step_number in range(1, NEWTON + 1):
        a, b = w.real, w.imag
        plain, tilted, square, tilted_square = upper_sums(gap, mass, a, b, first, ratio_1, ratio_2)
        q = complex(tilted, -b * plain)
        q_slope = complex(2 * square - plain, 2 * tilted_square)
        linear, bend = w * slope, w * w * q
        error = linear + bend - target
        # Σ Cₖ/|v - tₖ| is at most √(Σ Cₖ · Σ Cₖ/|v - tₖ|²), and Σ Cₖ = ratio - slope.
        size = abs(linear) + abs(w) ** 2 * math.sqrt(max((ratio - slope) * plain, 0.0)) + abs(target)
        step = error / (slope + 2 * w * q + w * w * q_slope)
        if not (math.isfinite(step.real) and math.isfinite(step.imag)):
            if abs(error) <= 2 * EPS * size:
                return w, abs(error) / size, step_number
            return w, math.inf, step_number
        settled = abs(error) <= 2 * EPS * size or (
            abs(step) <= 2 * EPS * abs(w) and abs(error) <= CERTIFICATE * size
        )
        length = 1.0
        if step.imag > 0:
            length = min(1.0, 0.75 * b / step.imag)
        w = w - length * step
        if settled:
            return w, abs(error) / size, step_number
        if target.imag == 0.0 and w.imag < 1e-13 * abs(w.real):
            # Converging to a real root, which is never the right one.
            return w, math.inf, step_number
    return w, math.inf, NEWTON


@kernel
def _certified(
    gap: FloatArray, mass: FloatArray, slope: float, target: complex, w: complex, residual: float
) -> float:
    if not residual <= CERTIFICATE or not w.imag > 0:
        return math.inf
    value, size = _identity(gap, mass, slope, target.imag, w.real, w.imag)
    return abs(value) / size if size > 0 else 0.0


@kernel
def _height(
    gap: FloatArray,
    mass: FloatArray,
    slope: float,
    target_imaginary: float,
    a: float,
    low: float,
    high: float,
) -> float:
    """Im w over Re w = a on the curve Im z = const: the identity's error rises in Im w, so bisect its logarithm."""
    for _ in range(200):
        middle = math.sqrt(low) * math.sqrt(high)
        if middle <= low * (1 + 2 * EPS) or middle >= high * (1 - 2 * EPS):
            break
        value, _ = _identity(gap, mass, slope, target_imaginary, a, middle)
        if value < 0:
            low = middle
        else:
            high = middle
    return math.sqrt(low) * math.sqrt(high)


@kernel
def _middle(low: float, high: float) -> float:
    """Halves an interval in size, or in order of magnitude where its ends differ in that; descends from zero."""
    if low < 0 < high:
        return 0.0
    near, far = min(abs(low), abs(high)), max(abs(low), abs(high))
    sign = 1.0 if low + high > 0 else -1.0
    if near == 0:
        return sign * 1e-3 * far
    if far > 4 * near:
        return sign * math.sqrt(near) * math.sqrt(far)
    return 0.5 * (low + high)


@kernel
def _follow_curve(
    gap: FloatArray,
    mass: FloatArray,
    slope: float,
    ratio: float,
    target: complex,
    low: float,
    high: float,
    first: FloatArray,
    ratio_1: FloatArray,
    ratio_2: FloatArray,
) -> tuple[complex, float, float, int]:
    """The root by bisection in Re w on the curve Im z(v) = Im z, a graph over Re v along which Re z increases.

    It meets no other root, so it cannot be wrong; Newton polishes, and is kept only with the identity.
    """
    top = 0.0
    for k in range(gap.size):
        top += mass[k] * gap[k] * gap[k]
    ceiling = 2 * (target.imag + math.sqrt(target.imag * target.imag + 4 * ratio * top)) / (2 * ratio)
    best, best_residual, best_identity, steps = complex(0.0, 1.0), math.inf, math.inf, 0
    for round_ in range(140):
        a = _middle(low, high)
        b = _height(gap, mass, slope, target.imag, a, 1e-150, ceiling)
        w = complex(a, b)
        plain, tilted, _, _ = upper_sums(gap, mass, a, b, first, ratio_1, ratio_2)
        value = w * slope + w * w * complex(tilted, -b * plain)
        size = abs(w * slope) + abs(w) ** 2 * math.sqrt(max((ratio - slope) * plain, 0.0)) + abs(target)
        if abs(value - target) / size < best_residual:
            best, best_residual, best_identity = w, abs(value - target) / size, 0.0
        if value.real > target.real:
            high = a
        else:
            low = a
        if round_ % 3 == 2 or not low < high:
            polished, residual, used = _newton(gap, mass, slope, ratio, target, w, first, ratio_1, ratio_2)
            steps += used
            identity = _certified(gap, mass, slope, target, polished, residual)
            if identity <= IDENTITY:
                return polished, residual, identity, steps
        if not low < high or high - low <= 2 * EPS * max(abs(low), abs(high)):
            break
    return best, best_residual, best_identity, steps


@kernel
def certified_roots(
    poles: FloatArray,
    weights: FloatArray,
    ratio: float,
    base: FloatArray,
    offset: FloatArray,
    slope: FloatArray,
    anchor: IndexArray,
    target: ComplexArray,
    start: ComplexArray,
    low: FloatArray,
    high: FloatArray,
    w: ComplexArray,
    residual: FloatArray,
    identity: FloatArray,
    steps: IndexArray,
) -> None:
    """Fill w, residual, identity error and steps: the root with Im w > 0 around anchor[i] for each target[i].

    ``start`` holds first guesses (w with Im w > 0), ``low`` and ``high`` brackets of Re w for the last resort.
    """
    gap, mass = np.empty(poles.size), np.empty(poles.size)
    first, ratio_1, ratio_2 = np.empty(poles.size), np.empty(poles.size), np.empty(poles.size)
    current = -1
    bend = turn = 0.0
    for i in range(target.size):
        if anchor[i] != current:
            current = anchor[i]
            _expand(poles, weights, base[current], offset[current], gap, mass)
            bend = turn = 0.0
            for k in range(poles.size):
                bend += mass[k] / gap[k]
                turn -= mass[k] / gap[k] / gap[k]
        tilt = slope[current]
        found, error, used = _newton(gap, mass, tilt, ratio, target[i], start[i], first, ratio_1, ratio_2)
        check = _certified(gap, mass, tilt, target[i], found, error)
        for order in (2, 3):
            if check <= IDENTITY:
                break
            guess = _local_root(target[i], tilt, bend, turn, order)
            if guess.imag > 0:
                found, error, more = _newton(
                    gap, mass, tilt, ratio, target[i], guess, first, ratio_1, ratio_2
                )
                used += more
                check = _certified(gap, mass, tilt, target[i], found, error)
        if not check <= IDENTITY:
            found, error, check, more = _follow_curve(
                gap, mass, tilt, ratio, target[i], low[i], high[i], first, ratio_1, ratio_2
            )
            used += more
        w[i], residual[i], identity[i], steps[i] = found, error, check, used


@kernel
def _local_root(target: complex, slope: float, bend: float, turn: float, order: int) -> complex:
    """w with Im w > 0 from the leading terms: w² bend = target, or w(slope + w² turn) = target."""
    if order == 2:
        if bend == 0:
            return complex(0.0, 0.0)
        root = (target / bend) ** 0.5
        return root if root.imag > 0 else -root
    if turn == 0:
        return complex(0.0, 0.0)
    radius = abs(target / turn) ** (1 / 3)
    angle = math.atan2((target / turn).imag, (target / turn).real) / 3
    best = complex(0.0, 0.0)
    for k in range(3):
        w = radius * complex(math.cos(angle + 2 * math.pi * k / 3), math.sin(angle + 2 * math.pi * k / 3))
        if w.imag > best.imag:
            best = w
    if slope * turn > 0:
        best = complex(best.real, max(best.imag, math.sqrt(slope / turn)))
    return best


@kernel
def _two_sum(a: float, b: float) -> tuple[float, float]:
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@kernel
def _two_product(a: float, b: float) -> tuple[float, float]:
    p = a * b
    x = SPLITTER * a
    a_high = x - (x - a)
    a_low = a - a_high
    y = SPLITTER * b
    b_high = y - (y - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


@kernel
def _add(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    s, e = _two_sum(a, c)
    t, f = _two_sum(b, d)
    s, e = _two_sum(s, e + t)
    s, e = _two_sum(s, e + f)
    return s, e


@kernel
def _multiply(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    p, e = _two_product(a, c)
    p, e = _two_sum(p, e + (a * d + b * c))
    return p, e


@kernel
def _divide(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    q = a / c
    p, e = _multiply(q, 0.0, c, d)
    r, s = _add(a, b, -p, -e)
    q, e = _two_sum(q, (r + s) / c)
    return q, e


@kernel
def anchor_values(
    poles: FloatArray,
    weights: FloatArray,
    weights_low: FloatArray,
    ratio: float,
    spare: FloatArray,
    base: FloatArray,
    offset: FloatArray,
    value: FloatArray,
    value_low: FloatArray,
    slope: FloatArray,
    edge: NDArray[np.bool_],
) -> None:
    """z(c) in two doubles and z'(c), c = base + offset, in double-double; ``spare`` is ratio - Σ wₖ (two doubles).

    Where ``edge`` is set the value is that at the critical point next to c.
    """
    for i in range(base.size):
        v, v_low = _two_sum(base[i], offset[i])
        near = base[i] == 0.0
        if v == 0.0:
            value[i], value_low[i], slope[i] = 0.0, 0.0, spare[0]
            continue
        total, total_low = (spare[0], spare[1]) if near else (ratio, 0.0)
        rise, rise_low = ratio, 0.0
        bend = 0.0
        for k in range(poles.size):
            d, d_low = _two_sum(base[i], -poles[k])
            d, d_low = _add(d, d_low, offset[i], 0.0)
            q, q_low = _divide(poles[k], 0.0, d, d_low)
            # w q first: q may be 1e150 beside a speck of weight, and its square could not be split.
            r, r_low = _multiply(q, q_low, weights[k], weights_low[k])
            s, s_low = _multiply(r, r_low, q, q_low)
            rise, rise_low = _add(rise, rise_low, -s, -s_low)
            bend += s / d
            if near:
                # ratio + Σ w t/(v - t) = (ratio - Σ w) + v Σ w/(v - t)
                p, p_low = _divide(weights[k], weights_low[k], d, d_low)
                p, p_low = _multiply(p, p_low, v, v_low)
            else:
                p, p_low = r, r_low
            total, total_low = _add(total, total_low, p, p_low)
        high, low = _multiply(v, v_low, total, total_low)
        if edge[i] and bend != 0.0:
            low -= 0.25 * rise * rise / bend
        value[i], value_low[i] = _two_sum(high, low)
        slope[i] = rise + rise_low


@kernel
def marchenko_pastur_density(
    x: FloatArray,
    lower: float,
    lower_rest: float,
    upper: float,
    upper_rest: float,
    coefficient: float,
    out: FloatArray,
) -> bool:
    """coefficient·√(x - lower)·√(upper - x)/x inside, zero off the support, infinite at x = 0.

    Returns whether some x was NaN or some value infinite off x = 0.
    """
    trouble = 0
    for i in range(x.size):
        point = x[i]
        left = max((point - lower) - lower_rest, 0.0)
        right = max((upper - point) + upper_rest, 0.0)
        # Two roots, not one of the product, which has no digits beside a hard edge at a denormal x.
        value = math.sqrt(left) / point * math.sqrt(right) * coefficient
        value = value if point != 0.0 else math.inf
        inside = lower <= point <= upper
        trouble += (point != point) or (inside and math.isinf(value) and point != 0.0)
        out[i] = value if inside else 0.0
    return trouble > 0
