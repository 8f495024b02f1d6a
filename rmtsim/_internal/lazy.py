"""Public names of a package that are imported on first use (SPEC 1 of the Scientific Python project)."""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Functions ``__getattr__`` and ``__dir__`` and the list ``__all__`` of a package with lazy names.

    The public names are those that the stub ``__init__.pyi`` beside ``__init__.py`` imports, so that type checkers,
    editors and the interpreter read one list. A module is imported when one of its names is first used. If the
    environment variable ``EAGER_IMPORT`` is set and not empty, every module is imported at once, so that import
    errors show immediately.

    Parameters
    ----------
    package : str
        Name of the package, its ``__name__``.
    file : str
        File of the package, its ``__file__``.

    Returns
    -------
    getattr, dir : callable
        The package's ``__getattr__`` and ``__dir__``; the latter lists public names only.
    all : list of str
        Public names, sorted.

    Examples
    --------
    >>> import rmtsim.laws
    >>> load, names, public = attach("rmtsim.laws", rmtsim.laws.__file__)
    >>> load("Semicircle")(entry_variance=1.0).support
    ((-2.0, 2.0),)
    >>> "Semicircle" in names(), "TYPE_CHECKING" in names()
    (True, False)
    """
    with open(os.path.splitext(file)[0] + ".pyi", encoding="utf-8") as stub:
        nodes = ast.parse(stub.read()).body
    modules = {
        alias.name: node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    public = sorted(modules)

    def load(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module == package:  # a public submodule
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(module), name)
        setattr(sys.modules[package], name, value)
        return value

    if os.environ.get("EAGER_IMPORT"):
        for name in public:
            load(name)
    return load, public.copy, public
