"""``rmtsim law dyson``: the common shapes of correlated random matrices, through the Matrix Dyson equation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rmtsim import validate
from rmtsim.laws import MatrixDyson
from rmtsim.laws.self_energy import Kronecker, VarianceProfile, Wigner

__all__ = ["add_options", "build", "parameters"]


def _profile_file(path: str) -> Any:
    file = Path(path)
    if file.suffix == ".npy":
        return np.load(file, allow_pickle=False)
    return np.loadtxt(file, delimiter="," if file.suffix == ".csv" else None, ndmin=2)


def _two_block(options: argparse.Namespace) -> MatrixDyson:
    across = validate.finite_number("--across", options.across)
    second = validate.finite_number("--second", options.second)
    profile = options.variance * np.array([[1.0, across], [across, second]]) / 2
    return MatrixDyson(0.0, VarianceProfile(profile))


def _banded(options: argparse.Namespace) -> MatrixDyson:
    size = validate.integer("--size", options.size, minimum=2, maximum=2000)
    width = validate.positive_number("--width", options.width)
    x = (np.arange(size) + 0.5) / size
    band = np.exp(-((x[:, None] - x) ** 2) / (2 * width**2))
    return MatrixDyson(0.0, VarianceProfile(options.variance * band / size))


def _separable(options: argparse.Namespace) -> MatrixDyson:
    size = validate.integer("--size", options.size, minimum=2, maximum=2000)
    r = validate.finite_number("--correlation", options.correlation)
    if not 0 <= r < 1:
        raise ValueError(f"--correlation {r}: expected a number in [0, 1) (L_ij = r^|i-j|)")
    angle = np.pi * (np.arange(size) + 0.5) / size
    symbol = (1 - r**2) / (1 - 2 * r * np.cos(angle) + r**2)
    return MatrixDyson(0.0, Kronecker(np.sqrt(options.variance) * np.diag(symbol)))


def _deformed(options: argparse.Namespace) -> MatrixDyson:
    a = validate.finite_number("--separation", options.separation)
    return MatrixDyson(np.diag([-a, a]), Wigner(2, options.variance))


def _wishart(options: argparse.Namespace) -> MatrixDyson:
    from rmtsim.laws.dyson.linearise import wishart

    return wishart(validate.positive_number("--ratio", options.ratio), options.variance)


_SHAPES: dict[str, tuple[str, Callable[[argparse.Namespace], MatrixDyson], tuple[str, ...]]] = {
    "wigner": ("one variance everywhere", lambda o: MatrixDyson(0.0, Wigner(1, o.variance)), ("variance",)),
    "two-block": (
        "variance 1 in one half, --second in the other, --across between",
        _two_block,
        ("second", "across", "variance"),
    ),
    "banded": ("variances exp(−(i−j)²/2(width·n)²)", _banded, ("width", "size", "variance")),
    "separable": ("L^½ G L^½ with L_ij = r^|i−j|", _separable, ("correlation", "size", "variance")),
    "deformed": ("Wigner plus eigenvalues ± separation", _deformed, ("separation", "variance")),
    "wishart": ("X Xᵀ/N from a 2×2 block problem", _wishart, ("ratio", "variance")),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of the shapes; each shape reads its own."""
    shapes = "; ".join(f"{name}: {text}" for name, (text, _, _) in _SHAPES.items())
    parser.add_argument("--profile", choices=tuple(_SHAPES), help=f"a common shape ({shapes})")
    parser.add_argument(
        "--variances", metavar="FILE", help="instead: Var H_ij from a .npy, .csv or text file"
    )
    parser.add_argument("--mean", metavar="A,A,…", help="with --variances: diagonal of the mean (default 0)")
    parser.add_argument("--variance", type=float, default=1.0, metavar="V", help="n × variance (default 1)")
    parser.add_argument(
        "--across", type=float, default=0.2, metavar="B", help="between the halves (default 0.2)"
    )
    parser.add_argument("--second", type=float, default=0.1, metavar="S", help="second half (default 0.1)")
    parser.add_argument(
        "--width", type=float, default=0.1, metavar="W", help="band width over n (default 0.1)"
    )
    parser.add_argument(
        "--correlation", type=float, default=0.5, metavar="R", help="of neighbours (default 0.5)"
    )
    parser.add_argument(
        "--separation", type=float, default=1.5, metavar="A", help="eigenvalues ±A (default 1.5)"
    )
    parser.add_argument(
        "--ratio", type=float, default=0.5, metavar="R", help="d/N of the Wishart (default 0.5)"
    )
    parser.add_argument(
        "--size", type=int, default=50, metavar="N", help="points of band or symbol (default 50)"
    )


def build(arguments: argparse.Namespace) -> MatrixDyson:
    """The law asked for."""
    if (arguments.profile is None) == (arguments.variances is None):
        raise ValueError("--profile, --variances: expected exactly one of the two")
    arguments.variance = validate.positive_number("--variance", arguments.variance)
    if arguments.profile is not None:
        if arguments.mean is not None:
            raise ValueError("--mean: expected together with --variances FILE")
        return _SHAPES[arguments.profile][1](arguments)
    energy = VarianceProfile(_profile_file(arguments.variances))
    return MatrixDyson(_mean(arguments, energy.size), energy)


def _mean(arguments: argparse.Namespace, size: int) -> Any:
    from rmtsim.cli.law_kinds import numbers

    if arguments.mean is None:
        return 0.0
    values = numbers("mean", arguments.mean)
    if len(values) not in (1, size):
        raise ValueError(f"--mean has {len(values)} numbers: expected 1 or {size}")
    return values[0] if len(values) == 1 else np.diag(values)


def parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """What was given, for the title and for JSON."""
    if arguments.profile is None:
        return {"variances": Path(arguments.variances).name}
    names = _SHAPES[arguments.profile][2]
    return {"profile": arguments.profile, **{name: getattr(arguments, name) for name in names}}
