from rmtsim.report._entries import entries_of_results as entries_of_results
from rmtsim.report._page import report_page as report_page
from rmtsim.report._paper import (
    badge_json as badge_json,
    bibtex as bibtex,
    csv_table as csv_table,
    junit as junit,
    latex_table as latex_table,
    markdown_table as markdown_table,
    sentence as sentence,
)
