"""Tests of the number of components, on data whose number is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.randomness import RandomSource, root_seed
from rmtsim.testing._conformance import Check, Conformance, described, share_at_least


@described
def check_rank_test(
    rank: Callable[[NDArray[np.float64]], Any],
    *,
    level: float = 0.05,
    samples: int = 200,
    features: int = 50,
    repeats: int = 400,
    rng: RandomSource = 0,
    name: str = "",
) -> Conformance:
    """Check a test of the number of components in a data matrix.

    Parameters
    ----------
    rank : callable
        ``rank(data)`` returns the number of components of a matrix of samples × features.
    level : float, optional
        Probability of a false component that the test states.
    samples, features : int, optional
        Shape of the data.
    repeats : int, optional
        Data sets per property.

    Returns
    -------
    Conformance
        Whether pure noise has no component with probability at least 1 - ``level``: Gaussian, with heavier tails
        (Student's t, ten degrees of freedom), with unequal variances of the features; whether three spikes at four
        times the threshold of detection and more are counted right with probability at least 0.9, also in other units
        of the data.

    Raises
    ------
    ValueError
        If ``level`` is not in (0, 1).

    Notes
    -----
    A test that assumes noise of equal variances states nothing about unequal ones; the property shows what happens
    then.

    Examples
    --------
    >>> from rmtsim import spectrum
    >>> from rmtsim.testing import check_rank_test
    >>> report = check_rank_test(lambda data: len(spectrum(data).outliers), repeats=5, features=10)
    >>> str(report.checks[0].verdict) != "REFUTED"
    True
    """
    seed = root_seed("rng", rng)
    if not 0 < level < 1:
        raise ValueError(f"level={level}: expected a number in (0, 1) (probability of a false component)")
    threshold = 1 + np.sqrt(features / samples)
    deviations = np.geomspace(0.3, 3.0, features)

    def noise(rng: np.random.Generator) -> NDArray[np.float64]:
        return rng.standard_normal((samples, features))

    def spiked(rng: np.random.Generator) -> NDArray[np.float64]:
        data = noise(rng)
        data[:, :3] *= np.sqrt(4 * threshold * np.array([3.0, 2.0, 1.0]))
        q, _ = np.linalg.qr(rng.standard_normal((features, features)))
        return np.asarray(data @ q)

    def heavy(rng: np.random.Generator) -> NDArray[np.float64]:
        return rng.standard_t(10, (samples, features))

    cases: list[tuple[str, Callable[[np.random.Generator], NDArray[np.float64]], int, float]] = [
        ("no component in Gaussian noise", noise, 0, 1 - level),
        ("no component in noise with heavier tails", heavy, 0, 1 - level),
        ("no component in noise of unequal variances", lambda rng: noise(rng) * deviations, 0, 1 - level),
        ("three strong components", spiked, 3, 0.9),
        ("three strong components, data times 1000", lambda rng: 1000 * spiked(rng), 3, 0.9),
    ]
    checks: list[Check] = []
    for title, draw, count, least in cases:

        def right(rng: np.random.Generator, draw: Any = draw, count: int = count) -> bool:
            return int(rank(draw(rng))) == count

        checks.append(share_at_least(title, right, least, seed=seed, repeats=repeats))
    return Conformance(name or getattr(rank, "__name__", "rank"), tuple(checks))
