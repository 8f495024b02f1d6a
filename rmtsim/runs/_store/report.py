"""Contents of a store: summaries, checks, exports and removal of batches."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, TextIO

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._registry import find
from rmtsim.errors import StoreError, UnknownClaimError
from rmtsim.runs._identity.code_version import code_version
from rmtsim.runs._identity.environment import Environment
from rmtsim.runs._store.results import StoredResult, stored_results
from rmtsim.runs._store.store import Store, StoredBatch, parsed_point


@frozen
class Summary:
    """Batches of one claim at one parameter point, seed and code version."""

    claim: str
    parameters: str
    seed: str
    code: str
    state: str
    """``current``, ``stale`` (another version of the sampler), ``file`` (a claim of a user's file, which is not
    run to list it) or ``unknown`` (no such claim here)."""
    sizes: tuple[int, ...]
    batches: int
    replicates: int
    seconds: float
    finished: float
    file: str | None
    """Where a user's claim comes from."""


def summaries(store: Store, claim: str | None = None) -> list[Summary]:
    """What the store holds, by claim, parameter point, seed and code version."""
    files = _files(store)
    rows = store.query(
        "SELECT claim, parameters, seed, code, group_concat(DISTINCT size), count(*), sum(replicates), "
        "sum(seconds), max(finished) FROM batches WHERE ? IS NULL OR claim = ? "
        "GROUP BY claim, parameters, seed, code ORDER BY claim, parameters, seed, max(finished)",
        claim,
        claim,
    )
    return [
        Summary(
            str(name),
            str(parameters),
            str(seed),
            str(code),
            "file" if (name, code) in files else _state(name, code),
            _whole_numbers(sizes),
            batches,
            int(_number(replicates)),
            _number(seconds),
            _number(finished),
            files.get((name, code)),
        )
        for name, parameters, seed, code, sizes, batches, replicates, seconds, finished in rows
    ]


def _number(value: Any) -> float:
    """A number from a column that may hold anything, if the store is damaged or foreign."""
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e300 else 0.0


def _whole_numbers(joined: Any) -> tuple[int, ...]:
    parts = str(joined).split(",")
    return tuple(sorted(int(part) for part in parts if part.lstrip("-").isdecimal() and len(part) < 20)) or (
        0,
    )


def _files(store: Store) -> dict[tuple[str, str], str]:
    """Files of users' claims, by claim and code version."""
    if not store.query("SELECT 1 FROM sqlite_master WHERE name = 'files'"):
        return {}  # a file of an earlier schema, opened read-only
    return {(claim, code): path for claim, code, path in store.query("SELECT claim, code, path FROM files")}


def _state(claim: str, code: str) -> str:
    current = _current_code(claim)
    if current is None:
        return "unknown"
    return "current" if current == code else "stale"


def _current_code(claim: str) -> str | None:
    try:
        return code_version(find(claim))
    except UnknownClaimError:
        return None


def lost(store: Store) -> list[dict[str, Any]]:
    """Batches that were given up because they killed their workers."""
    names = ("claim", "parameters", "size", "batch", "replicates", "seed", "deaths", "cause", "happened")
    if not store.query("SELECT 1 FROM sqlite_master WHERE name = 'lost'"):
        return []  # a file of the first schema, opened read-only
    rows = store.query(f"SELECT {', '.join(names)} FROM lost ORDER BY happened")
    return [dict(zip(names, row, strict=True)) for row in rows]


def check(store: Store) -> Iterator[str]:
    """Everything that is wrong with a store: the file's structure, every row's SHA-256, key and length."""
    try:
        missing = store.missing_bytes()
        if missing:
            yield f"file structure: the file is {missing} bytes too short"
        for (finding,) in store.query("PRAGMA integrity_check(100)"):
            if finding != "ok":
                yield f"file structure: {finding}"
        for table, row, parent, _ in store.query("PRAGMA foreign_key_check"):
            yield f"file structure: row {row} of {table} refers to a missing row of {parent}"
        for identity, description, numerics in store.query(
            "SELECT id, description, numerics FROM environments"
        ):
            try:
                sound = Environment.parse(description).numerics == numerics
            except (TypeError, ValueError):
                sound = False
            if not sound:
                yield f"environment {identity}: its description is damaged"
        for row in store.rows():
            fault = row.fault()
            if fault is not None:
                yield f"{row.name}: {fault}"
        for result in stored_results(store, damaged=True):
            yield f"result of {result.claim} at {str(result.points)[:200]}: {result.fault()}"
    except StoreError as error:
        yield str(error)


_COLUMNS = (
    "claim", "parameters", "size", "batch", "replicate", "value", "seed", "revision", "code", "environment",
    "seconds", "memory", "finished",
)  # fmt: skip


def export_csv(rows: Iterable[StoredBatch], target: TextIO) -> None:
    """One line per value, so that any table tool can read it; times are those of the whole batch."""
    writer = csv.writer(target)
    writer.writerow(_COLUMNS)
    for row in rows:
        for replicate, value in enumerate(row.values):
            writer.writerow(
                [
                    row.claim, row.parameters, row.size, row.batch, replicate, repr(float(value)), row.seed,
                    row.revision, row.code, row.environment, row.seconds, row.memory, row.finished,
                ]
            )  # fmt: skip


def export_json(rows: Iterable[StoredBatch], target: TextIO) -> None:
    """An array with one object per batch; written as it is read, so memory stays flat."""
    target.write("[")
    for number, row in enumerate(rows):
        content = asdict(row)
        content.update(
            key=row.key.hex(),
            parameters=row.point,
            environment=parsed_point(row.environment),
            sha256=row.sha256.hex(),
            values=row.values.tolist(),
        )
        del content["payload"]
        target.write(",\n" if number else "\n")
        json.dump(content, target, ensure_ascii=False, allow_nan=False)
    target.write("\n]\n")


def prune(
    store: Store,
    *,
    claim: str | None = None,
    stale: bool = False,
    corrupted: bool = False,
    before: float | None = None,
    everything: bool = False,
    dry_run: bool = False,
) -> int:
    """Remove batches, and results, that meet any of the conditions; returns how many batches.

    With ``claim`` alone all batches of that claim are removed; together with a condition it restricts the condition.
    """
    chosen: set[tuple[Any, Any]] = set()
    files = _files(store)
    alone = claim is not None and not (stale or corrupted or before is not None or everything)

    def unwanted(row: StoredBatch | StoredResult) -> bool:
        return (
            everything
            or alone
            or (before is not None and row.finished < before)
            or (
                stale
                and (row.claim, row.code) not in files
                and _current_code(row.claim) not in (None, row.code)
            )
            or (corrupted and row.fault() is not None)
        )

    for environment, row in store.numbered_rows(claim):
        if unwanted(row):
            chosen.add((row.key, environment))
    if dry_run:
        return len(chosen)
    results = [
        (result.claim, result.points)
        for damaged in (False, True)
        for result in stored_results(store, claim, damaged=damaged)
        if unwanted(result)
    ]
    with store.transaction():
        for key, environment in chosen:
            store.execute("DELETE FROM batches WHERE key IS ? AND environment IS ?", key, environment)
        for result_key in results:
            store.execute("DELETE FROM results WHERE claim IS ? AND points IS ?", *result_key)
        if everything and claim is None:
            store.execute("DELETE FROM results")  # also those too large to be read
        if corrupted:
            _mend_environments(store)
    if corrupted:
        store.execute("REINDEX")
    store.execute("VACUUM")
    return len(chosen)


def _mend_environments(store: Store) -> None:
    """After the damaged rows are gone: environments that no row uses go too, the others get their digest back."""
    store.execute("DELETE FROM environments WHERE id NOT IN (SELECT environment FROM batches)")
    for number, description in store.query("SELECT id, description FROM environments"):
        # Rows are kept only if their SHA-256, which covers the description, is right: so is the description.
        numerics = Environment.parse(description).numerics
        store.execute("UPDATE environments SET numerics = ? WHERE id = ?", numerics, number)
