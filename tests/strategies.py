"""Hypothesis strategies for the parameters that occur everywhere."""

from __future__ import annotations

from hypothesis import strategies as st

ratios = st.floats(1e-3, 1e3)
class_counts = st.one_of(st.integers(2, 60), st.integers(2, 10**6))
seeds = st.integers(0, 2**64)
