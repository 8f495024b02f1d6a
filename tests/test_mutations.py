"""The mutation trial of benchmarks/mutations.py in its small form: wrong constants are noticed by somebody."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _trial(only, path):
    command = [sys.executable, str(ROOT / "benchmarks" / "mutations.py"), "run", str(path), "--only", only]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text(encoding="utf-8"))


def _unnoticed(entries):
    return {f"{entry['module']}:{entry['function']}" for entry in entries if not entry["test"]}


def test_quadrant_integrals(tmp_path):
    entries = _trial("predict.orthant", tmp_path / "trial.json")
    assert {entry["function"] for entry in entries} == {"_angle", "orthant_moment", "relu_exponential"}
    assert _unnoticed(entries) == set()


@pytest.mark.slow
def test_every_closed_form_of_the_predictions(tmp_path):
    entries = _trial("predict", tmp_path / "trial.json")
    assert len(entries) > 50
    assert _unnoticed(entries) == set()


@pytest.mark.slow
def test_every_closed_form_of_the_laws(tmp_path):
    assert _unnoticed(_trial("laws", tmp_path / "trial.json")) == set()
