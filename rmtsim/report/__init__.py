"""One self-contained HTML page of results: from a store, or from a run."""

from rmtsim.report._entries import Entry, entries_of_results, entries_of_store
from rmtsim.report._page import report_page

__all__ = ["Entry", "entries_of_results", "entries_of_store", "report_page"]
