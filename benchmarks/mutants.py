"""Numbers in closed forms, and how one of them is made wrong in a running process (for mutations.py)."""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import sys
import types
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mutation_reasons import reason

ROOT = Path(__file__).resolve().parent.parent
FACTOR = 1.03
FOLDERS = [*sorted((ROOT / "rmtsim" / "papers").glob("*/theory")), ROOT / "rmtsim" / "laws"]
"""Folders of theory."""
SOLVERS = (
    "rmtsim.laws.dyson",
    "rmtsim.laws._inverse_map",
    "rmtsim.laws._roots",
    "rmtsim.laws._free.subordination",
)
"""Iterations, not closed forms: their answers carry the residual of the equation they solve."""
CLOSED = ("rmtsim.laws.dyson.ensembles",)
"""What is written out among the solvers all the same."""
_COUNTS = {"range", "arange", "linspace", "zeros", "ones", "empty", "full", "leggauss", "reshape", "integer", "round",
           "moveaxis", "transpose", "swapaxes", "sobol_points", "_gaussian_points", "standard_normal", "polygamma",
           "orthant_moment", "softmax_moment", "_falling", "_fair_coins", "comb", "default_rng", "eye", "expand_dims",
           "concatenate", "stack", "workdps", "extradps", "repeat", "atleast_1d"}  # fmt: skip
"""Calls whose numbers count something, or name one of several cases."""
_SAFEGUARDS = {"errstate", "clip", "allclose", "isclose", "positive_number", "finite_number", "minimum", "maximum",
               "max", "min", "nan_to_num", "lru_cache", "quad", "brentq", "ldexp", "remembered", "memory",
               "number"}  # fmt: skip
"""Calls whose numbers guard the arithmetic or steer an algorithm."""
_ELEMENTARY = ("math", "np", "mpmath", "special")
MODULE = ".<lambda>"


@dataclass(frozen=True)
class Constant:
    """One number in the arithmetic of one function, or in the value of a module's name."""

    module: str
    function: str
    line: int
    column: int
    value: float
    expression: str
    nth: int
    """Which of the function's numbers."""

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}:{self.nth}"


class _Finder(ast.NodeVisitor):
    """Numbers in arithmetic: not indices, counts, comparisons, guards, keywords."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.Constant, ast.expr]] = []
        self._within: list[ast.expr] = []

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._within.append(node)
        self.generic_visit(node)
        self._within.pop()

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _COUNTS | _SAFEGUARDS:
            return
        self._within.append(node)
        for argument in node.args:
            self.visit(argument)
        self._within.pop()
        self.visit(node.func)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        return

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        return

    def visit_Raise(self, node: ast.Raise) -> None:
        return

    def visit_Constant(self, node: ast.Constant) -> None:
        arithmetic = any(isinstance(each, ast.BinOp) for each in self._within)
        within = self._within[-1] if self._within else None
        elementary = isinstance(within, ast.Call) and ast.unparse(within.func).split(".")[0] in _ELEMENTARY
        if type(node.value) in (int, float) and node.value and (arithmetic or elementary):
            self.found.append((node, self._within[0]))


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    yield f"{node.name}.{item.name}", item


def modules() -> list[tuple[str, Path]]:
    """Modules of closed forms and their files."""
    found = []
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if not name.startswith(SOLVERS) or name.startswith(CLOSED):
                found.append((name.removesuffix(".__init__"), path))
    return found


def constants(every: bool) -> list[Constant]:
    """The numbers to try: one a function (the first of what it returns, or the first without an excuse), or all."""
    chosen = []
    for module, path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if not isinstance(target, ast.Name):
                continue
            value = vars(importlib.import_module(module)).get(target.id)
            # Named numbers that are derived; a bare literal is a setting.
            if isinstance(value, float) and not isinstance(node.value, ast.Constant):
                chosen.append(Constant(module, target.id, node.lineno, -1, value, ast.unparse(node)[:80], 0))
            finder = _Finder()
            for function in ast.walk(node.value):
                if isinstance(function, ast.Lambda):
                    finder.visit(function.body)
            chosen += _named(
                module, f"{target.id}{MODULE}", finder.found, finder.found if every else finder.found[:1]
            )
        for name, function in _functions(tree):
            finder = _Finder()
            for statement in function.body:
                finder.visit(statement)
            own = _named(module, name, finder.found, finder.found)
            if not every and own:
                returned = _Finder()
                for inner in ast.walk(function):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        returned.visit(inner)
                first = _named(module, name, finder.found, returned.found)
                own = _one_that_counts([*first, *own])
            chosen += own
    return chosen


def _one_that_counts(numbers: list[Constant]) -> list[Constant]:
    """The first number, and where a reason excuses it, the first that has none."""
    if not reason(asdict(numbers[0])):
        return numbers[:1]
    return [numbers[0], *[each for each in numbers if not reason(asdict(each))][:1]]


_Numbers = list[tuple[ast.Constant, ast.expr]]


def _named(module: str, function: str, all_of_them: _Numbers, chosen: _Numbers) -> list[Constant]:
    order = [(node.lineno, node.col_offset) for node, _ in all_of_them]
    return [
        Constant(
            module,
            function,
            node.lineno,
            node.col_offset,
            float(node.value),  # type: ignore[arg-type]
            ast.unparse(within)[:80],
            order.index((node.lineno, node.col_offset)),
        )
        for node, within in chosen
    ]


def _source(module: str) -> Path:
    path = ROOT / Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _codes(constant: Constant) -> tuple[types.CodeType, types.CodeType]:
    """The module's code as it is and with the wrong number."""
    path = _source(constant.module)
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    hits = 0
    for node in ast.walk(tree):
        place = (getattr(node, "lineno", None), getattr(node, "col_offset", None))
        if (
            isinstance(node, ast.Constant)
            and place == (constant.line, constant.column)
            and node.value == constant.value
        ):
            node.value = FACTOR * constant.value
            hits += 1
    assert hits == 1, constant
    return compile(ast.parse(text), str(path), "exec"), compile(tree, str(path), "exec")


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [each for each in code.co_consts if isinstance(each, types.CodeType)]


def shared_function(module: str, function: str) -> Any:
    """The function object shared by all importers, without its caches and wrappers."""
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = vars(found)[part]
    if isinstance(found, functools.cached_property):
        found = found.func
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    while hasattr(found, "__wrapped__") and not hasattr(found, "py_func"):
        found = found.__wrapped__
    return getattr(found, "py_func", found)


@functools.cache
def _caches() -> list[Any]:
    """Caches of results, looked for once (in the process from which the others are forked)."""
    found = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    owners = ("rmtsim.papers", "rmtsim.laws", "rmtsim.claims", "tests.")
    return [
        each
        for each in found
        if (each.__wrapped__.__module__ or "").startswith(owners)
        and each.__wrapped__.__module__ != "rmtsim.claims._registry"
    ]


@functools.cache
def _lambdas() -> list[Any]:
    """Nameless functions of the modules, looked for once, before objects are frozen."""
    names = {name for name, _ in modules()}
    found = (each for each in gc.get_objects() if isinstance(each, types.FunctionType))
    return [each for each in found if each.__name__ == "<lambda>" and each.__module__ in names]


def forget() -> None:
    """Empty every cache of results."""
    _lambdas()
    for each in _caches():
        each.cache_clear()


def _compile_anew() -> None:
    """Kernels of the laws are compiled from what is in memory, not read from the disk."""
    from numba.core.caching import NullCache
    from numba.core.dispatcher import Dispatcher

    for module, _ in modules():
        for found in vars(importlib.import_module(module)).values():
            if isinstance(found, Dispatcher):
                assert not found.overloads, "compiled before the number was changed"
                found._cache = NullCache()


def _replace_everywhere(right: Any, wrong: Any) -> None:
    """Replace the value in all modules that imported it."""
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()) if isinstance(module, types.ModuleType) else ():
            if value is right:
                setattr(module, name, wrong)


def _import_statements(module: str, function: str) -> list[ast.stmt]:
    """Assignments of the module, of values worked out at import, that call this function."""
    tree = ast.parse(_source(module).read_text(encoding="utf-8"))
    called = {}
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            calls = [each.func for each in ast.walk(node.value) if isinstance(each, ast.Call)]
            called[node] = {getattr(each, "id", "") for each in calls}
    return [node for node, names in called.items() if function in names]


@functools.cache
def used_at_import(constant: Constant) -> bool:
    """Whether the module itself calls the function while it is loaded."""
    return constant.column >= 0 and bool(_import_statements(constant.module, constant.function))


def mutate(constant: Constant) -> None:
    """Put the wrong number into this process."""
    forget()
    namespace = vars(importlib.import_module(constant.module))
    if any("numba" in str(type(value)) for value in namespace.values()):
        _compile_anew()
    if constant.column < 0:
        right = namespace[constant.function]
        _replace_everywhere(right, FACTOR * right)
        return
    right_code, wrong_code = _codes(constant)
    if constant.function.endswith(MODULE):
        pairs = zip(_inner(right_code), _inner(wrong_code), strict=True)
        old, new = next((a, b) for a, b in pairs if a != b)
        held = [each for each in _lambdas() if each.__code__ == old]
        assert held, constant
        for each in held:
            each.__code__ = new
        return
    for part in constant.function.split("."):
        wrong_code = next(each for each in _inner(wrong_code) if each.co_name == part)
    function = shared_function(constant.module, constant.function)
    function.__code__ = wrong_code
    for node in _import_statements(constant.module, constant.function):
        before = dict(namespace)
        exec(compile(ast.Module([node], []), constant.module, "exec"), namespace)
        for name, right in before.items():
            if namespace[name] is not right:
                _replace_everywhere(right, namespace[name])
