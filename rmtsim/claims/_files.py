"""Claims in modules and in users' files."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import importlib.machinery
import importlib.util
import itertools
import sys
import threading
import traceback
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from rmtsim._internal import validate
from rmtsim.claims._declare import LOADING, declared_in, forget
from rmtsim.claims._model import Claim
from rmtsim.claims._texts import declares, source_of
from rmtsim.errors import UnknownClaimError

_LOADING = threading.RLock()
"""Lock: threads of a worker may load one file at the same time."""


class _SourceOnly(importlib.machinery.SourceFileLoader):
    """Loader that reads the source file and neither uses nor writes byte code."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def declared_by(module: str) -> list[Claim]:
    """Import a module; the claims that it declares, in order, each followed by its correction."""
    if module not in sys.modules:
        forget(module)  # what it declared before it was removed from sys.modules
        if module.partition(".")[0] != "rmtsim":
            from rmtsim.runs._identity.inputs import watch

            watch()
    importlib.import_module(module)
    return declared_in(module, functools.partial(declares, source_of(sys.modules[module].__file__)))


def claims_in(thing: Any) -> list[Claim]:
    """The claims of a module (those it declares and those it names), of a sequence, or the claim itself."""
    if isinstance(thing, ModuleType):
        # A claim that was declared without giving it a name (in a loop, for instance) counts too.
        claims = [
            *declared_by(thing.__name__),
            *(item for item in vars(thing).values() if isinstance(item, Claim)),
        ]
    elif isinstance(thing, Claim):
        claims = [thing]
    elif isinstance(thing, (list, tuple)) and all(isinstance(item, Claim) for item in thing):
        claims = list(thing)
    else:
        raise TypeError(
            f"{validate.shown(thing)}: expected a Paper, a module with claims, a claim, or a list of claims"
        )
    # One claim under two names is one claim, and a correction comes with what it corrects.
    found = {id(each): each for item in claims for each in (item, item.correction) if each is not None}
    return list(found.values())


def load_file(path: str | Path) -> list[Claim]:
    """The claims of a Python file, in order, each with the file as its origin.

    A file in a folder with ``__init__.py`` is loaded as a module of that package, under the name that it has when it
    is imported; it may use relative imports. Any other file may import modules beside it, as a script does.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in ``.py``. It is executed.

    Returns
    -------
    list of Claim

    Raises
    ------
    ValueError
        If there is no such file, it cannot be executed, it declares no claims, or two claims have one id.
    """
    return _load(path)[1]


def _load(path: str | Path) -> tuple[ModuleType, list[Claim]]:
    """The file as a module, and its claims."""
    from rmtsim.runs import _process as activity
    from rmtsim.runs._identity.code_version import remember_loaded
    from rmtsim.runs._identity.inputs import watch

    watch()
    file = Path(path)
    if not file.is_file():
        raise ValueError(f"{path}: no such file (a file of claims is a Python file with @claim functions)")
    if file.suffix != ".py":
        raise ValueError(f"{path}: expected a Python file (its name should end in .py)")
    file = file.resolve()
    with _LOADING:
        activity.begin(f"{path}, which is being imported")
        module = executed(path, file)
        activity.end()
        claims = [dataclasses.replace(item, origin=str(file)) for item in claims_in(module)]
    if not claims:
        raise ValueError(f"{path}: no claims found; decorate a function with @claim (rmtsim.claims.claim)")
    names = [item.id for item in claims]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path}: two claims are named {name!r}")
    remember_loaded(claims)
    return module, claims


def executed(path: str | Path, file: Path) -> ModuleType:
    """A Python file as a module; what goes wrong in it is a ValueError with the line."""
    # As for a script, modules beside the file can be imported by it.
    folders = [str(file.parent)]
    sys.path[:0] = folders
    try:
        name, root = _name_in_package(file)
        if root is not None:
            folders.append(str(root))
            sys.path.insert(1, str(root))
            name = name if _is_importable(name, file) else ""
        used = {} if name else _siblings(file)  # in a package they are known by longer names
        module = _module_from(name or _free_name(file), file)
        _LOADED[str(file.parent)] = (str(file), used, used.keys() - sys.modules.keys())
        return module
    except SyntaxError as error:
        raise ValueError(f"{path}: line {error.lineno}: {error.msg}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ValueError(f"{path}: {_in_words(error, file)}") from error
    finally:
        for folder in folders:
            if folder in sys.path:
                sys.path.remove(folder)


def _free_name(file: Path) -> str:
    """A name for the module of a file outside of packages that no other file has."""
    names = itertools.chain([""], map("_{}".format, itertools.count(2)))
    for name in (f"rmtsim_user_{file.stem}{number}" for number in names):
        if name not in sys.modules or getattr(sys.modules[name], "__file__", "") == str(file):
            return name
    raise AssertionError("unreachable")


_LOADED: dict[str, tuple[str, dict[str, bytes], set[str]]] = {}
"""Folders of the files that were loaded, each with its last file, the modules there that it uses, and those of them
that its samplers may import later."""


def _siblings(file: Path) -> dict[str, bytes]:
    """Modules beside a file that it uses; an error if another file that was loaded uses others of the same names.

    Python knows one module of a name, so that one of the two files would use the module of the other.
    """
    from rmtsim.runs._identity.sources import siblings_of

    used = siblings_of(str(file))
    for folder, (other, modules, later) in _LOADED.items():
        for name in sorted(used.keys() & modules.keys()):
            module = sys.modules.get(name)
            theirs = (
                name in later if module is None else str(getattr(module, "__file__", "")).startswith(folder)
            )
            if folder != str(file.parent) and used[name] != modules[name] and theirs:
                raise ImportError(
                    f"it uses a module named {name}, and so does {other}, another one; Python knows one module of "
                    "a name: rename one of them, or verify the two files by two commands"
                )
    return used


def _name_in_package(file: Path) -> tuple[str, Path | None]:
    """Name of a file inside packages, and the folder that the outermost of them is in; ("", None) outside of any."""
    parts, folder = [] if file.name == "__init__.py" else [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    inside = folder != file.parent and all(part.isidentifier() for part in parts)
    return (".".join(parts), folder) if inside else ("", None)


def _is_importable(name: str, file: Path) -> bool:
    """Whether the package of a file is the one that its name imports, which may be taken by another package."""
    is_package = file.name == "__init__.py"
    above = name.rpartition(".")[0]
    if above:
        package: ModuleType | None = importlib.import_module(above)
    else:
        package = sys.modules.get(name)
    folder = file.parent.parent if is_package and above else file.parent
    return package is None or folder in [Path(place).resolve() for place in getattr(package, "__path__", ())]


def _module_from(name: str, file: Path) -> ModuleType:
    from rmtsim.runs._identity.inputs import forget_reads

    inside = [str(file.parent)] if file.name == "__init__.py" else None
    loader = _SourceOnly(name, str(file))
    spec = importlib.util.spec_from_file_location(
        name, file, loader=loader, submodule_search_locations=inside
    )
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    forget(name)
    forget_reads(name)
    LOADING.add(name)
    try:
        loader.exec_module(module)
    finally:
        LOADING.discard(name)
    return module


def _in_words(error: BaseException, file: Path) -> str:
    """What went wrong while a file was executed, with the line of the file."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == file]
    place = f"line {lines[-1]}: " if lines else ""
    kind = "" if isinstance(error, ImportError | ValueError | TypeError) else f"{type(error).__name__}: "
    if isinstance(error, SystemExit):
        kind = "the file ends the program (sys.exit): "
    hint = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        hint = f" (put an empty __init__.py into {file.parent.name}, or import the module beside the file by its name)"
    return f"{place}{kind}{error}{hint}"


def is_file_target(target: str) -> bool:
    """Whether a target names a file of claims rather than a registered claim."""
    return target.partition("::")[0].endswith(".py")


def resolve(target: str) -> list[Claim]:
    """The claims of ``name`` (an id, or what ids start with), ``file.py`` or ``file.py::name`` (id or function)."""
    from rmtsim.claims._registry import select

    if not is_file_target(target):
        if Path(target).is_file():
            raise ValueError(
                f"{target}: expected the name of a claim, or a Python file (its name should end in .py)"
            )
        return select(target)
    path, separator, name = target.partition("::")
    module, claims = _load(path)
    if not separator:
        return claims
    functions = {item.id: item for item in claims}
    functions |= {key: functions[value.id] for key, value in vars(module).items() if isinstance(value, Claim)}
    if name not in functions:
        near = difflib.get_close_matches(name, functions, n=3, cutoff=0.5)
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"it has {', '.join(item.id for item in claims)}"
        )
        raise UnknownClaimError(f"{target}: {path} has no claim {name!r}; {hint}")
    return [functions[name]]
