"""Files of code that a claim depends on, and versions of the packages that it imports.

Nothing here imports a module; files are read as they are now.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib.metadata
import importlib.util
import marshal
import os
import re
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

import rmtsim

ROOT = os.path.dirname(os.path.abspath(rmtsim.__file__))
_NOT_SHARED = {"papers", "verdicts", "runs", "cli", "plots", "report", "testing"}
"""Parts of rmtsim that draw nothing, and the papers, of which each claim needs its own."""
CODE = (".py", ".pyc", ".so", ".pyd", ".dylib", ".dll")
_FOLDERS = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
_STANDARD = (
    "<frozen ",
    *{os.path.join(each, "") for place in _FOLDERS for each in (place, os.path.realpath(place))},
)
"""How names of files of the standard library begin."""
_PACKAGES = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


@functools.cache
def shared_digest() -> str:
    """Digest of the code of rmtsim that samplers of all papers share.

    These are all files of the package but those of papers, verdicts, commands, plots and reports; of ``runs`` it is
    the module that computes a batch.
    """
    work = os.path.join(ROOT, "runs", "_work.py")
    return _digest_of(sorted([work, *_code_files(ROOT, _NOT_SHARED)]), ROOT)


@functools.cache
def folder_digest(folder: str) -> str:
    """Digest of all files of code in a folder of rmtsim."""
    return _digest_of(_code_files(folder), folder)


def _code_files(folder: str, left_out: Iterable[str] = ()) -> list[str]:
    found = []
    skipped = {"__pycache__", *left_out}
    for place, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in skipped]
        skipped = {"__pycache__"}
        found += [os.path.join(place, name) for name in names if name.endswith(CODE)]
    return sorted(found)


def _digest_of(files: Sequence[str], folder: str) -> str:
    total = hashlib.sha256()
    for path in files:
        content = _content(path)
        total.update(f"{os.path.relpath(path, folder)}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def _content(path: str, loader: Any = None) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        try:
            found: bytes = loader.get_data(path)  # in a zip file
            return found
        except (AttributeError, OSError):
            return b""


def is_installed(file: str | None) -> bool:
    """Whether a module of this file belongs to Python or to an installed package.

    >>> is_installed(os.__file__), is_installed("/data/my_claims.py"), is_installed(None)
    (True, False, True)
    """
    return file is None or is_of_a_package(file) or file.startswith(_STANDARD)


def is_of_a_package(file: str) -> bool:
    """Whether a file lies where packages are installed."""
    return any(folder in file for folder in _PACKAGES)


def kind_of(module: str, own: Iterable[str] = ()) -> str:
    """``"rmtsim"``, ``"installed"`` (or part of Python), or ``"own"``: everything else.

    ``own`` names packages that count as the user's wherever they are installed.

    >>> kind_of("rmtsim.laws"), kind_of("numpy.linalg"), kind_of("__main__")
    ('rmtsim', 'installed', 'own')
    """
    top = module.partition(".")[0]
    if top == "rmtsim":
        return "rmtsim"
    if top in own or top in ("__main__", "") or module not in sys.modules:
        return "own"
    return "installed" if is_installed(_file_of(sys.modules[module])) else "own"


def _file_of(module: types.ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        return file
    # A package without a file of its own: any of its folders gives its location.
    return next((os.path.join(place, "") for place in getattr(module, "__path__", ()) if place), None)


class Imported:
    """Modules outside of rmtsim that some modules import, directly or through others.

    Parameters
    ----------
    own : set of str
        Top-level packages that are followed although they are installed.
    folder : str
        Where modules that are not loaded are looked for first.
    """

    def __init__(self, own: Iterable[str], folder: str) -> None:
        self._own = set(own)
        self._folder = folder
        self.files: dict[str, bytes] = {}
        """Content of each file of code, by its path relative to ``folder``."""
        self.modules: set[str] = set()
        """Names of the modules that were followed."""
        self.packages: set[str] = set()
        """Top-level names of installed packages that they import."""

    def add(self, module: str) -> None:
        """Follow a module, if it is neither of rmtsim nor of Python."""
        waiting = [module]
        while waiting:
            name = waiting.pop()
            top = name.partition(".")[0]
            if name in self.modules or top in ("rmtsim", "__main__", ""):
                continue
            spec = _spec_of(name, self._folder)
            if spec is None:
                continue
            file = spec.origin if spec.has_location else None
            where = file or next(iter(spec.submodule_search_locations or ()), None)
            if top not in self._own and is_installed(where):
                if where is not None and is_of_a_package(where):
                    self.packages.add(top)
                continue
            self.modules.add(name)
            if file is not None:
                content = _content(file, spec.loader)
                self.files[os.path.relpath(file, self._folder)] = content
                waiting += _imports(content, file, spec)


def _spec_of(name: str, folder: str) -> ModuleSpec | None:
    """Where a module is, loaded or not, without importing its package."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        spec: ModuleSpec | None = getattr(loaded, "__spec__", None)
        file = getattr(loaded, "__file__", None)
        return importlib.util.spec_from_file_location(name, file) if spec is None and file else spec
    places: Sequence[str] | None = None
    head, _, _ = name.rpartition(".")
    if head:
        package = _spec_of(head, folder)
        if package is None or package.submodule_search_locations is None:
            return None
        places = list(package.submodule_search_locations)
    for finder in list(sys.meta_path):
        try:
            spec = finder.find_spec(name, places)
        except (ImportError, AttributeError, ValueError):
            continue
        if spec is not None:
            return spec
    return PathFinder.find_spec(name, [folder]) if not head else None


_CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")
"""Instructions that load a constant; the second is used for small integers from Python 3.14 on."""


def _imports(content: bytes, file: str, spec: ModuleSpec) -> Iterator[str]:
    """Names of modules that a module imports, or may import: ``from a import b`` names a and a.b."""
    try:
        if file.endswith(".py"):
            code: Any = compile(content, file, "exec", dont_inherit=True)
        elif file.endswith(".pyc"):
            code = marshal.loads(content[16:])
        else:
            return
    except (SyntaxError, ValueError, EOFError, TypeError):
        return
    package = spec.name if spec.submodule_search_locations is not None else spec.name.rpartition(".")[0]
    waiting = [code]
    while waiting:
        each = waiting.pop()
        waiting += [inner for inner in each.co_consts if isinstance(inner, types.CodeType)]
        constants: list[Any] = [0, None]
        for step in dis.get_instructions(each):
            if step.opname in _CONSTANTS:
                constants = [constants[-1], step.argval]
            elif step.opname == "IMPORT_NAME":
                yield from _named(step.argval, constants[0], constants[1], package)


def _named(name: str, level: Any, taken: Any, package: str) -> Iterator[str]:
    if level:
        above = package.split(".")
        name = ".".join([*above[: len(above) - level + 1], *([name] if name else [])])
    parts = name.split(".")
    yield from (".".join(parts[: length + 1]) for length in range(len(parts)))
    yield from (f"{name}.{each}" for each in taken or () if each != "*")


def imported_from(modules: Iterable[str], own: Iterable[str], folder: str) -> Imported:
    """Everything outside of rmtsim that these modules are made of or import."""
    found = Imported(own, folder)
    for module in sorted(modules):
        found.add(module)
    return found


def siblings_of(file: str) -> dict[str, bytes]:
    """Modules beside a file of code that it imports or names, directly or through others, with their contents."""
    folder = os.path.dirname(file)
    try:
        names = os.listdir(folder)
    except OSError:  # a folder whose files may be read by their names alone
        return {}
    beside = {name.partition(".")[0] for name in names} - {os.path.basename(file)[:-3]}
    waiting, found = [_content(file)], dict[str, bytes]()
    while waiting:
        words = set(re.findall(rb"[A-Za-z_][A-Za-z_0-9]*", waiting.pop()))
        for name in beside - found.keys():
            spec = PathFinder.find_spec(name, [folder]) if os.fsencode(name) in words else None
            if spec is not None and spec.origin is not None:
                found[name] = _content(spec.origin)
                waiting.append(found[name])
    return found


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Versions of the distributions that provide these packages, and of those that they require.

    A package that no distribution provides is named with its version attribute, if it has one.

    >>> sorted(versions_of(["PIL"]))[:1]
    ['pillow']
    """
    names = sorted(packages)
    if not names:
        return {}
    found: dict[str, str] = {}
    waiting: list[str] = []
    for name in names:
        provided = _providers().get(name, [])
        waiting += provided
        if not provided:
            found[name] = str(getattr(sys.modules.get(name), "__version__", "unknown"))
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found[name] = distribution.version
        for required in distribution.requires or ():
            if "extra ==" not in required:
                waiting += re.findall(r"^[A-Za-z0-9._-]+", required)
    return found


@functools.cache
def contents_of(packages: str) -> str:
    """Versions of the distributions of these packages (as in :func:`versions_of`) with digests of their files.

    The digest is of the list of files that was written when the distribution was installed, if there is one. It is
    taken once in a process, because a package that is reinstalled meanwhile is not loaded again.

    >>> contents_of("yaml").split()[0]
    'pyyaml'
    """
    versions = versions_of(packages.split())
    return ";".join(f"{name} {version} {_record(name)}".strip() for name, version in sorted(versions.items()))


def _record(distribution: str) -> str:
    try:
        text = importlib.metadata.distribution(distribution).read_text("RECORD") or ""
    except importlib.metadata.PackageNotFoundError:
        return ""
    # Programs contain the path of their interpreter, and notes of the installer that of the source.
    lines = [
        line for line in text.splitlines() if not line.startswith(("..", "/")) and ".dist-info/" not in line
    ]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8] if lines else ""


@functools.cache
def _providers() -> dict[str, list[str]]:
    return {name: list(found) for name, found in importlib.metadata.packages_distributions().items()}
