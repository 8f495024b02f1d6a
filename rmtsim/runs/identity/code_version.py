"""Which code a claim's sampler runs: a digest that changes when the sampler could return something else.

It covers the sampler with everything it closes over, the parts of its own module that it uses, and the
whole source of every module reached by imports from there (rmtsim's own and neighbours of a user's file).
Sources are compared as syntax trees without docstrings, so comments, layout and words change nothing.
The digest errs on the safe side: an unrelated edit of a reached module makes stored batches stale, but no
stored batch is reused after an edit that matters.
"""

from __future__ import annotations

import functools
import hashlib
import json
import types
from typing import Any

import numpy as np

from rmtsim.claims.model import Claim
from rmtsim.runs.identity import source_code as sources

__all__ = ["code_version", "defining_modules"]

_CACHE: dict[int, tuple[Any, str]] = {}
_DEEPEST = 8


def code_version(claim: Claim) -> str:
    """Digest of the revision and of all code the claim's sampler reaches.

    >>> from rmtsim.claims import find
    >>> code_version(find("dong.thm1.diagonal")) == code_version(find("dong.thm1.diagonal"))
    True
    """
    # Keyed by identity, and the sampler is kept so that its identity is not given to another.
    known = _CACHE.get(id(claim.sample))
    if known is None:
        known = (claim.sample, json.dumps(_description(claim.sample), sort_keys=True))
        _CACHE[id(claim.sample)] = known
    return hashlib.sha256(f"{claim.revision}:{known[1]}".encode()).hexdigest()[:20]


def defining_modules(claim: Claim) -> tuple[str, ...]:
    """Modules in which the functions of a claim's sampler are defined, those of rmtsim, of Python and of
    installed packages left out.

    >>> from rmtsim.claims import find
    >>> defining_modules(find("dong.thm1.diagonal"))
    ()
    """
    functions: list[types.FunctionType] = []
    _describe(claim.sample, functions, 0)
    names = {function.__module__ for function in functions}
    return tuple(sorted(name for name in names if _is_users(name)))


def _is_users(module: str) -> bool:
    return module.partition(".")[0] != "rmtsim" and sources.is_ours(module)


def _description(sampler: Any) -> dict[str, Any]:
    functions: list[types.FunctionType] = []
    shape = _describe(sampler, functions, 0)
    reached: set[str] = set()
    slices = []
    for function in functions:
        piece = sources.slice_of(function)
        slices.append(piece.digest)
        reached |= piece.imports
    modules = {name: sources.module_digest(name) for name in sorted(sources.closure(reached))}
    return {"sampler": shape, "slices": slices, "modules": modules}


def _describe(part: Any, functions: list[types.FunctionType], depth: int) -> Any:
    """A sampler as plain data: how functions, closures and constants are put together.

    Functions met on the way are collected in ``functions``; a function met before is named by its number.
    """
    if part is None or isinstance(part, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(part)
    if depth > _DEEPEST:
        return type(part).__qualname__

    def within(inner: Any) -> Any:
        return _describe(inner, functions, depth + 1)

    if isinstance(part, functools.partial):
        return ["partial", within(part.func), within(part.args), within(part.keywords)]
    if isinstance(part, types.MethodType):
        return ["method", within(part.__func__), within(part.__self__)]
    if hasattr(part, "py_func"):
        return ["kernel", within(part.py_func)]
    if isinstance(part, types.FunctionType):
        for number, known in enumerate(functions):
            if known is part:
                return ["function", number]
        functions.append(part)
        cells = [within(cell.cell_contents) for cell in part.__closure__ or () if _filled(cell)]
        return ["function", part.__qualname__, cells, within([part.__defaults__, part.__kwdefaults__])]
    if isinstance(part, (tuple, list)):
        return [within(each) for each in part]
    if isinstance(part, (set, frozenset)):
        return sorted((within(each) for each in part), key=repr)
    if isinstance(part, (dict, types.MappingProxyType)):
        return [[str(name), within(value)] for name, value in part.items()]
    if isinstance(part, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(part).tobytes()).hexdigest()
        return ["array", str(part.dtype), list(part.shape), digest]
    if isinstance(part, types.ModuleType):
        return ["module", part.__name__]
    if isinstance(part, type):
        return ["class", part.__qualname__, *_methods(part, functions)]
    slots = [[name, within(getattr(part, name, None))] for name in getattr(type(part), "__slots__", ())]
    return [within(type(part)), within(getattr(part, "__dict__", {})), slots]


def _methods(part: type, functions: list[types.FunctionType]) -> list[str]:
    """Methods of a class of ours or of the user's; those of installed packages are pinned by version."""
    if not sources.is_ours(part.__module__):
        return []
    for member in vars(part).values():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, types.FunctionType) and not any(function is known for known in functions):
            functions.append(function)
    return [base.__qualname__ for base in part.__bases__]


def _filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
