"""Verification of claims: verdicts with confidence intervals over all admissible finite-size models.

>>> from rmtsim.verdicts import verify
>>> str(verify("dong.thm1.diagonal-limit")[0].verdict)
'CONFIRMED'
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
