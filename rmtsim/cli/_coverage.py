"""``rmtsim claims --coverage``: the inventories of papers, statement by statement."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from rmtsim.claims._coverage import coverage
from rmtsim.claims._papers import PAPERS
from rmtsim.cli._common import print_json, wide_console


def show_coverage(papers: list[str] | None, *, as_json: bool) -> int:
    """Print the inventories of these papers, or the counts of all papers; the exit code."""
    keys = papers or list(PAPERS)
    for key in keys:
        if key not in PAPERS:
            raise ValueError(f"--paper {key}: expected one of {', '.join(PAPERS)}")
    found = {key: coverage(key) for key in keys}
    if as_json:
        print_json(
            [
                {"paper": key, "rows": None if rows is None else [row.as_json() for row in rows]}
                for key, rows in found.items()
            ]
        )
        return 0
    console = wide_console()
    table = Table("paper", "statements", "with claims", "without")
    for key, rows in found.items():
        if rows is None:
            table.add_row(key, "no inventory", "", "")
        else:
            tested = sum(bool(row.claims) for row in rows)
            table.add_row(key, str(len(rows)), str(tested), str(len(rows) - tested))
    console.print(table)
    for key in papers or ():
        _print_rows(key, console)
    return 0


def _print_rows(paper: str, console: Console) -> None:
    table = Table("place", "statement", "claims, or why there is none")
    for row in coverage(paper) or ():
        table.add_row(row.at, row.says, "\n".join(row.claims) or row.reason)
    console.print(table)
