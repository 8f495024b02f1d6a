"""What every study script shares: a measuring step that writes data, a drawing step that reads them.

rmtsim study NAME               measure, then draw
rmtsim study NAME -- measure    only write NAME.json (and NAME.csv)
rmtsim study NAME -- draw       only redraw NAME.png from the data
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent / "out"


def positive_integer(text: str) -> int:
    """An option's value that must be a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected an integer >= 1")
    return number


def run(
    name: str,
    description: str,
    measure: Callable[[argparse.Namespace], Mapping[str, Any]],
    draw: Callable[[Mapping[str, Any], Path], None],
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    words: Sequence[str] | None = None,
) -> None:
    """Command line of one study; ``measure`` returns JSON-able data, its list of dicts ``rows`` also goes to CSV.

    ``words`` stand in for the command line.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("step", nargs="?", choices=("measure", "draw"), help="only this step (default: both)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for data and figures")
    options(parser)
    arguments = parser.parse_args(words)
    arguments.out.mkdir(parents=True, exist_ok=True)
    data_path = arguments.out / f"{name}.json"
    if arguments.step != "draw":
        data = measure(arguments)
        data_path.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        rows = data.get("rows", [])
        if rows:
            with open(arguments.out / f"{name}.csv", "w", newline="", encoding="utf-8") as handle:
                writer = csv.DictWriter(handle, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        print(f"wrote {data_path}")
    if arguments.step != "measure":
        if not data_path.exists():
            parser.error(f"{data_path} does not exist: run the measure step first")
        figure_path = arguments.out / f"{name}.png"
        draw(json.loads(data_path.read_text(encoding="utf-8")), figure_path)
        print(f"wrote {figure_path}")
