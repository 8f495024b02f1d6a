"""Checks of a declaration before anything runs: each option is tested as it is stated, or refused."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import (
    DEFAULT_EXPONENTS,
    Bounded,
    Choice,
    Kind,
    Mode,
    Parameter,
    Relative,
    Standing,
    Tolerance,
    check_text,
)
from rmtsim.claims._parts import Option, Prediction
from rmtsim.claims._samplers import by_name, in_one_line

KINDS: tuple[Kind, ...] = get_args(Kind)


@frozen
class Checked:
    """Options that have been checked, before the function is known."""

    kind: Kind
    stated: Any
    names: tuple[str, ...]
    options: Mapping[str, Any]
    approached: Any = None
    """The limit that a rate approaches."""
    sized: bool = False
    """Whether the stated number depends on the size."""


def checked_options(name: str, options: Mapping[str, Any]) -> Checked:
    """Everything that can be checked before anything runs."""
    given = dict(options)
    for word in (
        "statement",
        "source",
        "size_name",
        "note",
        "because",
        "qualifier",
        "cause",
        "credit",
        "weak",
    ):
        check_text(word, given[word])
    kind = _kind(name, *(given[each] for each in KINDS))
    given["sizes"] = _sizes(name, kind, given["sizes"])
    _check_options(name, given["rate"], given["law"], given["relation"], given["sense"], given["support"])
    given["tolerance"] = _tolerance(name, given["tolerance"])
    stated: Any = {"rate": given["amplitude"], "law": 0.0, "identity": 0.0}.get(kind, given.get(kind))
    if given["coupled"]:
        _check_coupled(name, kind, given["sizes"], given["support"])
    _check_mode(name, kind, given)
    check_combination(name, kind, given)
    given["parameters"] = each_of("parameters", given["parameters"], "Parameter(...) objects")
    _check_parameters(name, given["parameters"])
    given["chain"] = each_of("chain", given["chain"], "names of simulated claims")
    given["data"] = each_of("data", given["data"], "paths of files")
    for path in given["data"]:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{name}: data={path!r}: expected the path of a file")
    if given["chain"] and given["accuracy"] is None:
        raise ValueError(f"{name}: chain={given['chain']} belongs to a computed quantity (accuracy=...)")
    given["exponents"] = _exponents(given["exponents"])
    if given["standing"] not in get_args(Standing):
        accepted = ", ".join(get_args(Standing))
        raise ValueError(f"standing={given['standing']!r}: expected one of {accepted}")
    if given["form"] not in ("printed", "ours"):
        raise ValueError(f"{name}: form={given['form']!r}: expected printed or ours")
    if given["form"] == "ours" and given["cause"]:
        raise ValueError(f"{name}: form='ours' has no cause: the paper does not make the statement")
    if given["accuracy"] is not None:
        validate.positive_number(
            "accuracy", given["accuracy"], meaning="relative error of a computed quantity"
        )
    validate.integer("revision", given["revision"], minimum=1, meaning=f"revision of the sampler of {name}")
    for option in ("cost", "memory"):
        if given[option] is not None and not callable(given[option]):
            validate.finite_number(option, given[option], meaning=f"nominal {option} of {name}")
    if isinstance(given["cost"], (int, float)) and given["cost"] <= 0:
        raise ValueError(f"{name}: cost={given['cost']}: expected nominal seconds > 0")
    grown = () if given["outer"] is None else (given["outer"][0],)
    names = (*(parameter.name for parameter in given["parameters"]), *grown)
    predict, sized = (None, False) if stated is None else _prediction(name, kind, stated, names)
    if not callable(stated) and given["tolerance"].width(_zone_of(kind, stated, given["rate"])) == 0:
        raise ValueError(f"{name}: a relative tolerance of zero is zero: declare an absolute one")
    approached = None
    if kind == "rate" and given["limit"] is not None:
        approached = _prediction(name, "limit", given["limit"], names)[0]
    return Checked(kind, predict, names, given, approached=approached, sized=sized)


def _zone_of(kind: Kind, stated: Any, rate: Any) -> float:
    """The number that a relative tolerance refers to."""
    return float(rate if kind == "rate" and stated is None else stated)


def _check_parameters(name: str, parameters: Sequence[Any]) -> None:
    seen = set()
    for parameter in parameters:
        if not isinstance(parameter, Parameter | Choice):
            raise TypeError(
                f"{name}: parameters={parameter!r}: expected Parameter(...) or Choice(...) objects"
            )
        if parameter.name in seen:
            raise ValueError(f"{name}: the parameter {parameter.name!r} is declared twice")
        seen.add(parameter.name)
        if isinstance(parameter, Choice) and any(
            isinstance(parameter.value(option), Option) for option in parameter.names
        ):
            raise TypeError(
                f"{name}: the choice {parameter.name!r} has Option(...) values, which belong to a choice in the id "
                f"(for instance {name}.{{{parameter.name}}}); expected plain values"
            )


def _tolerance(name: str, given: Any) -> Tolerance:
    """The declared tolerance; a plain number is absolute."""
    if isinstance(given, Tolerance):
        return given
    if isinstance(given, Relative):
        return given.tolerance
    if given is None:
        raise TypeError(
            f"{name}: tolerance is missing: declare it before the run, for instance tolerance=0.01"
        )
    return Tolerance(absolute=validate.positive_number("tolerance", given))


def _exponents(given: Any) -> tuple[float, ...]:
    """The declared exponents, checked; the default ones if none are declared."""
    if given is None:
        return DEFAULT_EXPONENTS
    found = tuple(correction_exponent("exponents", p) for p in each_of("exponents", given, "numbers > 0"))
    if not found:
        raise ValueError("exponents=(): expected at least one number > 0, for instance (1.0,)")
    return found


def correction_exponent(option: str, given: Any) -> float:
    """An exponent that is neither too close to zero nor too large to be measured."""
    number = validate.positive_number(option, given)
    low, high = _EXPONENT_RANGE
    if not low <= number <= high:
        raise ValueError(f"{option}={number:g}: expected an exponent of size in [{low}, {high:g}]")
    return number


_EXPONENT_RANGE = (0.01, 16.0)


_LARGEST_RATE = 64.0
"""Of a stated decay: faster ones leave double precision within a few sizes."""


def answer(name: str, option: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Result of a declared function; an error is reported in one line with the claim."""
    try:
        return function(*given, **named)
    except Exception as error:
        raise ValueError(f"{name}: {option} raised {in_one_line(error)}") from error


def law_of(law: Any) -> Any:
    """The law to compare samples with; a number says that the function returns distances itself."""
    return None if isinstance(law, (int, float)) else law


def _kind(name: str, *stated: Any) -> Kind:
    chosen = [
        kind for kind, value in zip(KINDS, stated, strict=True) if value is not None and value is not False
    ]
    if set(chosen) == {"limit", "rate"}:
        return "rate"
    if len(chosen) != 1:
        found = ", ".join(chosen) or "none"
        raise ValueError(
            f"{name}: state exactly one of {', '.join(KINDS)}, or a limit with its rate (found: {found})"
        )
    return chosen[0]


def each_of(option: str, value: Any, expected: str) -> tuple[Any, ...]:
    """Members of a sequence; raises an error if the argument is not one."""
    try:
        if isinstance(value, str):
            raise TypeError
        return tuple(value)
    except TypeError:
        raise TypeError(f"{option}={validate.shown(value)}: expected a sequence of {expected}") from None


def _sizes(name: str, kind: Kind, sizes: Sequence[int]) -> tuple[int, ...]:
    members = each_of("sizes", sizes, "increasing integers, for instance (40, 80, 160)")
    checked = tuple(validate.integer("sizes", size, meaning=f"sizes of {name}") for size in members)
    if not checked or list(checked) != sorted(set(checked)):
        raise ValueError(f"{name}: sizes={members}: expected increasing integers, for instance (40, 80, 160)")
    if len(checked) == 1 and kind in ("limit", "rate", "law", "probability"):
        # One size alone cannot distinguish the value at this size from the limit.
        raise ValueError(f"{name}: sizes={members}: expected at least two sizes, for instance (40, 80, 160)")
    return checked


def _check_mode(name: str, kind: Kind, given: Mapping[str, Any]) -> None:
    """Whether a mode of convergence can be tested as it is declared."""
    mode = given["mode"]
    if mode is None:
        return
    if mode not in get_args(Mode):
        raise ValueError(f"mode={mode!r}: expected one of {', '.join(map(repr, get_args(Mode)))}")
    if kind != "limit" or given["accuracy"] is not None or given["outer"] is not None:
        raise ValueError(f"{name}: mode={mode!r} belongs to a simulated limit in one size")
    if mode == "almost surely" and not given["coupled"]:
        raise ValueError(
            f"{name}: mode='almost surely' needs all sizes of one growing object: declare coupled=True and return one "
            "number per size"
        )
    if mode != "mean" and given["support"] is not None:
        raise ValueError(
            f"{name}: support={given['support']} bounds the values, not their squared distance to the limit"
        )


def _check_coupled(
    name: str, kind: Kind, sizes: tuple[int, ...], support: tuple[float, float] | None
) -> None:
    if kind not in ("limit", "rate"):
        raise ValueError(f"{name}: coupled=True belongs to a limit or a rate, and this is a {kind}")
    if support is not None:
        raise ValueError(
            f"{name}: support={support} gives each size an interval of its own, which coupled=True does not use: "
            "leave one of them out"
        )
    if len(sizes) < 2:
        raise ValueError(f"sizes={sizes}: expected at least two sizes for coupled=True")


def _check_options(
    name: str, rate: Any, law: Any, relation: str, sense: str, support: tuple[float, float] | None
) -> None:
    """What can be checked of the other declarations before anything runs."""
    if rate is not None:
        number = validate.finite_number("rate", rate, meaning="the stated exponent: decays like size^-rate")
        if abs(number) > _LARGEST_RATE:
            raise ValueError(
                f"rate={number:g}: expected an exponent in [{-_LARGEST_RATE:g}, {_LARGEST_RATE:g}]"
            )
    if law_of(law) is not None and not callable(getattr(law, "cdf", law)):
        raise TypeError(f"law={law!r}: expected an object with a method cdf, or a distribution function")
    if isinstance(law, (int, float)) and law != 0:
        raise ValueError(
            f"law={law!r}: expected a law, or 0.0 if the function returns its own distance to one"
        )
    if isinstance(law, type):
        raise TypeError(
            f"law={law.__name__}: expected a law, not its class (for instance {law.__name__}(...))"
        )
    for option, value, accepted in (
        ("relation", relation, ("O", "Theta", "power")),
        ("sense", sense, ("<=", ">=")),
    ):
        if value not in accepted:
            raise ValueError(f"{option}={value!r}: expected one of {', '.join(map(repr, accepted))}")
    if support is not None:
        ends = each_of("support", support, "two numbers, low < high")
        if len(ends) != 2 or not all(isinstance(end, (int, float)) for end in ends) or not ends[0] < ends[1]:
            raise ValueError(
                f"support={validate.shown(support)}: expected two numbers, low < high (bounds of the values of {name})"
            )


def _prediction(
    name: str, kind: Kind, stated: Prediction, names: Sequence[str]
) -> tuple[Callable[..., float], bool]:
    """The stated number at a parameter point, and whether it depends on the size (a bound may)."""
    expected = "a probability in [0, 1]" if kind == "probability" else "a finite number"

    def checked(value: Any) -> float:
        number = validate.finite_number(f"{kind}: prediction", value, meaning=f"what {name} states")
        if kind == "probability" and not 0 <= number <= 1:
            raise ValueError(f"prediction={number}: expected {expected} (what {name} states)")
        return number

    if not callable(stated):
        value = checked(stated)
        return lambda parameters: value, False
    sized = kind == "bound" and "size" in _named_by(stated)
    chosen = by_name(name, "the prediction", stated, (*names, "size") if sized else names)
    if sized:
        return (
            lambda parameters, size: checked(
                answer(name, "the prediction", stated, **chosen({**parameters, "size": size}))
            ),
            True,
        )
    return lambda parameters: checked(answer(name, "the prediction", stated, **chosen(parameters))), False


def _named_by(function: Callable[..., Any]) -> set[str]:
    """Names of the parameters of a function; none where its signature is unknown."""
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return set()


def check_combination(name: str, kind: Kind, given: Mapping[str, Any]) -> None:
    """Raise a ValueError for options that do not belong to the kind of the statement, or not to each other."""
    if given["of"] not in get_args(Bounded):
        raise ValueError(f"of={given['of']!r}: expected one of {', '.join(map(repr, get_args(Bounded)))}")
    for option, usual, owner in (
        ("amplitude", None, "rate"),
        ("relation", "power", "rate"),
        ("sense", "<=", "bound"),
        ("of", "value", "bound"),
        ("likely", False, "bound"),
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
