"""``rmtsim new-paper``: what it writes can be installed, verified and tested as it is."""

import ast
import json
import os
import site
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest

import rmtsim
from rmtsim import Paper
from rmtsim.cli import main
from rmtsim.cli._new_paper import skeleton

ROOT = Path(rmtsim.__file__).parents[1]
VERDICTS = {
    "smith.moment.second": "CONFIRMED",
    "smith.moment.third": "REFUTED",
    "smith.moment.third/corrected": "CONFIRMED",
}


@pytest.fixture
def written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = [
        "--authors",
        'A. Smith, "B." \\ Jones',
        "--title",
        "On Σ",
        "--year",
        "2026",
        "--arxiv",
        "2601.00001",
    ]
    assert main(["new-paper", "smith", *words]) == 0
    assert "next: cd rmtsim-smith && pip install -e . && rmtsim verify smith" in capsys.readouterr().out
    return tmp_path / "rmtsim-smith"


@pytest.fixture
def python(tmp_path):
    """Python of a fresh environment that sees the packages of this one, so that nothing is downloaded."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    own = next(folder.glob("lib/python*/site-packages"))
    (own / "packages_of_the_tests.pth").write_text("\n".join([str(ROOT), *site.getsitepackages()]))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"XDG_DATA_HOME": str(tmp_path / "data")}

    def run(*words, **options):
        command = [str(folder / "bin" / "python"), "-W", "ignore", *words]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, **options
        ).stdout

    return run


@pytest.mark.thorough
def test_it_is_installed_and_verified_in_a_fresh_environment(written, python, tmp_path):
    record = tmp_path / "installed.txt"
    install = ["install", "--single-version-externally-managed", "--record", str(record)]
    python("-c", "import setuptools; setuptools.setup()", "-q", *install, cwd=written)
    assert {Path(line).name for line in record.read_text().splitlines()} >= {
        "errata.md",
        "statements.toml",
        "entry_points.txt",
    }
    listed = python("-m", "rmtsim", "claims", "--paper", "smith", "--json", cwd=tmp_path)
    (citation,) = {row["citation"] for row in json.loads(listed)}
    assert citation == 'A. Smith, "B." \\ Jones: On Σ. 2026, arXiv:2601.00001'
    results = json.loads(python("-m", "rmtsim", "verify", "smith", "--quick", "--json", cwd=tmp_path))
    assert {row["claim"]: row["verdict"] for row in results} == VERDICTS
    shown = python("-m", "rmtsim", "verify", "smith.moment.third", "--quick", cwd=tmp_path)
    assert "next: the corrected statement: rmtsim verify smith.moment.third/corrected" in shown
    assert "9 passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=written)


@pytest.mark.thorough
def test_it_needs_no_installation_to_be_tried(written, capsys):
    file = written / "src" / "rmtsim_smith" / "statements" / "moments.py"
    assert main(["verify", str(file), "--quick", "--json", "--no-store"]) == 0
    assert {row["claim"]: row["verdict"] for row in json.loads(capsys.readouterr().out)} == VERDICTS


def test_the_files_are_what_their_names_say():
    paper = Paper(key="smith", package="rmtsim_smith", authors='"', title="\\ \"'#", year="2026")
    files = skeleton(paper)
    for name, text in files.items():
        assert "$" not in text, name
        if name.endswith(".py"):
            ast.parse(text)
    project = tomllib.loads(files["pyproject.toml"])["project"]
    assert project["entry-points"]["rmtsim.claims"] == {"smith": "rmtsim_smith:PAPER"}
    assert paper.citation in files["README.md"]
    assert {name.split("/")[2] for name in files if name.startswith("src/")} == {
        "__init__.py",
        "errata.md",
        "statements.toml",
        "theory",
        "simulation",
        "statements",
    }


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["dong"], "a paper of this key is installed (dong, wu"),
        (["two words"], "key='two words': expected lower-case letters"),
        (["Smith"], "key='Smith'"),
        (["a.b"], "key='a.b'"),
        (["../up"], "key='../up'"),
        (["user"], "key='user'"),
        (["smith", "--arxiv", "none"], "arxiv='none'"),
        (["smith", "--title", "two\nlines"], "--title"),
        (["smith", "--dir", "there"], "there: exists already"),
        (["smith", "--dir", "no/such/folder"], "the folder no/such does not exist"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys, words, match):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    assert main(["new-paper", *words]) == 2
    error = capsys.readouterr().err
    assert match in error
    assert len(error.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["new-paper", "--help"])
    out = capsys.readouterr().out
    for words in ("pip install -e .", "rmtsim verify smith", "simulation/", "pytest"):
        assert words in out
