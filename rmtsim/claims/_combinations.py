"""Combinations of options: each is tested as it is stated, or refused when it is declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from rmtsim.claims._model import Bounded, Kind


def check_combination(name: str, kind: Kind, given: Mapping[str, Any]) -> None:
    """Raise a ValueError for options that do not belong to the kind of the statement, or not to each other."""
    if given["of"] not in get_args(Bounded):
        raise ValueError(f"of={given['of']!r}: expected one of {', '.join(map(repr, get_args(Bounded)))}")
    for option, usual, owner in (
        ("amplitude", None, "rate"),
        ("relation", "power", "rate"),
        ("sense", "<=", "bound"),
        ("of", "value", "bound"),
    ):
        if given[option] != usual and kind != owner:
            raise ValueError(
                f"{name}: {option}={given[option]!r} belongs to a {owner} claim, and this is a {kind}"
            )
    if given["amplitude"] is not None and given["relation"] == "O":
        raise ValueError(
            f"{name}: amplitude={given['amplitude']!r} belongs to an exact power, and relation='O' is an upper bound"
        )
    if kind == "rate" and given["limit"] is not None and not given["rate"] > 0:
        raise ValueError(f"{name}: rate={given['rate']}: expected a number > 0 (a limit is approached at it)")
    if given["of"] != "value" and given["accuracy"] is not None:
        raise ValueError(f"{name}: of={given['of']!r} belongs to a simulated quantity: leave of= out")
    _check_outer(name, kind, given)
    _check_support(name, kind, given)


def _check_outer(name: str, kind: Kind, given: Mapping[str, Any]) -> None:
    if given["outer"] is None:
        return
    if kind not in ("limit", "law", "probability"):
        raise ValueError(f"{name}: outer={given['outer']!r} belongs to a limit, and this is a {kind}")
    if given["coupled"]:
        raise ValueError(f"{name}: coupled=True belongs to a limit in one size: leave outer= or coupled= out")


def _check_support(name: str, kind: Kind, given: Mapping[str, Any]) -> None:
    """Bounds of the values must be bounds of what is tested."""
    support = given["support"]
    if support is None:
        return
    if kind == "probability" or given["of"] == "probability":
        if tuple(support) == (0, 1):
            return
        raise ValueError(f"{name}: support={support}: the values of an event are 0 and 1: leave support= out")
    why = ""
    if kind == "identity":
        why = "an identity is tested at every point"
    elif kind == "bound" and given["of"] == "value":
        why = "a bound on every value is tested at every draw"
    elif kind == "law" and not isinstance(given["law"], (int, float)):
        why = "it bounds the values, not their distance to the law"
    elif kind == "rate" and given["limit"] is not None:
        why = "it bounds the values, not their distance to the limit"
    elif kind == "rate" and given["accuracy"] is not None:
        why = "a computed rate does not use it"
    if why:
        raise ValueError(f"{name}: support={support} has no effect, since {why}: leave it out")


def check_function(name: str, kind: Kind, given: Mapping[str, Any], *, whole_batch: bool) -> None:
    """The same for what is known only with the function: whether it returns whole batches."""
    if (
        kind == "law"
        and whole_batch
        and given["outer"] is not None
        and not isinstance(given["law"], (int, float))
    ):
        raise ValueError(
            f"{name}: the law of a drawn number (an argument replicates) is tested in one size: leave outer= out"
        )
