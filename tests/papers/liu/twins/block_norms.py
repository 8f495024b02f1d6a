"""Twins of Proposition 2.1, Lemmas E.1 and G.1, and of the steps of appendices B.2, C and E."""

from itertools import product

import numpy as np

from tests.papers.twinning import twin


def tensor(size, rng):
    """Slices T_k as an array (size, d₁, d₂)."""
    one, two = rng.integers(1, size + 1, size=2)
    kind = rng.integers(3)
    if kind == 1:
        return rng.normal(size=(size, one, 1)) * rng.normal(size=(size, 1, two))
    slices = rng.normal(size=(size, one, two))
    if kind == 2:
        slices[rng.random(size=slices.shape) < 0.6] = 0
        slices[0, 0, 0] += 1
    return slices


def norm(matrices):
    return np.linalg.norm(matrices, 2, axis=(-2, -1))


def weighted(weights, slices):
    """Σ_k weights_k T_k for rows of weights."""
    return np.tensordot(weights, slices, axes=(-1, 0))


def exact(slices):
    """The (2,2,1)-norm; a common sign does not matter."""
    rest = np.array(list(product([1.0, -1.0], repeat=len(slices) - 1)))
    sums = weighted(np.column_stack([np.ones(len(rest)), rest]), slices)
    if sums.shape[1] > sums.shape[2]:
        sums = np.swapaxes(sums, 1, 2)
    return np.sqrt(np.linalg.eigvalsh(sums @ np.swapaxes(sums, 1, 2)).max())


def attained(slices):
    """Lower bound of the norm by ascents from the first eight slices, side by side."""
    u, s, v = np.linalg.svd(slices[:8])
    zero = s[:, 0] == 0
    x, z = u[:, :, 0], v[:, 0]
    x[zero], z[zero] = np.eye(x.shape[1])[0], np.eye(z.shape[1])[0]
    reached = np.zeros(len(x))
    for _ in range(100):
        signs = np.where(np.einsum("ka,jab,kb->kj", x, slices, z, optimize=True) >= 0, 1.0, -1.0)
        u, s, v = np.linalg.svd(weighted(signs, slices))
        x, z = u[:, :, 0], v[:, 0]
        grows = s[:, 0] > reached * (1 + 1e-14)
        reached = np.maximum(reached, s[:, 0])
        if not grows.any():
            break
    last = np.abs(np.einsum("ka,jab,kb->kj", x, slices, z, optimize=True)).sum(axis=1)
    return max(reached.max(), last.max())


def upper(slices):
    u, s, v = np.linalg.svd(slices, full_matrices=False)
    left = np.sum((u * s[:, None, :]) @ np.swapaxes(u, 1, 2), axis=0)  # Roots of T_kT_kᵀ.
    right = np.sum(np.swapaxes(v, 1, 2) @ (s[:, :, None] * v), axis=0)
    bounds = [
        s[:, 0].sum(),
        np.sqrt(len(slices)) * norm(np.hstack(list(slices))),
        np.sqrt(len(slices)) * norm(np.vstack(list(slices))),
        np.sqrt(norm(left) * norm(right)),
    ]
    return (1 + 1e-12) * min(bounds)


@twin("liu.prop2.1", [(3, {}), (5, {})], replicates=1200)
def quotient(size, rng):
    slices = tensor(size, rng)
    v = rng.choice([-1.0, 1.0], size=size) if rng.random() < 0.5 else rng.normal(size=size)
    return norm(weighted(v, slices)) / (exact(slices) * np.abs(v).max())


@twin("liu.prop2.1.certified", [(11, {}), (13, {})], replicates=200)
def quotient_of_many(size, rng):
    slices, v = tensor(size, rng), rng.normal(size=size)
    return norm(weighted(v, slices)) / (attained(slices) * np.abs(v).max())


@twin(
    "liu.prop2.1.norm", [(3, {}), (9, {})], replicates=650, accuracy=1e-14
)  # Rounding: many values are zero.
def gap(size, rng):
    slices = tensor(size, rng)
    true = exact(slices)
    return min(1 - attained(slices) / true, upper(slices) / true - 1)


@twin("liu.lemmaE.1", [(2, {}), (4, {})], replicates=400)
def sum_of_blocks(size, rng):
    sides = rng.integers(1, 5, size=size)
    n = sides.sum()
    h = np.exp(2 * rng.normal(size=(n, 1))) * rng.normal(size=(n, n))
    h += h.T
    ends = np.cumsum(sides)[:-1]
    parts = [norm(block) for rows in np.split(h, ends) for block in np.split(rows, ends, axis=1)]
    return norm(h) / sum(parts)


@twin("liu.lemmaG.1", [(3, {}), (5, {})], replicates=2000)
def product_of_matrices(size, rng):
    a, b, c = rng.integers(1, size + 1, size=3)
    one, two = rng.normal(size=(a, b)), rng.normal(size=(b, c))
    return np.linalg.norm(one @ two) / (norm(one) * np.linalg.norm(two))


@twin(
    {"liu.thm3.1.count": {"whole": False}, "liu.thm3.1.count/corrected": {"whole": True}},
    [(2, {}), (4, {})],
    replicates=2000,
)
def count(size, rng, whole):
    equal = rng.random(size=100) < 0.5
    small, h = rng.normal(size=(100, 3, 3)), rng.normal(size=(100, 3 * size, 3 * size))
    h[equal] = np.tile(small, (1, size, size))[equal]
    h += np.swapaxes(h, 1, 2)
    blocks = norm(np.swapaxes(h.reshape(100, size, 3, size, 3), 2, 3)).reshape(100, -1)
    return (norm(h) if whole else blocks.sum(axis=1)) / (size * blocks.max(axis=1))


@twin({"liu.prop2.2.levels": {"corrected": False}}, [(2, {}), (5, {})], replicates=4000)
@twin(
    {"liu.prop2.2.levels/corrected": {"corrected": True}},
    [(2, {}), (5, {})],
    replicates=1000,
    accuracy=1e-14,  # Rounding.
)
def level(size, rng, corrected):
    g, h = rng.normal(size=(2, size))
    a, b = rng.normal(size=2)
    c = np.linalg.norm(g)
    w = h - (h @ g) * g / c**2 + ((a - b) if corrected else a) / c * (g / c)
    return abs(g @ w + b - a) / (abs(a) + abs(b))


@twin("liu.eq48/corrected", [(16, {}), (24, {})], replicates=100, accuracy=1e-14)  # Rounding.
def homogeneity(size, rng):
    w1, w2 = rng.normal(size=size), rng.normal(size=(3, size))
    w3, w4 = rng.normal(size=(size, 3)), rng.normal(size=(3, size))

    def f(x):
        inner = w2 @ np.maximum(w1 * x, 0) / np.sqrt(size)
        return w4 @ np.maximum(w3 @ inner, 0) / np.sqrt(size)

    x, c = rng.normal(), rng.uniform(0.1, 10)
    return np.abs(f(c * x) - c * f(x)).max() / np.abs(f(c * x)).max()


@twin(
    "liu.eq48",
    [(12, {}), (24, {})],
    replicates=400,
    accuracy=1e-4,  # The sampler's minimisation stops at a gradient of 10⁻⁵; the mean of its excess is far less.
)
def least_cross_entropy(size, rng):
    networks = 500
    y = rng.integers(3, size=(networks, size))
    x = np.array([0.0, 10.0, -10.0])[y] + rng.normal(size=y.shape)
    total = np.zeros(networks)
    for side, far in ((1, 1), (-1, 2)):
        # Of the far classes only one occurs on a half-line (the other would have to pass ten deviations):
        # the logit of the third class goes to -∞, and d, the far logit less that of class 0, is left.
        here = side * x > 0
        sign = np.where(y == far, 1.0, -1.0)
        assert not np.any(here & (y == 3 - far))
        low, high = np.full((networks, 1), -1e4), np.full((networks, 1), 1e4)
        for _ in range(80):
            d = (low + high) / 2
            margin = sign * d * np.abs(x)
            slope = np.sum(
                here * sign * np.abs(x) / (1 + np.exp(np.minimum(margin, 700))), axis=1, keepdims=True
            )
            low, high = np.where(slope > 0, d, low), np.where(slope > 0, high, d)
        total += np.sum(here * np.logaddexp(0, -margin), axis=1)
    return total / size
