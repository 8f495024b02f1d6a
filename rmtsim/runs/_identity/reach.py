"""What code a function can run: found by following names from its own source, definition by definition.

A name leads to the statements of its module that bind it, an import to the definition it imports, and so on; a
module used as a whole, or through ``eval`` and its like, counts as a whole. Statements that are run for their effect
(a registration, a decorated function that a table may know) count with the module they stand in.

Declaring a claim is no computation: of ``@claim(...)``, or of whatever is made from it with ``functools.partial``,
only the function that measures is followed. So the words, tolerances, predictions and corrections of a claim are
no part of what its batches depend on, and nobody has to keep a list of modules that are.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from importlib import metadata

from rmtsim.claims._declare import claim as declaration
from rmtsim.runs._identity.source_files import (
    Alias,
    Piece,
    SourceFile,
    Use,
    file_of,
    is_ours,
    piece_of,
    source_file,
)

__all__ = ["Reach", "version_of"]

# With these a function can reach anything in its module by a name that is not in its source.
_DYNAMIC = {"globals", "locals", "vars", "eval", "exec", "__import__"}
_RECORDED = {"numpy", "scipy", "numba"}
"""Packages whose versions the environment of a batch records."""


class Reach:
    """Everything that was reached so far, as texts by module, and the installed packages that are used."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[tuple[bool, int], str]] = {}
        """By module and place (statements first, then functions found alive), so that order does not depend on luck."""
        self.packages: set[str] = set()
        self._seen: set[tuple[str, str | int]] = set()
        self._followed: set[tuple[str, Use]] = set()
        self._entered: dict[str, SourceFile] = {}
        self._waiting: list[tuple[SourceFile, Piece]] = []
        self._by_inheritance = False

    def digests(self) -> dict[str, str]:
        """One line for each module reached."""
        self._settle()
        return {
            module: hashlib.sha256("\n".join(texts[place] for place in sorted(texts)).encode()).hexdigest()
            for module, texts in sorted(self.texts.items())
        }

    def function(self, module: str, path: str, line: int, closed: frozenset[str]) -> None:
        """Follow a function from the line of its source; values of the names it is closed over are described there."""
        source = source_file(module, path)
        # Decorators have done their work: what they made of the function is how it was found.
        nodes = source.functions.get(line, [])
        if not nodes:
            self._whole(source)
            return
        piece = piece_of(nodes, source.package, decorators=False)
        uses = frozenset(use for use in piece.uses if use[0] not in closed)
        self._keep(source, (True, line), Piece(piece.text, uses))

    def named(self, module: str, *path: str) -> None:
        """Follow what ``module.path`` names."""
        if not is_ours(module):
            self.packages.add(module.partition(".")[0])
            return
        file = file_of(module)
        if file is None:
            if path:  # a package without a file of its own
                self.named(f"{module}.{path[0]}", *path[1:])
            return
        source = source_file(module, file)
        if not path:
            self._whole(source)
        elif path[0] in source.bindings:
            self._bound(source, path)
        elif file_of(f"{module}.{path[0]}") is not None:
            self.named(f"{module}.{path[0]}", *path[1:])
        elif source.stars:
            for star in source.stars:
                self.named(star, *path)
        elif "__getattr__" in source.bindings:
            self._whole(source)

    def _settle(self) -> None:
        while self._waiting:
            source, piece = self._waiting.pop()
            for use in piece.uses:
                # Statements of one module use the same names; nothing new is reached by the second.
                if (source.path, use) not in self._followed:
                    self._followed.add((source.path, use))
                    self._follow(source, use)
            if not self._by_inheritance and piece.asks_for_subclasses:
                self._by_inheritance = True
                for entered in self._entered.values():
                    self._effects(entered)

    def _follow(self, source: SourceFile, use: Use) -> None:
        root, path = use
        if isinstance(root, Alias):
            self.named(root.module, *((root.name,) if root.name else ()), *path)
        elif root in source.bindings:
            self._bound(source, (root, *path))
        elif root in _DYNAMIC:
            self._whole(source)
        else:
            for star in source.stars:
                self.named(star, root, *path)

    def _bound(self, source: SourceFile, path: tuple[str, ...]) -> None:
        """Follow a name to what binds it in its module."""
        for binding in source.bindings[path[0]]:
            if isinstance(binding, int):
                self._statement(source, binding)
                continue
            target = (binding.module, *((binding.name,) if binding.name else ()), *path[1:])
            step = (source.path, ".".join(target))
            if step in self._seen:
                continue
            self._seen.add(step)
            if (binding.module, binding.name) == (source.module, path[0]):
                # ``from package import module`` in the package itself: the module, not the name.
                target = (f"{source.module}.{path[0]}", *path[1:])
            self.named(*target)

    def _statement(self, source: SourceFile, index: int) -> None:
        if (source.path, index) in self._seen:
            return
        self._seen.add((source.path, index))
        if index not in source.known:
            source.known[index] = self._without_declarations(source, source.body[index])
        self._keep(source, (False, index), source.known[index])

    def _whole(self, source: SourceFile) -> None:
        self._enter(source)
        for index, statement in enumerate(source.body):
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                continue
            self._statement(source, index)
        for bindings in source.bindings.values():
            for binding in bindings:
                if isinstance(binding, Alias) and (source.path, str(binding)) not in self._seen:
                    self._seen.add((source.path, str(binding)))
                    self.named(binding.module, *((binding.name,) if binding.name else ()))

    def _keep(self, source: SourceFile, place: tuple[bool, int], piece: Piece) -> None:
        self._enter(source)
        self.texts.setdefault(source.module, {})[place] = piece.text
        self._waiting.append((source, piece))

    def _enter(self, source: SourceFile) -> None:
        if source.path not in self._entered:
            self._entered[source.path] = source
            self._effects(source)

    # ---- Statements that are run for their effect --------------------------------------------------------------

    def _effects(self, source: SourceFile) -> None:
        name = f"effects, by inheritance {self._by_inheritance}"
        if name not in source.known:
            source.known[name] = [
                index for index, statement in enumerate(source.body) if self._has_effect(source, statement)
            ]
        for index in source.known[name]:
            self._statement(source, index)

    def _has_effect(self, source: SourceFile, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.ClassDef) and self._by_inheritance:
            return any(self._is_our_call(source, base) for base in statement.bases)
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return any(self._is_our_call(source, decorator) for decorator in statement.decorator_list)
        if isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test):
            return False
        return any(
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and self._is_our_call(source, node.value)
            for node in _running(statement)
        )

    def _is_our_call(self, source: SourceFile, expression: ast.expr) -> bool:
        """Whether something of ours or of the user's is called, other than the declaration of a claim."""
        called = expression.func if isinstance(expression, ast.Call) else expression
        root = called
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._declares(source, expression):
            return False
        return any(
            isinstance(binding, int) or is_ours(binding.module)
            for binding in source.bindings.get(root.id, ())
        )

    # ---- Declarations of claims ----------------------------------------------------------------------------------

    def _without_declarations(self, source: SourceFile, statement: ast.stmt) -> Piece:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            kept = [each for each in statement.decorator_list if not self._declares(source, each)]
            pieces = piece_of([statement], source.package, decorators=False)
            others = piece_of(kept, source.package)
            return Piece(f"{others.text}\n{pieces.text}", pieces.uses | others.uses)
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call) and self._declares(source, value):
            measured = [
                *value.args[1:2], *(each.value for each in value.keywords if each.arg == "measured")
            ]  # fmt: skip
            return piece_of(measured, source.package)
        return piece_of(statement, source.package)

    def _declares(self, source: SourceFile, expression: ast.expr) -> bool:
        """Whether an expression declares a claim: a call of ``claim``, or of a partial of it."""
        called = expression.func if isinstance(expression, ast.Call) else expression
        return self._is_declaration(source, called, depth=0)

    def _is_declaration(self, source: SourceFile, called: ast.expr, depth: int) -> bool:
        path: list[str] = []
        while isinstance(called, ast.Attribute):
            path.insert(0, called.attr)
            called = called.value
        if not isinstance(called, ast.Name) or depth > 10:
            return False
        return self._names_declaration(source, [called.id, *path], depth)

    def _names_declaration(self, source: SourceFile, path: list[str], depth: int) -> bool:
        for binding in source.bindings.get(path[0], ()):
            if isinstance(binding, int):
                statement = source.body[binding]
                if (
                    isinstance(statement, ast.FunctionDef)
                    and (source.module, statement.name) == (declaration.__module__, declaration.__name__)
                    and len(path) == 1
                ):
                    return True
                value = getattr(statement, "value", None)
                if isinstance(value, ast.Name):  # another name for it
                    return self._is_declaration(source, value, depth + 1)
                if isinstance(value, ast.Call) and value.args and _is_partial(value.func):
                    return self._is_declaration(source, value.args[0], depth + 1)
                continue
            target = [*binding.module.split("."), *([binding.name] if binding.name else []), *path[1:]]
            module, rest = _split(target)
            file = file_of(module) if is_ours(module) else None
            if file is not None and rest and depth <= 10:
                return self._names_declaration(source_file(module, file), rest, depth + 1)
        return False


def _is_partial(called: ast.expr) -> bool:
    return getattr(called, "id", getattr(called, "attr", "")) == "partial"


def _split(target: list[str]) -> tuple[str, list[str]]:
    """The longest part of a dotted name that is a module with a file, and what is taken from it."""
    for length in range(len(target), 0, -1):
        module = ".".join(target[:length])
        if module in sys.modules or (is_ours(module) and file_of(module) is not None):
            return module, target[length:]
    return target[0], target[1:]


def _running(statement: ast.stmt) -> list[ast.AST]:
    """Nodes of a statement that run when its module is imported."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return found


@functools.cache
def version_of(package: str) -> str:
    """Version of an installed package, unless the environment records it or Python brings it."""
    top = package.partition(".")[0]
    if top in _RECORDED or top in sys.stdlib_module_names:
        return ""
    try:
        return metadata.version(top)
    except (metadata.PackageNotFoundError, ValueError):
        return ""
