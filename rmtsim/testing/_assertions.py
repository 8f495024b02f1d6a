"""Assertions about random quantities with a known probability of a false alarm."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim.claims import Claim, claim, find
from rmtsim.claims._model import QUICK_SECONDS
from rmtsim.testing._shares import Inconclusive, Plan, Share, current
from rmtsim.verdicts import ClaimResult, Verdict, verify
from rmtsim.verdicts._needs import TIMELY, Lack

_described = describes(
    tolerance="float, Relative or Tolerance\n    Half-width of the zone around ``value`` that counts as equal.",
    inconclusive='{"fail", "warn"}, optional\n    See :func:`assert_confirmed`.',
    Returns="ClaimResult\n    The result.",
)

SIZES_PER_FACTOR = 8.0
"""One larger size for each such factor of the budget: the time of dense linear algebra at twice the size."""


_TIMELY = TIMELY | {Lack.TIME, Lack.DRAWS, Lack.VALUES}
"""Needs that a larger budget satisfies."""


class ClaimFailedError(AssertionError):
    """A claim has another verdict than a test asserts; the message is the full reasoning.

    Parameters
    ----------
    message : str
        The message.
    result : ClaimResult
        The result.

    Examples
    --------
    >>> from rmtsim.testing import ClaimFailedError, assert_mean
    >>> try:
    ...     assert_mean(lambda rng: rng.exponential(), 1.5, tolerance=0.1)
    ... except ClaimFailedError as failure:
    ...     print(failure.result.verdict)
    REFUTED
    """

    def __init__(self, message: str, result: ClaimResult) -> None:
        super().__init__(message)
        self.result = result


class InconclusiveWarning(UserWarning):
    """The budget of an assertion did not decide it.

    Examples
    --------
    >>> from rmtsim.testing import InconclusiveWarning
    >>> issubclass(InconclusiveWarning, UserWarning)
    True
    """


@_described
def assert_confirmed(
    subject: Claim | str | Callable[..., Any],
    *,
    level: float | None = None,
    budget: float | None = None,
    inconclusive: Inconclusive | None = None,
    points: Sequence[Mapping[str, Any]] | None = None,
    **declaration: Any,
) -> ClaimResult:
    """Assert that a claim is confirmed.

    Parameters
    ----------
    subject : Claim, str or callable
        A claim, the id of one, or a function of ``(size, rng)`` with the statement in ``declaration``.
    level : float, optional
        Error probability. In a test the default is the share of the session's flakiness budget
        (``--rmtsim-flakiness``) that is left for this assertion; elsewhere half of 10⁻⁶.
    budget : float, optional
        Nominal seconds, multiplied by ``--rmtsim-budget``. The default is 3.
    inconclusive : {"fail", "warn"}, optional
        Whether an undecided claim is a failure or an :class:`InconclusiveWarning`. The default is the option
        ``--rmtsim-inconclusive``, or a failure.
    points : sequence of mapping, optional
        Parameter points to test instead of the declared ones.
    **declaration
        For a function: the keywords of :func:`rmtsim.claim`, for instance ``limit``, ``tolerance``, ``sizes`` and
        ``exponents``.

    Raises
    ------
    ClaimFailedError
        If the claim is refuted, or undecided and ``inconclusive`` is "fail".

    Notes
    -----
    The probability that a true claim is refuted is at most ``level``. How often a true claim remains undecided
    depends on the budget and is not part of that probability.

    Examples
    --------
    >>> from rmtsim.testing import assert_confirmed
    >>> result = assert_confirmed("dong.thm1.diagonal-limit")
    >>> result.evidence
    'computed'
    """
    __tracebackhide__ = True
    return _confirmed(subject, level, budget, inconclusive, points, declaration)


def _confirmed(
    subject: Any,
    level: float | None,
    budget: float | None,
    inconclusive: Inconclusive | None,
    points: Sequence[Mapping[str, Any]] | None,
    declaration: dict[str, Any],
) -> ClaimResult:
    """Implementation of :func:`assert_confirmed`, called by each assertion, so that a warning names the test."""
    __tracebackhide__ = True
    if inconclusive is not None:
        validate.choice(
            "inconclusive", inconclusive, ("fail", "warn"), meaning="what an undecided claim does"
        )
    result, given = examine(subject, level, budget, points, declaration)
    if result.verdict is Verdict.REFUTED:
        raise ClaimFailedError(_failed(result, "refuted"), result)
    if result.verdict in (Verdict.INCONCLUSIVE, Verdict.UNTESTED):
        lacks = [need.lack for need in result.deciding.lacks]
        timely = not lacks or all(lack in _TIMELY for lack in lacks)
        words = (
            f"the budget did not decide {result.claim}; {result.deciding.needs or 'no sufficient budget is predicted'}."
            f"{' Raise budget=, or --rmtsim-budget for all tests.' if timely else ''}"
        )
        if result.verdict is Verdict.UNTESTED and result.severity is not None:
            words = (
                f"{result.claim} is untested: {result.severity.untested}. Choose points where it could fail."
            )
        if (inconclusive or given.inconclusive or given.plan.inconclusive) == "fail":
            raise ClaimFailedError(f"{_failed(result, 'undecided')}\n\n{words}", result)
        warnings.warn(words, InconclusiveWarning, stacklevel=3)
    return result


@_described
def assert_not_refuted(
    subject: Claim | str | Callable[..., Any],
    *,
    level: float | None = None,
    budget: float | None = None,
    points: Sequence[Mapping[str, Any]] | None = None,
    **declaration: Any,
) -> ClaimResult:
    """Assert that a claim is not refuted.

    A claim that the budget does not decide passes. If the claim is true, this fails with a probability of at most
    ``level``.

    Parameters
    ----------
    subject : Claim, str or callable
        See :func:`assert_confirmed`.
    level, budget : float, optional
        See :func:`assert_confirmed`.
    points : sequence of mapping, optional
        See :func:`assert_confirmed`.
    **declaration
        See :func:`assert_confirmed`.

    Raises
    ------
    ClaimFailedError
        If the claim is refuted.

    Examples
    --------
    >>> from rmtsim.testing import assert_not_refuted
    >>> largest = lambda size, rng: abs(rng.standard_normal(size)).max()
    >>> result = assert_not_refuted(largest, bound=9.0, tolerance=1e-9, sizes=(10, 100), budget=0.1)
    >>> str(result.kind)
    'bound'
    """
    __tracebackhide__ = True
    result, _ = examine(subject, level, budget, points, declaration)
    if result.verdict is Verdict.REFUTED:
        raise ClaimFailedError(_failed(result, "refuted"), result)
    return result


@_described
def assert_limit(
    sampler: Callable[..., Any],
    value: float,
    *,
    tolerance: Any,
    sizes: Sequence[int] = (16, 32, 64, 128),
    exponents: Sequence[float] | None = None,
    level: float | None = None,
    budget: float | None = None,
    inconclusive: Inconclusive | None = None,
    **declaration: Any,
) -> ClaimResult:
    """Assert that the mean of a random quantity tends to a number as a size grows.

    Parameters
    ----------
    sampler : callable
        Function of ``(size, rng)`` that returns a number, or an array of independent replicates.
    value : float
        The limit.
    sizes : sequence of int, optional
        Increasing sizes. ``--rmtsim-budget`` of 8 or more adds larger ones.
    exponents : sequence of float, optional
        Exponents of the finite-size corrections that are admitted. Without them a correction may be so slow that no
        sizes decide, and the result is INCONCLUSIVE.
    level, budget : float, optional
        See :func:`assert_confirmed`.
    **declaration
        Further keywords of :func:`rmtsim.claim`, for instance ``cost`` and ``because``.

    Raises
    ------
    ClaimFailedError
        If the limit is refuted, or undecided and ``inconclusive`` is "fail".

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing import assert_limit
    >>> def sample_variance(size, rng, replicates):
    ...     return rng.standard_normal((replicates, size)).var(axis=1)
    >>> result = assert_limit(
    ...     sample_variance, 1.0, tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), cost=1e-6
    ... )
    >>> str(result.verdict)
    'CONFIRMED'
    """
    __tracebackhide__ = True
    if not callable(sampler):
        raise TypeError(f"sampler={validate.shown(sampler)}: expected a function of (size, rng)")
    value = validate.finite_number("value", value, meaning="stated limit")
    stated = {"limit": value, "tolerance": tolerance, "sizes": sizes, "exponents": exponents}
    return _confirmed(sampler, level, budget, inconclusive, None, stated | declaration)


MEAN_SIZES = (1, 1000, 1_000_000)
"""Formal sizes of a quantity that has none: a correction of order 1/size would be negligible at the second. The
engine needs a third size to test its models."""


@_described
def assert_mean(
    function: Callable[..., Any],
    value: float,
    *,
    tolerance: Any,
    level: float | None = None,
    budget: float | None = None,
    inconclusive: Inconclusive | None = None,
    cost: float = 1e-5,
    support: tuple[float, float] | None = None,
) -> ClaimResult:
    """Assert the mean of a random quantity that has no size.

    Parameters
    ----------
    function : callable
        Function of ``rng`` that returns one value, or of ``(rng, replicates)`` that returns an array of that many
        independent values.
    value : float
        The expectation.
    level, budget : float, optional
        See :func:`assert_confirmed`.
    cost : float, optional
        Nominal seconds per value.
    support : tuple of float, optional
        Bounds that all values obey; intervals are then exact at every number of values.

    Raises
    ------
    ClaimFailedError
        If the mean is refuted, or undecided and ``inconclusive`` is "fail".

    Examples
    --------
    >>> from rmtsim.testing import assert_mean
    >>> result = assert_mean(lambda rng, replicates: rng.poisson(3.0, replicates), 3.0, tolerance=0.1, cost=1e-7)
    >>> str(result.verdict)
    'CONFIRMED'
    """
    __tracebackhide__ = True
    vectorised = _accepts_replicates(function)
    value = validate.finite_number("value", value, meaning="expectation")
    if vectorised:

        def measured(size: int, rng: Any, replicates: int) -> Any:
            return function(rng, replicates)

    else:

        def measured(size: int, rng: Any) -> Any:  # type: ignore[misc]
            return function(rng)

    measured.__name__ = getattr(function, "__name__", "function")
    stated = {
        "limit": value,
        "tolerance": tolerance,
        "sizes": MEAN_SIZES,
        "exponents": (1.0,),
        "because": "the function receives no size",
        "cost": cost,
        "support": support,
        "statement": f"The mean of {measured.__name__} is {value:g}.",
    }
    return _confirmed(measured, level, budget, inconclusive, None, stated)


def _accepts_replicates(function: Any) -> bool:
    """Whether a function of ``(rng, replicates)`` is given, or one of ``rng``.

    >>> _accepts_replicates(lambda rng, replicates: rng.random(replicates)), _accepts_replicates(lambda rng: 1.0)
    (True, False)
    """
    wrong = TypeError(
        f"function={validate.shown(function)}: expected a function of (rng) or (rng, replicates)"
    )
    if not callable(function):
        raise wrong
    try:
        signature = inspect.signature(function)
    except ValueError:  # compiled functions need not have one
        return False
    several = list(signature.parameters)[:2] == ["rng", "replicates"]
    try:
        signature.bind(*["rng", "replicates"][: 1 + several])
    except TypeError:
        raise wrong from None
    return several


def examine(
    subject: Any,
    level: float | None,
    budget: float | None,
    points: Sequence[Mapping[str, Any]] | None,
    declaration: dict[str, Any],
) -> tuple[ClaimResult, Share]:
    """The result of one assertion, at the level and with the budget that the running test gives it."""
    share = current[-1] if current else Share("rmtsim.testing", Plan())
    if budget is not None:
        budget = validate.positive_number("budget", budget, meaning="nominal seconds")
    spent = share.spend() if level is None else level
    tested = _claim(subject, share, declaration)
    seconds = (budget or share.budget or QUICK_SECONDS) * share.plan.budget
    results = verify(tested, seed=share.plan.seed, level=spent, budget=seconds, points=points, progress=False)
    (result,) = results
    share.record(result.claim, f"{result.verdict} at level {spent:.3g}")
    return result, share


def _claim(subject: Any, share: Share, declaration: dict[str, Any]) -> Claim:
    if isinstance(subject, (Claim, str)):
        if declaration:
            raise TypeError(
                f"{', '.join(declaration)}: expected no declaration beside subject={validate.shown(subject)}, a claim "
                "that has one"
            )
        return find(subject) if isinstance(subject, str) else subject
    if not callable(subject):
        raise TypeError(
            f"subject={validate.shown(subject)}: expected a claim, the id of one, or a function of (size, rng)"
        )
    name = "_".join(f"{share.name}#{share.used}".split())
    if (
        share.plan.budget >= SIZES_PER_FACTOR
        and "sizes" in declaration
        and declaration.get("limit") is not None
    ):
        declaration = declaration | {"sizes": _larger(declaration["sizes"], share.plan.budget)}
    made = claim(name, subject, **declaration)
    if not isinstance(made, Claim):
        raise TypeError(f"{name}: expected the declaration of one claim, not of a family")
    return made


def _larger(sizes: Sequence[int], factor: float) -> tuple[int, ...]:
    """Sizes with further doublings, one per factor of eight of the budget.

    >>> _larger((10, 20), 64), _larger((1, 1000), 2)
    ((10, 20, 40, 80), (1, 1000))
    """
    more = int(math.log(factor, SIZES_PER_FACTOR) + 1e-9) if sizes[0] > 1 else 0
    return (*sizes, *(sizes[-1] * 2**k for k in range(1, more + 1)))


def _failed(result: ClaimResult, what: str) -> str:
    return f"{result.claim} is {what}.\n\n{result.explain()}"
