"""``rmtsim hessian``: table, JSON and page of a model in a file; errors in one line."""

import json

import pytest

from rmtsim.cli import main

OPERATOR = """
import numpy as np
from rmtsim.hessians import hessian
def setup():
    print("noise")
    rng = np.random.default_rng(0)
    parts = [np.diag([5.0, 2.0, 1.0]) + 0.1 * rng.standard_normal() * np.eye(3) for _ in range(6)]
    return hessian([lambda v, m=m: m @ v for m in parts], size=3)
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "<b>own.py"
    path.write_text(OPERATOR)
    return path


def test_table_page_and_json(file, capsys):
    assert main(["hessian", str(file), "--per", "parameter", "--html", "page.html"]) == 0
    out = capsys.readouterr().out
    assert "top eigenvalues of model" in out
    assert "wrote page.html" in out
    assert "noise" not in out
    page = (file.parent / "page.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "&lt;b&gt;own.py" in page
    assert "http://" not in page
    assert "<script" not in page
    assert page.count("data:image/png") >= 4
    assert main(["hessian", str(file), "--json", "--html", "none", "--count", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["eigenvalues"][0]["values"]) == 2
    assert found["trace"]["error"] == 0.0
    low, high = (found["eigenvalues"][0]["population"][0][end] for end in ("low", "high"))
    assert low < 5.0 < high


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, [], "no such file"),
        ("x = 1", [], "no function setup()"),
        ("def setup(a): pass", [], "should take no arguments"),
        ("def setup(): return 1", [], "returned int; expected (model, loss, data)"),
        ("def setup(): raise KeyError('k')", [], "raised KeyError"),
        ("def setup(:", [], "line 1"),
        (OPERATOR, ["--html", "x.pdf"], "expected a file name that ends with .html"),
        (OPERATOR, ["--count", "0"], "count=0"),
        (OPERATOR, ["--tolerance", "-1"], "tolerance=-1"),
        (OPERATOR, ["--per", "head"], "no torch.nn.MultiheadAttention"),
        (OPERATOR, ["--of", "x"], "no parameter matches"),
        (OPERATOR, ["--seed", "-1"], "--seed -1"),
    ],
)
def test_one_line_for_what_cannot_be(tmp_path, monkeypatch, capsys, text, options, message):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.py"
    if text is not None:
        path.write_text(text)
    assert main(["hessian", str(path), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") <= 2
