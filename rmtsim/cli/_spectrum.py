"""``rmtsim spectrum``: the bulk and the outliers of your own eigenvalues, matrix or model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rmtsim._internal import plain
from rmtsim.cli._common import add_json, command, output_path, print_json

_FORMATS = (".png", ".pdf", ".svg")
_MODELS = (".safetensors", ".pt", ".pth")

_HELP = """\
fit the bulk of your own spectrum and find its outliers

Fit the bulk of a spectrum, say how well it fits, and find the eigenvalues outside it.

what goes in:
  eigs.npy, eigs.txt    eigenvalues of a sample covariance (1/N) XᵀX: say N with --samples (and --dimension d if zeros
                        were left out), or --kind wigner for eigenvalues of a symmetric matrix such as a Hessian
  data.npy, data.csv    a matrix: rows are samples, columns features. --centre subtracts the means of the columns; a
                        table may have a header
  weights.npy           a weight matrix is such a matrix: σ is the deviation of its entries, outliers are signal
  model.safetensors, model.pt, FOLDER   every weight matrix of a model: one line per layer, --html for a page with
                        figures. No code in a file is executed

what comes out:
  bulk      the law that pure noise would follow, its σ and its edges
  fit       p-value of the fit: small means that the bulk is not independent noise of one variance; then σ, edges and
            outliers are a guide only (a known population of variances: --population 1,4 fits the generalised law;
            an unknown one: --population estimate)
  outliers  eigenvalues that noise would not have, at --level for any false one; with the population eigenvalue
            ("spike") that produces each, and the squared cosine between its eigenvector and the true one (1 is perfect)

examples:
  rmtsim spectrum eigs.npy --samples 900
  rmtsim spectrum data.npy --centre --level 0.01 --plot spectrum.png
  rmtsim spectrum hessian_eigs.npy --kind wigner --json
  rmtsim spectrum checkpoints/model.safetensors --html model.html
  rmtsim spectrum weights/ --json
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "spectrum", _HELP)
    parser.add_argument(
        "source", metavar="SOURCE", help=".npy, .npz, .txt, .csv, .safetensors or .pt file, or a folder"
    )
    parser.add_argument("--samples", type=int, metavar="N", help="number of samples of the given eigenvalues")
    parser.add_argument(
        "--dimension", type=int, metavar="D", help="features, if zero eigenvalues were left out"
    )
    parser.add_argument(
        "--kind",
        choices=("auto", "covariance", "wigner"),
        default="auto",
        help="sample covariance (the default for eigenvalues) or symmetric matrix",
    )
    parser.add_argument(
        "--centre", action="store_true", help="subtract the means of the columns of a data matrix"
    )
    parser.add_argument(
        "--population",
        metavar="T,T,…|estimate",
        help="relative variances of the features (generalised law), or estimate: find them, with bands",
    )
    parser.add_argument(
        "--level", type=float, default=0.05, help="chance of any false outlier (default 0.05)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the spectrum to FILE (.png, .pdf or .svg)")
    parser.add_argument(
        "--figures", metavar="FOLDER", help="for a model: write one figure per layer into this folder"
    )
    parser.add_argument("--html", metavar="FILE", help="for a model: write a page with table and figures")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the results, and draw them if requested."""
    from rmtsim.spectra._weights import named_arrays

    source = Path(arguments.source)
    if not source.exists():
        raise ValueError(f"{source}: no such file or folder")
    if source.is_dir() or arguments.html or arguments.figures:
        return _model(arguments, source)
    if source.suffix == ".npz" and len(list(named_arrays(source))) > 1:
        return _model(arguments, source)
    if source.suffix in _MODELS and not _is_one_symmetric_matrix(named_arrays(source)):
        return _model(arguments, source)
    return _single(arguments, source)


def _is_one_symmetric_matrix(arrays: Iterator[tuple[str, Any]]) -> bool:
    """Whether a file has one array, a symmetric matrix such as a Hessian, which is not the weight of a layer."""
    from rmtsim.spectra._reading import is_symmetric

    found = [array for _, array in islice(arrays, 2)]
    if len(found) != 1 or found[0].ndim != 2 or found[0].shape[0] != found[0].shape[1] or not found[0].size:
        return False
    return is_symmetric(found[0])


def _single(arguments: argparse.Namespace, source: Path) -> int:
    from rmtsim.spectra import spectrum

    plot = output_path(arguments.plot)
    if plot is not None and plot.suffix not in _FORMATS:
        raise ValueError(f"--plot {plot}: expected a name that ends in one of {', '.join(_FORMATS)}")
    found = spectrum(
        source,
        samples=arguments.samples,
        dimension=arguments.dimension,
        kind=arguments.kind,
        centre=arguments.centre,
        population=_numbers(arguments.population),
        level=arguments.level,
        name=source.name,
    )
    if plot is not None:
        from rmtsim.plots._style import save

        save(found.plot(), plot)
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(plain(found.report()))
    return 0


def _model(arguments: argparse.Namespace, source: Path) -> int:
    from rmtsim.spectra import model_spectrum

    for option in ("samples", "dimension", "centre", "population", "plot"):
        if getattr(arguments, option):
            raise ValueError(
                f"--{option}: not for the weights of a model, whose shapes are known (--figures draws them)"
            )
    if arguments.kind == "wigner":
        raise ValueError("--kind wigner: not for the weights of a model")
    page = output_path(arguments.html)
    figures = None if arguments.figures is None else Path(arguments.figures)
    if figures is not None and figures.exists() and not figures.is_dir():
        raise ValueError(f"--figures {figures}: expected a folder")
    model = model_spectrum(source, level=arguments.level, progress=_progress())
    _clear()
    if page is not None:
        model.save_html(page)
    if figures is not None:
        from rmtsim.plots._style import save

        figures.mkdir(parents=True, exist_ok=True)
        for number, layer in enumerate(model.layers):
            safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in layer.name)
            save(layer.spectrum.plot(), figures / f"{number:03d}_{safe[:80]}.png")
    if arguments.json:
        print_json(model.to_dict())
    else:
        print(plain(model.report()))
    return 0


def _numbers(text: str | None) -> Any:
    if text is None or text == "estimate":
        return text
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--population {text}: expected numbers separated by commas, or estimate") from None


def _progress() -> Any:
    """Print the name of the current layer on standard error, if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    count = 0

    def show(name: str) -> None:
        nonlocal count
        count += 1
        _clear()
        print(f"layer {count}: {plain(name)[:70]}", end="", flush=True, file=sys.stderr)

    return show


def _clear() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print("\r\x1b[K", end="", flush=True, file=sys.stderr)
