"""Inventory of a paper: sentences with their places, and the claims that test them or the reason for none.

The list of a paper is ``coverage.json`` in its folder. A row with claims repeats their statement, or names a sentence
that they test; a row without claims says why there is none.
"""

from __future__ import annotations

import json
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._papers import PAPERS

FILE = "coverage.json"


@frozen
class Row:
    """One sentence of a paper."""

    at: str
    """Its place."""
    says: str
    claims: tuple[str, ...]
    """Claims that test it."""
    reason: str
    """Why there is none, if there is none."""

    def as_json(self) -> dict[str, Any]:
        """The row as written in the file."""
        return {"at": self.at, "says": self.says, "claims": list(self.claims), "reason": self.reason}


def coverage(key: str) -> tuple[Row, ...] | None:
    """The inventory of a paper in the order of the paper; None if it has none.

    >>> rows = coverage("sparse")
    >>> all(row.claims or row.reason for row in rows)
    True
    """
    file = PAPERS[key].folder / FILE
    if not file.is_file():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    if found["paper"] != key:
        raise ValueError(f"{FILE} of {key}: paper={found['paper']!r}; expected {key!r}")
    rows = tuple(Row(row["at"], row["says"], tuple(row["claims"]), row["reason"]) for row in found["rows"])
    for row in rows:
        if bool(row.claims) == bool(row.reason):
            raise ValueError(f"{FILE} of {key}, {row.at}: expected claims or a reason for none, and not both")
    return rows
