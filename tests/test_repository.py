"""Rules of the repository that tools can check: lint, format, types, and what README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rmtsim

ROOT = Path(__file__).parent.parent
TRACKED = [
    path
    for folder in ("rmtsim", "tests", "studies", "benchmarks", "docs", ".ci")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".toml", ".txt", ""} and path.is_file() and "out" not in path.parts
] + [ROOT / "README.md", ROOT / "pyproject.toml"]


@pytest.mark.parametrize(
    "arguments", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]], ids=" ".join
)
def test_tools_pass(arguments):
    result = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_ci_runs_the_readme_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    marker, _, rest = readme.partition("<!-- test command -->")
    assert rest, marker[:40]
    assert "python -m pytest" in rest.split("```")[1]
    assert "<!-- test command -->" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_no_machine_paths_and_no_registry_hosts():
    # Assembled here so that this file does not contain what it looks for.
    forbidden = re.compile(
        "|".join(
            ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", r"py" + r"pi\.org", r"python" + r"hosted\.org"]
        )
    )
    for path in TRACKED:
        text = path.read_text(encoding="utf-8")
        assert not forbidden.search(text), path


def test_version_is_single_sourced():
    assert "version" not in re.findall(r"^(\w+) = ", (ROOT / "pyproject.toml").read_text(), flags=re.M)
    assert re.fullmatch(r"\d+\.\d+\.\d+", rmtsim.__version__)
