"""Source code as data: what a function uses of its module, which modules it reaches, digests of both."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["Slice", "closure", "is_ours", "module_digest", "slice_of"]

_PACKAGE = "rmtsim"
# Machinery that describes, decides, checks or transports: no sampler's numbers come from it.
_MACHINERY = (
    "rmtsim.verdicts",
    "rmtsim.runs",
    "rmtsim.plots",
    "rmtsim.cli",
    "rmtsim.claims.model",
    "rmtsim.claims.registry",
    "rmtsim.errors",
    "rmtsim.validate",
)
# With these a function can reach anything in its module by a name that is not in its source.
_DYNAMIC = {"globals", "locals", "vars", "eval", "exec", "__import__", "importlib"}
# What a claim says about itself in its own registration; none of it changes what the sampler returns.
_WORDS_OF_A_CLAIM = {
    "paper", "equation", "statement", "predict", "tolerance", "sizes", "size_name", "grid", "exponents",
    "exponent", "relation", "cost", "memory", "quick", "note", "kind", "exact",
}  # fmt: skip


@dataclass(frozen=True)
class Slice:
    """The part of a module that one function uses: its digest, and the modules that part imports."""

    digest: str
    imports: frozenset[str]


def is_ours(module: str) -> bool:
    """Whether a module belongs to rmtsim or to a user, rather than to Python or an installed package."""
    top = module.partition(".")[0]
    if top == _PACKAGE:
        # The root holds the version and re-exports; what it exports is followed to where it is defined.
        return module != _PACKAGE and not any(
            module == each or module.startswith(each + ".") for each in _MACHINERY
        )
    if top in sys.stdlib_module_names and top != "__main__":
        return False
    # The package first: looking for a module inside it would import it.
    return not _installed(top) and not _installed(module)


@functools.cache
def _installed(module: str) -> bool:
    file = _file(module)
    return file is not None and bool({"site-packages", "dist-packages"} & set(Path(file).parts))


def slice_of(function: types.FunctionType) -> Slice:
    """The part of its module that ``function`` uses, found by following names from its own source."""
    if not is_ours(function.__module__):
        return Slice(f"{function.__module__}.{function.__qualname__}", frozenset())
    # The function knows its file best: two users' files may have been loaded under one module name.
    file = _existing(function.__code__.co_filename) or _file(function.__module__)
    if file is None:
        return Slice(_bytecode(function.__code__), frozenset())
    tree = _parse(file)
    nodes: list[ast.AST] = _nodes_at(file).get(function.__code__.co_firstlineno, [])
    kept = [] if not nodes else _used_statements(tree, nodes)
    if not nodes or any(_facts(node).names & _DYNAMIC for node in [*nodes, *kept]):
        nodes, kept = [], tree.body
    parts = [*nodes, *kept]
    imports = _imported(parts, _package(function.__module__, file))
    return Slice(_hash([_facts(node).text for node in parts] + _versions(imports)), imports)


def _used_statements(tree: ast.Module, nodes: list[ast.AST]) -> list[ast.stmt]:
    """Top-level statements that bind a name used by ``nodes``, or by another such statement."""
    binders = _binders(tree)
    waiting: set[str] = set().union(*(_facts(node).names for node in nodes))
    seen: set[str] = set()
    kept: set[int] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for index in binders.get(name, ()):
            if index not in kept:
                kept.add(index)
                waiting |= _facts(tree.body[index]).names - seen
    return [tree.body[index] for index in sorted(kept)]


@functools.cache
def _binders(tree: ast.Module) -> dict[str, list[int]]:
    """Numbers of the top-level statements that give a value to a name, by name."""
    found: dict[str, list[int]] = {}
    for index, statement in enumerate(tree.body):
        for name in _binds(statement):
            found.setdefault(name, []).append(index)
    return found


def _binds(statement: ast.stmt) -> set[str]:
    """Names a top-level statement gives a value to; a compound statement binds all it stores inside."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    bound: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            # TABLE["x"] = ..., settings.y = ...: changes what the name on the left holds
            bound.update(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        # TABLE.update(...), LIST.append(...): a call on a name may change what it holds
        function = statement.value.func
        if isinstance(function, ast.Attribute):
            bound.update(each.id for each in ast.walk(function) if isinstance(each, ast.Name))
    return bound


def _state(file: str) -> tuple[str, int, int]:
    """The file as it is now: what is read from it stays known until it changes."""
    status = Path(file).stat()
    return file, status.st_mtime_ns, status.st_size


def _parse(file: str) -> ast.Module:
    return _parse_state(*_state(file))


@functools.cache
def _parse_state(file: str, modified: int, length: int) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"), filename=file)


def _nodes_at(file: str) -> dict[int, list[ast.AST]]:
    """Function and lambda nodes by the line Python gives as their first (that of the first decorator)."""
    return _nodes_of_state(*_state(file))


@functools.cache
def _nodes_of_state(file: str, modified: int, length: int) -> dict[int, list[ast.AST]]:
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(_parse_state(file, modified, length)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def closure(start: Iterable[str]) -> set[str]:
    """Modules of ours reached by imports from ``start``, each with a source file."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name in reached or not is_ours(name):
            continue
        file = _file(name)
        if file is None:
            waiting += _exporters(name)
            continue
        reached.add(name)
        waiting += _imports_of_state(_package(name, file), *_state(file))
    return reached


@functools.cache
def _imports_of_state(package: str, file: str, modified: int, length: int) -> frozenset[str]:
    return _imported(_parse_state(file, modified, length).body, package)


def _exporters(name: str) -> list[str]:
    """The module that defines ``rmtsim.Thing``, a name the package offers at its root."""
    root, _, exported = name.rpartition(".")
    if root != _PACKAGE:
        return []
    module = getattr(getattr(sys.modules[_PACKAGE], exported, None), "__module__", None)
    return [module] if isinstance(module, str) else []


@functools.cache
def module_digest(name: str) -> str:
    """Digest of a module's whole source and of the versions of the packages it imports."""
    file = str(_file(name))
    body = _parse(file).body
    texts = [_facts(statement).text for statement in body]
    return _hash(texts + _versions(_imported(body, _package(name, file))))


@functools.cache
def _file(name: str) -> str | None:
    """Source file of a module, loaded or not."""
    module = sys.modules.get(name)
    if module is not None:
        return _existing(getattr(module, "__file__", None))
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    return _existing(spec.origin if spec is not None else None)


def _existing(file: str | None) -> str | None:
    return file if file is not None and file.endswith(".py") and Path(file).exists() else None


def _package(name: str, file: str) -> str:
    return name if Path(file).name == "__init__.py" else name.rpartition(".")[0]


def _imported(nodes: Iterable[ast.AST], package: str) -> frozenset[str]:
    """Absolute names of everything imported in ``nodes``, at the top or inside functions."""
    found: set[str] = set()
    for node in nodes:
        for each in _facts(node).imports:
            if isinstance(each, ast.Import):
                found.update(alias.name for alias in each.names)
                continue
            base = each.module or ""
            if each.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - each.level + 1], *([base] if base else [])])
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in each.names)  # a name may be a submodule
    return frozenset(found)


def _versions(imports: Iterable[str]) -> list[str]:
    """Versions of imported packages other than Python's and those the environment records."""
    versions = []
    for package in sorted({name.partition(".")[0] for name in imports}):
        if package in {_PACKAGE, "numpy", "scipy", "numba", ""} or package in sys.stdlib_module_names:
            continue
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return versions


def _bytecode(code: types.CodeType) -> str:
    """Digest of a function typed at a prompt, which has no file."""
    constants = [
        _bytecode(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts
    ]
    return _hash([code.co_code.hex(), repr(constants), repr(code.co_names)])


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class _Facts:
    """A piece of source without what cannot change a number: docstrings and the words of a claim."""

    text: str
    """Its syntax tree, written out."""
    names: frozenset[str]
    imports: tuple[ast.Import | ast.ImportFrom, ...]


@functools.cache
def _facts(node: ast.AST) -> _Facts:
    # All of it in one pass: whole modules are read before the first batch, here and in every worker.
    names: set[str] = set()
    imports: list[ast.Import | ast.ImportFrom] = []

    def write(part: Any) -> str:
        if isinstance(part, list):
            return f"[{', '.join([write(each) for each in part])}]"
        if not isinstance(part, ast.AST):
            return repr(part)
        kind = type(part)
        if kind is ast.Name:
            names.add(part.id)  # type: ignore[attr-defined]
        elif kind is ast.Import or kind is ast.ImportFrom:
            imports.append(part)  # type: ignore[arg-type]
        written = []
        for field in kind._fields:
            value = getattr(part, field, None)
            if value is None and getattr(kind, field, ...) is None:
                continue
            if field in _SHORTENED:
                value = _shortened(part, field, value)
            written.append(f"{field}={write(value)}")
        return f"{kind.__name__}({', '.join(written)})"

    return _Facts(write(node), frozenset(names), tuple(imports))


_SHORTENED = {"decorator_list", "body", "keywords"}


def _shortened(node: ast.AST, field: str, value: Any) -> Any:
    """A field's value without docstrings, registrations and the words of a claim."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        if field == "decorator_list":
            return [each for each in value if _called(each) != "claim"]
        if field == "body" and ast.get_docstring(node, clean=False) is not None:
            return value[1:]
    elif isinstance(node, ast.Call) and _called(node) == "Claim" and field == "keywords":
        return [each for each in value if each.arg not in _WORDS_OF_A_CLAIM]
    return value


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
