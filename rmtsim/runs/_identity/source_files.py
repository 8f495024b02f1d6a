"""Source files as data: the statements of a file, the names each of them binds, and what each of them uses.

Nothing here imports the module it reads. Trees are built one at a time: Python's parser, asked by several threads
at once, has failed (``AST constructor recursion depth mismatch``).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib.util
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rmtsim.runs._identity.trees import COMPREHENSIONS, DEFINITIONS, walked, within

__all__ = ["Alias", "Piece", "SourceFile", "Use", "file_of", "is_ours", "piece_of", "source_file"]

_PACKAGE = "rmtsim"
_PARSER = threading.RLock()
_ATTEMPTS = 5
"""To parse a file while another thread spoils it: a spoiled attempt is rare, five in a row are another error."""


@dataclass(frozen=True)
class Alias:
    """An imported thing: ``name`` of ``module``, or the module itself."""

    module: str
    name: str | None = None


Use = tuple[str | Alias, tuple[str, ...]]
"""A name (or what a function imports by itself) and the attributes taken from it: ``theory.linear.ratio``."""


@dataclass(frozen=True)
class Piece:
    """A piece of source: its syntax tree written out, without what cannot change a number, and what it uses."""

    text: str
    uses: frozenset[Use]

    @functools.cached_property
    def asks_for_subclasses(self) -> bool:
        """Whether it finds classes by what they inherit."""
        return "__subclasses__" in self.text or "__init_subclass__" in self.text


@dataclass
class SourceFile:
    """A module's file: its statements, and for each name what gives it a value."""

    module: str
    path: str
    body: list[ast.stmt]
    bindings: dict[str, list[int | Alias]] = field(default_factory=dict)
    """By name: numbers of the statements that bind it, or what is imported under it."""
    stars: list[str] = field(default_factory=list)
    """Modules from which everything is imported."""
    known: dict[Any, Any] = field(default_factory=dict)
    """What readers of the file have worked out about it."""

    @functools.cached_property
    def functions(self) -> dict[int, list[ast.AST]]:
        """Functions and lambdas by the line Python gives as their first (that of the first decorator)."""
        found: dict[int, list[ast.AST]] = {}
        for node in walked(*self.body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                found.setdefault(first, []).append(node)
            elif isinstance(node, ast.Lambda):
                found.setdefault(node.lineno, []).append(node)
        return found

    @functools.cached_property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.module if Path(self.path).name == "__init__.py" else self.module.rpartition(".")[0]


def is_ours(module: str) -> bool:
    """Whether a module belongs to rmtsim or to a user, rather than to Python or an installed package.

    >>> [is_ours(name) for name in ("rmtsim._internal.streams", "numpy.linalg", "json")]
    [True, False, False]
    """
    top = module.partition(".")[0]
    if top in (_PACKAGE, "__main__"):
        return True
    if top in sys.stdlib_module_names:
        return False
    FOREIGN.add(module)
    # The package first: looking for a module inside it would import it.
    return not _installed(top) and not _installed(module)


FOREIGN: set[str] = set()
"""Modules of neither rmtsim nor Python that were asked about; whether they are there decides what is followed."""

_INSTALLED: set[str] = set()


def _installed(module: str) -> bool:
    if module in _INSTALLED:
        return True
    file = file_of(module)
    if file is None or not {"site-packages", "dist-packages"} & set(Path(file).parts):
        return False
    _INSTALLED.add(module)
    return True


def file_of(module: str) -> str | None:
    """Source file of a module, loaded or not."""
    # Files of the package do not come and go while it runs; those of a user may.
    return _own_file(module) if module.partition(".")[0] == _PACKAGE else _found(module)


def _found(module: str) -> str | None:
    loaded = sys.modules.get(module)
    if loaded is not None:
        return existing(getattr(loaded, "__file__", None))
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return existing(spec.origin if spec is not None else None)


_own_file = functools.cache(_found)


def existing(file: str | None) -> str | None:
    """``file`` if it is a Python file that is there."""
    return file if file is not None and file.endswith(".py") and Path(file).exists() else None


def source_file(module: str, path: str) -> SourceFile:
    """The file as it is now; what was read from it stays known until it changes."""
    if module.partition(".")[0] == _PACKAGE:
        with _PARSER:
            return _read(module, path, 0, 0)
    status = Path(path).stat()
    with _PARSER:
        return _read(module, path, status.st_mtime_ns, status.st_size)


def _parsed(text: str, path: str) -> ast.Module:
    """The tree of a file, also while a thread that does not know our lock (a library's) makes another tree.

    CPython before 3.13 counts the depth of all threads' trees together and then raises SystemError; once more will do.
    """
    for _ in range(_ATTEMPTS - 1):
        with contextlib.suppress(SystemError):
            return ast.parse(text, filename=path)
    return ast.parse(text, filename=path)


@functools.cache
def _read(module: str, path: str, modified: int, length: int) -> SourceFile:
    tree = _parsed(Path(path).read_text(encoding="utf-8"), path)
    source = SourceFile(module, path, tree.body)
    for index, statement in enumerate(tree.body):
        for name, binding in _bindings(statement, index, source.package):
            if name == "*":
                assert isinstance(binding, Alias)
                source.stars.append(binding.module)
            else:
                source.bindings.setdefault(name, []).append(binding)
    return source


def _bindings(statement: ast.stmt, index: int, package: str) -> Iterator[tuple[str, int | Alias]]:
    """Names a top-level statement gives a value to; a compound statement binds all it stores inside."""
    if isinstance(statement, DEFINITIONS):
        yield statement.name, index
        return
    for node in within(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _aliases(node, package)
        elif isinstance(node, DEFINITIONS):
            yield node.name, index
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, index
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            # TABLE["x"] = ..., settings.y = ...: changes what the name on the left holds
            yield from ((each.id, index) for each in walked(node) if isinstance(each, ast.Name))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            # TABLE.update(...), LIST.append(...): a call on a name may change what it holds
            called = node.value.func
            if isinstance(called, ast.Attribute):
                yield from ((each.id, index) for each in walked(called) if isinstance(each, ast.Name))


_NAMING = (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_BINDING = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *COMPREHENSIONS})
_NAMES_SOMETHING = frozenset(
    {ast.arg, ast.Name, ast.Import, ast.ImportFrom, *_NAMING, ast.MatchMapping, ast.Global}
)
_CHAINED = frozenset({ast.Name, ast.Attribute})
_NOT_FOLLOWED = frozenset({"annotation", "returns", "type_comment"})


def _aliases(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Alias]]:
    """The names an import binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            # ``import a.b`` binds a, through which a.b is reached.
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or whole, Alias(whole)
        return
    base = node.module or ""
    if node.level:
        parts = package.split(".")
        base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
    for alias in node.names:
        yield alias.asname or alias.name, Alias(base, alias.name)


def piece_of(node: ast.AST | Iterable[ast.AST], package: str, *, decorators: bool = True) -> Piece:
    """A node (or several) written out, with what it uses from outside itself.

    Left out are docstrings and the words of errors, which change no number; annotations are written but not
    followed. Without ``decorators`` those of the node itself are left out too.
    """
    nodes = (node,) if isinstance(node, ast.AST) else tuple(node)
    pieces = [_piece(each, package, decorators) for each in nodes]
    return Piece(
        "\n".join(piece.text for piece in pieces),
        frozenset(use for piece in pieces for use in piece.uses),
    )


@functools.cache
def _piece(node: ast.AST, package: str, decorators: bool) -> Piece:
    writer = _Writer(package)
    text = writer.write(node, (), skipped=() if decorators else ("decorator_list",))
    return Piece(text, frozenset(writer.uses))


Scope = dict[str, Alias | None]
"""Names that a function binds; what it imports under them, if that is how."""


class _Writer:
    """Writes a tree and notes the names it takes from outside, in one pass."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.uses: set[Use] = set()

    def write(self, part: Any, scopes: tuple[Scope, ...], skipped: tuple[str, ...] = ()) -> str:
        if isinstance(part, list):
            return f"[{', '.join([self.write(each, scopes) for each in part])}]"
        if not isinstance(part, ast.AST):
            return repr(part)
        kind = type(part)
        if kind in _CHAINED:
            chain = _chain(part)
            if chain is not None:
                self._note(chain, scopes)
                return f"{type(part.ctx).__name__}({'.'.join(chain)})"  # type: ignore[attr-defined]
        inner = scopes
        if kind in _BINDING:
            inner = (*scopes, self._bound(part))
            if isinstance(part, COMPREHENSIONS):
                self.write(
                    part.generators[0].iter, scopes
                )  # evaluated outside, whatever names the targets have
        written = []
        for name in kind._fields:
            value = getattr(part, name, None)
            if value is None or name in skipped:
                continue
            if not isinstance(value, (ast.AST, list)):
                written.append(f"{name}={value!r}")
                continue
            if name in _NOT_FOLLOWED:
                written.append(f"{name}={ast.dump(value) if isinstance(value, ast.AST) else value!r}")
                continue
            # Decorators and defaults are evaluated outside; the rest of a definition inside.
            outside = name == "decorator_list" or isinstance(value, ast.arguments)
            value = _shortened(part, name, value)
            written.append(f"{name}={self.write(value, scopes if outside else inner)}")
        return f"{kind.__name__}({', '.join(written)})"

    def _note(self, chain: list[str], scopes: tuple[Scope, ...]) -> None:
        root, path = chain[0], tuple(chain[1:])
        for scope in reversed(scopes):
            if root in scope:
                alias = scope[root]
                if alias is not None:
                    self.uses.add((alias, path))
                return
        self.uses.add((root, path))

    def _bound(self, node: ast.AST) -> Scope:
        """Names that a function, lambda or comprehension binds for itself."""
        found: Scope = {}
        outer: set[str] = set()
        parts: Iterable[ast.AST] = within(node)
        if isinstance(node, COMPREHENSIONS):
            parts = (each for generator in node.generators for each in walked(generator.target))
        for part in parts:
            if type(part) not in _NAMES_SOMETHING:
                continue
            if isinstance(part, ast.arg):
                found.setdefault(part.arg)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
                found.setdefault(part.id)
            elif isinstance(part, (ast.Import, ast.ImportFrom)):
                found.update(_aliases(part, self._package))
            elif isinstance(part, _NAMING) and part is not node and part.name:
                found.setdefault(part.name)
            elif isinstance(part, ast.MatchMapping) and part.rest:
                found.setdefault(part.rest)
            elif isinstance(part, ast.Global):
                outer.update(part.names)
        return {name: alias for name, alias in found.items() if name not in outer}


def _chain(part: ast.AST) -> list[str] | None:
    """``a.b.c`` as a list of names; None for anything else."""
    names: list[str] = []
    while isinstance(part, ast.Attribute):
        names.insert(0, part.attr)
        part = part.value
    return [part.id, *names] if isinstance(part, ast.Name) else None


def _shortened(node: ast.AST, name: str, value: Any) -> Any:
    """A field's value without docstrings and the words of errors."""
    if name == "body" and isinstance(node, DEFINITIONS):
        if ast.get_docstring(node, clean=False) is not None:
            return value[1:]
    elif name == "exc" and isinstance(node, ast.Raise) and isinstance(value, ast.Call):
        kept = [each for each in value.args if not _is_text(each)]
        return ast.Call(func=value.func, args=kept, keywords=value.keywords)
    return value


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
