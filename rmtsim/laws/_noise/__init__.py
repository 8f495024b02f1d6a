"""Structured noise X = R^½ Z T^½ and low-rank variance profiles: equations, gaps, law, outliers."""
