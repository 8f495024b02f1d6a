"""Which code a claim's sampler runs: a digest that changes when the sampler could return something else.

It covers the sampler as it is in memory (the declared function with everything it closes over, the law its values are
compared with), the stream of random numbers it is given, and every definition reached by names from their sources
(:mod:`rmtsim.runs._identity.reach`). Sources are compared as syntax trees without docstrings, so comments, layout and
words change nothing. The digest errs on the safe side: what might be used counts as used.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import threading
import types
from typing import Any

import numpy as np

from rmtsim._internal.streams import stream
from rmtsim.claims._model import Claim
from rmtsim.runs._identity.roots import Roots
from rmtsim.runs._identity.source_files import file_of, is_ours
from rmtsim.runs._process.collection import without_collection

__all__ = ["code_version", "defining_modules"]

_CACHE: dict[int, tuple[Any, str]] = {}
_LOCK = threading.RLock()
"""Threads of a worker ask for the same claims at the same time; one of them reads, the others find it read."""


def code_version(claim: Claim) -> str:
    """Digest of the revision and of all code the claim's sampler reaches.

    >>> from rmtsim.claims import find
    >>> code_version(find("dong.thm1.diagonal")) == code_version(find("dong.thm1.diagonal"))
    True
    """
    with _LOCK:
        # Keyed by identity, and the sampler is kept so that its identity is not given to another.
        known = _CACHE.get(id(claim.sample))
        if known is None:
            with without_collection():
                known = (claim.sample, json.dumps(_described(claim.sample), sort_keys=True))
            _CACHE[id(claim.sample)] = known
    return hashlib.sha256(f"{claim.revision}:{known[1]}".encode()).hexdigest()[:20]


def defining_modules(claim: Claim) -> tuple[str, ...]:
    """Modules in which the functions of a claim's sampler are defined, those of rmtsim, of Python and of
    installed packages left out.

    >>> from rmtsim.claims import find
    >>> defining_modules(find("dong.thm1.diagonal"))
    ()
    """
    with _LOCK:
        living = _Living()
        living.describe(claim.sample)
    # Functions made by exec, as scipy.stats makes some, belong to no module.
    names = {function.__module__ for function in living.functions if function.__module__}
    return tuple(sorted(name for name in names if name.partition(".")[0] != "rmtsim" and is_ours(name)))


def _described(sampler: Any) -> dict[str, Any]:
    living = _Living()
    shape = [living.describe(sampler), living.describe(stream)]
    return {"sampler": shape, "reached": living.roots.digest()}


class _Living:
    """A sampler as plain data: how functions, closures and constants are put together.

    What was met before is named by its number, so that nothing is described twice and circles end.
    """

    def __init__(self) -> None:
        self.roots = Roots()
        self.functions: list[types.FunctionType] = []
        self._met: dict[int, tuple[int, Any]] = {}

    def describe(self, part: Any) -> Any:
        """``part``; its code is added to what is reached."""
        if part is None or isinstance(part, (bool, int, float, complex, str, bytes, np.generic)):
            return repr(part)
        if id(part) in self._met:
            return ["met", self._met[id(part)][0]]
        self._met[id(part)] = (len(self._met), part)
        if isinstance(part, (tuple, list)):
            return [self.describe(each) for each in part]
        if isinstance(part, (set, frozenset)):
            return sorted((self.describe(each) for each in sorted(part, key=repr)), key=repr)
        if isinstance(part, (dict, types.MappingProxyType)):
            return [[str(name), self.describe(value)] for name, value in part.items()]
        if isinstance(part, np.ndarray):
            digest = hashlib.sha256(np.ascontiguousarray(part).tobytes()).hexdigest()
            return ["array", str(part.dtype), list(part.shape), digest]
        if isinstance(part, types.ModuleType):
            self.roots.named(part.__name__)
            return ["module", part.__name__]
        if isinstance(part, type):
            return self._class(part)
        return self._callable(part)

    def _callable(self, part: Any) -> Any:
        if isinstance(part, types.FunctionType):
            return self._function(part)
        if isinstance(part, functools.partial):
            return ["partial", *map(self.describe, (part.func, part.args, part.keywords))]
        if isinstance(part, types.MethodType):
            return ["method", self.describe(part.__func__), self.describe(part.__self__)]
        if isinstance(part, (types.BuiltinFunctionType, np.ufunc)):
            owner = getattr(part, "__self__", None)
            bound = None if owner is None or isinstance(owner, types.ModuleType) else self.describe(owner)
            return ["builtin", str(getattr(part, "__module__", "")), part.__name__, bound]
        if isinstance(getattr(part, "py_func", None), types.FunctionType):
            options = {name: repr(value) for name, value in getattr(part, "targetoptions", {}).items()}
            return ["kernel", self.describe(options), self.describe(part.py_func)]
        if isinstance(getattr(part, "__wrapped__", None), types.FunctionType):
            return ["wrapper", type(part).__qualname__, self.describe(part.__wrapped__)]
        return self._instance(part)

    def _function(self, part: types.FunctionType) -> Any:
        self.functions.append(part)
        cells = [self.describe(cell.cell_contents) for cell in part.__closure__ or () if _filled(cell)]
        defaults = self.describe([part.__defaults__, part.__kwdefaults__])
        described = ["function", part.__qualname__, cells, defaults]
        if not self.roots.function(part):
            # Typed at a prompt: no file tells what its names stand for, but memory does.
            described += [_bytecode(part.__code__), [self.describe(value) for value in _globals_used(part)]]
        return described

    def _class(self, part: type) -> Any:
        described: list[Any] = ["class", part.__module__, part.__qualname__]
        if is_ours(part.__module__):
            if "<locals>" not in part.__qualname__ and file_of(part.__module__) is not None:
                self.roots.named(part.__module__, part.__qualname__.partition(".")[0])
                return described
            # It stands inside a function, or was typed at a prompt: only its methods lead to its source.
            for member in vars(part).values():
                function = getattr(member, "__func__", getattr(member, "fget", member))
                if isinstance(function, types.FunctionType):
                    described.append(self.describe(function))
            described += [self.describe(base) for base in part.__bases__ if is_ours(base.__module__)]
        return described

    def _instance(self, part: Any) -> Any:
        kind = type(part)
        if dataclasses.is_dataclass(part):
            state = {each.name: getattr(part, each.name, None) for each in dataclasses.fields(part)}
        else:
            slots = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]
            state = {name: getattr(part, name, None) for name in slots} | dict(getattr(part, "__dict__", {}))
            # What was computed once and kept is no state: it would tell whether somebody has asked.
            for name in list(state):
                if isinstance(getattr(kind, name, None), functools.cached_property):
                    del state[name]
        return [self.describe(kind), self.describe(state)]


def _globals_used(function: types.FunctionType) -> list[Any]:
    """Values of the global names in a function and in those inside it, in order of name."""
    names: set[str] = set()
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    found = function.__globals__
    return [found[name] for name in sorted(names) if name in found and name != "__builtins__"]


def _bytecode(code: types.CodeType) -> str:
    """Digest of a function that has no file."""
    constants = [
        _bytecode(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts
    ]
    text = "\n".join([code.co_code.hex(), repr(constants), repr(code.co_names)])
    return hashlib.sha256(text.encode()).hexdigest()


def _filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
