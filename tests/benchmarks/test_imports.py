"""Names that benchmarks import from rmtsim exist; other packages they import are in the two extras."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
WITH_EXTRA = {
    **dict.fromkeys(("covariance", "real_data_speed"), "sklearn"),
    **dict.fromkeys(("hessians", "li", "li_density"), "torch"),
}
"""Benchmarks that are nothing but a comparison with an extra."""


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__main__"))
def test_benchmark_imports(name, monkeypatch):
    # Studies and benchmarks have modules of the same names (dong, wu): each is loaded from its own folder.
    monkeypatch.syspath_prepend(str(FOLDER))
    for known in {path.stem for path in FOLDER.glob("*.py")} & set(sys.modules):
        monkeypatch.delitem(sys.modules, known)
    if name in WITH_EXTRA:
        pytest.importorskip(WITH_EXTRA[name], reason="an extra that is not installed", exc_type=ImportError)
    before = _state()
    module = importlib.import_module(name)
    assert Path(module.__file__).parent == FOLDER
    assert module.__doc__
    assert _state() == before, "importing a module changes the state of the whole process"


def _state():
    """What a module must not change when it is imported: other tests run in the same process."""
    variables = dict(os.environ)
    if importlib.util.find_spec("torch") is None:
        return variables
    torch = importlib.import_module("torch")
    return variables, torch.get_default_dtype(), torch.get_num_threads(), torch.is_grad_enabled()
