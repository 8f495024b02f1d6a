"""Limiting spectral laws: frozen values with one protocol; imports nothing of the simulation side."""
