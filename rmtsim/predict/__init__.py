"""Closed forms and exact integrals: the theory side of a claim; imports nothing of the simulation side."""
