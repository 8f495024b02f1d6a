"""Does the output layer's Hessian become block-diagonal as the vocabulary grows? A small transformer on generated text.

Texts are drawn from a Markov chain whose words have Zipf's frequencies; the model has one block of attention. Ratios of
off-diagonal to diagonal energy between output classes and between attention heads, before and after training, against
the vocabulary. Needs the extra "torch".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim.hessians import hessian
from rmtsim.plots._style import CYCLE, panels, save

NAME = "hessian_vocabulary"
LENGTH = 12


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vocabularies", type=harness.positive_integer, nargs="+", default=[50, 200, 600, 2000]
    )
    parser.add_argument("--width", type=harness.positive_integer, default=16)
    parser.add_argument("--steps", type=harness.positive_integer, default=200)
    parser.add_argument("--texts", type=harness.positive_integer, default=120)
    parser.add_argument(
        "--classes", type=harness.positive_integer, default=12, help="classes whose blocks are measured"
    )
    parser.add_argument("--seed", type=int, default=0)


def _chain(vocabulary: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Four likely successors of every word, and the frequencies of all others."""
    frequencies = 1.0 / np.arange(1, vocabulary + 1)
    return rng.integers(vocabulary, size=(vocabulary, 4)), frequencies / frequencies.sum()


def _texts(chain: tuple[np.ndarray, np.ndarray], count: int, rng: np.random.Generator) -> np.ndarray:
    successors, frequencies = chain
    words = np.empty((count, LENGTH + 1), dtype=np.int64)
    words[:, 0] = rng.choice(len(frequencies), size=count, p=frequencies)
    for place in range(1, LENGTH + 1):
        likely = successors[words[:, place - 1], rng.integers(4, size=count)]
        other = rng.choice(len(frequencies), size=count, p=frequencies)
        words[:, place] = np.where(rng.random(count) < 0.7, likely, other)
    return words


def _ratio_of_frequencies(chain: tuple[np.ndarray, np.ndarray], count: int) -> float:
    """Ratio between the first classes for a model that predicts the words' frequencies in every context.

    Its block of classes i and j is (f_i δ_ij - f_i f_j) times one matrix, f the stationary law of the chain.
    """
    successors, frequencies = chain
    law = frequencies
    for _ in range(200):
        law = 0.3 * frequencies + 0.7 * np.bincount(successors.ravel(), np.repeat(law / 4, 4), len(law))
    first = law[:count]
    table = np.square(np.diag(first) - np.outer(first, first))
    return float((table.sum() - np.trace(table)) / (count - 1) / np.trace(table))


def _model(vocabulary: int, width: int) -> Any:
    import torch
    from torch import nn

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.places = nn.Parameter(0.1 * torch.randn(LENGTH, width))
            self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
            self.norm, self.last_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
            self.output = nn.Linear(width, vocabulary, bias=False)
            self.register_buffer("mask", torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), 1))

        def forward(self, words: Any) -> Any:
            z = self.embedding(words) + self.places
            read = self.norm(z)
            z = z + self.attention(read, read, read, attn_mask=self.mask, need_weights=False)[0]
            return self.output(self.last_norm(z + self.mlp(z)))

    return Transformer()


def _loss(output: Any, targets: Any) -> Any:
    from torch.nn import functional

    return functional.cross_entropy(output.flatten(0, 1), targets.flatten())


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    import torch

    rows: list[dict[str, Any]] = []
    for vocabulary in arguments.vocabularies:
        rng = np.random.default_rng([arguments.seed, vocabulary])
        torch.manual_seed(arguments.seed)
        chain = _chain(vocabulary, rng)
        model = _model(vocabulary, arguments.width)
        # The Hessian is measured on texts that training does not see.
        words = torch.from_numpy(_texts(chain, arguments.texts, rng))
        frequent = np.arange(min(arguments.classes, vocabulary))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
        for stage in ("initialisation", "trained"):
            if stage == "trained":
                for _ in range(arguments.steps):
                    batch = torch.from_numpy(_texts(chain, 64, rng))
                    optimiser.zero_grad()
                    _loss(model(batch[:, :-1]), batch[:, 1:]).backward()
                    optimiser.step()
            operator = hessian(model, _loss, (words[:, :-1], words[:, 1:]))
            groups = {f"word {k}": operator.indices("output.weight", rows=[int(k)]) for k in frequent}
            with torch.no_grad():
                loss = float(_loss(model(words[:, :-1]), words[:, 1:]))
            found = {
                "classes": operator.blocks(groups, tolerance=None, probes=arguments.width),
                "heads": operator.blocks("head", tolerance=None, probes=24),
            }
            for kind, blocks in found.items():
                row = {"vocabulary": vocabulary, "stage": stage, "loss": loss, "kind": kind}
                for which, ratio in (("data", blocks.ratio), ("population", blocks.population_ratio)):
                    for end in ("value", "low", "high"):
                        row[f"{which} {end}"] = None if ratio is None else getattr(ratio, end)
                if kind == "classes" and len(frequent) > 1:
                    row["frequencies alone"] = _ratio_of_frequencies(chain, len(frequent))
                rows.append(row)
                print(row, flush=True)
    return {"rows": rows}


def draw(data: Mapping[str, Any], path: Path) -> None:
    rows = data["rows"]
    figure, axes = panels(2, width=3.6)
    for ax, kind, title in zip(
        axes, ("classes", "heads"), ("output classes", "attention heads"), strict=True
    ):
        for colour, stage in zip(CYCLE, ("initialisation", "trained"), strict=False):
            chosen = [
                r
                for r in rows
                if r["kind"] == kind and r["stage"] == stage and r["population value"] is not None
            ]
            x = np.array([r["vocabulary"] for r in chosen])
            middle, low, high = (
                np.array([r[f"population {e}"] for r in chosen]) for e in ("value", "low", "high")
            )
            reach = np.maximum([middle - low, high - middle], 0)
            ax.errorbar(x, middle, yerr=reach, color=colour, marker="o", markersize=4, capsize=2, label=stage)
        ax.set_xscale("log")
        ax.minorticks_off()
        sizes = sorted({r["vocabulary"] for r in rows})
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xlabel("vocabulary C")
        ax.set_title(title, fontsize=9)
        if kind == "classes":
            c = np.array(sorted({r["vocabulary"] for r in rows}), dtype=float)
            ax.plot(
                c,
                (c - 1) ** -2,
                color="0.25",
                linestyle="--",
                linewidth=1,
                label=r"uniform softmax, $(C-1)^{-2}$",
            )
            ax.set_yscale("log")
            ax.set_ylabel("off-diagonal / diagonal energy")
        else:
            ax.set_ylim(bottom=0)
        ax.legend(fontsize=7)
    save(figure, path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
