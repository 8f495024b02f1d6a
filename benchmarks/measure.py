"""Rows of the benchmark: what is compared, timed side by side in one process, and the fit of growth with size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

import numpy as np

_LONG = 2.0
"""A call of so many seconds is not repeated."""

SIDES = ("rmtsim", "alternative", "floor")


@dataclass(frozen=True)
class Sides:
    """Functions of one row, or seconds that were measured in another process; ``scale`` multiplies measured times."""

    rmtsim: Callable[[], Any] | float
    alternative: Callable[[], Any] | float | None = None
    floor: Callable[[], Any] | None = None
    scale: Mapping[str, float] = field(default_factory=dict)
    size: float | None = None
    """Abscissa in a figure of growth, if it is not the size that the row names."""


@dataclass(frozen=True)
class Row:
    """One comparison. ``prepare`` imports and builds what the row needs and raises ImportError without a peer."""

    name: str
    group: str
    what: str
    prepare: Callable[[], Sides]
    alternative: str = ""
    floor: str = ""
    quick: bool = True
    series: tuple[str, float] | None = None
    """Figure of growth that the row belongs to, and its size there."""


def in_turn(functions: Mapping[str, Callable[[], Any]], seconds: float) -> dict[str, tuple[float, float]]:
    """{name: (wall, processor)}: least seconds of a call. All are called in turn, so that they meet the same load.

    The first round warms up, unless a call takes more than two seconds: then that one counts. A short function is
    repeated within a round. A function that has taken its share of ``seconds`` is left out of further rounds.
    """
    found: dict[str, tuple[float, float]] = {}
    calls, spent, counts = (
        dict.fromkeys(functions, 1),
        dict.fromkeys(functions, 0.0),
        dict.fromkeys(functions, 0),
    )
    share = seconds / len(functions)
    while True:
        waiting = [
            name for name in functions if name not in found or (counts[name] < 60 and spent[name] < share)
        ]
        if not waiting:
            return found
        for name in waiting:
            wall, processor = time.perf_counter(), time.process_time()
            for _ in range(calls[name]):
                functions[name]()
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            counts[name] += 1
            if counts[name] == 1 and wall < _LONG:
                calls[name] = max(1, min(1000, int(2e-3 / max(wall, 1e-7))))
                continue
            spent[name] += wall
            each = wall / calls[name], processor / calls[name]
            found[name] = tuple(map(min, zip(each, found.get(name, each), strict=True)))  # type: ignore[assignment]


def measure(row: Row, seconds: float) -> dict[str, Any]:
    """Wall and processor seconds of the sides of a row; a peer that is missing is named."""
    try:
        sides = row.prepare()
    except ImportError as error:
        return {"name": row.name, "missing": str(error)}
    given = {name: getattr(sides, name) for name in SIDES if getattr(sides, name) is not None}
    found = in_turn({name: side for name, side in given.items() if callable(side)}, seconds)
    times = {
        name: [each * sides.scale.get(name, 1.0) for each in found.get(name, (side, side))]
        for name, side in given.items()
    }
    size = sides.size if sides.size is not None else (row.series[1] if row.series else None)
    return {"name": row.name, "times": times} | ({} if size is None else {"size": size})


def agree(one: Any, two: Any, tolerance: float = 1e-6) -> None:
    """Both sides of a row compute the same."""
    assert np.allclose(one, two, rtol=tolerance, atol=tolerance * float(np.abs(two).max()))


def chosen(rows: Sequence[Row], pattern: str | None, quick: bool) -> list[Row]:
    """Rows whose name or group matches."""
    return [
        row
        for row in rows
        if (row.quick or not quick)
        and (pattern is None or fnmatch(row.name, f"*{pattern}*") or fnmatch(row.group, f"*{pattern}*"))
    ]


THREADS = {
    "default": {},
    "one": {
        **dict.fromkeys(
            ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
        ),
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    },
}
"""Environment variables of the two settings; libraries read them when they are loaded."""


def in_process(names: Sequence[str], threads: str, seconds: float) -> list[dict[str, Any]]:
    """Measure rows in a new process with a setting of threads."""
    environment = {name: value for name, value in os.environ.items() if name not in THREADS["one"]}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--worker", str(seconds), *names],
        env=environment | THREADS[threads],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def peer(variable: str, code: str, task: Mapping[str, Any], patience: float = 60) -> list[Any]:
    """What the interpreter named by an environment variable prints for a task as the last line, read as JSON."""
    python = os.environ.get(variable)
    if python is None:
        raise ImportError(f"{variable} names no interpreter")
    done = subprocess.run(
        [python, "-c", code],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=True,
        timeout=patience,
    )
    return list(json.loads(done.stdout.splitlines()[-1]))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Slope of log seconds against log size over the upper half of the sizes (three at least), and its error.

    >>> slope, error = exponent((1, 2, 4, 8, 16), (1, 4, 16, 64, 256))
    >>> round(slope, 9), round(error, 9)
    (2.0, 0.0)
    """
    x, y = np.log(np.asarray(sizes, dtype=float)), np.log(np.asarray(seconds, dtype=float))
    kept = max(3, (len(x) + 1) // 2)
    x, y = x[-kept:] - x[-kept:].mean(), y[-kept:] - y[-kept:].mean()
    slope = float(x @ y / (x @ x))
    return slope, float(np.sqrt(np.square(y - slope * x).sum() / max(1, kept - 2) / (x @ x)))
