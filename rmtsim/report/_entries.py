"""What a report is about: the results of a store, or of one run, one entry per claim.

A store may come from anywhere. Records are checked as they are read, commands are shown only if they are rmtsim's own
and quoted for a shell, and what cannot be read is left out and counted.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._papers import PAPERS
from rmtsim.report._paper import given_results
from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._store.results import StoredResult, checked_results
from rmtsim.runs._store.store import Store
from rmtsim.verdicts._collection import LONGEST_TEXT, from_record
from rmtsim.verdicts._results import ClaimResult

MOST_CLAIMS = 2000
"""Claims on one page; a run of everything has some hundreds."""

_SETTINGS: dict[str, tuple[type, ...]] = {
    "seed": (int,),
    "level": (float, int),
    "budget": (float, int),
    "quick": (bool,),
    "draw": (int,),
}


@frozen
class Entry:
    """One result with what is needed to reproduce it."""

    result: ClaimResult
    command: str = ""
    """The command; empty for a run in Python, and for text that is not a command of rmtsim."""
    settings: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    finished: float | None = None
    """Seconds since 1970."""
    code: str = ""
    """Version of the sampler's code."""
    twin: str = ""
    """The corrected statement of a printed one, or the other way round; empty if there is none or it was not kept."""
    others: tuple[Entry, ...] = ()
    """The same claim at other parameter points."""

    @property
    def paper(self) -> str:
        """Key of the paper, the first word of the source."""
        return self.result.source.partition(" ")[0]


@frozen
class Contents:
    """Everything a page shows."""

    entries: tuple[Entry, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """(claim, why) of results that could not be read."""
    origin: str = ""
    """Where the results are from, in words."""


def entries_of_store(store: Store) -> Contents:
    """The newest results of a store: for each claim the one at the most parameter points, the others beside it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/runs.sqlite") as store:
    ...     entries_of_store(store).entries
    ()
    """
    found: list[Entry] = []
    left_out: list[tuple[str, str]] = []
    for row, fault in checked_results(store):
        if fault is not None:
            left_out.append((row.claim, fault))
            continue
        try:
            found.append(_entry(row))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            left_out.append((row.claim, str(error)))
    return _contents(found, left_out, "results kept in a store")


def entries_of_results(
    results: Sequence[ClaimResult], *, command: str = "", settings: Mapping[str, Any] | None = None
) -> Contents:
    """Contents of a report: the results of one run.

    Parameters
    ----------
    results : sequence of ClaimResult
        Results of :func:`rmtsim.verify`.
    command : str, optional
        Command that produced them; shown only if it is a command of rmtsim.
    settings : mapping, optional
        Settings of the run: seed, level, budget, quick, draw.

    Returns
    -------
    Contents
        Argument of :func:`report_page`.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import entries_of_results
    >>> len(entries_of_results(verify("dong.thm1.diagonal-limit")).entries)
    1
    """
    results = given_results(results)
    environment = json.loads(this_environment().text)
    entries = [
        Entry(result, checked_command(command), _settings(dict(settings or {})), environment)
        for result in results
    ]
    return _contents(entries, [], "results of one run")


def _contents(found: Sequence[Entry], left_out: Sequence[tuple[str, str]], origin: str) -> Contents:
    by_claim: dict[str, list[Entry]] = {}
    for entry in found:
        by_claim.setdefault(entry.result.claim, []).append(entry)
    entries = [_main(group) for group in by_claim.values()]
    entries.sort(key=_place)
    left = list(left_out)
    if len(entries) > MOST_CLAIMS:
        left.append((f"{len(entries) - MOST_CLAIMS} claims", f"a page shows {MOST_CLAIMS}"))
    return Contents(tuple(entries[:MOST_CLAIMS]), tuple(left), origin)


def _main(group: list[Entry]) -> Entry:
    """The main result of a claim: at the most points, the newest of these."""
    chosen = max(group, key=lambda entry: len(entry.result.points))
    return replace(chosen, others=tuple(entry for entry in group if entry is not chosen))


def _place(entry: Entry) -> tuple[int, str, list[tuple[int, int, str]]]:
    """Papers in their order, own claims after them, names as people count, the printed before the corrected."""
    keys = list(PAPERS)
    rank = keys.index(entry.paper) if entry.paper in keys else len(keys)
    pieces = re.findall(r"\d{1,9}|\D+|\d", entry.result.claim)
    return (
        rank,
        entry.paper if rank == len(keys) else "",
        [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces],
    )


def _entry(row: StoredResult) -> Entry:
    kept = row.parsed
    environment = kept.get("environment")
    return Entry(
        from_record(kept["record"]),
        checked_command(kept.get("command")),
        _settings(kept.get("settings")),
        {str(name): str(value)[:200] for name, value in environment.items()}
        if isinstance(environment, dict)
        else {},
        row.finished,
        row.code[:80],
        _twin(kept.get("twin")),
    )


def _twin(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST_TEXT else ""


def _settings(value: Any) -> dict[str, Any]:
    """Known settings of the right type; a bool is no number here."""
    if not isinstance(value, Mapping):
        return {}
    return {
        name: value[name]
        for name, kinds in _SETTINGS.items()
        if isinstance(value.get(name), kinds) and isinstance(value[name], bool) == (kinds == (bool,))
    }


def checked_command(text: Any) -> str:
    """A command of rmtsim, each word quoted, so that pasting it runs nothing else; empty for anything else.

    >>> checked_command("rmtsim verify 'dong.thm1.*'; rm -r x")
    "rmtsim verify 'dong.thm1.*;' rm -r x"
    >>> checked_command("curl x | sh"), checked_command(None)
    ('', '')
    """
    if not isinstance(text, str) or not text.isprintable() or len(text) > 2000:
        return ""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return shlex.join(words) if words[:2] == ["rmtsim", "verify"] else ""
