"""What the three studies of sparse share: one training run, its store, and the sizes of the thesis.

Every run is a pure function of its setting and seed, and is written as a line of NAME.runs.jsonl as soon as it is
done, so that an interrupted study can be resumed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.sparse import simulation as dictionaries

ALGORITHMS = ("baseline", "masking")
STARTS = ("samples", "local")
FULL = {"samples": 1000, "epochs": 500, "batch": 200, "rate": 1e-3, "runs": 5}
"""Section 2.4 of the thesis."""
REDUCED = {"samples": 400, "epochs": 300, "batch": 80, "rate": 2e-3, "runs": 5}
"""Five batches an epoch, as in the thesis; fewer steps, each twice as long."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="sizes, samples and epochs of the thesis (hours)")
    parser.add_argument("--runs", type=harness.positive_integer, help="training runs per point")
    parser.add_argument("--epochs", type=harness.positive_integer, help="passes over the samples")
    parser.add_argument("--seed", type=int, default=0)


def budget(arguments: argparse.Namespace) -> dict[str, Any]:
    """Samples, epochs, batch, rate and runs that the options ask for."""
    chosen = dict(FULL if arguments.full else REDUCED)
    for name in ("runs", "epochs"):
        if getattr(arguments, name) is not None:
            chosen[name] = getattr(arguments, name)
    return chosen


def one_run(setting: Mapping[str, Any]) -> dict[str, float]:
    """Train once; the cosine distance (1/p) Σ (1 - max_j |⟨A_i, B_j⟩|), half of d_R, before and after."""
    d, p, k = setting["dimension"], setting["atoms"], setting["sparsity"]
    words = {name: setting[name] for name in ("atoms", "sparsity", "learned", "noise")}
    data = stream(setting["seed"], "study.sparse.data", words, d, setting["run"])
    truth = dictionaries.draw_dictionary(d, p, data)

    def drawn(count: int) -> np.ndarray:
        codes = dictionaries.draw_codes(count, p, k, data, magnitudes="unit-norm")
        return dictionaries.draw_measurements(truth, codes, setting["noise"], data)

    rows, extra = drawn(setting["samples"]), drawn(setting["learned"])
    start = dictionaries.initial_dictionary(truth, extra, setting["learned"], setting["start"])
    visible = d - max(1, d // 10) if setting["algorithm"] == "masking" else None
    order = stream(setting["seed"], "study.sparse.order", setting, d, setting["run"])
    found = dictionaries.train(
        rows, start, k, setting["epochs"], order,
        visible=visible, batch=setting["batch"], rate=setting["rate"],
    )  # fmt: skip
    return {
        "before": dictionaries.recovery_error(truth, start) / 2,
        "after": dictionaries.recovery_error(truth, found.dictionary) / 2,
        "loss": float(found.losses[-1]),
    }


def stored_runs(path: Path) -> dict[str, dict[str, float]]:
    """Finished runs by setting; a line that was cut off by a crash is left out."""
    found = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                item = json.loads(line)
                found[json.dumps(item["setting"], sort_keys=True)] = item["result"]
            except (ValueError, KeyError, TypeError):
                continue
    return found


def all_runs(name: str, settings: Iterable[Mapping[str, Any]], out: Path) -> list[dict[str, Any]]:
    """Every setting with its result, from the store or computed now."""
    path = out / f"{name}.runs.jsonl"
    done, rows, seconds = stored_runs(path), [], 0.0
    todo = list(settings)
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        with open(path, "a", encoding="utf-8") as handle:
            handle.write("\n")  # ends a line that was cut off
    for number, setting in enumerate(todo, start=1):
        key = json.dumps(setting, sort_keys=True)
        if key not in done:
            began = time.process_time()
            done[key] = one_run(setting)
            seconds += time.process_time() - began
            with open(path, "a", encoding="utf-8") as handle:
                handle.write(json.dumps({"setting": setting, "result": done[key]}) + "\n")
            shown = f"{setting['start']} {setting['algorithm']} p'={setting['learned']}"
            print(f"{number}/{len(todo)}  {shown}: {done[key]['after']:.3f}  ({seconds:.0f} s)", flush=True)
        rows.append(dict(setting) | done[key])
    return rows


def grid(points: Iterable[Mapping[str, Any]], chosen: Mapping[str, Any], seed: int) -> list[dict[str, Any]]:
    """All runs at all points: both starts, both algorithms."""
    training = {key: value for key, value in chosen.items() if key != "runs"}
    return [
        dict(point) | training | {"start": start, "algorithm": algorithm, "run": run, "seed": seed}
        for point in points
        for start in STARTS
        for algorithm in ALGORITHMS
        for run in range(chosen["runs"])
    ]


def draw(data: Mapping[str, Any], path: Path) -> None:
    """Recovery error against what was varied, a panel per start."""
    from sparse_figures import recovery_errors

    from rmtsim.plots._style import save

    save(recovery_errors(data["rows"], data["key"], data["label"]), path)
