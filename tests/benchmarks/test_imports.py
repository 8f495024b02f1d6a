"""Benchmarks are run by hand; what they import of rmtsim must exist all the same; of peers they need only PyTorch."""

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
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Two of them are nothing but comparisons with PyTorch, which is an extra.
        if error.name != "torch":
            raise
        pytest.skip(f"benchmarks/{name}.py compares with PyTorch, which is not installed (extra torch)")
    assert Path(module.__file__).parent == FOLDER
    assert module.__doc__
