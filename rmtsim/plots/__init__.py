"""Figures: the only importer of matplotlib."""
