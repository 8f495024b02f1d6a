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
