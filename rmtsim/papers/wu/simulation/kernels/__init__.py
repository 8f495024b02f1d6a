"""Compiled loops that only `wu` uses."""
