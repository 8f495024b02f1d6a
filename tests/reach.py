"""Find the theory that a claim's measured function uses, by following its code and the values it closes over."""

from __future__ import annotations

import dis
import functools
import re
import types
from collections.abc import Iterator
from typing import Any

from rmtsim.claims._model import Claim

_THEORY = re.compile(r"rmtsim\.(laws|papers\.\w+\.theory)(\.|$)")
_STATEMENTS = re.compile(r"rmtsim\.(claims|papers\.\w+\.statements)(\.|$)")
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def theory_reached(measured: Any) -> set[str]:
    """Names in `rmtsim.laws` and in the papers' theory that ``measured`` uses, directly or through statements.

    Only code of statements (`rmtsim.claims`, `rmtsim.papers.*.statements`) and code from outside the package is
    followed; simulation code imports no theory, which `tests/test_architecture.py` checks.
    """
    found: set[str] = set()
    seen: list[Any] = []
    waiting = [measured]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _PLAIN) or any(part is known for known in seen):
            continue
        seen.append(part)
        home = part.__name__ if isinstance(part, types.ModuleType) else getattr(part, "__module__", "") or ""
        if _THEORY.match(home):
            found.add(f"{home}.{getattr(part, '__qualname__', '')}".rstrip("."))
            continue
        waiting += _parts(part, home)
    return found


def _parts(part: Any, home: str) -> Iterator[Any]:
    """Objects that a part of a sampler is built from."""
    if isinstance(part, Claim):
        yield part.measured
    elif isinstance(part, functools.partial):
        yield from (part.func, *part.args, *part.keywords.values())
    elif isinstance(part, types.MethodType):
        yield from (part.__func__, part.__self__)
    elif hasattr(part, "py_func"):
        yield part.py_func
    elif hasattr(part, "__wrapped__"):
        yield part.__wrapped__
    elif isinstance(part, types.FunctionType):
        yield from (cell.cell_contents for cell in part.__closure__ or ())
        if _STATEMENTS.match(home) or home.split(".")[0] != "rmtsim":
            yield from _used(part.__code__, part.__globals__)
    elif isinstance(part, (tuple, list, set, frozenset)):
        yield from part
    elif isinstance(part, dict):
        yield from part.values()
    elif isinstance(part, type):
        if _STATEMENTS.match(home):
            yield from (getattr(each, "__func__", each) for each in vars(part).values() if callable(each))
            yield from part.__bases__
    elif hasattr(part, "__dataclass_fields__"):
        yield from (type(part), *vars(part).values())


def _used(code: types.CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Globals that a code object loads and modules it imports, with those of the functions inside it."""
    module = ""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in names:
            yield names[step.argval]
        elif step.opname == "IMPORT_NAME":
            module = str(step.argval)
            if _THEORY.match(module):
                yield types.ModuleType(module)
        elif step.opname == "IMPORT_FROM" and _THEORY.match(f"{module}.{step.argval}"):
            yield types.ModuleType(f"{module}.{step.argval}")
        elif step.opname == "IMPORT_FROM" and _STATEMENTS.match(module):
            yield getattr(__import__(module, fromlist=[step.argval]), step.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _used(constant, names)
