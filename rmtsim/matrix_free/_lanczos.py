"""Lanczos iterations on a symmetric operator: extreme eigenvalues with a residual, and quadrature of its spectrum.

With Q_k the orthonormal Krylov basis of a starting vector q and T_k = Q_kᵀHQ_k = SΘSᵀ tridiagonal, qᵀf(H)q is
Σ_j S²_1j f(θ_j), exactly for polynomials of degree < 2k. For q uniform on the sphere its mean is tr f(H)/P, so averages
over independent q estimate the spectral distribution of H without bias in its first 2k moments (stochastic Lanczos
quadrature), and their spread gives the standard error. Functions that no polynomial of that degree resolves, a step
for instance, are integrated with an error that all starts share; rules with fewer steps (leading parts of the same
T_k) change it, which estimates its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.threads import one_pool
from rmtsim.errors import ConvergenceError

Product = Callable[[Array], Array]
Rule = tuple[Array, Array]
"""Nodes and weights."""

_DENSE = 64
"""Operators up to this size are formed: cheaper than iterating, and exact."""
_TOGETHER = 30
"""Restarts after which eigenvalues that do not converge together are computed one by one."""
_NORM_STEPS = 8
"""Lanczos steps that find the size of an operator's norm."""
_WIDE, _WIDE_MEMORY = 40, 2**28
"""Vectors of a larger Krylov basis, and bytes that it may take."""
_BASIS, _BASIS_MEMORY = 20, 3 * 2**29
"""Vectors of a Krylov basis, and bytes that it and ARPACK's copy of it may take."""
_ENDED = 1e-13
"""A Krylov space has ended where the next vector is no longer than this share of the entries of T."""


@frozen(eq=False)
class Extremes:
    """Extreme eigenvalues of a symmetric operator with eigenvectors and residuals.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.matrix_free import operator_extremes
    >>> operator_extremes(np.diag([1.0, -5.0, 3.0]), np.random.default_rng(0)).spectral_norm
    5.0
    """

    values: Array
    """Eigenvalues, the outermost first."""
    vectors: Array
    """Unit eigenvectors, one per column."""
    residuals: Array
    """``‖Hv − λv‖`` of each pair. An eigenvalue of H lies within the residual of the value; that no eigenvalue
    further out was missed depends on the random start."""

    @property
    def spectral_norm(self) -> float:
        """Largest absolute value among ``values``: the spectral norm if they are those of largest modulus."""
        return float(np.abs(self.values).max())


def extreme_eigenvalues(
    product: Product,
    size: int,
    rng: np.random.Generator,
    *,
    count: int = 1,
    which: str = "modulus",
    tolerance: float = 1e-8,
    iterations: int = 1000,
) -> Extremes:
    """``count`` eigenvalues of largest modulus ("modulus"), the largest ("top") or the smallest ("bottom").

    Implicitly restarted Lanczos from a random start; residuals are computed from the vectors themselves. A Krylov space
    holds one vector of a multiple eigenvalue, so for ``count`` > 1 the operator without the vectors found is searched
    again, until nothing further out is left. Raises ConvergenceError where a residual exceeds tolerance times (a lower
    bound of) the operator's norm.

    >>> matrix = np.diag(np.arange(-50.0, 100.0))
    >>> found = extreme_eigenvalues(lambda v: matrix @ v, 150, np.random.default_rng(0), count=2, which="top")
    >>> found.values.round(6), bool((found.residuals < 1e-5).all())
    (array([99., 98.]), True)
    """
    codes: dict[str, Literal["LM", "LA", "SA"]] = {"modulus": "LM", "top": "LA", "bottom": "SA"}
    validate.choice("which", which, tuple(codes))
    size = validate.integer("size", size)
    count = validate.integer("count", count, maximum=size, meaning="number of eigenvalues")
    tolerance = validate.positive_number("tolerance", tolerance)
    rng = validate.generator("rng", rng)
    start = rng.standard_normal(size)
    norm = 0.0
    if size <= _DENSE or count >= size // 2:
        matrix = np.stack([product(row) for row in np.eye(size)])
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    else:
        basis = _basis(size, count, codes[which])
        validate.memory(
            8.0 * size * (2 * basis + 3 * count + 4), f"a Krylov basis of {basis} × {size} numbers"
        )
        norm = 0.0 if which == "modulus" else norm_from_below(product, start)
        search = _Search(product, size, codes[which], 0.1 * tolerance, iterations, rng, norm)
        values, vectors = search.several(start, count)
        if count > 1:
            values, vectors = _with_copies(search, values, vectors, tolerance)
    chosen = _rank(codes[which], values).argsort(kind="stable")[:count]
    values, vectors = np.asarray(values[chosen]), np.asarray(vectors[:, chosen])
    residuals = np.array(
        [
            length(product(np.ascontiguousarray(v)) - value * v)
            for value, v in zip(values, vectors.T, strict=True)
        ]
    )
    # Rounding in a product is relative to the operator's norm, of which all of these are lower bounds.
    norm = max(norm, float(np.abs(values).max()), length(product(start)) / length(start))
    if residuals.max() > tolerance * norm:
        raise ConvergenceError(
            f"tolerance={tolerance:g}: the residual {residuals.max():.2e} is larger, relative to the operator's norm "
            f"(at least {norm:.4g})",
            residual=float(residuals.max()),
            iterations=iterations,
        )
    return Extremes(values, vectors, residuals)


def near_vectors(product: Product, start: Array, *, count: int, which: str, tolerance: float) -> Array:
    """Extreme eigenvectors, the outermost first, one per column, from a start that is near them.

    >>> values = np.linspace(0.0, 1.0, 300)
    >>> found = near_vectors(lambda v: values * v, np.eye(300)[0] + 0.1, count=1, which="bottom", tolerance=1e-6)
    >>> bool(abs(found[0, 0]) > 0.999)
    True
    """
    code: Literal["LA", "SA"] = "LA" if which == "top" else "SA"
    rng = np.random.default_rng(0)
    norm = norm_from_below(product, start)
    values, vectors = _Search(product, len(start), code, tolerance, 1000, rng, norm).several(start, count)
    return np.asarray(vectors[:, _rank(code, values).argsort(kind="stable")])


def length(vector: Array) -> float:
    """Euclidean norm; numbers whose squares overflow or underflow are divided by the largest one first.

    >>> round(length(np.array([3e200, 4e200])) / 1e200, 12), round(length(np.array([3e-200, 4e-200])) / 1e-200, 12)
    (5.0, 5.0)
    """
    with np.errstate(over="ignore"):
        plain = float(np.linalg.norm(vector))
    if 1e-150 < plain < math.inf:
        return plain
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if 0 < largest < math.inf else largest


def norm_from_below(product: Product, start: Array) -> float:
    """A lower bound of the operator's spectral norm, usually within a few per cent: a few Lanczos steps.

    >>> 4.5 < norm_from_below(lambda v: np.linspace(-5.0, 3.0, 400) * v, np.ones(400)) <= 5.0
    True
    """
    nodes, _ = lanczos_quadrature(product, len(start), start, _NORM_STEPS)
    return float(np.abs(nodes).max())


def _basis(size: int, count: int, code: str) -> int:
    """Vectors of a Krylov basis: twice as many, if they fit, at one end of a spectrum, where eigenvalues are close.

    A large operator gets a smaller basis, which converges in more restarts: as many vectors as fit into
    ``_BASIS_MEMORY`` twice, since ARPACK copies the basis at the end, and at least two more than eigenvalues.
    """
    wide = code != "LM" and 8.0 * size * _WIDE <= _WIDE_MEMORY
    wanted = max(2 * count + 1, _WIDE if wide else _BASIS)
    return min(size, wanted, max(count + 2, int(_BASIS_MEMORY // (16 * size))))


def _rank(code: str, values: Array) -> Array:
    """Smallest first: how far out an eigenvalue is."""
    return np.asarray({"LM": -np.abs(values), "LA": -values, "SA": values}[code])


@frozen(eq=False)
class _Search:
    """ARPACK on an operator, or on what is left of it without some vectors."""

    product: Product
    size: int
    code: Literal["LM", "LA", "SA"]
    tolerance: float
    iterations: int
    rng: np.random.Generator
    norm: float
    """Added to H at the upper end, subtracted at the lower.

    ARPACK's criterion is relative to the eigenvalue: for one near zero, such as the smallest of a positive
    semidefinite operator, that precision is not attainable. After a shift by the norm, all errors are relative to the
    norm.
    """

    def several(self, start: Array, count: int) -> tuple[Array, Array]:
        """Eigenpairs, together or, where many are equal (those of a null space), one after the other."""
        without = np.empty((self.size, 0))
        if count == 1 or self.code == "LM":
            return self.run(start, count, without)
        try:
            return replace(self, iterations=_TOGETHER).run(start, count, without)
        except ConvergenceError:
            values = np.empty(0)
        for _ in range(count):
            value, vector = self.run(start, 1, without)
            values, without = np.append(values, value), np.concatenate([without, vector], axis=1)
            start = self.rng.standard_normal(self.size)
        return values, without

    def run(self, start: Array, count: int, without: Array) -> tuple[Array, Array]:
        """Eigenpairs of (1 - QQᵀ)H(1 - QQᵀ) + shift·QQᵀ, orthogonal to the columns Q of ``without``.

        The shift puts what was taken out at the other end: twice the length of H q for the unit start q, beyond its
        Rayleigh quotient and so beyond an eigenvalue of what is left.
        """
        moved = {"LM": 0.0, "LA": 1.0, "SA": -1.0}[self.code] * self.norm

        def left(v: Array) -> Array:
            return np.asarray(v - without @ (without.T @ v)) if without.shape[1] else v

        start, shift = left(start), 0.0
        if without.shape[1]:
            length = float(np.linalg.norm(left(self.product(start))) / np.linalg.norm(start))
            shift = {"LM": 0.0, "LA": -2.0, "SA": 2.0}[self.code] * length

        def deflated(v: Array) -> Array:
            rest = left(np.ravel(v))
            return left(self.product(rest)) + moved * rest + shift * (np.ravel(v) - rest)

        try:
            with one_pool(numpy=True):
                values, vectors = eigsh(
                    LinearOperator((self.size, self.size), matvec=deflated, dtype=np.float64),
                    k=count,
                    which=self.code,
                    v0=start,
                    ncv=_basis(self.size, count, self.code),
                    tol=self.tolerance,
                    maxiter=self.iterations,
                )
        except ArpackNoConvergence as error:
            raise ConvergenceError(
                f"{len(error.eigenvalues)} of {count} eigenvalues after {self.iterations} restarts",
                residual=float("inf"),
                iterations=self.iterations,
            ) from None
        except ArpackError as error:
            # A zero operator maps the start to zero: the whole space is its eigenspace.
            if np.any(deflated(start)):
                raise ConvergenceError(str(error), residual=float("inf"), iterations=0) from None
            values = np.zeros(count)
            vectors = np.linalg.qr(left(self.rng.standard_normal((self.size, count))))[0]
            return values, np.asarray(vectors)
        return np.asarray(values) - moved, np.asarray(vectors)


def _with_copies(search: _Search, values: Array, vectors: Array, tolerance: float) -> tuple[Array, Array]:
    """The eigenpairs found, with those further out that a first search missed: copies of a multiple eigenvalue."""
    count, ask = values.size, 1
    while True:
        more, beside = search.run(search.rng.standard_normal(search.size), ask, vectors)
        last = np.sort(_rank(search.code, values))[count - 1]
        better = _rank(search.code, more) < last - tolerance * max(search.norm, float(np.abs(values).max()))
        if not better.any():
            return values, vectors
        merged = np.concatenate([values, more[better]])
        chosen = _rank(search.code, merged).argsort(kind="stable")[:count]
        values = merged[chosen]
        vectors = np.concatenate([vectors, beside[:, better]], axis=1)[:, chosen]
        ask = count


def lanczos_quadrature(product: Product, size: int, start: Array, steps: int) -> tuple[Array, Array]:
    """Nodes θ_j and weights S²_1j of one start, with full reorthogonalisation; fewer where the Krylov space ends.

    >>> nodes, weights = lanczos_quadrature(lambda v: np.array([1.0, 2.0, 5.0]) * v, 3, np.ones(3), 10)
    >>> nodes.round(12), weights.round(12)
    (array([1., 2., 5.]), array([0.33333333, 0.33333333, 0.33333333]))
    """
    return lanczos_quadratures(lambda rows: product(rows[0])[None], np.reshape(start, (1, size)), steps)[0]


def lanczos_quadratures(products: Product, starts: Array, steps: int) -> list[tuple[Array, Array]]:
    """Nodes and weights of many starts, one a row: one product of the operator with all of them a step.

    ``products`` maps rows to rows. Memory is that of starts·steps vectors.

    >>> rules = lanczos_quadratures(lambda rows: rows * [1.0, 2.0, 5.0], np.array([[1.0, 1, 1], [1, 0, 0]]), 10)
    >>> [(nodes.round(12), weights.round(8)) for nodes, weights in rules]
    [(array([1., 2., 5.]), array([0.33333333, 0.33333333, 0.33333333])), (array([1.]), array([1.]))]
    """
    return [rules[0] for rules in nested_quadratures(products, starts, steps, 0)]


def nested_quadratures(products: Product, starts: Array, steps: int, shorter: int) -> list[list[Rule]]:
    """Of each start the rule of all its steps, and those of one, two, … ``shorter`` steps fewer.

    Where a Krylov space ends, its rule is exact and replaces all shorter ones.

    >>> rules = nested_quadratures(lambda rows: rows * [1.0, 2.0, 5.0], np.ones((1, 3)), 2, 1)
    >>> [nodes.round(6) for nodes, _ in rules[0]]
    [array([1.357478, 4.873292]), array([2.666667])]
    """
    alphas, betas, lengths, _ = _tridiagonals(products, starts, steps)
    found = []
    for diagonal, beside, length in zip(alphas, betas, lengths, strict=True):
        scale = max(float(np.abs(diagonal[:length]).max()), float(beside[:length].max()))
        if beside[length - 1] <= _ENDED * scale:
            found.append([_rule(diagonal[:length], beside[: length - 1])] * (shorter + 1))
            continue
        cuts = [max(int(length) - less, 1) for less in range(shorter + 1)]
        found.append([_rule(diagonal[:cut], beside[: cut - 1]) for cut in cuts])
    return found


def _rule(diagonal: Array, beside: Array) -> Rule:
    if len(diagonal) == 1:
        return diagonal.copy(), np.ones(1)
    nodes, vectors = eigh_tridiagonal(diagonal, beside)
    return np.asarray(nodes), np.square(vectors[0])


def converged_ends(
    product: Product, size: int, start: Array, steps: int, count: int, tolerance: float = 1e-6
) -> tuple[Extremes, Extremes]:
    """Those of the ``count`` largest and smallest eigenvalues that ``steps`` steps from one start have settled.

    Each end's list stops at the first whose residual, computed from the vector itself, exceeds ``tolerance`` times the
    operator's norm: inside a dense bulk eigenvalues do not converge, isolated ones converge fast. One start finds one
    vector of a multiple eigenvalue.

    >>> values = np.concatenate([np.linspace(0, 1, 500), [2.0, 3.0]])
    >>> top, bottom = converged_ends(lambda v: values * v, 502, np.ones(502), 60, 4)
    >>> top.values.round(6), bottom.values.size < 4
    (array([3., 2.]), True)
    """
    found = _tridiagonals(lambda rows: product(rows[0])[None], np.reshape(start, (1, size)), steps)
    length = int(found[2][0])
    alphas, betas, basis = found[0][0, :length], found[1][0, :length], found[3][0, :length]
    values, vectors = eigh_tridiagonal(alphas, betas[:-1]) if len(alphas) > 1 else (alphas, np.ones((1, 1)))
    limit = tolerance * float(np.abs(values).max())
    ends = []
    for order in (np.arange(len(values))[::-1], np.arange(len(values))):
        settled: list[tuple[float, Array, float]] = []
        for place in order[:count]:
            if betas[-1] * abs(vectors[-1, place]) > limit:
                break
            vector = vectors[:, place] @ basis
            vector /= np.linalg.norm(vector)
            residual = float(np.linalg.norm(product(vector) - values[place] * vector))
            if residual > limit:
                break
            settled.append((float(values[place]), vector, residual))
        ends.append(
            Extremes(
                np.array([value for value, _, _ in settled]),
                np.array([vector for _, vector, _ in settled]).reshape(len(settled), size).T,
                np.array([residual for _, _, residual in settled]),
            )
        )
    return ends[0], ends[1]


def _tridiagonals(
    products: Product, starts: Array, steps: int
) -> tuple[Array, Array, NDArray[np.intp], Array]:
    """Of each start: diagonal, off-diagonal (one more: the last residual's factor), length and basis.

    Only ``length`` entries count where a Krylov space ends early; the rest are zero.
    """
    count, size = starts.shape
    steps = min(steps, size)
    basis = np.zeros((count, steps, size))
    alphas, betas = np.zeros((count, steps)), np.zeros((count, steps))
    lengths = np.full(count, steps)
    current = starts / np.linalg.norm(starts, axis=1, keepdims=True)
    scale = np.zeros(count)
    running = np.ones(count, dtype=bool)
    for k in range(steps):
        basis[:, k] = current
        image = products(current)
        alphas[:, k] = np.einsum("ij,ij->i", current, image)
        image = image - alphas[:, k, None] * current
        if k:
            image -= betas[:, k - 1, None] * basis[:, k - 1]
        known = basis[:, : k + 1]
        # Twice, because rounding in the first pass reintroduces components.
        for _ in range(2):
            image -= ((known @ image[:, :, None]).transpose(0, 2, 1) @ known)[:, 0]
        betas[:, k] = np.linalg.norm(image, axis=1)
        scale = np.maximum(scale, np.maximum(np.abs(alphas[:, k]), betas[:, k]))
        ended = running & (betas[:, k] <= _ENDED * scale)
        lengths[ended] = k + 1
        running &= ~ended
        if not running.any():
            break
        current = np.where(running[:, None], image / np.where(running, betas[:, k], 1.0)[:, None], 0.0)
    return alphas, betas, lengths, basis
