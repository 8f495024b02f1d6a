"""Hypothesis strategies for the parameters that occur everywhere."""

from __future__ import annotations

from hypothesis import strategies as st

ratios = st.floats(1e-3, 1e3)
class_counts = st.one_of(st.integers(2, 60), st.integers(2, 10**6))
seeds = st.integers(0, 2**64)


def powers_of_ten(low: float, high: float) -> st.SearchStrategy[float]:
    """Positive numbers with uniform exponents, from 10^low to 10^high."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


law_ratios = powers_of_ten(-3, 3) | st.sampled_from([1.0, 0.999999, 1.000001, 0.25, 4.0])
variances = powers_of_ten(-6, 6)
fractions = st.floats(0.001, 0.999)
upper_points = st.builds(complex, st.floats(-20, 20), powers_of_ten(-8, 2))


@st.composite
def populations(draw, most: int = 4) -> tuple[list[float], list[float]]:
    """Atoms of either sign, zero among them, with weights that sum to one."""
    size = draw(st.integers(1, most))
    sizes = draw(st.lists(powers_of_ten(-2, 2), min_size=size, max_size=size))
    signs = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 1.0]), min_size=size, max_size=size))
    atoms = [a * b for a, b in zip(sizes, signs, strict=True)]
    if not any(atoms):
        atoms[0] = 1.0
    shares = draw(st.lists(powers_of_ten(-2, 0), min_size=size, max_size=size))
    return atoms, [share / sum(shares) for share in shares]
