"""``rmtsim law``: support, atoms, moments and density of a spectral law, as text, JSON or a figure."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from rmtsim._internal import validate
from rmtsim.cli._common import add_json, command, output_path, print_json
from rmtsim.cli._law_kinds import KINDS, LawKind

if TYPE_CHECKING:
    from rmtsim.laws import SpectralLaw

_FORMATS = (".png", ".pdf", ".svg")

_HELP = """\
support, atoms, moments and density of a spectral law

Compute a limiting spectral law and print or draw it.

examples:
  rmtsim law mp --ratio 0.5 --plot mp.png
  rmtsim law mp --ratio 0.5 --sample 1000 --plot mp.png     with the eigenvalues of a 1000×1000 matrix
  rmtsim law generalized-mp --ratio 10 --atoms 1,3,7 --plot g.png --json
  rmtsim law generalized-mp --ratio 0.5 --atoms -1,0,2 --weights 0.25,0.5,0.25 --table 9
  rmtsim law semicircle --variance 2
  rmtsim law dyson --profile two-block --across 0.2 --sample 1000 --plot d.png
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "law", _HELP)
    laws = parser.add_subparsers(title="laws", metavar="LAW", required=True)
    for kind in KINDS:
        law = laws.add_parser(kind.name, help=kind.summary, description=f"{kind.summary}.")
        # A list that begins with a negative number, such as -1,1, is a value, not an option.
        law._negative_number_matcher = re.compile(r"^-[\d.]")
        kind.add_options(law)
        law.add_argument("--moments", type=int, default=8, metavar="K", help="moments 1 to K (default 8)")
        law.add_argument("--table", type=int, metavar="COUNT", help="density and cdf at COUNT points")
        law.add_argument("--plot", metavar="FILE", help="draw the density to FILE (.png, .pdf or .svg)")
        law.add_argument(
            "--sample",
            type=int,
            metavar="N",
            help="with --plot: add the eigenvalues of an N×N matrix of the law",
        )
        law.add_argument("--seed", type=int, default=0, help="seed of --sample (default 0)")
        add_json(law)
        law.set_defaults(run=run, kind=kind)


def run(arguments: argparse.Namespace) -> int:
    """Print the law, and draw it if requested."""
    kind: LawKind = arguments.kind
    path = output_path(arguments.plot)
    if path is not None and path.suffix not in _FORMATS:
        raise ValueError(f"--plot {path}: expected a name that ends in one of {', '.join(_FORMATS)}")
    if arguments.sample is not None and path is None:
        raise ValueError(f"--sample {arguments.sample}: expected together with --plot FILE")
    orders = validate.integer("--moments", arguments.moments, minimum=0, maximum=1000)
    law = kind.build(arguments)
    result = _summary(kind, arguments, law, orders)
    if path is not None:
        from rmtsim.plots._laws import density_figure
        from rmtsim.plots._style import save

        eigenvalues = None
        if arguments.sample is not None:
            from rmtsim.spectra import random_matrix

            size = validate.integer("--sample", arguments.sample, minimum=2, maximum=20_000)
            seed = validate.integer("--seed", arguments.seed, minimum=0, maximum=2**128)
            matrix = random_matrix(law, size, np.random.default_rng(seed))
            eigenvalues = np.linalg.eigvalsh(matrix).astype(np.float64)
        save(density_figure(law, _title(kind, arguments), eigenvalues), path)
    if arguments.json:
        print_json(result)
    else:
        _print_text(result)
        if path is not None:
            print(f"drawn to {path}")
    return 0


def _summary(kind: LawKind, arguments: argparse.Namespace, law: SpectralLaw, orders: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "law": kind.name,
        "parameters": kind.parameters(arguments),
        "support": [list(interval) for interval in law.support],
        "masses": list(law._masses),
        "atoms": [{"location": location, "mass": mass} for location, mass in law.atoms],
        "moments": {str(k): _moment(law, k) for k in range(1, orders + 1)},
    }
    if arguments.table is not None:
        count = validate.integer("--table", arguments.table, minimum=1, maximum=10**6)
        x = _table_points(law, count)
        rows = zip(x.tolist(), np.asarray(law.density(x)), np.asarray(law.cdf(x)), strict=True)
        result["table"] = [
            {"x": point, "density": float(density), "cdf": float(cdf)} for point, density, cdf in rows
        ]
    return result


def _moment(law: SpectralLaw, k: int) -> float | None:
    """The moment, or None where it exceeds the largest double."""
    try:
        moment = law.moment(k)
    except OverflowError:
        return None
    return moment if math.isfinite(moment) else None


def _table_points(law: SpectralLaw, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points inside the support: ``count`` of them in all, at least one in each interval, denser at edges."""
    total = sum(law._masses) or 1.0
    points = []
    for (lower, upper), mass in zip(law.support, law._masses, strict=True):
        share = max(1, round(count * mass / total))
        angle = np.pi * (np.arange(share) + 0.5) / share
        points.append(lower + (upper - lower) * np.sin(0.5 * angle) ** 2)
    return np.concatenate(points) if points else np.empty(0)


def _title(kind: LawKind, arguments: argparse.Namespace) -> str:
    given = []
    for name, value in kind.parameters(arguments).items():
        if isinstance(value, list):
            shown = ", ".join(f"{number:g}" for number in value[:6]) + (", …" if len(value) > 6 else "")
            given.append(f"{name} {shown}")
        elif isinstance(value, str):
            given.append(f"{name} {value}")
        elif value is not None:
            given.append(f"{name} {value:g}")
    name = kind.summary.partition(":")[0]
    return f"{name[:1].upper()}{name[1:]}, {'; '.join(given)}"


def _print_text(result: dict[str, Any]) -> None:
    pairs = list(zip(result["support"], result["masses"], strict=True))
    for (lower, upper), mass in pairs[:20]:
        print(f"interval  [{lower:.12g}, {upper:.12g}]  mass {mass:.12g}")
    if len(pairs) > 20:
        print(f"          … and {len(pairs) - 20} more intervals (--json lists all)")
    for atom in result["atoms"]:
        print(f"atom      at {atom['location']:.12g}  mass {atom['mass']:.12g}")
    for order, moment in result["moments"].items():
        print(f"moment    {order:>2}  {'beyond the largest double' if moment is None else f'{moment:.15g}'}")
    if "table" in result:
        print(f"{'x':>22}  {'density':>22}  {'cdf':>18}")
        for row in result["table"]:
            print(f"{row['x']:>22.15g}  {row['density']:>22.15g}  {row['cdf']:>18.15g}")
