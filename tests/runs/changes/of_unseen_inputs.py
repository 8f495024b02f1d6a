"""Changes that reach a sampler by ways on which Python reports nothing, or something else than a file of its own."""

import os
import py_compile
import sqlite3

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change, table, zipped


def _unchecked(text):
    """A module with byte code of another text, which Python uses without a look at the source."""

    def write_it(path):
        path.write_text(text)
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(path), invalidation_mode=mode, doraise=True)
        path.write_text("VALUE = 1.0\n")

    return write_it


def _logged(value):
    """A database whose newest values are in its write-ahead log; the first connection stays open."""

    def write_it(path):
        connection = sqlite3.connect(path)
        for command in (
            "PRAGMA journal_mode = wal",
            "PRAGMA wal_autocheckpoint = 0",
            "CREATE TABLE IF NOT EXISTS t (x REAL)",
            "DELETE FROM t",
            f"INSERT INTO t VALUES ({value})",
        ):
            connection.execute(command)
        connection.commit()
        _OPEN.append(connection)

    return write_it


_OPEN = []
_ONE, _SEVEN = {"data.txt": "1.0"}, {"data.txt": "7.0"}


def _data(name, noticed, value, top="", file="data.txt", before="1.0", after="7.0", **more):
    return Change(name, noticed, value, top, {file: before}, {file: after}, **more)


def _variable(name, noticed, value, top=""):
    def action(folder, patch, module):
        patch.setenv("RMTSIM_TEST_VALUE", "7.0")

    return Change(name, noticed, value, top, action=action)


_PROGRAM = """
def said():
    with os.popen("echo $RMTSIM_TEST_VALUE") as program:
        return program.read()
"""
_IN_FOLDER = """
def read():
    folder = os.open(HERE, os.O_RDONLY)
    file = os.open("data.txt", os.O_RDONLY, dir_fd=folder)
    found = os.read(file, 9)
    os.close(file), os.close(folder)
    return found
"""
_BOTH_WAYS = """
def read(mode):
    with open(HERE / "data.txt", mode) as file:
        file.seek(0)
        return file.read()
"""
_ATTACHED = """
import sqlite3
def read():
    base = sqlite3.connect(":memory:")
    base.execute("ATTACH ? AS other", (str(HERE / "data.db"),))
    found = base.execute("SELECT x FROM other.t").fetchone()[0]
    base.close()
    return found
"""
_URI = """
import sqlite3
def read():
    base = sqlite3.connect(f"file:{HERE / 'data.db'}?mode=ro", uri=True)
    found = base.execute("SELECT x FROM t").fetchone()[0]
    base.close()
    return found
"""
_KEPT_OPEN = """
KEPT = open(HERE / "data.txt")
def read():
    KEPT.seek(0)
    return KEPT.read()
"""
_CACHED = """
def read():
    kept = HERE / "kept.txt"
    if not kept.exists():
        kept.write_text((HERE / "data.txt").read_text())
    return kept.read_text()
"""
_BY_THREAD = """
from concurrent.futures import ThreadPoolExecutor
def read():
    with ThreadPoolExecutor() as pool:
        return pool.submit((HERE / "data.txt").read_text).result()
"""
_IF_IT_EXISTS = """
def read():
    try:
        import helper
    except ImportError:
        return 1.0
    return helper.VALUE
"""

CHANGES = [
    _data("a file of a folder's descriptor", INPUT, "read()", _IN_FOLDER),
    _data("a file opened for reading and writing", INPUT, "read('r+')", _BOTH_WAYS),
    _data("a file opened for appending and reading", REPLAY, "read('a+')", _BOTH_WAYS),
    _data("a file kept open", INPUT, "read()", _KEPT_OPEN),
    _data("data read by a thread of the library", INPUT, "read()", _BY_THREAD),
    _data("linecache", INPUT, "linecache.getline(str(HERE / 'data.txt'), 1)", "import linecache"),
    _data("a database by its address", INPUT, "read()", _URI, "data.db", table(1.0), table(7.0)),
    _data("an attached database", INPUT, "read()", _ATTACHED, "data.db", table(1.0), table(7.0)),
    _data(
        "the log of a database",
        REPLAY,
        "sqlite3.connect(HERE / 'data.db').execute('SELECT x FROM t').fetchone()[0]",
        "import sqlite3",
        "data.db",
        _logged(1.0),
        _logged(7.0),
    ),
    _data(
        "a member of a zip file",
        INPUT,
        "zipfile.ZipFile(HERE / 'data.zip').read('x.py')",
        "import zipfile",
        "data.zip",
        zipped(x="1.0"),
        zipped(x="7.0"),
    ),
    Change("a result that the sampler keeps", REPLAY, "read()", _CACHED, _ONE, {"kept.txt": "7.0"}),
    Change("whether a path exists", REPLAY, "(HERE / 'data.txt').exists()", "", {}, _SEVEN),
    Change(
        "a permission",
        REPLAY,
        "os.access(HERE / 'data.txt', os.X_OK)",
        "",
        _ONE,
        action=lambda folder, patch, module: os.chmod(folder / "data.txt", 0o755),
    ),
    Change(
        "where a link points",
        REPLAY,
        "len(os.readlink(HERE / 'data.txt'))",
        "",
        {"data.txt": lambda path: path.symlink_to("one")},
        {"data.txt": lambda path: path.symlink_to("another")},
    ),
    Change(
        "a literal pattern", REPLAY, "len(glob.glob(str(HERE / 'a.txt')))", "import glob", {}, {"a.txt": ""}
    ),
    Change(
        "an import in the sampler that succeeds now",
        CODE,
        "read()",
        _IF_IT_EXISTS,
        {},
        {"helper.py": "VALUE = 7.0"},
    ),
    Change(
        "byte code that is not compared with its source",
        CODE,
        "helper.VALUE",
        "import helper",
        {"helper.py": _unchecked("VALUE = 1.0\n")},
        {"helper.py": _unchecked("VALUE = 7.0\n")},
    ),
    _variable("all variables", INPUT, "dict(os.environ.items())['RMTSIM_TEST_VALUE']"),
    _variable("a copy by its method", INPUT, "os.environ.copy()['RMTSIM_TEST_VALUE']"),
    _variable("the table behind os.environ", REPLAY, "os.environ._data[b'RMTSIM_TEST_VALUE']"),
    _variable("a variable of a program", REPLAY, "said()", _PROGRAM),
    _variable(
        "a variable that compiled code reads",
        REPLAY,
        "C.getenv(b'RMTSIM_TEST_VALUE')",
        "import ctypes\nC = ctypes.CDLL(None)\nC.getenv.restype = ctypes.c_char_p",
    ),
]
