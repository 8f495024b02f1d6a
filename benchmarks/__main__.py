"""Measure rmtsim beside alternatives and lower limits, with default threads and with one; write data, table, figure.

    python -m benchmarks                       every row and command: benchmarks/results.json, docs/benchmarks.md
    python -m benchmarks --rows energies       rows and groups whose name contains a pattern
    python -m benchmarks --quick               smaller sizes, fewer repeats
    python -m benchmarks --list                names of rows and commands
    python -m benchmarks --page                docs/benchmarks.md and its figure from the data, without measuring

Run it from a checkout. A run with a pattern replaces the rows that it measures and keeps the others.
"""

from __future__ import annotations

import argparse
import datetime
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import growth, page
from benchmarks.commands import COMMANDS
from benchmarks.commands import measure as measure_command
from benchmarks.measure import chosen, in_process, measure
from benchmarks.rows_laws import ROWS as LAWS
from benchmarks.rows_models import ROWS as MODELS
from benchmarks.rows_networks import ROWS as NETWORKS

ROWS = [*MODELS, *NETWORKS, *LAWS]


def worker(seconds: float, names: list[str]) -> None:
    """Measure rows in this process; a line of JSON for each."""
    known = {row.name: row for row in ROWS}
    for name in names:
        try:
            found = measure(known[name], seconds)
        except Exception as error:  # one row that fails, or sides that differ, must not cost the others
            found = {"name": name, "missing": f"FAILED: {error!r:.300}"}
        print(json.dumps(found), flush=True)


def run(pattern: str | None, quick: bool, path: Path) -> dict[str, Any]:
    """All measurements of a run, merged into the data of earlier ones."""
    from benchmarks.common import machine

    seconds = 0.3 if quick else 1.5
    rows = chosen(ROWS, pattern, quick)
    today = datetime.date.today().isoformat()
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results = {one["name"]: one for one in before.get("rows", [])}
    commands = {one["name"]: one for one in before.get("commands", [])}

    order = {row.name: place for place, row in enumerate(ROWS)}

    def kept() -> dict[str, Any]:
        """Write what is known so far: a run that is stopped keeps its finished groups."""
        known = [one for one in results.values() if one["name"] in order]
        data = {
            **before,
            "machine": machine(),
            "rows": sorted(known, key=lambda one: order[one["name"]]),
            "commands": [commands[name] for name in COMMANDS if name in commands],
        }
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return data

    for group in dict.fromkeys(row.group for row in rows):
        names = [row.name for row in rows if row.group == group]
        start = time.perf_counter()
        both = {threads: in_process(names, threads, seconds) for threads in ("default", "one")}
        for default, one in zip(both["default"], both["one"], strict=True):
            missing = default.get("missing") or one.get("missing")
            if missing:
                print(f"{default['name']}: {missing}")
                continue
            shown = {key: value for key, value in default.items() if key != "times"}
            results[default["name"]] = {
                **shown,
                "default": default["times"],
                "one": one["times"],
                "date": today,
            }
        kept()
        print(f"{group}: {len(names)} rows, {time.perf_counter() - start:.0f} s", flush=True)
    for name in COMMANDS:
        if (pattern is None or pattern in name or pattern in "commands") and not (
            quick and "--quick" in name
        ):
            commands[name] = {**measure_command(name), "date": today}
            kept()
            print(
                f"rmtsim {name}: {commands[name]['cold']:.1f} s cold, {commands[name]['warm']:.1f} s warm",
                flush=True,
            )
    return kept()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", metavar="PATTERN", help="part of the names of rows, groups or commands")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repeats")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument(
        "--page", action="store_true", help="write the pages and the figure from the data, without measuring"
    )
    parser.add_argument(
        "--json", type=Path, default=page.DATA, metavar="FILE", help="data (default: benchmarks/results.json)"
    )
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(float(options.worker[0]), options.worker[1:])
    elif options.list:
        for row in chosen(ROWS, options.rows, options.quick):
            print(f"{row.name:26} {row.group}: {row.what}")
        for name in COMMANDS:
            print(f"{name:26} command, cold and warm")
    elif options.page:
        data = json.loads(options.json.read_text(encoding="utf-8"))
        _write(data)
    else:
        data = run(options.rows, options.quick, options.json)
        print(page.tables(ROWS, data))
        if options.json == page.DATA:
            _write(data)


def _write(data: Mapping[str, Any]) -> None:
    """The pages and the figure."""
    page.write(ROWS, data)
    growth.draw(ROWS, data, page.FIGURE)


if __name__ == "__main__":
    main()
