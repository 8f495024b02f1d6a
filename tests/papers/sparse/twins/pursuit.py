"""Twins of statements about masking and matching pursuit."""

import numpy as np

from tests.papers.sparse.twins._models_b import codes, normalised, orthogonal, pursue
from tests.papers.twinning import twin


@twin("sparse.eqA.11", [(6, {"noise": 0.5}), (8, {"noise": 2.0})], replicates=800)
def masked_noise(size, rng, noise, count=100):
    a = normalised(rng.normal(size=(count, size, size)))
    b = normalised(rng.normal(size=(count, size, 2 * size)))
    z = codes(count * 16, size, 2, rng.normal(size=(count * 16, 2)), rng)[0].reshape(count, 16, size)
    clean = z @ np.swapaxes(a, 1, 2)
    y = clean + noise * rng.normal(size=clean.shape)
    # The laws of A and B do not depend on the order of the rows: M may be the first half.
    half = size // 2
    found = pursue_each(b[:, :half], y[:, :, :half]) @ np.swapaxes(b[:, half:], 1, 2)
    difference = (y[:, :, half:] - found) ** 2 - (clean[:, :, half:] - found) ** 2
    return difference.sum(axis=(1, 2)) / (16 * half * noise**2)


def pursue_each(b, y):
    return np.array([pursue(dictionary, measured) for dictionary, measured in zip(b, y, strict=True)])


@twin(
    {"sparse.eqA.16": {"corrected": False}, "sparse.eqA.16/corrected": {"corrected": True}},
    [(6, {"noise": 0.1}), (6, {"noise": 0.2})],
    replicates=100,
)
def near_dictionary(size, rng, noise, corrected):
    a = np.vstack([orthogonal(6, rng), orthogonal(6, rng)])
    y = codes(1024, 6, 2, rng.normal(size=(1024, 2)), rng)[0] @ a.T + noise * rng.normal(size=(1024, 12))
    b = a + noise * rng.uniform(0, 0.1) / np.sqrt(6) * rng.normal(size=(12, 6))
    missed = y[:, 6:] - pursue(b[:6], y[:, :6]) @ b[6:].T
    penalty = noise**2 if corrected else 1
    return np.sum(missed**2, axis=1).mean() / (
        2 * (penalty**2 + noise**2) / (1 + penalty) ** 2 + 6 * noise**2
    )


@twin("sparse.eqA.18", [(2, {}), (3, {})], replicates=50, accuracy=1e-13)
def decompositions(size, rng):
    # Zero up to rounding.
    rows, columns = 4 * size, 3 * size
    atoms = normalised(rng.normal(size=(rows, columns)))
    worst = []
    for _ in range(8):
        inverses, supports = [], []
        for _ in range(2):
            chosen = rng.permutation(columns)[:size]
            inverse = np.zeros((columns, rows))
            inverse[chosen] = np.linalg.pinv(atoms[:, chosen])
            inverses.append(inverse)
            supports.append(chosen)
        z = np.zeros(columns)
        z[supports[0]] = 3 * rng.normal(size=size)
        errors = rng.normal(size=rows)
        y, difference = atoms @ z + errors, inverses[0] - inverses[1]
        shifted = z - inverses[1] @ atoms @ z
        u = z.copy()
        u[supports[1]] = 0
        three = (
            difference @ y - shifted - difference @ errors,
            atoms @ z - atoms @ (z - u) - atoms @ u,
            shifted - (u - inverses[1] @ atoms @ u),
        )
        worst.append(max(np.abs(each).max() for each in three) / np.abs(z).max())
    return max(worst)


@twin("sparse.eqA.20", [(2, {}), (3, {})], replicates=1500)
def missed_atoms(size, rng):
    mu = rng.uniform(0.9, 0.9999) / (2 * size - 1)
    if rng.uniform() < 0.5:
        signs = np.triu(rng.choice([-1.0, 1.0], size=(2 * size, 2 * size)), 1)
        signs = signs + signs.T
    else:
        half = np.repeat([0, 1], size)
        signs = np.where(half[:, None] == half[None, :], -1.0, 1.0)
    gram = mu * signs
    np.fill_diagonal(gram, 1)
    u = rng.integers(1, size + 1)
    missed = np.arange(size - u, size)
    chosen = np.concatenate([np.arange(size - u), np.arange(size, size + u)])
    c = rng.normal(size=u) if rng.uniform() < 0.5 else np.ones(u)
    b = np.linalg.solve(gram[np.ix_(chosen, chosen)], gram[np.ix_(chosen, missed)] @ c)
    return 1 + (b @ b) / (c @ c)


def noisy_codes(count, size, atoms, sparsity, rng):
    """Codes, noise in the atoms' coordinates, and which atoms are of the support and of the pursuit's choice."""
    z, places = codes(count, atoms, sparsity, size * rng.normal(size=(count, sparsity)), rng)
    e = rng.normal(size=(count, atoms))
    support, chosen = np.zeros((2, count, atoms), dtype=bool)
    np.put_along_axis(support, places, True, axis=1)
    np.put_along_axis(chosen, np.argsort(-np.abs(z + e), axis=1)[:, :sparsity], True, axis=1)
    return z, e, support, chosen


@twin(
    {"sparse.eqA.24": {"corrected": False}, "sparse.eqA.24/corrected": {"corrected": True}},
    [(4, {"atoms": 8, "sparsity": 2}), (8, {"atoms": 10, "sparsity": 1})],
    replicates=60,
)
def failure_noise(size, rng, atoms, sparsity, corrected):
    _, e, support, chosen = noisy_codes(4096, size, atoms, sparsity, rng)
    g = np.sum(e**2 * (support ^ chosen), axis=1).mean()
    if corrected:
        return g
    f = max(np.any(support != chosen, axis=1).mean(), 1 / 4096)
    a, b = (np.sum(e**2 * each, axis=1) for each in (support, chosen))
    return g / (f * np.mean(a + b + 2 * np.maximum(a, b)))


@twin(
    "sparse.thm2.3.6",
    [(4, {"atoms": 8, "sparsity": 2}), (8, {"atoms": 12, "sparsity": 1})],
    replicates=40000,
)
def gap(size, rng, atoms, sparsity):
    z, e, support, chosen = noisy_codes(10000, size, atoms, sparsity, rng)
    missed = np.sum((z - (z + e) * chosen) ** 2, axis=1)
    return (missed - np.sum(e**2 * support, axis=1) + sparsity / (1 + size**2)) / sparsity


def angle_losses(size, rng):
    z = size * rng.normal(size=2048)
    x = np.stack([z, np.zeros(2048)], axis=1)
    seen = x + rng.normal(size=(2048, 2))
    losses = []
    for degrees in range(0, 91, 15):
        c = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        second = (np.abs(seen @ c) > np.abs(seen[:, 0]))[:, None]
        guess = np.where(second, (seen @ c)[:, None] * c, seen[:, :1] * np.array([1, 0]))
        losses.append(np.sum((x - guess) ** 2, axis=1).mean())
    return losses


# At 350 few measurements tell the angles apart, so that the value is between zero and one.
@twin("sparse.thm2.3.6.minimisers", [(2, {}), (350, {})], replicates=800)
def best_angle(size, rng):
    return float(np.argmin(angle_losses(size, rng)) >= 5)


@twin("sparse.thm2.3.6.minimisers/corrected", [(2, {}), (4, {})], replicates=400)
def angle_gap(size, rng):
    losses = angle_losses(size, rng)
    return losses[-1] - min(losses)


@twin(
    {"sparse.thmA.1.1": {"corrected": False}, "sparse.thmA.1.1/corrected": {"corrected": True}},
    [(3, {"coherence": 0.2}), (6, {"coherence": 0.0})],
    replicates=1600,
)
def selected(size, rng, coherence, corrected, count=400):
    gram = np.full((size, size), coherence)
    np.fill_diagonal(gram, 1)
    values, vectors = np.linalg.eigh(gram)
    a = (vectors * np.sqrt(values)) @ vectors.T
    gamma = 2 * np.sqrt(2) * np.sqrt(4 * np.log(size)) / (1 - 3 * coherence)
    lengths = np.stack([rng.uniform(1, 2, size=count), rng.uniform(0, 0.9, size=count)], axis=1)
    z, _ = codes(count, size, 2, gamma * lengths * rng.choice([-1, 1], size=(count, 2)), rng)
    y = z @ a.T + rng.normal(size=(count, size))
    first = np.abs(y @ a).argmax(axis=1)
    one = a.T[first]
    second = np.abs((y - np.sum(one * y, axis=1, keepdims=True) * one) @ a).argmax(axis=1)
    sizes = np.abs(z)
    big = [sizes[np.arange(count), each] >= gamma for each in (first, second)]
    if corrected:
        return (big[0] | ((sizes[np.arange(count), first] > 0) & big[1])).astype(float)
    return (big[0] & big[1]).astype(float)
