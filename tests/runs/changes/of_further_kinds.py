"""Changes by less common means of Python and of its libraries."""

import pickle

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change, code, link, table

_ONE, _SEVEN = {"data.txt": "1.0"}, {"data.txt": "7.0"}
_HIDDEN = "HERE / '.txt'.join(['data', ''])"
"""The path of the data; its name is nowhere in the code."""


def _data(name, noticed, value, top="", file="data.txt", before="1.0", after="7.0", **more):
    return Change(name, noticed, value, top, {file: before}, {file: after}, **more)


def _function(value):
    import cloudpickle

    space = {}
    exec(f"def f():\n    return {value}\n", space)
    return lambda path: path.write_bytes(cloudpickle.dumps(space["f"]))


def _stored(value):
    return lambda path: path.write_bytes(pickle.dumps({"rows": [0.0] * 9 + [value]}))


_LAZY = """
import importlib.util
spec = importlib.util.find_spec("helper")
spec.loader = importlib.util.LazyLoader(spec.loader)
helper = importlib.util.module_from_spec(spec)
sys.modules["helper"] = helper
spec.loader.exec_module(helper)
"""
_DISPATCH = """
import functools
@functools.singledispatch
def f(x):
    return 0.0
sys.modules["file_of_claims"] = sys.modules[__name__]
import helper
"""
_POOLED = """
import multiprocessing
def read():
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put((NAME).read_text()))
    child.start(), child.join()
    return queue.get()
"""
_SHARED = """
from multiprocessing import resource_tracker, shared_memory
def read():
    memory = shared_memory.SharedMemory((HERE / "name").read_text())
    found = memory.buf[0]
    memory.close()
    resource_tracker.unregister(memory._name, "shared_memory")
    return found
"""
_MEMORIES = []


def _share(path):
    from multiprocessing import shared_memory

    memory = shared_memory.SharedMemory(create=True, size=8)
    memory.buf[0] = 1
    _MEMORIES.append(memory)
    path.write_text(memory.name)


def _share_later(folder, patch, module):
    name = (folder / "name").read_text()
    next(memory for memory in _MEMORIES if memory.name == name).buf[0] = 7


_THREADED = """
import threading
FOUND = []
def read():
    def outer():
        thread = threading.Thread(target=FOUND.extend, args=(map(np.loadtxt, [NAME]),))
        thread.start(), thread.join()
    thread = threading.Thread(target=outer)
    thread.start(), thread.join()
    return FOUND.pop()
"""
_MAPPED = """
from concurrent.futures import ThreadPoolExecutor
def read():
    with ThreadPoolExecutor() as pool:
        return next(pool.map(np.loadtxt, [NAME]))
"""
_DELAYED = """
import joblib
def read():
    return joblib.Parallel(n_jobs=2, prefer="threads")([joblib.delayed(np.loadtxt)(NAME)] * 2)[0]
"""
_PROTOCOL = """
class Reader:
    def __fspath__(self):
        return str(NAME)
"""
_ROWS = "pickle.loads(c_bytes(HERE / 'data.pkl'))['rows'][rng.integers(10)]"
_C_BYTES = """
import ctypes, pickle
_C = ctypes.CDLL(None)
def c_bytes(path):
    file = _C.open(str(path).encode(), 0)
    text = ctypes.create_string_buffer(2**16)
    length = _C.read(file, text, 2**16)
    _C.close(file)
    return text.raw[:length]
"""
_KEPT_BY_C = """
import ctypes, threading
_C = ctypes.CDLL(None)
KEPT = threading.local()
KEPT.file = _C.open(str(NAME).encode(), 0)
def read():
    text = ctypes.create_string_buffer(9)
    _C.pread(KEPT.file, text, 9, 0)
    return text.value
"""
_MAPPED_BY_C = """
import ctypes, threading
_C = ctypes.CDLL(None)
_C.mmap.restype = ctypes.c_void_p
KEPT = threading.local()
KEPT.file = _C.open(str(NAME).encode(), 0)
KEPT.start = _C.mmap(None, 3, 1, 2, KEPT.file, 0)
_C.close(KEPT.file)
def read():
    return ctypes.string_at(KEPT.start, 3)
"""
_NAME = f"NAME = {_HIDDEN}\n"
_OWN_PACKAGE = {
    "lib/site-packages/packed/__init__.py": "from pathlib import Path\n"
    "_SHIFT = float((Path(__file__).parent / 'data.txt').read_text())\n"
    "def shift():\n    return _SHIFT\n"
}
_PACKED = "sys.path.insert(0, str(HERE / 'lib/site-packages'))\nimport packed\ndel sys.path[0]"

CHANGES = [
    # Code
    code("a lazy loader", _LAZY, "helper.VALUE"),
    code(
        "a case of a dispatched function",
        _DISPATCH,
        "f(1)",
        "import sys\nf = sys.modules['file_of_claims'].f\n@f.register\ndef _(x: int):\n    return 1.0\n",
    ),
    code(
        "a member of an enumeration",
        "from helper import E",
        "E.a.value",
        "import enum\nclass E(enum.Enum):\n    a = 1.0\n",
    ),
    code(
        "a default of a data class",
        "from helper import D",
        "D().x",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    x: float = 1.0\n",
    ),
    code(
        "a factory of a data class",
        "from helper import D",
        "D().x[0]",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n"
        "    x: list = dataclasses.field(default_factory=lambda: [1.0])\n",
    ),
    code(
        "a named tuple",
        "from helper import T",
        "T().x",
        "import typing\nclass T(typing.NamedTuple):\n    x: float = 1.0\n",
    ),
    code(
        "an operator",
        "from helper import A",
        "A() + 0",
        "class A:\n    def __add__(self, other):\n        return 1.0\n",
    ),
    code(
        "__init_subclass__",
        "from helper import Base\nclass C(Base):\n    pass",
        "C.x",
        "class Base:\n    def __init_subclass__(cls):\n        cls.x = 1.0\n",
    ),
    code(
        "a context manager",
        "from helper import c",
        "with c() as x:\n    return rng.normal() + x",
        "import contextlib\n@contextlib.contextmanager\ndef c():\n    yield 1.0\n",
    ),
    code(
        "a coroutine",
        "import asyncio\nfrom helper import f",
        "asyncio.run(f())",
        "async def f():\n    return 1.0\n",
    ),
    code(
        "a wrapper that hides",
        "from helper import w\n@w\ndef f():\n    return 0.0",
        "f()",
        "import functools\ndef w(g):\n    @functools.wraps(g)\n"
        "    def h(_shift=1.0):\n        return g() + _shift\n    return h\n",
    ),
    code("a class that is made by a call", "from helper import C", "C.x", "C = type('C', (), {'x': 1.0})\n"),
    code(
        "__class_getitem__",
        "from helper import C",
        "C[0]",
        "class C:\n    def __class_getitem__(cls, i):\n        return 1.0\n",
    ),
    code(
        "a path that a package extends",
        "import parts.inner",
        "parts.inner.VALUE",
        file="other/inner.py",
        files={
            "parts/__init__.py": "import os\n__path__.append(os.path.join(os.path.dirname(__file__), '..', 'other'))\n"
        },
    ),
    code(
        "a function that numba inlines",
        "from helper import f\nimport numba\n@numba.njit\ndef g():\n    return f()",
        "g()",
        "import numba\n\n@numba.njit(inline='always')\ndef f():\n    return 1.0\n",
    ),
    code(
        "an overload of numba",
        "import numba, helper\n@numba.njit\ndef g():\n    return helper.f()",
        "g()",
        "import numba.extending\ndef f():\n    return 0.0\n"
        "@numba.extending.overload(f)\ndef _():\n    return lambda: 1.0\n",
    ),
    code(
        "a ufunc of numba",
        "from helper import f",
        "f(0.0)",
        "import numba\n\n@numba.vectorize\ndef f(x):\n    return x + 1.0\n",
    ),
    _data(
        "a function that is unpickled",
        INPUT,
        "pickle.load(open(HERE / 'f.pkl', 'rb'))()",
        "import pickle",
        "f.pkl",
        _function(1.0),
        _function(7.0),
    ),
    _data(
        "a function that is unpickled, at import",
        CODE,
        "f()",
        "import pickle\nf = pickle.load(open(HERE / 'f.pkl', 'rb'))",
        "f.pkl",
        _function(1.0),
        _function(7.0),
    ),
    Change(
        "data that an installed package reads when it is imported",
        REPLAY,
        "packed.shift()",
        _PACKED,
        {**_OWN_PACKAGE, "lib/site-packages/packed/data.txt": "1.0"},
        {"lib/site-packages/packed/data.txt": "7.0"},
    ),
    Change(
        "data that an installed package reads for a sampler",
        INPUT,
        "packed.shift()",
        _PACKED,
        {
            "lib/site-packages/packed/__init__.py": "from importlib import resources\ndef shift():\n"
            "    return resources.files(__name__).joinpath('data.txt').read_text()\n",
            "lib/site-packages/packed/data.txt": "1.0",
        },
        {"lib/site-packages/packed/data.txt": "7.0"},
    ),
    Change(
        "a function of an installed package",
        REPLAY,
        "packed.shift()",
        _PACKED,
        {"lib/site-packages/packed/__init__.py": "def shift():\n    return 1.0\n"},
        {"lib/site-packages/packed/__init__.py": "def shift():\n    return 7.0\n"},
    ),
    # Data
    _data(
        "data of compiled code under a hidden name",
        REPLAY,
        f"c_read({_HIDDEN})",
        "from c_reader import c_read",
    ),
    _data(
        "one row of ten, read by compiled code",
        INPUT,
        _ROWS,
        _C_BYTES,
        "data.pkl",
        _stored(1.0),
        _stored(7.0),
    ),
    _data("a file that compiled code keeps open", INPUT, "read()", _NAME + _KEPT_BY_C),
    _data("a file that compiled code has mapped", INPUT, "read()", _NAME + _MAPPED_BY_C),
    _data("threads that start threads", INPUT, "read()", _NAME + _THREADED),
    _data("a pool of threads that calls NumPy", INPUT, "read()", _NAME + _MAPPED),
    _data("joblib with threads", INPUT, "read()", _NAME + _DELAYED),
    _data("a child process that knows the name alone", REPLAY, "read()", _POOLED.replace("NAME", _HIDDEN)),
    _data("an object that is a path", INPUT, "open(Reader()).read()", _NAME + _PROTOCOL),
    _data(
        "an address of a file",
        INPUT,
        "urllib.request.urlopen((NAME).as_uri()).read()".replace("NAME", _HIDDEN),
        "import urllib.request",
    ),
    _data(
        "fsspec",
        INPUT,
        "fsspec.open(str(NAME), 'rb').open().read()".replace("NAME", _HIDDEN),
        "import fsspec",
    ),
    _data(
        "a picture",
        INPUT,
        "np.asarray(Image.open(HERE / 'x.pgm'))[0, 0]",
        "from PIL import Image",
        "x.pgm",
        b"P5 1 1 255\n\x01",
        b"P5 1 1 255\n\x07",
    ),
    _data(
        "sound",
        INPUT,
        "wave.open(str(HERE / 'x.wav')).readframes(1)[0]",
        "import wave",
        "x.wav",
        lambda path: _wave(path, 1),
        lambda path: _wave(path, 7),
    ),
    _data(
        "a format of tables",
        INPUT,
        "pd.read_fwf(HERE / 'data.txt', header=None)[0][0]",
        "import pandas as pd",
    ),
    _data(
        "dask",
        INPUT,
        "db.read_text(str(HERE / 'data.txt')).compute(scheduler='threads')[0]",
        "import dask.bag as db",
    ),
    _data(
        "a program of Python with its name alone",
        REPLAY,
        "subprocess.run([sys.executable, '-c', 'import os; print(open(os.listdir(\".\")[0]).read())'], "
        "capture_output=True, cwd=HERE / 'only').stdout",
        "import subprocess",
        "only/data.txt",
    ),
    _data(
        "a table in a folder that is named",
        INPUT,
        "sql(str(HERE / 'parts' / 'x.db'))",
        "import sqlite3\ndef sql(name):\n    return sqlite3.connect(f'file:{name}?mode=ro', uri=True).execute("
        "'SELECT x FROM t').fetchone()[0]",
        "parts/x.db",
        table(1.0),
        table(7.0),
    ),
    Change(
        "a declared folder with a link to another",
        CODE,
        "(HERE / 'all' / 'linked' / 'x').read_text()",
        "",
        {"other/x": "1.0", "all/y": "", "all/linked": link("../other")},
        {"other/x": "7.0"},
        options=', data=["all"]',
    ),
    Change(
        "a declared folder deep below",
        CODE,
        "c_read(HERE / 'all' / 'a' / 'b' / 'x')",
        "from c_reader import c_read",
        {"all/a/b/x": "1.0"},
        {"all/a/b/x": "7.0"},
        options=', data=["all"]',
    ),
    Change(
        "a name in a declared folder",
        CODE,
        "len(os.listdir(HERE / 'all'))",
        "",
        {"all/a": ""},
        {"all/b": ""},
        options=', data=["all"]',
    ),
    Change(
        "declared data beside the folder",
        CODE,
        "c_read(HERE / 'down' / '..' / 'up.txt')",
        "from c_reader import c_read",
        {"up.txt": "1.0", "down/x": ""},
        {"up.txt": "7.0"},
        options=', data=["down/../up.txt"]',
    ),
    Change(
        "a relative path at one draw in ten",
        INPUT,
        "(read() if rng.random() < 0.1 else 0.0)",
        "def read():\n    try:\n        return open('data.txt').read()\n"
        "    except FileNotFoundError:\n        return 1.0",
        {"other/data.txt": "7.0"},
        {},
        lambda folder, patch, module: patch.chdir(folder / "other"),
        partly=True,
    ),
    Change("shared memory of another process", REPLAY, "read()", _SHARED, {"name": _share}, {}, _share_later),
    Change(
        "a file that becomes a folder",
        INPUT,
        "read()",
        "def read():\n    try:\n        return open(HERE / 'x').read()\n"
        "    except IsADirectoryError:\n        return 7.0",
        {"x": "1.0"},
        {"x": None, "x/y": ""},
    ),
    Change(
        "the order of lines in a folder's names",
        INPUT,
        "len(sorted(os.listdir(HERE / 'd'))[0])",
        "",
        {"d/b": ""},
        {"d/aaa": ""},
    ),
]


def _wave(path, value):
    import wave

    with wave.open(str(path), "wb") as file:
        file.setnchannels(1), file.setsampwidth(1), file.setframerate(8)
        file.writeframes(bytes([value]))
