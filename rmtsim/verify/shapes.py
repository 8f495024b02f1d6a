"""The declared family of finite-size corrections, as many straight lines.

Every model says value_k = offset_k + target·lead_k + amplitude·form_k over the sizes k: linear in two
unknowns, so that its interval for the target is a closed form and hundreds of models cost microseconds.

- limit: value(n) = L + a·(x + τx²), x = (n/n₁)^-p. The leading exponent p runs over the declared ones and,
  as the *free* exponent, over a grid from the slowest declared one to three; τ is the size of the second
  term relative to the first at the smallest size n₁, up to one half either way.
- rate: log|value(n)| = log A - β log(n/n₁) + log(1 + τx), the same p and τ; the target is β.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["SECOND_TERM", "Family", "limit_family", "rate_family", "two_term_family"]

SECOND_TERM = 0.5
"""Largest second term admitted, relative to the first, at the smallest size."""

_TAUS = tuple(SECOND_TERM * step / 2 for step in (-2, -1, 0, 1, 2))
_RATE_TAUS = (-0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
FASTEST = 3.0
"""Corrections that vanish faster than n^-3 look constant at any size worth simulating."""


@dataclass(frozen=True)
class Family:
    """Models over the same sizes; arrays have shape (models, sizes) and ``forms`` (models, terms, sizes)."""

    names: tuple[str, ...]
    exponents: NDArray[np.float64]
    offsets: NDArray[np.float64]
    leads: NDArray[np.float64]
    forms: NDArray[np.float64]


def _grid(declared: Sequence[float]) -> list[tuple[float, str]]:
    """Exponents with the name of the model they belong to."""
    slowest = min(declared)
    named = [(float(p), f"{p:.3g}") for p in sorted(set(declared))]
    free = np.geomspace(slowest, max(FASTEST, 2 * slowest), 9)
    return named + [(float(p), "free") for p in free if not np.isclose(p, declared).any()]


@lru_cache(maxsize=256)
def limit_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """One correction with a second term of at most half its size; one size alone admits no correction."""
    n = np.asarray(sizes, dtype=float)
    names, exponents, forms = [], [], []
    for p, label in _grid(declared):
        x = (n / n[0]) ** -p
        for tau in _TAUS:
            names.append(f"{label}, {'two terms' if tau else 'one term'}")
            exponents.append(p)
            forms.append([x + tau * x**2])
    shape = (len(names), len(n))
    return Family(
        tuple(names), np.array(exponents), np.zeros(shape), np.ones(shape), np.array(forms, dtype=float)
    )


@lru_cache(maxsize=256)
def two_term_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """Two corrections of any size, n^-p and n^-2p: for data that rule out every smaller model."""
    n = np.asarray(sizes, dtype=float)
    grid = _grid(declared)
    forms = [[(n / n[0]) ** -p, (n / n[0]) ** (-2 * p)] for p, _ in grid]
    shape = (len(grid), len(n))
    return Family(
        tuple(f"{label}, two free terms" for _, label in grid),
        np.array([p for p, _ in grid]),
        np.zeros(shape),
        np.ones(shape),
        np.array(forms, dtype=float),
    )


@lru_cache(maxsize=256)
def rate_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """A power with a relative correction τ·(n/n₁)^-p, τ from -1/2 to 1."""
    n = np.asarray(sizes, dtype=float)
    names, exponents, offsets = ["pure power"], [0.0], [np.zeros(len(n))]
    for p, label in _grid(declared):
        for tau in _RATE_TAUS:
            if tau:
                names.append(f"power with correction {label}")
                exponents.append(p)
                offsets.append(np.log1p(tau * (n / n[0]) ** -p))
    shape = (len(names), len(n))
    return Family(
        tuple(names),
        np.array(exponents),
        np.array(offsets, dtype=float),
        np.broadcast_to(-np.log(n / n[0]), shape).copy(),
        np.ones((len(names), 1, len(n))),
    )
