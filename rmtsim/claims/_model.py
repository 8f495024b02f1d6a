"""What a claim is: a printed statement, what it predicts, and how to measure it.

A claim combines theory (``predict``) with simulation (``sample``).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource, generator
from rmtsim.claims._papers import PAPERS

Parameters = Mapping[str, Any]
Kind = Literal["limit", "rate", "law", "probability", "bound", "identity"]
Standing = Literal["theorem", "lemma", "equation", "heuristic", "remark", "figure"]
"""What a statement is in its paper. Propositions and corollaries count as lemmas; a step of a proof is an equation;
sentences of the text, and hypotheses tested on a model, are remarks; "heuristic" is whatever the paper itself
introduces as intuitive, informal or approximate."""
Evidence = Literal["simulated", "computed"]
Mode = Literal["mean", "in probability", "almost surely"]
"""Modes of convergence that a limit can state."""
Bounded = Literal["value", "mean", "probability"]
"""What a bound is about."""
Form = Literal["printed", "corrected", "ours"]
"""As printed in the paper, corrected, or a statement that the paper does not make."""

LEVEL = 0.05
"""Default family-wise probability of a wrong confident verdict."""

SECONDS = 120.0
"""Nominal seconds a claim may spend when no budget is given."""

QUICK_SECONDS = 3.0
"""The same for the quick set."""

DEFAULT_EXPONENTS = (0.5, 2 / 3, 1.0)
"""Finite-size corrections admitted where a claim declares none (this very tuple tells that it did not)."""


def check_text(name: str, value: Any) -> None:
    """Raise an error for values that are not text, or contain control characters.

    >>> check_text("statement", "γ → ∞")
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}={validate.shown(value)}: expected text, not {type(value).__name__}")
    if value.isprintable():
        return  # fast path: a report of a store checks some ten thousand texts
    for letter in value:
        if letter != "\n" and unicodedata.category(letter) in _UNPRINTABLE:
            raise ValueError(
                f"{name}={value!r}: expected text without control characters, and {letter!r} is one"
            )


_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of control characters: escapes, changes of direction, surrogates."""


def value_words(value: Any) -> str:
    """The value of a parameter in words.

    >>> value_words(0.5), value_words("tanh")
    ('0.5', 'tanh')
    """
    return value if isinstance(value, str) else f"{value:g}"


def _is_double(value: float) -> bool:
    """Whether a number is a double other than NaN; whole numbers may be too large for one."""
    try:
        return not math.isnan(value)
    except OverflowError:
        return False


@frozen
class Parameter:
    """A numerical parameter of a statement, with the domain on which the statement is made.

    Examples
    --------
    >>> from rmtsim.claims import Parameter
    >>> classes = Parameter("classes", "number of classes", default=3, integer=True, lowest=2)
    >>> classes.accepted
    'integer >= 2'
    >>> classes.check(1)
    Traceback (most recent call last):
        ...
    ValueError: classes=1: expected an integer ... (number of classes)
    """

    name: str
    """Name, as a parameter of the functions of the claim."""
    meaning: str
    """Description."""
    default: float
    """Value where none is given."""
    integer: bool = False
    """Whether the values are integers."""
    lowest: float = 0.0
    highest: float = math.inf
    """Bounds of the domain."""
    open_below: bool = False
    """Whether ``lowest`` itself is excluded."""
    draw_range: tuple[float, float] = (0.1, 10.0)
    """Positive bounds between which ``verify(..., draw=K)`` draws points, uniformly in the logarithm."""
    assumption: str = ""
    """Assumption of the paper, quoted when a value outside the domain is refused."""

    def __post_init__(self) -> None:
        for name in ("name", "meaning", "assumption"):
            check_text(name, getattr(self, name))
        if not self.name.isidentifier():
            raise ValueError(f"name={self.name!r}: expected a name that a function's parameter can have")
        for name in ("lowest", "highest"):
            bound = getattr(self, name)
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not _is_double(bound):
                raise TypeError(f"{self.name}: {name}={validate.shown(bound)}: expected a number")
        if not self.lowest <= self.highest:
            raise ValueError(
                f"{self.name}: lowest={self.lowest}, highest={self.highest}: expected lowest <= highest"
            )
        ends = self.draw_range
        if (
            not isinstance(ends, tuple)
            or len(ends) != 2
            or not all(isinstance(end, (int, float)) and math.isfinite(end) for end in ends)
            or not 0 < ends[0] <= ends[1]
        ):
            raise ValueError(
                f"{self.name}: draw_range={ends!r}: expected two numbers, 0 < low <= high (--draw is log-uniform)"
            )
        try:
            self.check(self.default)
        except (TypeError, ValueError) as error:
            raise type(error)(f"default: {error}") from None

    def check(self, value: Any) -> float | int:
        """Validate a value.

        Parameters
        ----------
        value : float or int
            The value.

        Returns
        -------
        float or int
            The value as a number.

        Raises
        ------
        ValueError, TypeError
            If the value lies outside the domain.
        """
        number: float | int
        if self.integer:
            number = validate.integer(
                self.name,
                value,
                minimum=int(self.lowest),
                maximum=int(min(self.highest, validate.MAXIMUM_SIZE)),
                meaning=self._explanation(),
            )
        else:
            number = validate.finite_number(self.name, value, meaning=self._explanation())
            below = number <= self.lowest if self.open_below else number < self.lowest
            if below or number > self.highest:
                raise ValueError(
                    f"{self.name}={number}: expected a finite number {self._range()} ({self._explanation()})"
                )
        return number

    def parse(self, text: str) -> float | int:
        """Validate a value given as text.

        Parameters
        ----------
        text : str
            The text after ``--set name=``.

        Returns
        -------
        float or int
            The value.

        Raises
        ------
        ValueError
            If the text is not a number of the domain.
        """
        try:
            value: float | int = int(text)
        except ValueError:
            try:
                value = float(text)
            except ValueError:
                raise ValueError(
                    f"{self.name}={text}: expected a number {self._range()} ({self._explanation()})"
                ) from None
            if self.integer and "e" in text.lower() and value.is_integer():
                value = int(value)  # accept 1e6 for an integer
        return self.check(value)

    def draw(self, rng: RandomSource) -> float | int:
        """Draw a value, uniformly in the logarithm over ``draw_range`` and rounded to three digits.

        Parameters
        ----------
        rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
            Source of randomness.

        Returns
        -------
        float or int
            The value.
        """
        low, high = (math.log(end) for end in self.draw_range)
        value = math.exp(generator("rng", rng).uniform(low, high))
        drawn = round(value) if self.integer else float(f"{value:.3g}")
        return drawn if self._contains(drawn) else self._nearest(drawn)

    def _contains(self, value: float) -> bool:
        above = value > self.lowest if self.open_below else value >= self.lowest
        return above and value <= self.highest

    def _nearest(self, value: float) -> float | int:
        """The value of the domain that is nearest to a drawn value outside of it; the default at an open end."""
        end = min(max(value, self.lowest), self.highest)
        if self.integer:
            end = min(max(math.ceil(self.lowest), round(value)), math.floor(self.highest))
        return end if self._contains(end) else self.default

    @property
    def accepted(self) -> str:
        """The domain in words.

        >>> Parameter("classes", "number of classes", default=3, integer=True, lowest=2).accepted
        'integer >= 2'
        """
        return f"{'integer' if self.integer else 'number'} {self._range()}"

    def _range(self) -> str:
        lower = f"{'>' if self.open_below else '>='} {self.lowest:g}"
        return lower if math.isinf(self.highest) else f"{lower} and <= {self.highest:g}"

    def _explanation(self) -> str:
        return f"{self.meaning}; {self.assumption}" if self.assumption else self.meaning


@frozen
class Choice:
    """A parameter whose values are names.

    Examples
    --------
    >>> activation = Choice("activation", {"tanh": math.tanh, "sine": math.sin})
    >>> activation.value("sine")(0.0)
    0.0
    >>> activation.check("relu")
    Traceback (most recent call last):
        ...
    ValueError: activation='relu': expected one of tanh, sine
    """

    name: str
    """Name of the parameter."""
    options: Mapping[str, Any] | Sequence[str]
    """The accepted names. With a mapping, the claim's functions receive the value of the chosen name; with a
    sequence, the name itself."""
    meaning: str = ""
    """What the parameter is."""
    default: str = ""
    """The first option if left out."""
    codes: Sequence[int] | None = None
    """Numbers that take the place of the names in the key of the random stream."""
    assumption: str = ""
    """Assumption of the paper, quoted when a name that is not an option is refused."""

    def __post_init__(self) -> None:
        for name in ("name", "meaning", "default", "assumption"):
            check_text(name, getattr(self, name))
        if not self.name.isidentifier():
            raise ValueError(f"name={self.name!r}: expected a name that a function's parameter can have")
        if (
            isinstance(self.options, str)
            or not isinstance(self.options, (Mapping, Sequence))
            or not self.names
        ):
            raise TypeError(
                f"{self.name}: options={validate.shown(self.options)}: expected one or more names"
            )
        for option in self.names:
            check_text("options", option)
            if not option or self.names.count(option) > 1:
                raise ValueError(
                    f"{self.name}: options={self.names}: expected names that are not empty and all different"
                )
        object.__setattr__(self, "default", self.default or self.names[0])
        self.check(self.default)
        if self.codes is not None and (
            not isinstance(self.codes, Sequence)
            or any(isinstance(code, bool) or not isinstance(code, int) for code in self.codes)
            or len(self.codes) != len(self.names)
            or len(set(self.codes)) != len(self.names)
        ):
            raise ValueError(
                f"{self.name}: codes={validate.shown(self.codes)}: expected {len(self.names)} different integers, "
                "one per option"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The accepted names, in order."""
        return tuple(self.options)

    @property
    def accepted(self) -> str:
        """The domain in words."""
        return f"one of {', '.join(self.names)}"

    def check(self, value: Any) -> str:
        """Validate an option.

        Parameters
        ----------
        value : str or int
            Its name, or its code if it has one.

        Returns
        -------
        str
            The name.

        Raises
        ------
        ValueError
            If there is no such option; the message lists the options.
        """
        if isinstance(value, str) and value in self.names:
            return value
        if self.codes is not None and not isinstance(value, bool) and value in self.codes:
            return self.names[list(self.codes).index(value)]
        why = f" ({self.meaning})" if self.meaning else ""
        raise ValueError(f"{self.name}={value!r}: expected {self.accepted}{why}")

    def parse(self, text: str) -> str:
        """Validate an option given as text; the code of an option is accepted too.

        Parameters
        ----------
        text : str
            The text after ``--set name=``.

        Returns
        -------
        str
            The name of the option.
        """
        if self.codes is not None and text not in self.names and text in map(str, self.codes):
            return self.names[list(map(str, self.codes)).index(text)]
        return self.check(text)

    def draw(self, rng: RandomSource) -> str:
        """Draw an option, all equally likely.

        Parameters
        ----------
        rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
            Source of randomness.

        Returns
        -------
        str
            The name of the option.
        """
        return self.names[int(generator("rng", rng).integers(len(self.names)))]

    def value(self, name: str) -> Any:
        """What the functions of a claim receive for an option.

        Parameters
        ----------
        name : str
            Name of the option.

        Returns
        -------
        object
            The value of the option.
        """
        return self.options[name] if isinstance(self.options, Mapping) else name

    def key(self, name: str) -> str | int:
        """What enters the key of the random stream for an option.

        Parameters
        ----------
        name : str
            Name of the option.

        Returns
        -------
        str or int
            The name, or its code if there are codes.
        """
        return name if self.codes is None else int(self.codes[self.names.index(name)])


@frozen
class Relative:
    """A tolerance as a share of the stated value.

    Examples
    --------
    >>> Relative(0.02).tolerance.width(-3.0)
    0.06
    """

    share: float
    """Half-width of the zone that counts as equal, over the absolute value of the prediction."""

    @property
    def tolerance(self) -> Tolerance:
        """The same as a :class:`Tolerance`."""
        return Tolerance(relative=self.share)


@frozen
class Tolerance:
    """Half-width of the zone around a prediction that counts as equal, fixed before the run.

    Raises
    ------
    ValueError
        If a part is negative or both are zero.

    Examples
    --------
    >>> from rmtsim.claims import Tolerance
    >>> Tolerance(absolute=0.1, relative=0.02).width(10.0)
    0.2
    """

    absolute: float = 0.0
    """Absolute part."""
    relative: float = 0.0
    """Part relative to the absolute value of the prediction. The larger of the two parts holds."""

    def __post_init__(self) -> None:
        parts = [
            validate.finite_number(name, getattr(self, name), meaning="part of the tolerance")
            for name in ("absolute", "relative")
        ]
        if min(parts) < 0 or max(parts) <= 0:
            raise ValueError(
                f"absolute={self.absolute}, relative={self.relative}: "
                "expected two numbers >= 0, at least one > 0"
            )

    def width(self, prediction: float) -> float:
        """Half-width around a prediction.

        Parameters
        ----------
        prediction : float
            The number that the statement predicts.

        Returns
        -------
        float
            ``max(absolute, relative * |prediction|)``.
        """
        return max(self.absolute, self.relative * abs(prediction))


Sampler = Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]


@frozen(kw_only=True)
class Claim:
    """A statement that can be tested; :func:`claim` makes one.

    Calling a claim calls the function that measures it.

    Parameters
    ----------
    id : str
        Name without spaces.
    paper, equation : str
        Key of the paper, and the place in it.
    statement : str
        The statement in words.
    kind : {"limit", "rate", "law", "probability", "bound", "identity"}
        What is stated.
    sample : callable
        ``sample(parameters, size, rng, replicates)`` returns that many independent values of the quantity at
        ``size``.
    predict : callable or None
        ``predict(parameters)`` returns the stated value: the limit or probability, the amplitude of a rate, the
        bound, or zero for the distance to a law. None if no number is stated.
    tolerance : Tolerance
        Half-width of the zone that counts as equal.
    sizes : tuple of int
        Sizes at which the quantity is measured.
    size_name : str, optional
        Symbol of the size.
    parameters : tuple of Parameter or Choice, optional
        Parameters of the statement.
    grid : tuple of mapping, optional
        Parameter points that are tested by default.
    exponents : tuple of float, optional
        Exponents of finite-size corrections that are admitted: value(n) = limit + a·n^(−exponent) + …
    because : str, optional
        Reason why no other exponent occurs.
    slowest : callable, optional
        Exponent of the slowest correction, where it depends on the parameters.
    exponent : float, optional
        Stated decay of a rate.
    relation : {"power", "O", "Theta"}, optional
        Meaning of a rate: exact power, upper bound, or two-sided order.
    outer : tuple, optional
        For an iterated limit: the parameter that grows after the size, and its values.
    mode : {"mean", "in probability", "almost surely"} or None, optional
        For a limit: what converges, and how. None: the mean is tested, and a spread that does not vanish is reported.
    coupled : bool, optional
        Whether one draw measures all sizes. ``sample`` is then called at the largest size and returns rows with one
        number per size, flattened.
    support : tuple of float, optional
        Bounds that all values obey.
    approached : callable or None, optional
        For a rate: ``approached(parameters)`` returns the limit that is approached at this rate; ``sample`` returns
        values minus this limit. None if the quantity itself decays.
    sense : {"<=", ">="}, optional
        Side of a bound on which values are stated to lie.
    of : {"value", "mean", "probability"}, optional
        What a bound is about.
    likely : bool, optional
        Whether a bound is stated for numbers of the drawn law, and not for all numbers.
    sized : bool, optional
        Whether ``predict`` also takes the size, as the second argument.
    accuracy : float, optional
        Relative error of a quantity that is computed; None if it is simulated.
    cost, memory : callable, optional
        Nominal seconds per value, and bytes per batch, as functions of parameters and size.
    revision : int, optional
        Number that is raised when the sampler changes what it returns.
    data : tuple of str or path, optional
        Files or folders that the sampler reads, relative to the file that declares the claim.
    standing : str, optional
        What the statement is in its paper: theorem, lemma, equation, heuristic, remark or figure.
    form : {"printed", "corrected", "ours"}, optional
        Whether the statement is as printed, its correction, or one that the paper does not make.
    correction : Claim, optional
        The corrected statement of a refuted one, with the id ``ID/corrected``.
    qualifier : str, optional
        Word with which the paper qualifies the statement, for instance "heuristically".
    cause, credit, note : str, optional
        For a refuted statement: the mistake in a few words, where the paper is right, and the step that fails.
    weak : str, optional
        Why the test of a true statement refutes no near alternative.
    vacuous : str, optional
        Why no outcome could refute the statement as it is tested; a true one is then UNTESTED.
    same_as : str, optional
        Id of the claim that tests the same statement at another place.
    citation : str, optional
        Citation of the paper.
    measured : callable, optional
        The declared function.
    theory_in_sampler : str, optional
        Reason why a simulated quantity uses theory; empty if it does not.
    chain : tuple of str, optional
        Simulated claims that connect a computed quantity with a real model.
    origin : str, optional
        File of a user's claim.

    Attributes
    ----------
    evidence : {"simulated", "computed"}
        Kind of evidence.
    draws : int
        Values of the quantity per replicate.
    exponents_declared : bool
        Whether the exponents were declared.
    quick, quick_in_paper : bool
        Whether the claim belongs to the quick set of all papers, or of its own.
    source : str
        Key of the paper and place in it.

    Examples
    --------
    >>> from rmtsim.claims import find
    >>> claim = find("dong.thm1.diagonal")
    >>> claim.source, claim.kind, claim.evidence
    ('dong Theorem 1, eq. (22)', 'limit', 'simulated')
    >>> claim.point({"gamma": 0.5})
    {'gamma': 0.5, 'classes': 10}
    """

    id: str
    paper: str
    equation: str
    statement: str
    kind: Kind
    sample: Sampler
    predict: Callable[..., float] | None
    tolerance: Tolerance
    sizes: tuple[int, ...]
    size_name: str = "size"
    parameters: tuple[Parameter | Choice, ...] = ()
    grid: tuple[Parameters, ...] = ({},)
    exponents: tuple[float, ...] = DEFAULT_EXPONENTS
    because: str = ""
    slowest: Callable[[Parameters], float] | None = None
    exponent: float | None = None
    relation: Literal["O", "Theta", "power"] = "power"
    outer: tuple[str, tuple[int, ...]] | None = None
    mode: Mode | None = None
    coupled: bool = False
    support: tuple[float, float] | None = None
    approached: Callable[[Parameters], float] | None = None
    sense: Literal["<=", ">="] = "<="
    of: Bounded = "value"
    likely: bool = False
    sized: bool = False
    accuracy: float | None = None
    cost: Callable[[Parameters, int], float] = lambda parameters, size: 1e-3
    memory: Callable[[Parameters, int], float] = lambda parameters, size: 0.0
    revision: int = 1
    data: tuple[Any, ...] = ()
    standing: Standing = "equation"
    form: Form = "printed"
    correction: Claim | None = None
    qualifier: str = ""
    cause: str = ""
    credit: str = ""
    weak: str = ""
    vacuous: str = ""
    same_as: str = ""
    citation: str = ""
    note: str = ""
    measured: Callable[..., Any] | None = field(default=None, compare=False)
    theory_in_sampler: str = ""
    chain: tuple[str, ...] = ()
    origin: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in _TEXTS:
            check_text(name, getattr(self, name))
        if not self.id or any(letter.isspace() for letter in self.id):
            raise ValueError(f"id={self.id!r}: expected a name without spaces, for instance goe.edge")
        if not isinstance(self.grid, (tuple, list)) or not self.grid:
            raise TypeError(
                f"{self.id}: grid={self.grid!r}: expected one or more parameter points ({{}} for none)"
            )
        for point in self.grid:
            if not isinstance(point, Mapping):
                raise TypeError(
                    f"{self.id}: grid={self.grid!r}: expected points such as {{'gamma': 0.5}}, found {point!r}"
                )
            self.point(point)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the declared function, for instance ``claim(40, rng)`` for one value."""
        if self.measured is None:
            raise TypeError(f"{self.id} was declared without a function of its own; its sampler is .sample")
        return self.measured(*arguments, **options)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A statement of an installed paper is pickled by its id; others need cloudpickle."""
        if self.paper in PAPERS:
            from rmtsim.claims._registry import find

            if find(self.id) is self:
                return find, (self.id,)
        return super().__reduce_ex__(protocol)

    @property
    def evidence(self) -> Evidence:
        """Whether its quantity is simulated, or computed without chance."""
        return "simulated" if self.accuracy is None else "computed"

    @property
    def draws(self) -> int:
        """Values of the quantity behind one replicate: more than one for the law of a drawn number."""
        return int(getattr(self.sample, "draws", 1))

    @property
    def exponents_declared(self) -> bool:
        """Whether the corrections' exponents were declared (for a reason or by hand), not left at their default."""
        default = self.exponents is DEFAULT_EXPONENTS
        return not default or bool(self.because) or self.slowest is not None

    @property
    def quick(self) -> bool:
        """Whether ``rmtsim verify --quick``, over all papers, includes it."""
        paper = PAPERS.usable(self.paper)
        return paper is not None and self.id in paper.headlines

    @property
    def quick_in_paper(self) -> bool:
        """Whether the quick set of its own paper includes it (``rmtsim verify --quick --paper KEY``)."""
        paper = PAPERS.usable(self.paper)
        return paper is not None and self.id in paper.quick

    @property
    def source(self) -> str:
        """Paper key and place in the paper."""
        return f"{self.paper} {self.equation}"

    def at(self, values: Parameters) -> Claim:
        """The claim with the exponents that it admits at a parameter point.

        Parameters
        ----------
        values : mapping
            Parameter point.

        Returns
        -------
        Claim
            The claim, or a copy with other exponents.
        """
        if self.slowest is None:
            return self
        slowest = float(self.slowest(self.point(values)))
        return replace(self, exponents=(slowest, *(p for p in self.exponents if p > slowest)))

    def point(self, values: Parameters) -> dict[str, Any]:
        """Complete a parameter point.

        Parameters
        ----------
        values : mapping
            Values of some parameters.

        Returns
        -------
        dict
            Values of all parameters; those not given have their defaults.

        Raises
        ------
        ValueError
            If a parameter is unknown or a value lies outside its domain.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        unknown = sorted(set(values) - set(known))
        if unknown:
            accepted = ", ".join(known) or "none"
            raise ValueError(
                f"{unknown[0]}={values[unknown[0]]}: {self.id} has no such parameter (it has: {accepted})"
            )
        return {name: known[name].check(values.get(name, known[name].default)) for name in known}

    def stream_point(self, point: Parameters) -> dict[str, Any]:
        """Parameter point as it enters the key of a random stream.

        Parameters
        ----------
        point : mapping
            A complete parameter point.

        Returns
        -------
        dict
            The point, with the codes of options that have one.
        """
        choices = {each.name: each for each in self.parameters if isinstance(each, Choice)}
        return {name: choices[name].key(value) if name in choices else value for name, value in point.items()}

    def prediction(self, values: Parameters, size: int | None = None) -> float:
        """The number that the claim states at a parameter point.

        Parameters
        ----------
        values : mapping
            Values of some parameters.
        size : int, optional
            Size of a bound that depends on it; the largest declared size by default.

        Returns
        -------
        float
            Limit, amplitude, probability or bound.

        Raises
        ------
        ValueError
            If the claim states no number, or a value lies outside its domain.
        """
        if self.predict is None:
            raise ValueError(f"{self.id} states no number, only {self.kind}: {self.statement}")
        at_size = (self.sizes[-1] if size is None else size,) if self.sized else ()
        value = float(self.predict(self.point(values), *at_size))
        if not math.isfinite(value):
            raise ArithmeticError(f"{self.id}: prediction at {dict(values)} is {value}")
        return value


WORDS = (
    "equation",
    "statement",
    "because",
    "note",
    "qualifier",
    "cause",
    "credit",
    "weak",
    "vacuous",
    "citation",
)
"""Fields that contain only words and do not affect measured values."""
_TEXTS = ("id", "paper", "size_name", *WORDS)
