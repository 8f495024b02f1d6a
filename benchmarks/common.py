"""Timing, the machine's description and a Markdown table: what every benchmark prints."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import rmtsim


def machine() -> str:
    model = "unknown CPU"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return (
        f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, rmtsim {rmtsim.__version__}"
    )


def seconds(
    function: Callable[[], Any], *, repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Best of ``repeats`` after one warm-up call that is not counted.

    ``clock=time.process_time`` counts all threads together, so that more threads are no advantage.
    """
    function()
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        function()
        best = min(best, clock() - start)
    return best


def report(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows as a Markdown table, and write them where ``--json`` says."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    arguments = parser.parse_args()
    print(f"## {title}\n\n{machine()}\n")
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()) + " |")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "rows": list(rows)}, indent=1) + "\n")
