"""Preregistration and capsules: contents of the record, detection of changes, and repetition."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import rmtsim
from rmtsim.cli import main

CLAIMS = '''
from mine_helper import shift
from rmtsim import claim


@claim("mine.mean", limit=0.5, tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), because="exact", cost=1e-6)
def mean(size, rng, replicates):
    """The mean tends to one half."""
    return shift(size) + rng.random(replicates)
'''
SETTINGS = ["--budget", "1", "--seed", "3"]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine_helper.py").write_text("def shift(size):\n    return 1 / size\n")
    (tmp_path / "mine.py").write_text(CLAIMS)
    return tmp_path / "mine.py"


def test_a_run_says_whether_it_matches_its_record(file, capsys):
    assert main(["preregister", str(file), *SETTINGS]) == 0
    record = file.with_suffix(".preregistration.json")
    kept = json.loads(record.read_text())
    assert kept["sha256"] in capsys.readouterr().out
    assert kept["claims"][0]["sizes"] == [8, 16, 32]
    assert kept["settings"] == {"seed": 3, "level": 0.05, "budget": 1.0}
    verify = ["verify", str(file), "--no-store", "--quiet", "--preregistration", str(record)]
    assert main([*verify, *SETTINGS]) == 0
    assert "this run matches it" in capsys.readouterr().err
    assert main([*verify, "--budget", "2", "--seed", "3"]) == 0
    assert "budget: recorded 1.0, now 2.0" in capsys.readouterr().err
    file.write_text(CLAIMS.replace("tolerance=0.05", "tolerance=0.2"))
    assert main([*verify, *SETTINGS]) == 0
    told = capsys.readouterr().err
    assert "mine.mean: tolerance: recorded {'absolute': 0.05" in told
    assert "mine.py: the file was changed" in told


def test_a_record_is_neither_replaced_nor_altered(file, capsys):
    assert main(["preregister", str(file)]) == 0
    assert main(["preregister", str(file)]) == 2
    record = file.with_suffix(".preregistration.json")
    record.write_text(record.read_text().replace('"seed": 0', '"seed": 1'))
    assert main(["verify", str(file), "--no-store", "--preregistration", str(record)]) == 2
    assert "was changed after it was written" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_capsule_is_repeated_in_a_fresh_environment(file, tmp_path):
    folder = tmp_path / "capsule"
    assert main(["capsule", str(file), "-o", str(folder), *SETTINGS]) == 0
    expected = {"README.md", "capsule.json", "claims", "figures", "preregistration.json", "refs.bib", "repeat.py",
                "report.html", "requirements.txt", "results.json", "table.md", "table.tex", "values.csv"}  # fmt: skip
    assert {path.name for path in folder.iterdir()} == expected
    assert {path.name for path in (folder / "claims").iterdir()} == {"mine.py", "mine_helper.py"}
    assert f"numpy=={__import__('numpy').__version__}" in (folder / "requirements.txt").read_text()
    # Another place, another interpreter, home and variables; the packages are those of this environment.
    moved = shutil.copytree(folder, tmp_path / "elsewhere" / "received")
    shutil.rmtree(folder)
    file.unlink()
    python = _fresh_environment(tmp_path / "environment")
    variables = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    result = subprocess.run(
        [python, "-I", str(moved / "repeat.py")],
        capture_output=True,
        text=True,
        env=variables,
        cwd="/",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "mine.mean: identical (CONFIRMED)" in result.stdout
    helper = moved / "claims" / "mine_helper.py"
    helper.write_text(helper.read_text().replace("1 / size", "1 / size + 0.3"))
    result = subprocess.run(
        [python, "-I", str(moved / "repeat.py")],
        capture_output=True,
        text=True,
        env=variables,
        cwd="/",
        check=False,
    )
    assert result.returncode == 1
    assert "recorded CONFIRMED, now REFUTED" in result.stdout


def test_a_capsule_holds_data_and_packages_and_names_other_inputs(file, tmp_path, capsys, monkeypatch):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "early.txt").write_text("0")
    (tmp_path / "late.txt").write_text("0")
    (tmp_path / "declared.bin").write_bytes(b"1")
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere.txt"
    elsewhere.write_text("0")
    monkeypatch.setenv("MINE_SHIFT", "0")
    file.write_text(
        CLAIMS.replace(
            "from rmtsim import claim",
            "import os\nfrom pathlib import Path\nimport pandas\nfrom rmtsim import claim\n"
            "HERE = Path(__file__).parent\n"
            "EARLY = float((HERE / 'tables' / 'early.txt').read_text())\n"
            f"FAR = float(Path({str(elsewhere)!r}).read_text())",
        )
        .replace("cost=1e-6", "cost=1e-6, data=['declared.bin']")
        .replace(
            "return ",
            "late = float((HERE / 'late.txt').read_text()) + float(os.environ['MINE_SHIFT'])\n"
            "    return late + EARLY + FAR + ",
        )
    )
    folder = tmp_path / "capsule"
    assert main(["capsule", str(file), "-o", str(folder), *SETTINGS]) == 0
    held = {path.relative_to(folder / "claims").as_posix() for path in (folder / "claims").rglob("*.*")}
    assert held == {"mine.py", "mine_helper.py", "tables/early.txt", "late.txt", "declared.bin"}
    assert f"pandas=={__import__('pandas').__version__}" in (folder / "requirements.txt").read_text()
    told = capsys.readouterr().err
    assert f"file {elsewhere}" in told
    assert "environment variable MINE_SHIFT" in told
    assert f"file {elsewhere}" in (folder / "README.md").read_text()


def _fresh_environment(folder: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    sources = [str(Path(rmtsim.__file__).parent.parent), sysconfig.get_paths()["purelib"]]
    (site / "shared.pth").write_text("\n".join(sources) + "\n")
    return str(folder / "bin" / "python")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["capsule"], "expected FILE.py and -o DIR"),
        (["capsule", "x.py", "-o", "y"], "x.py: expected a Python file with claims"),
        (["capsule", "--repeat", "no-such-folder"], "not a capsule"),
        (["preregister", "no.py"], "no.py: expected a Python file with claims"),
    ],
)
def test_bad_usage(words, message, capsys):
    assert main(words) == 2
    assert message in capsys.readouterr().err
