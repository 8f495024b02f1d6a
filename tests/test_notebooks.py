"""The example notebooks, in a real Jupyter kernel: they run, display results, and are committed with their outputs."""

import importlib.util
import os
import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
_spec = importlib.util.spec_from_file_location("make_notebooks", FOLDER / "make.py")
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)


def _shown(book):
    """What a reader sees of every code cell: text, and HTML where there is some."""
    parts = [
        output.get("text", "")
        + "".join(output.get("data", {}).get(kind, "") for kind in ("text/plain", "text/html"))
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    return "\n".join(parts)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["own-claim"])
def test_claims_typed_in_a_kernel_run_there_and_on_workers(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    shown = _shown(make.executed(name, tmp_path))
    assert "1 of 1 parameter points decided" in shown
    assert "\nTrue\n" in f"\n{shown}\n"
    assert "✓ CONFIRMED" in shown
    assert "data:image/png;base64," in shown
    assert "returned 64 numbers, and 16 at size 16" in shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_first_verdict(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    shown = _shown(make.executed("first-verdict", tmp_path))
    assert "✗ REFUTED" in shown
    assert "next:" in shown


@pytest.mark.parametrize("name", make.NOTEBOOKS)
def test_what_is_committed_is_what_is_made(name):
    stored = nbformat.read(FOLDER / f"{name}.ipynb", 4)
    assert [cell.source for cell in stored.cells] == make.NOTEBOOKS[name]
    assert all(cell.execution_count for cell in stored.cells if cell.cell_type == "code")
    assert not re.search(r'"(error|Traceback)"|/tmp/', (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
