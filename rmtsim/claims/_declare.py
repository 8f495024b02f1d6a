"""The one way to declare a statement: what is printed, what is right, how it is measured.

Built-in claims and users' claims are declared alike. As a decorator, ``@claim(id, ...)`` turns a function of
(size, rng) into a :class:`Claim`; where statements share a function, ``claim(id, function, ...)`` does the same.
What the paper prints and, where evidence refutes it, the right statement stand together:
``corrected=correction("ID/corrected", ...)`` names only what differs.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.claims._model import (
    DEFAULT_EXPONENTS,
    Claim,
    Kind,
    Parameter,
    Parameters,
    Standing,
    Tolerance,
    check_text,
)
from rmtsim.claims._papers import Paper
from rmtsim.claims._samplers import (
    Declared,
    SpectralLaw,
    by_name,
    called_name,
    in_one_line,
    kolmogorov_distance,
)

__all__ = [
    "Correction",
    "Prediction",
    "SpectralLaw",
    "claim",
    "correction",
    "declared_in",
    "dense_cost",
    "kolmogorov_distance",
]


Prediction = float | Callable[..., float]
"""A number, or a function of the claim's parameters by name (it is given those that it names)."""
Cost = float | Callable[..., float]
"""Seconds or bytes: a number, or a function ``(size, **parameters)`` that is given the parameters it names."""

_KINDS: tuple[Kind, ...] = get_args(Kind)
_DECLARED: dict[str, list[Claim]] = {}
"""What each module declared, in order."""


def declared_in(module: str) -> list[Claim]:
    """Claims declared by a module that has been imported, in order, each followed by its correction.

    >>> from rmtsim.papers.dong.statements import theorem_1
    >>> declared_in(theorem_1.__name__)[0].id
    'dong.eq5'
    """
    return list(_DECLARED.get(module, ()))


def forget(module: str) -> None:
    """Drop what a module declared, before its file is loaded anew."""
    _DECLARED.pop(module, None)


@dataclass(frozen=True)
class Correction:
    """What a corrected statement says differently from the printed one."""

    id: str
    options: Mapping[str, Any]


def correction(name: str, **options: Any) -> Correction:
    """The right statement beside a refuted one: any option of :func:`claim` that differs from the printed form.

    ``name`` is the printed claim's name with ``/corrected`` behind it, written out so that it can be searched for.

    >>> correction("goe.edge/corrected", limit=2.0).id
    'goe.edge/corrected'
    """
    if not isinstance(name, str) or not name.endswith("/corrected"):
        raise ValueError(f"name={name!r}: expected the printed claim's name followed by /corrected")
    return Correction(name, options)


def dense_cost(size: int) -> float:
    """Nominal seconds of one replicate when nothing is declared: dense linear algebra on size × size.

    About 10⁻⁷ size², as measured for eigenvalues between 40 and 1000, linear beyond 2000 where samplers are
    hardly ever dense. Declare ``cost`` when your sampler is much cheaper or dearer, and the budget is used better.

    >>> dense_cost(100)
    0.00102
    """
    return 2e-5 + 1e-7 * min(size, 2000) * size


def claim(
    name: str,
    measured: Callable[..., Any] | None = None,
    *,
    limit: Prediction | None = None,
    rate: float | None = None,
    amplitude: Prediction | None = None,
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | float | None = None,
    probability: Prediction | None = None,
    bound: Prediction | None = None,
    identity: bool = False,
    tolerance: float | Tolerance,
    sizes: Sequence[int],
    relation: Literal["O", "Theta", "power"] = "power",
    sense: Literal["<=", ">="] = "<=",
    exponents: Sequence[float] | None = None,
    because: str = "",
    slowest: Callable[..., float] | None = None,
    support: tuple[float, float] | None = None,
    coupled: bool = False,
    outer: tuple[str, tuple[int, ...]] | None = None,
    accuracy: float | None = None,
    parameters: Sequence[Parameter] = (),
    grid: Sequence[Parameters] = ({},),
    cost: Cost | None = None,
    memory: Cost | None = None,
    revision: int = 1,
    statement: str = "",
    source: str = "",
    size_name: str = "size",
    paper: Paper | None = None,
    standing: Standing = "equation",
    qualifier: str = "",
    cause: str = "",
    credit: str = "",
    same_as: str = "",
    note: str = "",
    theory_in_sampler: str = "",
    chain: Sequence[str] = (),
    corrected: Correction | None = None,
) -> Any:
    """Declare a statement: the :class:`Claim`, or (without ``measured``) a decorator of the function that measures it.

    State one thing: ``limit`` (a number, or a function of the parameters), ``rate`` (the value decays like
    size^-rate; with ``amplitude`` also its constant), ``law`` (an object with ``cdf``, or a distribution
    function: the sampler returns the numbers that should follow it, or with ``law=0.0`` its own distance to a law),
    ``probability`` (the sampler returns whether the event happened), ``bound``, or ``identity`` (the sampler returns a
    relative error).

    The function is ``f(size, rng, **parameters)`` and returns one real number, or a one-dimensional array of
    *independent* replicates; a law's function returns the sample to be compared with the law. It must use no
    randomness but ``rng``. ``f(size, rng, replicates, **parameters)`` returns a whole batch of them at once. A
    function without ``rng``, ``f(size, **parameters)``, computes its value without chance, to the relative
    ``accuracy`` that is declared with it. With ``coupled`` it is ``f(sizes, rng, **parameters)`` and returns one number
    per size, all from the same draw (nested minors of one matrix, say), or rows of such numbers: what the sizes have
    in common then cancels in the extrapolation.

    A plain number as ``tolerance`` is absolute. ``exponents`` are the finite-size corrections you admit and ``because``
    the reason why no others occur (``slowest`` where the slowest depends on the parameters); ``cost`` is the nominal
    seconds of a replicate (of a row, if coupled), ``memory`` the bytes of a batch: a number, or a function of size and
    parameters. ``outer`` makes a limit iterated: the parameter that grows after the size has, and its values.

    A computed quantity names in ``chain`` the simulated claims that join it to a real model.

    ``source``, ``paper``, ``standing`` (theorem, lemma, equation, heuristic, remark, figure) and ``qualifier`` (the
    paper's own "intuitively", "≈") say where the statement stands and how it is meant. Where it is refuted,
    ``corrected=correction("NAME/corrected", ...)`` holds what the right statement says differently, ``cause`` the slip
    in a few words (shared by all statements that inherit it), ``note`` the step that fails and ``credit`` what speaks
    for the paper (the right form elsewhere, another reading). ``same_as`` names the claim that tests the same
    statement, where a paper has one twice; the two are counted once.

    >>> @claim("mean.of.exponentials", limit=1.0, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,),
    ...        because="the mean is 1 at every size: no correction at all")
    ... def mean(size, rng):
    ...     return rng.exponential(size=size).mean()
    >>> from rmtsim import verify
    >>> str(verify(mean, budget=2)[0].verdict)
    'CONFIRMED'
    """
    options = {key: value for key, value in locals().items() if key not in ("name", "measured", "corrected")}
    _check_name(name)
    module = sys._getframe(1).f_globals.get("__name__", "")  # as namedtuple does: whose declaration this is
    checked = _checked(name, options)
    if corrected is not None and corrected.id != f"{name}/corrected":
        raise ValueError(
            f"corrected={corrected.id!r}: expected {f'{name}/corrected'!r}, the printed name with a suffix"
        )

    def decorate(function: Callable[..., Any]) -> Claim:
        printed = _claim(name, function, checked)
        if corrected is not None:
            changed = _merged(options, corrected.options)
            if same_as and "same_as" not in corrected.options:
                changed["same_as"] = f"{same_as}/corrected"
            restated = _claim(
                corrected.id, changed.pop("measured", function), _checked(corrected.id, changed)
            )
            printed = replace(printed, correction=replace(restated, form="corrected"))
        _DECLARED.setdefault(module, []).extend(_with_correction([printed]))
        return printed

    return decorate if measured is None else decorate(measured)


def _with_correction(claims: Iterable[Claim]) -> list[Claim]:
    """Each claim followed by its correction, if it has one."""
    return [each for item in claims for each in (item, item.correction) if each is not None]


def _merged(options: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a correction: those of the printed form, but for what differs; another kind replaces the kind."""
    unknown = set(changes) - set(options) - {"measured"}
    if unknown:
        raise TypeError(f"correction got an unexpected option {sorted(unknown)[0]!r}")
    kept = dict(options)
    if set(changes) & set(_KINDS):
        kept |= {kind: None for kind in _KINDS if kind != "identity"} | {"identity": False, "amplitude": None}
    return kept | dict(changes)


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name or any(letter.isspace() for letter in name):
        raise ValueError(f"name={name!r}: expected a name without spaces, for instance goe.edge")


@dataclass(frozen=True)
class _Checked:
    """Options that have been checked, before the function is known."""

    kind: Kind
    stated: Any
    names: tuple[str, ...]
    options: Mapping[str, Any]


def _checked(name: str, options: Mapping[str, Any]) -> _Checked:
    """Everything that can be checked before anything runs."""
    given = dict(options)
    for word in ("statement", "source", "size_name", "note", "because", "qualifier", "cause", "credit"):
        check_text(word, given[word])
    kind = _kind(name, *(given[each] for each in _KINDS))
    given["sizes"] = _sizes(name, kind, given["sizes"])
    _check_options(name, given["rate"], given["law"], given["relation"], given["sense"], given["support"])
    if not isinstance(given["tolerance"], Tolerance):
        given["tolerance"] = Tolerance(absolute=validate.positive_number("tolerance", given["tolerance"]))
    stated: Any = {"rate": given["amplitude"], "law": 0.0, "identity": 0.0}.get(kind, given.get(kind))
    if given["coupled"]:
        _check_coupled(name, kind, given["sizes"], given["support"])
    if given["amplitude"] is not None and kind != "rate":
        raise ValueError(
            f"{name}: amplitude={given['amplitude']!r} belongs to a rate claim, and this is a {kind}"
        )
    given["parameters"] = _each("parameters", given["parameters"], "Parameter(...) objects")
    for parameter in given["parameters"]:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"parameters={parameter!r}: expected Parameter(...) objects")
    given["chain"] = _each("chain", given["chain"], "names of simulated claims")
    if given["chain"] and given["accuracy"] is None:
        raise ValueError(f"{name}: chain={given['chain']} belongs to a computed quantity (accuracy=...)")
    given["exponents"] = _exponents(given["exponents"])
    if given["standing"] not in get_args(Standing):
        accepted = ", ".join(get_args(Standing))
        raise ValueError(f"standing={given['standing']!r}: expected one of {accepted}")
    if given["accuracy"] is not None:
        validate.positive_number(
            "accuracy", given["accuracy"], meaning="relative error of a computed quantity"
        )
    grown = () if given["outer"] is None else (given["outer"][0],)
    names = (*(parameter.name for parameter in given["parameters"]), *grown)
    return _Checked(kind, None if stated is None else _prediction(name, kind, stated, names), names, given)


def _exponents(given: Any) -> tuple[float, ...]:
    """Those declared, checked; left out, the default, which counts as a guess."""
    if given is None:
        return DEFAULT_EXPONENTS
    found = tuple(_correction("exponents", p) for p in _each("exponents", given, "numbers > 0"))
    if not found:
        raise ValueError("exponents=(): expected at least one number > 0, for instance (1.0,)")
    return found


def _correction(option: str, given: Any) -> float:
    """An exponent that sizes can tell from a constant and that does not vanish at once."""
    number = validate.positive_number(option, given)
    low, high = _EXPONENT_RANGE
    if not low <= number <= high:
        raise ValueError(f"{option}={number:g}: expected an exponent of size in [{low}, {high:g}]")
    return number


_EXPONENT_RANGE = (0.01, 16.0)

_LARGEST_RATE = 64.0
"""Of a stated decay: faster ones leave double precision within a few sizes."""


def _answer(name: str, option: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a declared function returns; what it raises is told with its claim, in one line."""
    try:
        return function(*given, **named)
    except Exception as error:
        raise ValueError(f"{name}: {option} raised {in_one_line(error)}") from error


def _claim(name: str, function: Callable[..., Any], checked: _Checked) -> Claim:
    """The claim of one form of a statement."""
    given = checked.options
    read = Declared.read(name, function, checked.names, coupled=given["coupled"], sizes=given["sizes"])
    if read.random == (given["accuracy"] is not None):
        raise TypeError(
            f"{name}: {called_name(function)} takes a generator, so its values are simulated: leave accuracy= out"
            if read.random
            else f"{name}: {called_name(function)} takes no generator, so its values are computed: declare accuracy="
        )
    sizes: tuple[int, ...] = given["sizes"]
    paper: Paper | None = given["paper"]
    words = _words(checked.kind, given["limit"], given["rate"])
    cost = dense_row(sizes) if given["cost"] is None and given["coupled"] else given["cost"]
    return Claim(
        id=name,
        paper=paper.key if paper is not None else "user",
        citation=paper.citation if paper is not None else "",
        equation=given["source"] or called_name(function),
        statement=given["statement"] or inspect.getdoc(function) or f"{called_name(function)}: {words}",
        kind=checked.kind,
        sample=read.sampler(_law(given["law"]), sizes if given["coupled"] else None),
        measured=function,
        predict=checked.stated,
        sizes=sizes,
        grid=_each("grid", given["grid"], "parameter points such as {'gamma': 0.5}"),
        exponent=given["rate"],
        slowest=_of_point(name, "slowest", given["slowest"], checked.names),
        cost=_seconds(name, "cost", dense_cost if cost is None else cost, checked.names),
        memory=_seconds(name, "memory", 0.0 if given["memory"] is None else given["memory"], checked.names),
        **{key: given[key] for key in _PASSED_ON},
    )


_PASSED_ON = (
    "tolerance", "size_name", "parameters", "exponents", "because", "relation", "outer", "coupled", "support", "sense",
    "accuracy", "revision", "note", "standing", "qualifier", "cause", "credit", "same_as",
    "theory_in_sampler", "chain",
)  # fmt: skip
"""Options that a claim has under the same name."""


def _law(law: Any) -> Any:
    """The law to compare samples with; a number says that the function returns distances itself."""
    return None if isinstance(law, (int, float)) else law


def dense_row(sizes: tuple[int, ...]) -> float:
    """Nominal seconds of one row of a coupled claim: all its sizes.

    >>> dense_row((100, 100)) == 2 * dense_cost(100)
    True
    """
    return math.fsum(dense_cost(size) for size in sizes)


def _kind(name: str, *stated: Any) -> Kind:
    chosen = [
        kind for kind, value in zip(_KINDS, stated, strict=True) if value is not None and value is not False
    ]
    if len(chosen) != 1:
        found = ", ".join(chosen) or "none"
        raise ValueError(f"{name}: state exactly one of {', '.join(_KINDS)} (found: {found})")
    return chosen[0]


def _each(option: str, value: Any, expected: str) -> tuple[Any, ...]:
    """The members of a sequence that was asked for, or an error that says so."""
    try:
        if isinstance(value, str):
            raise TypeError
        return tuple(value)
    except TypeError:
        raise TypeError(f"{option}={validate.shown(value)}: expected a sequence of {expected}") from None


def _sizes(name: str, kind: Kind, sizes: Sequence[int]) -> tuple[int, ...]:
    members = _each("sizes", sizes, "increasing integers, for instance (40, 80, 160)")
    checked = tuple(validate.integer("sizes", size, meaning=f"sizes of {name}") for size in members)
    if not checked or list(checked) != sorted(set(checked)):
        raise ValueError(f"sizes={members}: expected increasing integers, for instance (40, 80, 160)")
    if len(checked) == 1 and kind in ("limit", "rate", "law", "probability"):
        # Without a second size nothing tells the value at this size from the limit that is stated.
        raise ValueError(f"sizes={members}: expected at least two sizes, for instance (40, 80, 160)")
    return checked


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
    if _law(law) is not None and not callable(getattr(law, "cdf", law)):
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
        ends = _each("support", support, "two numbers, low < high")
        if len(ends) != 2 or not all(isinstance(end, (int, float)) for end in ends) or not ends[0] < ends[1]:
            raise ValueError(
                f"support={validate.shown(support)}: expected two numbers, low < high (bounds of the values of {name})"
            )


def _prediction(
    name: str, kind: Kind, stated: Prediction, names: Sequence[str]
) -> Callable[[Parameters], float]:
    expected = "a probability in [0, 1]" if kind == "probability" else "a finite number"

    def checked(value: Any) -> float:
        number = validate.finite_number(f"{kind}: prediction", value, meaning=f"what {name} states")
        if kind == "probability" and not 0 <= number <= 1:
            raise ValueError(f"prediction={number}: expected {expected} (what {name} states)")
        return number

    if not callable(stated):
        value = checked(stated)
        return lambda parameters: value
    chosen = by_name(name, "the prediction", stated, names)
    return lambda parameters: checked(_answer(name, "the prediction", stated, **chosen(parameters)))


def _of_point(
    name: str, option: str, function: Callable[..., float] | None, names: Sequence[str]
) -> Callable[[Parameters], float] | None:
    """An exponent by the parameter point, from a function that names the parameters it uses."""
    if function is None:
        return None
    chosen = by_name(name, option, function, names)
    return lambda parameters: _correction(option, _answer(name, option, function, **chosen(parameters)))


def _seconds(
    name: str, option: str, amount: Cost, names: Sequence[str]
) -> Callable[[Parameters, int], float]:
    """Nominal seconds (or bytes) at a point and size."""
    if callable(amount):
        chosen = by_name(name, option, amount, names, positional=1)
        return lambda parameters, size: float(_answer(name, option, amount, size, **chosen(parameters)))
    number = validate.finite_number(option, amount, meaning=f"nominal {option} of {name}")
    return lambda parameters, size: number


def _words(kind: Kind, stated: Any, rate: float | None) -> str:
    if kind == "rate":
        return f"decays like size^-{rate:g}"
    shown = f" {stated:g}" if isinstance(stated, (int, float)) and math.isfinite(stated) else ""
    return {
        "limit": f"tends to{shown}",
        "law": "follows the stated law",
        "identity": "vanishes to rounding",
    }.get(kind, f"{kind}{shown}")
