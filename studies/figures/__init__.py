"""Figures of the studies; each function takes measured data."""
