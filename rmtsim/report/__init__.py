"""One self-contained HTML page of results: from a store, or from a run."""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
