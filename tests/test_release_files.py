"""Files of a release: dependencies, workflows, conda recipe, paper, policies."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rmtsim
from rmtsim.claims import all_claims

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def dependencies():
    return dict(re.fullmatch(r"([\w.-]+)(.*)", each).groups() for each in PROJECT["dependencies"])


def test_dependencies_have_floors_and_no_caps():
    """A cap keeps nightlies out; numba, which bounds NumPy in its own metadata, needs none here."""
    for name, bounds in dependencies().items():
        assert re.fullmatch(r">=\d+(\.\d+)*", bounds), name


def test_the_script_of_the_oldest_versions_reads_the_floors():
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        from floors import floors
    finally:
        sys.path.pop(0)
    found = floors((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {
        name: f">={version}" for name, version in found.items() if name in dependencies()
    } == dependencies()
    assert "pytest" in found


def test_a_skip_for_want_of_something_installable_is_a_failure(tmp_path):
    log = tmp_path / "log"
    lines = {
        "could not import 'torch': No module named 'torch'": (1, 1),
        "no Chromium on the path (chromium); docs/report.md says how to get one": (0, 1),
        "fish is not installed (Debian: apt-get install fish)": (0, 1),
        "with one core there is nothing to pin": (0, 0),
    }
    for reason, codes in lines.items():
        log.write_text(f"....s\nSKIPPED [1] tests/a.py:3: {reason}\n4 passed, 1 skipped in 1s\n")
        for options, code in zip(([], ["--programs"]), codes, strict=True):
            script = [sys.executable, str(ROOT / ".ci" / "skips.py"), str(log), *options]
            done = subprocess.run(script, capture_output=True, text=True, check=False)
            assert done.returncode == code, (reason, options)
            assert reason in done.stdout


def test_conda_recipe():
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{rmtsim.__version__}"' in text
    run = text.partition("  run:")[2].partition("tests:")[0]
    found = dict(re.findall(r"- ([\w-]+) (>=[\d.]+)", run))
    assert found.pop("python") == PROJECT["requires-python"]
    assert found == {CONDA_NAMES.get(name, name): bounds for name, bounds in dependencies().items()}


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows(path):
    """They are YAML, have few rights, and call scripts that exist."""
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.parent.name != "workflows":
        return
    assert document["permissions"] == {"contents": "read"}
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    for step in steps:
        assert ("uses" in step) != ("run" in step)
        for script in re.findall(r"^\.ci/[\w.-]+", step.get("run", ""), flags=re.M):
            assert (ROOT / script).stat().st_mode & 0o100, script
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


def test_paper():
    """Sections that the Journal of Open Source Software asks for, and every citation is in the bibliography."""
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    entries = set(re.findall(r"@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")))
    for section in ("Summary", "Statement of need", "State of the field", "Acknowledgements", "References"):
        assert f"\n# {section}\n" in text
    body = text.split("---", 2)[2]
    cited = set(re.findall(r"@(\w+)", body))
    assert cited == entries
    assert 250 <= len(body.split()) <= 1200
    # Numbers of the table are those of the documentation.
    laws = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("laws*.md"))
    for number in set(re.findall(r"\d\.\de[-+]\d\d", body)):
        assert number in laws, number


def test_counts_of_statements():
    """README, CHANGELOG and the paper name the number of declared statements, the paper also what errata.md counts."""
    for name in ("README.md", "CHANGELOG.md", "paper/paper.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f"{len(all_claims())} statements of seven papers and the textbooks" in " ".join(
            text.split()
        ), name
    errata = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    counts = re.findall(r"(\d+) statements refuted, from (\d+) causes", errata)
    statements, causes = (sum(map(int, column)) for column in zip(*counts, strict=True))
    words = f"{statements} printed statements are refuted, from {causes} causes"
    assert words in " ".join(text.split())


def test_policies_leave_the_private_channel_to_the_owner():
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "<!-- owner:" in text
        assert "to be filled" in text
