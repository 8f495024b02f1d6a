"""The declared family of finite-size corrections, as many straight lines.

Every model says value_k = offset_k + target·lead_k + amplitude·form_k over the sizes k: linear in two
unknowns, so that its interval for the target is a closed form and hundreds of models cost microseconds.

- limit: value(n) = L + a·(x + τx²), x = (n/n₁)^-p. The leading exponent p runs over the declared ones; τ is
  the size of the second term relative to the first at the smallest size n₁, up to a quarter either way (and
  up to four in coefficients, 4·n₁^-p, which keeps it from imitating a slower leading term). The *free*
  exponent, from the slowest declared one to three, has no second term.
- rate: log|value(n)| = log A - β log(n/n₁) + log(1 + τx), the same p and τ from -1/2 to 1; the target is β.

Grids are refined (``around``) where the data need it, so p and τ are as good as continuous.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["SECOND_TERM", "Family", "limit_family", "rate_family", "two_term_family"]

SECOND_TERM = 0.25
"""Largest second term admitted, relative to the first, at the smallest size; and …"""

COEFFICIENT = 4.0
"""… largest ratio of the coefficients b/a in a·n^-p + b·n^-2p, which is the stricter bound for large p."""

FASTEST = 3.0
"""Corrections that vanish faster than n^-3 look constant at any size worth simulating."""

_LIMIT_TAUS = np.linspace(-1, 1, 5)
"""In units of the largest second term admitted for the exponent at hand."""
_RATE_TAUS = np.array([-0.5, -0.25, 0.0, 0.25, 0.5, 1.0])
_FREE_STEPS = 9


@dataclass(frozen=True)
class Family:
    """Models over the same sizes; arrays have shape (models, sizes) and ``forms`` (models, terms, sizes)."""

    kind: str
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    exponents: NDArray[np.float64]
    taus: NDArray[np.float64]
    offsets: NDArray[np.float64]
    leads: NDArray[np.float64]
    forms: NDArray[np.float64]
    spacing: tuple[float, float]
    """Steps of the grid: of log p, and of τ."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The declared exponents' names, and "free"; a rate's models all count as one."""
        return tuple(dict.fromkeys(_label(name) for name in self.names))

    def labelled(self, label: str) -> NDArray[np.bool_]:
        """Which models have this label."""
        return np.array([_label(name) == label for name in self.names])

    def around(self, members: list[int]) -> Family:
        """A grid four times finer around some members; a declared exponent keeps its value."""
        ratio, step = self.spacing[0] / 4, self.spacing[1] / 4
        lowest, highest = float(self.exponents.min()), float(self.exponents.max())
        labels: list[str] = []
        exponents: list[float] = []
        taus: list[float] = []
        for member in dict.fromkeys(members):
            label = _label(self.names[member])
            free = label == "free"
            for i in range(-4, 5) if free else (0,):
                p = min(max(self.exponents[member] * np.exp(i * ratio), lowest), highest)
                for j in range(-4, 5) if not free or self.kind == "rate" else (0,):
                    labels.append(label)
                    exponents.append(float(p))
                    unit, ends = 1.0, (-0.5, 1.0)
                    if self.kind == "limit":
                        unit = second_term(float(p), self.sizes[0])
                        ends = (-unit, unit)
                    taus.append(float(min(max(self.taus[member] + j * step * unit, ends[0]), ends[1])))
        return _build(self.kind, self.sizes, labels, exponents, taus, (ratio, step))

    def joined(self, other: Family) -> Family:
        """The models of both, with the finer spacing."""
        both = {
            name: np.concatenate((getattr(self, name), getattr(other, name)))
            for name in ("exponents", "taus", "offsets", "leads", "forms")
        }
        return Family(
            kind=self.kind, sizes=self.sizes, names=self.names + other.names, spacing=other.spacing, **both
        )


def _label(name: str) -> str:
    return name.partition(",")[0]


def second_term(exponent: float, smallest: int) -> float:
    """Largest second term admitted for a leading exponent, relative to the first at the smallest size.

    >>> [round(second_term(p, 40), 3) for p in (0.5, 2 / 3, 1.0)]
    [0.25, 0.25, 0.1]
    """
    return min(SECOND_TERM, float(COEFFICIENT * float(smallest) ** -exponent))


def _build(
    kind: str,
    sizes: tuple[int, ...],
    labels: list[str],
    exponents: list[float],
    taus: list[float],
    spacing: tuple[float, float],
) -> Family:
    n = np.asarray(sizes, dtype=float)
    p, tau = np.array(exponents)[:, None], np.array(taus)[:, None]
    x = (n / n[0]) ** -p
    shape = x.shape
    if kind == "limit":
        names = tuple(
            f"{label}, {'two terms' if t else 'one term'}" for label, t in zip(labels, taus, strict=True)
        )
        offsets, leads, forms = np.zeros(shape), np.ones(shape), (x + tau * x**2)[:, None]
    else:
        names = tuple(
            f"{label}, power with correction" if t else "pure power"
            for label, t in zip(labels, taus, strict=True)
        )
        offsets, leads = np.log1p(tau * x), np.broadcast_to(-np.log(n / n[0]), shape)
        forms = np.ones((shape[0], 1, shape[1]))
    return Family(kind, sizes, names, p[:, 0], tau[:, 0], offsets, leads, forms, spacing)


def _grid(declared: tuple[float, ...]) -> tuple[list[tuple[str, float]], float]:
    """Exponents with their names, and the step of log p in the free ones."""
    slowest = min(declared)
    free = np.geomspace(slowest, max(FASTEST, 2 * slowest), _FREE_STEPS)
    named = [(f"{p:.3g}", float(p)) for p in sorted(set(declared))]
    return named + [("free", float(p)) for p in free], float(np.log(free[1] / free[0]))


def _product(
    kind: str, sizes: tuple[int, ...], declared: tuple[float, ...], taus: NDArray[np.float64]
) -> Family:
    grid, ratio = _grid(declared)
    # A free exponent and a free second term together fit anything: the free exponent of a limit stands alone.
    pairs = [
        (label, p, float(tau) * second)
        for label, p in grid
        for second in ([second_term(p, sizes[0])] if kind == "limit" else [1.0])
        for tau in (np.zeros(1) if kind == "limit" and label == "free" else taus)
    ]
    return _build(
        kind,
        sizes,
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        [pair[2] for pair in pairs],
        (ratio, float(taus[1] - taus[0])),
    )


@lru_cache(maxsize=256)
def limit_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """One correction with a second term of at most half its size; one size alone admits no correction."""
    return _product("limit", sizes, declared, _LIMIT_TAUS)


@lru_cache(maxsize=256)
def rate_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """A power with a relative correction τ·(n/n₁)^-p."""
    return _product("rate", sizes, declared, _RATE_TAUS)


@lru_cache(maxsize=256)
def two_term_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """Two corrections of any size, n^-p and n^-2p: for data that rule out every smaller model."""
    n = np.asarray(sizes, dtype=float)
    grid, ratio = _grid(declared)
    p = np.array([exponent for _, exponent in grid])
    x = (n / n[0]) ** -p[:, None]
    return Family(
        "two terms",
        sizes,
        tuple(f"{label}, two free terms" for label, _ in grid),
        p,
        np.zeros(len(p)),
        np.zeros(x.shape),
        np.ones(x.shape),
        np.stack((x, x**2), axis=1),
        (ratio, 0.0),
    )
