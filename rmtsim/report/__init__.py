"""A self-contained HTML page of results.

>>> from rmtsim import verify
>>> from rmtsim.report import entries_of_results, report_page
>>> report_page(entries_of_results(verify("dong.thm1.diagonal-limit"))).startswith("<!doctype html>")
True
"""

from rmtsim._internal.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
