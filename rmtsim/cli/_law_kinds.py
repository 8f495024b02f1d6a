"""The laws that ``rmtsim law`` knows, each with its options; a further law is a further entry."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rmtsim import laws
from rmtsim._internal.docstrings import frozen
from rmtsim.cli import _law_dyson as law_dyson

if TYPE_CHECKING:
    from rmtsim.laws import SpectralLaw


@frozen
class LawKind:
    """A subcommand of ``rmtsim law``: its options, and how they make a law and a title."""

    name: str
    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]
    build: Callable[[argparse.Namespace], SpectralLaw]
    parameters: Callable[[argparse.Namespace], dict[str, Any]]


def numbers(name: str, text: str) -> list[float]:
    """A comma-separated list of numbers given to option ``name``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--{name} {text}: expected numbers separated by commas, such as 1,3,7") from None


def _ratio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ratio", type=float, required=True, metavar="R", help="d/N, any number > 0")


def _variance(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--variance", type=float, default=1.0, metavar="V", help=f"{meaning} (default 1)")


def _semicircle_options(parser: argparse.ArgumentParser) -> None:
    _variance(parser, "n times the variance of an entry")


def _mp_options(parser: argparse.ArgumentParser) -> None:
    _ratio(parser)
    _variance(parser, "variance of an entry of X")


def _generalized_options(parser: argparse.ArgumentParser) -> None:
    _ratio(parser)
    parser.add_argument(
        "--atoms", required=True, metavar="T,T,…", help="eigenvalues of Λ, of either sign or zero"
    )
    parser.add_argument("--weights", metavar="W,W,…", help="their shares, summing to one (default: equal)")


def _generalized_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    atoms = numbers("atoms", arguments.atoms)
    weights = None if arguments.weights is None else numbers("weights", arguments.weights)
    return {"ratio": arguments.ratio, "atoms": atoms, "weights": weights}


def _noise_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ratio", type=float, required=True, metavar="R", help="p/n, any number > 0")
    for name, letter, count in (("rows", "R", "p rows"), ("columns", "T", "n columns")):
        parser.add_argument(
            f"--{name}",
            default="1",
            metavar="V,V,…",
            help=f"eigenvalues of {letter}, the covariance of the {count} (default 1)",
        )
        parser.add_argument(
            f"--{name[:-1]}-weights", metavar="W,W,…", help="their shares, summing to one (default: equal)"
        )


def _noise_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"ratio": arguments.ratio}
    for name in ("rows", "columns", "row-weights", "column-weights"):
        text = getattr(arguments, name.replace("-", "_"))
        found[name.replace("-", "_")] = None if text is None else numbers(name, text)
    return found


KINDS = (
    LawKind(
        "mp",
        "Marchenko–Pastur: (1/N) X Xᵀ, X d×N",
        _mp_options,
        lambda arguments: laws.MarchenkoPastur(arguments.ratio, arguments.variance),
        lambda arguments: {"ratio": arguments.ratio, "variance": arguments.variance},
    ),
    LawKind(
        "generalized-mp",
        "generalised Marchenko–Pastur: (1/N) X Λ Xᵀ, X d×N, Λ with given eigenvalues, on the N samples",
        _generalized_options,
        lambda arguments: laws.GeneralizedMarchenkoPastur(**_generalized_parameters(arguments)),
        _generalized_parameters,
    ),
    LawKind(
        "structured-noise",
        "structured noise: XXᵀ, X = R^½ Z T^½ of shape p×n, entries of Z of variance 1/n",
        _noise_options,
        lambda arguments: laws.StructuredNoise(**_noise_parameters(arguments)),
        _noise_parameters,
    ),
    LawKind(
        "semicircle",
        "Wigner's semicircle: symmetric n×n with independent entries",
        _semicircle_options,
        lambda arguments: laws.Semicircle(arguments.variance),
        lambda arguments: {"variance": arguments.variance},
    ),
    LawKind(
        "dyson",
        "Matrix Dyson equation: correlated matrices of a common ensemble, or a variance profile",
        law_dyson.add_options,
        law_dyson.build,
        law_dyson.parameters,
    ),
)
