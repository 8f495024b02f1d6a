"""Fifty-digit values of closed forms and defining equations, computed with mpmath alone."""

from __future__ import annotations

import inspect

import mpmath as mp

DIGITS = 50


def polynomial_roots(coefficients, *, maxsteps, extraprec):
    """Roots of the polynomial with these coefficients, highest power first, in any mpmath.

    From 1.4 on mpmath wants the lowest power first and a flag that 1.3 does not know.
    """
    if "asc" in inspect.signature(mp.polyroots).parameters:
        return mp.polyroots(coefficients[::-1], maxsteps=maxsteps, extraprec=extraprec, asc=True)
    return mp.polyroots(coefficients, maxsteps=maxsteps, extraprec=extraprec)


def _exact(*values):
    return [mp.mpmathify(value) for value in values]


def mp_edges(ratio, variance):
    """λ± of the Marchenko–Pastur law."""
    with mp.workdps(DIGITS):
        y, v = _exact(ratio, variance)
        return v * (1 - mp.sqrt(y)) ** 2, v * (1 + mp.sqrt(y)) ** 2


def mp_density(ratio, variance, x):
    """Marchenko–Pastur density at a double x between the edges."""
    with mp.workdps(DIGITS):
        y, v, x = _exact(ratio, variance, x)
        lower, upper = mp_edges(y, v)
        return mp.sqrt((x - lower) * (upper - x)) / (2 * mp.pi * v * y * x)


def mp_cdf(ratio, variance, x):
    """Marchenko–Pastur cdf by quadrature of the density in an angle (no closed form used)."""
    with mp.workdps(30):
        y, v, x = _exact(ratio, variance, x)
        lower, upper = mp_edges(y, v)
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        root = mp.sqrt(y)

        # x = middle - half cos θ; x = v((1 - √y)² + 4√y sin²(θ/2)) avoids cancellation at a hard edge.
        def integrand(theta):
            point = v * ((1 - root) ** 2 + 4 * root * mp.sin(theta / 2) ** 2)
            return (half * mp.sin(theta)) ** 2 / (2 * mp.pi * v * y * point)

        end = mp.acos((middle - x) / half)
        # The integrand varies on the angular scale |1 - √y| near zero.
        knee = min(end, abs(1 - root))
        pieces = sorted({mp.mpf(0), knee, min(end, 10 * knee), min(end, 100 * knee), end})
        atom = max(mp.mpf(0), 1 - 1 / y)
        return atom + mp.quad(integrand, pieces)


def mp_stieltjes(ratio, variance, z):
    """Marchenko–Pastur Stieltjes transform from the roots of its quadratic equation.

    Off the axis the root with Im s·Im z > 0 is the transform; on it, the root that solves the equation and
    lies below the critical point, found by continuity from a point just above the axis.
    """
    with mp.workdps(3 * DIGITS):
        y, v, z = _exact(ratio, variance, z)
        above = z if mp.im(z) != 0 else mp.mpc(z, mp.mpf(10) ** -100 * max(abs(z), v))
        a, b = y * above * v, above - v * (1 - y)
        root = mp.sqrt(b * b - 4 * a)
        candidates = [(-b + root) / (2 * a), (-b - root) / (2 * a)]
        (value,) = (s for s in candidates if mp.im(s) * mp.im(above) > 0)
        return value if mp.im(z) != 0 else mp.re(value)


def mp_moment(ratio, variance, k):
    """Marchenko–Pastur moment by the recursion of its free cumulants κ_j = v^j y^(j-1)."""
    with mp.workdps(DIGITS):
        y, v = _exact(ratio, variance)
        return free_moments([v**j * y ** (j - 1) for j in range(1, k + 1)])[k]


def free_moments(cumulants):
    """Moments m_0 … m_k from free cumulants κ_1 … κ_k, by the sum over block of the first element."""
    moments = [mp.mpf(1)]
    for n in range(1, len(cumulants) + 1):
        total = mp.mpf(0)
        # Coefficients of M(z)^s up to degree n - s.
        power = [mp.mpf(1)] + [mp.mpf(0)] * n
        for s in range(1, n + 1):
            power = [
                sum(power[i] * moments[d - i] for i in range(d + 1) if d - i < len(moments))
                for d in range(n + 1)
            ]
            total += cumulants[s - 1] * power[n - s]
        moments.append(total)
    return moments


def semicircle_density(variance, x):
    """Semicircle density at a double x."""
    with mp.workdps(DIGITS):
        v, x = _exact(variance, x)
        return mp.sqrt(4 * v - x * x) / (2 * mp.pi * v)


def semicircle_cdf(variance, x):
    """Semicircle cdf by quadrature in an angle."""
    with mp.workdps(30):
        v, x = _exact(variance, x)
        end = mp.acos(-x / (2 * mp.sqrt(v)))
        return mp.quad(lambda theta: 2 * mp.sin(theta) ** 2 / mp.pi, [0, end])


def semicircle_stieltjes(variance, z):
    """Root of v s² + z s + 1 = 0 with Im s·Im z > 0."""
    with mp.workdps(DIGITS):
        v, z = _exact(variance, z)
        root = mp.sqrt(z * z - 4 * v)
        (value,) = (s for s in ((-z + root) / (2 * v), (-z - root) / (2 * v)) if mp.im(s) * mp.im(z) > 0)
        return value


def relative_error(value, reference):
    """|value - reference| / |reference| as a float."""
    with mp.workdps(DIGITS):
        reference = mp.mpmathify(reference)
        return float(abs(mp.mpmathify(value) - reference) / abs(reference))


def generalized_root(ratio, atoms, weights, z):
    """v = -1/(ratio·s) with Im v > 0 at z (Im z ≥ 0), from all roots of the cleared polynomial equation."""
    with mp.workdps(DIGITS):
        ratio, z = _exact(ratio, z)
        atoms, weights = _exact(*atoms), _exact(*weights)
        total = mp.fsum(weights)
        nonzero = [(t, w / total) for t, w in zip(atoms, weights, strict=True) if t != 0]
        # z = v (ratio + Σ w t/(v - t)), cleared of fractions: coefficients from the leading one down.
        full = [mp.mpf(1)]
        for t, _ in nonzero:
            full = _times(full, [1, -t])
        equation = _times([ratio, -z], full)
        for j, (t, w) in enumerate(nonzero):
            others = [mp.mpf(1)]
            for i, (other, _) in enumerate(nonzero):
                if i != j:
                    others = _times(others, [1, -other])
            term = [w * t * c for c in _times([1, 0], others)]
            equation = [
                a + b for a, b in zip(equation, [mp.mpf(0)] * (len(equation) - len(term)) + term, strict=True)
            ]
        roots = polynomial_roots(equation, maxsteps=500, extraprec=400)
        upper = [v for v in roots if mp.im(v) > mp.mpf(10) ** -35 * max(abs(mp.re(v)), mp.mpf(10) ** -20)]
        assert len(upper) == 1, f"expected one root in the upper half plane, got {upper}"
        return upper[0]


def generalized_stieltjes(ratio, atoms, weights, z):
    """Stieltjes transform at z with Im z > 0, or its boundary value at a real z inside the support."""
    with mp.workdps(DIGITS):
        return -1 / (mp.mpf(ratio) * generalized_root(ratio, atoms, weights, z))


def generalized_density(ratio, atoms, weights, x):
    """Density at a real x inside the support."""
    with mp.workdps(DIGITS):
        return mp.im(generalized_stieltjes(ratio, atoms, weights, x)) / mp.pi


def generalized_edges(ratio, atoms, weights):
    """Support edges: real critical points of z(v) from the polynomial of z'(v), mapped by z."""
    with mp.workdps(DIGITS):
        ratio = mp.mpf(ratio)
        atoms, weights = _exact(*atoms), _exact(*weights)
        nonzero = [(t, w / mp.fsum(weights)) for t, w in zip(atoms, weights, strict=True) if t != 0]
        squares = [mp.mpf(1)]
        for t, _ in nonzero:
            squares = _times(squares, _times([1, -t], [1, -t]))
        equation = [ratio * c for c in squares]
        for j, (t, w) in enumerate(nonzero):
            others = [mp.mpf(1)]
            for i, (other, _) in enumerate(nonzero):
                if i != j:
                    others = _times(others, _times([1, -other], [1, -other]))
            term = [w * t * t * c for c in others]
            equation = [
                a - b for a, b in zip(equation, [mp.mpf(0)] * (len(equation) - len(term)) + term, strict=True)
            ]
        roots = polynomial_roots(equation, maxsteps=500, extraprec=400)
        real = [mp.re(v) for v in roots if abs(mp.im(v)) < mp.mpf(10) ** -30 * max(1, abs(v))]
        return sorted(v * (ratio + mp.fsum(w * t / (v - t) for t, w in nonzero)) for v in real)


def _times(a, b):
    product = [mp.mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product
