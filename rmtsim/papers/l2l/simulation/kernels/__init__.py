"""Compiled loops that only `l2l` uses."""
