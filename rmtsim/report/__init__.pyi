from rmtsim.report._entries import entries_of_results as entries_of_results
from rmtsim.report._page import report_page as report_page
