"""The declared family of finite-size corrections, as models that are linear in their unknowns.

Every model says value_k = offset_k + target·lead_k + Σ amplitude·form_k over the sizes k: linear in two or three
unknowns, so that its interval for the target is a closed form and hundreds of models cost microseconds. Sizes enter
only through x = n₁/n, n₁ the smallest, so nothing depends on the unit in which they are counted.

- limit, two to four free terms: value(n) = L + a·x^p + b·x^q + c·x^(2q-p) + …, each step multiplying by x^(q-p). The
  leading exponent p runs over the declared ones, the second exponent q over 2p, p + ½ and p + 1; amplitudes are not
  restricted.
- limit, one amplitude: value(n) = L + a·x^p/(1 - τ·x^(q-p)), the same p and q: all higher terms as in a geometric
  series, which is exact for n/(n - 11) or 1/(√n + 10); τ from -3 to ¾ (τ = 0: one term alone).
- where the data need no correction at all: a·(x^p + τ·x^q), τ from -2 to 2, instead of a second free term.
- the *free* exponent runs from the slowest declared one to three (alone, or with its multiples).
- rate: log|value(n)| = log A - β log(n/n₁) + log(1 + τx^p), the same p and τ from -¾ to 2; the target is β.

Grids are refined (``around``) where the data need it, so p and τ are effectively continuous.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen

Form = Literal[
    "one amplitude",
    "long tail",
    "two free terms",
    "three free terms",
    "four free terms",
    "tied terms",
    "rate",
]

FREE_TERMS: dict[int, Form] = {2: "two free terms", 3: "three free terms", 4: "four free terms"}
"""Forms of a series with so many free amplitudes."""
_TERMS = {form: count for count, form in FREE_TERMS.items()}

TAIL = (-3.0, 0.75)
"""Second term of a geometric tail relative to the first, at the smallest size: from minus thrice to three quarters."""

LONG_TAIL = (-30.0, -3.0)
"""The same where the data need two terms or more: a series that does not converge at the largest sizes yet."""

TIED = (-2.0, 2.0)
"""Second term relative to the first, at the smallest size, where the data need no correction."""

RATE_CORRECTION = (-0.75, 2.0)
"""Relative correction of a rate at the smallest size."""

FASTEST = 3.0
"""Corrections that vanish faster than n^-3 look constant at any size worth simulating."""

TWO_TERM_SIZES = 4
"""With fewer sizes two free terms describe any values."""

APART = 1.4
"""Ratio of declared exponents from which both may occur together."""

_FREE_STEPS = 9
_TAU_STEP = 0.25
_LONG_STEP = 3.0

_MOVES = np.arange(-4, 5)
"""Steps of a finer grid around a point of a coarser one."""
_STAY = int(np.flatnonzero(_MOVES == 0)[0])


@frozen
class Branch:
    """Models that differ only in τ, or (free ones) in p: the unit of refinement."""

    label: str
    exponent: float | None
    """The declared leading exponent; None for the free one."""
    second: float | None = None
    """The second exponent; None for a single term, a free exponent (whose second is its double), and a rate."""

    def name(self, form: Form, tau: float) -> str:
        """Name of the model in tables."""
        if form == "rate":
            return f"{self.label}, power with correction" if tau else "pure power"
        second = "its double" if self.second is None else f"{self.second:.3g}"
        if form in _TERMS:
            return f"{self.label} and {second}, {form}"
        if form == "tied terms" and tau:
            return f"{self.label} and {second}, second term up to twice the first"
        return f"{self.label} and {second}, geometric tail" if tau else f"{self.label}, one term"


@frozen(eq=False)
class Family:
    """Models over the same sizes; arrays have shape (models, sizes) and ``forms`` (models, terms, sizes)."""

    form: Form
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
        """Name of each model; models that differ only in the values of p and τ share a name."""
        return tuple(
            self.branches[branch].name(self.form, tau)
            for branch, tau in zip(self.branch.tolist(), self.taus.tolist(), strict=True)
        )

    @cached_property
    def columns(self) -> NDArray[np.float64]:
        """Coefficient of each unknown at each size, the target first: (unknowns, sizes, models)."""
        return np.ascontiguousarray(
            np.concatenate((self.leads[:, None], self.forms), axis=1).transpose(1, 2, 0)
        )

    @cached_property
    def meetings(self) -> tuple[NDArray[np.int_], NDArray[np.bool_], NDArray[np.float64]]:
        """Every choice of as many sizes as unknowns; which models their equations determine, and how.

        The sizes, (choices, unknowns); whether a model's equations there are sound, (choices, models); and the matrices
        that solve them, (choices, unknowns, sizes, models).
        """
        unknowns, count, _ = self.columns.shape
        sizes = np.array(list(itertools.combinations(range(count), unknowns)), dtype=np.int_).reshape(
            -1, unknowns
        )
        chosen = self.columns[:, sizes].transpose(1, 3, 2, 0)
        # Rows are scaled, so that the determinant measures the conditioning of the equations.
        usable = np.abs(np.linalg.det(chosen)) > 1e-13 * np.abs(chosen).max(axis=(2, 3)) ** unknowns
        inverse = np.linalg.inv(np.where(usable[..., None, None], chosen, np.eye(unknowns)))
        return sizes, usable, np.ascontiguousarray(inverse.transpose(0, 2, 3, 1))

    def corrections(self, members: NDArray[np.int_], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forms of some models of a limit at any sizes, (members, terms, sizes)."""
        ratios = np.asarray(sizes, dtype=float) / self.sizes[0]
        numbers, p = self.branch[members], self.exponents[members]
        return _forms(self.form, ratios, p, _seconds(self.branches, numbers, p), self.taus[members])

    def around(self, members: Iterable[int]) -> Family:
        """A grid four times finer around some members; a declared exponent keeps its value."""
        return _finer(self, tuple(dict.fromkeys(members)))

    def joined(self, *others: Family) -> Family:
        """The models of all, with the spacing of the last."""
        if not others:
            return self
        everything = {
            name: np.concatenate([getattr(each, name) for each in (self, *others)])
            for name in ("branch", "exponents", "taus", "offsets", "leads", "forms")
        }
        return Family(self.form, self.sizes, self.branches, spacing=others[-1].spacing, **everything)


@lru_cache(maxsize=1024)
def _finer(family: Family, members: tuple[int, ...]) -> Family:
    """Cached, because evaluations and levels of one claim mostly refine around the same models."""
    ratio, step = family.spacing[0] / 4, family.spacing[1] / 4
    numbers = family.branch.tolist()
    moves = [_moves(family.form, family.branches[numbers[member]]) for member in members]
    rows = np.repeat(members, [len(slower) for slower, _ in moves])
    # Parameters that do not change are multiplied by one and shifted by zero.
    factors = np.exp(_MOVES * ratio)[np.concatenate([slower for slower, _ in moves])]
    shifts = (_MOVES * step)[np.concatenate([bend for _, bend in moves])]
    slowest, fastest = family.exponents.min(), family.exponents.max()
    low, high = _tau_range(family.form)
    return _build(
        family.form,
        family.sizes,
        family.branches,
        family.branch[rows],
        np.minimum(np.maximum(family.exponents[rows] * factors, slowest), fastest),
        np.minimum(np.maximum(family.taus[rows] + shifts, low), high),
        (ratio, step),
    )


def second_exponents(exponent: float) -> tuple[float, ...]:
    """Exponents that may follow a leading one: its double, and steps of a half and of one.

    >>> second_exponents(0.5), second_exponents(1.0)
    ((1.0, 1.5), (1.5, 2.0))
    """
    return tuple(sorted({round(q, 9) for q in (2 * exponent, exponent + 0.5, exponent + 1)}))


def _followers(exponent: float, declared: tuple[float, ...]) -> list[float]:
    """Second exponents: those that may follow any, and the clearly faster ones that are declared beside it.

    Nearer ones (½ and ⅔) are alternatives: together they approximate x^p·log x, with which no precision determines
    the limit.
    """
    beside = {round(q, 9) for q in declared if q > APART * exponent}
    return sorted({*second_exponents(exponent), *beside})


def _tau_range(form: Form) -> tuple[float, float]:
    return {"rate": RATE_CORRECTION, "tied terms": TIED, "long tail": LONG_TAIL}.get(form, TAIL)


def _curved(form: Form, branch: Branch) -> bool:
    """Whether τ is a parameter of the branch. With a free exponent only a rate has both: a limit would fit anything."""
    return form == "rate" or (form not in _TERMS and branch.second is not None)


def _moves(form: Form, branch: Branch) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Which of ``_MOVES`` a finer grid makes around a model of a branch: in log p and in τ, every pair of them."""
    return _pairs_of_moves(branch.exponent is None, _curved(form, branch))


@lru_cache(maxsize=4)
def _pairs_of_moves(free: bool, curved: bool) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    everywhere, nowhere = np.arange(len(_MOVES)), np.array([_STAY])
    p, tau = everywhere if free else nowhere, everywhere if curved else nowhere
    return np.repeat(p, len(tau)), np.tile(tau, len(p))


def _seconds(
    branches: tuple[Branch, ...], branch: NDArray[np.int_], exponents: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The second exponent of each model: declared with its branch, or the double of the leading one."""
    declared = np.array([np.nan if each.second is None else each.second for each in branches])[branch]
    return np.where(np.isnan(declared), 2 * exponents, declared)


def _forms(
    form: Form,
    ratios: NDArray[np.float64],
    exponents: NDArray[np.float64],
    seconds: NDArray[np.float64],
    taus: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Corrections at sizes n₁·``ratios``, (models, terms, sizes)."""
    first = ratios ** -exponents[:, None]
    if form in _TERMS:
        steps = (seconds - exponents)[:, None]
        return np.stack([ratios ** -(exponents[:, None] + k * steps) for k in range(_TERMS[form])], axis=1)
    if form == "tied terms":
        return (first + taus[:, None] * ratios ** -seconds[:, None])[:, None]
    return (first / (1 - taus[:, None] * ratios ** (exponents - seconds)[:, None]))[:, None]


def _build(
    form: Form,
    sizes: tuple[int, ...],
    branches: tuple[Branch, ...],
    branch: NDArray[np.int_],
    exponents: NDArray[np.float64],
    taus: NDArray[np.float64],
    spacing: tuple[float, float],
) -> Family:
    n = np.asarray(sizes, dtype=float) / sizes[0]
    shape = (len(branch), len(n))
    if form == "rate":
        offsets = np.log1p(taus[:, None] * n ** -exponents[:, None])
        leads = np.broadcast_to(-np.log(n), shape)
        forms = np.ones((shape[0], 1, shape[1]))
    else:
        offsets, leads = np.zeros(shape), np.ones(shape)
        forms = _forms(form, n, exponents, _seconds(branches, branch, exponents), taus)
    return Family(form, sizes, branches, branch, exponents, taus, offsets, leads, forms, spacing)


def _family(form: Form, sizes: tuple[int, ...], branches: list[Branch], slowest: float) -> Family:
    free = np.geomspace(slowest, max(FASTEST, 2 * slowest), _FREE_STEPS)
    low, high = _tau_range(form)
    step = _LONG_STEP if form == "long tail" else _TAU_STEP
    grid = np.arange(low, high + step / 2, step)
    numbers, exponents, taus = [], [], []
    for number, branch in enumerate(branches):
        p = free if branch.exponent is None else np.array([branch.exponent])
        tau = grid if _curved(form, branch) else np.zeros(1)
        exponents.append(np.repeat(p, len(tau)))
        taus.append(np.tile(tau, len(p)))
        numbers.append(np.full(len(p) * len(tau), number))
    return _build(
        form,
        sizes,
        tuple(branches),
        np.concatenate(numbers),
        np.concatenate(exponents),
        np.concatenate(taus),
        (float(np.log(free[1] / free[0])), step),
    )


def _label(exponent: float) -> str:
    return f"{exponent:.3g}"


MOST_TERMS = max(FREE_TERMS)
"""Free terms of the longest series that is tried."""


@lru_cache(maxsize=256)
def limit_family(
    sizes: tuple[int, ...],
    declared: tuple[float, ...],
    terms: int,
    leading: frozenset[float | None] | None = None,
) -> Family:
    """Models of a limit with one amplitude (``terms`` = 1), or with so many free terms.

    ``leading`` are the leading exponents admitted (None among them: the free one), if not all.
    """
    branches = [*_pairs(declared), Branch("free", None)]
    if leading is not None:
        branches = [branch for branch in branches if branch.exponent in leading]
    return _family("one amplitude" if terms == 1 else FREE_TERMS[terms], sizes, branches, min(declared))


@lru_cache(maxsize=256)
def tied_family(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """Models of a limit whose second term is at most twice the first."""
    return _family("tied terms", sizes, _pairs(declared), min(declared))


@lru_cache(maxsize=256)
def long_tails(sizes: tuple[int, ...], declared: tuple[float, ...]) -> Family:
    """Models of a limit whose series does not converge at the smallest sizes: a·x^p/(1 + |τ|·x^p), |τ| up to 30."""
    branches = [Branch(_label(p), p, round(2 * p, 9)) for p in sorted(set(declared))]
    return _family("long tail", sizes, branches, min(declared))


def _pairs(declared: tuple[float, ...]) -> list[Branch]:
    return [Branch(_label(p), p, q) for p in sorted(set(declared)) for q in _followers(p, declared)]


def limit_families(
    sizes: tuple[int, ...],
    declared: tuple[float, ...],
    needed: int,
    leading: frozenset[float | None] | None = None,
) -> tuple[Family, ...]:
    """All models of a limit whose data need ``needed`` terms: those with one term more, and plainer ones."""
    if len(sizes) < 2:
        return (limit_family(sizes, declared, 1),)
    # No free exponent is added if declared powers describe the data.
    plain = leading if leading is not None and None not in leading else None
    found = [limit_family(sizes, declared, terms, plain) for terms in range(1, max(1, needed) + 1)]
    if 0 < needed < MOST_TERMS:
        found.append(limit_family(sizes, declared, needed + 1, leading))
    if needed == 0 and len(sizes) > 2:  # any second term passes through two sizes, with any limit
        found.append(tied_family(sizes, declared))
    return tuple(found)


@lru_cache(maxsize=256)
def rate_families(sizes: tuple[int, ...], declared: tuple[float, ...]) -> tuple[Family, ...]:
    """A power with a relative correction τ·(n/n₁)^-p."""
    branches = [Branch(_label(p), p) for p in sorted(set(declared))]
    return (_family("rate", sizes, [*branches, Branch("free", None)], min(declared)),)
