"""Declarations of statements: their parts, their parameters, and the registry of all statements.

>>> from rmtsim.claims import find
>>> find("dong.thm1.diagonal").kind
'limit'
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
