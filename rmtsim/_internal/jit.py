"""The decorator of all compiled kernels: numba options, and a cache that processes can share.

Options: cached on disk, IEEE division (``error_model="numpy"``), releases the GIL. No ``fastmath``, which removes
NaN checks, and no ``parallel``, because floating-point sums would depend on the number of threads.

Cached kernels are machine code that is executed without further checks, so the cache is a folder that only this user
can write to (:mod:`rmtsim._internal.folders`). If it cannot be read or written, kernels are compiled in every process.
The machine code of a kernel contains that of the kernels it calls, but numba compares only the kernel's own file; here
a cached kernel is used only if no kernel of its folder has changed.

Processes that need the same kernel at the same time compile it once: the others wait and then read the cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numba
from numba.core.compiler_lock import global_compiler_lock

from rmtsim._internal.folders import private_folder


def _cache_directory() -> Path | None:
    """A writable folder of its own for this numba and Python, or None where there is none."""
    with contextlib.suppress(OSError):
        return private_folder(f"numba-{numba.__version__}-py{sys.version_info.major}{sys.version_info.minor}")
    return None


_FOLDER = _cache_directory()
if _FOLDER is not None and not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]


@contextlib.contextmanager
def _save_lock() -> Iterator[None]:
    if _FOLDER is None or _LOCK is None:
        yield
        return
    with open(_FOLDER / "save.lock", "w") as handle:
        _LOCK(handle)
        yield


def _locking(*, wait: bool) -> Callable[[IO[str]], Any] | None:
    """Function that takes an exclusive lock on a file; None on a system that has none.

    Without ``wait`` the function raises ``OSError`` if another process has the lock.
    """
    with contextlib.suppress(ImportError):
        import fcntl

        return lambda handle: fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    with contextlib.suppress(ImportError):
        windows: Any = importlib.import_module("msvcrt")
        mode = windows.LK_LOCK if wait else windows.LK_NBLCK
        return lambda handle: windows.locking(handle.fileno(), mode, 1)
    return None


_LOCK = _locking(wait=True)
_TRY_LOCK = _locking(wait=False)
_PATIENCE = 60.0
"""Seconds to wait for another process that compiles the same kernel: it may have been stopped."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on first call, in nopython mode, with the options this module explains.

    >>> @kernel
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> import numpy as np
    >>> float(total(np.ones(3)))
    3.0
    """
    # Functions typed at a prompt or in a doctest have no source file to cache beside.
    # Without a lock two processes could save under one name: nothing is cached then.
    cacheable = _FOLDER is not None and _LOCK is not None and os.path.exists(function.__code__.co_filename)
    compiled = numba.njit(error_model="numpy", nogil=True)
    if not cacheable:
        return compiled(function)
    try:
        dispatcher: Any = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # numba finds no place to cache in
        return compiled(function)
    try:
        _guard(dispatcher._cache)
        _stamp(dispatcher._cache, Path(function.__code__.co_filename))
        _compile_once(dispatcher, function)
    except AttributeError:  # a numba whose private cache differs: kernels are compiled in every process
        return compiled(function)
    return dispatcher


@functools.cache
def _kernels_of(folder: Path) -> str:
    """A digest of the files of a folder that hold kernels."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        source = path.read_bytes()
        if b"import kernel" in source:
            digest.update(path.name.encode() + b"\0" + source)
    return digest.hexdigest()


def _stamp(cache: Any, source: Path) -> None:
    """Make the cached code depend on all kernels beside ``source``, which may be compiled into it."""
    with contextlib.suppress(OSError):
        cache._cache_file._source_stamp = (cache._cache_file._source_stamp, _kernels_of(source.parent))


_COMPILING: set[str] = set()
"""Kernels for which this process holds the lock."""


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """Wait while another process compiles the kernel ``name``, then keep others from doing so.

    After ``_PATIENCE`` seconds, or if there is no lock file, the kernel is compiled without the lock.
    """
    if _FOLDER is None or _TRY_LOCK is None or name in _COMPILING:
        yield
        return
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            handle = stack.enter_context(open(_FOLDER / f"{name}.lock", "w"))
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until:
                try:
                    _TRY_LOCK(handle)
                    break
                except OSError:
                    time.sleep(0.02)
        _COMPILING.add(name)
        stack.callback(_COMPILING.discard, name)
        yield


def _compile_once(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Let one process at a time look the kernel up in the cache and compile it if it is not there."""
    code = function.__code__
    place = f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"
    name = f"compile-{hashlib.sha256(place.encode()).hexdigest()[:16]}"
    compile_kernel = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        # numba's own lock first, so that a thread waiting for another process does not block threads of this one.
        with global_compiler_lock, _alone(name):
            return compile_kernel(signature)

    dispatcher.compile = compile_alone


def _guard(cache: Any) -> None:
    """Serialise saving, and let a damaged or unwritable cache cost a compilation instead of the run."""
    load, save = cache.load_overload, cache.save_overload

    def load_or_miss(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # a truncated or foreign file may raise anything
            with contextlib.suppress(Exception), _save_lock():
                cache.flush()
            return None

    # Two processes saving at once could give two overloads one file name (numba reads the index,
    # picks the next free number and writes, without a lock), and a later load would run the wrong code.
    def locked_save(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError), _save_lock():
            try:
                save(signature, data)
            except OSError:
                raise
            except Exception:
                cache.flush()  # a damaged index is replaced
                save(signature, data)

    cache.load_overload, cache.save_overload = load_or_miss, locked_save
