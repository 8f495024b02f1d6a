"""The store's tables, their versions, and how a file is opened, recognised and brought up to date."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from rmtsim import errors
from rmtsim.runs._store import location as store_location

__all__ = ["APPLICATION", "MIGRATIONS", "connect", "connect_read_only", "named_errors"]

APPLICATION = 0x726D7473
"""SQLite's application id of a store: the letters rmts."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (  # 1: finished batches and where they were computed
        """CREATE TABLE environments (
            id INTEGER PRIMARY KEY,
            description TEXT NOT NULL UNIQUE,
            numerics TEXT NOT NULL
        )""",
        """CREATE TABLE batches (
            key BLOB NOT NULL,
            environment INTEGER NOT NULL REFERENCES environments (id),
            claim TEXT NOT NULL,
            parameters TEXT NOT NULL,
            size INTEGER NOT NULL,
            batch INTEGER NOT NULL,
            replicates INTEGER NOT NULL,
            seed TEXT NOT NULL,
            revision INTEGER NOT NULL,
            code TEXT NOT NULL,
            payload BLOB NOT NULL,
            seconds REAL NOT NULL,
            memory REAL,
            finished REAL NOT NULL,
            sha256 BLOB NOT NULL,
            PRIMARY KEY (key, environment)
        ) WITHOUT ROWID""",
        "CREATE INDEX batches_by_point ON batches (claim, parameters, size, batch, seed)",
    ),
    (  # 2: batches that were given up because they killed their workers
        """CREATE TABLE lost (
            id INTEGER PRIMARY KEY,
            claim TEXT NOT NULL,
            parameters TEXT NOT NULL,
            size INTEGER NOT NULL,
            batch INTEGER NOT NULL,
            replicates INTEGER NOT NULL,
            seed TEXT NOT NULL,
            deaths INTEGER NOT NULL,
            cause TEXT NOT NULL,
            happened REAL NOT NULL
        )""",
    ),
    (  # 3: files that claims of users come from
        """CREATE TABLE files (
            claim TEXT NOT NULL,
            code TEXT NOT NULL,
            path TEXT NOT NULL,
            PRIMARY KEY (claim, code)
        ) WITHOUT ROWID""",
    ),
    (  # 4: results, for reports; verdicts never read them
        """CREATE TABLE results (
            claim TEXT NOT NULL,
            points TEXT NOT NULL,
            control REAL NOT NULL,
            verdict TEXT NOT NULL,
            code TEXT NOT NULL,
            finished REAL NOT NULL,
            content TEXT NOT NULL,
            sha256 BLOB NOT NULL,
            PRIMARY KEY (claim, points, control)
        ) WITHOUT ROWID""",
    ),
)
"""Statements that lead from each schema version to the next; a new file takes all of them."""

_WAIT_SECONDS = 60.0
_ADVICE = "give --store another path, or --no-store"


@contextlib.contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours, which name the file, the trouble and the way out."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None) or 0
        text = f"{path}: "
        match code & 0xFF:
            case sqlite3.SQLITE_FULL:
                raise errors.StoreFullError(
                    f"{text}the disk is full; every batch acknowledged so far is kept. Free some room, prune "
                    f"(`rmtsim runs prune`), or {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_READONLY:
                raise errors.ReadOnlyStoreError(
                    f"{text}the store is read-only; it can still be listed. To compute, {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                raise errors.StoreBusyError(
                    f"{text}another process has kept the store locked for {_WAIT_SECONDS:.0f} s; wait for it, "
                    f"or {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_NOTADB:
                raise errors.NotAStoreError(
                    f"{text}not a store of rmtsim (nor any database); {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_CORRUPT:
                raise errors.CorruptedStoreError(
                    f"{text}the file is damaged ({error}). `rmtsim runs --check` says what is lost, `rmtsim runs "
                    "salvage NEW` copies every batch that is whole"
                ) from error
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
                raise errors.StoreError(f"{text}cannot be opened ({error}); {_ADVICE}") from error
            case sqlite3.SQLITE_IOERR:
                raise errors.StoreError(
                    f"{text}the disk refused to read or write ({error}); every batch acknowledged so far is "
                    f"kept. Look at the disk, or {_ADVICE}"
                ) from error
        raise errors.StoreError(f"{text}{error}") from error


def connect(path: Path) -> sqlite3.Connection:
    """A connection that reads and writes; makes the file if there is none and brings old ones up to date."""
    _refuse_what_is_no_file(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise errors.StoreError(
            f"{path}: its folder cannot be made ({error.strerror or error}); {_ADVICE}"
        ) from error
    with named_errors(path):
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            _recognise(connection, path)
            _set_journal(connection, path)
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection that never writes, also to a file or folder that cannot be written."""
    _refuse_what_is_no_file(path)
    if not path.exists():
        raise errors.NotAStoreError(f"{path}: there is no store here; `rmtsim verify` makes one")
    log = path.with_name(path.name + "-wal")
    modes = ["mode=ro"]
    if not log.exists() or log.stat().st_size == 0:
        # Reading a write-ahead database makes a file beside it; where that is forbidden and nothing waits
        # in the log, the main file alone is the whole truth.
        modes.append("mode=ro&immutable=1")
    with named_errors(path):
        for position, mode in enumerate(modes):
            connection = sqlite3.connect(
                f"file:{quote(str(path.absolute()))}?{mode}",
                uri=True,
                timeout=_WAIT_SECONDS,
                isolation_level=None,
            )
            try:
                _recognise(connection, path, empty_allowed=False)
                return connection
            except sqlite3.OperationalError as error:
                connection.close()
                code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
                refused = code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
                if not refused or position + 1 == len(modes):
                    raise
            except BaseException:
                connection.close()
                raise
    raise AssertionError("unreachable: the last mode either returns or raises")


def _refuse_what_is_no_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise errors.NotAStoreError(f"{path}: not a file; {_ADVICE}")


def _recognise(connection: sqlite3.Connection, path: Path, *, empty_allowed: bool = True) -> None:
    """Refuse a database that is not ours, or from the future."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application == 0 and version == 0 and tables == 0:
        if empty_allowed:
            return
        raise errors.NotAStoreError(f"{path}: empty, no store of rmtsim (was it cut short?)")
    if application == APPLICATION and _foreign_parts(connection):
        raise errors.NotAStoreError(
            f"{path}: holds {_foreign_parts(connection)[0]}, which no store of rmtsim has; {_ADVICE}"
        )
    if application != APPLICATION:
        raise errors.NotAStoreError(f"{path}: a database of another program, no store of rmtsim; {_ADVICE}")
    if version > len(MIGRATIONS):
        raise errors.StoreVersionError(
            f"{path}: written by a newer rmtsim (schema {version}, this one knows {len(MIGRATIONS)}); "
            f"upgrade rmtsim, or {_ADVICE}"
        )


def _foreign_parts(connection: sqlite3.Connection) -> list[str]:
    """Views and triggers: a file from elsewhere could make reading it run for ever, or writing do something else."""
    connection.execute("PRAGMA trusted_schema = OFF")
    found = connection.execute("SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')")
    return [f"a {kind} ({name})" for kind, name in found]


def _set_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Write-ahead log on local disks; on network file systems, where it does not work, a rollback journal.

    The write-ahead log keeps its index in memory shared by processes of one machine. The rollback journal
    needs only locks and ``fsync``; the exclusive lock keeps a second machine out for as long as we write.
    """
    network = store_location.is_network(store_location.filesystem(path))
    if not network:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        network = str(mode).lower() != "wal"
    if network:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _migrate(connection: sqlite3.Connection) -> None:
    """Each step is one transaction, so a kill in the middle leaves the file at one version or the next."""
    while True:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version >= len(MIGRATIONS):
                connection.execute("ROLLBACK")
                return
            if version == 0:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
