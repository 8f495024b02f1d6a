"""The (2,2,1)-norm of an order 3 tensor (`liu`, Definition 2.2): exactly, or between two bounds.

‖T‖ = sup over unit x, z of Σ_k |xᵀT_k z|, T_k the slices in the last index. Since Σ|a_k| = max over signs of
Σ s_k a_k, it is the largest spectral norm of Σ_k s_k T_k over all sign vectors: a finite maximum.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen


@frozen
class TensorNorm:
    """Bounds of a (2,2,1)-norm; they agree to rounding where it was computed exactly."""

    lower: float
    upper: float
    exact: bool


def tensor_norm_221(tensor: Any, *, exact_up_to: int = 10) -> TensorNorm:
    """‖T‖_{2,2,1} of ``tensor``, shape (d₁, d₂, d₃).

    Up to ``exact_up_to`` slices all signs are tried. Beyond, the lower bound is attained (signs and singular vectors in
    turns, from several starts) and the upper bound is the smallest of Σ‖T_k‖, √d₃ times the norms of the two
    unfoldings, and √(‖Σ|T_kᵀ|‖·‖Σ|T_k|‖) with |A| = (AᵀA)^½.

    >>> diagonal = np.zeros((3, 3, 3))
    >>> diagonal[range(3), range(3), range(3)] = 1.0, -4.0, 2.0
    >>> round(tensor_norm_221(diagonal).upper, 12)
    4.0
    """
    array = validate.real_array("tensor", tensor, meaning="an order 3 tensor")
    if array.ndim != 3 or not array.size:
        raise ValueError(f"tensor of shape {array.shape}: expected three indices, none of them empty")
    limit = validate.integer("exact_up_to", exact_up_to, minimum=0, maximum=20, meaning="slices")
    slices = np.ascontiguousarray(np.moveaxis(array, 2, 0))
    count = len(slices)
    if count <= limit:
        signs = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=count - 1)], dtype=float)
        found = max(
            float(np.linalg.norm(np.tensordot(part, slices, 1), 2, axis=(1, 2)).max())
            for part in np.array_split(signs, max(1, len(signs) // 256))
        )
        return TensorNorm(found, found, True)
    return TensorNorm(_attained(slices), _upper(slices), False)


def _attained(slices: Array) -> float:
    """Best of several ascents: signs from (x, z), then the top singular vectors for these signs."""
    best = 0.0
    for start in range(min(len(slices), 8)):
        u, _, vt = np.linalg.svd(slices[start])
        x, z = u[:, 0], vt[0]
        value = 0.0
        for _ in range(100):
            signs = np.where(np.einsum("kij,i,j->k", slices, x, z) >= 0, 1.0, -1.0)
            u, s, vt = np.linalg.svd(np.tensordot(signs, slices, 1))
            x, z = u[:, 0], vt[0]
            if s[0] <= value * (1 + 1e-14):
                break
            value = float(s[0])
        best = max(best, value, float(np.abs(np.einsum("kij,i,j->k", slices, x, z)).sum()))
    return best


def _upper(slices: Array) -> float:
    count, rows, columns = slices.shape
    u, s, vt = np.linalg.svd(slices, full_matrices=False)
    left = np.linalg.norm(np.einsum("kia,ka,kja->ij", u, s, u), 2)
    right = np.linalg.norm(np.einsum("kai,ka,kaj->ij", vt, s, vt), 2)
    tall = np.linalg.norm(np.moveaxis(slices, 0, 1).reshape(rows, -1), 2)
    wide = np.linalg.norm(np.moveaxis(slices, 0, 2).transpose(1, 0, 2).reshape(columns, -1), 2)
    bounds = (float(s[:, 0].sum()), np.sqrt(count) * min(tall, wide), np.sqrt(left * right))
    return float(min(bounds)) * (1 + 1e-12)


def random_tensor(size: int, rng: Generator) -> Array:
    """A tensor of ``size`` size, at random Gaussian, of low rank or sparse; d₁ and d₂ up to ``size``."""
    rows, columns = rng.integers(1, size + 1, 2)
    tensor = rng.standard_normal((rows, columns, size))
    kind = rng.integers(3)
    if kind == 1:
        tensor = np.einsum(
            "ka,kb->abk", rng.standard_normal((size, rows)), rng.standard_normal((size, columns))
        )
    elif kind == 2:
        tensor[rng.random(tensor.shape) < 0.6] = 0.0
        tensor[0, 0, 0] += 1.0
    return tensor
