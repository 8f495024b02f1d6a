"""The laws that ``rmtsim law`` knows, each with its options; a further law is a further entry."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rmtsim import laws
from rmtsim.cli import _law_dyson as law_dyson

if TYPE_CHECKING:
    from rmtsim.laws import SpectralLaw

__all__ = ["KINDS", "LawKind", "numbers"]


@dataclass(frozen=True)
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
