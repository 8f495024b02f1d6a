"""Finished results in the store, so that a report can be made of it: the newest per claim and parameter points.

They are used for reports only. No verdict is taken from here: a run computes its verdicts from batches. A store may
come from anywhere, so what is read is bounded in size and number and checked against its SHA-256, and its text is
escaped where it is shown.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim
from rmtsim.runs._identity.code_version import code_version
from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._store.store import Store

LARGEST_CONTENT = 2_000_000
"""Characters of one result, about 500 parameter points; larger ones are neither kept nor read."""

MOST_RESULTS = 20_000
"""Results read of one store, the newest; a run of everything has some hundreds."""

_SINCE = 5
"""Schema version of the store from which on the table has its present columns."""
_COLUMNS = ("claim", "points", "verdict", "code", "finished", "content", "sha256")


@frozen
class StoredResult:
    """One row: the newest result of a claim at these parameter points."""

    claim: str
    points: str
    """The parameter points as JSON, in the order tested."""
    verdict: str
    code: str
    """Version of the sampler's code."""
    finished: float
    """Seconds since 1970."""
    content: str
    """JSON: ``result`` (what ``rmtsim verify --json`` prints), ``record`` (everything, for figures; read it with
    :func:`rmtsim.verdicts._collection.from_record`), ``settings`` (seed, level, budget, quick, draw), ``environment``,
    ``command`` and ``twin`` (the corrected statement of a printed one, or the other way round)."""
    sha256: bytes = b""

    def digest(self) -> bytes:
        """SHA-256 of everything in the row."""
        columns = [
            self.claim,
            self.points,
            self.verdict,
            self.code,
            self.finished,
            self.content,
        ]
        return hashlib.sha256(json.dumps(columns).encode()).digest()

    def fault(self) -> str | None:
        """What is wrong with the row, or None if it is as it was written."""
        texts = (self.claim, self.points, self.verdict, self.code, self.content)
        if not all(isinstance(text, str) for text in texts):
            return "a column that should hold text does not"
        try:
            if not math.isfinite(self.finished):
                return "a column that should hold a number does not"
            if self.digest() != self.sha256:
                return "its SHA-256 differs"
            if not isinstance(self._loaded, dict):
                return "its content is no JSON object"
        except (TypeError, ValueError, RecursionError) as error:
            return f"a column cannot be read ({error})"
        return None

    @functools.cached_property
    def _loaded(self) -> Any:
        return json.loads(self.content, parse_constant=_refused)

    @property
    def parsed(self) -> dict[str, Any]:
        """The content as data; only for a row without :meth:`fault`."""
        found: dict[str, Any] = self._loaded
        return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def keep_result(store: Store, claim: Claim, result: Mapping[str, Any]) -> None:
    """Keep a finished result in place of an older one of the same claim and parameter points.

    ``result`` has the keys ``result``, ``record``, ``settings`` and ``command``; the environment is added here.
    """
    shown = result["result"]
    content = json.dumps({**result, "environment": json.loads(this_environment().text)}, allow_nan=False)
    if len(content) > LARGEST_CONTENT:
        raise ValueError(f"it has {len(content)} characters; expected at most {LARGEST_CONTENT}")
    put_result(
        store,
        StoredResult(
            claim=claim.id,
            points=json.dumps([point["parameters"] for point in shown["points"]], sort_keys=True),
            verdict=str(shown["verdict"]),
            code=code_version(claim),
            finished=time.time(),
            content=content,
        ),
    )


def put_result(store: Store, row: StoredResult) -> None:
    """Write one row, in one transaction of its own."""
    store.execute(
        "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(row.claim, row.points, row.verdict, row.code, row.finished, row.content, row.digest()),
    )


def known_verdicts(store: Store, claims: Sequence[Claim]) -> Counter[str]:
    """Number of ``claims`` by their newest verdict in the store; results of other code do not count.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/runs.sqlite") as store:
    ...     known_verdicts(store, [])
    Counter()
    """
    if not store.query("SELECT 1 FROM sqlite_master WHERE name = 'results'"):
        return Counter()
    rows = store.iterate("SELECT claim, verdict, code FROM results ORDER BY finished")
    newest = {claim: (verdict, code) for claim, verdict, code in rows}
    return Counter(
        newest[claim.id][0]
        for claim in claims
        if claim.id in newest and newest[claim.id][1] == code_version(claim)
    )


def stored_results(
    store: Store, claim: str | None = None, *, damaged: bool = False
) -> Iterator[StoredResult]:
    """Results that are as they were written (or with ``damaged`` those that are not), newest first.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/runs.sqlite") as store:
    ...     list(stored_results(store))
    []
    """
    for row, fault in checked_results(store, claim):
        if (fault is not None) == damaged:
            yield row


def checked_results(store: Store, claim: str | None = None) -> Iterator[tuple[StoredResult, str | None]]:
    """Every result with its fault (None: it is as it was written), newest first.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/runs.sqlite") as store:
    ...     list(checked_results(store))
    []
    """
    if store.query("PRAGMA user_version")[0][0] < _SINCE:
        return  # a file of an earlier schema, opened read-only
    for row in store.iterate(
        f"SELECT {', '.join(_COLUMNS)} FROM results WHERE (? IS NULL OR claim = ?) "
        "AND length(claim) + length(points) + length(verdict) + length(code) + length(content) <= ? "
        "ORDER BY finished DESC LIMIT ?",
        *(claim, claim, LARGEST_CONTENT, MOST_RESULTS),
    ):
        found = StoredResult(*row)
        yield found, found.fault()
