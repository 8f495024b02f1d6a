"""The law over random weights of E[A], A = diag(p) - ppᵀ, whose limit is random.

Given the weights z → N(b, s² I_c), with b ~ N(0, τ² I_c) over the weights (:mod:`rmtsim.papers.wu.theory.limits`),
so E[A] → Ã(b) = E_ξ[A(b + sξ)]. Means over b are computed by randomised quasi-Monte Carlo with a fixed
scrambling; the spread over scramblings gives the error (a few 1e-4 relative, tested).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import takes_arrays
from rmtsim._internal.quasi_random import sobol_points
from rmtsim._internal.remembered import remembered
from rmtsim.papers.wu.theory import limits as wu_limits

__all__ = [
    "curvature_matrices",
    "curvature_norm",
    "curvature_norm_slope",
    "curvature_variance",
    "outlier_eigenvalues",
    "printed_gap_bound",
]

_OUTER, _INNER = 2**13, 2**10


def _outer(classes: int) -> int:
    """Points over weights: with many classes Ã(b) varies less and costs more, so half of them do."""
    return _OUTER if classes <= 100 else _OUTER // 2


def _gaussian_points(dimension: int, count: int, seed: int) -> NDArray[np.float64]:
    """Scrambled Sobol points mapped to standard normals."""
    uniforms = sobol_points(count, dimension, np.random.default_rng(seed))
    return np.asarray(scipy.special.ndtri(uniforms))


def _biases(classes: int, seed: int) -> NDArray[np.float64]:
    """Quasi-random b ~ N(0, τ² I_c)."""
    return math.sqrt(wu_limits.logit_mean_square()) * _gaussian_points(classes, _outer(classes), 2 * seed)


@remembered(maxsize=16)
def curvature_matrices(classes: int, seed: int = 0) -> NDArray[np.float64]:
    """Ã(b) for quasi-random b: points × classes × classes.

    >>> a = curvature_matrices(2)
    >>> bool(np.abs(a.sum(axis=2)).max() < 1e-15)
    True
    """
    classes = validate.integer("classes", classes, minimum=2, maximum=200, meaning="number of classes c")
    seed = validate.integer("seed", seed, minimum=0, maximum=2**62, meaning="seed of the quasi-random points")
    bias = _biases(classes, seed)
    noise = math.sqrt(wu_limits.logit_variance()) * _gaussian_points(classes, _INNER, 2 * seed + 1)
    exponential, shifts = np.ascontiguousarray(np.exp(noise).T), np.exp(bias)
    result = np.empty((_outer(classes), classes, classes))
    # Some points at a time, as many as stay in the cache of a core.
    step = max(1, 2**16 // (classes * _INNER))
    for start in range(0, len(result), step):
        p = exponential * shifts[start : start + step, :, None]
        p /= p.sum(axis=1, keepdims=True)
        np.matmul(p, p.mT, out=result[start : start + step])
    result /= -_INNER
    diagonal = np.arange(classes)
    result[:, diagonal, diagonal] -= result.sum(axis=2)
    result.flags.writeable = False
    return result


@takes_arrays
@remembered(maxsize=64)
def curvature_norm(classes: int) -> float:
    """E over weights of lim ‖E[A]‖_F.

    >>> 0.40 < curvature_norm(2) < 0.48
    True
    """
    return float(np.sqrt(np.sum(curvature_matrices(classes) ** 2, axis=(1, 2))).mean())


@takes_arrays
@remembered(maxsize=64)
def curvature_norm_slope(classes: int) -> float:
    """Regression slope of lim ‖E[A]‖_F on |b - mean(b)|²/(c-1) over weights: the more bias, the less curvature.

    >>> curvature_norm_slope(2) < 0
    True
    """
    norms = np.sqrt(np.sum(curvature_matrices(classes) ** 2, axis=(1, 2)))
    bias = _biases(classes, 0)
    squares = ((bias - bias.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (classes - 1)
    return float(np.cov(norms, squares)[0, 1] / squares.var())


@takes_arrays
@remembered(maxsize=64)
def curvature_variance(classes: int) -> float:
    """Variance over weights of lim E[A]_11: zero if Lemma B.12's limit were one matrix for all weights."""
    diagonal = np.einsum("kii->ki", curvature_matrices(classes))
    return float(np.var(diagonal))


@remembered(maxsize=16)
def outlier_eigenvalues(classes: int, width: int | None = None) -> NDArray[np.float64]:
    """The c-1 large eigenvalues of M, decreasing, for quasi-random weights: points × (c-1).

    They are those of Ã^½SÃ^½ on 1⊥, S = WΠ²Wᵀ (docs/papers/wu/index.md). S → qI_c; at a finite ``width`` n it
    fluctuates, to first
    order like a symmetric Gaussian matrix with variance E π⁴/n off the diagonal and twice that on it, independently of
    b. Over points the rows have the law over random weights. Those of H are λ₁(E[xxᵀ]) = d/(2π) + (π-1)/(2π) times
    as large.

    >>> outlier_eigenvalues(3).shape, bool(np.all(np.diff(outlier_eigenvalues(3)) <= 0))
    ((8192, 2), True)
    >>> wide, narrow = (outlier_eigenvalues(3, width).std(axis=0)[0] for width in (10**8, 100))
    >>> bool(narrow > wide)
    True
    """
    matrices = curvature_matrices(classes)
    square = wu_limits.activation_second_moment()
    if width is None:
        result = np.asarray(square * np.linalg.eigvalsh(matrices)[:, :0:-1])
    else:
        width = validate.integer("width", width, meaning="hidden units n")
        values, vectors = np.linalg.eigh(matrices)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        noise = np.random.default_rng(0).standard_normal(matrices.shape)
        noise = math.sqrt(_fourth_moment_of_rates() / (2 * width)) * (noise + noise.transpose(0, 2, 1))
        moved = roots.transpose(0, 2, 1) @ (square * np.eye(classes) + noise) @ roots
        result = np.asarray(np.linalg.eigvalsh(moved)[:, :0:-1])
    result.flags.writeable = False
    return result


def _fourth_moment_of_rates() -> float:
    """E π⁴ for π = Φ(g/√(π-1)), g standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(scipy.special.ndtr(nodes / math.sqrt(math.pi - 1)) ** 4 @ weights / weights.sum())


@takes_arrays
def printed_gap_bound(classes: int) -> float:
    """η of eq. (121): ξᶜ (e^{-γ}/(c e^γ))²/(2c) with the printed ξ ≈ 0.68 (P(|N(0,1)| < 1)).

    >>> round(printed_gap_bound(2), 4)
    0.0183
    """
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes c")
    gamma = wu_limits.printed_logit_variance()
    inside = math.erf(1 / math.sqrt(2))
    return inside**classes * (math.exp(-2 * gamma) / classes) ** 2 / (2 * classes)
