"""The Hessian blocks of `dong` section 4, transcribed sum by sum as they are printed.

Nothing here is shared with :mod:`rmtsim.papers.dong.simulation`, which computes the same blocks with matrices: what is
tested against the differentiated losses is the formula on the page. ``x`` holds one input a row, ``w`` and ``v`` one
row a neuron and one a class; ``factor`` is the number before 1/N.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import Array


def _share(logits: list[float], i: int) -> float:
    """p_i = e^{l_i}/Σ_c e^{l_c}."""
    return math.exp(logits[i]) / math.fsum(math.exp(logit) for logit in logits)


def _relu(w: Array, x_n: Array) -> Array:
    """σ(W x_n)."""
    return np.array([max(0.0, float(row @ x_n)) for row in w])


def _gate(w_i: Array, x_n: Array) -> float:
    """1(w_i·x_n > 0)."""
    return 1.0 if float(w_i @ x_n) > 0 else 0.0


def _probability(w: Array, v: Array, x_n: Array, i: int) -> float:
    """p_{n,i} of the network Vσ(Wx)."""
    features = _relu(w, x_n)
    return _share([float(v_c @ features) for v_c in v], i)


def eq_1(w: Array, v: Array, x: Array, label: float) -> Array:
    """p(1-p) v_1 v_2 σ'(w_1·x) σ'(w_2·x) xxᵀ, p = 1/(1 + exp(-y f)); ``label`` = y.

    >>> float(eq_1(np.eye(2), np.ones(2), np.ones(2), 0)[0, 0])
    0.25
    """
    f = float(v @ _relu(w, x))
    p = 1 / (1 + math.exp(-label * f))
    return np.asarray(p * (1 - p) * v[0] * v[1] * _gate(w[0], x) * _gate(w[1], x) * np.outer(x, x))


def eq_3(x: Array, i: int, j: int, factor: float) -> Array:
    """(factor/N) Σ x_n x_nᵀ if i = j, else zero.

    >>> eq_3(np.ones((2, 1)), 0, 0, 1.0)
    array([[1.]])
    """
    total = np.zeros((x.shape[1], x.shape[1]))
    for x_n in x:
        total += np.outer(x_n, x_n)
    return factor * total / len(x) if i == j else np.zeros_like(total)


def eq_5(v: Array, x: Array, i: int, j: int) -> Array:
    """(1/N) Σ p_{n,i}(1 - p_{n,i}) x_n x_nᵀ if i = j, else -(1/N) Σ p_{n,i} p_{n,j} x_n x_nᵀ.

    >>> eq_5(np.zeros((2, 1)), np.ones((1, 1)), 0, 1)
    array([[-0.25]])
    """
    total = np.zeros((x.shape[1], x.shape[1]))
    for x_n in x:
        logits = [float(v_c @ x_n) for v_c in v]
        p_i, p_j = _share(logits, i), _share(logits, j)
        total += (p_i * (1 - p_i) if i == j else -p_i * p_j) * np.outer(x_n, x_n)
    return total / len(x)


def eq_8(w: Array, v: Array, x: Array, i: int, j: int, factor: float) -> Array:
    """(factor/N) (Σ_c v_{c,i} v_{c,j}) Σ_n 1(w_i·x_n>0) 1(w_j·x_n>0) x_n x_nᵀ.

    >>> eq_8(np.ones((1, 1)), np.ones((3, 1)), np.ones((2, 1)), 0, 0, 1.0)
    array([[3.]])
    """
    weight = math.fsum(float(v_c[i] * v_c[j]) for v_c in v)
    total = np.zeros((x.shape[1], x.shape[1]))
    for x_n in x:
        total += _gate(w[i], x_n) * _gate(w[j], x_n) * np.outer(x_n, x_n)
    return factor / len(x) * weight * total


def eq_9(w: Array, x: Array, i: int, j: int, factor: float) -> Array:
    """(factor/N) Σ σ(Wx_n)σ(Wx_n)ᵀ if i = j, else zero (m × m here; printed as d × d).

    >>> eq_9(np.ones((1, 1)), np.full((2, 1), 2.0), 0, 0, 1.0)
    array([[4.]])
    """
    total = np.zeros((len(w), len(w)))
    for x_n in x:
        total += np.outer(_relu(w, x_n), _relu(w, x_n))
    return factor / len(x) * total if i == j else np.zeros_like(total)


def eq_11(w: Array, v: Array, x: Array, y: Array, i: int, j: int) -> Array:
    """(2/N) Σ_n [(σ(Wx_n)ᵀv_j - Y_{n,j}) 1(w_i·x_n>0) x_n e_iᵀ + v_{j,i} 1(w_i·x_n>0) x_n σ(Wx_n)ᵀ].

    >>> eq_11(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), 0, 0)
    array([[4.]])
    """
    e_i = np.array([1.0 if k == i else 0.0 for k in range(len(w))])
    total = np.zeros((x.shape[1], len(w)))
    for x_n, y_n in zip(x, y, strict=True):
        features, gate = _relu(w, x_n), _gate(w[i], x_n)
        total += (float(features @ v[j]) - y_n[j]) * gate * np.outer(x_n, e_i)
        total += v[j, i] * gate * np.outer(x_n, features)
    return 2 / len(x) * total


def eq_12(w: Array, v: Array, x: Array, y: Array, i: int, j: int, factor: float) -> Array:
    """d × m with the one column a_{d',i} = (factor/N) Σ_n (σ(Wx_n)ᵀv_j - Y_{n,j}) 1(w_i·x_n>0) x_{n,d'} at i.

    >>> eq_12(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), 0, 0, 1.0)
    array([[1.]])
    """
    block = np.zeros((x.shape[1], len(w)))
    for x_n, y_n in zip(x, y, strict=True):
        block[:, i] += (float(_relu(w, x_n) @ v[j]) - y_n[j]) * _gate(w[i], x_n) * x_n
    return factor / len(x) * block


def eq_14(w: Array, v: Array, x: Array, i: int, j: int) -> Array:
    """(1/N) Σ_n (Σ_c p v_{c,i} v_{c,j} - (Σ_c p v_{c,i})(Σ_c p v_{c,j})) 1(w_i·x_n>0) 1(w_j·x_n>0) x_n x_nᵀ.

    >>> eq_14(np.ones((1, 1)), np.array([[1.0], [-1.0]]), np.zeros((1, 1)), 0, 0)
    array([[0.]])
    """
    total = np.zeros((x.shape[1], x.shape[1]))
    for x_n in x:
        p = [_probability(w, v, x_n, c) for c in range(len(v))]
        both = math.fsum(p[c] * float(v[c, i] * v[c, j]) for c in range(len(v)))
        first = math.fsum(p[c] * float(v[c, i]) for c in range(len(v)))
        second = math.fsum(p[c] * float(v[c, j]) for c in range(len(v)))
        total += (both - first * second) * _gate(w[i], x_n) * _gate(w[j], x_n) * np.outer(x_n, x_n)
    return total / len(x)


def eq_15(w: Array, v: Array, x: Array, i: int, j: int) -> Array:
    """(1/N) Σ p_{n,i}(1 - p_{n,i}) σ(Wx_n)σ(Wx_n)ᵀ if i = j, else -(1/N) Σ p_{n,i} p_{n,j} σ(Wx_n)σ(Wx_n)ᵀ.

    >>> eq_15(np.ones((1, 1)), np.zeros((2, 1)), np.ones((1, 1)), 0, 0)
    array([[0.25]])
    """
    total = np.zeros((len(w), len(w)))
    for x_n in x:
        p_i, p_j = _probability(w, v, x_n, i), _probability(w, v, x_n, j)
        total += (p_i * (1 - p_i) if i == j else -p_i * p_j) * np.outer(_relu(w, x_n), _relu(w, x_n))
    return total / len(x)


def eq_18(w: Array, v: Array, x: Array, labels: NDArray[np.int_], i: int, j: int) -> Array:
    """(1/N) Σ_n 1(w_i·x_n>0) [(p_{n,j} - δ_{y_n,j}) x_n e_iᵀ + Σ_c (δ_{j,c} - p_{n,c}) p_{n,j} v_{c,i} x_n σ(Wx_n)ᵀ].

    >>> eq_18(np.ones((1, 1)), np.zeros((2, 1)), np.ones((1, 1)), np.array([1]), 0, 0)
    array([[0.5]])
    """
    e_i = np.array([1.0 if k == i else 0.0 for k in range(len(w))])
    total = np.zeros((x.shape[1], len(w)))
    for x_n, y_n in zip(x, labels, strict=True):
        p_j, gate = _probability(w, v, x_n, j), _gate(w[i], x_n)
        total += (p_j - (1.0 if y_n == j else 0.0)) * gate * np.outer(x_n, e_i)
        for c in range(len(v)):
            delta = 1.0 if c == j else 0.0
            weight = (delta - _probability(w, v, x_n, c)) * p_j * v[c, i]
            total += weight * gate * np.outer(x_n, _relu(w, x_n))
    return total / len(x)


def eq_21(w: Array, v: Array, x: Array, labels: NDArray[np.int_], i: int, j: int) -> Array:
    """d × m with the one column a_{d',i} = (1/N) Σ_n (p_{n,j} - δ_{y_n,j}) 1(w_i·x_n≥0) x_{n,d'} at i (c read as j).

    >>> eq_21(np.ones((1, 1)), np.zeros((2, 1)), np.ones((1, 1)), np.array([1]), 0, 0)
    array([[0.5]])
    """
    block = np.zeros((x.shape[1], len(w)))
    for x_n, y_n in zip(x, labels, strict=True):
        gate = 1.0 if float(w[i] @ x_n) >= 0 else 0.0
        block[:, i] += (_probability(w, v, x_n, j) - (1.0 if y_n == j else 0.0)) * gate * x_n
    return block / len(x)
