"""Control variates: less noise from quantities whose expectation is known, without a bias.

With controls c of known mean μ, y - β·(c - μ) has the mean of y for every β that has not seen y. Here β is fitted once
per parameter point on a small pilot at one size, drawn from a stream of its own, and then used at all sizes: values
stay independent, the mean stays exact, and the result does not depend on how work is cut into batches.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rmtsim import validate
from rmtsim.claims.model import Parameters, Sampler
from rmtsim.errors import SamplerError
from rmtsim.streams import canonical, stream

__all__ = ["with_controls"]

_PILOT = 64
"""Replicates of the pilot: with few controls, β is then within a few per cent of the best one's variance."""


def with_controls(
    sample: Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]],
    means: Callable[[Parameters, int], Sequence[float]],
    pilot_size: int,
) -> Sampler:
    """Sampler of a claim from one that returns (replicates, 1 + controls): the quantity, then its controls.

    ``means(parameters, size)`` are the controls' exact expectations. The coefficients come from ``pilot_size``; use
    this where quantity and controls keep their scale as the size grows.

    >>> def noisy(parameters, size, rng, replicates):
    ...     x = rng.standard_normal(replicates)
    ...     return np.stack([3 + 2 * x + 0.1 * rng.standard_normal(replicates), x], axis=1)
    >>> quiet = with_controls(noisy, lambda parameters, size: [0.0], pilot_size=1)
    >>> bool(quiet({}, 8, np.random.default_rng(0), 400).std() < 0.12)
    True
    """
    validate.integer("pilot_size", pilot_size, meaning="size at which the coefficients are fitted")

    def table(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        known = means(parameters, size)
        values = np.asarray(sample(parameters, size, rng, replicates), dtype=np.float64)
        if values.shape != (replicates, 1 + len(known)):
            raise SamplerError(
                f"the sampler returned shape {values.shape} at size {size}; expected "
                f"({replicates}, {1 + len(known)}): the quantity and {len(known)} control(s) per replicate"
            )
        return values[:, 0], values[:, 1:] - np.asarray(known, dtype=np.float64)

    @functools.lru_cache(maxsize=256)
    def coefficients(point: str) -> NDArray[np.float64]:
        parameters = json.loads(point)
        rng = stream(0, "control variates", parameters, pilot_size, 0)
        values, controls = table(parameters, pilot_size, rng, _PILOT)
        centred = controls - controls.mean(axis=0)
        return np.asarray(np.linalg.lstsq(centred, values - values.mean(), rcond=None)[0])

    def sample_controlled(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        beta = coefficients(canonical(parameters))
        values, controls = table(parameters, size, rng, replicates)
        return np.asarray(values - controls @ beta)

    return sample_controlled
