"""Order statistics of squared Gaussians: the part of pure noise that the best atoms explain."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, erfc, ndtri

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array, takes_arrays

__all__ = [
    "gain_of_more_atoms",
    "largest_moment",
    "largest_square_bound",
    "net_gain",
    "top_squares",
    "top_squares_limit",
    "two_column_gain",
]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _exceeds(x: Array, count: int) -> Array:
    """P(max of ``count`` independent |g| > x)."""
    tail = erfc(x / math.sqrt(2))
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(count * np.log1p(-tail)))


def _end(count: int) -> float:
    """Beyond this, P(max |g| > x) is below 10⁻²⁰ or so."""
    return math.sqrt(2 * math.log(count) + 95)


def _panels(edges: Array) -> tuple[Array, Array]:
    """Gauss–Legendre nodes and weights on consecutive panels, flattened."""
    half = np.diff(edges) / 2
    nodes = edges[:-1, None] + half[:, None] * (1 + _NODES)
    return nodes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def _count(count: int, name: str = "count") -> int:
    return validate.integer(name, count, maximum=10**15, meaning="number of Gaussians")


@takes_arrays
def largest_moment(count: int, power: int) -> float:
    """E[m^power], m the largest of ``count`` independent |g|, g ~ N(0, 1), power ≥ 1.

    >>> round(largest_moment(1, 2), 12), round(largest_moment(1, 1) ** 2 * math.pi / 2, 12)
    (1.0, 1.0)
    >>> largest_moment([1, 10], 2).round(4)
    array([1.    , 3.7996])
    """
    n = _count(count)
    power = validate.integer("power", power, maximum=12, meaning="power of the maximum")
    nodes, weights = _panels(np.linspace(0, _end(n), 60))
    return float(weights @ (power * nodes ** (power - 1) * _exceeds(nodes, n)))


@takes_arrays
def largest_square_bound(count: int) -> float:
    """3 log n + (3/2) log 3, which E max of n squared Gaussians does not exceed (proof of Lemma A.1.2, t = 1/3).

    >>> largest_moment(100, 2) < largest_square_bound(100)
    True
    """
    return 3 * math.log(_count(count)) + 1.5 * math.log(3)


@takes_arrays
def top_squares(count: int, first: int, last: int) -> float:
    """E of the sum of the squared Gaussians ranked ``first`` to ``last`` (1 is the largest) among ``count``.

    P(the r-th largest exceeds x) = P(Binomial(n, P(g² > x)) ≥ r), a regularised beta function.

    >>> round(top_squares(5, 1, 5), 12)
    5.0
    """
    n = _count(count)
    first = validate.integer("first", first, maximum=n, meaning="rank of the largest")
    last = validate.integer("last", last, minimum=first, maximum=n, meaning="rank of the smallest")
    validate.memory(5e4 * (last - first + 1), f"ranks {first} to {last}")
    nodes, weights = _panels(np.linspace(0, _end(n), 60))
    tail = erfc(nodes / math.sqrt(2))
    ranks = np.arange(first, last + 1)[:, None]
    above = betainc(ranks, n - ranks + 1, tail).sum(axis=0)
    return float(weights @ (2 * nodes * above))


@takes_arrays
def gain_of_more_atoms(atoms: int, sparsity: int) -> float:
    """(L(A, k) - L(A, 2k))/σ² of an orthonormal A when the signal is strong: the k largest of p - k squared Gaussians.

    >>> 2.0 < gain_of_more_atoms(8, 1) < 2 * math.log(8)
    True
    """
    p = _count(atoms, "atoms")
    k = validate.integer("sparsity", sparsity, maximum=p // 2, meaning="number k of atoms in a code; 2k <= p")
    return top_squares(p - k, 1, k)


@takes_arrays
def top_squares_limit(share: float) -> float:
    """Mean of the largest ``share`` of many squared Gaussians: 1 + 2qφ(q)/share with P(|g| > q) = share.

    About 2 log(1/share) for small shares.

    >>> top_squares_limit(1.0)
    1.0
    >>> round(top_squares_limit(0.125) / (top_squares(8000, 1, 1000) / 1000), 3)
    1.0
    """
    share = validate.positive_number("share", share, meaning="share of the largest")
    if share > 1:
        raise ValueError(f"share={share}: expected a number in (0, 1] (share of the largest)")
    edge = -float(ndtri(share / 2))
    return 1 + 2 * edge * math.exp(-(edge**2) / 2) / math.sqrt(2 * math.pi) / share


@takes_arrays
def net_gain(atoms: int, step: float) -> float:
    """lim (L(A, 1) - L(B, 1))/σ² as σ → 0 for orthonormal A and a net of directions in the planes of its pairs.

    The net's columns lie (j + ½)·step·σ beside the atoms for a signal of norm one; the noise m along the best plane, m
    the largest of p - 1 |g|, is fitted up to its distance to the nearest of them: E[m² - dist(m, step·(Z + ½))²].

    >>> abs(net_gain(5, 1e-3) - largest_moment(4, 2)) < 1e-6
    True
    """
    others = _count(atoms, "atoms") - 1
    if others < 1:
        raise ValueError(f"atoms={atoms}: expected at least two atoms")
    step = validate.positive_number("step", step, meaning="angle between columns over σ")
    end = _end(others)
    if step > 1e100:
        raise ValueError(f"step={step}: expected a number up to 1e100 (angle between columns over σ)")
    if end / step > 1e6:
        raise ValueError(f"step={step}: expected a number >= {end / 1e6:.2g} (angle between columns over σ)")
    parts = max(1, math.ceil(min(step, end) / 0.25))
    kinks = np.append(step * np.arange(math.ceil(end / step)), end)
    nodes, weights = _panels(
        np.interp(np.arange(parts * (kinks.size - 1) + 1) / parts, np.arange(kinks.size), kinks)
    )
    slopes = 2 * step * (np.floor(nodes / step) + 0.5)
    return float(weights @ (slopes * _exceeds(nodes, others)) - step**2 / 4)


@takes_arrays
def two_column_gain(atoms: int, sparsity: int) -> float:
    """lim (L(A, k) - L(B, k))/(kσ²) as σ → 0, k ≤ 2, for orthonormal A, |z_i| = 1/√k and two columns per atom.

    Columns A_i turned by ±√k·cσ towards the next atom, c = √(2/π), fit the noise g along it up to sign:
    E[2c|g| - c²] = c² each. Of two neighbours only the second can; and the two columns of the first span both atoms,
    so that it need not lose: E max(0, 2c|g| - c²). Two chosen atoms are neighbours with probability 2/(p - 1).

    >>> round(two_column_gain(5, 1) * math.pi / 2, 12)
    1.0
    >>> round(two_column_gain(5, 2), 4)
    0.5025
    """
    p = validate.integer("atoms", atoms, minimum=4, meaning="number p of atoms")
    k = validate.integer("sparsity", sparsity, maximum=2, meaning="number k of atoms in a code")
    c = math.sqrt(2 / math.pi)
    if k == 1:
        return c**2
    density = math.exp(-(c**2) / 8) / math.sqrt(2 * math.pi)
    alone = 4 * c * density - c**2 * math.erfc(c / 2 / math.sqrt(2))
    neighbours = 2 / (p - 1)
    return (1 - neighbours) * c**2 + neighbours * alone / 2
