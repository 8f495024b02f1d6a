"""Kinds of change that make stored batches stale: how a file of claims is written, and what changes afterwards.

Every kind is tried in this process, with modules loaded again where a new process would load them. ``noticed`` says
what notices it: the version of the code, an input that was read, or the replay of stored batches.
"""

import os
import py_compile
import re
import sqlite3
import textwrap
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field

CODE, INPUT, REPLAY = "code", "input", "replay"
OPTIONAL = "torch|sklearn|pandas|joblib|sympy|networkx|dask|cloudpickle|fsspec|yaml"
"""Packages that claims of some kinds import; without them these kinds are skipped."""

FILE = """
import os, sys
from pathlib import Path
import numpy as np
from rmtsim.claims import claim

HERE = Path(__file__).parent
{top}

@claim("my.claim", limit=0.0, tolerance=0.1, sizes=(4, 8, 16){options})
def measured(size, rng):
{body}
"""


@dataclass(frozen=True)
class Change:
    """One kind of change."""

    name: str
    noticed: str
    value: str = "VALUE"
    """What the sampler adds to a random number: an expression, or lines that return it."""
    top: str = ""
    files: dict = field(default_factory=dict)
    """Text, bytes or a function of the path, by name."""
    after: dict = field(default_factory=dict)
    """Files after the change; None removes one."""
    action: Callable | None = None
    """What else changes: a function of folder, monkeypatch and the loaded module."""
    living: bool = False
    """Whether the process goes on with the modules it has."""
    options: str = ""
    partly: bool = False
    """Whether batches of small sizes stay valid."""

    @property
    def packages(self):
        """Optional packages that the file of claims imports."""
        return set(re.findall(rf"\b(?:import|from) ({OPTIONAL})\b", self.text()))

    def text(self):
        """The file of claims."""
        lines = self.value if "return" in self.value else f"return rng.normal() + float({self.value})"
        return FILE.format(
            top=textwrap.dedent(self.top),
            options=self.options,
            body=textwrap.indent(textwrap.dedent(lines), "    "),
        )


def write(folder, files):
    """Write, link or remove files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or (content is None and path.exists()):
            path.unlink()
        if callable(content):
            content(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        elif content is not None:
            path.write_text(textwrap.dedent(content))


def same_times(text):
    """Contents that leave size and times of modification as they were."""

    def write_it(path):
        path.write_text(text)
        os.utime(path, ns=(10**18, 10**18))

    return write_it


def compiled(text):
    """Byte code without its source."""

    def write_it(path):
        source = path.with_name("for_a_moment.py")
        source.write_text(text)
        py_compile.compile(str(source), cfile=str(path), doraise=True)
        source.unlink()

    return write_it


def zipped(**texts):
    def write_it(path):
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in texts.items():
                archive.writestr(f"{name}.py", text)

    return write_it


def table(value):
    def write_it(path):
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("CREATE TABLE t (x REAL)")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
        connection.close()

    return write_it


def link(target):
    return lambda path: path.symlink_to(target)


def helper(text="VALUE = 1.0\n", name="helper.py"):
    return {name: text}, {name: text.replace("1.0", "7.0")}


def code(name, top, value="VALUE", text="VALUE = 1.0\n", file="helper.py", noticed=CODE, **more):
    """A change in a module beside the file of claims."""
    files, after = helper(text, file)
    return Change(name, noticed, value, top, {**more.pop("files", {}), **files}, after, **more)


def data(name, expression, before=None, after=None, file="data.txt", top="", **more):
    """Three changes of a data file: one that is read at import, one in the sampler, one for large sizes alone."""
    before = "1.0\n" if before is None else before
    after = "7.0\n" if after is None else after
    files, later = {file: before}, {file: after}
    return [
        Change(f"{name}, at import", CODE, "VALUE", f"{top}\nVALUE = {expression}", files, later, **more),
        Change(f"{name}, in the sampler", INPUT, expression, top, files, later, **more),
        Change(
            f"{name}, at the largest size",
            INPUT,
            f"({expression} if size == 16 else 0.0)",
            top,
            files,
            later,
            partly=True,
            **more,
        ),
    ]


C_READER = """
import ctypes

_C = ctypes.CDLL(None)
_C.fopen.restype = ctypes.c_void_p
_C.fgets.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
_C.fclose.argtypes = (ctypes.c_void_p,)


def c_read(path):
    file = _C.fopen(str(path).encode(), b"r")
    text = ctypes.create_string_buffer(64)
    _C.fgets(text, 64, file)
    _C.fclose(file)
    return float(text.value)
"""
"""A reader that Python does not see, as those of HDF5 and its like."""
