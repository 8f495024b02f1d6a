"""Second implementations of simulated quantities (twins), and their comparison with the samplers.

A twin follows the recipe of the statement (``rmtsim/papers/KEY/recipes.toml``) in plain NumPy, as directly as it can be
written; it imports nothing of rmtsim. ``python -m tests.papers.twinning KEY [ID ...]`` compares the twins of a paper
(or these alone) with their samplers and writes ``rmtsim/papers/KEY/twins.json``; without ids it keeps records whose
recipe has not changed, and ``--all`` repeats every comparison.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Twin:
    """A second implementation: ``measure(size, rng, **parameters)`` returns one value or several independent ones."""

    measure: Callable[..., Any]
    points: Sequence[tuple[int, Mapping[str, Any]]]
    """Two points: size and parameters."""
    replicates: int
    accuracy: float
    """Error of the twin's values that is not of chance (differences in the place of derivatives)."""


TWINS: dict[str, Twin] = {}


def twin(
    variants: Mapping[str, Mapping[str, Any]] | str,
    at: Sequence[tuple[int, Mapping[str, Any]]],
    *,
    replicates: int = 300,
    accuracy: float = 0.0,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the twin of some claims: ids, each with the arguments that make the function measure it."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        given = {variants: {}} if isinstance(variants, str) else variants
        for name, fixed in given.items():
            if name in TWINS:
                raise ValueError(f"{name} has two twins")

            def measure(size: int, rng: Any, fixed: Any = fixed, **point: Any) -> Any:
                return function(size, rng, **{**point, **fixed})

            TWINS[name] = Twin(measure, at, replicates, accuracy)
        return function

    return register


def load(key: str) -> dict[str, Twin]:
    """Twins of a paper by claim."""
    try:
        package = importlib.import_module(f"tests.papers.{key}.twins")
    except ModuleNotFoundError:
        return {}
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return {name: one for name, one in TWINS.items() if name.startswith(f"{key}.")}


def _summary(values: Any) -> list[float]:
    """Mean and standard error, to four digits of the standard error."""
    values = np.asarray(values, dtype=float)
    return rounded(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def rounded(mean: float, error: float) -> list[float]:
    """Both numbers with the digits that a comparison needs."""
    if error == 0 or not np.isfinite(mean + error):
        return [mean, error]
    return [round(mean, 4 - math.floor(math.log10(error))), float(f"{error:.4g}")]


def compare(name: str, found: Twin) -> list[dict[str, Any]]:
    """Means and standard errors of sampler and twin at each point."""
    from rmtsim.claims import find

    claim = find(name)
    rows = []
    for number, (size, chosen) in enumerate(found.points):
        outer = claim.outer[0] if claim.outer is not None else None
        parameters = claim.point({key: value for key, value in chosen.items() if key != outer})
        parameters |= {} if outer is None else {outer: chosen[outer]}
        seed = [zlib.crc32(name.encode()), number]
        sampled = claim.sample(parameters, size, np.random.default_rng([*seed, 0]), found.replicates)
        rng = np.random.default_rng([*seed, 1])
        repeated: list[float] = []
        while len(repeated) < found.replicates:
            repeated.extend(np.atleast_1d(found.measure(size, rng, **parameters)))
        rows.append(
            {
                "size": size,
                "parameters": dict(parameters),
                "sampler": _summary(sampled),
                "twin": _summary(repeated),
                "accuracy": found.accuracy,
            }
        )
    return rows


def record(key: str, *options: str) -> None:
    """Compare twins of a paper with their samplers and write the result."""
    from rmtsim.claims import all_claims
    from rmtsim.claims._papers import PAPERS
    from rmtsim.claims._recipes import TWINS as FILE
    from rmtsim.claims._recipes import agrees, digest, recipe

    twins, known, lines = load(key), PAPERS.records(key, FILE), []
    for claim in all_claims(key):
        if claim.id not in twins:
            continue
        entry, name = known.get(claim.id), digest(recipe(claim))
        kept = entry is not None and entry["recipe"] == name and "--all" not in options
        if claim.id in options or (not kept and all(each.startswith("-") for each in options)):
            points = compare(claim.id, twins[claim.id])
            entry = {"recipe": name, "points": points}
            words = "agrees" if all(map(agrees, points)) else "DIFFERS"
            shown = [(point["sampler"], point["twin"]) for point in points]
            sys.stdout.write(f"{claim.id} {words} {shown}\n")
            sys.stdout.flush()
        if entry is not None:
            lines.append(f"  {json.dumps(claim.id)}: {json.dumps(entry)}")
    path = PAPERS[key].folder / FILE
    path.write_text('{"claims": {\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    # Twins register with the module that they import, not with __main__.
    from tests.papers.twinning import record as write

    write(*sys.argv[1:])
