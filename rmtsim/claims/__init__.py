"""What a statement is: its declaration, its parameters, and the registry of all statements."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
