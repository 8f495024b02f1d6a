"""The reference of the interface: signature and docstring of every public name, as they stand in the code."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from typing import Any

from rmtsim.claims._papers import PAPERS
from site_pages.text import escaped

__all__ = ["reference_pages"]

MODULES = {
    "rmtsim": "What most need",
    "rmtsim.claims": "Claims",
    "rmtsim.verdicts": "Verdicts",
    "rmtsim.laws": "Spectral laws",
    "rmtsim.laws.self_energy": "Self-energies",
    "rmtsim.laws.dyson": "Matrix Dyson equation",
    "rmtsim.laws.dyson.ensembles": "Laws of correlated ensembles",
    "rmtsim.spectra": "Your own spectrum",
    "rmtsim.ensembles": "Random matrices",
    "rmtsim.networks": "Networks",
    "rmtsim.curvature": "Hessian blocks",
    "rmtsim.matrix_free": "Operators",
    "rmtsim.testing": "Claims in test suites",
    "rmtsim.testing.strategies": "Hypothesis strategies",
    "rmtsim.report": "Reports",
    "rmtsim.errors": "Errors",
    **{f"rmtsim.papers.{key}.theory": f"Predictions: {key}" for key in PAPERS},
}


def _signature(name: str, thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    return f"{name}{text}".replace("'", "")


def _text(line: str) -> str:
    """A line of a docstring: ``code`` stays code, everything else is shown as it is."""
    line = re.sub(r":\w+:`~?([^`]*)`", r"``\1``", line)
    line = re.sub(r"\[(\d+)\]_", r"[\1]", line)
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    return "".join(part.replace("``", "`") if part.startswith("`") else escaped(part) for part in parts)


_ENTRIES = ("Parameters", "Attributes", "Returns", "Raises", "See Also")
"""Sections that consist of entries: a line with names and type, and an indented description."""


def _docstring(thing: Any) -> list[str]:
    """A docstring with NumPy sections as Markdown."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    shown: list[str] = []
    section, example = "", False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        starts = line.lstrip().startswith(">>>")
        if starts and not example:
            shown += ["", "```python"]
            example = True
        if example and not line.strip():
            shown += ["```", ""]
            example = False
        elif example:
            shown.append(line)
        elif following and set(following) == {"-"}:
            section = line
            shown += ["", f"**{section}**", ""]
        elif line and set(line) == {"-"}:
            continue
        elif section in _ENTRIES and line and not line.startswith(" "):
            shown.append(f"- {_entry(line, section)}")
        elif section in _ENTRIES:
            shown.append(f"  {_text(line.strip())}" if line.strip() else "")
        elif line.startswith(".. ["):
            shown.append(f"- {_text(line[3:])}")
        elif line.startswith("- "):
            shown.append(f"- {_text(line[2:])}")
        else:
            indent = "  " if line.startswith(" ") else ""
            shown.append(indent + _text(line.strip()))
    return [*shown, "```"] if example else shown


def _entry(line: str, section: str) -> str:
    """The head of an entry: names as code, and what follows the colon."""
    names, colon, rest = line.partition(" : ")
    if not colon:
        return f"`{line}`:"
    return f"`{names}`: {_text(rest)}" if section == "See Also" else f"`{names}` ({_text(rest)}):"


def _public(module: str) -> list[tuple[str, Any]]:
    """Public functions and classes; those of its modules, with their names, where a package exports none."""
    root = importlib.import_module(module)
    homes = {"": root}
    if not getattr(root, "__all__", ()):
        names = [found.name for found in pkgutil.iter_modules(root.__path__)]
        homes = {f"{name}.": importlib.import_module(f"{module}.{name}") for name in names}
    things = [
        (f"{prefix}{name}", getattr(home, name))
        for prefix, home in homes.items()
        for name in sorted(getattr(home, "__all__", ()), key=str.lower)
    ]
    return [(name, thing) for name, thing in things if callable(thing) and not inspect.ismodule(thing)]


def _target(kind: str, name: str) -> list[str]:
    """An invisible target: the name enters the inventory of objects, with a link to this place."""
    return [f"```{{py:{kind}}} {name}", ":no-typesetting:", "```", ""]


def _page(module: str, title: str) -> str:
    lines = [f"# {title}", "", f"`{module}`", ""]
    listed = [thing for _, thing in _public(module)]
    for name, thing in _public(module):
        kind = "class" if inspect.isclass(thing) else "function"
        lines += [f"## {name}", "", *_target(kind, f"{module}.{name}")]
        lines += ["```python", _signature(name, thing), "```", "", *_docstring(thing), ""]
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                # Inherited methods are shown with the public class that has them first.
                bases = [base for base in thing.__mro__[1:] if base in listed]
                known = any(getattr(base, method, None) is function for base in bases)
                shown = not known and function.__module__.startswith("rmtsim.")
                if not method.startswith("_") and function.__doc__ and shown:
                    lines += [
                        f"### {name}.{method}",
                        "",
                        *_target("method", f"{module}.{name}.{method}"),
                        "```python",
                        _signature(method, function),
                        "```",
                        "",
                    ]
                    lines += [*_docstring(function), ""]
    return "\n".join(lines) + "\n"


def _available(module: str) -> bool:
    try:
        return bool(_public(module))
    except ModuleNotFoundError:
        return False


def reference_pages() -> dict[str, str]:
    """File names with their text."""
    known = {module: title for module, title in MODULES.items() if _available(module)}
    pages = {f"reference/{module}.md": _page(module, title) for module, title in known.items()}
    toc = "\n".join(known)
    pages["reference/index.md"] = (
        "# Reference\n\nEvery public name: definition, normalisation, source and an example that runs as a test.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{toc}\n```\n"
    )
    return pages
