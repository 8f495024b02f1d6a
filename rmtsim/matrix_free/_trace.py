"""Traces from products: Hutchinson, Hutch++ and XTrace, each with a standard error.

Hutchinson averages ωᵀAω. Hutch++ (Meyer, Musco, Musco and Woodruff 2021) takes the trace on the range Q of a sketch AΩ
exactly and estimates only the rest. XTrace (Epperly, Tropp and Webber 2024) uses every test vector for both: for each i
the sketch without ω_i, the rest with ω_i alone, averaged over i.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource
from rmtsim.matrix_free._estimates import Estimate
from rmtsim.matrix_free._lanczos import Product
from rmtsim.matrix_free._operators import read_operator


def operator_trace(
    operator: Any,
    rng: RandomSource,
    *,
    method: Literal["xtrace", "hutch++", "hutchinson"] = "xtrace",
    products: int = 60,
) -> Estimate:
    """Trace of a symmetric operator from products with random vectors.

    Parameters
    ----------
    operator : array_like, sparse matrix or LinearOperator
        A real symmetric operator. Its symmetry is tested on two random vectors.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of the test vectors.
    method : {"xtrace", "hutch++", "hutchinson"}, optional
        Estimator.
    products : int, optional
        Approximate number of products with the operator, at least 6. An operator of at most this size is summed
        exactly.

    Returns
    -------
    Estimate
        The trace and its standard error.

    Raises
    ------
    ValueError
        If the operator is not square or not symmetric.

    Notes
    -----
    Hutchinson's estimator averages ωᵀAω over random ω. Hutch++ [1]_ computes the trace on the range of a sketch AΩ
    exactly and estimates the rest. XTrace [2]_ uses every test vector for both. All three are unbiased; the error
    of the last two decreases with the decay of the eigenvalues beyond the sketch. The error of XTrace is a
    jackknife estimate and conservative: two to three times the true error if the eigenvalues decay fast.

    References
    ----------
    .. [1] R. A. Meyer, C. Musco, C. Musco and D. P. Woodruff, "Hutch++: optimal stochastic trace estimation", SOSA
       2021.
    .. [2] E. N. Epperly, J. A. Tropp and R. J. Webber, "XTrace: making the most of every sample in stochastic trace
       estimation", SIAM J. Matrix Anal. Appl. 45 (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.matrix_free import operator_trace
    >>> decaying = np.diag(0.8 ** np.arange(400.0))  # trace 5, up to 1e-38
    >>> found = operator_trace(decaying, np.random.default_rng(0))
    >>> bool(abs(found.value - 5.0) < 5 * found.error < 0.1)
    True
    """
    rng = validate.generator("rng", rng)
    method = validate.choice("method", method, ("xtrace", "hutch++", "hutchinson"))  # type: ignore[assignment]
    products = validate.integer("products", products, minimum=6, meaning="products with the operator")
    product, size = read_operator(operator, rng)
    return trace_of_product(product, size, rng, method, products)


def trace_of_product(
    product: Product, size: int, rng: np.random.Generator, method: str, products: int
) -> Estimate:
    """The same for a function that maps rows of vectors to rows, which is not tested for symmetry.

    >>> trace_of_product(lambda rows: 2.0 * rows, 3, np.random.default_rng(0), "xtrace", 10)
    Estimate(value=6.0, error=0.0)
    """
    if size <= products:
        return Estimate(math.fsum(np.diag(product(np.eye(size))).tolist()), 0.0)
    validate.memory(8.0 * 4 * size * products, f"sketches of {products} vectors of {size} numbers")
    if method == "hutchinson":
        tests = rng.standard_normal((size, products))
        # Vectors on the sphere: the length of a Gaussian vector would only add noise.
        tests *= math.sqrt(size) / np.linalg.norm(tests, axis=0)
        return _mean(np.einsum("ij,ij->j", tests, _images(product, tests)))
    return (
        _xtrace(product, size, products // 2, rng)
        if method == "xtrace"
        else _hutch(product, size, products // 3, rng)
    )


def _images(product: Product, vectors: Array) -> Array:
    return product(vectors.T).T


def _mean(values: Array) -> Estimate:
    return Estimate(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


def _hutch(product: Product, size: int, third: int, rng: np.random.Generator) -> Estimate:
    basis = np.linalg.qr(_images(product, rng.standard_normal((size, third))))[0]
    inner = float(np.einsum("ij,ij->", basis, _images(product, basis)))
    rest = rng.standard_normal((size, third))
    rest -= basis @ (basis.T @ rest)
    rest *= math.sqrt(size - third) / np.linalg.norm(rest, axis=0)
    outer = _mean(np.einsum("ij,ij->j", rest, _images(product, rest)))
    return Estimate(inner + outer.value, outer.error)


def _xtrace(product: Product, size: int, count: int, rng: np.random.Generator) -> Estimate:
    tests = rng.standard_normal((size, count))
    images = _images(product, tests)
    basis, upper = np.linalg.qr(images)
    behind = _images(product, basis)
    inner = basis.T @ behind
    diagonal = np.abs(np.diag(upper))
    if diagonal.min() <= 1e-14 * diagonal.max():
        # The sketch contains the whole range, and so the whole trace, up to rounding.
        return Estimate(float(np.trace(inner)), 1e-14 * float(np.abs(np.diag(inner)).sum()))
    # Column i: the direction of the basis that the sketch without ω_i lacks.
    lacking = np.linalg.inv(upper).T
    parts = _Parts(
        size,
        inner,
        lacking / np.linalg.norm(lacking, axis=0),
        basis.T @ tests,
        behind.T @ tests,
        upper,
        np.einsum("ij,ij->j", tests, tests),
        np.einsum("ij,ij->j", tests, images),
    )
    value = math.fsum(parts.one(i) for i in range(count)) / count
    # The estimates share their sketches, so their spread underestimates the error. The jackknife omits each ω_j from
    # all of them, without further products; it is conservative (Efron and Stein 1981).
    without = np.sum([parts.without_each(i) for i in range(count)], axis=0) / (count - 1)
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    return Estimate(value, error)


@frozen
class _Parts:
    """All that XTrace needs, in the coordinates of the sketch's basis Q."""

    size: int
    inner: Array
    """QᵀAQ."""
    lacking: Array
    tests: Array
    """QᵀΩ."""
    crossed: Array
    """(AQ)ᵀΩ."""
    images: Array
    """QᵀAΩ."""
    lengths: Array
    """|ω_i|²."""
    forms: Array
    """ω_iᵀAω_i."""

    def one(self, i: int) -> float:
        """The trace on the sketch without ω_i, and the rest by ω_i."""
        missing = self.lacking[:, i]
        w = self.tests[:, i] - missing * (missing @ self.tests[:, i])
        return float(self._value(i, w[:, None], np.trace(self.inner) - missing @ self.inner @ missing, 1)[0])

    def without_each(self, i: int) -> Array:
        """The same with ω_j left out of the sketch as well, for every j ≠ i; zero for j = i."""
        missing = self.lacking[:, i]
        beside = self.lacking.copy()
        # Twice, because rounding in the first pass reintroduces components.
        for _ in range(2):
            beside -= np.outer(missing, missing @ beside)
        beside[:, i] = 0.0
        beside /= np.maximum(np.linalg.norm(beside, axis=0), 1e-300)
        w = self.tests[:, i] - missing * (missing @ self.tests[:, i])
        turned = w[:, None] - beside * (w @ beside)
        inside = np.trace(self.inner) - missing @ self.inner @ missing
        values = self._value(
            i, turned, inside - np.einsum("ij,ij->j", beside, self.inner @ beside), missing=2
        )
        values[i] = 0.0
        return values

    def _value(self, i: int, w: Array, inside: Any, missing: int) -> Array:
        """Of columns w, what of ω_i lies in each sketch: ``inside`` and the rest, ``missing`` directions fewer."""
        form = (
            self.forms[i]
            - (self.crossed[:, i] + self.images[:, i]) @ w
            + np.einsum("ij,ij->j", w, self.inner @ w)
        )
        rows = self.size - len(self.inner) + missing
        return np.asarray(inside + rows * form / (self.lengths[i] - np.einsum("ij,ij->j", w, w)))
