"""``rmtsim report`` and ``verify --report``: a page, or one line that says what to do."""

import json

import pytest

from rmtsim.cli import main
from rmtsim.runs._store.results import StoredResult, put_result
from rmtsim.runs._store.store import Store
from tests.report import made
from tests.report.reading import Page

CHEAP = "dong.thm1.diagonal-limit"


COMMAND = ["verify", CHEAP, "--workers", "1"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    assert main([*COMMAND, "--store", str(path), "--quiet"]) == 0
    return path


def failed(capsys, *arguments):
    """The one line of a command that is refused."""
    assert main(["report", *map(str, arguments)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    return error


def test_a_page_from_the_store(store, tmp_path, capsys):
    out = tmp_path / "page.html"
    capsys.readouterr()
    assert main(["report", "--store", str(store), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{out}: 1 claim, ")
    assert printed.endswith("open it in a browser\n")
    shown = Page(out.read_text(encoding="utf-8"))
    assert not shown.faults
    assert f"rmtsim {' '.join(COMMAND)} --store {store} --quiet" in shown.text
    assert [path.name for path in tmp_path.glob(".page*")] == []
    assert main(["report", "--store", str(store), "--out", str(out)]) == 0
    assert Page(out.read_text(encoding="utf-8")).text == shown.text  # the same store, the same page


def test_a_page_of_one_run_without_a_store(tmp_path, capsys):
    out = tmp_path / "run.html"
    assert main([*COMMAND, "--no-store", "--report", str(out), "--json"]) == 0
    printed, error = capsys.readouterr()
    assert json.loads(printed)[0]["claim"] == CHEAP
    assert f"rmtsim: report: {out}: 1 claim" in error
    shown = Page(out.read_text(encoding="utf-8"))
    assert not shown.faults
    assert "results of one run" in shown.text
    assert json.loads(printed)[0]["digest"] in shown.text


def test_without_results_it_says_what_to_run(tmp_path, capsys):
    missing = tmp_path / "none.sqlite"
    page = tmp_path / "p.html"
    line = failed(capsys, "--store", missing, "--out", page)
    assert "there is no store yet" in line
    assert f"rmtsim verify --quick --store {missing}" in line
    assert not missing.exists()
    Store(missing).close()
    assert "holds no finished results; run `rmtsim verify --quick" in failed(
        capsys, "--store", missing, "--out", page
    )
    with Store(missing) as store:
        put_result(store, StoredResult("a", "[]", "", "", 0.0, json.dumps({"record": {}})))
    assert "no finished results that can be read (1 cannot)" in failed(
        capsys, "--store", missing, "--out", page
    )
    assert not page.exists()


def test_bad_names_are_reported_before_any_work(tmp_path, capsys):
    page = tmp_path / "p.html"
    assert "ends with .html" in failed(capsys, "--out", tmp_path / "x.sqlite")
    assert "does not exist" in failed(capsys, "--out", tmp_path / "no" / "x.html")
    (tmp_path / "folder.html").mkdir()
    assert "cannot be written" in failed(capsys, "--out", tmp_path / "folder.html")
    assert "expected the path of a file" in failed(capsys, "--store", "", "--out", page)
    other = tmp_path / "text.txt"
    other.write_text("no store")
    assert "text.txt" in failed(capsys, "--store", other, "--out", page)
    assert main(["verify", CHEAP, "--report", str(tmp_path / "x.pdf")]) == 2
    assert "--report" in capsys.readouterr().err


@pytest.mark.thorough
def test_the_store_itself_is_never_overwritten(tmp_path, capsys):
    path = tmp_path / "runs.html"
    with Store(path) as store:
        put_result(store, StoredResult("a", "[]", "", "", 0.0, json.dumps(made.kept(made.one()))))
    before = path.read_bytes()
    assert "this is the store itself" in failed(capsys, "--store", path, "--out", path)
    assert path.read_bytes() == before


def test_a_write_that_fails_leaves_the_old_page(store, tmp_path, monkeypatch):
    out = tmp_path / "page.html"
    out.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert main(["report", "--store", str(store), "--out", str(out)]) == 1
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.glob(".page*")] == []


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    text = capsys.readouterr().out
    for words in ("rmtsim verify --quick && rmtsim report", "--report now.html", "FILE.html", "no network"):
        assert words in text
