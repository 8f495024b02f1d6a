"""Hostile command lines: every input gives an answer or one line with the error, never a traceback.

``python -m tests.hostile.fuzz_commands --inputs 5000 --seed 0`` prints every failure; exit code 1 if there is one.
Commands run in this process, so that thousands of them are affordable.
"""

import argparse
import contextlib
import io
import random
import signal
import sys
import tempfile
import warnings
from pathlib import Path

from rmtsim.cli import main as rmtsim
from tests.hostile.fuzz_functions import CORE_SECONDS, TooLongError

CLAIMS = """
import sys
import numpy as np
from rmtsim.claims import claim
@claim("fuzz.quick", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def quick(size, rng):
    return rng.normal() / size
@claim("fuzz.exits", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def exits(size, rng):
    sys.exit(0)
@claim("fuzz.raises", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def raises(size, rng):
    raise BaseException("no exception")
@claim("fuzz.prints", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def prints(size, rng):
    print("\\x1b[2Jloud")
    return rng.normal() / size
@claim("fuzz.nan", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def nan(size, rng):
    return float("nan")
@claim("fuzz.text", limit=0.0, tolerance=0.5, sizes=(4, 8, 16), cost=1e-4)
def text(size, rng):
    return "x"
"""
FILES = {
    "good.py": CLAIMS,
    "exit.py": "import sys\nsys.exit(0)\n",
    "base.py": "raise BaseException('no')\n",
    "syntax.py": "def f(:\n",
    "grid.py": CLAIMS.replace("cost=1e-4", "cost=1e-4, grid=5", 1),
    "statement.py": CLAIMS.replace("cost=1e-4", "cost=1e-4, statement=5", 1),
    "escape.py": CLAIMS.replace("cost=1e-4", "cost=1e-4, statement='\\\\x1b[2J'", 1),
    "infinite.py": CLAIMS.replace("tolerance=0.5", "tolerance=float('inf')", 1),
    "empty.py": "",
    "binary.py": "\x00\x01",
    "noise.csv": "1,2\n3\n",
    "text.csv": "a,b\nc,d\n",
    "short.npy": "\x93NUMPY\x01\x00\xff\xff{'descr'",
    "huge.npy": "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (999999999, 999999999), }"
    + " " * 36
    + "\n",
    "objects.npy": "\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }"
    + " " * 52
    + "\n",
    "store.sqlite": "SQLite format 3\x00 broken",
    "scheduler.json": "{}",
}
WORDS = [
    "", " ", "-", "--", "nan", "inf", "-inf", "1e400", "-1", "0", "1", "0.5", "3", "5%", "-5%", "1,2,3", "1,,2", "γ",
    "\x1b[2J", "a b", "\u202eabc", "dong.thm1.diagonal", "dong.thm1.ratio", "dong.eq5", "no.such", "dong", "good.py",
    "good.py::fuzz.quick", "good.py::no", "good.py::", "exit.py", "base.py", "syntax.py", "grid.py", "statement.py",
    "escape.py", "infinite.py", "empty.py", "binary.py", "/", "/proc/self/mem", "/dev/null/x", "absent.sqlite",
    "store.sqlite", "real.sqlite", "noise.csv", "text.csv", "short.npy", "huge.npy", "objects.npy", "gamma=1",
    "classes=3", "gamma=nan", "gamma=-1", "classes=1e300", "gamma", "=", "size=x", "size=100", "2" * 400,
    "scheduler.json", "nosuch.json", "out.png", "out.txt", "/nonexistent/out.png", "csv", "json",
]  # fmt: skip
COMMANDS = [
    ["claims"],
    ["claims", "--paper"],
    ["claims", "good.py"],
    ["predict", "dong.thm1.diagonal"],
    ["predict", "dong.thm1.ratio", "--set"],
    ["predict"],
    ["law", "mp", "--ratio", "0.5"],
    ["law", "mp", "--ratio"],
    ["law", "semicircle", "--variance"],
    ["law", "generalized-mp", "--ratio", "0.5", "--atoms"],
    ["law", "dyson", "--profile", "wigner"],
    ["law", "dyson", "--variances"],
    ["law", "mp", "--ratio", "0.5", "--table"],
    ["law", "mp", "--ratio", "0.5", "--moments"],
    ["runs", "--store", "real.sqlite"],
    ["runs", "--store"],
    ["runs", "show", "--store", "real.sqlite"],
    ["runs", "cost", "--store", "real.sqlite", "--at"],
    ["runs", "export", "--store", "real.sqlite", "--format"],
    ["runs", "check", "--store"],
    ["runs", "prune", "--store", "real.sqlite", "--older-than"],
    ["runs", "salvage", "--store", "store.sqlite"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--quiet"],
    ["verify", "good.py::fuzz.exits", "--budget", "0.02", "--no-store", "--quiet"],
    ["verify", "good.py::fuzz.raises", "--budget", "0.02", "--no-store", "--quiet"],
    ["verify", "good.py::fuzz.prints", "--budget", "0.02", "--no-store", "--quiet", "--json"],
    ["verify", "good.py::fuzz.nan", "--budget", "0.02", "--no-store", "--quiet"],
    ["verify", "good.py::fuzz.text", "--budget", "0.02", "--no-store", "--quiet"],
    ["verify", "good.py::fuzz.quick", "--budget"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--level"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--draw"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--seed"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--draw"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--set"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--store"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--dask", "scheduler.json"],
    ["verify", "good.py::fuzz.quick", "--budget", "0.02", "--no-store", "--dask", "nosuch.json"],
    ["verify", "dong.thm1.diagonal-limit", "--budget", "0.02", "--no-store"],
    [],
]  # fmt: skip


def prepare(folder):
    """The files that command lines name, in a folder that becomes the current one."""
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode("latin-1", errors="replace"))
    with _silence():
        rmtsim(["verify", "good.py::fuzz.quick", "--budget", "0.05", "--store", "real.sqlite", "--quiet"])


@contextlib.contextmanager
def _silence():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def command_line(number, seed):
    """One seeded command line: a command with words after it, or with one of its words replaced."""
    rng = random.Random(f"{seed} {number}")
    words = list(COMMANDS[number % len(COMMANDS)])
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        if words and rng.random() < 0.15:
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        else:
            words.append(rng.choice(WORDS))
    if rng.random() < 0.2 and words and words[0] in ("claims", "predict", "law", "verify"):
        words.append("--json")
    if words[:1] == ["verify"] and not {"--budget", "--help"} & set(words):
        words += ["--budget", "0.02", "--no-store"]
    if words[:1] == ["verify"] and (len(words) < 2 or words[1].startswith("-")):
        words.insert(
            1, "good.py::fuzz.quick"
        )  # all claims of all papers are no hostile input, only a long one
    return words


def try_once(words):
    """What is wrong with how a command line is answered; None if nothing."""
    signal.setitimer(signal.ITIMER_PROF, CORE_SECONDS)
    try:
        with warnings.catch_warnings(), _silence() as (out, err):
            warnings.simplefilter("ignore")
            try:
                code = rmtsim(words)
            except SystemExit as error:  # argparse: help, or bad usage
                code = error.code
        signal.setitimer(signal.ITIMER_PROF, 0)
    except TooLongError:
        return "hang"
    except BaseException as error:
        return f"traceback: {type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    told, complaints = out.getvalue(), [line for line in err.getvalue().splitlines() if "error:" in line]
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if "internal error" in err.getvalue():
        return complaints[-1][:200]
    # A run of several claims names each one that failed, on a line of its own.
    failed = {line.split("error: ")[1].split(":")[0] for line in complaints}
    if code and (
        not complaints or (len(complaints) > 1 and not all(each.startswith("fuzz.") for each in failed))
    ):
        return f"exit code {code} with {len(complaints)} lines of error: {err.getvalue()[-200:]!r}"
    if "\x1b" in told + "".join(complaints) or "\u202e" in told + "".join(complaints):
        return "an escape reaches the terminal"
    if code and len(complaints[0]) < 40:
        return f"says little: {complaints[0]}"
    return None


def run(inputs, seed=0, start=0):
    """All failures of ``inputs`` trials."""
    before = signal.signal(signal.SIGPROF, lambda number, frame: (_ for _ in ()).throw(TooLongError))
    failures = []
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        prepare(Path(name))
        for number in range(start, start + inputs):
            words = command_line(number, seed)
            problem = try_once(words)
            if problem is not None:
                failures.append(f"rmtsim {' '.join(map(repr, words))[:300]}: {problem}")
    signal.signal(signal.SIGPROF, before)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = run(options.inputs, options.seed)
    sys.stdout.write(
        "\n".join([*failures, f"{options.inputs} command lines, {len(failures)} failures"]) + "\n"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
