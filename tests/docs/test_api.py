"""docs/api.md lists the public names of the packages, and each of them is documented."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import rmtsim
from rmtsim._internal.deprecation import deprecated

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
TEXTS = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^### |\Z)", PAGE, flags=re.M | re.S))
LISTED = {package: re.findall(r"^- `(\w+)`(?:: \S|$)", text, flags=re.M) for package, text in TEXTS.items()}
PROVISIONAL = {
    package: set(re.findall(r"^- `(\w+)`: provisional$", text, flags=re.M)) for package, text in TEXTS.items()
}
PAGES = [
    page
    for page in (*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md")
    if not {"generated", "_build"} & set(page.parts)
]
EMPTY = {"rmtsim.plots", "rmtsim.runs"}
"""Packages of which the page says that they have no public names."""


@pytest.mark.parametrize("package", LISTED)
def test_the_page_lists_the_names_of_a_package(package):
    module = importlib.import_module(package)
    names = [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]
    assert sorted(LISTED[package]) == sorted(names), "docs/api.md and the package's __init__.pyi differ"


def test_the_page_lists_every_public_module():
    assert set(re.findall(r"`(rmtsim\.\w+)`", PAGE.partition("**Releases.**")[0])) == EMPTY
    found = {
        each.name
        for each in pkgutil.walk_packages(rmtsim.__path__, "rmtsim.")
        if not re.search(r"\._", each.name) and not each.name.startswith("rmtsim.papers.")
    }
    assert found | {"rmtsim"} == {*LISTED, *EMPTY, "rmtsim.papers"}


def _stable():
    """Stable functions and classes, each once."""
    return {
        id(getattr(importlib.import_module(package), name)): f"{package}.{name}"
        for package, names in LISTED.items()
        for name in names
        if name not in PROVISIONAL[package]
    }


def test_names_of_the_root_and_of_readme_are_stable():
    stable = _stable()
    for package, names in PROVISIONAL.items():
        marked = {id(getattr(importlib.import_module(package), name)): name for name in names}
        assert not marked.keys() & stable.keys(), package
    for module, name in _imports((ROOT / "README.md").read_text(encoding="utf-8")):
        assert name not in PROVISIONAL[module], f"{module}.{name}"


def test_the_number_of_stable_names_is_what_the_page_says():
    assert "some eighty stable ones" in PAGE
    assert 75 <= len(_stable()) <= 90


def _imports(text):
    """(module, name) of the imports from rmtsim in a page; the name is None for a whole module."""
    for module, names in re.findall(r"^\W*from (rmtsim[\w.]*) import ([\w, ]+)", text, flags=re.M):
        yield from ((module, name.split(" as ")[0].strip()) for name in names.split(","))
    yield from ((module, None) for module in re.findall(r"^\W*import (rmtsim[\w.]*)", text, flags=re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_import_public_names_only(page):
    for module, name in _imports(page.read_text(encoding="utf-8")):
        if not module.startswith("rmtsim.papers."):
            assert module in LISTED, module
            assert name in (None, *LISTED[module]) or f"{module}.{name}" in LISTED, f"{module}.{name}"


def _public():
    """Public functions and classes, each once."""
    found = {}
    for package, names in LISTED.items():
        for name in names:
            thing = getattr(importlib.import_module(package), name)
            if callable(thing) and id(thing) not in found:
                found[id(thing)] = pytest.param(thing, id=f"{package}.{name}")
    return list(found.values())


def _has(doc, *sections):
    return any(re.search(rf"^{section}\n-+$", doc, flags=re.M) for section in sections)


def _documents_call(function, doc):
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters if each not in ("self", "cls")]
    nothing = signature.return_annotation in (None, "None")
    listed = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n[A-Z][\w ]+\n---|\Z)", doc, flags=re.M | re.S)
    heads = re.findall(r"^(\S.*?)(?: : .*)?$", listed[1], flags=re.M) if listed else []
    described = {name.strip("* ") for head in heads for name in head.split(",")}
    return (nothing or _has(doc, "Returns")) and described.issuperset(parameters)


def _methods(kind):
    """Public methods that a class defines; a dataclass keeps the default of a field under its name."""
    fields = {each.name for each in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    for name, value in vars(kind).items():
        function = getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(function) and name not in fields:
            yield name, function


@pytest.mark.parametrize("thing", _public())
def test_a_public_name_is_documented(thing):
    doc = inspect.getdoc(thing) or ""
    assert re.match(r"\S.*\.$", doc.split("\n\n")[0], flags=re.S), (
        "expected a summary that ends with a period"
    )
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return
    assert ">>>" in doc
    if not inspect.isclass(thing):
        assert _documents_call(thing, doc)
        return
    assert _has(doc, "Parameters", "Attributes")
    for name, function in _methods(thing):
        # A method that overrides one of a base class may leave parameters and result to it.
        docs = [inspect.getdoc(vars(base)[name]) or "" for base in thing.__mro__ if name in vars(base)]
        assert docs[0], name
        assert any(_documents_call(function, each) for each in docs), name


def test_a_deprecated_function_names_its_replacement():
    @deprecated("rmtsim.old", removed="0.3", instead="rmtsim.new")
    def old(x):
        return 2 * x

    with pytest.warns(
        DeprecationWarning, match=r"rmtsim\.old .* removed in rmtsim 0\.3; use rmtsim\.new"
    ) as seen:
        assert old(3) == 6
    assert seen[0].filename == __file__
