"""Which code a claim's sampler runs: a digest that changes when the sampler could return something else.

It covers the sampler itself (with what it closes over), the source of the module it lives in, and of every
module of rmtsim's simulation side, or of the user's own folder, which that module reaches by imports.
Sources are compared as syntax trees without docstrings, so comments, layout and words change nothing.
The digest errs on the safe side: an unrelated edit of a reached module makes stored batches stale, but no
stored batch is reused after an edit that matters.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import json
import sys
import types
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from rmtsim.claims.model import Claim

__all__ = ["code_version"]

_PACKAGE = "rmtsim"
# Theory and machinery: they state, decide and transport, and no sampler's numbers come from them.
_NOT_SIMULATION = (
    "rmtsim.laws",
    "rmtsim.predict",
    "rmtsim.verify",
    "rmtsim.runs",
    "rmtsim.plots",
    "rmtsim.cli",
    "rmtsim.claims.model",
    "rmtsim.claims.registry",
    "rmtsim.errors",
    "rmtsim.validate",
)
# What a registered claim says about itself; of its keywords only the sampler decides what is measured.
_WORDS_OF_A_CLAIM = {
    "paper", "equation", "statement", "predict", "tolerance", "sizes", "size_name", "grid", "exponents",
    "exponent", "relation", "cost", "memory", "quick", "note", "kind", "exact",
}  # fmt: skip

_CACHE: dict[int, tuple[Any, str]] = {}


def code_version(claim: Claim) -> str:
    """Digest of the revision and of all code the claim's sampler reaches.

    >>> from rmtsim.claims import find
    >>> code_version(find("dong.thm1.diagonal")) == code_version(find("dong.thm1.diagonal"))
    True
    """
    # Keyed by identity, and the sampler is kept so that the identity is not used again.
    known = _CACHE.get(id(claim.sample))
    if known is None:
        parts = {
            "sampler": _describe(claim.sample, 0),
            "modules": {name: _module_digest(name) for name in sorted(_reached(_home(claim.sample)))},
        }
        known = (claim.sample, json.dumps(parts, sort_keys=True))
        _CACHE[id(claim.sample)] = known
    return hashlib.sha256(f"{claim.revision}:{known[1]}".encode()).hexdigest()[:20]


def _home(sampler: Any) -> set[str]:
    """Modules that the functions making up a sampler were defined in."""
    homes: set[str] = set()
    waiting, seen = [sampler], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, functools.partial):
            waiting += [part.func, *part.args, *part.keywords.values()]
        elif isinstance(part, types.MethodType):
            waiting += [part.__func__, part.__self__]
        elif isinstance(part, types.FunctionType):
            homes.add(part.__module__)
            waiting += [cell.cell_contents for cell in part.__closure__ or () if _filled(cell)]
            waiting += list(part.__defaults__ or ())
        elif hasattr(part, "py_func"):
            waiting.append(part.py_func)
        elif callable(part):
            homes.add(type(part).__module__ if not isinstance(part, type) else part.__module__)
    return {home for home in homes if home}


def _filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _describe(part: Any, depth: int) -> Any:
    """A sampler as plain data: sources of functions, contents of closures, values of constants."""
    if part is None or isinstance(part, (bool, int, float, str)):
        return repr(part)
    if depth > 6:
        return type(part).__qualname__
    deeper = depth + 1
    if isinstance(part, functools.partial):
        return ["partial", *(_describe(each, deeper) for each in (part.func, part.args, part.keywords))]
    if isinstance(part, types.MethodType):
        return ["method", _describe(part.__func__, deeper), _describe(part.__self__, deeper)]
    if isinstance(part, types.FunctionType):
        cells = [_describe(cell.cell_contents, deeper) for cell in part.__closure__ or () if _filled(cell)]
        defaults = _describe((part.__defaults__, part.__kwdefaults__), deeper)
        return ["function", part.__qualname__, _source(part), cells, defaults]
    if hasattr(part, "py_func"):
        return _describe(part.py_func, deeper)
    if isinstance(part, (tuple, list, set, frozenset)):
        entries = [_describe(each, deeper) for each in part]
        return sorted(entries, key=repr) if isinstance(part, (set, frozenset)) else entries
    if isinstance(part, dict):
        return [[str(name), _describe(value, deeper)] for name, value in part.items()]
    if isinstance(part, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(part).tobytes()).hexdigest()
        return ["array", str(part.dtype), list(part.shape), digest]
    if isinstance(part, (type, types.ModuleType)):
        return getattr(part, "__qualname__", part.__name__)
    return [type(part).__qualname__, _describe(getattr(part, "__dict__", {}), deeper)]


def _source(function: types.FunctionType) -> str:
    """Tree of a function's source, or, typed at a prompt, its bytecode and constants."""
    module = sys.modules.get(function.__module__)
    if function.__module__ != "__main__" and getattr(module, "__file__", None):
        return ""  # the whole module is hashed
    try:
        return _digest(inspect.getsource(function))
    except (OSError, TypeError):
        return _bytecode(function.__code__)


def _bytecode(code: types.CodeType) -> str:
    constants = [_bytecode(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts]
    return hashlib.sha256(code.co_code + repr((constants, code.co_names)).encode()).hexdigest()


def _reached(start: set[str]) -> set[str]:
    """Modules reached by imports from ``start``: rmtsim's simulation side and neighbours of user files."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name in reached or _file(name) is None:
            continue
        reached.add(name)
        folder = Path(str(_file(name))).parent
        waiting += [each for each in _imports(name) if _counts(each, folder)]
    return reached


def _counts(name: str, folder: Path) -> bool:
    if name == _PACKAGE or name.startswith(_PACKAGE + "."):
        return not any(name == side or name.startswith(side + ".") for side in _NOT_SIMULATION)
    if name.partition(".")[0] in sys.stdlib_module_names:
        return False
    file = _file(name)
    return file is not None and folder in Path(file).parents and "site-packages" not in Path(file).parts


@functools.cache
def _file(name: str) -> str | None:
    """Source file of a module, loaded or not."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if file is None and module is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        file = spec.origin if spec is not None else None
    return file if file is not None and file.endswith(".py") and Path(file).exists() else None


@functools.cache
def _tree(name: str) -> ast.Module:
    return ast.parse(Path(str(_file(name))).read_text(encoding="utf-8"))


@functools.cache
def _imports(name: str) -> frozenset[str]:
    """Absolute names of everything a module imports, at its top or inside functions."""
    found: set[str] = set()
    package = name if str(_file(name)).endswith("__init__.py") else name.rpartition(".")[0]
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)  # a name may be a submodule
    return frozenset(found)


@functools.cache
def _module_digest(name: str) -> str:
    text = _digest(Path(str(_file(name))).read_text(encoding="utf-8"))
    packages = sorted({each.partition(".")[0] for each in _imports(name)})
    versions = [f"{each} {version}" for each in packages if (version := _foreign_version(each))]
    return f"{text} {' '.join(versions)}".strip()


def _foreign_version(package: str) -> str | None:
    """Version of a package that is neither ours, nor Python's, nor recorded in the environment."""
    if package in {_PACKAGE, "numpy", "scipy", "numba", ""} or package in sys.stdlib_module_names:
        return None
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _digest(source: str) -> str:
    try:
        tree: ast.AST = _Stripped().visit(ast.parse(inspect.cleandoc(source)))
    except SyntaxError:  # a lambda's lines cut out of the middle of a statement
        return hashlib.sha256("".join(source.split()).encode()).hexdigest()
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


class _Stripped(ast.NodeTransformer):
    """Drops what cannot change a number: docstrings, annotations' siblings, the words of a claim."""

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [
                each
                for each in body
                if not (
                    isinstance(each, ast.Expr)
                    and isinstance(each.value, ast.Constant)
                    and isinstance(each.value.value, str)
                )
            ]
            node.body = kept  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and _called(node) == "Claim":
            node.keywords = [each for each in node.keywords if each.arg not in _WORDS_OF_A_CLAIM]
        return node


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
