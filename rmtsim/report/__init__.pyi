from rmtsim.report._entries import (
    Entry as Entry,
    entries_of_results as entries_of_results,
    entries_of_store as entries_of_store,
)
from rmtsim.report._page import report_page as report_page
