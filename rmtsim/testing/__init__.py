"""Claims in test suites, Hypothesis strategies, and checks of other people's code.

>>> from rmtsim.testing import assert_mean
>>> assert_mean(lambda rng: rng.exponential(), 1.0, tolerance=0.1).verdict
<Verdict.CONFIRMED: 'CONFIRMED'>
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
