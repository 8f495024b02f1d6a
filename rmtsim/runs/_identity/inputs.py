"""Inputs of claims: files, environment variables and packages that their code reads, recorded to be compared later.

A hook of the interpreter reports every file that Python opens (``sys.addaudithook``), also through NumPy, pandas,
``mmap`` and ``sqlite3``; reads of environment variables are reported by ``os.environ``. What is read counts for the
modules on the call stack, so that a claim knows what its own modules read, at import or in a sampler. Installed
packages that read their own files while they are imported are left out.

A file is hashed before it is read: if it is edited meanwhile, the batch is stale, not wrongly labelled.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from rmtsim.runs._identity.held import SYSTEM, held_files
from rmtsim.runs._identity.sources import CODE, ROOT, contents_of, is_installed, is_of_a_package

Input = tuple[str, str, str]
"""Kind (``file``, ``named file``, ``folder``, ``working directory``, ``variable`` or ``package``), name, and digest
(or version) when it was read."""

_READS: dict[str, dict[Input, None]] = {}
"""By module, except in samplers."""
_SAMPLED: dict[str, dict[Input, None]] = {}
"""The same in samplers."""
_OF_THIS_RUN: set[tuple[str, str, str]] = set()
"""Reader, kind and name of what samplers have read in this run."""
_STATE = threading.local()
_LOCK = threading.Lock()
_MEMORY = "/dev/shm/"
"""Ordinary files that are kept in memory."""
_COMPILED = (".nbi", ".nbc")
"""Files in which numba keeps compiled functions."""


@functools.cache
def watch() -> None:
    """Start recording reads, for the rest of the process."""
    _HELD_BEFORE.update(held_files())
    sys.addaudithook(_audit)
    environ: Any = type(os.environ)
    found = environ.__getitem__

    def getitem(self: Any, key: Any) -> Any:
        if isinstance(key, (str, bytes)):
            _unless_busy(_variable, os.fsdecode(key))
        return found(self, key)

    environ.__getitem__ = getitem


def noticed(
    modules: Iterable[str], packages: Iterable[str] = (), named: Iterable[Input] = ()
) -> tuple[Input, ...]:
    """Everything that these modules have read in this process so far, with packages and files that they name."""
    with _LOCK:
        found = {each for name in modules for reads in (_READS, _SAMPLED) for each in reads.get(name, ())}
    packages = {name for kind, name, _ in found if kind == "package"}.union(packages)
    found = {each for each in found if each[0] != "package"}
    opened = {name for kind, name, _ in found if kind == "file"}
    found.update(each for each in named if each[1] not in opened and not _is_written(each[1]))
    if packages:
        text = " ".join(sorted(packages))
        found.add(("package", text, contents_of(text)))
    return tuple(sorted(found))


def named_files(texts: Iterable[str], folder: str) -> tuple[Input, ...]:
    """Files named by these texts, alone or relative to a folder that is named too: compiled code may read them.

    Parameters
    ----------
    texts : iterable of str
        Texts in the code and the values of a claim.
    folder : str
        Where the file of the claim is.
    """
    words = sorted(text for text in texts if text.strip(". ") and len(text) < _LONGEST and "\n" not in text)
    if len(words) > _WORDS:  # data rather than names
        words = [word for word in words if "." in word or os.sep in word][:_WORDS]
    here = os.getcwd()
    places = dict.fromkeys(place for place in (folder, os.path.dirname(folder), here) if place)
    inner = (os.path.join(place, word) for place in (folder, here) for word in words)
    places.update(dict.fromkeys([name for name in inner if os.path.isdir(name)][:_FOLDERS]))
    found = {os.path.abspath(os.path.join(place, word)) for place in places for word in words}
    return tuple(
        ("named file", name, _named_digest(name))
        for name in sorted(found)
        if not name.endswith(CODE) and os.path.isfile(name) and not _is_of_the_system(name)
    )


_LONGEST, _WORDS, _FOLDERS, _LARGE = 256, 2000, 50, 2**28
"""Of a name (characters), of a search (names, folders), and of a named file that is hashed (bytes)."""


def _named_digest(name: str) -> str:
    try:
        status = os.stat(name)
    except OSError:
        return "absent"
    # A large file is compared by size and time of change, because it may never be read.
    return f"{status.st_size} {status.st_mtime_ns}" if status.st_size > _LARGE else _file_digest(name)


def note_held(module: str) -> None:
    """Note files that compiled code has loaded, mapped or opened since the beginning and still holds."""
    new = held_files() - _HELD_BEFORE
    if new:
        with _LOCK:
            reads = _READS.setdefault(module, {})
            known = {name for kind, name, _ in reads if kind == "file"}
            for name in new - known:
                if not _is_written(name):
                    reads[("file", name, _file_digest(name))] = None


_HELD_BEFORE: set[str] = set()


def forget_reads(module: str) -> None:
    """Before a module is executed again."""
    with _LOCK:
        _READS.pop(module, None)
        _SAMPLED.pop(module, None)


def forget_samplers() -> None:
    """Called at the beginning of a run: reads of samplers from now on replace their earlier reads.

    Other reads are kept, because a sampler may cache their result (``functools.lru_cache``).
    """
    with _LOCK:
        _OF_THIS_RUN.clear()
        _HASHED.clear()  # writes through a map may leave the times of a file as they are


class InputsNow:
    """Whether inputs are unchanged; each is checked once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Input, ...], str] = {}

    def changed(self, inputs: tuple[Input, ...]) -> str:
        """The first input that has changed, in words; empty if all are the same."""
        if inputs not in self._known:
            self._known[inputs] = next((_in_words(each) for each in inputs if _now(*each[:2]) != each[2]), "")
        return self._known[inputs]


def _in_words(each: Input) -> str:
    words = {"variable": "environment variable", "package": "packages", "named file": "file"}
    return f"{words.get(each[0], each[0])} {each[1]}".strip()


def _now(kind: str, name: str) -> str:
    if kind == "variable":
        return _text_digest(os.environ.get(name))
    if kind == "folder":
        return _folder_digest(name)
    if kind == "package":
        return contents_of(name)
    if kind == "named file":
        return _named_digest(name)
    if kind == "working directory":
        return _text_digest(os.getcwd())
    return _file_digest(name)


# ---- Digests -----------------------------------------------------------------------------------------------------


def _text_digest(text: str | None) -> str:
    if text is None:
        return "absent"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _folder_digest(name: str) -> str:
    try:
        return _text_digest("\0".join(sorted(os.listdir(name))))
    except OSError:
        return "absent"


_HASHED: dict[str, tuple[tuple[int, ...], str]] = {}


def _file_digest(name: str) -> str:
    """SHA-256 of a regular file; cached while its inode and its times are unchanged."""
    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            return "no regular file"
        mark = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known = _HASHED.get(name)
        if known is None or known[0] != mark:
            with open(name, "rb") as file:
                known = (mark, hashlib.file_digest(file, "sha256").hexdigest()[:32])
            _HASHED[name] = known
        return known[1]
    except FileNotFoundError:
        return "absent"
    except OSError:
        return "unreadable"


# ---- Noticing ----------------------------------------------------------------------------------------------------


def _unless_busy(function: Callable[..., None], *arguments: Any) -> None:
    """Decorator: reads caused by the recording are ignored, and its errors are not raised in the reading code."""
    if getattr(_STATE, "busy", False):
        return
    _STATE.busy = True
    try:
        function(*arguments)
    except Exception:
        pass
    finally:
        _STATE.busy = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    handler = _HANDLERS.get(event)
    if handler is not None:
        _unless_busy(handler, *arguments)


def _note(kind: str, name: str, digest: Callable[[], str], *, imported: bool = False) -> None:
    readers, sampling = _readers(imported)
    if not readers:
        return
    found = (kind, name, digest())
    # Modules stay, also those that a sampler imports.
    reads = _SAMPLED if sampling and not imported and kind != "package" else _READS
    with _LOCK:
        for reader in readers:
            known = reads.setdefault(reader, {})
            if reads is _SAMPLED and (reader, kind, name) not in _OF_THIS_RUN:
                _OF_THIS_RUN.add((reader, kind, name))
                for old in [each for each in known if each[:2] == (kind, name)]:
                    del known[old]
            known[found] = None


def _variable(name: str) -> None:
    _note("variable", name, lambda: _now("variable", name))


def _opened(path: Any, mode: Any = None, flags: Any = 0, *_: Any) -> None:
    if isinstance(flags, int) and flags & _WRITING:
        if isinstance(path, (str, bytes, os.PathLike)) and _readers()[1]:
            _WRITTEN.add(os.path.abspath(os.fsdecode(path)))
        return
    _file(path)


_WRITING = os.O_WRONLY | os.O_TRUNC | os.O_CREAT
_WRITTEN: set[str] = set()
"""Files that samplers have written in this process: their contents are no inputs."""
_MADE: set[str] = set()
"""Folders that samplers have made in this process: what they contain is no input."""


def _is_written(name: str) -> bool:
    if name in _WRITTEN:
        return True
    while _MADE and name not in _MADE:
        above = os.path.dirname(name)
        if above == name:
            return False
        name = above
    return bool(_MADE)


def _made(path: Any, *_: Any) -> None:
    if isinstance(path, (str, bytes, os.PathLike)) and _readers()[1]:
        name = os.path.abspath(os.fsdecode(path))
        if not os.path.exists(name):
            _MADE.add(name)


def _file(path: Any, *_: Any) -> None:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return  # a descriptor of a file that was opened before
    name = os.path.abspath(os.fsdecode(path))
    if _is_of_the_system(name) or name.endswith(_COMPILED) or _is_written(name):
        return
    code = name.endswith(CODE)
    if code and (is_installed(name) or name.startswith(ROOT)):
        return
    if name.endswith(".pyc") and f"{os.sep}__pycache__{os.sep}" in name:
        name = importlib.util.source_from_cache(name)
    _note("file", name, lambda: _file_digest(name), imported=code)
    if not code and not os.path.isabs(os.fsdecode(path)):
        _note("working directory", "", lambda: _now("working directory", ""))


def _is_of_the_system(name: str) -> bool:
    return name.startswith(SYSTEM) and not name.startswith(_MEMORY)


def _folder(path: Any = None, *_: Any) -> None:
    if isinstance(path, (str, bytes, os.PathLike)) or path is None:
        name = os.path.abspath(os.fsdecode(path or "."))
        if not _is_written(name):
            _note("folder", name, lambda: _folder_digest(name))


def _library(name: Any, *_: Any) -> None:
    if isinstance(name, (str, bytes)) and os.sep in os.fsdecode(name):
        _file(name)


def _module(name: Any, file: Any = None, *_: Any) -> None:
    if isinstance(file, str):
        _file(file)  # a compiled module
        return
    top = str(name).partition(".")[0]
    if top not in _RECORDED and top not in sys.stdlib_module_names and top not in sys.modules:
        spec = importlib.util.find_spec(top)
        if spec is not None and is_of_a_package(spec.origin or ""):
            _note("package", top, lambda: contents_of(top))  # as it is when it is imported


def _program(executable: Any, arguments: Any = (), *_: Any) -> None:
    """The file of a program that is started, and those of its arguments that are files."""
    words = arguments.split() if isinstance(arguments, (str, bytes)) else list(arguments or ())
    for word in (executable, *words):
        if isinstance(word, (str, bytes, os.PathLike)):
            text = os.fsdecode(word)
            found = text if os.path.isfile(text) else shutil.which(text)
            if found is not None and os.path.isfile(found):
                _file(found)


def _thread(function: Any, *_: Any) -> None:
    """What a thread reads counts for the modules that have started it."""
    thread = getattr(function, "__self__", None)
    if isinstance(thread, threading.Thread):
        _STARTED[thread] = _readers()


_STARTED: weakref.WeakKeyDictionary[threading.Thread, tuple[set[str], bool]] = weakref.WeakKeyDictionary()
_RECORDED = {"numpy", "scipy", "numba", "llvmlite", "rmtsim", "__main__"}
"""Packages whose versions the environment of a batch records."""
_HANDLERS: dict[str, Callable[..., None]] = {
    "open": _opened,
    "sqlite3.connect": _file,
    "dbm.open": _file,
    "ctypes.dlopen": _library,
    "import": _module,
    "os.listdir": _folder,
    "os.scandir": _folder,
    "os.mkdir": _made,
    "subprocess.Popen": _program,
    "os.system": lambda command, *_: _program(None, command),
    "os.posix_spawn": _program,
    "os.exec": _program,
    "_thread.start_new_thread": _thread,
    "_thread.start_joinable_thread": _thread,
}
"""By event of the interpreter."""


def _readers(imported: bool = False) -> tuple[set[str], bool]:
    """Modules on the stack, from what reads up to the part of rmtsim that calls it, or to the import of a package.

    The second value says whether this happens in a sampler.

    Code that is ``imported`` counts for all modules that import it, directly or through others.
    """
    found: set[str] = set()
    package = of_rmtsim = sampling = False
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        file = frame.f_code.co_filename
        if name.startswith(_CALLERS) and name != __name__:
            sampling = name == "rmtsim.runs._work"
            break
        if file.startswith("<frozen importlib"):
            if (package or of_rmtsim) and not imported:
                break
        elif not found and name.partition(".")[0] in _COMPILERS:
            return found, False  # numba's cache and settings, which the environment records
        elif name.startswith("rmtsim."):
            # It works for its callers, except while it is imported.
            of_rmtsim = not found
        elif is_of_a_package(file) or not is_installed(file):
            # The standard library works for its callers.
            package, of_rmtsim = is_of_a_package(file), False
            found.add(name)
        frame = frame.f_back
    if frame is None:
        started, sampling = _STARTED.get(threading.current_thread(), ((), False))
        found.update(started)
    # Data read by a notebook or script are in its variables, unless a sampler reads them.
    return found if sampling else found - {"__main__"}, sampling


_COMPILERS = ("numba", "llvmlite")
_CALLERS = tuple(
    f"rmtsim.{part}"
    for part in (
        "cli",
        "plots",
        "report",
        "runs",
        "verdicts",
        "claims._files",
        "claims._papers",
        "claims._registry",
        "claims._texts",
    )
)
"""Parts of rmtsim that call the code of claims."""
