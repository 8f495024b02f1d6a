"""Digest of objects as they are in memory: functions with everything they refer to, and values of any type.

A function is described by its bytecode, its defaults, the variables it closes over, its attributes and the global
names that it uses. A value of a type that is not known here is described by what pickling would save
(``__reduce_ex__``). Functions of installed packages and of Python are described by their names.
"""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import gc
import hashlib
import mmap
import os
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from rmtsim.claims._model import WORDS, Claim

_SCALARS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_PLAIN = (*_SCALARS, tuple, frozenset, np.ndarray, np.generic, types.FunctionType, type, types.ModuleType)
"""Types of global values of rmtsim that are described; its dictionaries, lists and other objects may be caches."""
_DESCRIPTORS = (staticmethod, classmethod, property, functools.cached_property)
_OF_EVERY_MODULE = {
    "__builtins__",
    "__name__",
    "__package__",
    "__spec__",
    "__loader__",
    "__cached__",
    "__doc__",
}
_IGNORED_IN_CLASSES = {"__dict__", "__weakref__", "__doc__", "__module__", "_abc_impl", "__annotations__"}


class LiveValues:
    """Objects reachable from some starting points, as a digest.

    Every object gets a number when it is first visited, and is described by its own data and by the numbers of the
    objects it refers to, so cycles and deep nesting need no special treatment. Immutable values are written out
    instead, because equal ones may or may not be the same object.

    Parameters
    ----------
    kind_of : callable
        Maps the name of a module to ``"own"`` (described completely), ``"rmtsim"`` (global dictionaries, lists and
        objects are left out, because they may be caches) or ``"installed"`` (described by name).
    folder : str, optional
        Occurrences of this path in text are replaced, so that a digest does not depend on the location of a file.
    """

    def __init__(self, kind_of: Callable[[str], str], folder: str = "") -> None:
        self._kind_of = kind_of
        self._folder = folder
        self._numbers: dict[int, int] = {}
        self._met: list[Any] = []
        self._used: dict[int, set[str]] = {}
        """By the number of a module: names that occur in functions which use the module."""
        self.modules: set[str] = set()
        """Modules that were met, and those that define the functions and classes that were met."""
        self.texts: set[str] = set()
        """Texts that were met, which may be names of files."""

    def digest(self, *parts: Any) -> str:
        """SHA-256 of everything reachable from ``parts``."""
        total = hashlib.sha256(repr([self._shown(part) for part in parts]).encode("utf-8", "surrogatepass"))
        described = 0
        while described < len(self._met):
            while described < len(self._met):
                text = self._described(self._met[described])
                total.update(repr(text).encode("utf-8", "surrogatepass") + b"\n")
                described += 1
            total.update(repr(self._attributes_used()).encode())
        return total.hexdigest()

    def _number(self, part: Any) -> int:
        known = self._numbers.get(id(part))
        if known is None:
            known = self._numbers[id(part)] = len(self._met)
            self._met.append(part)  # keeps the object alive, so that its id is not reused
        return known

    def _shown(self, part: Any) -> Any:
        """Immutable values as they are, other objects by their numbers."""
        kind = type(part)
        if kind is str:
            self.texts.add(part)
        elif kind is bytes and len(part) < 1000:
            self.texts.add(os.fsdecode(part))
        if kind is str and self._folder and self._folder in part:
            return repr(part.replace(self._folder, "<folder>"))
        if kind is bytes and len(part) > 1000:
            return ("bytes", hashlib.sha256(part).hexdigest())
        if kind in _SCALARS:
            return repr(part)
        if kind is tuple:
            return ("tuple", *map(self._shown, part))
        if kind is frozenset:
            return ("frozenset", *self._sorted(part))
        return self._number(part)

    def _pairs(self, pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
        return [(self._shown(name), self._shown(value)) for name, value in pairs]

    def _sorted(self, members: Iterable[Any]) -> list[str]:
        """Members of a set, in an order that does not depend on the hashes of this process."""
        return sorted(
            repr(self._shown(part)) if type(part) in _SCALARS else self._apart(part) for part in members
        )

    def _apart(self, part: Any) -> str:
        other = LiveValues(self._kind_of, self._folder)
        other._numbers = dict.fromkeys(self._numbers, -1)  # objects visited before are not described again
        found = other.digest(part)
        self.modules |= other.modules
        self.texts |= other.texts
        return found

    def _described(self, part: Any) -> Any:
        """One object without what it refers to."""
        kind = type(part)
        if kind is types.FunctionType:
            return self._function(part)
        if kind is types.CodeType:
            return self._code(part)
        if isinstance(part, type):
            return self._class(part)
        if isinstance(part, types.ModuleType):
            self.modules.add(part.__name__)
            return ("module", part.__name__.rpartition(".")[2])
        if isinstance(part, functools._lru_cache_wrapper):
            return ("kept results of", self._shown(part.__wrapped__))
        if isinstance(part, weakref.WeakKeyDictionary):  # of functools.singledispatch, for example
            return ("kept results",)
        if (compiled := _compiled(part)) is not None:
            options = {name: repr(value) for name, value in getattr(compiled, "targetoptions", {}).items()}
            return ("compiled", options, self._shown(compiled.py_func))
        if isinstance(part, (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)):
            return self._method(part)
        if isinstance(part, _DESCRIPTORS):
            names = ("__func__", "fget", "fset", "fdel", "func")
            return (kind.__name__, *(self._shown(getattr(part, name, None)) for name in names))
        return (self._module_name(kind), kind.__qualname__, *self._value(part))

    # ---- Functions, classes, modules -----------------------------------------------------------------------------

    def _function(self, part: types.FunctionType) -> Any:
        module = part.__module__ or ""
        kind = self._kind_of(module)
        if kind == "installed":
            return ("function", module, part.__qualname__)
        self.modules.add(module)
        names = _names(part.__code__)
        values = part.__globals__
        used = [(name, values[name]) for name in names if name in values]
        if kind == "rmtsim":
            used = [(name, value) for name, value in used if _is_no_cache(value)]
        for _, value in used:
            if isinstance(value, types.ModuleType):
                self._used.setdefault(self._number(value), set()).update(names)
        return (
            "function",
            part.__qualname__,
            self._number(part.__code__),
            self._shown(part.__defaults__),
            self._pairs(sorted((part.__kwdefaults__ or {}).items())),
            [self._shown(_content(cell)) for cell in part.__closure__ or ()],
            self._pairs(vars(part).items()),
            self._pairs(used),
        )

    def _code(self, part: types.CodeType) -> Any:
        counts = (part.co_argcount, part.co_posonlyargcount, part.co_kwonlyargcount, part.co_flags)
        names = (part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars)
        tables = (part.co_code, getattr(part, "co_exceptiontable", b""))
        return ("code", *counts, *names, *tables, [self._shown(each) for each in part.co_consts])

    def _class(self, part: type) -> Any:
        if self._kind_of(part.__module__) != "own":
            return ("class", part.__module__, part.__qualname__)
        self.modules.add(part.__module__)
        own = [(name, value) for name, value in vars(part).items() if name not in _IGNORED_IN_CLASSES]
        return ("class", part.__qualname__, [self._shown(base) for base in part.__bases__], self._pairs(own))

    def _attributes_used(self) -> list[Any]:
        """Attributes of modules whose names occur in the functions that use the module."""
        found: list[Any] = []
        waiting = sorted(self._used.items())
        self._used = {}
        seen: set[tuple[int, str]] = set()
        while waiting:
            number, names = waiting.pop()
            module = self._met[number]
            kind = self._kind_of(module.__name__)
            for name in sorted(names & vars(module).keys()):
                value = vars(module)[name]
                if (number, name) in seen or not (kind == "own" or _is_no_cache(value)):
                    continue
                seen.add((number, name))
                found.append((number, name, self._shown(value)))
                if isinstance(value, types.ModuleType):
                    waiting.append((self._number(value), names))
        return found

    def _method(self, part: Any) -> Any:
        owner = getattr(part, "__self__", None)
        owner = owner.__name__ if isinstance(owner, types.ModuleType) else self._shown(owner)
        function = self._shown(getattr(part, "__func__", None))
        return ("method", self._module_name(part), part.__name__, owner, function)

    def _module_name(self, part: Any) -> str:
        """Where a class or function is defined; the name of a user's own file may depend on other files."""
        name = str(getattr(part, "__module__", ""))
        return "" if self._kind_of(name) == "own" else name

    # ---- Values --------------------------------------------------------------------------------------------------

    def _value(self, part: Any) -> tuple[Any, ...]:
        kind = type(part)
        if kind is list:
            return tuple(map(self._shown, part))
        if kind is dict or kind is types.MappingProxyType:
            return tuple(self._pairs(part.items()))
        if kind is set:
            return tuple(self._sorted(part))
        if kind is np.ndarray or isinstance(part, np.memmap):
            if part.dtype.hasobject:
                return (part.dtype.str, part.shape, *map(self._shown, part.ravel().tolist()))
            layout = part.dtype.descr if part.dtype.names else part.dtype.str
            return (layout, part.shape, hashlib.sha256(part.tobytes()).hexdigest())
        if isinstance(part, (memoryview, mmap.mmap)):
            return (hashlib.sha256(bytes(part)).hexdigest(),)
        if isinstance(part, os.PathLike):
            return (self._shown(os.fsdecode(part)),)
        if (torch := sys.modules.get("torch")) is not None and isinstance(part, torch.Tensor):
            return (*_tensor(torch, part), *self._pairs(vars(part).items()))
        if dataclasses.is_dataclass(part):
            named = {each.name: getattr(part, each.name, None) for each in dataclasses.fields(part)}
            named |= _attributes(part)
            if isinstance(part, Claim):
                named = {name: value for name, value in named.items() if name not in WORDS}
            return (self._shown(kind), *self._pairs(named.items()))
        return self._saved(part)

    def _saved(self, part: Any) -> tuple[Any, ...]:
        """What pickling would save; for locks, generators, open files and the like their names alone."""
        kind = type(part)
        try:
            special = copyreg.dispatch_table.get(kind)
            saved = part.__reduce_ex__(4) if special is None else special(part)
            if part is np.random.mtrand._rand:  # numpy.random.normal is a method of it
                saved = "global generator"
        except Exception:
            inner: tuple[Any, ...] = ()
            if kind.__module__ == "itertools":  # not pickled from Python 3.14 on
                inner = (re.sub(r" at 0x\w+", "", repr(part)), *map(self._shown, gc.get_referents(part)))
            return (self._shown(kind), repr(getattr(part, "name", None)), *inner)
        if isinstance(saved, str):
            return (saved,)
        function, arguments, state, listed, items = (*saved, None, None, None)[:5]
        if getattr(function, "__name__", "").startswith("__pyx_unpickle"):  # Cython saves pointers as well
            arguments, state = _without_addresses(arguments), _without_addresses(state)
        if isinstance(state, dict):
            state = {name: value for name, value in state.items() if not _is_kept_result(kind, name)}
        if self._kind_of(kind.__module__) == "own":  # its own pickling may omit something
            state = (state, _attributes(part))
        return (
            *map(self._shown, (kind, function, arguments, state)),
            [self._shown(each) for each in listed or ()],
            self._pairs(items or ()),
        )


def _compiled(part: Any) -> Any:
    """The part of a function or ufunc of numba that has its Python function; None for other objects.

    What pickling would save of a ufunc depends on the types it was called with so far.
    """
    for each in (part, getattr(part, "_dispatcher", None)):
        if isinstance(getattr(each, "py_func", None), types.FunctionType):
            return each
    return None


def _without_addresses(part: Any) -> Any:
    """A nested tuple with integers that may be addresses replaced."""
    if isinstance(part, tuple):
        return tuple(map(_without_addresses, part))
    return "address" if type(part) is int and part >= _LOWEST_ADDRESS else part


_LOWEST_ADDRESS = 2**32


def _tensor(torch: Any, part: Any) -> tuple[Any, ...]:
    """A tensor of PyTorch by its numbers: pickling would save addresses as well."""
    dense = part.detach().to_dense() if part.layout is not torch.strided else part.detach()
    content = dense.resolve_conj().resolve_neg().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    layout = (str(part.dtype), str(part.layout), tuple(part.shape), part.requires_grad)
    return (*layout, hashlib.sha256(content.tobytes()).hexdigest())


def _names(code: types.CodeType) -> list[str]:
    """Global names and attributes in a function and in the functions inside it."""
    found: set[str] = set()
    waiting = [code]
    while waiting:
        each = waiting.pop()
        found.update(each.co_names)
        waiting += [inner for inner in each.co_consts if isinstance(inner, types.CodeType)]
    return sorted(found - _OF_EVERY_MODULE)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _is_no_cache(value: Any) -> bool:
    return (
        isinstance(value, _PLAIN)
        or hasattr(value, "py_func")
        or isinstance(value, functools._lru_cache_wrapper)
    )


def _is_kept_result(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), functools.cached_property)


def _attributes(part: Any) -> dict[str, Any]:
    """Attributes in ``__dict__`` and in slots, without results that are only kept for the next call."""
    slots = [name for kind in type(part).__mro__ for name in _slots(kind) if hasattr(part, name)]
    found = {name: getattr(part, name) for name in slots} | dict(getattr(part, "__dict__", {}))
    return {name: value for name, value in found.items() if not _is_kept_result(type(part), name)}


def _slots(kind: type) -> Iterator[str]:
    slots = vars(kind).get("__slots__", ())
    yield from (slots,) if isinstance(slots, str) else slots
