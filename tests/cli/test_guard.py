"""If the code of a claim ends its process in any way, the command reports claim and batch, and fails."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rmtsim.errors import StoreError
from rmtsim.runs._process import Board
from rmtsim.runs._store.store import Store

FILE = """
import ctypes, os, sys, time
from rmtsim.claims import claim

{top}

@claim("bad.one", limit=0.0, tolerance=0.1, sizes=(4, 8, 16), cost=1e-4)
def measured(size, rng):
    if size == 8:
        {body}
    return rng.normal() / size
"""
BATCH = "bad.one, size 8, batch 0"


def command(tmp_path, body="pass", top="", options=("--no-store",)):
    file = tmp_path / "bad.py"
    file.write_text(FILE.format(body=body, top=top))
    return [sys.executable, "-m", "rmtsim", "verify", str(file), *options]


def ended(*arguments, **more):
    done = subprocess.run(command(*arguments, **more), capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "the code of a claim ended the process (exit code 0)"),
        ("os._exit(3)", "the code of a claim ended the process (exit code 3)"),
        ("ctypes.CDLL(None).exit(0)", "the code of a claim ended the process (exit code 0)"),
        ("ctypes.string_at(0)", "the process was ended by SIGSEGV"),
        ("os.abort()", "the process was ended by SIGABRT"),
        ("os.kill(os.getpid(), 9)", "the process was ended by SIGKILL, as when memory runs out"),
        ("os.kill(os.getpid(), 8)", "the process was ended by SIGFPE"),
        pytest.param(
            "sys.setrecursionlimit(10**9)\n        f = lambda x: f(x)\n        f(1)",
            "the process was ended by SIG",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_sampler_that_ends_the_process_is_named(tmp_path, body, words):
    code, out, err = ended(tmp_path, body)
    assert (code, out) == (1, "")
    assert BATCH in err.splitlines()[-1]
    assert words in err.splitlines()[-1]


def test_a_file_that_ends_the_process_when_it_is_imported_is_named(tmp_path):
    code, out, err = ended(tmp_path, top="os._exit(0)")
    assert (code, out) == (1, "")
    assert "bad.py, which is being imported: the code of a claim ended the process" in err


def test_a_worker_that_ends_is_replaced_and_the_batch_named(tmp_path):
    code, out, err = ended(tmp_path, "os._exit(0)", options=("--no-store", "--budget", "1", "--workers", "1"))
    assert "INCONCLUSIVE" in out
    assert f"{BATCH} (seed 0," in err
    assert "killed 3 workers (exit code 0)" in err
    assert code == 0


def test_descriptor_1_belongs_to_the_command(tmp_path):
    """Whatever a compiled library, another program or Python's own stream at the descriptor writes."""
    body = (
        "os.write(1, b'noise\\n'); print('more'); sys.__stdout__.write('again'); ctypes.CDLL(None).puts(b'C')"
    )
    top = "os.system('echo from a program')"
    for workers in ((), ("--workers", "1")):
        code, out, err = ended(tmp_path, body, top, ("--no-store", "--json", "--budget", "1", *workers))
        assert code == 0, err
        assert json.loads(out)[0]["claim"] == "bad.one"
        assert "noise" in err
        assert "from a program" in err


def started(tmp_path, **more):
    """A command that has stored something and goes on."""
    store = tmp_path / "runs.sqlite"
    process = subprocess.Popen(
        command(tmp_path, "time.sleep(0.01)", options=("--store", str(store), "--budget", "600"), **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
        with contextlib.suppress(StoreError), Store(store, read_only=True) as opened:
            if opened.count() > 0:
                break
    return process


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_like_ctrl_c(tmp_path, number, code):
    process = started(tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "INCONCLUSIVE  bad.one" in out
    assert "finished batches are kept. To go on: rmtsim verify" in err
    assert "Traceback" not in err


def test_the_second_signal_ends_at_once(tmp_path):
    process = started(tmp_path)
    process.send_signal(signal.SIGSTOP)  # so that the first is not over before the second comes
    process.send_signal(signal.SIGCONT)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.4)
    process.communicate(timeout=120)
    assert process.returncode == 143


def test_nothing_stays_behind_when_the_command_is_killed(tmp_path):
    process = started(tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("the system does not list children")
    (child,) = children.read_text().split()
    process.kill()
    process.communicate()
    for _ in range(100):
        if not os.path.exists(f"/proc/{child}") or "\nState:\tZ" in Path(f"/proc/{child}/status").read_text():
            return
        time.sleep(0.1)
    raise AssertionError("the child goes on")


def test_the_board_keeps_what_fits():
    board = Board()
    assert (board.read(), board.exit_code()) == ("", None)
    board.write("γ" * 5000)
    assert set(board.read()) <= {"γ", "�"}
    board.write("short")
    assert board.read() == "short"
    board.sign_off(3)
    assert board.exit_code() == 3


@pytest.mark.parametrize(("word", "code"), [("--help", 0), ("--no-such-option", 2)])
def test_help_and_bad_usage_are_ends_of_the_command_itself(word, code):
    done = subprocess.run([sys.executable, "-m", "rmtsim", "verify", word], capture_output=True, text=True)
    assert done.returncode == code
    assert "ended the process" not in done.stderr
    assert done.stdout.startswith("usage: rmtsim verify") == (code == 0)
