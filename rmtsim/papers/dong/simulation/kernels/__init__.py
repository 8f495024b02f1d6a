"""Compiled loops that only `dong` uses."""
