"""Time that replay adds to `rmtsim verify --quick` with all batches in the store.

    python benchmarks/replay.py [--paper textbook] [--rounds 2]

The quick set is run cold, then from the store with and without replay in turn. Processor time includes workers.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

WITHOUT = "import rmtsim.runs._runner as runner; runner.chosen = lambda *_: []; "
COMMAND = "import sys; from rmtsim.cli import main; sys.exit(main(sys.argv[1:]))"


def run(words: list[str], before: str = "") -> tuple[tuple[float, float], str]:
    """Wall and processor seconds of a command, and its line of totals."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    started, used = time.monotonic(), spent()
    done = subprocess.run(
        [sys.executable, "-c", before + COMMAND, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    total = next(line for line in done.stdout.splitlines() if " claims in " in line)
    return (time.monotonic() - started, spent() - used), total


def main() -> None:
    """Run all and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", default=None)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = ["verify", *([options.paper] if options.paper else []), "--quick", "--quiet"]
        words += ["--store", os.path.join(folder, "runs.sqlite")]
        cold = run(words)
        rounds = [(run(words), run(words, WITHOUT)) for _ in range(options.rounds)]
    rows = [("cold", cold)]
    rows += [each for pair in rounds for each in zip(("replay", "no replay"), pair, strict=True)]
    for name, ((wall, used), total) in rows:
        print(f"{name:10} {wall:7.1f} s of wall time {used:7.1f} s of processor time  {total}")
    for place, kind in enumerate(("wall", "processor")):
        added = min(one[0][place] for one, _ in rounds) - min(other[0][place] for _, other in rounds)
        print(f"replay adds {added:.1f} s of {kind} time, {100 * added / cold[0][place]:.1f} % of a cold run")


if __name__ == "__main__":
    main()
