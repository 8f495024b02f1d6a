"""Closed forms of `wu`."""
