"""Figures that only a study draws; each takes what the study measured."""
