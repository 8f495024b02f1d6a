"""The shape of Figure 3.1: error of the least-squares anchor vector against the number of top words removed.

Synthetic dictionaries (spherical, Gaussian, a low-rank cone, heavy tailed) take the place of the language models, whose
weights are not here: Figures 3.1–3.3, B.1–B.4 and Tables 3.1, B.1 and B.2 are not reproduced. With --embedding FILE.npy
(words × dimensions) and --contexts FILE.npy (hidden states) the study measures a model of your own; without --contexts,
synthetic ones are drawn for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

NAME = "loglinear_anchors"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--words", type=harness.positive_integer, default=10_000)
    parser.add_argument("--dimension", type=harness.positive_integer, default=32)
    parser.add_argument("--texts", type=harness.positive_integer, default=500, help="number of contexts")
    parser.add_argument("--draws", type=harness.positive_integer, default=5, help="dictionaries of each kind")
    parser.add_argument("--mean", type=float, default=2.0, help="length of the contexts' mean")
    parser.add_argument("--spread", type=float, default=0.3, help="standard deviation of their coordinates")
    parser.add_argument("--embedding", type=Path, help="your own dictionary, .npy, one word per row")
    parser.add_argument("--contexts", type=Path, help="hidden states for it, .npy, one per row")


def _checked(what: str, path: Path) -> Any:
    from rmtsim.papers.loglinear.simulation.anchors import load_embedding

    try:
        return load_embedding(path)
    except (ValueError, TypeError) as error:
        raise SystemExit(f"{what}: {error}") from None


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    from rmtsim.papers.loglinear.simulation.anchors import KINDS, anchor_curve, draw_contexts, draw_dictionary
    from rmtsim.papers.loglinear.simulation.word_model import word_model

    def texts(dimension: int, rng: np.random.Generator) -> Any:
        return draw_contexts(arguments.texts, dimension, rng, mean=arguments.mean, deviation=arguments.spread)

    def curves(kind: str, draw: int, model: Any, words: int) -> list[dict[str, Any]]:
        removed = sorted({0, *(min(round(10 ** (p / 2)), words // 2) for p in range(0, 9))})
        errors = [anchor_curve(model, removed, intercept=flag) for flag in (False, True)]
        return [
            {
                "kind": kind,
                "draw": draw,
                "removed": count,
                "error": float(plain),
                "with intercept": float(free),
            }
            for count, plain, free in zip(removed, *errors, strict=True)
        ]

    rows: list[dict[str, Any]] = []
    for kind in KINDS:
        for draw in range(arguments.draws):
            rng = np.random.default_rng((KINDS.index(kind), draw))
            atoms = draw_dictionary(kind, arguments.words, arguments.dimension, rng)
            rows += curves(kind, draw, word_model(atoms, texts(arguments.dimension, rng)), arguments.words)
        last = [row for row in rows if row["kind"] == kind and row["draw"] == 0]
        print(f"{kind}: ε_MSE {last[0]['error']:.3g} with all words, {last[-1]['error']:.3g} without the top")
    if arguments.embedding is not None:
        atoms = _checked("--embedding", arguments.embedding)
        rng = np.random.default_rng(0)
        if arguments.contexts is None:
            states = texts(atoms.shape[1], rng)
        else:
            states = _checked("--contexts", arguments.contexts)
        try:
            own = word_model(atoms, states)
        except ValueError as error:
            raise SystemExit(f"--contexts: {error}") from None
        rows += curves("own", 0, own, len(atoms))
    return {
        "rows": rows,
        "words": arguments.words,
        "dimension": arguments.dimension,
        "texts": arguments.texts,
    }


def draw(data: Mapping[str, Any], path: Path) -> None:
    from loglinear_figures import anchor_errors

    from rmtsim.plots._style import save

    save(anchor_errors(data["rows"], data["words"], data["dimension"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
