"""``rmtsim runs`` and the running options of ``rmtsim verify``, with the real store."""

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from rmtsim.claims import find
from rmtsim.cli import main
from rmtsim.cli._progress import ProgressDisplay
from rmtsim.errors import StoreError
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts import Progress

CLAIMS = ["dong.thm1.ratio", "dong.thm1.diagonal/corrected"]


def run(capsys, *arguments):
    try:
        code = main([str(each) for each in arguments])
    except SystemExit as stop:
        code = stop.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    assert main(["verify", *CLAIMS, "--budget", "0.6", "--store", str(path), "--json"]) == 0
    return path


@pytest.mark.thorough
def test_verify_reuses_the_store_and_says_nothing_else(capsys, store):
    first = run(capsys, "verify", *CLAIMS, "--budget", "0.6", "--store", store, "--json", "--quiet")
    second = run(capsys, "verify", *CLAIMS, "--budget", "0.6", "--no-store", "--json", "--quiet")
    assert first[0] == second[0] == 0
    assert [each["digest"] for each in json.loads(first[1])] == [
        each["digest"] for each in json.loads(second[1])
    ]
    assert first[2] == second[2] == ""


def test_list_show_and_cost(capsys, store):
    code, out, _ = run(capsys, "runs", "--store", store, "--json")
    listed = json.loads(out)
    assert code == 0
    assert {each["claim"] for each in listed["runs"]} == set(CLAIMS)
    assert {each["state"] for each in listed["runs"]} == {"current"}
    code, out, _ = run(capsys, "runs", "--store", store)
    assert code == 0
    assert "dong.thm1" in out
    code, out, _ = run(capsys, "runs", "show", CLAIMS[0], "--store", store, "--json")
    shown = json.loads(out)["sizes"]
    assert code == 0
    assert sum(each["batches"] for each in shown) == sum(
        each["batches"] for each in listed["runs"] if each["claim"] == CLAIMS[0]
    )
    code, out, _ = run(capsys, "runs", "show", CLAIMS[0], "--store", store)
    assert "computed with" in out
    code, out, _ = run(
        capsys,
        "runs",
        "cost",
        CLAIMS[0],
        "--at",
        "size=1000",
        "--at",
        "classes=10",
        "--at",
        "gamma=1",
        "--store",
        store,
        "--json",
    )
    assert code == 0
    assert json.loads(out)[0]["claim"] == CLAIMS[0]


def test_export_is_complete_and_exact(capsys, store, tmp_path):
    code, out, _ = run(capsys, "runs", "export", "--store", store)
    rows = list(csv.DictReader(io.StringIO(out)))
    target = tmp_path / "runs.json"
    assert code == 0
    assert run(capsys, "runs", "export", "--output", target, "--store", store)[0] == 0
    batches = json.loads(target.read_text())
    assert len(rows) == sum(each["replicates"] for each in batches)
    from_json = {
        (each["claim"], json.dumps(each["parameters"]), each["size"], each["batch"], index): value
        for each in batches
        for index, value in enumerate(each["values"])
    }
    from_csv = {
        (
            row["claim"], json.dumps(json.loads(row["parameters"])), int(row["size"]), int(row["batch"]),
            int(row["replicate"]),
        ): float(row["value"])
        for row in rows
    }  # fmt: skip
    assert from_csv == from_json


def test_check_finds_damage_and_prune_removes_it(capsys, store, tmp_path):
    assert "all sound" in run(capsys, "runs", "--check", "--store", store)[1]
    assert run(capsys, "runs", "check", "--store", store)[0] == 0
    with Store(store, read_only=True) as opened:
        payload = next(opened.rows()).payload
    data = bytearray(store.read_bytes())
    data[data.index(payload[:64]) + 40] ^= 16
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(data)
    code, out, err = run(capsys, "runs", "--check", "--store", damaged)
    assert code == 1
    assert "SHA-256" in out
    assert "1 problems found" in err
    assert (
        "1 batches would be removed"
        in run(capsys, "runs", "prune", "--corrupted", "--dry-run", "--store", damaged)[1]
    )
    assert "1 batches removed" in run(capsys, "runs", "prune", "--corrupted", "--store", damaged)[1]
    assert run(capsys, "runs", "--check", "--store", damaged)[0] == 0


def test_prune_by_claim_age_and_all(capsys, store, tmp_path):
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(store.read_bytes())
    assert ": 0 batches removed" in run(capsys, "runs", "prune", "--older-than", "1", "--store", copy)[1]
    assert ": 0 batches removed" in run(capsys, "runs", "prune", "--stale", "--store", copy)[1]
    for days in ("-1", "nan", "inf"):
        code, _, err = run(capsys, "runs", "prune", "--older-than", days, "--store", copy)
        assert (code, "number of days >= 0" in err) == (2, True)
    code, _, err = run(capsys, "runs", "export", "no.such", "--store", copy)
    assert (code, "no batches of it" in err) == (2, True)
    run(capsys, "runs", "prune", CLAIMS[0], "--store", copy)
    left = json.loads(run(capsys, "runs", "--json", "--store", copy)[1])["runs"]
    assert {each["claim"] for each in left} == {CLAIMS[1]}
    assert "0 kept" in run(capsys, "runs", "prune", "--all", "--store", copy)[1]


def test_salvage(capsys, store, tmp_path):
    new = tmp_path / "new.sqlite"
    code, out, _ = run(capsys, "runs", "salvage", new, "--store", store)
    assert code == 0
    assert "0 missing" in out
    assert run(capsys, "runs", "salvage", new, "--store", store)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "--store", "absent.sqlite"], "there is no store here"),
        (["runs", "prune"], "choose what to remove"),
        (["runs", "--store", ""], "--store ''"),
        (["runs", "cost", "--at", "size=x"], "--at size=x: expected NAME=VALUE"),
        (["verify", CLAIMS[0], "--workers", "0"], "--workers=0: expected an integer in [1, 4096]"),
        (["verify", CLAIMS[0], "--workers", "2", "--dask", "x"], "not allowed with"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_disk_that_refuses_is_no_bad_usage(capsys):
    code, out, err = run(capsys, "verify", CLAIMS[0], "--store", "/dev/null/x/y")
    assert (code, out) == (1, "")
    assert "its folder cannot be made" in err


def test_wrong_file_as_store(capsys, tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("hello " * 500)
    for command in (["runs"], ["runs", "--check"], ["verify", CLAIMS[0]]):
        code, _, err = run(capsys, *command, "--store", text)
        assert code == 2
        assert "not a store of rmtsim" in err
    assert text.read_text() == "hello " * 500


def test_a_home_that_cannot_be_written_is_no_reason_to_refuse_work(capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    code, out, err = run(capsys, "verify", CLAIMS[0], "--budget", "0.1", "--json")
    assert code == 0
    assert json.loads(out)[0]["claim"] == CLAIMS[0]
    assert "nothing will be kept" in err


HARD = """
from rmtsim.claims import claim
import time

@claim("slow.mean", limit=0.0, tolerance=1e-6, sizes=(10, 20, 40), cost=2e-3)
def mean(size, rng):
    time.sleep(2e-3)
    return rng.standard_normal(size).mean()
"""


def _interrupted(tmp_path, workers, times):
    """Ctrl-C (as a terminal sends it) to a verification in the middle."""
    (tmp_path / "hard.py").write_text(HARD)
    store = tmp_path / "runs.sqlite"
    command = [
        sys.executable, "-m", "rmtsim", "verify", str(tmp_path / "hard.py"), "--budget", "600", "--store", str(store),
        *workers,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    stored = 0
    while stored < 3 and process.poll() is None:
        time.sleep(0.1)
        # Until the process has made its tables, there is no store to look into.
        with contextlib.suppress(StoreError), Store(store, read_only=True) as opened:
            stored = opened.count()
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    with Store(store) as opened:
        assert opened.count() >= stored
    return process.returncode, out, err


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]], ids=["here", "workers"])
def test_ctrl_c_prints_the_verdicts_so_far_and_the_command_that_continues(tmp_path, workers):
    code, out, err = _interrupted(tmp_path, workers, times=1)
    assert code == 130, err
    assert "slow.mean" in out
    assert "INCONCLUSIVE" in out
    found = re.search(r"interrupted; (\d+) finished batches are kept. To go on: rmtsim (verify .*)", err)
    assert found, err
    assert int(found[1]) >= 3
    assert "--store" in found[2]
    assert "Traceback" not in err


@pytest.mark.thorough
def test_a_second_ctrl_c_stops_at_once_and_loses_nothing(tmp_path):
    code, _, err = _interrupted(tmp_path, [], times=2)
    assert code in (130, -signal.SIGINT), err
    assert main(["runs", "--check", "--store", str(Path(tmp_path) / "runs.sqlite")]) == 0


def test_progress_shows_intervals_reuse_and_an_estimate():
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    key = BatchKey(find(CLAIMS[0]), (("classes", 3), ("gamma", 1.0)), 40, 0, 8, 0)
    now = [0.0]
    shown = []
    with ProgressDisplay(
        console, lambda result: shown.append(result) or "a row", clock=lambda: now[0]
    ) as display:
        for _ in range(4):
            display.planned(key)
        display.arrived(key, 0.1)
        display.report(Progress(CLAIMS[0], 0.5, 0, 2, interval=(1.9, 2.1), spent=2.0, reused=3))
        now[0] = 10.0
        text = display.rendered().plain
        assert f"{CLAIMS[0]}  [1.90, 2.10], batch 1 of 4, 3 reused" in text
        assert text.splitlines()[0] == "0 of 2 parameter points decided, 10.0 s"
        # Twelve nominal seconds are predicted where two took ten: about a minute, whatever the budget is.
        display.report(Progress(CLAIMS[0], 0.01, 1, 2, spent=2.0, foreseen=12.0))
        assert display.rendered().plain.splitlines()[0].endswith("10.0 s, about 60 s left")
        display.report(Progress(CLAIMS[0], 1.0, 2, 2, "CONFIRMED", result="the result"))
        assert CLAIMS[0] not in display.rendered().plain
    assert shown == ["the result"]
    assert "a row" in console.file.getvalue()


def test_in_a_log_each_verdict_is_a_line_as_it_falls(capsys):
    names = ["dong.thm1.diagonal-limit", "dong.eq3"]
    assert main(["verify", *names, "--no-store", "--workers", "1", "--json"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[:2] for line in lines] in (
        [["[1/2]", "CONFIRMED"], ["[2/2]", "REFUTED"]],
        [["[1/2]", "REFUTED"], ["[2/2]", "CONFIRMED"]],
    )
    assert {line.split()[2] for line in lines} == set(names)
    # One claim has its table at once, and --quiet suppresses it.
    assert main(["verify", names[0], "--no-store", "--workers", "1", "--json"]) == 0
    assert main(["verify", *names, "--no-store", "--workers", "1", "--json", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
