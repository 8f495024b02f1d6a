"""From a declared function to the sampler of a claim: the replicate loop, and errors reported in one line.

Four shapes of function are understood; the names of its arguments decide which it is. Size and generator are given by
position, so that the first may have any name (``n``), and the second is ``rng`` or ``generator``:

``f(size, rng, **parameters)``
    one replicate: a real number (for a law: the sample to be compared with it); or an array of independent replicates
``f(size, rng, replicates, **parameters)``
    a whole batch: an array of ``replicates`` numbers (for a law: independent draws of a number that should follow it)
``f(sizes, rng, **parameters)``
    coupled sizes: one number per size from one draw, or rows of them
``f(size, **parameters)``
    computed without chance: a number (for a law: the numbers to be compared with it)
"""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Parameters, Sampler
from rmtsim.errors import SamplerError


class SpectralLaw(Protocol):
    """Anything with a distribution function can be the law of a law claim."""

    def cdf(self, x: NDArray[np.float64], /) -> Any:
        """Distribution function at ``x``."""
        ...


LARGEST = 1e100
"""Values beyond this overflow when they are squared."""


def kolmogorov_distance(values: NDArray[np.float64], law: Any) -> float:
    """Largest difference between the empirical distribution of numbers and a law.

    Parameters
    ----------
    values : array_like
        The numbers, for instance eigenvalues of one matrix.
    law : object with ``cdf`` or callable
        The law, or its distribution function.

    Returns
    -------
    float
        The supremum of ``|F_empirical(x) - F_law(x)|``, both one-sided limits included.

    Raises
    ------
    ValueError
        If there are no values.
    TypeError
        If ``law`` is neither a law nor a function.

    Notes
    -----
    Eigenvalues are known within rounding only: a solver returns the null space of a matrix as numbers like ±1e-17. The
    law is therefore evaluated that far to either side of each value, so that a value beside an atom counts as lying on
    it. Where the law has continuous mass within that rounding (numbers that spread over many decades), each value has
    its own relative rounding.

    Examples
    --------
    >>> round(kolmogorov_distance(np.array([0.25, 0.75]), lambda x: x), 12)
    0.25
    >>> from rmtsim.laws import MarchenkoPastur
    >>> law = MarchenkoPastur(ratio=2.0)  # half of its mass lies at zero
    >>> kolmogorov_distance(np.array([-1e-17, 1e-17, 1.0, 3.0]), lambda x: law.cdf(x)) < 0.26
    True
    """
    ordered = np.sort(validate.real_array("values", values, meaning="eigenvalues or other numbers").ravel())
    count = len(ordered)
    if not count:
        raise ValueError("values: expected at least one number")
    if not callable(law) and not hasattr(law, "cdf"):
        raise TypeError(f"law={validate.shown(law)}: expected a law, or its distribution function")
    points = np.unique(ordered)
    rounding = count * float(np.spacing(np.abs(ordered).max()))
    right, left = _distribution(law, points + rounding), _distribution(law, points - rounding)
    counts = bool((points == np.round(points)).all())  # whole numbers come from no solver, and are exact
    if counts or _spread_out(law, points, rounding, right - left, 1 / count):
        own = count * np.spacing(np.abs(points))
        right, left = _distribution(law, points + own), _distribution(law, points - own)
    above = np.searchsorted(ordered, points, side="right") / count - right
    below = left - np.searchsorted(ordered, points, side="left") / count
    return float(max(above.max(), below.max()))


def _spread_out(
    law: Any, points: NDArray[np.float64], rounding: float, held: NDArray[np.float64], weight: float
) -> bool:
    """Whether what the law ``held`` within the ``rounding`` of some values is mass spread over decades, and no atom.

    As the distance shrinks below the rounding, the mass of an atom disappears at once, and other mass gradually.
    """
    wide = points[held > weight]
    if len(wide) == 0:
        return False
    chosen = wide[np.unique(np.linspace(0, len(wide) - 1, 3).astype(int))]
    scales = rounding * 100.0 ** -np.arange(13.0)
    ends = chosen[:, None] + np.concatenate((-scales, scales[::-1]))
    within = np.array([_distribution(law, row) for row in ends])
    left, right = within[:, : len(scales)], within[:, len(scales) :][:, ::-1]
    mass = np.pad(right - left, ((0, 0), (0, 1)))
    return bool(((-np.diff(mass, axis=1)).max(axis=1) < 0.5 * mass[:, 0]).any())


def _distribution(law: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """A law's distribution function at increasing points, checked to be one."""
    found = np.asarray(getattr(law, "cdf", law)(points))
    expected = (
        "expected a distribution function, which takes an array and returns as many numbers from 0 to 1"
    )
    if found.shape != points.shape or found.dtype.kind not in "bifu":
        raise ValueError(f"law returned {type(found[()]).__name__} of shape {found.shape}; {expected}")
    outside = ~((found >= -_LAW_ERROR) & (found <= 1 + _LAW_ERROR))
    if outside.any():
        where = int(np.flatnonzero(outside)[0])
        raise ValueError(f"law is {found[where]:.3g} at {points[where]:.3g}; {expected}")
    falls = np.flatnonzero(np.diff(found) < -_LAW_ERROR)
    if len(falls):
        first, then = points[falls[0]], points[falls[0] + 1]
        raise ValueError(f"law falls between {first:.3g} and {then:.3g}; {expected}, and never falls")
    return np.asarray(found, dtype=np.float64)


_LAW_ERROR = 1e-3
"""Numerical error that a distribution function may have."""


def by_name(
    name: str, option: str, function: Callable[..., Any], available: Sequence[str], positional: int = 0
) -> Callable[[Parameters], dict[str, Any]]:
    """Which of the ``available`` parameters ``function`` takes by name; an error if it takes another.

    Its first ``positional`` arguments are given without a name.

    >>> by_name("mine", "limit", lambda ratio: 2 * ratio, ["ratio", "classes"])({"ratio": 3, "classes": 4})
    {'ratio': 3}
    """
    try:
        accepted = list(inspect.signature(function).parameters.values())[positional:]
    except (TypeError, ValueError):
        # Compiled functions have no readable signature: they receive all parameters.
        return lambda parameters: {key: parameters[key] for key in available}
    wanted = [each for each in accepted if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
    missing = [each.name for each in wanted if each.default is each.empty and each.name not in available]
    if missing:
        raise TypeError(
            f"{name}: {option} is called with the declared parameters by name "
            f"({', '.join(available) or 'none'}), and takes ({', '.join(each.name for each in accepted)})"
        )
    takes_all = any(each.kind is each.VAR_KEYWORD for each in accepted)
    chosen = [key for key in available if takes_all or key in {each.name for each in wanted}]
    return lambda parameters: {key: parameters[key] for key in chosen if key in parameters}


_GENERATORS = ("rng", "generator", "gen", "random_generator", "random_state")
"""Names of a second argument that mean the generator; any name does if its annotation is one."""


def _leading(found: Sequence[inspect.Parameter], parameters: Sequence[str], first: str) -> int:
    """How many arguments in front are size, generator and number of replicates, which are given by position.

    The first may have any name but those of the others; the usual names of coupled and single sizes may not be
    exchanged.

    >>> [_leading(list(inspect.signature(f).parameters.values()), ["d"], "size")
    ...  for f in (lambda n, rng: 0, lambda n, d: 0, lambda rng: 0, lambda sizes, rng: 0)]
    [2, 1, 0, 0]
    """
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    front = [each for each in found if each.kind in plain and each.default is each.empty]
    reserved = {*_GENERATORS, "replicates", *parameters, *{"size", "sizes"} - {first}}
    if not front or front[0].name in reserved:
        return 0
    if len(front) < 2 or not (
        front[1].name in _GENERATORS or front[1].annotation in (np.random.Generator, "Generator")
    ):
        return 1
    return 3 if len(front) > 2 and front[2].name == "replicates" else 2


@frozen
class Declared:
    """A function that measures a claim's quantity, with what its signature says about it."""

    name: str
    """Of the claim."""
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    """Names of the claim's parameters."""
    random: bool
    """Whether it takes a generator; if not, its values are computed without chance."""
    whole_batch: bool
    """Whether it returns all replicates of a batch at once."""
    sizes: tuple[int, ...] = ()
    """Sizes of the claim."""

    @classmethod
    def read(
        cls,
        name: str,
        function: Any,
        parameters: Sequence[str],
        *,
        coupled: bool,
        sizes: tuple[int, ...] = (),
    ) -> Declared:
        """Read the signature; an error that shows the expected one if it is none of the four."""
        if not callable(function):
            first = "sizes" if coupled else "size"
            raise TypeError(
                f"{name}: @claim decorates a function of ({first}, rng), not {type(function).__name__}"
            )
        found = list(inspect.signature(function).parameters.values())
        names = [each.name for each in found if each.kind is not each.VAR_KEYWORD]
        takes_all = len(names) < len(found)
        first = "sizes" if coupled else "size"
        lead = _leading(found, parameters, first)
        rest = names[lead:]
        optional = {each.name for each in found if each.default is not each.empty}
        unknown = set(rest) - set(parameters) - optional
        ignored = set() if takes_all else set(parameters) - set(rest)
        if lead == 0 or (lead == 1 and coupled) or unknown or ignored or (coupled and lead == 3):
            expected = ", ".join([first, "rng", *parameters])
            raise TypeError(
                f"{name}: expected {called_name(function)}({expected}), "
                f"found {called_name(function)}({', '.join(each.name for each in found)})"
            )
        return cls(name, function, tuple(parameters), random=lead > 1, whole_batch=lead == 3, sizes=sizes)

    def sampler(self, law: Any = None, sizes: tuple[int, ...] | None = None) -> Sampler:
        """The claim's sampler; ``law`` for a law claim, ``sizes`` for one with coupled sizes."""
        if sizes is not None:
            return self._coupled(sizes)
        if law is not None:
            return LawOfDraws(self, law) if self.whole_batch else self._distances(law)
        if not self.random:
            return self._computed
        return self._batch if self.whole_batch else self._plain

    def _plain(
        self, parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        values: list[NDArray[np.float64]] = []
        missing = replicates
        while missing > 0:
            values.append(self._numbers(size, self._call("size", size, parameters, rng)))
            missing -= len(values[-1])
            if len(values) == 1 and len(values[0]) == size > 1:
                self._refuse_a_spectrum(parameters, size)
        self._refuse_sorted(size, values)
        if missing < 0:
            # An array is not cut: sorted values, for instance, would lose their largest.
            raise SamplerError(_does_not_fit(self._place(size), "numbers", len(values[-1]), replicates))
        return np.concatenate(values)

    def _refuse_a_spectrum(self, parameters: Parameters, size: int) -> None:
        """Refuse as many numbers as the size: if their number changes with the size, they are values of one matrix."""
        other = next((each for each in self.sizes if each not in (size, 1)), None)
        if other is None:
            return
        rng = np.random.default_rng(0)  # not the batch's own, which must not advance
        if len(self._numbers(other, self._call("size", other, parameters, rng))) == other:
            raise SamplerError(
                f"{self._place(size)} returned {size} numbers, and {other} at size {other}: {_NOT_REPLICATES}"
            )

    def _refuse_sorted(self, size: int, values: list[NDArray[np.float64]]) -> None:
        """Arrays that are all sorted the same way hold eigenvalues, not replicates: by chance once in 10⁹ runs."""
        if len(values[0]) < 2:
            return
        rises = all((np.diff(array) >= 0).all() for array in values)
        falls = all((np.diff(array) <= 0).all() for array in values)
        orders = sum(math.lgamma(len(np.unique(array)) + 1) for array in values)
        if (rises or falls) and orders > math.log(1e9):
            raise SamplerError(f"{self._place(size)} returned sorted numbers: {_NOT_REPLICATES}")

    def _distances(self, law: Any) -> Sampler:
        def sample(
            parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
        ) -> NDArray[np.float64]:
            distances = []
            random = (rng,) if self.random else ()
            for _ in range(replicates if self.random else 1):
                values = self._numbers(size, self._call("size", size, parameters, *random))
                if len(values) < 2:
                    raise SamplerError(
                        f"{self._place(size)} returned one number; a law is compared with a sample: return all the "
                        "numbers that should follow it (or their distance to it, and declare law=0.0); for "
                        "independent draws of one number, take an argument replicates and return as many"
                    )
                distances.append(self._with_law(kolmogorov_distance, values, law))
            return np.array(distances) if self.random else np.full(replicates, distances[0])

        return sample

    def _with_law(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a function of a law returns; what the law raises is reported with the claim."""
        try:
            return function(*given)
        except Exception as error:
            raise SamplerError(f"{self.name}: its law raised {in_one_line(error)}") from error

    def _batch(
        self, parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        wanted = f"expected an array of {replicates} real numbers, one per replicate"
        returned = self._call("size", size, parameters, rng, replicates)
        array = _array(self._place(size), wanted, returned)
        if array.shape != (replicates,):
            raise SamplerError(f"{self._place(size)} returned an array of shape {array.shape}; {wanted}")
        return array

    def _computed(
        self, parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        wanted = "expected a real number"
        array = _array(self._place(size), wanted, self._call("size", size, parameters))
        if array.ndim:
            raise SamplerError(f"{self._place(size)} returned an array of shape {array.shape}; {wanted}")
        return np.full(replicates, float(array))

    def _coupled(self, sizes: tuple[int, ...]) -> Sampler:
        place = f"{self.name}: {called_name(self.function)}(sizes={sizes}, rng)"
        wanted = f"expected {len(sizes)} real numbers, one per size (or rows of so many)"

        def sample(
            parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
        ) -> NDArray[np.float64]:
            rows: list[NDArray[np.float64]] = []
            missing = replicates // len(sizes)
            while missing > 0:
                array = _array(place, wanted, self._call("sizes", sizes, parameters, rng))
                if array.ndim not in (1, 2) or array.shape[-1] != len(sizes) or array.size == 0:
                    raise SamplerError(f"{place} returned an array of shape {array.shape}; {wanted}")
                rows.append(np.atleast_2d(array))
                missing -= len(rows[-1])
            if missing < 0:
                raise SamplerError(_does_not_fit(place, "rows", len(rows[-1]), replicates // len(sizes)))
            return np.concatenate(rows).ravel()

        return sample

    def _call(self, first: str, size: int | tuple[int, ...], parameters: Parameters, *random: Any) -> Any:
        """What the function returns; an error is reported with its place, in one line."""
        chosen = {key: parameters[key] for key in self.parameters}
        try:
            return self.function(size, *random, **chosen)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit in a function would end the whole run without a message
            own = traceback.extract_tb(error.__traceback__)[1:]
            place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
            given = "".join(f", {key}={value}" for key, value in chosen.items())
            generator = ", rng" if random else ""
            raise SamplerError(
                f"{self.name}: {called_name(self.function)}({first}={size}{generator}{given}) raised "
                f"{in_one_line(error)}{place}"
            ) from error

    def _place(self, size: int) -> str:
        return f"{self.name}: {called_name(self.function)}(size={size}{', rng' if self.random else ''})"

    def _numbers(self, size: int, returned: Any) -> NDArray[np.float64]:
        """What the function returned, as a one-dimensional array of finite floats, or a helpful error."""
        wanted = "expected a real number, or a one-dimensional array of independent replicates"
        array = _array(self._place(size), wanted, returned)
        if array.ndim > 1 or array.size == 0:
            raise SamplerError(f"{self._place(size)} returned an array of shape {array.shape}; {wanted}")
        return np.atleast_1d(array)


@frozen
class Distance:
    """Sampler of the distance of a quantity from the limit that it approaches."""

    sample: Sampler
    limit: Callable[[Parameters], float]

    def __call__(
        self, parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        """The quantity minus its limit."""
        return np.asarray(self.sample(parameters, size, rng, replicates) - self.limit(parameters))


DRAWS = 32
"""Draws of a number behind one replicate of its squared distance to a law."""


@frozen
class LawOfDraws:
    """Sampler of the squared distance between the law of a drawn number and a stated law.

    A replicate is an unbiased estimate from ``DRAWS`` independent draws (:func:`squared_distance`), so that its mean is
    zero if the law is right, whatever the number of draws.
    """

    declared: Declared
    law: Any
    draws: int = DRAWS

    def __call__(
        self, parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        """``replicates`` independent estimates at one size."""
        declared = self.declared
        values = declared._batch(parameters, size, rng, replicates * self.draws)
        return np.asarray(
            declared._with_law(squared_distance, values.reshape(replicates, self.draws), self.law, rng)
        )


def squared_distance(values: NDArray[np.float64], law: Any, rng: np.random.Generator) -> NDArray[np.float64]:
    """Unbiased estimates of ∫(G(u) - u)² du, one per row of independent ``values``.

    G is the distribution function of U = F(x), F the stated law; where F jumps, U is uniform over the jump. The
    integral is zero if the values follow F. Two independent values have E[1/3 - max(U, V) + (U² + V²)/2] equal to it,
    and the mean over all pairs of a row needs only its order statistics.

    >>> rng = np.random.default_rng(0)
    >>> right = squared_distance(rng.random((4000, 32)), lambda x: np.clip(x, 0, 1), rng)
    >>> bool(abs(right.mean()) < 4 * right.std() / 4000**0.5)
    True
    """
    points, where = np.unique(values.ravel(), return_inverse=True)
    below, above = _distribution(law, np.nextafter(points, -np.inf)), _distribution(law, points)
    jump = np.maximum(above - below, 0.0)[where]
    uniform = below[where] + jump * rng.random(values.size)
    u = np.sort(np.clip(uniform, 0.0, 1.0).reshape(values.shape), axis=1)
    count = values.shape[1]
    larger = 2 * (np.arange(count) * u).sum(axis=1) / (count * (count - 1))
    return np.asarray(1 / 3 - larger + (u**2).mean(axis=1))


def in_one_line(error: BaseException) -> str:
    r"""What was raised: its type, and its words if it has any.

    >>> in_one_line(ValueError("first\n  second")), in_one_line(SystemExit())
    ('ValueError: first second', 'SystemExit')
    """
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


_NOT_REPLICATES = (
    "values of one matrix depend on each other and are no replicates; return one number (the largest, their mean), or "
    "state law= if all of them should follow a law"
)


def _does_not_fit(place: str, what: str, returned: int, replicates: int) -> str:
    return (
        f"{place} returned {returned} {what}, which do not fill a batch of {replicates} replicates evenly; return one "
        "at a time, a power of two that divides the batch (a smaller cost= makes batches longer), or take an argument "
        "replicates and return as many"
    )


def called_name(function: Any) -> str:
    """The name of a declared function; of a partial application, that of what is applied.

    >>> import functools
    >>> called_name(functools.partial(by_name, "goe.edge"))
    'by_name'
    """
    inner = getattr(function, "func", function)
    return str(getattr(function, "__name__", getattr(inner, "__name__", "function")))


def _array(place: str, wanted: str, returned: Any) -> NDArray[np.float64]:
    """What a declared function returned, as finite floats of any shape, or a helpful error."""
    if returned is None:
        raise SamplerError(f"{place} returned None; {wanted} (is a return statement missing?)")
    if isinstance(returned, np.ma.MaskedArray):
        raise SamplerError(f"{place} returned a masked array; {wanted}")
    try:
        array = np.asarray(returned)
    except ValueError:
        raise SamplerError(f"{place} returned a ragged {type(returned).__name__}; {wanted}") from None
    if array.dtype.kind not in "bifu":
        what = (
            "complex numbers" if array.dtype.kind == "c" else f"{type(returned).__name__} ({returned!r:.60})"
        )
        raise SamplerError(f"{place} returned {what}; {wanted}")
    numbers = array.astype(float)
    if not np.isfinite(numbers).all():
        raise SamplerError(
            f"{place} returned {numbers[~np.isfinite(numbers)].flat[0]}; expected finite numbers"
        )
    if numbers.size and np.abs(numbers).max() > LARGEST:
        raise SamplerError(
            f"{place} returned {numbers.flat[int(np.abs(numbers).argmax())]:.3g}; expected numbers up to "
            f"{LARGEST:g} in size (return a logarithm of larger ones)"
        )
    return numbers
