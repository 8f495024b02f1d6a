"""Numba loops only: no validation, no drawing, each fills an ``out`` its wrapper allocated."""
