"""The mutation trial of benchmarks/mutations.py in its small form: wrong constants are noticed by a test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from mutation_reasons import reason  # noqa: E402
from mutations import counts  # noqa: E402


def _trial(only, tests, path, *options):
    command = [sys.executable, str(ROOT / "benchmarks" / "mutations.py"), "run", str(path), "--only", only]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, *options, "--tests", *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text(encoding="utf-8"))


def _unnoticed(entries):
    """Constants that no test notices and that have no reason; numbers that count something are left out."""
    return {
        entry["name"] for entry in entries if not entry["test"] and not reason(entry) and not counts(entry)
    }


@pytest.mark.thorough
def test_quadrant_integrals(tmp_path):
    entries = _trial(
        "dong.theory.orthant", ["tests/papers/dong/theory/test_orthant.py"], tmp_path / "trial.json"
    )
    assert {entry["function"] for entry in entries} == {"_series", "orthant_moment", "relu_exponential"}
    assert _unnoticed(entries) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("only", "tests"),
    [
        (
            "dong.theory.orthant",
            ["rmtsim/papers/dong/theory/orthant.py", "tests/papers/dong/theory/test_orthant.py"],
        ),
        ("wu.theory", ["rmtsim/papers/wu/theory", "tests/papers/wu/theory"]),
        ("loglinear.theory", ["rmtsim/papers/loglinear/theory", "tests/papers/loglinear/theory"]),
        ("sparse.theory", ["rmtsim/papers/sparse/theory", "tests/papers/sparse/theory"]),
        (
            "laws._marchenko_pastur",
            ["rmtsim/laws/_marchenko_pastur.py", "tests/laws/test_marchenko_pastur.py"],
        ),
        ("laws._arcsine", ["rmtsim/laws/_arcsine.py", "tests/laws/test_classical.py"]),
    ],
)
def test_every_constant_of_a_sample_of_modules(only, tests, tmp_path):
    entries = _trial(only, tests, tmp_path / "trial.json", "--all")
    assert len(entries) > 10
    assert _unnoticed(entries) == set()


def test_a_reason_is_a_sentence_about_a_constant_that_is_there():
    from mutants import constants
    from mutation_reasons import REASONS

    found = constants(every=True)
    for module, function, part in REASONS:
        assert any(
            each.module.endswith(module) and each.function == function and part in each.expression
            for each in found
        ), (module, function, part)
