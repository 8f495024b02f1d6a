"""Tables of docs/benchmarks.md and docs/cluster.md from the data of runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import growth
from benchmarks.measure import Row

DATA = Path(__file__).with_name("results.json")
_DOCS = Path(__file__).parents[1] / "docs"
PAGES = _DOCS / "benchmarks.md", _DOCS / "cluster.md"
FIGURE = _DOCS / "figures" / "benchmark_scaling.png"
_MARKS = "<!-- data: {} -->", "<!-- end -->"


def time_of(seconds: float) -> str:
    """Three digits with a unit.

    >>> time_of(0.00123), time_of(12.34), time_of(45678.0)
    ('1.23 ms', '12.3 s', '4.57e+04 s')
    """
    for unit, factor in (("µs", 1e6), ("ms", 1e3), ("s", 1.0)):
        if seconds * factor < 1000 or unit == "s":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def ratio_of(value: float) -> str:
    """Two digits, whole numbers from ten on."""
    return f"{value:.2g}" if value < 9.95 else f"{float(f'{value:.2g}'):,.0f}".replace(",", " ")


def rows_table(rows: Sequence[Row], data: Mapping[str, Any]) -> str:
    """One line for each row: default threads; one thread."""
    known = {one["name"]: one for one in data["rows"]}
    lines = [
        "| what | alternative | rmtsim | ratio | floor | rmtsim / floor | date |",
        "|---|---|---|---|---|---|---|",
    ]
    for group in dict.fromkeys(row.group for row in rows):
        of = [row for row in rows if row.group == group and row.name in known]
        if of:
            lines.append(f"| **{group}** | | | | | | |")
        for row in of:
            result = known[row.name]
            sides = [result[threads] for threads in ("default", "one")]
            ours = "; ".join(time_of(side["rmtsim"][0]) for side in sides)
            ratio, above = (
                "; ".join(found)
                if (
                    found := [
                        ratio_of(side[top][0] / side[bottom][0])
                        for side in sides
                        if top in side and bottom in side
                    ]
                )
                else ""
                for top, bottom in (("alternative", "rmtsim"), ("rmtsim", "floor"))
            )
            lines.append(
                f"| {row.what} | {row.alternative} | {ours} | {ratio} | {row.floor} | {above} | {result['date'][8:]} |"
            )
    return "\n".join(lines)


def commands_table(data: Mapping[str, Any]) -> str:
    """Cold and warm seconds of commands."""
    lines = ["| command | cold | warm | date |", "|---|---|---|---|"]
    for one in data["commands"]:
        lines.append(
            f"| `{one['command']}` | {time_of(one['cold'])} | {time_of(one['warm'])} | {one['date'][8:]} |"
        )
    return "\n".join(lines)


def record(part: str, found: Mapping[str, Any]) -> None:
    """Keep results of a script of their own among the data of the page."""
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    data[part] = {**data.get(part, {}), **found}
    DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def large_table(data: Mapping[str, Any]) -> str:
    """Ladders of large sizes: the largest rung, and powers of time and memory."""
    lines = [
        "| task | sizes | largest: time | memory | result | power of time (large sizes) | power of memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for ladder in data.get("large", {}).values():
        rows = ladder["rows"]
        last = rows[-1]
        powers = [
            f"{ladder['fits'][key][0]:.2f} ± {ladder['fits'][key][1]:.2f} ({ladder['powers'][key]:g})"
            for key in ("seconds", "peak")
        ]
        sizes = " … ".join(f"{row['size']:,}".replace(",", " ") for row in (rows[0], last))
        errors = [row["error"] for row in rows if "error" in row]
        words = last["evidence"] + (
            f"; error of single precision at most {max(errors):.0e}" if errors else ""
        )
        lines.append(
            f"| {ladder['what']} | {ladder['axis']} {sizes} | {time_of(last['seconds'])} | "
            f"{last['peak'] / 1e9:.2g} GB | {words} | {' | '.join(powers)} |"
        )
    return "\n".join(lines)


def costs_table(data: Mapping[str, Any]) -> str:
    """Quantiles of declared and of piloted over measured costs."""
    lines = [
        "| paper | claims | declared / measured: 5 %, 50 %, 95 % | pilot / measured: 5 %, 50 %, 95 % |",
        "|---|---|---|---|",
    ]
    for paper, one in data.get("costs", {}).items():
        cells = (", ".join(f"{each:.2g}" for each in one[key]) for key in ("declared", "pilot"))
        lines.append(f"| {paper} | {one['claims']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def samplers_table(data: Mapping[str, Any]) -> str:
    """Time of samplers over that of their random numbers and BLAS."""
    lines = [
        "| paper | claims and sizes | within 2 | ratio: 25 %, 50 %, 75 %, 95 % |",
        "|---|---|---|---|",
    ]
    for paper, one in data.get("samplers", {}).items():
        cells = ", ".join(f"{each:.2g}" for each in one["quantiles"])
        lines.append(f"| {paper} | {one['draws']} | {100 * one['within']:.0f} % | {cells} |")
    return "\n".join(lines)


def cluster_text(data: Mapping[str, Any]) -> str:
    """Efficiency on a cluster: measured, and modelled beyond."""
    lines = [
        "| claims | workers | seconds | work | batches | coordinator / work | efficiency |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in data.get("cluster", {}).items():
        for one in found["runs"]:
            shares = one["coordinator"] / one["work"], one["work"] / one["wall"] / one["workers"]
            lines.append(
                f"| {found['claims']} of {name} | {one['workers']} | {one['wall']:.0f} | {one['work']:.0f} s | "
                f"{one['batches']} | {100 * shares[0]:.2g} % | {shares[1]:.2f} |"
            )
    for name, found in data.get("cluster", {}).items():
        each = found["per_batch"]
        numbers = ", ".join(f"{value:.2f} at {workers}" for workers, value in found["model"].items())
        lines += [
            "",
            f"Modelled efficiency for {name} ({1e3 * each['work']:.0f} ms of work, {1e3 * each['overhead']:.0f} ms of "
            f"overhead and {1e3 * each['coordinator']:.1f} ms of the coordinator per batch): {numbers} workers.",
        ]
    return "\n".join(lines)


def parts(rows: Sequence[Row], data: Mapping[str, Any]) -> dict[str, str]:
    """Text of every part of the page that is made from data."""
    return {
        "rows": rows_table(rows, data),
        "commands": commands_table(data),
        "growth": growth.table(rows, data["rows"]),
        "large": large_table(data),
        "costs": costs_table(data),
        "samplers": samplers_table(data),
        "cluster": cluster_text(data),
        "machine": data["machine"] + ".",
    }


def tables(rows: Sequence[Row], data: Mapping[str, Any]) -> str:
    """All of them, for a terminal."""
    return "\n\n".join(parts(rows, data).values())


def filled(text: str, made: Mapping[str, str]) -> str:
    """A page with its parts written again."""
    for name, part in made.items():
        begin, end = _MARKS[0].format(name), _MARKS[1]
        whole = f"{begin}\n{part}\n{end}"
        text = re.sub(
            f"{re.escape(begin)}\n.*?{re.escape(end)}", lambda _, whole=whole: whole, text, flags=re.S
        )
    return text


def write(rows: Sequence[Row], data: Mapping[str, Any]) -> None:
    """Fill the pages."""
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8"), parts(rows, data)), encoding="utf-8")
