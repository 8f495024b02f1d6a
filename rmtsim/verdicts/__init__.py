"""Verdicts: evidence (what was measured), finite-size models, examinations, words, and calibration of all that.

What runs an examination loads on first use: a page of results needs none of it.
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
