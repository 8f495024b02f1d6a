"""Your own claim in a few lines: ``@claim`` turns a function of (size, rng) into a checkable statement."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.claims.model import Claim, Kind, Parameter, Parameters, Sampler, Tolerance
from rmtsim.errors import SamplerError

__all__ = ["Prediction", "SpectralLaw", "claim", "dense_cost", "kolmogorov_distance"]


class SpectralLaw(Protocol):
    """Anything with a distribution function can be the law of a law claim."""

    def cdf(self, x: NDArray[np.float64], /) -> Any:
        """Distribution function at ``x``."""
        ...


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


def kolmogorov_distance(values: NDArray[np.float64], cdf: Callable[[NDArray[np.float64]], Any]) -> float:
    """Largest gap between the empirical distribution of ``values`` and a continuous distribution function.

    >>> kolmogorov_distance(np.array([0.25, 0.75]), lambda x: x)
    0.25
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    theory = np.asarray(cdf(ordered), dtype=float)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max((steps[1:] - theory).max(), (theory - steps[:-1]).max()))


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
    checked_sizes = _sizes(name, sizes)
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

    def decorate(function: Callable[..., Any]) -> Claim:
        names = _parameter_names(name, function, parameters, "sizes" if coupled else "size")
        sampler = (
            _coupled_sampler(name, function, names, checked_sizes)
            if coupled
            else _sampler(name, function, names, law)
        )
        return Claim(
            id=name,
            paper="user",
            equation=source or function.__name__,
            statement=statement
            or (inspect.getdoc(function) or f"{function.__name__}: {_words(kind, stated, rate)}"),
            kind=kind,
            sample=sampler,
            predict=None if stated is None else _prediction(stated),
            tolerance=width,
            sizes=checked_sizes,
            size_name=size_name,
            parameters=tuple(parameters),
            grid=tuple(grid),
            exponents=tuple(validate.positive_number("exponents", p) for p in exponents),
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


def _sizes(name: str, sizes: Sequence[int]) -> tuple[int, ...]:
    checked = tuple(validate.integer("sizes", size, meaning=f"sizes of {name}") for size in sizes)
    if not checked or list(checked) != sorted(set(checked)):
        raise ValueError(f"sizes={tuple(sizes)}: expected increasing integers, for instance (40, 80, 160)")
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


def _prediction(stated: Prediction) -> Callable[[Parameters], float]:
    if callable(stated):
        return lambda parameters: float(stated(**parameters))
    value = validate.finite_number("prediction", stated)
    return lambda parameters: value


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


def _sampler(
    name: str,
    function: Callable[..., Any],
    names: tuple[str, ...],
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | None,
) -> Sampler:
    cdf: Any = getattr(law, "cdf", law)

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        chosen = {key: parameters[key] for key in names}
        values: list[float] = []
        while len(values) < replicates:
            numbers = _numbers(name, function, size, function(size, rng, **chosen))
            if cdf is None:
                values.extend(numbers.tolist())
            else:
                values.append(kolmogorov_distance(numbers, cdf))
        return np.array(values[:replicates])

    return sample


def _coupled_sampler(
    name: str, function: Callable[..., Any], names: tuple[str, ...], sizes: tuple[int, ...]
) -> Sampler:
    call = f"{name}: {function.__name__}(sizes={sizes}, rng)"
    wanted = f"expected {len(sizes)} real numbers, one per size (or rows of so many)"

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        chosen = {key: parameters[key] for key in names}
        rows: list[NDArray[np.float64]] = []
        missing = replicates // len(sizes)
        while missing > 0:
            array = _array(call, wanted, function(sizes, rng, **chosen))
            if array.ndim not in (1, 2) or array.shape[-1] != len(sizes) or array.size == 0:
                raise SamplerError(f"{call} returned an array of shape {array.shape}; {wanted}")
            rows.append(np.atleast_2d(array)[:missing])
            missing -= len(rows[-1])
        return np.concatenate(rows).ravel()

    return sample


def _numbers(name: str, function: Callable[..., Any], size: int, returned: Any) -> NDArray[np.float64]:
    """What the user's function returned, as a one-dimensional array of finite floats, or a helpful error."""
    call = f"{name}: {function.__name__}(size={size}, rng)"
    wanted = "expected a real number, or a one-dimensional array of independent replicates"
    array = _array(call, wanted, returned)
    if array.ndim > 1 or array.size == 0:
        raise SamplerError(f"{call} returned an array of shape {array.shape}; {wanted}")
    return np.atleast_1d(array)


def _array(call: str, wanted: str, returned: Any) -> NDArray[np.float64]:
    """What a user's function returned, as finite floats of any shape, or a helpful error."""
    if returned is None:
        raise SamplerError(f"{call} returned None; {wanted} (is a return statement missing?)")
    try:
        array = np.asarray(returned)
    except ValueError:
        raise SamplerError(f"{call} returned a ragged {type(returned).__name__}; {wanted}") from None
    if array.dtype.kind not in "bifu":
        what = (
            "complex numbers" if array.dtype.kind == "c" else f"{type(returned).__name__} ({returned!r:.60})"
        )
        raise SamplerError(f"{call} returned {what}; {wanted}")
    numbers = array.astype(float)
    if not np.isfinite(numbers).all():
        raise SamplerError(
            f"{call} returned {numbers[~np.isfinite(numbers)].flat[0]}; expected finite numbers"
        )
    return numbers
