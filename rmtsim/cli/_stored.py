"""Verdicts of earlier runs in the store, for commands that show them."""

from __future__ import annotations

from pathlib import Path

from rmtsim.errors import NotAStoreError

VERDICTS = ("confirmed", "untested", "refuted", "inconclusive", "new")
"""Names of verdicts in options; ``new`` is a claim without a result."""


def newest_verdicts(path: str | None) -> dict[str, str]:
    """The newest verdict kept on each claim; nothing without a default store."""
    from rmtsim.runs._store.results import stored_results
    from rmtsim.runs._store.schema import default_path
    from rmtsim.runs._store.store import Store

    found: dict[str, str] = {}
    try:
        with Store(Path(path or default_path()), read_only=True) as store:
            for each in stored_results(store):
                found.setdefault(each.claim, each.verdict.lower())
    except NotAStoreError:
        if path is not None:
            raise
    return found
