"""The command line with malicious or broken code, stores, terminals and machines."""

import contextlib
import io
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rmtsim import cli, errors
from rmtsim._internal import plain, validate
from rmtsim.claims._declare import claim
from rmtsim.claims._model import Claim, Parameter, Tolerance
from rmtsim.cli import main
from rmtsim.cli._verify import _figure_paths
from rmtsim.runs._pools import dask as dask_pool
from rmtsim.runs._pools.pool import Pool, SerialPool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from tests.runs.helpers import keys, run_all

CLAIMS = """
import sys
from rmtsim.claims import claim
@claim("mine.quick", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def quick(size, rng):
    print("loud")
    return rng.normal() / size
@claim("mine.exits", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def exits(size, rng):
    sys.exit(0)
@claim("mine.raises", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def raises(size, rng):
    raise BaseException("not even an exception")
@claim("mine.leaves", limit=lambda: sys.exit(0), tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def leaves(size, rng):
    return rng.normal() / size
"""
VERIFY = ["--budget", "0.02", "--no-store", "--quiet"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CLAIMS)
    return path


def run(capsys, *arguments):
    code = main([str(each) for each in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("workers", [[], ["--workers", "1"]], ids=["here", "worker"])
@pytest.mark.parametrize("name", ["exits", "raises", "leaves"])
def test_claims_that_end_the_program_are_an_error_and_not_success(capsys, file, name, workers):
    """The exit code is not 0, also with --json."""
    code, out, err = run(capsys, "verify", f"{file}::mine.{name}", *VERIFY, *workers, "--json")
    assert code in (1, 2)
    assert out == ""
    assert "SystemExit" in err or "sys.exit" in err or "BaseException" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "text", ["import sys\nsys.exit(0)", "raise BaseException('x')", "import sys\nsys.exit('bye')"]
)
def test_files_that_end_the_program_are_an_error(capsys, tmp_path, text):
    path = tmp_path / "ends.py"
    path.write_text(text)
    for command in ("verify", "claims", "predict"):
        code, out, err = run(capsys, command, path)
        assert (code, out) == (2, "")
        assert "ends.py: line" in err


def test_an_infinite_tolerance_confirms_nothing():
    for bad in (math.inf, math.nan):
        for name in ("absolute", "relative"):
            with pytest.raises(ValueError, match=f"{name}="):
                Tolerance(**{name: bad})


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"grid": 5}, "grid=5"),
        ({"grid": (3,)}, "grid="),
        ({"statement": 5}, "statement=5"),
        ({"statement": "\x1b[2J"}, "statement="),
    ],
)
def test_bad_declarations_are_named(options, match):
    with pytest.raises((TypeError, ValueError), match=match):
        claim("x.y", lambda size, rng: 0.0, limit=0.0, tolerance=0.1, sizes=(1, 2, 4), **options)
    with pytest.raises((TypeError, ValueError), match="meaning"):
        Parameter("gamma", "\x1b]0;title\x07", default=1.0)


def test_what_a_sampler_prints_is_not_in_the_json(capfd, file):
    for workers in ([], ["--workers", "1"]):
        assert main(["verify", f"{file}::mine.quick", *VERIFY, *workers, "--json"]) == 0
        assert json.loads(capfd.readouterr().out)[0]["claim"] == "mine.quick"


def test_byte_code_beside_a_claim_file_is_neither_run_nor_written(capsys, file):
    """A planted .pyc must not run in place of the file."""
    import importlib.util
    import py_compile

    planted = file.with_name("planted.py")
    planted.write_text(CLAIMS.replace("mine.", "evil."))
    cache = Path(importlib.util.cache_from_source(str(file)))
    py_compile.compile(
        str(planted), cfile=str(cache), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    code, out, _ = run(capsys, "claims", file, "--json")
    assert code == 0
    assert {each["claim"].partition(".")[0] for each in json.loads(out)} == {"mine"}
    cache.unlink()
    run(capsys, "claims", file)
    assert not cache.exists()


def test_escapes_from_a_foreign_store_do_not_reach_the_terminal(capsys, tmp_path):
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        run_all(SerialPool(), keys(batches=2), store)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(
        "UPDATE batches SET claim = 'a\x1b[2Jb', parameters = '{\"\x1b]0;x\x07\": 1}', code = '\x1b[1m'"
    )
    connection.execute("UPDATE files SET path = '/tmp/\x1b[31m'")
    connection.execute("INSERT INTO lost VALUES (1, '\x1b[2J', '{}', 1, 1, 1, '1', 3, '\x1b[2J', 0)")
    connection.close()
    for words in (["runs"], ["runs", "show", "a\x1b[2Jb"], ["runs", "--check"], ["runs", "cost"]):
        _, out, err = run(capsys, *words, "--store", path)
        assert "\x1b" not in out + err
        assert "\\x1b" in out + err
    assert plain("γ → ∞ \u202e\x9b\x7f") == "γ → ∞ \\u202e\\x9b\\x7f"


def test_full_disks_locked_stores_and_missing_memory_are_no_bad_usage(capsys, monkeypatch):
    for error, code in (
        (OSError(5, "Input/output error", "runs.sqlite"), 1),
        (errors.StoreBusyError("locked"), 1),
        (errors.StoreFullError("full"), 1),
        (errors.CorruptedStoreError("damaged"), 1),
        (errors.NotAStoreError("a text"), 2),
        (errors.StoreVersionError("newer"), 2),
        (MemoryError(), 1),
        (errors.MemoryLimitError("too large"), 1),
        (RecursionError("deep"), 1),
        (KeyboardInterrupt(), 130),
        (RuntimeError("a bug"), 1),
    ):
        monkeypatch.setattr("rmtsim.cli._claims.selected", lambda arguments, error=error: _raise(error))
        found, out, err = run(capsys, "claims")
        assert (found, out) == (code, "")
        assert len(err.splitlines()) == 1
        assert "Traceback" not in err


def _raise(error):
    raise error


def _rmtsim(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "rmtsim", *arguments], text=True, check=False, **options)


def test_a_full_standard_output_is_reported():
    with open("/dev/full", "w") as full:
        done = _rmtsim("claims", "dong.eq5", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "rmtsim: error: standard output cannot be written: no space left on device"
    ]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_terminal_that_knows_ascii_only_gets_everything(more):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = _rmtsim("claims", "dong.thm1.ratio", *more, env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2192" in done.stdout
    if more:
        assert "→" in json.loads(done.stdout)[0]["statement"]


def test_ctrl_c_while_starting_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(cli, "_parser", lambda words: _raise(KeyboardInterrupt()))
    assert run(capsys, "claims") == (130, "", "rmtsim: error: interrupted\n")
    # A shell that starts the tests in the background lets them ignore the signal.
    slow = "def wait(words): print('up', flush=True); time.sleep(60)"
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"import signal, sys, time, rmtsim.cli as cli\n{heard}\n{slow}\ncli._parser = wait\nsys.exit(cli.main([]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, len(err.splitlines())) == (130, 1)


def test_without_a_home_there_is_no_default_store_and_work_goes_on(capsys, monkeypatch, file):
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: _raise(RuntimeError("Could not determine home directory.")))
    code, out, err = run(capsys, "verify", f"{file}::mine.quick", "--budget", "0.02")
    assert code == 0
    assert "mine.quick" in out
    assert "nothing will be kept" in err
    code, _, err = run(capsys, "runs")
    assert (code, "HOME is not set" in err) == (1, True)


def test_memory_limits_of_process_and_container_are_seen(monkeypatch, tmp_path):
    monkeypatch.setattr("resource.getrlimit", lambda kind: (2**33, 2**33))
    assert 0 < validate._address_space() < 2**33
    monkeypatch.undo()
    (tmp_path / "max").write_text(f"{2**30}\n")
    (tmp_path / "now").write_text(f"{2**29}\n")
    monkeypatch.setattr(
        validate, "_group_files", lambda: iter([(str(tmp_path / "max"), str(tmp_path / "now"))])
    )
    assert validate._container_memory() == 2**29
    with pytest.raises(errors.MemoryLimitError, match=r"0\.5 GiB are available"):
        validate.memory(2**30, "a matrix")
    (tmp_path / "max").write_text("max\n")
    assert validate._container_memory() == math.inf


def test_an_address_space_limit_is_reported_in_one_line():
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000));"
    code = limit + "import sys; from rmtsim.cli import main; sys.exit(main(sys.argv[1:]))"
    command = ["law", "semicircle", "--sample", "15000", "--plot", "/dev/shm/rmtsim-test.png"]
    done = subprocess.run([sys.executable, "-c", code, *command], text=True, check=False, capture_output=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "memory" in done.stderr


@pytest.mark.parametrize(
    "content",
    [None, "{}", "[", '{"address": 5}', "[[[["],
    ids=["absent", "no address", "cut", "number", "deep"],
)
def test_a_scheduler_file_without_a_scheduler_is_reported_at_once(tmp_path, content, monkeypatch):
    """The command must return, not wait."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_pool, "_CONNECT_SECONDS", 1)
    path = tmp_path / "scheduler.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(errors.ExecutorError, match="--dask"):
        dask_pool.connect(str(path))


def test_workers_without_rmtsim_are_reported_at_once():
    class Client:
        def run(self, function, on_error):
            return {
                "tcp://a:1": ModuleNotFoundError("No module named 'rmtsim'"),
                "tcp://b:2": OSError("died"),
            }

    with pytest.raises(errors.ExecutorError, match="tcp://a:1 cannot run rmtsim"):
        next(dask_pool.DaskPool(Client()).completed(keys(batches=1)))


def test_a_worker_that_dies_during_a_request_is_no_failure():
    class Client:
        def run(self, function, on_error):
            return {"tcp://a:1": function(), "tcp://b:2": OSError("Timed out")}

    assert len(dask_pool.DaskPool(Client()).environments()) == 1


@pytest.mark.parametrize("ending", [".npy", ".csv", ".txt"])
def test_profiles_that_are_no_arrays_are_reported(capsys, tmp_path, ending):
    path = tmp_path / f"profile{ending}"
    for content in (
        b"",
        b"\x93NUMPY\x01\x00\xff\xff{'descr'",
        b"\x93NUMPY\x09",
        b"a,b\nc",
        b"1,2\n3",
        bytes(200),
    ):
        path.write_bytes(content)
        code, out, err = run(capsys, "law", "dyson", "--variances", path)
        assert (code, out) == (2, "")
        assert "--variances" in err or "profile" in err
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    assert run(capsys, "law", "dyson", "--variances", tmp_path / "objects.npy")[0] == 2


def test_figures_of_similar_names_are_two_files(tmp_path):
    base = claim("x.y", lambda size, rng: 0.0, limit=0.0, tolerance=0.1, sizes=(1, 2, 4))

    def named(name):
        return Claim(**{**vars(base), "id": name})

    paths = _figure_paths(str(tmp_path), [named("x/y"), named("x-y"), named("a/b")], ["png", "svg"])
    assert len({path for both in paths.values() for path in both}) == 6
    assert [path.name for path in paths["a/b"]] == ["a-b.png", "a-b.svg"]


def test_kept_batches_are_reported_correctly():
    class Broken(Pool):
        def environments(self):
            return set()

        def completed(self, wanted):
            yield None
            raise errors.ExecutorError("the workers are gone")

        def close(self):
            pass

    with pytest.raises(errors.ExecutorError, match="gone; nothing is kept without a store"):
        list(StoredRunner(Broken()).run(keys(batches=1)))


def test_errors_may_hold_any_characters(capsys):
    """Names with halves of characters or escapes come back as escapes."""
    code, _, err = run(capsys, "predict", "no.such\udcff\x1b[2J")
    assert code == 2
    assert "\x1b" not in err
    with contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO(), encoding="ascii")):
        assert main(["predict", "nö.such"]) == 2
