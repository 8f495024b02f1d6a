"""``rmtsim hessian``: block map, eigenvalues, trace and density of your own model, in a table and on a page."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rmtsim._internal import plain
from rmtsim.cli._common import add_json, command, nothing_else_printed, print_json
from rmtsim.cli._report import report_path

_HELP = """\
the Hessian of your own model: blocks, eigenvalues, trace, density, with intervals

Measure the Hessian of a model's loss, with errors of probes and of the finite data.

FILE.py is executed. Its function `setup` takes no arguments and returns model, loss, data:

  # model.py
  import torch
  from torch import nn

  def setup():
      torch.manual_seed(0)
      model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
      return model, nn.CrossEntropyLoss(), (torch.randn(1000, 20), torch.randint(5, (1000,)))

data is (inputs, targets), a DataLoader, a Dataset or any iterable of batches. Instead of three values `setup` may
return an operator that rmtsim.hessians.hessian made, from anything that multiplies vectors.

what comes out:
  eigenvalues   largest and smallest: of this data set, and an interval for those of the population; batches are the
                sampling unit and should be drawn independently
  trace         the same for the trace, with the error of the random probes
  blocks        norms of all blocks of the Hessian between groups (--per), with errors

examples:
  rmtsim hessian model.py                        table, and model.html
  rmtsim hessian model.py --per neuron --of 0    the map of the neurons of the layer named 0
  rmtsim hessian model.py --gauss-newton --json
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "hessian", _HELP)
    parser.add_argument("file", metavar="FILE.py", help="Python file with a function setup()")
    parser.add_argument("--function", default="setup", metavar="NAME", help="its name, if not setup")
    parser.add_argument(
        "--per",
        choices=("parameter", "layer", "neuron", "head", "class"),
        default="layer",
        help="groups of the block map (default: layer)",
    )
    parser.add_argument(
        "--of", metavar="PATTERN", action="append", help="only parameters or layers of this name, repeatable"
    )
    parser.add_argument("--gauss-newton", action="store_true", help="the Gauss–Newton matrix instead")
    parser.add_argument("--float64", action="store_true", help="compute in double precision")
    parser.add_argument("--count", type=int, default=5, help="eigenvalues at each end (default 5)")
    parser.add_argument(
        "--tolerance", type=float, default=0.05, help="relative half width of the ratios (default 0.05)"
    )
    parser.add_argument(
        "--most-products", type=int, default=20_000, metavar="N", help="products for the block map at most"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the probes (default 0)")
    parser.add_argument("--html", metavar="PAGE", help="page to write (default: FILE.html); none: no page")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the tables and write the page."""
    from rmtsim.hessians import examine

    file = Path(arguments.file)
    if not file.is_file():
        raise ValueError(f"{file}: no such file")
    if file.suffix != ".py":
        raise ValueError(f"{file}: expected a Python file (its name should end in .py)")
    if arguments.seed < 0:
        raise ValueError(f"--seed {arguments.seed}: expected zero or more")
    where = arguments.html or f"{file.stem}.html"
    page = None if where == "none" else report_path(where, "--html")
    tell = _progress()
    with nothing_else_printed():
        tell("reading the model")
        operator = _operator(file, arguments)
        groups = operator.groups(arguments.per, of=arguments.of)
        found = examine(
            operator,
            groups,
            title=file.name,
            count=arguments.count,
            tolerance=arguments.tolerance,
            most_products=arguments.most_products,
            rng=np.random.default_rng(arguments.seed),
            progress=tell,
        )
        tell("theory")
        found = dataclasses.replace(found, theory=tuple(_theory(operator)))
    tell("")
    if page is not None:
        found.save_html(page)
    if arguments.json:
        print_json(found.to_dict())
        return 0
    print(plain(str(found)))
    if page is not None:
        print(f"\nwrote {plain(page)}")
    return 0


def _theory(operator: Any) -> Iterator[str]:
    """What the installed papers say about this Hessian: modules `hessian` with a function `beside(operator)`."""
    from rmtsim.claims._papers import PAPERS

    for key in PAPERS:
        module = PAPERS[key].module("hessian")
        if module is not None:
            try:
                yield f"{key}: {module.beside(operator)}"
            except Exception as error:  # the measurement is finished and must not be lost
                yield f"{key}: no theory here ({type(error).__name__}: {error})"


def _operator(file: Path, arguments: argparse.Namespace) -> Any:
    from rmtsim.claims._files import executed
    from rmtsim.hessians import HessianOperator, hessian

    function = getattr(executed(file, file.resolve()), arguments.function, None)
    if not callable(function):
        raise ValueError(f"{file}: no function {arguments.function}(); it should return model, loss, data")
    if any(
        p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in inspect.signature(function).parameters.values()
    ):
        raise ValueError(f"{file}: {arguments.function} should take no arguments")
    try:
        made = function()
    except Exception as error:
        raise ValueError(f"{file}: {arguments.function}() raised {type(error).__name__}: {error}") from error
    if isinstance(made, HessianOperator):
        return made
    if not isinstance(made, tuple) or len(made) != 3:
        raise ValueError(
            f"{file}: {arguments.function}() returned {type(made).__name__}; expected (model, loss, data) or a "
            "HessianOperator"
        )
    return hessian(
        *made,
        matrix="gauss-newton" if arguments.gauss_newton else "hessian",
        dtype="float64" if arguments.float64 else "model",
    )


def _progress() -> Callable[[str], None]:
    """Progress on standard error: one line that is replaced on a terminal, a line per stage in a log."""
    stream = sys.stderr
    started = time.monotonic()
    if stream is None or not stream.isatty():
        return lambda words: None

    def show(words: str) -> None:
        line = f"{time.monotonic() - started:6.0f} s  {plain(words)}" if words else ""
        width = os.get_terminal_size(stream.fileno()).columns
        print(f"\r\x1b[K{line[: width - 1]}", end="", flush=True, file=stream)

    return show
