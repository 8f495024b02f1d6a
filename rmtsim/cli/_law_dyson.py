"""``rmtsim law dyson``: the common ensembles of correlated random matrices, through the Matrix Dyson equation."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rmtsim import laws
from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.files import open_regular
from rmtsim.laws import self_energy
from rmtsim.laws.dyson import ensembles

if TYPE_CHECKING:
    from rmtsim.laws import MatrixDyson


def _profile_file(path: str) -> Any:
    file = Path(path)
    expected = "expected a .npy file of numbers, or rows of numbers as text or .csv"
    if not file.is_file():
        problem = "not a regular file" if file.exists() else "no such file"
        raise ValueError(f"--variances {path}: {problem}; {expected}")
    try:
        if file.suffix == ".npy":
            # The header is not trusted: memory for a size beyond that of the file would be allocated before reading.
            return np.load(file, mmap_mode="r", allow_pickle=False)
        with open_regular(file) as opened:
            return np.loadtxt(opened, delimiter="," if file.suffix == ".csv" else None, ndmin=2)
    except OSError as error:  # numpy's own names no file
        raise OSError(error.errno, f"cannot be read ({error.strerror or error}); {expected}", path) from error
    except Exception as error:  # NumPy's reader may raise anything for a damaged header
        raise ValueError(f"--variances {path}: {error}; {expected}") from error


def _wishart(ratio: float, variance: float) -> MatrixDyson:
    from rmtsim.laws.dyson._linearise import wishart

    return wishart(ratio, variance)


@frozen
class _Ensemble:
    """A common ensemble: what it is, the law, and the options that the law takes by name."""

    text: str
    law: Callable[..., MatrixDyson]
    options: tuple[str, ...]


_ENSEMBLES = {
    "wigner": _Ensemble("one variance everywhere", ensembles.wigner, ("variance",)),
    "two-block": _Ensemble(
        "variance 1 in one half, --second in the other, --across between",
        ensembles.two_block,
        ("across", "second", "variance", "size"),
    ),
    "banded": _Ensemble(
        "variances --floor + exp(−(i−j)²/2(width·n)²)",
        ensembles.banded,
        ("width", "floor", "variance", "size"),
    ),
    "separable": _Ensemble(
        "L^½ G L^½ with L_ij = r^|i−j|", ensembles.separable, ("correlation", "variance", "size")
    ),
    "deformed": _Ensemble(
        "Wigner plus eigenvalues ± separation", ensembles.deformed, ("separation", "variance", "size")
    ),
    "rectangular": _Ensemble("[[0, X], [Xᵀ, 0]]", ensembles.rectangular, ("ratio", "size")),
    "wishart": _Ensemble("X Xᵀ/N from a 2×2 block problem", _wishart, ("ratio", "variance")),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of the ensembles; each reads its own."""
    choices = "; ".join(f"{name}: {each.text}" for name, each in _ENSEMBLES.items())
    parser.add_argument("--profile", choices=tuple(_ENSEMBLES), help=f"a common ensemble ({choices})")
    parser.add_argument(
        "--variances", metavar="FILE", help="instead: Var H_ij from a .npy, .csv or text file"
    )
    parser.add_argument("--mean", metavar="A,A,…", help="with --variances: diagonal of the mean (default 0)")
    parser.add_argument("--variance", type=float, default=1.0, metavar="V", help="n × variance (default 1)")
    for name, default, meaning in (
        ("across", 0.2, "variance between the halves"),
        ("second", ensembles.SECOND, "variance within the second half"),
        ("width", 0.15, "width of the band over n"),
        ("floor", ensembles.FLOOR, "variance far from the band"),
        ("correlation", 0.5, "correlation r of neighbours"),
        ("separation", 1.4, "eigenvalues ± of the mean"),
        ("ratio", 0.5, "rows of X over its columns"),
    ):
        parser.add_argument(
            f"--{name}",
            type=float,
            default=default,
            metavar=name[0].upper(),
            help=f"{meaning} (default {default})",
        )
    parser.add_argument(
        "--size", type=int, metavar="N", help="law of N×N matrices (default: of infinite ones)"
    )


def build(arguments: argparse.Namespace) -> MatrixDyson:
    """The requested law."""
    if (arguments.profile is None) == (arguments.variances is None):
        raise ValueError("--profile, --variances: expected exactly one of the two")
    arguments.variance = validate.positive_number("--variance", arguments.variance)
    if arguments.profile is not None:
        if arguments.mean is not None:
            raise ValueError("--mean: expected together with --variances FILE")
        if arguments.size is not None:
            validate.integer("--size", arguments.size, minimum=2, maximum=2000)
        return _ENSEMBLES[arguments.profile].law(**_given(arguments))
    energy = self_energy.VarianceProfile(_profile_file(arguments.variances))
    return laws.MatrixDyson(_mean(arguments, energy.size), energy)


def _mean(arguments: argparse.Namespace, size: int) -> Any:
    from rmtsim.cli._law_kinds import numbers

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
    return {"profile": arguments.profile, **_given(arguments)}


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of the chosen ensemble, by name."""
    return {name: getattr(arguments, name) for name in _ENSEMBLES[arguments.profile].options}
