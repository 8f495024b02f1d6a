"""High-precision values by methods that share no code with the package."""

from __future__ import annotations

import functools

import mpmath


@functools.cache
def _gauss_legendre(digits):
    """48 Gauss–Legendre nodes and weights on [-1, 1]."""
    with mpmath.workdps(digits):
        return mpmath.calculus.quadrature.GaussLegendre(mpmath.mp).calc_nodes(5, mpmath.mp.prec)


def _composite(lowest, highest, pieces, digits):
    """Nodes and weights of the composite rule with ``pieces`` equal pieces."""
    half = (mpmath.mpf(highest) - lowest) / (2 * pieces)
    for piece in range(pieces):
        centre = lowest + half * (2 * piece + 1)
        for node, weight in _gauss_legendre(digits):
            yield centre + half * node, half * weight


@functools.cache
def _outer_rule(classes, digits):
    with mpmath.workdps(digits):
        centre = -mpmath.log(classes)
        return [
            (u, mpmath.exp(u), weight, {})
            for lowest, highest, pieces in ((centre - 30, centre - 6, 2), (centre - 6, centre + 12, 4))
            for u, weight in _composite(lowest, highest, pieces, digits)
        ]


@functools.cache
def _inner_rule(digits):
    with mpmath.workdps(digits):
        norm = mpmath.sqrt(2 * mpmath.pi)
        return [
            (mpmath.exp(y), weight * mpmath.exp(-y * y / 2) / norm)
            for y, weight in _composite(-14, 16, 6, digits)
        ]


def softmax_moment(powers, classes, digits=25):
    """E[p₁^a₁ ⋯] (order at least two) for standard Gaussian logits, by composite Gauss–Legendre rules.

    Laplace transform in the sum of exponentials, as in the package, but other variables, nodes and
    arithmetic. What is cut off on the left is below e^{-60}; on the right the integrand falls like a Gaussian.
    """
    with mpmath.workdps(digits):
        order = sum(powers)
        total = mpmath.mpf(0)
        for u, t, weight, cache in _outer_rule(classes, digits):
            if not cache:
                decay = [(growth, mass * mpmath.exp(-t * growth)) for growth, mass in _inner_rule(digits)]
                cache.update({a: mpmath.fsum(mass * growth**a for growth, mass in decay) for a in range(5)})
            value = weight * mpmath.exp(order * u) / mpmath.factorial(order - 1)
            for power in powers:
                value *= cache[power]
            total += value * cache[0] ** (classes - len(powers))
        return total


def quadrant_integral(power, coupling):
    """(1/2π)∫∫_{x,y>0} (xy)^k e^{ρxy - x²/2 - y²/2}: the radial integral by hand, the angular one by quadrature."""

    def angular(t):
        product = mpmath.sin(t) * mpmath.cos(t)
        return (2 * product) ** power / (1 - 2 * coupling * product) ** (power + 1)

    return mpmath.factorial(power) * mpmath.quad(angular, [0, mpmath.pi / 4, mpmath.pi / 2]) / (2 * mpmath.pi)
