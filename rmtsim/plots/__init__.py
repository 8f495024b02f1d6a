"""Figures; only this package imports matplotlib."""
