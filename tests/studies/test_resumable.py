"""Finished runs are read back, a line cut off by a crash is not; slopes of a few runs."""

import importlib

import numpy as np
import pytest


def test_finished_runs_are_not_run_again(tmp_path):
    resumable = importlib.import_module("resumable")
    runs = resumable.FinishedRuns(tmp_path, "study")
    assert runs.result({"run": 0}, lambda: {"value": 1.5}) == {"value": 1.5}
    with open(tmp_path / "study.runs.jsonl", "a", encoding="utf-8") as handle:
        handle.write('{"setting": {"run": 1}, "res')
    again = resumable.FinishedRuns(tmp_path, "study")
    assert again.result({"run": 0}, lambda: pytest.fail("was there")) == {"value": 1.5}
    assert again.result({"run": 1}, lambda: 2.0) == 2.0
    assert (
        resumable.FinishedRuns(tmp_path, "study").result({"run": 1}, lambda: pytest.fail("was there")) == 2.0
    )


def test_slopes_of_powers():
    resumable = importlib.import_module("resumable")
    rng = np.random.default_rng(0)
    values = [4.0 * size**-0.5 * rng.uniform(0.9, 1.1, 400) for size in (10, 100, 1000)]
    slope, error = resumable.slope_of_means((10, 100, 1000), values, rng)
    assert abs(slope + 0.5) < 2 * error < 0.01
