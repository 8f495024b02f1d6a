"""A store of finished runs, from which an interrupted study is resumed, and summaries of runs.

Every run is a pure function of its setting (seed included) and is written as a line of NAME.runs.jsonl as soon as it is
done. Delete the file after a change of the code that computes a run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


class FinishedRuns:
    """Results by setting, in one file of lines."""

    def __init__(self, out: Path, name: str) -> None:
        self._path = out / f"{name}.runs.jsonl"
        self._done: dict[str, Any] = {}
        if not self._path.exists():
            return
        text = self._path.read_text(encoding="utf-8")
        for line in text.splitlines():
            try:
                item = json.loads(line)
                self._done[_key(item["setting"])] = item["result"]
            except (ValueError, KeyError, TypeError):
                continue  # a line that was cut off by a crash
        if text and not text.endswith("\n"):
            with open(self._path, "a", encoding="utf-8") as handle:
                handle.write("\n")

    def result(self, setting: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
        """What ``compute`` returns at this setting, from the store if it has it."""
        key = _key(setting)
        if key not in self._done:
            found = compute()
            with open(self._path, "a", encoding="utf-8") as handle:
                handle.write(json.dumps({"setting": dict(setting), "result": found}, allow_nan=False) + "\n")
            self._done[key] = found
        return self._done[key]


def _key(setting: Mapping[str, Any]) -> str:
    return json.dumps(dict(setting), sort_keys=True)


def summary(name: str, values: np.ndarray) -> dict[str, float]:
    """Mean, two standard errors of it (0 for a single run) and range of the runs at one point."""
    error = 2 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return {
        name: float(values.mean()),
        f"{name} error": error,
        f"{name} low": float(values.min()),
        f"{name} high": float(values.max()),
    }


def slope_of_means(
    sizes: Sequence[int], values: Sequence[np.ndarray], rng: np.random.Generator
) -> tuple[float, float]:
    """Least-squares slope of log mean against log size, and two standard errors of it over resampled runs.

    Values are not negative, with positive means; a resampling in which a size has zeros alone has no logarithm and is
    left out.
    """
    if len(sizes) < 2:
        return 0.0, 0.0
    logs = np.log(sizes)

    def fitted(chosen: Sequence[np.ndarray]) -> float:
        return float(np.polyfit(logs, [np.log(each.mean()) for each in chosen], 1)[0])

    drawn = [[rng.choice(each, each.size) for each in values] for _ in range(400)]
    again = [fitted(chosen) for chosen in drawn if all(each.any() for each in chosen)]
    return fitted(values), 2 * float(np.std(again))
