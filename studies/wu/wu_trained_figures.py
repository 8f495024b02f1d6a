"""Figures of the ``wu`` studies on trained networks: along training, at both ends, pairs of models, random labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rmtsim.plots._style import DATA, LIMIT, OUTLIER, THEORY, panels

__all__ = ["at_ends", "labels", "pairs", "training"]

Data = Mapping[str, Any]
_LAYERS = (
    ("first", DATA, "first layer"),
    ("second", OUTLIER, "second layer"),
    ("output", LIMIT, "output layer"),
)


def _band(
    ax: Any, x: Any, rows: Sequence[Sequence[float]], colour: str, label: str = "", line: str = "-"
) -> None:
    """Mean over rows and the whole range between them."""
    values = np.asarray(rows, dtype=float)
    ax.fill_between(x, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.18, linewidth=0)
    ax.plot(x, values.mean(axis=0), line, color=colour, linewidth=1.3, label=label)


def training(data: Data) -> Figure:
    """Six quantities against training steps: means over seeds, bands from the least to the largest."""
    figure, axes = panels(3, 2, width=3.1, height=2.6)
    paths = [run["path"] for run in data["runs"]]
    steps = np.array([entry["step"] for entry in paths[0]], dtype=float)
    top = data["classes"] - 1

    def of(key: str, index: int | None = None) -> list[list[float]]:
        return [[entry[key] if index is None else entry[key][index] for entry in path] for path in paths]

    loss, inputs, outputs, error, overlap, ratio = axes
    _band(loss, steps, of("loss"), DATA, "training loss")
    _band(loss, steps, of("test error"), LIMIT, "test error")
    loss.set(ylabel="loss (nats), share of errors", yscale="log")
    loss.set_title("training loss, test error", fontsize=9)
    for index in range(len(paths[0][0]["inputs"])):
        colour = THEORY if index == 0 else DATA
        _band(inputs, steps, of("inputs", index), colour, ("λ₁", "λ₂ … λ₈")[index] if index < 2 else "")
    inputs.set(ylabel="eigenvalue of E[xxᵀ]", yscale="log", ylim=(6e-3, None))
    inputs.set_title("second layer's inputs (figure 19)", fontsize=9)
    for index in range(len(paths[0][0]["outputs"])):
        colour = THEORY if index < top else DATA
        _band(
            outputs,
            steps,
            np.maximum(of("outputs", index), 1e-9).tolist(),
            colour,
            {0: f"first c−1 = {top}", top: "the next ones"}.get(index, ""),
        )
    outputs.set(ylabel="eigenvalue of E[M]", yscale="log")
    outputs.set_title("second layer's outputs (figure 20)", fontsize=9)
    for index, (_, colour, name) in enumerate(_LAYERS):
        _band(error, steps, of("decoupling", index), colour, name)
    error.set(ylabel="‖E[M]⊗E[xxᵀ] − H‖/‖H‖", ylim=(0, 0.75))
    error.set_title("decoupling error, spectral norm", fontsize=9)
    _band(overlap, steps, of("262"), DATA)
    overlap.set(ylabel="overlap with span(w_i)", ylim=(0, 1.02))
    overlap.set_title("full Hessian, top c−1 space, (262)", fontsize=9)
    _band(ratio, steps, of("263"), DATA)
    ratio.set(ylabel="mean λ_i/(σ_i‖w_i‖²)", ylim=(0.8, None))
    ratio.set_title("full Hessian, eigenvalues, (263)", fontsize=9)
    for ax in (overlap, ratio):
        ax.axhline(1, color=THEORY, linewidth=1, linestyle="--", label="the paper's ≈")
    for ax in axes:
        ax.set_xscale("symlog", linthresh=3, linscale=0.5)
        ax.set_xlim(-0.3, steps[-1] * 1.15)
        ticks = [step for step in (0, 3, 10, 100, 1000) if step <= steps[-1]]
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel("training step")
    loss.legend(fontsize=7, frameon=False, loc="lower left")
    inputs.legend(fontsize=7, frameon=False, loc="lower right", ncol=2)
    outputs.legend(fontsize=7, frameon=False, loc="lower left")
    error.legend(fontsize=7, frameon=False, loc="upper left", ncol=2)
    overlap.legend(fontsize=7, frameon=False, loc="lower right")
    ratio.legend(fontsize=7, frameon=False, loc="upper right")
    return figure


def at_ends(data: Data) -> Figure:
    """Both hidden layers untrained and trained: eigenvalues, overlap with Kronecker, σ₁/‖·‖_F of eigenvectors."""
    figure, axes = panels(3, 2, width=3.1, height=2.5)
    runs = data["runs"]
    for row, (layer, name) in enumerate((("first", "first layer"), ("second", "second layer"))):
        values, overlap, share = axes[3 * row : 3 * row + 3]
        for stage, colour in (("initialisation", LIMIT), ("minimum", DATA)):
            own = [run[stage][layer] for run in runs]
            index = np.arange(1, len(own[0]["overlap"]) + 1)
            word = "trained" if stage == "minimum" else "untrained"
            for key, line, what in (("eigenvalues", "-", "H"), ("kronecker", "--", "Kronecker")):
                rows = np.maximum([each[key] for each in own], 1e-12).tolist()
                _band(values, index, rows, colour, f"{word}, {what}", line)
            _band(overlap, index, [each["overlap"] for each in own], colour, word)
            _band(share, index, [each["singular share"] for each in own], colour, word)
        values.set(ylabel="eigenvalue / largest of H", yscale="log", ylim=(1e-5, 2))
        values.set_title(f"{name}: eigenvalues (2d)", fontsize=9)
        overlap.set(ylabel="overlap of top-k spaces", ylim=(0, 1.02))
        overlap.set_title("H against Kronecker (2c)", fontsize=9)
        share.axhline(0.5, color=THEORY, linewidth=1, linestyle="--", label="“much larger than 0.5”")
        share.set(ylabel="σ₁/‖·‖_F of Mat(h_i)", ylim=(0, 1.02))
        share.set_title("eigenvectors near rank one (21)", fontsize=9)
        for ax, what in ((values, "index i"), (overlap, "dimension k"), (share, "index i")):
            ax.axvline(data["classes"] - 1, color="0.5", linewidth=0.8, linestyle=":")
            ax.set_xlabel(what)
        values.legend(fontsize=7, frameon=False, loc="lower left")
        overlap.legend(fontsize=7, frameon=False, loc="lower right")
        share.legend(fontsize=7, frameon=False, loc="lower left")
    return figure


def pairs(data: Data) -> Figure:
    """Overlaps of pairs of models against k, a column for each layer, untrained above trained."""
    figure, axes = panels(3, 2, width=3.1, height=2.5)
    for row, (stage, word) in enumerate((("initialisation", "untrained"), ("true labels", "trained"))):
        for column, (layer, colour, name) in enumerate(_LAYERS):
            ax, entry = axes[3 * row + column], data["curves"][stage][layer]
            index = np.arange(1, len(entry["overlaps"][0]) + 1)
            _band(ax, index, entry["overlaps"], colour, "pairs of models")
            output, factor = entry["output"], float(np.mean(entry["factors"]))
            inside = index[index <= output]
            if layer == "output":
                stated = np.full(len(inside), factor)
                ax.plot(inside, stated, "--", color=THEORY, linewidth=1.1, label="(t₁·t₂)², G.3.2")
                share = np.minimum(inside / (output - 1), 1.0)
                ax.plot(inside, factor * share, ":", color="0.2", linewidth=1.2, label="(k/(c−1))(t₁·t₂)²")
            else:
                ax.plot(
                    inside,
                    factor * inside / output,
                    "--",
                    color=THEORY,
                    linewidth=1.1,
                    label="(k/m)(t₁·t₂)², G.1",
                )
            ax.axvline(output, color="0.5", linewidth=0.8, linestyle=":")
            ax.annotate(
                f"m = {output}", (output, 1.0), (3, -8), textcoords="offset points", fontsize=7, color="0.3"
            )
            ax.set(xlabel="dimension k", ylabel="overlap of two models", ylim=(0, 1.05))
            ax.set_title(f"{name}, {word}: (t₁·t₂)² = {factor:.2f}", fontsize=9)
            ax.legend(fontsize=7, frameon=False, loc="upper right", bbox_to_anchor=(1, 0.93))
    return figure


def labels(data: Data) -> Figure:
    """Leading eigenvalues of the second layer's E[M] and H: untrained, trained on true, on random labels."""
    figure, axes = panels(3, width=3.1, height=2.5)
    for ax, (stage, spectra) in zip(axes, data["spectra"].items(), strict=True):
        for key, colour, line in (("H", DATA, "-"), ("M", OUTLIER, "--")):
            rows = np.maximum(spectra[key], 1e-6).tolist()
            _band(ax, np.arange(1, len(rows[0]) + 1), rows, colour, {"H": "H", "M": "E[M]"}[key], line)
        ax.axvline(data["classes"] - 0.5, color="0.5", linewidth=0.8, linestyle=":")
        ax.annotate(
            "c−1",
            (data["classes"] - 0.5, 1.0),
            (3, -2),
            textcoords="offset points",
            fontsize=7,
            color="0.3",
        )
        loss = data["losses"][stage]
        ax.set(xlabel="index", ylabel="eigenvalue / largest", yscale="log", ylim=(1e-4, 2))
        ax.set_title(f"{stage}: loss {min(loss):.2g}–{max(loss):.2g}", fontsize=9)
        ax.legend(fontsize=7, frameon=False, loc="lower left")
    return figure
