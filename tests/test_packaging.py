"""README and addresses as a package index shows them: every link has a target."""

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BASE = "https://host.example/someone/rmtsim/blob/v9"
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture
def hook(monkeypatch):
    """The build hook; hatchling, which builds the package, need not be installed to test it."""
    interface = types.ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def metadata(hook, monkeypatch, address):
    monkeypatch.setenv(hook.VARIABLE, address)
    made = hook.IndexMetadata()
    made.root = str(ROOT)
    found = {}
    made.update(found)
    return found["readme"]["text"], found.get("urls", {})


def test_with_an_address_every_link_is_absolute_and_leads_to_a_file(hook, monkeypatch):
    text, urls = metadata(hook, monkeypatch, f"{BASE}/")
    links = LINK.findall(text)
    assert len(links) > 30
    for mark, target in links:
        place = BASE.replace("/blob/", "/raw/") if mark else BASE
        assert target.startswith(f"{place}/"), target
        assert (ROOT / target.removeprefix(f"{place}/").partition("#")[0]).is_file(), target
    assert urls["Source"] == "https://host.example/someone/rmtsim"
    assert urls["Issues"] == "https://host.example/someone/rmtsim/issues"
    for name in ("Documentation", "Changelog"):
        assert (ROOT / urls[name].removeprefix(f"{BASE}/")).is_file()


def test_without_one_no_link_is_broken_and_no_host_is_named(hook, monkeypatch):
    text, urls = metadata(hook, monkeypatch, "")
    assert urls == {}
    assert LINK.findall(text) == []
    assert "http" not in text
    assert "how a verdict is reached (`docs/verdicts.md`)" in text
    assert "<!--" not in text


def test_code_is_left_alone(hook):
    text = "[a](b.md)\n```python\nx = [1](2)\n```\n[c](https://host.example/)\n"
    shown = hook.index_readme(text, BASE)
    assert shown == text.replace("(b.md)", f"({BASE}/b.md)")


def test_a_strange_address_is_refused(hook, monkeypatch):
    with pytest.raises(ValueError, match=r"RMTSIM_TREE_URL='file:///x y': expected https"):
        metadata(hook, monkeypatch, "file:///x y")
