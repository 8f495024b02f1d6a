"""Results of the conformance checks: one verdict per property."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from rmtsim._internal.docstrings import describes, frozen
from rmtsim._internal.randomness import stream
from rmtsim.claims import claim
from rmtsim.testing._assertions import MEAN_SIZES
from rmtsim.verdicts import Verdict, verify

described = describes(
    rng="None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional\n"
    "    Root of the streams that the check draws from.",
    name="str, optional\n    Name in the report.",
)
"""Parameters that checks share."""

LEVEL = 1e-3
"""Error probability of one random check."""


@frozen
class Check:
    """One property of the checked code.

    Examples
    --------
    >>> from rmtsim.testing import Check
    >>> Check("mass is one", None, "no density").verdict is None
    True
    """

    name: str
    """The property."""
    verdict: Verdict | None
    """The verdict; None if the code does not offer what the check needs."""
    words: str = ""
    """Numbers behind it."""


@frozen
class Conformance:
    """Result of the checks of one object.

    Examples
    --------
    >>> from rmtsim.laws import Semicircle
    >>> from rmtsim.testing import check_law
    >>> report = check_law(Semicircle())
    >>> report.passed, len(report.failed)
    (True, 0)
    """

    name: str
    """What was checked."""
    checks: tuple[Check, ...]
    """The properties."""

    @property
    def failed(self) -> tuple[Check, ...]:
        """Refuted properties."""
        return tuple(check for check in self.checks if check.verdict is Verdict.REFUTED)

    @property
    def passed(self) -> bool:
        """Whether no property is refuted."""
        return not self.failed

    def __str__(self) -> str:
        """One line per property."""
        lines = [f"{check.verdict or 'not offered':12}  {check.name}: {check.words}" for check in self.checks]
        return "\n".join([self.name, *lines])

    def assert_passed(self) -> None:
        """Fail with the whole table if a property is refuted.

        Raises
        ------
        AssertionError
            If a property is refuted.
        """
        __tracebackhide__ = True
        assert self.passed, str(self)


def at_most(name: str, error: float, allowed: float) -> Check:
    """A property without chance: an error that must not exceed what is allowed.

    >>> str(at_most("mass is one", 1e-3, 1e-6).verdict)
    'REFUTED'
    """
    verdict = Verdict.CONFIRMED if error <= allowed else Verdict.REFUTED
    return Check(name, verdict, f"error {error:.2g}, allowed {allowed:.2g}")


def failed_with(name: str, error: BaseException) -> Check:
    """A property that could not be evaluated because the code raised."""
    return Check(name, Verdict.REFUTED, f"raised {type(error).__name__}: {error}"[:160])


def mean_is(
    name: str,
    function: Callable[[np.random.Generator], Any],
    value: float,
    tolerance: float,
    *,
    seed: int,
    repeats: int,
) -> Check:
    """Whether the mean of a random number is a value, by the engine, from at most so many calls."""

    def measured(size: int, rng: np.random.Generator) -> float:
        return float(function(rng))

    made = claim(
        "_".join(f"conformance:{name}".split()),
        measured,
        limit=float(value),
        tolerance=tolerance,
        sizes=MEAN_SIZES,
        exponents=(1.0,),
        because="the function receives no size",
        cost=1e-3,
        statement=name,
    )
    try:
        (result,) = verify(made, seed=seed, level=LEVEL, budget=1e-3 * repeats, progress=False)
    except Exception as error:
        return failed_with(name, error)
    point = result.deciding
    low, high = point.interval
    words = f"true {value:.6g} ± {tolerance:.2g}, found in [{low:.6g}, {high:.6g}] from {sum(point.replicates)} calls"
    return Check(name, result.verdict, words)


def share_at_least(
    name: str, event: Callable[[np.random.Generator], bool], least: float, *, seed: int, repeats: int
) -> Check:
    """Whether an event has at least a probability, by an exact interval from so many calls."""
    try:
        count = sum(bool(event(stream(seed, f"conformance:{name}", {}, 0, k))) for k in range(repeats))
    except Exception as error:
        return failed_with(name, error)
    low, high = stats.binomtest(count, repeats).proportion_ci(1 - LEVEL, method="exact")
    verdict = Verdict.CONFIRMED if low >= least else Verdict.REFUTED if high < least else Verdict.INCONCLUSIVE
    return Check(
        name, verdict, f"{count} of {repeats}, at least {least:g} stated; interval [{low:.3f}, {high:.3f}]"
    )
