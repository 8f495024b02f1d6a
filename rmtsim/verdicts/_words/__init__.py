"""Verdicts for people: reasons, explanations, tables."""
