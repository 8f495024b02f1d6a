"""Samplers of claims from functions that users wrote: called, checked, and in error told in one line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Parameters, Sampler
from rmtsim.errors import SamplerError

__all__ = ["SpectralLaw", "coupled_sampler", "kolmogorov_distance", "plain_sampler"]


class SpectralLaw(Protocol):
    """Anything with a distribution function can be the law of a law claim."""

    def cdf(self, x: NDArray[np.float64], /) -> Any:
        """Distribution function at ``x``."""
        ...


def kolmogorov_distance(values: NDArray[np.float64], cdf: Callable[[NDArray[np.float64]], Any]) -> float:
    """Largest gap between the empirical distribution of ``values`` and a continuous distribution function.

    >>> kolmogorov_distance(np.array([0.25, 0.75]), lambda x: x)
    0.25
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    theory = np.asarray(cdf(ordered), dtype=float)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max((steps[1:] - theory).max(), (theory - steps[:-1]).max()))


def plain_sampler(
    name: str,
    function: Callable[..., Any],
    names: tuple[str, ...],
    law: SpectralLaw | Callable[[NDArray[np.float64]], Any] | None,
) -> Sampler:
    """Sampler of ``function(size, rng)``, which returns a number, independent numbers, or a sample of the law."""
    cdf: Any = getattr(law, "cdf", law)

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        chosen = {key: parameters[key] for key in names}
        values: list[float] = []
        while len(values) < replicates:
            numbers = _numbers(name, function, size, _called(name, function, "size", size, rng, chosen))
            if cdf is None:
                values.extend(numbers.tolist())
            else:
                values.append(kolmogorov_distance(numbers, cdf))
        return np.array(values[:replicates])

    return sample


def coupled_sampler(
    name: str, function: Callable[..., Any], names: tuple[str, ...], sizes: tuple[int, ...]
) -> Sampler:
    """Sampler of ``function(sizes, rng)``, which returns one number per size, or rows of such numbers."""
    call = f"{name}: {function.__name__}(sizes={sizes}, rng)"
    wanted = f"expected {len(sizes)} real numbers, one per size (or rows of so many)"

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        chosen = {key: parameters[key] for key in names}
        rows: list[NDArray[np.float64]] = []
        missing = replicates // len(sizes)
        while missing > 0:
            array = _array(call, wanted, _called(name, function, "sizes", sizes, rng, chosen))
            if array.ndim not in (1, 2) or array.shape[-1] != len(sizes) or array.size == 0:
                raise SamplerError(f"{call} returned an array of shape {array.shape}; {wanted}")
            rows.append(np.atleast_2d(array)[:missing])
            missing -= len(rows[-1])
        return np.concatenate(rows).ravel()

    return sample


def _called(
    name: str,
    function: Callable[..., Any],
    first: str,
    size: int | tuple[int, ...],
    rng: np.random.Generator,
    chosen: dict[str, Any],
) -> Any:
    """What the user's function returns; what it raises is told with its place, in one line."""
    try:
        return function(size, rng, **chosen)
    except Exception as error:
        own = traceback.extract_tb(error.__traceback__)[1:]
        place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
        given = "".join(f", {key}={value}" for key, value in chosen.items())
        raise SamplerError(
            f"{name}: {function.__name__}({first}={size}, rng{given}) raised {type(error).__name__}: {error}{place}"
        ) from error


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
