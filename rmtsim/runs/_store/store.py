"""The crash-safe store: one row per finished batch, checked by its SHA-256 on every read.

SQLite with a write-ahead log and full synchronisation: when :meth:`Store.put` returns, the batch survives a
kill of the process or of the machine. There is one writer, the process that coordinates the run; workers
hand their batches to it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rmtsim import errors
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import canonical
from rmtsim.claims._model import Claim
from rmtsim.runs._identity.code_version import code_version
from rmtsim.runs._identity.environment import Environment, with_inputs
from rmtsim.runs._identity.inputs import Input, InputsNow
from rmtsim.runs._process import shielded
from rmtsim.runs._store.schema import connect, connect_read_only, log_bytes, named_errors
from rmtsim.runs._work import BatchKey, LostBatch, Measured

_COLUMNS = (
    "key, environments.description, claim, parameters, size, batch, replicates, seed, revision, code, "
    "payload, seconds, memory, finished, sha256"
)
_FROM = "batches JOIN environments ON batches.environment = environments.id"


def batch_digest(
    claim: str, parameters: str, size: int, batch: int, replicates: int, seed: str, code: str
) -> bytes:
    """The key of a batch: SHA-256 of everything that determines its values."""
    text = json.dumps([claim, parameters, size, batch, replicates, seed, code])
    return hashlib.sha256(text.encode()).digest()


def parsed_point(parameters: str) -> dict[str, Any]:
    """The parameter point of a stored text; a text that is none (in a damaged or foreign store) is returned unchanged.

    >>> parsed_point('{"gamma":0.5}'), parsed_point("?")
    ({'gamma': 0.5}, {'?': ''})
    """
    try:
        return dict(json.loads(parameters))
    except (TypeError, ValueError, RecursionError):
        return {str(parameters): ""}


@frozen
class StoredBatch:
    """One row of the store, as read."""

    key: bytes
    environment: str
    claim: str
    parameters: str
    size: int
    batch: int
    replicates: int
    seed: str
    revision: int
    code: str
    payload: bytes
    seconds: float
    memory: float | None
    finished: float
    sha256: bytes

    @property
    def name(self) -> str:
        """Name of the batch in messages."""
        return f"{self.claim}, size {self.size}, batch {self.batch} at {self.parameters} (seed {self.seed})"

    @property
    def values(self) -> NDArray[np.float64]:
        """The batch's values."""
        return np.frombuffer(self.payload, dtype="<f8").astype(np.float64)

    @property
    def point(self) -> dict[str, Any]:
        """The parameter point."""
        return parsed_point(self.parameters)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What the claim's code had read when the batch was computed."""
        return _inputs(self.environment)

    def digest(self) -> bytes:
        """SHA-256 of everything in the row."""
        columns = [
            bytes(self.key).hex(), self.environment, self.claim, self.parameters, self.size, self.batch,
            self.replicates, self.seed, self.revision, self.code, self.seconds, self.memory, self.finished,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(columns).encode() + b"\0" + self.payload).digest()

    def fault(self) -> str | None:
        """What is wrong with the row, or None if it is as it was written."""
        try:
            if self.digest() != self.sha256:
                return "its SHA-256 differs"
            named = batch_digest(
                self.claim, self.parameters, self.size, self.batch, self.replicates, self.seed, self.code
            )
            if named != self.key:
                return "its key is not that of its columns"
            if len(self.payload) != 8 * self.replicates:
                return f"it holds {len(self.payload)} bytes for {self.replicates} values"
        except (TypeError, ValueError, AttributeError) as error:  # a column changed its type
            return f"a column cannot be read ({error})"
        return None


@functools.lru_cache(maxsize=1024)
def _inputs(description: str) -> tuple[Input, ...]:
    try:
        return Environment.parse(description).inputs
    except (TypeError, ValueError, RecursionError):
        return ()  # a damaged row, which is recognised by its SHA-256


@frozen
class Passed:
    """Stored batches of the same name that do not apply: other code, or another environment."""

    older: bool = False
    foreign: bool = False
    changed: str = ""
    """An input (a file, an environment variable) that has changed since."""


class Store:
    """Results on disk; use as a context manager.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.sqlite") as store:
    ...     store.count()
    0
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path).expanduser()
        self._connection = connect_read_only(self.path) if read_only else connect(self.path)
        self._environments: dict[Environment, int] = {}
        self._files: set[tuple[str, str]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last connection to close merges the log into it."""
        self._connection.close()

    @property
    def journal(self) -> str:
        """How the file is kept crash-safe: ``wal``, or ``delete`` where a write-ahead log does not work."""
        return str(self._query("PRAGMA journal_mode")[0][0])

    def missing_bytes(self) -> int:
        """How much shorter the file is than its own page count says (0 while a log waits beside it)."""
        if log_bytes(self.path):
            return 0
        (pages,), (size,) = (*self._query("PRAGMA page_count"), *self._query("PRAGMA page_size"))
        return max(0, int(pages) * int(size) - self.path.stat().st_size)

    def count(self) -> int:
        """Number of stored batches."""
        return int(self._query("SELECT count(*) FROM batches")[0][0])

    def get(
        self, key: BatchKey, numerics: Collection[str], now: InputsNow | None = None
    ) -> tuple[StoredBatch | None, Passed]:
        """The stored batch for ``key`` computed in one of these environments, checked; or why there is none.

        ``numerics`` lists the digests of environments whose results may be combined with ours. Of batches whose code
        has read something, those are taken whose inputs are unchanged ``now``.
        """
        now = InputsNow() if now is None else now
        changed = ""
        code = code_version(key.claim)
        parameters = canonical(dict(key.parameters))
        named = (key.claim.id, parameters, key.size, key.batch, key.replicates, str(key.seed), code)
        digest = batch_digest(*named)
        rows = self._query(
            f"SELECT {_COLUMNS}, environments.numerics FROM {_FROM} WHERE key = ? ORDER BY environment",
            digest,
        )
        for row in rows:
            if row[-1] in numerics:
                stored = StoredBatch(*row[:-1])
                changed = now.changed(stored.inputs)
                if changed:
                    continue
                fault = stored.fault()
                if fault is not None:
                    raise errors.CorruptedRowError(
                        f"{self.path}: the stored batch {key.name} is damaged: {fault}. `rmtsim runs --check` "
                        "lists all damage, `rmtsim runs prune --corrupted` removes it so that it is computed again"
                    )
                return stored, Passed()
        older = self._query(
            "SELECT count(*) FROM batches WHERE claim = ? AND parameters = ? AND size = ? AND batch = ? "
            "AND seed = ? AND code != ?",
            *(key.claim.id, parameters, key.size, key.batch, str(key.seed), code),
        )[0][0]
        return None, Passed(older=bool(older), foreign=bool(rows) and not changed, changed=changed)

    def stored_keys(self, key: BatchKey, numerics: Collection[str], now: InputsNow) -> list[BatchKey]:
        """Batches stored for the claim, point and seed of ``key`` that :meth:`get` returns."""
        rows = self._query(
            f"SELECT size, batch, replicates, environments.numerics, environments.description FROM {_FROM} "
            "WHERE claim = ? AND parameters = ? AND seed = ? AND code = ?",
            *(key.claim.id, canonical(dict(key.parameters)), str(key.seed), code_version(key.claim)),
        )
        found = dict.fromkeys(
            (size, batch, length)
            for size, batch, length, where, description in rows
            if where in numerics and not now.changed(_inputs(description))
        )
        return [replace(key, size=size, batch=batch, replicates=length) for size, batch, length in found]

    def discard(self, claim: Claim) -> int:
        """Remove the batches of a claim that were computed by its present code; their number."""
        return self.execute("DELETE FROM batches WHERE claim = ? AND code = ?", claim.id, code_version(claim))

    def put(self, key: BatchKey, measured: Measured, environment: Environment) -> None:
        """Store a finished batch; when this returns, the batch is safe."""
        self.put_all([(key, measured, environment)])

    def put_all(self, batches: Sequence[tuple[BatchKey, Measured, Environment]]) -> None:
        """Store finished batches in one transaction; when this returns, they are safe."""
        batches = [
            (key, measured, with_inputs(environment, measured.inputs))
            for key, measured, environment in batches
        ]
        rows = [self._row(*each) for each in batches]
        doubled = []
        with shielded(), self.transaction():
            for (key, _, environment), row in zip(batches, rows, strict=True):
                self._note_file(row, key.claim.origin)
                if not self._insert(row, environment):
                    doubled.append((row, key))
        for row, key in doubled:
            self._compare(row, key)

    def _row(self, key: BatchKey, measured: Measured, environment: Environment) -> StoredBatch:
        code = code_version(key.claim)
        parameters = canonical(dict(key.parameters))
        seed = str(key.seed)
        return StoredBatch(
            key=batch_digest(key.claim.id, parameters, key.size, key.batch, key.replicates, seed, code),
            environment=environment.text,
            claim=key.claim.id,
            parameters=parameters,
            size=key.size,
            batch=key.batch,
            replicates=key.replicates,
            seed=seed,
            revision=key.claim.revision,
            code=code,
            payload=np.ascontiguousarray(measured.values, dtype="<f8").tobytes(),
            seconds=float(measured.seconds),
            memory=None if measured.memory is None else float(measured.memory),
            finished=time.time(),
            sha256=b"",
        )

    def _insert(self, row: StoredBatch, environment: Environment) -> bool:
        with named_errors(self.path):
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row.key, self._environment(environment), row.claim, row.parameters, row.size, row.batch,
                    row.replicates, row.seed, row.revision, row.code, row.payload, row.seconds, row.memory,
                    row.finished, row.digest(),
                ),
            )  # fmt: skip
            return cursor.rowcount == 1

    def _note_file(self, row: StoredBatch, path: str | None) -> None:
        """Record the file of a user's claim, which cannot be found by its name alone."""
        if path is not None and (row.claim, row.code) not in self._files:
            self._connection.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (row.claim, row.code, path)
            )
            self._files.add((row.claim, row.code))

    def _compare(self, row: StoredBatch, key: BatchKey) -> None:
        """Check that a batch stored by another process meanwhile has the same bytes."""
        existing = self._query(
            f"SELECT payload FROM {_FROM} WHERE key = ? AND environments.description = ?",
            row.key,
            row.environment,
        )[0][0]
        if existing != row.payload:
            raise errors.NotReproducibleError(
                f"{self.path}: {key.name} gave other bytes than the stored ones in the same environment; its "
                "sampler uses randomness or state besides the generator it is given"
            )

    def _environment(self, environment: Environment) -> int:
        if environment not in self._environments:
            self._connection.execute(
                "INSERT OR IGNORE INTO environments (description, numerics) VALUES (?, ?)",
                (environment.text, environment.numerics),
            )
            found = self._query("SELECT id FROM environments WHERE description = ?", environment.text)
            self._environments[environment] = int(found[0][0])
        return self._environments[environment]

    def put_rows(self, rows: Sequence[StoredBatch]) -> None:
        """Take over rows of another store, as they are, in one transaction."""
        with shielded(), self.transaction():
            for row in rows:
                self._insert(row, Environment.parse(row.environment))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All that happens in the block, or nothing."""
        with named_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._environments.clear()
                self._files.clear()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def put_lost(self, lost: LostBatch) -> None:
        """Record a batch that was given up."""
        key = lost.key
        with shielded(), named_errors(self.path):
            self._connection.execute(
                "INSERT INTO lost (claim, parameters, size, batch, replicates, seed, deaths, cause, happened) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key.claim.id, canonical(dict(key.parameters)), key.size, key.batch, key.replicates,
                    str(key.seed), lost.deaths, lost.cause, time.time(),
                ),
            )  # fmt: skip

    def rows(self, claim: str | None = None) -> Iterator[StoredBatch]:
        """Every stored batch (or those of one claim), in order of claim, point, seed, size and batch."""
        for _, row in self.numbered_rows(claim):
            yield row

    def numbered_rows(self, claim: str | None = None) -> Iterator[tuple[int, StoredBatch]]:
        """The same with the numbers of their environments, also rows whose environment is missing."""
        where, arguments = ("WHERE claim = ?", (claim,)) if claim is not None else ("", ())
        with named_errors(self.path):
            for number, *columns in self._connection.execute(
                f"SELECT batches.environment, {_COLUMNS} FROM batches LEFT JOIN environments "
                f"ON batches.environment = environments.id {where} ORDER BY claim, parameters, size, batch, seed",
                arguments,
            ):
                yield number, StoredBatch(*columns)

    def iterate(self, statement: str, *arguments: Any) -> Iterator[tuple[Any, ...]]:
        """Rows of one statement that reads, one at a time."""
        with named_errors(self.path):
            yield from self._connection.execute(statement, arguments)

    def execute(self, statement: str, *arguments: Any) -> int:
        """Run one statement that changes the store; returns the number of rows it changed."""
        with shielded(), named_errors(self.path):
            return self._connection.execute(statement, arguments).rowcount

    def query(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Rows of one statement that reads."""
        return self._query(statement, *arguments)

    def _query(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        with named_errors(self.path):
            return self._connection.execute(statement, arguments).fetchall()
