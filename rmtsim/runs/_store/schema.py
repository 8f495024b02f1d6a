"""Location of the store, its tables and their versions, and how a file is opened, recognised and brought up to date."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from rmtsim import errors

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
    (  # 5: results without the column of controls
        "DROP TABLE results",
        """CREATE TABLE results (
            claim TEXT NOT NULL,
            points TEXT NOT NULL,
            verdict TEXT NOT NULL,
            code TEXT NOT NULL,
            finished REAL NOT NULL,
            content TEXT NOT NULL,
            sha256 BLOB NOT NULL,
            PRIMARY KEY (claim, points)
        ) WITHOUT ROWID""",
    ),
)
"""Statements that lead from each schema version to the next; a new file takes all of them."""

_WAIT_SECONDS = 60.0
_SALVAGE = (
    "`rmtsim runs --check` says what is lost, `rmtsim runs salvage NEW` copies every batch that is whole"
)
_ADVICE = "give --store another path, or --no-store"


@contextlib.contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours, which name the file, the problem and a remedy."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise errors.CorruptedStoreError(
            f"{path}: the file is damaged (a name or text in it is invalid); {_SALVAGE}"
        ) from error
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
                    f"{text}waited {_WAIT_SECONDS:.0f} s for the lock that {_lock_holder(path)} has on the store; wait "
                    f"until it ends, or {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_NOTADB:
                raise errors.NotAStoreError(
                    f"{text}not a store of rmtsim (nor any database); {_ADVICE}"
                ) from error
            case sqlite3.SQLITE_CORRUPT:
                raise errors.CorruptedStoreError(
                    f"{text}the file is damaged ({error}); {_SALVAGE}"
                ) from error
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
                raise errors.StoreError(f"{text}cannot be opened ({error}); {_ADVICE}") from error
            case sqlite3.SQLITE_IOERR:
                raise errors.StoreError(
                    f"{text}the disk refused to read or write ({error}); every batch acknowledged so far is "
                    f"kept. Check the disk, or {_ADVICE}"
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
        deadline = time.monotonic() + _WAIT_SECONDS
        while True:
            left = max(0.1, deadline - time.monotonic())
            connection = sqlite3.connect(path, timeout=left, isolation_level=None)
            try:
                _create_or_recognise(connection, path)
                _set_journal(connection, path)
                return connection
            except sqlite3.OperationalError as error:
                connection.close()
                # Some steps, such as the change to a write-ahead log, fail at once while another process takes them.
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0.001, 0.02))
            except BaseException:
                connection.close()
                raise


def _is_busy(error: sqlite3.Error) -> bool:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _lock_holder(path: Path) -> str:
    """The process that has locked a file, as far as the system says."""
    try:
        files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
        inodes = {str(file.stat().st_ino) for file in files if file.exists()}
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            kind, access, process, inode = fields[1], fields[3], fields[4], fields[5].rpartition(":")[2]
            if (kind, access) == ("POSIX", "WRITE") and inode in inodes and process != str(os.getpid()):
                return f"another process (number {process})"
    except (OSError, ValueError, IndexError):
        pass
    return "another process"


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection that never writes, also to a file or folder that cannot be written."""
    _refuse_what_is_no_file(path)
    if not path.exists():
        raise errors.NotAStoreError(f"{path}: there is no store here; `rmtsim verify` makes one")
    modes = ["mode=ro"]
    if log_bytes(path) == 0:
        # Reading a database with a write-ahead log creates a further file; if that is forbidden and the log is empty,
        # the main file alone is read.
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
                connection.execute("BEGIN")  # so that what is read belongs together
                _recognise(connection, path, empty_allowed=False)
                connection.execute("ROLLBACK")
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


def log_bytes(path: Path) -> int:
    """Size of the write-ahead log beside a store; 0 if there is none."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except OSError:
        return 0


def _refuse_what_is_no_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise errors.NotAStoreError(f"{path}: not a file; {_ADVICE}")


def _recognise(connection: sqlite3.Connection, path: Path, *, empty_allowed: bool = True) -> None:
    """Refuse a database that is not a store of rmtsim, or was written by a newer version."""
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
    """Views and triggers: they could make reading a foreign file run forever, or have side effects when writing."""
    connection.execute("PRAGMA trusted_schema = OFF")
    found = connection.execute("SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')")
    return [f"a {kind} ({name})" for kind, name in found]


def _set_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Write-ahead log on local disks; on network file systems, where it does not work, a rollback journal.

    The write-ahead log keeps its index in memory shared by processes of one machine. The rollback journal
    needs only locks and ``fsync``; the exclusive lock excludes a second machine while this process writes.
    """
    network = is_network(filesystem(path))
    if not network:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        network = str(mode).lower() != "wal"
    if network:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _create_or_recognise(connection: sqlite3.Connection, path: Path) -> None:
    """Recognise a store and bring it up to date, in one transaction.

    Another process finds a new file either empty or complete, and a kill leaves it at one version or the last.
    """
    for begin in ("BEGIN", "BEGIN IMMEDIATE"):
        connection.execute(begin)
        try:
            _recognise(connection, path)
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version == len(MIGRATIONS):
                return
            if begin == "BEGIN IMMEDIATE":
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                for statement in itertools.chain.from_iterable(MIGRATIONS[version:]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


_NETWORK = {
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "cvmfs", "davfs", "gfs2", "glusterfs", "gpfs", "lustre",
    "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb2", "smb3", "smbfs", "virtiofs",
    "wekafs",
}  # fmt: skip
"""File systems that several machines may mount; memory is not shared between these."""


def default_path() -> Path:
    """The store in the user's data directory (``XDG_DATA_HOME``, else ``~/.local/share``)."""
    from rmtsim._internal.folders import home_folder

    base = home_folder("XDG_DATA_HOME", ".local", "share")
    if base is None:
        raise errors.StoreError(
            "HOME is not set and this user has no home folder, so there is no place for a store; give --store a "
            "path, or --no-store"
        )
    return base / "rmtsim" / "runs.sqlite"


def filesystem(path: Path, mounts: str | None = None) -> str:
    r"""Type of the file system ``path`` is (or would be) on; ``"unknown"`` if the system does not report it.

    ``mounts`` is the text of ``/proc/self/mountinfo``, read from there by default.

    >>> filesystem(Path("/data/x"), "21 1 0:5 / / rw - ext4 /dev/a rw\n22 21 0:6 / /data rw - nfs4 host:/x rw")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "unknown"
    target = path.expanduser().resolve()
    best: tuple[int, str] = (-1, "unknown")
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5:
            continue
        point = Path(fields[4].replace("\\040", " "))
        # Later lines of equal depth are mounted over earlier ones.
        if (point == target or point in target.parents) and len(point.parts) >= best[0]:
            best = (len(point.parts), after.split()[0])
    return best[1]


def is_network(kind: str) -> bool:
    """Whether a file system type may be shared between machines (FUSE may hide anything, so it counts)."""
    return kind in _NETWORK or kind.startswith("fuse.")
