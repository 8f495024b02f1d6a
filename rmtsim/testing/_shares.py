"""Division of the flakiness budget of a test session over its tests and their assertions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from rmtsim._internal.docstrings import frozen

FLAKINESS = 1e-6
"""Probability that a session fails by chance, if no other is given."""

SHARES = 1024
"""Smallest number of shares if none is given: a test that is run alone has the level that it has in its suite."""

Inconclusive = Literal["fail", "warn"]
"""What an assertion of a confirmed claim does if the budget does not decide."""


@frozen
class Plan:
    """Options of a session, and the number of tests that share its flakiness budget."""

    flakiness: float = FLAKINESS
    tests: int = 1
    seed: int = 0
    budget: float = 1.0
    inconclusive: Inconclusive = "fail"

    def __post_init__(self) -> None:
        # Plain comparisons: the validators load NumPy, which a session without claims does not need.
        if not 0 < self.flakiness < 1:
            raise ValueError(
                f"flakiness={self.flakiness}: expected a number in (0, 1) (probability of a chance failure)"
            )
        if not 0 < self.budget < float("inf"):
            raise ValueError(f"budget={self.budget}: expected a finite number > 0 (factor of every budget)")
        if not 0 <= self.seed <= 2**128:
            raise ValueError(f"seed={self.seed}: expected a whole number in [0, 2^128] (root seed)")
        if self.tests < 1:
            raise ValueError(
                f"tests={self.tests}: expected a whole number >= 1 (tests that share the budget)"
            )
        if self.inconclusive not in ("fail", "warn"):
            raise ValueError(f"inconclusive={self.inconclusive!r}: expected 'fail' or 'warn'")

    @property
    def shares(self) -> int:
        """Number of equal shares: the number of tests, rounded up to a power of two.

        Rounding keeps the level of every test, and with it the verdicts, when a few tests are added.

        >>> Plan(tests=1000).shares, Plan(tests=1).shares
        (1024, 1)
        """
        return 1 << (self.tests - 1).bit_length()

    @property
    def level(self) -> float:
        """Error probability of one test."""
        return self.flakiness / self.shares


@dataclass
class Share:
    """Error probability of one test, spent by its assertions in turn.

    The k-th assertion receives 1/(k(k + 1)) of it. These shares sum to one, however many assertions follow.
    """

    name: str
    plan: Plan
    budget: float | None = None
    """Nominal seconds of each assertion, from the marker of the test."""
    inconclusive: Inconclusive | None = None
    """From the marker of the test."""
    record: Callable[[str, str], None] = lambda claim, words: None
    """Receives the id and the verdict of each claim."""
    used: int = field(default=0)

    def spend(self) -> float:
        """Level of the next assertion.

        >>> share = Share("test_x", Plan(flakiness=0.5))
        >>> share.spend(), share.spend()
        (0.25, 0.08333333333333333)
        """
        self.used += 1
        return self.plan.level / (self.used * (self.used + 1))


current: list[Share] = []
"""The share of the running test; empty outside a test."""
