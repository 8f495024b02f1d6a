"""Numba loops without validation or random draws; each fills an array ``out`` that its wrapper allocates."""
