"""Statistics of a verdict: finite-size fits, anytime-valid intervals, families."""
