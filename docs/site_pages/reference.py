"""The reference of the interface: signature and docstring of every public name, with tables of parameters."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from site_pages.text import escaped

__all__ = ["reference_pages"]

PAGE = Path(__file__).parents[1] / "api.md"

MODULES = {
    "rmtsim": "Names of common use",
    "rmtsim.claims": "Claims",
    "rmtsim.verdicts": "Verdicts",
    "rmtsim.laws": "Spectral laws",
    "rmtsim.laws.self_energy": "Self-energies",
    "rmtsim.laws.dyson": "Matrix Dyson equation",
    "rmtsim.laws.dyson.ensembles": "Laws of correlated ensembles",
    "rmtsim.spectra": "Measured spectra",
    "rmtsim.estimators": "Estimators for scikit-learn",
    "rmtsim.ensembles": "Random matrices",
    "rmtsim.networks": "Networks",
    "rmtsim.curvature": "Hessian blocks",
    "rmtsim.matrix_free": "Operators",
    "rmtsim.hessians": "Hessians of any model",
    "rmtsim.testing": "Claims in test suites",
    "rmtsim.testing.strategies": "Hypothesis strategies",
    "rmtsim.report": "Reports",
    "rmtsim.errors": "Errors",
}


def _signature(name: str, thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    shown = f"{name}{text}".replace("'", "")
    if len(shown) <= _LONGEST:
        return shown
    parameters = [str(each).replace("'", "") for each in _with_marks(inspect.signature(thing))]
    end = shown.rpartition(" -> ")[2] if " -> " in shown else ""
    return "\n".join(
        [f"{name}(", *(f"    {each}," for each in parameters), ")" + (f" -> {end}" if end else "")]
    )


_LONGEST = 88
"""Characters of a signature on one line."""


def _with_marks(signature: inspect.Signature) -> list[Any]:
    """Parameters, with the star before those that are given by name."""
    shown: list[Any] = []
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(
            other == "*" or getattr(other, "kind", None) is each.VAR_POSITIONAL for other in shown
        ):
            shown.append("*")
        shown.append(each)
    return shown


def _text(line: str) -> str:
    """A line of a docstring: ``code`` stays code, everything else is shown as it is."""
    line = re.sub(r":\w+:`~?([^`]*)`", r"``\1``", line)
    line = re.sub(r"\[(\d+)\]_", r"[\1]", line)
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    return "".join(part.replace("``", "`") if part.startswith("`") else escaped(part) for part in parts)


_HEADS = {
    "Parameters": ("parameter", "type", "meaning"),
    "Attributes": ("attribute", "type", "meaning"),
    "Returns": ("returns", "meaning"),
    "Yields": ("yields", "meaning"),
    "Raises": ("error", "raised"),
    "Warns": ("warning", "shown"),
    "See Also": ("see also", ""),
}
"""Sections that consist of entries, with the columns of their tables."""


def _sections(lines: list[str]) -> list[tuple[str, list[str]]]:
    """A docstring divided into its NumPy sections; the first has no title."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line and following and set(following) == {"-"}:
            found.append((line, []))
        elif not (line and set(line) == {"-"}):
            found[-1][1].append(line)
    return found


def _docstring(thing: Any) -> list[str]:
    """A docstring with NumPy sections as Markdown; parameters, results and errors are tables."""
    shown: list[str] = []
    for title, lines in _sections((inspect.getdoc(thing) or "").splitlines()):
        if title in _HEADS:
            shown += ["", *_table(title, lines)]
        else:
            shown += ["", f"**{title}**", ""] if title else []
            shown += _prose(lines)
    return shown


def _table(title: str, lines: list[str]) -> list[str]:
    """Entries of a section: an unindented line with names and type, and an indented description."""
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        if line and not line.startswith(" "):
            entries.append((line, []))
        elif entries:
            entries[-1][1].append(line.strip())
    heads = _HEADS[title]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for head, description in entries:
        name, colon, kind = head.partition(" : ")
        meaning = (
            " ".join(_text(line) if line else "<br>" for line in description).strip().removesuffix("<br>")
        )
        if title == "See Also":
            cells = [_links(name), _text(kind) if colon else meaning]
        elif len(heads) == 3:
            cells = [_code(name), _text(kind), meaning]
        else:
            cells = [f"{_code(name)}: {_text(kind)}" if colon else _text(head), meaning]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return ["```{rst-class} members", "```", "", *rows, ""]


def _code(names: str) -> str:
    return ", ".join(f"`{name.strip()}`" for name in names.split(","))


@functools.cache
def _homes() -> dict[str, str]:
    """Full name of every public name; of several packages that have it, the last one, which defines it."""
    return {
        name: f"{module}.{name}" for module in MODULES if _available(module) for name, _ in _public(module)
    }


def _defined(things: list[tuple[str, Any]]) -> dict[str, str]:
    """Full names of these objects in the packages that define them."""
    packages = [module for module in MODULES if module != "rmtsim" and _available(module)]
    return {
        name: f"{module}.{name}"
        for module in packages
        for name, thing in things
        if getattr(importlib.import_module(module), name, None) is thing
    }


def _links(names: str) -> str:
    """Names as links to their places in the reference, as far as they are public."""
    return ", ".join(
        f"{{py:obj}}`{name} <{_homes()[name]}>`" if name in _homes() else f"`{name}`"
        for name in (part.strip() for part in names.split(","))
    )


def _prose(lines: list[str]) -> list[str]:
    shown: list[str] = []
    example = False
    for line in lines:
        if line.lstrip().startswith(">>>") and not example:
            shown += ["", "```python"]
            example = True
        if example and not line.strip():
            shown += ["```", ""]
            example = False
        elif example:
            shown.append(line)
        elif line.startswith(".. ["):
            shown.append(f"- {_text(line[3:])}")
        elif line.startswith("- "):
            shown.append(f"- {_text(line[2:])}")
        else:
            shown.append(("  " if line.startswith(" ") else "") + _text(line.strip()))
    return [*shown, "```"] if example else shown


def _public(module: str) -> list[tuple[str, Any]]:
    """Public functions and classes."""
    home = importlib.import_module(module)
    things = [(name, getattr(home, name)) for name in sorted(home.__all__, key=str.lower)]
    return [(name, thing) for name, thing in things if callable(thing) and not inspect.ismodule(thing)]


def _first(thing: Any) -> str:
    """First sentence of a docstring."""
    return _text((inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " "))


def _target(kind: str, name: str) -> list[str]:
    """An invisible target: the name enters the inventory of objects, with a link to this place."""
    return [f"```{{py:{kind}}} {name}", ":no-typesetting:", "```", ""]


def _provisional(module: str) -> set[str]:
    """Names of a module that docs/api.md marks as provisional."""
    _, _, text = PAGE.read_text(encoding="utf-8").partition(f"\n### `{module}`\n")
    return set(re.findall(r"^- `(\w+)`: provisional$", text.partition("\n### ")[0], flags=re.M))


def _page(module: str, title: str) -> str:
    lines = [f"# {title}", "", f"`{module}`", "", _first(importlib.import_module(module)), ""]
    things = _public(module)
    lines += ["```{rst-class} members", "```", "", "| name | |", "|---|---|"]
    homes = _defined(things) if module == "rmtsim" else {}  # its names are described where they are defined
    marked = _provisional(module)
    lines += [
        f"| {{py:obj}}`{name} <{homes.get(name, f'{module}.{name}')}>` | {_first(thing).replace('|', chr(92) + '|')}"
        f"{' *Provisional.*' if name in marked else ''} |"
        for name, thing in things
    ]
    for name, thing in things:
        kind = "class" if inspect.isclass(thing) else "function"
        if name in homes:
            lines += ["", *_target(kind, f"{module}.{name}")]
            continue
        lines += ["", f"## {name}", "", *_target(kind, f"{module}.{name}")]
        lines += ["```python", _signature(name, thing), "```", "", *_docstring(thing), ""]
        if inspect.isclass(thing):
            lines += _methods(module, name, thing, [each for _, each in things])
    return "\n".join(lines) + "\n"


def _methods(module: str, name: str, thing: type, listed: list[Any]) -> list[str]:
    """Public methods of a class; those of a public base class on the same page are linked, not repeated."""
    lines: list[str] = []
    inherited: dict[str, list[str]] = {}
    for method, function in inspect.getmembers(thing, inspect.isfunction):
        if method.startswith("_") or not function.__doc__ or not function.__module__.startswith("rmtsim."):
            continue
        bases = [
            base for base in thing.__mro__[1:] if base in listed and getattr(base, method, None) is function
        ]
        if bases:
            inherited.setdefault(bases[0].__name__, []).append(
                f"{{py:obj}}`{method} <{module}.{bases[0].__name__}.{method}>`"
            )
            continue
        lines += [f"### {name}.{method}", "", *_target("method", f"{module}.{name}.{method}")]
        lines += ["```python", _signature(method, function), "```", "", *_docstring(function), ""]
    for base, methods in inherited.items():
        lines += [f"Methods of {{py:obj}}`{base} <{module}.{base}>`: {', '.join(methods)}.", ""]
    return lines


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
        "# Reference\n\nEvery public name with its parameters, results, errors and an example that runs as a test. "
        "[Public interface](/api.md) says what is stable. `objects.inv` of the site lists the names for links "
        "from other projects (intersphinx).\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{toc}\n```\n"
    )
    return pages
