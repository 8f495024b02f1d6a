"""Helpers that every part of the package uses: validation, streams, caches, compiled functions."""
