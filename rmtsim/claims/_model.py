"""What a claim is: a printed statement, what it predicts, and how to measure it.

Theory (``predict``) and simulation (``sample``) meet here and nowhere else.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.claims._papers import PAPERS

__all__ = [
    "DEFAULT_EXPONENTS",
    "Choice",
    "Claim",
    "Evidence",
    "Form",
    "Kind",
    "Parameter",
    "Parameters",
    "Relative",
    "Sampler",
    "Standing",
    "Tolerance",
]

Parameters = Mapping[str, Any]
Kind = Literal["limit", "rate", "law", "probability", "bound", "identity"]
Standing = Literal["theorem", "lemma", "equation", "heuristic", "remark", "figure"]
"""What a statement is in its paper. Propositions and corollaries are proved aids and count as lemmas; a step of a proof
is an equation; sentences of the text, and hypotheses asked of a model, are remarks; "heuristic" is whatever the paper
itself introduces as intuitive, informal or approximate."""
Evidence = Literal["simulated", "computed"]
Form = Literal["printed", "corrected"]

DEFAULT_EXPONENTS = (0.5, 2 / 3, 1.0)
"""Finite-size corrections admitted where a claim declares none (this very tuple tells that it did not)."""


def check_text(name: str, value: Any) -> None:
    """Refuse what is no text, or would command the terminal that shows it.

    >>> check_text("statement", "γ → ∞")
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}={validate.shown(value)}: expected text, not {type(value).__name__}")
    if value.isprintable():
        return  # nearly always, and a store's report reads some ten thousand texts
    for letter in value:
        if letter != "\n" and unicodedata.category(letter) in _UNPRINTABLE:
            raise ValueError(
                f"{name}={value!r}: expected text without control characters, and {letter!r} is one"
            )


_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Kinds of characters that are not seen but obeyed: escapes, changes of direction, halves of characters."""


def value_words(value: Any) -> str:
    """The value of a parameter in words.

    >>> value_words(0.5), value_words("tanh")
    ('0.5', 'tanh')
    """
    return value if isinstance(value, str) else f"{value:g}"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a statement, with the domain on which the statement is claimed.

    ``lowest``/``highest`` bound the domain (``open_below`` excludes the lower end); ``draw_range`` is where
    ``--draw`` picks points. ``assumption`` is quoted when a value outside the domain is refused.
    """

    name: str
    meaning: str
    default: float
    integer: bool = False
    lowest: float = 0.0
    highest: float = math.inf
    open_below: bool = False
    draw_range: tuple[float, float] = (0.1, 10.0)
    assumption: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "meaning", "assumption"):
            check_text(name, getattr(self, name))
        if not self.name.isidentifier():
            raise ValueError(f"name={self.name!r}: expected a name that a function's parameter can have")
        for name in ("lowest", "highest"):
            bound = getattr(self, name)
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or math.isnan(bound):
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
        """``value`` in this domain, or an error naming parameter, value, range and assumption."""
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
        """The value of ``--set name=text``, checked."""
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
                value = int(value)  # 1e6 is how people write a million
        return self.check(value)

    def draw(self, rng: np.random.Generator) -> float | int:
        """A point of the domain, log-uniform over ``draw_range`` (three digits: points are read by people)."""
        low, high = (math.log(end) for end in self.draw_range)
        value = math.exp(rng.uniform(low, high))
        return round(value) if self.integer else float(f"{value:.3g}")

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


@dataclass(frozen=True)
class Choice:
    """A parameter whose values are names.

    Parameters
    ----------
    name : str
        Name of the parameter.
    options : mapping or sequence of str
        The accepted names. With a mapping, the claim's functions receive the value of the chosen name; with a
        sequence, the name itself.
    meaning : str, optional
        What the parameter is.
    default : str, optional
        The first option if left out.
    codes : sequence of int, optional
        Numbers that take the place of the names in the key of the random stream.

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
    options: Mapping[str, Any] | Sequence[str]
    meaning: str = ""
    default: str = ""
    codes: Sequence[int] | None = None
    assumption: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "meaning", "default", "assumption"):
            check_text(name, getattr(self, name))
        if not self.name.isidentifier():
            raise ValueError(f"name={self.name!r}: expected a name that a function's parameter can have")
        if isinstance(self.options, str) or not self.names:
            raise TypeError(f"{self.name}: options={self.options!r}: expected one or more names")
        for option in self.names:
            check_text("options", option)
        object.__setattr__(self, "default", self.default or self.names[0])
        self.check(self.default)
        if self.codes is not None and len(self.codes) != len(self.names):
            raise ValueError(
                f"{self.name}: codes={self.codes}: expected {len(self.names)} numbers, one per option"
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
        """``value`` if it is an option, or an error that lists the options."""
        if isinstance(value, str) and value in self.names:
            return value
        why = f" ({self.meaning})" if self.meaning else ""
        raise ValueError(f"{self.name}={value!r}: expected {self.accepted}{why}")

    def parse(self, text: str) -> str:
        """The value of ``--set name=text``, checked; the number of an option is accepted where it has one."""
        if self.codes is not None and text not in self.names and text in map(str, self.codes):
            return self.names[list(map(str, self.codes)).index(text)]
        return self.check(text)

    def draw(self, rng: np.random.Generator) -> str:
        """One of the options, all equally likely."""
        return self.names[int(rng.integers(len(self.names)))]

    def value(self, name: str) -> Any:
        """What the claim's functions receive for an option."""
        return self.options[name] if isinstance(self.options, Mapping) else name

    def key(self, name: str) -> str | int:
        """What enters the key of the random stream for an option."""
        return name if self.codes is None else int(self.codes[self.names.index(name)])


@dataclass(frozen=True)
class Relative:
    """A tolerance as a share of the stated value.

    Parameters
    ----------
    share : float
        Half-width of the zone that counts as equal, over the absolute value of the prediction.

    Examples
    --------
    >>> Relative(0.02).tolerance.width(-3.0)
    0.06
    """

    share: float

    @property
    def tolerance(self) -> Tolerance:
        """The same as a :class:`Tolerance`."""
        return Tolerance(relative=self.share)


@dataclass(frozen=True)
class Tolerance:
    """Half-width of the equivalence zone, fixed before the run: the larger of the two parts."""

    absolute: float = 0.0
    relative: float = 0.0

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
        """The zone's half-width around ``prediction``."""
        return max(self.absolute, self.relative * abs(prediction))


Sampler = Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A checkable statement.

    Declare one with :func:`rmtsim.claims.claim`; this is what a declaration becomes.
    ``sample(parameters, size, rng, replicates)`` returns that many independent values of the quantity at
    ``size``, using no randomness but ``rng``. ``predict(parameters)`` is the stated value: the limit for a
    limit or probability, the amplitude lim size^exponent · quantity for a rate that states one (else NaN is
    not allowed: ``predict`` is None), zero for the distance to a law, the bound for a bound.

    A statement that evidence refuted is declared together with its ``correction``, a claim of its own whose id
    is that of the printed one with ``/corrected`` behind it.
    """

    id: str
    paper: str
    equation: str
    statement: str
    kind: Kind
    sample: Sampler
    predict: Callable[[Parameters], float] | None
    tolerance: Tolerance
    sizes: tuple[int, ...]
    size_name: str = "size"
    parameters: tuple[Parameter | Choice, ...] = ()
    grid: tuple[Parameters, ...] = ({},)
    """Parameter points tested by default; what a point leaves out takes the parameter's default."""
    exponents: tuple[float, ...] = DEFAULT_EXPONENTS
    """Correction exponents admitted in finite-size fits: value(n) = limit + a·n^-exponent + …"""
    because: str = ""
    """Why no other exponent occurs; empty where the exponents are a default or a guess."""
    slowest: Callable[[Parameters], float] | None = None
    """Exponent of the slowest correction where that depends on the parameters: admitted at a point beside those of
    ``exponents`` that are faster."""
    exponent: float | None = None
    """For a rate: the stated decay, quantity ~ size^-exponent."""
    relation: Literal["O", "Theta", "power"] = "power"
    """For a rate: upper bound (faster decay also satisfies it), two-sided order, or exact power."""
    outer: tuple[str, tuple[int, ...]] | None = None
    """For an iterated limit: the parameter that grows after the size has, and its values."""
    coupled: bool = False
    """For a limit or rate: one draw measures all sizes. ``sample`` is then asked at the largest size only, for
    rows of one number per size, flattened (``replicates`` counts numbers); ``cost`` there is that of a row."""
    support: tuple[float, float] | None = None
    """Bounds that every value of the quantity obeys, where there are some: they allow exact intervals."""
    sense: Literal["<=", ">="] = "<="
    """For a bound: whether values are stated to lie below or above it."""
    accuracy: float | None = None
    """Relative error of a quantity that is computed without chance; None if it is simulated."""
    cost: Callable[[Parameters, int], float] = lambda parameters, size: 1e-3
    """Nominal seconds per value on one core (a replicate takes ``draws`` of them): plans work; never enters a verdict's
    interval."""
    memory: Callable[[Parameters, int], float] = lambda parameters, size: 0.0
    """Bytes a batch needs."""
    revision: int = 1
    """Raised whenever the sampler changes what it returns; stored batches of other revisions are not reused."""
    standing: Standing = "equation"
    form: Form = "printed"
    correction: Claim | None = None
    """The right statement, declared with a printed one that evidence refutes."""
    qualifier: str = ""
    """The paper's own word for how far it means the statement ("heuristically", "≈"), where it uses one."""
    cause: str = ""
    """For a refuted statement and its correction: the slip, in a few words; statements that fail for one reason
    share it."""
    credit: str = ""
    """Where the paper itself has it right."""
    same_as: str = ""
    """Id of the claim that tests the same statement where the paper has it twice: the two are counted once."""
    citation: str = ""
    """The paper in full."""
    note: str = ""
    """For a refuted statement or a correction: the step that fails, in a sentence."""
    measured: Callable[..., Any] | None = field(default=None, compare=False)
    """The function that was declared; calling the claim calls it."""
    theory_in_sampler: str = ""
    """Why a simulated quantity may use the paper's theory or :mod:`rmtsim.laws` (coefficients of companions, say);
    empty if it uses neither."""
    chain: tuple[str, ...] = ()
    """For a computed quantity: the simulated claims that join it to a real model, so that its verdict does not rest on
    theory compared with theory."""
    origin: str | None = field(default=None, compare=False)
    """File a user's claim was loaded from, so that workers can load it too."""

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
        """The declared function itself, to look at one value: ``claim(40, rng)``."""
        if self.measured is None:
            raise TypeError(f"{self.id} was declared without a function of its own; its sampler is .sample")
        return self.measured(*arguments, **options)

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
        """The claim with the correction exponents that it admits at a parameter point."""
        if self.slowest is None:
            return self
        slowest = float(self.slowest(self.point(values)))
        return replace(self, exponents=(slowest, *(p for p in self.exponents if p > slowest)))

    def point(self, values: Parameters) -> dict[str, Any]:
        """A full parameter point: ``values`` checked, defaults for the rest, unknown names refused."""
        known = {parameter.name: parameter for parameter in self.parameters}
        unknown = sorted(set(values) - set(known))
        if unknown:
            accepted = ", ".join(known) or "none"
            raise ValueError(
                f"{unknown[0]}={values[unknown[0]]}: {self.id} has no such parameter (it has: {accepted})"
            )
        return {name: known[name].check(values.get(name, known[name].default)) for name in known}

    def stream_point(self, point: Parameters) -> dict[str, Any]:
        """The point as it enters the key of a random stream: options that have a code are given by it."""
        choices = {each.name: each for each in self.parameters if isinstance(each, Choice)}
        return {name: choices[name].key(value) if name in choices else value for name, value in point.items()}

    def prediction(self, values: Parameters) -> float:
        """The stated value at a parameter point; an error where the statement gives no number."""
        if self.predict is None:
            raise ValueError(f"{self.id} states no number, only {self.kind}: {self.statement}")
        value = float(self.predict(self.point(values)))
        if not math.isfinite(value):
            raise ArithmeticError(f"{self.id}: prediction at {dict(values)} is {value}")
        return value


_TEXTS = (
    "id", "paper", "equation", "statement", "size_name", "because", "note", "qualifier", "cause", "credit", "citation",
)  # fmt: skip
"""What a claim says in words."""
