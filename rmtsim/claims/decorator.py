"""Your own claim in a few lines: ``@claim`` turns a function of (size, rng) into a checkable statement."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.claims.model import Claim, Kind, Parameter, Parameters, Tolerance
from rmtsim.claims.user_samplers import SpectralLaw, coupled_sampler, kolmogorov_distance, plain_sampler

__all__ = ["Prediction", "SpectralLaw", "claim", "dense_cost", "kolmogorov_distance"]


Prediction = float | Callable[..., float]
"""A number, or a function of the claim's parameters by name."""


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
    *,
    limit: Prediction | None = None,
    rate: float | None = None,
    amplitude: Prediction | None = None,
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | None = None,
    probability: Prediction | None = None,
    bound: Prediction | None = None,
    identity: bool = False,
    tolerance: float | Tolerance,
    sizes: Sequence[int],
    relation: Literal["O", "Theta", "power"] = "power",
    sense: Literal["<=", ">="] = "<=",
    exponents: Sequence[float] = (0.5, 2 / 3, 1.0),
    support: tuple[float, float] | None = None,
    coupled: bool = False,
    parameters: Sequence[Parameter] = (),
    grid: Sequence[Parameters] = ({},),
    cost: float | Callable[[int], float] | None = None,
    statement: str = "",
    source: str = "",
    size_name: str = "size",
) -> Callable[[Callable[..., Any]], Claim]:
    """Decorate a sampler ``function(size, rng, **parameters)`` and get a :class:`Claim`.

    State one thing: ``limit`` (a number, or a function of the parameters), ``rate`` (the value decays like
    size^-rate; with ``amplitude`` also its constant), ``law`` (an object with ``cdf``, or a distribution
    function: the sampler returns the numbers that should follow it), ``probability`` (the sampler returns
    whether the event happened), ``bound``, or ``identity`` (the sampler returns a relative error).

    The sampler returns one real number, or a one-dimensional array of *independent* replicates; a law's
    sampler returns the sample to be compared with the law. It must use no randomness but ``rng``. A plain
    number as ``tolerance`` is absolute. ``exponents`` are the finite-size corrections you admit; ``cost`` is
    the nominal seconds of a replicate (a number, or a function of the size).

    With ``coupled`` the sampler is ``function(sizes, rng, **parameters)`` and returns one number per size, all
    from the same draw (nested minors of one matrix, say), or rows of such numbers: what the sizes have in
    common then cancels in the extrapolation. ``cost`` is that of one row, as a function of the largest size.

    >>> @claim("mean.of.exponentials", limit=1.0, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5)
    ... def mean(size, rng):
    ...     return rng.exponential(size=size).mean()
    >>> from rmtsim.verify import verify
    >>> str(verify(mean, budget=2)[0].verdict)
    'CONFIRMED'
    """
    if not isinstance(name, str) or not name or any(letter.isspace() for letter in name):
        raise ValueError(f"name={name!r}: expected a name without spaces, for instance goe.edge")
    kind = _kind(name, limit, rate, law, probability, bound, identity)
    checked_sizes = _sizes(name, kind, sizes)
    _check_options(name, rate, law, relation, sense, support)
    width = (
        tolerance
        if isinstance(tolerance, Tolerance)
        else Tolerance(absolute=validate.positive_number("tolerance", tolerance))
    )
    stated: Any = {
        "limit": limit,
        "rate": amplitude,
        "law": 0.0,
        "probability": probability,
        "bound": bound,
        "identity": 0.0,
    }[kind]
    if coupled:
        _check_coupled(name, kind, checked_sizes, support)
    if amplitude is not None and kind != "rate":
        raise ValueError(f"{name}: amplitude={amplitude!r} belongs to a rate claim, and this is a {kind}")
    declared = _each("parameters", parameters, "Parameter(...) objects")
    for parameter in declared:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"parameters={parameter!r}: expected Parameter(...) objects")
    corrections = tuple(
        validate.positive_number("exponents", p) for p in _each("exponents", exponents, "numbers > 0")
    )
    if not corrections:
        raise ValueError("exponents=(): expected at least one number > 0, for instance (1.0,)")
    predict = None if stated is None else _prediction(name, kind, stated, declared)

    def decorate(function: Callable[..., Any]) -> Claim:
        names = _parameter_names(name, function, declared, "sizes" if coupled else "size")
        sampler = (
            coupled_sampler(name, function, names, checked_sizes)
            if coupled
            else plain_sampler(name, function, names, law)
        )
        return Claim(
            id=name,
            paper="user",
            equation=source or function.__name__,
            statement=statement
            or (inspect.getdoc(function) or f"{function.__name__}: {_words(kind, stated, rate)}"),
            kind=kind,
            sample=sampler,
            predict=predict,
            tolerance=width,
            sizes=checked_sizes,
            size_name=size_name,
            parameters=declared,
            grid=tuple(grid),
            exponents=corrections,
            exponent=rate,
            relation=relation,
            sense=sense,
            coupled=coupled,
            support=support,
            cost=_cost(cost, checked_sizes if coupled else None),
        )

    return decorate


def _kind(name: str, *stated: Any) -> Kind:
    kinds: tuple[Kind, ...] = ("limit", "rate", "law", "probability", "bound", "identity")
    chosen = [
        kind for kind, value in zip(kinds, stated, strict=True) if value is not None and value is not False
    ]
    if len(chosen) != 1:
        found = ", ".join(chosen) or "none"
        raise ValueError(f"{name}: state exactly one of {', '.join(kinds)} (found: {found})")
    return chosen[0]


def _each(option: str, value: Any, expected: str) -> tuple[Any, ...]:
    """The members of a sequence that was asked for, or an error that says so."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{option}={value!r}: expected a sequence of {expected}")
    return tuple(value)


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
        validate.finite_number("rate", rate, meaning="the stated exponent: decays like size^-rate")
    if law is not None and not callable(getattr(law, "cdf", law)):
        raise TypeError(f"law={law!r}: expected an object with a method cdf, or a distribution function")
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
                f"support={support!r}: expected two numbers, low < high (bounds of the values of {name})"
            )


def _parameter_names(
    name: str, function: Callable[..., Any], parameters: Sequence[Parameter], first: str
) -> tuple[str, ...]:
    if not callable(function):
        raise TypeError(
            f"{name}: @claim decorates a function of ({first}, rng), not {type(function).__name__}"
        )
    accepted = list(inspect.signature(function).parameters)
    declared = [parameter.name for parameter in parameters]
    if accepted[:2] != [first, "rng"] or sorted(accepted[2:]) != sorted(declared):
        expected = ", ".join([first, "rng", *declared])
        raise TypeError(
            f"{name}: expected {function.__name__}({expected}), found {function.__name__}({', '.join(accepted)})"
        )
    return tuple(declared)


def _prediction(
    name: str, kind: Kind, stated: Prediction, declared: Sequence[Parameter]
) -> Callable[[Parameters], float]:
    expected = "a probability in [0, 1]" if kind == "probability" else "a finite number"

    def checked(value: Any) -> float:
        number = validate.finite_number("prediction", value, meaning=f"what {name} states")
        if kind == "probability" and not 0 <= number <= 1:
            raise ValueError(f"prediction={number}: expected {expected} (what {name} states)")
        return number

    if not callable(stated):
        value = checked(stated)
        return lambda parameters: value
    known = [parameter.name for parameter in declared]
    try:
        inspect.signature(stated).bind(**dict.fromkeys(known))
    except TypeError:
        raise TypeError(
            f"{name}: the prediction is called with the declared parameters by name "
            f"({', '.join(known) or 'none'}), and takes ({', '.join(inspect.signature(stated).parameters)})"
        ) from None
    except ValueError:
        pass  # compiled functions do not tell their signature
    return lambda parameters: checked(stated(**parameters))


def _cost(
    cost: float | Callable[[int], float] | None, together: tuple[int, ...] | None
) -> Callable[[Parameters, int], float]:
    if cost is None and together is not None:
        row = math.fsum(dense_cost(size) for size in together)
        return lambda parameters, size: row
    if cost is None:
        return lambda parameters, size: dense_cost(size)
    if callable(cost):
        return lambda parameters, size: float(cost(size))
    seconds = validate.positive_number("cost", cost, meaning="nominal seconds per replicate")
    return lambda parameters, size: seconds


def _words(kind: Kind, stated: Any, rate: float | None) -> str:
    if kind == "rate":
        return f"decays like size^-{rate:g}"
    shown = f" {stated:g}" if isinstance(stated, (int, float)) and math.isfinite(stated) else ""
    return {
        "limit": f"tends to{shown}",
        "law": "follows the stated law",
        "identity": "vanishes to rounding",
    }.get(kind, f"{kind}{shown}")
