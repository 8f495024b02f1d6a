"""Where a sampler's code begins: the functions and names that were met while it was described."""

from __future__ import annotations

import types

from rmtsim.runs._identity import recalled
from rmtsim.runs._identity.reach import Reach, version_of
from rmtsim.runs._identity.source_files import existing, file_of, is_ours

__all__ = ["Roots"]


class Roots:
    """They are gathered first and followed together: what the same ones reach may be known already."""

    def __init__(self) -> None:
        self._found: list[recalled.Root] = []

    def function(self, function: types.FunctionType) -> bool:
        """Begin at a function; False if it has no source (typed at a prompt)."""
        module, code = function.__module__ or "", function.__code__
        if not is_ours(module):
            self._found.append(("package", module))
            return True
        # The function knows its file best: two users' files may have been loaded under one module name.
        path = existing(code.co_filename) or (
            file_of(module) if not code.co_filename.startswith("<") else None
        )
        if path is None:
            return False
        self._found.append(("function", module, path, str(code.co_firstlineno), *code.co_freevars))
        return True

    def named(self, module: str, *path: str) -> None:
        """Begin at what ``module.path`` names."""
        self._found.append(("named", module, *path))

    def digest(self) -> dict[str, str]:
        """One line for each module reached, one for each package."""
        known = recalled.recall(self._found)
        if known is None:
            known = self._followed()
            recalled.keep(self._found, known)
        modules, packages = known
        return modules | {package: version for package in packages if (version := version_of(package))}

    def _followed(self) -> recalled.Reached:
        reach = Reach()
        for kind, module, *rest in self._found:
            if kind == "package":
                reach.packages.add(module)
            elif kind == "function":
                reach.function(module, rest[0], int(rest[1]), frozenset(rest[2:]))
            else:
                reach.named(module, *rest)
        return reach.digests(), sorted(reach.packages)
