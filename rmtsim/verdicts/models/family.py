"""The declared family of finite-size corrections, as many straight lines.

Every model says value_k = offset_k + target·lead_k + amplitude·form_k over the sizes k: linear in two
unknowns, so that its interval for the target is a closed form and hundreds of models cost microseconds.

- limit: value(n) = L + a·(x^p + τ·x^q + σ·τ²·x^(2q-p)), x = n₁/n. The leading exponent p runs over the declared
  ones, the second exponent q over 2p, p + ½ and p + 1; τ is the size of the second term relative to the first at
  the smallest size n₁, up to a quarter either way (and up to four in coefficients, 4·n₁^(p-q), which keeps it from
  imitating a slower leading term). The third term is absent or, for p ≥ 1, as in a geometric series (σ = 0 or 1).
  The *free* exponent, from the slowest declared one to three, stands alone.
- rate: log|value(n)| = log A - β log(n/n₁) + log(1 + τx^p), the same p and τ from -1/2 to 1; the target is β.

Grids are refined (``around``) where the data need it, so p and τ are as good as continuous.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["SECOND_TERM", "Branch", "Family", "limit_family", "rate_family", "two_term_family"]

SECOND_TERM = 0.25
"""Largest second term admitted, relative to the first, at the smallest size; and …"""

COEFFICIENT = 4.0
"""… largest ratio of the coefficients b/a in a·n^-p + b·n^-q, which is the stricter bound for large q - p."""

FASTEST = 3.0
"""Corrections that vanish faster than n^-3 look constant at any size worth simulating."""

_LIMIT_TAUS = np.linspace(-1, 1, 5)
"""In units of the largest second term admitted for the exponents at hand."""
_RATE_TAUS = np.array([-0.5, -0.25, 0.0, 0.25, 0.5, 1.0])
_FREE_STEPS = 9


@dataclass(frozen=True)
class Branch:
    """Models that differ only in τ, or (free ones) in p: the unit of refinement."""

    label: str
    exponent: float | None
    """The declared leading exponent; None for the free one."""
    second: float | None = None
    """The second exponent of a limit's correction; None for a single term, and for a rate."""
    third: float = 0.0
    """The third term in units of τ²."""

    def name(self, kind: str, tau: float) -> str:
        """What the model is called in tables."""
        if kind == "rate":
            return f"{self.label}, power with correction" if tau else "pure power"
        if kind == "two terms":
            return f"{self.label} and {self.second:.3g}, two free terms"
        return f"{self.label} and {self.second:.3g}, two terms" if tau else f"{self.label}, one term"


@dataclass(frozen=True)
class Family:
    """Models over the same sizes; arrays have shape (models, sizes) and ``forms`` (models, terms, sizes)."""

    kind: str
    sizes: tuple[int, ...]
    branches: tuple[Branch, ...]
    branch: NDArray[np.int_]
    """Number of each model's branch."""
    exponents: NDArray[np.float64]
    taus: NDArray[np.float64]
    offsets: NDArray[np.float64]
    leads: NDArray[np.float64]
    forms: NDArray[np.float64]
    spacing: tuple[float, float]
    """Steps of the grid: of log p, and of τ."""

    def __len__(self) -> int:
        return len(self.branch)

    @property
    def names(self) -> tuple[str, ...]:
        """What each model is called; models that differ only in the values of p and τ share a name."""
        return tuple(
            self.branches[branch].name(self.kind, tau)
            for branch, tau in zip(self.branch.tolist(), self.taus.tolist(), strict=True)
        )

    def name(self, member: int) -> str:
        """What one model is called."""
        return self.branches[int(self.branch[member])].name(self.kind, float(self.taus[member]))

    def corrections(self, members: NDArray[np.int_], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forms of some models of a limit at any sizes, (members, sizes)."""
        return _forms(
            np.asarray(sizes, dtype=float) / self.sizes[0],
            self.branches,
            self.branch[members],
            self.exponents[members],
            self.taus[members],
        )

    def around(self, members: list[int]) -> Family:
        """A grid four times finer around some members; a declared exponent keeps its value."""
        ratio, step = self.spacing[0] / 4, self.spacing[1] / 4
        chosen = np.array(list(dict.fromkeys(members)))
        lowest, highest = float(self.exponents.min()), float(self.exponents.max())
        numbers, exponents, taus = [], [], []
        moves = np.arange(-4, 5)
        for member in chosen.tolist():
            number = int(self.branch[member])
            branch = self.branches[number]
            p = np.array([self.exponents[member]])
            if branch.exponent is None:
                p = np.clip(p * np.exp(moves * ratio), lowest, highest)
            tau = np.array([self.taus[member]])
            if self.kind == "rate" or branch.second is not None:
                unit, ends = 1.0, (-0.5, 1.0)
                if branch.second is not None:
                    unit = second_term(float(p[0]), branch.second, self.sizes[0])
                    ends = (-unit, unit)
                tau = np.clip(tau + moves * step * unit, *ends)
            exponents.append(np.repeat(p, len(tau)))
            taus.append(np.tile(tau, len(p)))
            numbers.append(np.full(len(p) * len(tau), number))
        return _build(
            self.kind,
            self.sizes,
            self.branches,
            np.concatenate(numbers),
            np.concatenate(exponents),
            np.concatenate(taus),
            (ratio, step),
        )

    def joined(self, other: Family) -> Family:
        """The models of both, with the finer spacing."""
        both = {
            name: np.concatenate((getattr(self, name), getattr(other, name)))
            for name in ("branch", "exponents", "taus", "offsets", "leads", "forms")
        }
        return Family(kind=self.kind, sizes=self.sizes, branches=self.branches, spacing=other.spacing, **both)


def second_term(exponent: float, second: float, smallest: int) -> float:
    """Largest second term admitted for two exponents, relative to the first at the smallest size.

    >>> [round(second_term(p, q, 40), 3) for p, q in ((0.5, 1.0), (0.5, 1.5), (1.0, 2.0))]
    [0.25, 0.1, 0.1]
    """
    return min(SECOND_TERM, float(COEFFICIENT * float(smallest) ** (exponent - second)))


def second_exponents(exponent: float) -> tuple[float, ...]:
    """What may follow a leading exponent: its double, and steps of a half and of one.

    >>> second_exponents(0.5), second_exponents(1.0)
    ((1.0, 1.5), (1.5, 2.0))
    """
    return tuple(sorted({round(q, 9) for q in (2 * exponent, exponent + 0.5, exponent + 1)}))


def third_terms(exponent: float) -> tuple[float, ...]:
    """Third terms tried, in units of the square of the second: none, or as in a geometric series.

    Corrections in 1/n are mostly those of rational functions of n, n/(n - 3) say, whose third term precise data can
    tell. Slower ones get none: it would let them imitate each other, at a cost in power.

    >>> third_terms(0.5), third_terms(1.0)
    ((0.0,), (0.0, 1.0))
    """
    return (0.0, 1.0) if exponent >= 1 else (0.0,)


def _forms(
    ratios: NDArray[np.float64],
    branches: tuple[Branch, ...],
    branch: NDArray[np.int_],
    exponents: NDArray[np.float64],
    taus: NDArray[np.float64],
) -> NDArray[np.float64]:
    """x^p + τx^q + στ²x^(2q-p) with x = n₁/n, (models, sizes)."""
    # A branch without a second term has τ = 0, so any exponent will do.
    seconds = np.array([1.0 if each.second is None else each.second for each in branches])[branch]
    thirds = np.array([each.third for each in branches])[branch]
    first = ratios ** -exponents[:, None]
    step = taus[:, None] * ratios ** (exponents - seconds)[:, None]
    return np.asarray(first * (1 + step + thirds[:, None] * step**2))


def _build(
    kind: str,
    sizes: tuple[int, ...],
    branches: tuple[Branch, ...],
    branch: NDArray[np.int_],
    exponents: NDArray[np.float64],
    taus: NDArray[np.float64],
    spacing: tuple[float, float],
) -> Family:
    n = np.asarray(sizes, dtype=float) / sizes[0]
    shape = (len(branch), len(n))
    if kind == "limit":
        offsets, leads = np.zeros(shape), np.ones(shape)
        forms = _forms(n, branches, branch, exponents, taus)[:, None]
    else:
        offsets = np.log1p(taus[:, None] * n ** -exponents[:, None])
        leads = np.broadcast_to(-np.log(n), shape)
        forms = np.ones((shape[0], 1, shape[1]))
    return Family(kind, sizes, branches, branch, exponents, taus, offsets, leads, forms, spacing)


def _free(declared: tuple[float, ...]) -> tuple[NDArray[np.float64], float]:
    """Free exponents, and the step of their logarithm."""
    slowest = min(declared)
    free = np.geomspace(slowest, max(FASTEST, 2 * slowest), _FREE_STEPS)
    return free, float(np.log(free[1] / free[0]))


def _family(
    kind: str,
    sizes: tuple[int, ...],
    branches: list[Branch],
    declared: tuple[float, ...],
    taus: NDArray[np.float64],
) -> Family:
    free, ratio = _free(declared)
    numbers, exponents, seconds = [], [], []
    for number, branch in enumerate(branches):
        p = free if branch.exponent is None else np.array([branch.exponent])
        tau = taus
        if kind == "limit":
            # A free exponent and a free second term together fit anything: the free exponent stands alone.
            unit = 0.0 if branch.second is None else second_term(p[0], branch.second, sizes[0])
            tau = np.zeros(1) if branch.second is None else taus * unit
        exponents.append(np.repeat(p, len(tau)))
        seconds.append(np.tile(tau, len(p)))
        numbers.append(np.full(len(p) * len(tau), number))
    return _build(
        kind,
        sizes,
        tuple(branches),
        np.concatenate(numbers),
        np.concatenate(exponents),
        np.concatenate(seconds),
        (ratio, float(taus[1] - taus[0])),
    )


def _label(exponent: float) -> str:
    return f"{exponent:.3g}"


@lru_cache(maxsize=256)
def limit_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """One correction with a second term of at most a quarter of its size; one size alone admits none."""
    branches = [
        Branch(_label(p), p, q, third)
        for p in sorted(set(declared))
        for q in second_exponents(p)
        for third in third_terms(p)
    ]
    return _family("limit", sizes, [*branches, Branch("free", None)], declared, _LIMIT_TAUS)


@lru_cache(maxsize=256)
def rate_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """A power with a relative correction τ·(n/n₁)^-p."""
    branches = [Branch(_label(p), p) for p in sorted(set(declared))]
    return _family("rate", sizes, [*branches, Branch("free", None)], declared, _RATE_TAUS)


@lru_cache(maxsize=256)
def two_term_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """Two corrections of any size, n^-p and n^-q: for data that rule out every smaller model."""
    n = np.asarray(sizes, dtype=float) / sizes[0]
    free, ratio = _free(declared)
    branches = [Branch(_label(p), p, q) for p in sorted(set(declared)) for q in second_exponents(p)]
    branches += [Branch("free", float(p), float(2 * p)) for p in free]
    p = np.array([branch.exponent for branch in branches], dtype=float)
    q = np.array([branch.second for branch in branches], dtype=float)
    shape = (len(p), len(n))
    return Family(
        "two terms",
        sizes,
        tuple(branches),
        np.arange(len(p)),
        p,
        np.zeros(len(p)),
        np.zeros(shape),
        np.ones(shape),
        np.stack((n ** -p[:, None], n ** -q[:, None]), axis=1),
        (ratio, 0.0),
    )
