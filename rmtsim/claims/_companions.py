"""Companions (control variates): quantities of known mean that are measured together with another to reduce its
variance. With companions c of known mean μ, y - β·(c - μ) has the mean of y for every β that is independent of y.
Here β is fitted once per parameter point on a small pilot at one size, drawn from a separate random stream, and then
used at all sizes: values stay independent, the mean is unchanged, and the result does not depend on the division into
batches.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.randomness import canonical, stream
from rmtsim.claims._model import Parameters
from rmtsim.errors import SamplerError

_PILOT = 64
"""Replicates of the pilot: with few companions, β is then within a few per cent of the best one's variance."""


def with_companions(
    measured: Callable[..., Any],
    means: Callable[..., Sequence[float]],
    pilot_size: int,
) -> Callable[..., NDArray[np.float64]]:
    """Reduce the noise of a measured function by companions of known mean (control variates).

    Parameters
    ----------
    measured : callable
        ``measured(size, rng, **parameters)`` returns the quantity followed by its companions;
        ``measured(size, rng, replicates, **parameters)`` returns one such row per replicate.
    means : callable
        ``means(size, **parameters)`` returns the exact expectations of the companions.
    pilot_size : int
        Size at which the coefficients are fitted, on a small pilot with a random stream of its own.

    Returns
    -------
    callable
        A function for :func:`claim` that returns ``y − β·(c − E c)``, whose mean is that of the quantity y.

    Raises
    ------
    SamplerError
        If a row has the wrong length.

    Notes
    -----
    The coefficients β do not depend on the values they are applied to, so that values stay independent and
    unbiased. They are used at all sizes: quantity and companions should keep their scale as the size grows.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.claims import with_companions
    >>> def noisy(size, rng):
    ...     x = rng.standard_normal()
    ...     return 3 + 2 * x + 0.1 * rng.standard_normal(), x
    >>> quiet = with_companions(noisy, lambda size: [0.0], pilot_size=1)
    >>> bool(quiet(8, np.random.default_rng(0), 400).std() < 0.12)
    True
    """
    validate.integer("pilot_size", pilot_size, meaning="size at which the coefficients are fitted")
    whole_batch = "replicates" in inspect.signature(measured).parameters

    def values_and_deviations(
        size: int, rng: np.random.Generator, replicates: int, parameters: Parameters
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        known = means(size, **parameters)
        if whole_batch:
            rows = np.asarray(measured(size, rng, replicates, **parameters), dtype=np.float64)
        else:
            rows = np.array([measured(size, rng, **parameters) for _ in range(replicates)], dtype=np.float64)
        if rows.shape != (replicates, 1 + len(known)):
            raise SamplerError(
                f"{measured.__name__} returned rows of shape {rows.shape[1:]} at size {size}; expected "
                f"({1 + len(known)},): the quantity and {len(known)} companion(s)"
            )
        return rows[:, 0], rows[:, 1:] - np.asarray(known, dtype=np.float64)

    @functools.lru_cache(maxsize=256)
    def coefficients(point: str) -> NDArray[np.float64]:
        parameters = json.loads(point)
        # The key of the pilot's stream must not change, because it determines recorded numbers.
        rng = stream(0, "control variates", parameters, pilot_size, 0)
        values, deviations = values_and_deviations(pilot_size, rng, _PILOT, parameters)
        centred = deviations - deviations.mean(axis=0)
        return np.asarray(np.linalg.lstsq(centred, values - values.mean(), rcond=None)[0])

    def beside_companions(
        size: int, rng: np.random.Generator, replicates: int, **parameters: Any
    ) -> NDArray[np.float64]:
        beta = coefficients(canonical(parameters))
        values, deviations = values_and_deviations(size, rng, replicates, parameters)
        return np.asarray(values - deviations @ beta)

    for name in (
        "__module__",
        "__name__",
        "__qualname__",
        "__doc__",
    ):  # it is the measured function, with less noise
        setattr(beside_companions, name, getattr(measured, name, getattr(beside_companions, name)))
    return beside_companions
