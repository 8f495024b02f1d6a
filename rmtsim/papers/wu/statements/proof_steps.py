"""Claims of `wu` on single steps: indices of ⊗, (10), (18), (62), the algebra of Lemma B.12, (217), (229)."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import (
    Bound,
    Computed,
    Corrected,
    Identity,
    Limit,
    Parameter,
    Plan,
    Probability,
    Relative,
    claim,
)
from rmtsim.papers.wu.statements.parameters import ALPHA, CLASSES, DEPTH, FEW_CLASSES, NETWORK_GRID

# ---- Section 2 and appendix A ---------------------------------------------------------------------------------------


@claim("wu.sec2.kronecker", states=Identity(), plan=Plan(sizes=(2, 3, 4), size_name="n", cost=5e-5))
def error_of_kronecker_index(size: int, rng: np.random.Generator, form: str) -> float:
    """Largest relative error of the stated entries of M ⊗ N, both n × n, against H = M ⊗ xxᵀ's order in (1)."""
    m, n = rng.standard_normal((2, size, size))
    truth = np.kron(m, n)
    stated = np.empty_like(truth)
    for i1, i2, j1, j2 in np.ndindex(size, size, size, size):
        value = m[i1, i2] * n[j1, j2] if form == "printed" else m[i1, j1] * n[i2, j2]
        stated[i1 * size + i2, j1 * size + j2] = value
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


@claim(
    "wu.sec3.2.order",
    states=Identity(),
    plan=Plan(sizes=(2, 3, 5), size_name="m", cost=1e-4),
)
def missing_overlap_of_order(size: int, rng: np.random.Generator, form: str) -> float:
    """One less the overlap of the top m eigenspace of M ⊗ xxᵀ, n = m + 2, with the stated span."""
    x = rng.standard_normal(size + 2)
    x /= np.linalg.norm(x)
    factor = rng.standard_normal((size, size))
    _, vectors = np.linalg.eigh(np.kron(factor @ factor.T + np.eye(size), np.outer(x, x)))
    identity = np.eye(size)
    stated = np.kron(x[:, None], identity) if form == "printed" else np.kron(identity, x[:, None])
    return float(1 - np.linalg.norm(vectors[:, -size:].T @ stated) ** 2 / size)


@claim(
    "wu.eq10",
    states=Identity(within=1e-9),
    over=(FEW_CLASSES,),
    plan=Plan(sizes=(2, 5), size_name="N", cost=lambda size, classes: 2e-4 * classes**2 * size),
)
def error_of_training_hessian(size: int, rng: np.random.Generator, form: str, classes: int) -> float:
    """Relative error of Σ_i H_ℓ(v, x_i), or of their mean, as the Hessian of the training loss at a logit bias v."""
    logits, bias = rng.standard_normal((size, classes)), rng.standard_normal(classes)
    labels = rng.integers(classes, size=size)

    def gradient(v: Array) -> Array:
        exponentials = np.exp(logits + v)
        p = exponentials / exponentials.sum(axis=1, keepdims=True)
        return np.asarray((p - np.eye(classes)[labels]).mean(axis=0))

    step = 1e-30
    truth = np.column_stack(
        [gradient(bias + 1j * step * np.eye(classes)[k]).imag / step for k in range(classes)]
    )
    exponentials = np.exp(logits + bias)
    p = exponentials / exponentials.sum(axis=1, keepdims=True)
    each = p[:, :, None] * np.eye(classes) - p[:, :, None] * p[:, None, :]
    stated = each.sum(axis=0) if form == "printed" else each.mean(axis=0)
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


@claim(
    "wu.eq18",
    states=Identity(),
    over=(DEPTH,),
    points=({"depth": 3}, {"depth": 4}),
    plan=Plan(sizes=(3, 6), size_name="width", cost=lambda size, depth: 1e-4 * depth),
)
def error_of_output(size: int, rng: np.random.Generator, form: str, depth: int) -> float:
    """Relative error of W^(L)D^(L-1)…D^(1)z^(1) as the output of a ReLU network with biases, p = 1."""
    weights = rng.standard_normal((depth, size, size)) / math.sqrt(size)
    biases = rng.standard_normal((depth, size))
    first = weights[0] @ np.abs(rng.standard_normal(size)) + biases[0]
    value, stated = first, first
    for weight, bias in zip(weights[1:], biases[1:], strict=True):
        gates = value > 0
        stated = weight @ (gates * stated) + (0.0 if form == "printed" else bias)
        value = weight @ np.maximum(value, 0.0) + bias
    return float(np.abs(stated - value).max() / np.abs(value).max())


# ---- Lemma B.5: the step through the Frobenius norm -----------------------------------------------------------------

_THRESHOLD = 1.0
"""ε of (62)."""


@claim(
    "wu.eq62",
    states=Probability(1.0, within=0.02),
    over=(ALPHA, CLASSES),
    points=({"alpha": 0.5},),
    plan=Plan(
        sizes=(64, 256, 1024, 4096),
        size_name="width",
        exponents=(0.5, 1.0),
        because="the norm is 2n^{-α/2} + n^{-α} with fluctuations that fall faster: the event has probability zero "
        "or one up to terms smaller than every power",
        cost=lambda size: 2e-4 + 9e-7 * size,
    ),
)
def gram_deviation_is_small(
    size: int, rng: np.random.Generator, form: str, alpha: float, classes: int
) -> float:
    """Whether ‖W^(1)W^(1)ᵀ - I‖ < ε/√n (printed) or < ε (corrected), ε = 1."""
    from rmtsim.papers.wu.simulation.weights import gram_deviation

    bound = _THRESHOLD / math.sqrt(size) if form == "printed" else _THRESHOLD
    return float(gram_deviation(size, alpha, rng) < bound)


# ---- Lemma B.12 -----------------------------------------------------------------------------------------------------


def _confidence(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Softmax of N(0, γ) logits with the printed γ = (π-1)²/(4π²)."""
    z = rng.standard_normal(shape) * (math.pi - 1) / (2 * math.pi)
    exponentials = np.exp(z)
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


@claim("wu.lemmaB.12.factor", states=Identity(), plan=Plan(sizes=(2, 4, 8), size_name="c", cost=5e-5))
def error_of_factorisation(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of QQᵀ, or QᵀQ, as A = diag(p) - ppᵀ with Q = diag(√p)(I - 1pᵀ)."""
    p = _confidence(rng, (size,))
    q = np.sqrt(p)[:, None] * (np.eye(size) - p)
    stated = q @ q.T if form == "printed" else q.T @ q
    truth = np.diag(p) - np.outer(p, p)
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


@claim(
    "wu.eq108",
    states=Limit(1.0, within=Relative(0.02)),
    corrected=Corrected(states=Bound(1.0, of="mean", within=1e-3)),
    over=(CLASSES,),
    points=({"classes": 4}, {"classes": 8}),
    plan=Plan(
        sizes=(64, 128, 256),
        size_name="logits",
        exponents=(1.0,),
        because="the quotient of two means of independent terms has a bias of one over their number",
        cost=lambda size, classes: 5e-5 + 2e-6 * size * classes,
    ),
)
def least_eigenvalue_over_that_of_mean(size: int, rng: np.random.Generator, classes: int) -> float:
    """E[λ_{c-1}(A)]/λ_{c-1}(E[A]) with means over `size` logits; by symmetry λ_{c-1}(E[A]) = E tr A/(c-1)."""
    p = _confidence(rng, (size, classes))
    a = p[:, :, None] * np.eye(classes) - p[:, :, None] * p[:, None, :]
    least = np.linalg.eigvalsh(a)[:, 1]
    return float(least.mean() * (classes - 1) / np.trace(a, axis1=1, axis2=2).mean())


@claim(
    "wu.eq120.share",
    states=Identity(within=0.01),
    plan=Plan(sizes=(1,), size_name="logit", cost=1e-5),
    evidence=Computed(1e-12),
)
def error_of_share(size: int, form: str) -> float:
    """Relative error of 0.68 as the probability of |z_i| < γ, or of |z_i| < √γ, for z_i ~ N(0, γ)."""
    gamma = ((math.pi - 1) / (2 * math.pi)) ** 2
    inside = math.erf(math.sqrt(gamma / 2) if form == "printed" else math.sqrt(0.5))
    return abs(0.68 / inside - 1)


# ---- (217) and (229) ------------------------------------------------------------------------------------------------


@claim(
    "wu.eq217",
    states=Limit(lambda classes: float(classes), within=Relative(0.02)),
    corrected=Corrected(states=Limit(lambda classes: math.sqrt(classes), within=Relative(0.02))),
    over=NETWORK_GRID,
    plan=Plan(
        sizes=(64, 128, 256, 512),
        size_name="width",
        exponents=(1.0,),
        because="moments of Gaussian matrices are polynomials in 1/n",
        cost=lambda size, classes: 2e-5 + 3e-8 * size * classes,
    ),
)
def norm_of_last_gram(
    size: int, rng: np.random.Generator, replicates: int, alpha: float, classes: int
) -> Array:
    """‖W^(2)W^(2)ᵀ‖_F."""
    w = rng.standard_normal((replicates, classes, size)) / np.sqrt(size)
    return np.asarray(np.linalg.norm(w @ w.transpose(0, 2, 1), axis=(1, 2)))


REACH = Parameter(
    "reach", "largest ‖δ‖ over λ_{c-1}", default=1.0, open_below=True, highest=1.0, draw_range=(0.7, 1.0)
)


@claim(
    "wu.eq229",
    states=Bound(1.0),
    corrected=Corrected(states=Bound(2.0)),
    over=(FEW_CLASSES, REACH),
    points=({"classes": 2, "reach": 1.0}, {"classes": 4, "reach": 1.0}),
    plan=Plan(sizes=(8,), size_name="width", cost=2e-4),
)
def rotation_over_bound(size: int, rng: np.random.Generator, classes: int, reach: float) -> float:
    """‖sin Θ‖_F λ_{c-1}/‖δ‖_F for a positive matrix of rank c-1 and a symmetric δ.

    δ weakens one of the leading directions and strengthens one across them, each by up to `reach` λ_{c-1}.
    """
    basis, _ = np.linalg.qr(rng.standard_normal((size, size)))
    count = classes - 1
    values = np.sort(1 + rng.exponential(size=count))[::-1]
    leading, across = basis[:, :count], basis[:, count]
    matrix = (leading * values) @ leading.T
    weaker, stronger = values[-1] * reach * rng.uniform(size=2)
    delta = stronger * np.outer(across, across) - weaker * np.outer(leading[:, -1], leading[:, -1])
    _, vectors = np.linalg.eigh(matrix + delta)
    cosines = np.linalg.norm(leading.T @ vectors[:, -count:]) ** 2
    sine = math.sqrt(max(0.0, count - float(cosines)))
    return float(sine * values[-1] / np.linalg.norm(delta))
