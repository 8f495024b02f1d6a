"""Declaring a statement: what is printed, what is right, how it is measured.

``@claim(id, ...)`` turns a function of (size, rng) into a :class:`Claim`; ``claim(id, function, ...)`` does the same
for a function that exists already. A statement of a paper is declared with the parts of :mod:`rmtsim.claims`; a
short form with plain keywords serves single statements of one's own.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.claims._checks import (
    KINDS,
    Checked,
    answer,
    check_function,
    checked_options,
    correction_exponent,
    each_of,
    law_of,
)
from rmtsim.claims._model import (
    Bounded,
    Choice,
    Claim,
    Form,
    Kind,
    Mode,
    Parameter,
    Parameters,
    Standing,
)
from rmtsim.claims._parts import (
    Computed,
    Corrected,
    Cost,
    Erratum,
    Grid,
    Option,
    Place,
    Plan,
    Prediction,
    Simulated,
    States,
    Within,
    check_parts,
    over_and_points,
)
from rmtsim.claims._samplers import (
    Declared,
    Distance,
    SpectralLaw,
    by_name,
    called_name,
)
from rmtsim.claims._texts import FILE as WORDS_FILE
from rmtsim.claims._texts import words_of

_DECLARED: dict[str, list[Claim]] = {}
"""Every claim declared in this process, printed form only, by the module that declares it as far as it is known."""


class Short(TypedDict, total=False):
    """The short form of a declaration: plain keywords instead of parts."""

    limit: Prediction | None
    rate: float | None
    amplitude: Prediction | None
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | float | None
    probability: Prediction | None
    bound: Prediction | None
    identity: bool
    tolerance: Within
    relation: Literal["O", "Theta", "power"]
    sense: Literal["<=", ">="]
    of: Bounded
    likely: bool
    outer: tuple[str, tuple[int, ...]] | None
    mode: Mode | None
    sizes: Sequence[int]
    exponents: Sequence[float] | None
    because: str
    slowest: Callable[..., float] | None
    support: tuple[float, float] | None
    coupled: bool
    cost: Cost | None
    memory: Cost | None
    size_name: str
    accuracy: float | None
    revision: int
    data: Sequence[str | os.PathLike[str]]
    parameters: Sequence[Parameter | Choice]
    grid: Sequence[Parameters]
    statement: str
    source: str


_DEFAULTS: dict[str, Any] = {
    "limit": None, "rate": None, "amplitude": None, "law": None, "probability": None, "bound": None, "identity": False,
    "tolerance": None, "relation": "power", "sense": "<=", "of": "value", "likely": False, "outer": None, "mode": None,
    "sizes": (), "exponents": None, "because": "", "slowest": None, "support": None, "coupled": False, "cost": None,
    "memory": None, "size_name": "size", "accuracy": None, "revision": 1, "data": (), "parameters": (), "grid": ({},),
    "statement": "", "source": "", "standing": "equation", "qualifier": "", "same_as": "", "cause": "", "credit": "",
    "weak": "", "vacuous": "", "note": "", "theory_in_sampler": "", "chain": (), "form": "printed",
}  # fmt: skip
"""What a declaration leaves out."""


def declared_in(module: str, ids: Callable[[str], bool]) -> list[Claim]:
    """Claims that an imported module declares, in order, each followed by its correction.

    A claim belongs to the module in which its function is defined. A module may also declare claims of functions that
    it imports; these are recognised by ``ids``, which says whether an id is a literal of the module's source.
    """
    own = _DECLARED.get(module, [])
    names = {claim.id for claim in own}
    others: list[Claim] = []
    for claim in reversed(_DECLARED.get("", [])):  # the last one, where a source was executed again
        if claim.id not in names and ids(claim.id):
            names.add(claim.id)
            others.insert(0, claim)
    return [each for claim in (*own, *others) for each in (claim, claim.correction) if each is not None]


LOADING: set[str] = set()
"""Modules of claims files while their source is executed."""


def being_loaded(module: str) -> bool:
    """Whether the source of a module is being executed now."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return module in LOADING or module == "__main__" or bool(getattr(spec, "_initializing", False))


def forget(module: str) -> None:
    """Drop what a module declared, before its file is loaded again."""
    _DECLARED.pop(module, None)


def dense_cost(size: int) -> float:
    """Nominal seconds of one replicate if none are declared: dense linear algebra on size × size.

    About 10⁻⁷ size², as measured for eigenvalues between 40 and 1000, linear beyond 2000 where samplers are
    hardly ever dense. Declare ``cost`` if a sampler is much cheaper or more expensive; the budget is then used better.

    >>> dense_cost(100)
    0.00102
    """
    return 2e-5 + 1e-7 * min(size, 2000) * size


class Declaration(Short, total=False):
    """All keywords of :func:`claim`."""

    at: str | Place
    standing: Standing
    printed: str
    corrected: str | Prediction | Corrected | None
    states: States | None
    over: Sequence[Parameter | Choice] | Grid | None
    points: Sequence[Parameters] | None
    plan: Plan | None
    evidence: Simulated | Computed | None
    erratum: Erratum | None


@overload
def claim(
    name: str, measured: None = None, **options: Unpack[Declaration]
) -> Callable[[Callable[..., Any]], Claim]: ...


@overload
def claim(name: str, measured: Callable[..., Any], **options: Unpack[Declaration]) -> Claim: ...


def claim(
    name: str,
    measured: Callable[..., Any] | None = None,
    *,
    at: str | Place = "",
    standing: Standing = "equation",
    printed: str = "",
    corrected: str | Prediction | Corrected | None = None,
    states: States | None = None,
    over: Sequence[Parameter | Choice] | Grid | None = None,
    points: Sequence[Parameters] | None = None,
    plan: Plan | None = None,
    evidence: Simulated | Computed | None = None,
    erratum: Erratum | None = None,
    **short: Unpack[Short],
) -> Any:
    """Declare a statement.

    Used as a decorator, or with ``measured`` as a function. The measured function has one of these forms:

    ``f(size, rng, **parameters)``
        One replicate: a real number, or a one-dimensional array of *independent* replicates; for a law, the sample to
        be compared with it.
    ``f(size, rng, replicates, **parameters)``
        A whole batch: an array of ``replicates`` numbers.
    ``f(sizes, rng, **parameters)``
        Coupled sizes: one number per size from one draw, or rows of such numbers.
    ``f(size, **parameters)``
        Computed without chance, to the relative accuracy that ``evidence=Computed(accuracy)`` declares.

    It must use no randomness but ``rng``. A function with a parameter ``form`` receives "printed" or "corrected".

    Parameters
    ----------
    name : str
        The id, without spaces. ``{choice}`` in it declares a family: one claim for each option of the
        :class:`Choice` of that name in ``over``, whose functions receive the option's value and whose texts contain
        its label. An :class:`Option` may also bring parts of its own.
    measured : callable, optional
        The function that measures the quantity; without it, ``claim`` returns a decorator.
    at : str or Place, optional
        Where the statement is in its paper.
    standing : {"equation", "theorem", "lemma", "heuristic", "remark", "figure"}, optional
        What the statement is in its paper.
    printed : str, optional
        The statement in words; the default is the docstring of the function.
    corrected : str, float, callable or Corrected, optional
        The right statement where the printed one is refuted: its words, the right value in place of that of
        ``states``, or what else differs. It becomes a claim of its own, ``NAME/corrected``.
    states : Limit, Rate, Law, Probability, Bound or Identity
        What is stated, with its tolerance.
    over : sequence of Parameter or Choice, or Grid, optional
        The parameters of the statement; a :class:`Grid` also has the points, and may have plan and evidence.
    points : sequence of mapping, optional
        Parameter points tested by default; what a point leaves out takes the parameter's default.
    plan : Plan
        Sizes, admitted finite-size corrections and costs.
    evidence : Simulated or Computed, optional
        Required for a computed quantity.
    erratum : Erratum, optional
        Why the printed statement fails, and what the paper has right.
    **short
        The short form: ``limit``, ``rate`` (with ``amplitude`` and ``relation``), both ``limit`` and ``rate`` (the
        limit is approached at this rate), ``law``, ``probability``, ``bound`` (with ``sense`` and ``of``) or
        ``identity`` with ``tolerance`` instead of ``states``; ``sizes``, ``exponents``,
        ``because``, ``cost``, ``memory``, ``size_name``, ``slowest``, ``support``, ``coupled`` instead of ``plan``;
        ``parameters`` and ``grid`` instead of ``over`` and ``points``; ``accuracy`` and ``revision`` instead of
        ``evidence``; ``statement`` and ``source`` instead of ``printed`` and ``at``. ``data`` names files that the
        function reads, relative to the file of the declaration; stored batches are not reused once one has changed.

    Returns
    -------
    Claim, tuple of Claim or callable
        The claim, the claims of a family, or a decorator that returns them. For a type checker, the declaration of a
        family is that of a claim.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, given twice or out of range, or the function has none of the forms above.

    Examples
    --------
    >>> @claim("mean.of.exponentials", limit=1.0, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,),
    ...        because="the mean is 1 at every size: no correction at all")
    ... def mean(size, rng):
    ...     return rng.exponential(size=size).mean()
    >>> from rmtsim import verify
    >>> str(verify(mean, budget=2)[0].verdict)
    'CONFIRMED'
    """
    _check_name(name)
    place = at if isinstance(at, Place) else Place(at)
    if isinstance(over, Grid):
        plan, evidence = plan or over.plan, evidence or over.evidence
    _named(name, lambda: check_parts(states=states, plan=plan, evidence=evidence, erratum=erratum))
    plain: dict[str, Any] = {"standing": standing} | over_and_points(over, points)
    plain |= {"statement": printed} if printed else {}
    options = _options(name, [place if at else None, states, plan, evidence, erratum], plain, short)
    right = _correction_of(name, corrected, states)
    family = _family(name, options["parameters"])
    ids = [_filled(name, chosen) for chosen in family]
    twice = next((each for each in ids if ids.count(each) > 1), None)
    if twice is not None:
        raise ValueError(
            f"name={name!r}: two members of the family are named {twice!r}; expected options that differ"
        )
    of_options = [_measured(options["parameters"], chosen) for chosen in family]
    given_parts = {
        "states": states,
        "over": over,
        "points": points,
        "at": at or None,
        "printed": printed or None,
    }
    written = {
        option: field
        for part, names in _WRITTEN.items()
        if given_parts[part] is not None
        for option, field in names.items()
    }
    with _named_as_written(written):
        for chosen in family:
            # Checked before the function is known, so that an error names the line of the declaration.
            member, given, _ = _member("printed", name, options, chosen)
            checked_options(member, given)

    def decorate(function: Callable[..., Any] | None) -> Any:
        members = []
        for chosen, own in zip(family, of_options, strict=True):
            used: Any = own or function
            with _named_as_written(written):
                member = _both_forms(name, options, right, chosen, used)
            # The function of another module that is complete: the declaration is somewhere else.
            known = not (own or measured) or being_loaded(_home(used))
            _DECLARED.setdefault(_home(used) if known else "", []).append(member)
            members.append(member)
        return tuple(members) if _CHOICE.search(name) else members[0]

    return decorate(measured) if measured is not None or all(of_options) else decorate


def _correction_of(name: str, corrected: Any, states: Any) -> Corrected | None:
    """The correction from its words, its value or its parts."""
    if corrected is None or isinstance(corrected, Corrected):
        return corrected
    if isinstance(corrected, str):
        return Corrected(corrected)
    if not (isinstance(corrected, (int, float)) or callable(corrected)) or not hasattr(states, "value"):
        raise TypeError(
            f"{name}: corrected={corrected!r}: expected text, Corrected(...), or the right value of a Limit, "
            "Probability or Bound"
        )
    return Corrected(states=states.but(value=corrected))


def _named(name: str, check: Callable[[], None]) -> None:
    """Run a check; its error is raised with the id of the claim."""
    try:
        check()
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


_WRITTEN = {
    "states": {
        "limit": "value",
        "probability": "value",
        "bound": "value",
        "rate": "exponent",
        "tolerance": "within",
    },
    "over": {"parameters": "over"},
    "points": {"grid": "points"},
    "at": {"source": "at"},
    "printed": {"statement": "printed"},
}
"""Names of options in the parts of a declaration, by the part."""


@contextlib.contextmanager
def _named_as_written(written: Mapping[str, str]) -> Iterator[None]:
    """Errors name an option ``option=...`` as the declaration writes it: by the field of a part, if it has parts."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = re.sub(r"\b(\w+)=", lambda found: f"{written.get(found[1], found[1])}=", str(error))
        if type(error) not in (TypeError, ValueError) or text == str(error):
            raise
        raise type(error)(text) from error.__cause__


_STATED = (*KINDS, "amplitude", "outer", "mode", "relation", "sense", "of", "likely")
"""Options that say what is stated."""
_CHOICE = re.compile(r"\{(\w+)\}")
"""A choice in the id of a family."""


def _options(
    name: str, parts: Sequence[Any], plain: Mapping[str, Any], short: Mapping[str, Any]
) -> dict[str, Any]:
    """All options of a declaration by name; an error for those that are unknown or given twice."""
    unknown = sorted(set(short) - set(Short.__annotations__))
    if unknown:
        raise TypeError(f"{name}: unexpected option {unknown[0]!r}")
    given = dict(_DEFAULTS)
    seen: dict[str, str] = {}
    named = [(type(part).__name__, part._options()) for part in parts if part is not None]
    for where, found in [*named, ("the declaration", plain), ("the short form", short)]:
        for key, value in found.items():
            if key in seen:
                raise TypeError(f"{name}: {key} is given twice, by {seen[key]} and by {where}")
            seen[key] = where
            given[key] = value
    return given


def _with_words(
    name: str, options: Mapping[str, Any], right: Corrected | None, chosen: Mapping[str, str], paper: Any
) -> tuple[dict[str, Any], Corrected | None]:
    """Options and correction of a member completed by the words that its paper's ``statements.toml`` has for it."""
    printed, restated = words_of(paper, name)
    for key in printed:
        # A plan that several declarations share may have a reason of its own.
        if key != "because" and options[key] != _DEFAULTS[key]:
            raise TypeError(f"{name}: {key} is given twice, by the declaration and by {WORDS_FILE}")
    of_option = (option.corrected for _, option in _chosen(options["parameters"], chosen))
    right = next((each for each in of_option if each is not None), right)
    if chosen:
        own, own_restated = words_of(paper, _filled(name, chosen))
        printed, restated = printed | own, restated | own_restated
    if restated and right is None:
        right = Corrected()
    if right is not None:
        if "statement" in restated and right.statement:
            raise TypeError(f"{name}: the correction is given twice, by the declaration and by {WORDS_FILE}")
        right = right.but(**{key: text for key, text in restated.items() if key != "because"})
        if "because" in restated:
            shared = right.plan or Plan(**{each.name: options[each.name] for each in fields(Plan)})
            right = right.but(plan=shared.but(because=restated["because"]))
    return {**options, **printed}, right


def _family(name: str, parameters: Any) -> list[dict[str, str]]:
    """The combinations of options that the id names; one empty combination without choices in the id."""
    names = _CHOICE.findall(name)
    known = {each.name: each for each in parameters if isinstance(each, Choice)} if names else {}
    for each in names:
        if each not in known:
            raise ValueError(f"name={name!r}: expected a Choice named {each!r} among the parameters")
    return [
        dict(zip(names, options, strict=True))
        for options in itertools.product(*(known[each].names for each in names))
    ]


def _chosen(parameters: Any, chosen: Mapping[str, str]) -> list[tuple[str, Option]]:
    """The chosen options, each with the name of its choice; a plain value is an option without anything of its own."""
    found = []
    for each in parameters if chosen else ():
        if each.name in chosen:
            value = each.value(chosen[each.name])
            found.append((each.name, value if isinstance(value, Option) else Option(value)))
    return found


def _measured(parameters: Any, chosen: Mapping[str, str]) -> Callable[..., Any] | None:
    """The function given by the options of a member, if any."""
    return next((option.measured for _, option in _chosen(parameters, chosen) if option.measured), None)


def _member(
    form: Form,
    name: str,
    options: Mapping[str, Any],
    chosen: Mapping[str, str],
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """One member of a family in one form: its id, its options with choices filled in, and the values to be bound.

    Options of the choice replace those of the declaration, and ``changes`` replace both.
    """
    picked = _chosen(options["parameters"], chosen)
    given = dict(options)
    for _, option in picked:
        given |= _replacing(option._options(), option.states, option.evidence)
    given |= changes
    values = {"form": form, **{each: option.value for each, option in picked}}
    if chosen:
        words = {key: text for _, option in picked for key, text in option.words.items()}
        words |= {each: option.label or chosen[each] for each, option in picked}
        own = {each: option.over for each, option in picked}
        given["parameters"] = [one for each in given["parameters"] for one in own.get(each.name, (each,))]
        given["chain"] = tuple(_filled(each, chosen) for each in given["chain"])
        given["same_as"] = _filled(given["same_as"], chosen)
        for key in _TEXTS:
            given[key] = _filled(given[key], words)
    for key in _FUNCTIONS:
        if callable(given[key]):
            given[key] = bound(given[key], values)
    return _filled(name, chosen), given, values


def _replacing(found: Mapping[str, Any], states: Any, evidence: Any) -> dict[str, Any]:
    """``found`` completed by defaults; a part replaces another one completely."""
    replaced = (_STATED if states is not None else ()) + (_EVIDENCE if evidence is not None else ())
    return {key: _DEFAULTS[key] for key in replaced} | dict(found)


_EVIDENCE = ("accuracy", "chain", "theory_in_sampler")
"""Options that say how the quantity is measured."""
_TEXTS = (
    "statement",
    "source",
    "because",
    "note",
    "cause",
    "credit",
    "weak",
    "vacuous",
    "qualifier",
    "size_name",
    "theory_in_sampler",
)
"""Options in which a family fills in the label of the chosen option."""
_FUNCTIONS = ("limit", "amplitude", "probability", "bound", "cost", "memory", "slowest")
"""Options that may be functions; they receive the chosen value and the form if they name them."""


def _filled(name: str, chosen: Mapping[str, str]) -> str:
    return _CHOICE.sub(lambda found: chosen.get(found[1], found[0]), name)


def bound(function: Callable[..., Any], values: Mapping[str, Any]) -> Callable[..., Any]:
    """``function`` with those of the ``values`` fixed that it takes by name.

    >>> bound(lambda size, form: form, {"form": "printed", "other": 1})(3)
    'printed'
    """
    try:
        accepted = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return function
    taken = {key: value for key, value in values.items() if key in accepted}
    return functools.partial(function, **taken) if taken else function


def _both_forms(
    name: str,
    options: Mapping[str, Any],
    right: Corrected | None,
    chosen: Mapping[str, str],
    function: Callable[..., Any],
) -> Claim:
    """One claim, with its correction if it has one."""
    options, right = _with_words(name, options, right, chosen, paper_of(function))
    printed = _one_form("printed", name, options, chosen, function)
    if right is None:
        return printed
    if printed.form == "ours":
        raise ValueError(f"{name}: form='ours' has no correction: the paper does not make the statement")
    if not right.statement:
        raise TypeError(
            f"{name}: corrected=Corrected(...) has no statement: expected its first argument, or 'corrected' in the "
            f"paper's {WORDS_FILE}"
        )
    changes = _replacing(right._options(), right.states, right.evidence)
    if options["same_as"] and right.same_as is None:
        changes["same_as"] = f"{options['same_as']}/corrected"
    restated = _one_form(
        "corrected", f"{name}/corrected", options, chosen, right.measured or function, changes
    )
    return replace(printed, correction=replace(restated, form="corrected"))


def _one_form(
    form: Form,
    name: str,
    options: Mapping[str, Any],
    chosen: Mapping[str, str],
    function: Callable[..., Any],
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> Claim:
    member, given, values = _member(form, name, options, chosen, changes)
    return _claim(member, bound(function, values), checked_options(member, given), paper_of(function))


def paper_of(function: Callable[..., Any]) -> Any:
    """The paper whose package contains the function's module, if there is one: the package defines ``PAPER``."""
    module = _home(function)
    while module:
        paper = getattr(sys.modules.get(module), "PAPER", None)
        if paper is not None:
            return paper
        module = module.rpartition(".")[0]
    return None


def _home(function: Any) -> str:
    """The module of a function, or of the function in a partial application."""
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    return str(getattr(inner, "__module__", None) or "")


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name or any(letter.isspace() for letter in name):
        raise ValueError(f"name={name!r}: expected a name without spaces, for instance goe.edge")
    if name.startswith("-") or name.endswith("/corrected"):
        raise ValueError(f"name={name!r}: expected a name that does not start with - or end with /corrected")
    if re.search(r"[{}]", _CHOICE.sub("", name)):
        raise ValueError(f"name={name!r}: expected choices in the form {{choice}}")


def _claim(name: str, function: Callable[..., Any], checked: Checked, paper: Any) -> Claim:
    """The claim of one form of a statement."""
    given = checked.options
    read = Declared.read(name, function, checked.names, coupled=given["coupled"], sizes=given["sizes"])
    if read.random == (given["accuracy"] is not None):
        raise TypeError(
            f"{name}: {called_name(function)} takes a generator, so its values are simulated: leave out "
            "evidence=Computed(...), or accuracy= of the short form"
            if read.random
            else f"{name}: {called_name(function)} takes no generator, so its values are computed: declare "
            "evidence=Computed(...), in the short form accuracy= (or take rng as second argument, and draw from it)"
        )
    sizes: tuple[int, ...] = given["sizes"]
    translated = _translation(given["parameters"])
    words = _words(checked.kind, given["limit"], given["rate"])
    sample = translated(read.sampler(law_of(given["law"]), sizes if given["coupled"] else None))
    approached = translated(checked.approached)
    check_function(name, checked.kind, given, whole_batch=read.whole_batch)
    cost = dense_row(sizes) if given["cost"] is None and given["coupled"] else given["cost"]
    return Claim(
        id=name,
        paper=paper.key if paper is not None else "user",
        citation=paper.citation if paper is not None else "",
        equation=given["source"] or called_name(function),
        statement=given["statement"] or inspect.getdoc(function) or f"{called_name(function)}: {words}",
        kind=checked.kind,
        sample=sample if approached is None else Distance(sample, approached),
        measured=function,
        predict=translated(checked.stated),
        approached=approached,
        sized=checked.sized,
        sizes=sizes,
        grid=each_of("grid", given["grid"], "parameter points such as {'gamma': 0.5}"),
        exponent=given["rate"],
        slowest=translated(_of_point(name, "slowest", given["slowest"], checked.names)),
        cost=translated(_seconds(name, "cost", dense_cost if cost is None else cost, checked.names)),
        memory=translated(
            _seconds(name, "memory", 0.0 if given["memory"] is None else given["memory"], checked.names)
        ),
        **{key: given[key] for key in _PASSED_ON},
    )


def _translation(parameters: Sequence[Parameter | Choice]) -> Callable[[Any], Any]:
    """A wrapper for functions of a parameter point: they receive the values of the chosen options, not the names."""
    choices = [each for each in parameters if isinstance(each, Choice) and isinstance(each.options, Mapping)]
    if not choices:
        return lambda function: function

    def translated(function: Any) -> Any:
        def of_values(point: Parameters, *rest: Any) -> Any:
            return function({**point, **{each.name: each.value(point[each.name]) for each in choices}}, *rest)

        return None if function is None else of_values

    return translated


_PASSED_ON = (
    "tolerance", "size_name", "parameters", "exponents", "because", "relation", "outer", "mode", "coupled", "support",
    "sense", "of", "likely", "accuracy", "revision", "data", "note", "standing", "qualifier", "cause", "credit", "weak",
    "vacuous", "same_as", "theory_in_sampler", "chain", "form",
)  # fmt: skip
"""Options that a claim has under the same name."""


def dense_row(sizes: tuple[int, ...]) -> float:
    """Nominal seconds of one row of a coupled claim: all its sizes.

    >>> dense_row((100, 100)) == 2 * dense_cost(100)
    True
    """
    return math.fsum(dense_cost(size) for size in sizes)


def _of_point(
    name: str, option: str, function: Callable[..., float] | None, names: Sequence[str]
) -> Callable[[Parameters], float] | None:
    """An exponent by the parameter point, from a function that names the parameters it uses."""
    if function is None:
        return None
    chosen = by_name(name, option, function, names)
    return lambda parameters: correction_exponent(
        option, answer(name, option, function, **chosen(parameters))
    )


def _seconds(
    name: str, option: str, amount: Cost, names: Sequence[str]
) -> Callable[[Parameters, int], float]:
    """Nominal seconds (or bytes) at a point and size."""
    if callable(amount):
        chosen = by_name(name, option, amount, names, positional=1)
        return lambda parameters, size: float(answer(name, option, amount, size, **chosen(parameters)))
    number = validate.finite_number(option, amount, meaning=f"nominal {option} of {name}")
    return lambda parameters, size: number


def _words(kind: Kind, stated: Any, rate: float | None) -> str:
    if kind == "rate":
        number = f" {stated:g}" if isinstance(stated, (int, float)) else " its limit"
        return f"decays like size^-{rate:g}" if stated is None else f"tends to{number} like size^-{rate:g}"
    shown = f" {stated:g}" if isinstance(stated, (int, float)) and math.isfinite(stated) else ""
    return {
        "limit": f"tends to{shown}",
        "law": "follows the stated law",
        "identity": "vanishes to rounding",
    }.get(kind, f"{kind}{shown}")
