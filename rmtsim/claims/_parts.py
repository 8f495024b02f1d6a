"""The parts that a declaration is made of: what is stated, where, over which parameters, and how it is measured.

Each part is a frozen value with one job. ``part.but(field=value)`` is a copy in which some fields differ, so that
statements can share a plan and still differ in one field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Bounded, Choice, Mode, Parameter, Parameters, Relative, Tolerance
from rmtsim.claims._samplers import SpectralLaw

Prediction = float | Callable[..., float]
"""A number, or a function of the claim's parameters by name (it receives those that it names)."""
Cost = float | Callable[..., float]
"""Seconds or bytes: a number, or a function ``(size, **parameters)`` that receives the parameters it names."""
Within = float | Relative | Tolerance
"""A tolerance: a plain number is absolute."""


def check_part(option: str, value: Any, *accepted: type) -> None:
    """Raise a TypeError unless ``value`` is None or an instance of one of the ``accepted`` parts."""
    if value is None or isinstance(value, accepted):
        return
    shown = value.__name__ if isinstance(value, type) else f"{value!r:.60}"
    names = ", ".join(f"{each.__name__}(...)" for each in accepted)
    raise TypeError(f"{option}={shown}: expected {names}")


def check_parts(*, states: Any = None, plan: Any = None, evidence: Any = None, erratum: Any = None) -> None:
    """Raise a TypeError that names the option and the parts that it accepts."""
    check_part("states", states, Limit, Rate, Law, Probability, Bound, Identity)
    check_part("plan", plan, Plan)
    check_part("evidence", evidence, Simulated, Computed)
    check_part("erratum", erratum, Erratum)


class _Part:
    """A frozen part of a declaration."""

    def but(self, **changes: Any) -> Self:
        """Copy with some fields changed.

        Parameters
        ----------
        **changes : object
            New values of fields.

        Returns
        -------
        same type
            The copy.

        Raises
        ------
        TypeError
            If there is no such field.
        """
        known = [each.name for each in fields(self)]  # type: ignore[arg-type]
        for name in changes:
            if name not in known:
                raise TypeError(f"{type(self).__name__}.but({name}=...): expected one of {', '.join(known)}")
        return replace(self, **changes)  # type: ignore[type-var]


@frozen
class Limit(_Part):
    """The quantity tends to a number as the size grows.

    Examples
    --------
    >>> Limit(2.0, within=Relative(0.01)).but(value=3.0).within
    Relative(share=0.01)
    """

    kind: ClassVar[str] = "limit"
    value: Prediction
    """The limit: a number, or a function of the parameters that it names."""
    within: Within
    """Half-width of the zone that counts as equal."""
    outer: tuple[str, tuple[int, ...]] | None = None
    """For an iterated limit: the parameter that grows after the size has, and its values."""
    mode: Mode | None = None
    """Whether the mean converges, the quantity in probability, or almost surely along one growing object (coupled
    sizes). By default the mean is tested, and a spread that does not vanish is reported."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {"limit": self.value, "tolerance": self.within, "outer": self.outer, "mode": self.mode}


@frozen
class Rate(_Part):
    """The quantity behaves like size^-exponent.

    Examples
    --------
    >>> Rate(0.5, "O", within=0.05).relation
    'O'
    >>> Rate(2 / 3, to=2.0, amplitude=-1.2065, within=0.05).to
    2.0
    """

    kind: ClassVar[str] = "rate"
    exponent: float
    """The stated decay."""
    relation: Literal["O", "Theta", "power"] = "power"
    """Exact power, upper bound (faster decay also satisfies it), or two-sided order."""
    within: Within = 0.05
    """Tolerance on the exponent; with an amplitude, on the amplitude."""
    amplitude: Prediction | None = None
    """The limit of size^exponent times the quantity."""
    to: Prediction | None = None
    """The limit that is approached at this rate: the statement is about the quantity minus this number. It holds only
    if both the limit and the rate are right."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {
            "rate": self.exponent,
            "relation": self.relation,
            "tolerance": self.within,
            "amplitude": self.amplitude,
            "limit": self.to,
        }


@frozen
class Law(_Part):
    """The returned numbers follow a law: their Kolmogorov distance to it tends to zero.

    Examples
    --------
    >>> from rmtsim.claims import Law
    >>> from rmtsim.laws import Semicircle
    >>> Law(Semicircle(), within=0.01).within
    0.01
    """

    kind: ClassVar[str] = "law"
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | float
    """The law, its distribution function, or 0.0 if the sampler returns its own distance to a law."""
    within: Within
    """Largest distance that counts as zero."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {"law": self.law, "tolerance": self.within}


@frozen
class Probability(_Part):
    """The probability of an event tends to a number; the sampler returns whether the event occurred.

    Examples
    --------
    >>> from rmtsim.claims import Probability
    >>> Probability(0.5, within=0.02).value
    0.5
    """

    kind: ClassVar[str] = "probability"
    value: Prediction
    """The limit of the probability."""
    within: Within
    """Half-width of the zone that counts as equal."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {"probability": self.value, "tolerance": self.within}


@frozen
class Bound(_Part):
    """Every value, or the mean, or the probability of an event, lies on one side of a bound at every size.

    Examples
    --------
    >>> from rmtsim.claims import Bound
    >>> Bound(lambda gamma: 1 / gamma).sense
    '<='
    >>> Bound(lambda size, t: np.exp(-size * t**2 / 2), of="probability").of
    'probability'
    """

    kind: ClassVar[str] = "bound"
    value: Prediction
    """The bound: a number, or a function of the parameters that it names; it may also name ``size``."""
    sense: Literal["<=", ">="] = "<="
    """Whether what is bounded is stated to lie below or above it."""
    within: Within = 1e-9
    """Excess that is attributed to rounding; of a mean or a probability, excess that does not matter."""
    of: Bounded = "value"
    """What is bounded: every value, their mean, or the probability of an event (the sampler then returns whether it
    occurred)."""
    likely: bool = False
    """Whether the bound is stated for numbers of the drawn law, with high probability, and not for all numbers. A
    search for counterexamples then keeps the law."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {
            "bound": self.value,
            "sense": self.sense,
            "tolerance": self.within,
            "of": self.of,
            "likely": self.likely,
        }


@frozen
class Identity(_Part):
    """A formula holds up to rounding; the sampler returns a relative error.

    Examples
    --------
    >>> from rmtsim.claims import Identity
    >>> Identity().within
    1e-12
    """

    kind: ClassVar[str] = "identity"
    within: Within = 1e-12
    """Largest error that is attributed to rounding."""

    def _options(self) -> dict[str, Any]:
        """The statement as options of the short form."""
        return {"identity": True, "tolerance": self.within}


States = Limit | Rate | Law | Probability | Bound | Identity
"""What a claim can state."""


@frozen
class Plan(_Part):
    """At which sizes the quantity is measured, what is known about its finite-size corrections, and what it costs.

    Examples
    --------
    >>> Plan(sizes=(40, 80, 160), exponents=(1,)).but(sizes=(50, 100)).sizes
    (50, 100)
    """

    sizes: Sequence[int] = ()
    """Increasing sizes."""
    exponents: Sequence[float] | None = None
    """Exponents of the finite-size corrections that are admitted, slowest first."""
    because: str = ""
    """The reason why no other exponents occur."""
    cost: Cost | None = None
    """Nominal seconds of one replicate (of one row, if ``coupled``)."""
    memory: Cost | None = None
    """Bytes of one batch."""
    size_name: str = "size"
    """The symbol of the size."""
    slowest: Callable[..., float] | None = None
    """Exponent of the slowest correction where it depends on the parameters."""
    support: tuple[float, float] | None = None
    """Bounds that every value obeys."""
    coupled: bool = False
    """Whether one draw measures all sizes."""

    def _options(self) -> dict[str, Any]:
        """The plan as options of the short form."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@frozen
class Simulated(_Part):
    """The quantity is simulated.

    Examples
    --------
    >>> from rmtsim.claims import Simulated
    >>> Simulated(revision=2).revision
    2
    """

    theory: str = ""
    """The reason why the sampler uses theory; empty if it uses none."""
    revision: int = 1
    """Raised whenever the sampler changes what it returns."""

    def _options(self) -> dict[str, Any]:
        """The evidence as options of the short form."""
        return {"theory_in_sampler": self.theory, "revision": self.revision}


@frozen
class Computed(_Part):
    """The quantity is computed without chance.

    Examples
    --------
    >>> from rmtsim.claims import Computed
    >>> Computed(accuracy=1e-12, chain=("dong.thm1.diagonal/corrected",)).accuracy
    1e-12
    """

    accuracy: float
    """Its relative error."""
    chain: Sequence[str] = ()
    """Ids of the simulated claims that compare its formula with sampled models."""
    revision: int = 1
    """Raised whenever the computation changes what it returns."""

    def _options(self) -> dict[str, Any]:
        """The evidence as options of the short form."""
        return {"accuracy": self.accuracy, "chain": self.chain, "revision": self.revision}


@frozen
class Place(_Part):
    """Where a statement is in its paper, when more has to be said than the number of an equation.

    Examples
    --------
    >>> from rmtsim.claims import Place
    >>> Place("Section 3", qualifier="intuitively").where
    'Section 3'
    """

    where: str
    """Section, theorem or equation."""
    qualifier: str = ""
    """The paper's own word for how far it means the statement ("intuitively", "≈")."""
    same_as: str = ""
    """Id of the claim that tests the same statement where the paper has it twice; the two count once."""
    note: str = ""
    """What a reader should know about the statement or its test."""

    def _options(self) -> dict[str, Any]:
        """The place as options of the short form."""
        found = {"source": self.where, "qualifier": self.qualifier, "same_as": self.same_as}
        return found | ({"note": self.note} if self.note else {})


@frozen
class Erratum(_Part):
    """Why a printed statement fails.

    Examples
    --------
    >>> from rmtsim.claims import Erratum
    >>> Erratum(cause="square lost", credit="Proposition 3 has the square").cause
    'square lost'
    """

    cause: str = ""
    """The mistake in a few words, shared by all statements that inherit it."""
    note: str = ""
    """The step that fails, in a sentence."""
    credit: str = ""
    """What the paper has right elsewhere, or another reading under which it is right."""

    def _options(self) -> dict[str, Any]:
        """The erratum as options of the short form."""
        found = {"cause": self.cause, "credit": self.credit}
        return found | ({"note": self.note} if self.note else {})


@frozen
class Grid(_Part):
    """Parameters together with the points at which statements over them are tested, and what these statements share.

    Examples
    --------
    >>> Grid([Parameter("ratio", "n/d", 1.0)], points=[{"ratio": 0.5}, {"ratio": 2.0}]).points[0]
    {'ratio': 0.5}
    """

    parameters: Sequence[Parameter | Choice]
    """The parameters of a statement."""
    points: Sequence[Parameters] = ({},)
    """Parameter points tested by default; what a point leaves out takes the parameter's default."""
    plan: Plan | None = None
    """The plan of statements over these parameters; one in the declaration replaces it."""
    evidence: Simulated | Computed | None = None
    """Their evidence; one in the declaration replaces it."""

    def __post_init__(self) -> None:
        check_parts(plan=self.plan, evidence=self.evidence)

    def planned(self, **changes: Any) -> Grid:
        """Copy with some fields of the plan changed.

        Parameters
        ----------
        **changes : object
            New values of fields of the plan.

        Returns
        -------
        Grid
            The copy.

        Examples
        --------
        >>> Grid([], plan=Plan(sizes=[8, 16])).planned(size_name="width").plan.sizes
        [8, 16]
        """
        return self.but(plan=(self.plan or Plan()).but(**changes))


def over_and_points(over: Any, points: Any) -> dict[str, Any]:
    """The parameters and points of a declaration as options of the short form; given points replace a grid's."""
    parameters = over.parameters if isinstance(over, Grid) else over
    tested = over.points if isinstance(over, Grid) and points is None else points
    return ({} if parameters is None else {"parameters": parameters}) | (
        {} if tested is None else {"grid": tested}
    )


@frozen
class Corrected(_Part):
    """The right statement beside a refuted one; what is left out is as in the printed form.

    Parameters
    ----------
    statement : str
        The corrected statement. A paper may have it in its ``statements.toml`` instead.
    measured : callable, optional
        The function that measures it. A function with a parameter ``form`` receives "printed" or "corrected" and
        serves both.
    states, over, points, plan, evidence, note, same_as : optional
        What differs from the printed declaration.

    Examples
    --------
    >>> Corrected("(1/d)‖H‖²_F tends to g", plan=Plan(sizes=(40, 80), exponents=(1,))).statement
    '(1/d)‖H‖²_F tends to g'
    """

    statement: str = ""
    measured: Callable[..., Any] | None = None
    states: States | None = None
    over: Sequence[Parameter | Choice] | Grid | None = None
    points: Sequence[Parameters] | None = None
    plan: Plan | None = None
    evidence: Simulated | Computed | None = None
    note: str | None = None
    same_as: str | None = None

    def __post_init__(self) -> None:
        check_parts(states=self.states, plan=self.plan, evidence=self.evidence)

    def _options(self) -> dict[str, Any]:
        """What differs, as options of the short form."""
        found: dict[str, Any] = {"statement": self.statement}
        for part in (self.states, self.plan, self.evidence):
            if part is not None:
                found |= part._options()
        plain = {"note": self.note, "same_as": self.same_as}
        found |= over_and_points(self.over, self.points)
        return found | {key: value for key, value in plain.items() if value is not None}


@frozen
class Option(_Part):
    """One value of a choice in the name of a claim, with what only this value needs.

    Parameters
    ----------
    value : object, optional
        What the functions of the claim receive.
    label : str, optional
        How the value is called in the statement; the default is its name.
    over : sequence of Parameter, optional
        Parameters that only this member of the family has.
    points : sequence of mapping, optional
        Points at which this member is tested.
    words : mapping of str to str, optional
        Further texts of this member: ``{key}`` in a text of the declaration is replaced by ``words[key]``.
    measured : callable, optional
        The function that measures this member. If every member has one, the declaration needs none.
    states, plan, evidence, erratum : optional
        What differs from the declaration; a part of :class:`Corrected` takes precedence.
    corrected : Corrected, optional
        The right statement beside this member, instead of that of the declaration.

    Examples
    --------
    >>> Option(label="H_ij", words={"equation": "(23)"}, states=Limit(0.0, within=0.1)).states.value
    0.0
    """

    value: Any = None
    label: str = ""
    over: Sequence[Parameter | Choice] = ()
    points: Sequence[Mapping[str, Any]] | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    measured: Callable[..., Any] | None = None
    states: States | None = None
    plan: Plan | None = None
    evidence: Simulated | Computed | None = None
    erratum: Erratum | None = None
    corrected: Corrected | None = None

    def __post_init__(self) -> None:
        check_parts(states=self.states, plan=self.plan, evidence=self.evidence, erratum=self.erratum)
        check_part("corrected", self.corrected, Corrected)
        if not isinstance(self.words, Mapping):
            raise TypeError(
                f"words={self.words!r}: expected a mapping of texts, for instance {{'equation': '(23)'}}"
            )

    def _options(self) -> dict[str, Any]:
        """What differs from the declaration, as options of the short form."""
        parts = (self.states, self.plan, self.evidence, self.erratum)
        found = {key: value for part in parts if part is not None for key, value in part._options().items()}
        return found | ({} if self.points is None else {"grid": self.points})
