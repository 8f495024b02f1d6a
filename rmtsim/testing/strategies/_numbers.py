"""Numbers and populations."""

from __future__ import annotations

import math

from hypothesis import strategies as st


def powers_of_ten(low: float, high: float) -> st.SearchStrategy[float]:
    """Positive numbers with uniform exponents.

    Parameters
    ----------
    low, high : float
        Exponents of the smallest and the largest number.

    Returns
    -------
    SearchStrategy of float
        Shrinks towards the number whose exponent is nearest zero.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import powers_of_ten
    >>> find(powers_of_ten(-3, 3), lambda x: x > 50)
    100.0
    """
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def ratios(low: float = 1e-3, high: float = 1e3) -> st.SearchStrategy[float]:
    """Ratios of dimension to samples; one and its neighbours, where a hard edge forms, occur often.

    Parameters
    ----------
    low, high : float, optional
        Smallest and largest ratio.

    Returns
    -------
    SearchStrategy of float
        Shrinks towards 1 if that is in the range.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import ratios
    >>> find(ratios(), lambda ratio: ratio < 1)
    0.25
    """
    special = [x for x in (1.0, 0.25, 4.0, 0.999999, 1.000001) if low <= x <= high]
    spread = st.floats(math.log10(low), math.log10(high)).map(lambda e: min(max(10.0**e, low), high))
    return st.sampled_from(special) | spread if special else spread


def variances() -> st.SearchStrategy[float]:
    """Variances over twelve decades.

    Returns
    -------
    SearchStrategy of float
        Shrinks towards 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import variances
    >>> find(variances(), lambda variance: True)
    1.0
    """
    return powers_of_ten(-6, 6)


def fractions() -> st.SearchStrategy[float]:
    """Numbers between 0.001 and 0.999.

    Returns
    -------
    SearchStrategy of float
        Shrinks towards 0.5.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import fractions
    >>> find(fractions(), lambda q: True)
    0.5
    """
    return st.just(0.5) | st.floats(0.001, 0.999)


def upper_points() -> st.SearchStrategy[complex]:
    """Points of the upper half-plane, down to 10⁻⁸ above the real axis.

    Returns
    -------
    SearchStrategy of complex
        Shrinks towards 1i.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import upper_points
    >>> find(upper_points(), lambda z: True)
    1j
    """
    return st.builds(complex, st.floats(-20, 20), powers_of_ten(-8, 2))


def class_counts() -> st.SearchStrategy[int]:
    """Numbers of classes, from two to a million.

    Returns
    -------
    SearchStrategy of int
        Shrinks towards 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import class_counts
    >>> find(class_counts(), lambda count: count > 60)
    61
    """
    return st.one_of(st.integers(2, 60), st.integers(2, 10**6))


def seeds() -> st.SearchStrategy[int]:
    """Seeds of random generators.

    Returns
    -------
    SearchStrategy of int
        Shrinks towards 0.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import seeds
    >>> find(seeds(), lambda seed: True)
    0
    """
    return st.integers(0, 2**64)


@st.composite
def populations(
    draw: st.DrawFn, most: int = 4, *, signed: bool = True, zero: bool = True
) -> tuple[list[float], list[float]]:
    """Populations of a generalised Marchenko–Pastur law: atoms, and weights that sum to one.

    Atoms lie up to four decades apart, so spectra with gaps and with small atoms occur.

    Parameters
    ----------
    most : int, optional
        Largest number of atoms.
    signed : bool, optional
        Whether atoms may be negative.
    zero : bool, optional
        Whether atoms at zero occur; at least one atom is not zero.

    Returns
    -------
    SearchStrategy of (list of float, list of float)
        Atoms and weights. Shrinks towards one atom at 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import populations
    >>> find(populations(), lambda population: len(population[0]) == 2)
    ([1.0, 1.0], [0.5, 0.5])
    """
    size = draw(st.integers(1, most))
    sizes = draw(st.lists(powers_of_ten(-2, 2), min_size=size, max_size=size))
    accepted = [1.0, 1.0] + [0.0] * zero + [-1.0] * signed
    signs = draw(st.lists(st.sampled_from(accepted), min_size=size, max_size=size))
    atoms = [a * b for a, b in zip(sizes, signs, strict=True)]
    if not any(atoms):
        atoms[0] = 1.0
    shares = draw(st.lists(powers_of_ten(-2, 0), min_size=size, max_size=size))
    return atoms, [share / sum(shares) for share in shares]
