"""Benchmarks are run by hand; what they import must exist all the same, without the peers that they compare with."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_benchmark_imports(name, monkeypatch):
    # Studies and benchmarks have modules of the same names (dong, wu): each is loaded anew from its own folder.
    monkeypatch.syspath_prepend(str(FOLDER))
    for known in {path.stem for path in FOLDER.glob("*.py")} & set(sys.modules):
        monkeypatch.delitem(sys.modules, known)
    module = importlib.import_module(name)
    assert Path(module.__file__).parent == FOLDER
    assert module.__doc__
