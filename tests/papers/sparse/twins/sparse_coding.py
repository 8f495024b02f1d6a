"""Twins of statements about dictionaries, masking and overfitting."""

import itertools

import numpy as np

from tests.papers.twinning import twin


def gaussian(rows, columns, rng):
    a = rng.normal(size=(rows, columns))
    return a / np.linalg.norm(a, axis=0)


def orthogonal(n, rng):
    q, r = np.linalg.qr(rng.normal(size=(n, n)))
    return q * np.sign(np.diag(r))


def coherence(a):
    gram = np.abs(a.T @ a)
    np.fill_diagonal(gram, 0)
    return gram.max()


@twin("sparse.remark2.3.3.singular", [(10, {"ratio": 2.0}), (12, {"ratio": 4.0})], replicates=600)
def singular(size, rng, ratio):
    p = round(ratio * size)
    return np.linalg.svd(gaussian(size, p, rng), compute_uv=False).min() ** 2 * size / p


@twin("sparse.remark2.3.3.isometry", [(30, {"level": 0.6}), (40, {"level": 0.5})], replicates=600)
def isometry(size, rng, level):
    return float(coherence(gaussian(size, 2 * size, rng)) <= level)


@twin("sparse.remark2.3.7", [(60, {}), (120, {})], replicates=300)
def masked(size, rng):
    return float(coherence(gaussian(round(0.9 * size), size, rng)) <= 0.33)


@twin(
    {"sparse.eqA.15": {"corrected": False}, "sparse.eqA.15/corrected": {"corrected": True}},
    [(3, {"noise": 0.5}), (5, {"noise": 2.0})],
    replicates=2000,
    accuracy=1e-9,
)
def ridge(size, rng, noise, corrected):
    a = gaussian(2 * size, size, rng)
    seen, hidden = a[:size], a[size:]
    scale = np.exp(rng.uniform(-1, 1))
    penalty = (noise**2 if corrected else 1) / scale**2
    worst, largest = 0.0, 0.0
    for _ in range(10):
        y = rng.normal(size=size)
        mean = (
            scale**2 * hidden @ seen.T @ np.linalg.inv(scale**2 * seen @ seen.T + noise**2 * np.eye(size)) @ y
        )
        found = hidden @ np.linalg.inv(seen.T @ seen + penalty * np.eye(size)) @ seen.T @ y
        worst, largest = max(worst, np.abs(found - mean).max()), max(largest, np.abs(mean).max())
    return worst / largest


@twin(
    "sparse.eqA.17",
    [(2, {"atoms": 8, "sparsity": 2}), (4, {"atoms": 6, "sparsity": 1})],
    replicates=6000,
)
def price(size, rng, atoms, sparsity):
    seen, hidden = orthogonal(atoms, rng)[:, :sparsity], orthogonal(atoms, rng)[:, :sparsity]
    z, noise = size * rng.normal(size=sparsity), rng.normal(size=atoms)
    values = []
    for y in (seen @ z + noise, seen @ z - noise):
        plain = np.linalg.lstsq(seen, y, rcond=None)[0]
        shrunk = np.linalg.solve(seen.T @ seen + np.eye(sparsity) / size**2, seen.T @ y)
        values.append(np.sum((hidden @ (z - plain)) ** 2) - np.sum((hidden @ (z - shrunk)) ** 2))
    return np.mean(values)


CODES = [(8, {"atoms": 8, "sparsity": 2}), (4, {"atoms": 10, "sparsity": 3})]


def pursue(size, rng, atoms, sparsity):
    """Code, noise in the atoms' coordinates and the code that OMP finds, by the algorithm itself."""
    a = orthogonal(atoms, rng)
    z = np.zeros(atoms)
    z[rng.permutation(atoms)[:sparsity]] = size * rng.normal(size=sparsity)
    noise = rng.normal(size=atoms)
    y, chosen = a @ z + noise, []
    residual = y
    for _ in range(sparsity):
        chosen.append(int(np.argmax(np.abs(a.T @ residual))))
        fit = np.linalg.lstsq(a[:, chosen], y, rcond=None)[0]
        residual = y - a[:, chosen] @ fit
    found = np.zeros(atoms)
    found[chosen] = fit
    return z, a.T @ noise, found


@twin("sparse.eqA.22", CODES, replicates=6000)
def missed_energy(size, rng, atoms, sparsity):
    z, _, found = pursue(size, rng, atoms, sparsity)
    return np.sum(z[found == 0] ** 2)


@twin({"sparse.eqA.23": {}, "sparse.eqA.23/corrected": {}}, CODES, replicates=6000)
def missed(size, rng, atoms, sparsity):
    z, _, found = pursue(size, rng, atoms, sparsity)
    return float(np.any((z != 0) & (found == 0)))


@twin("sparse.thm2.3.6.rate", CODES, replicates=6000)
def excess(size, rng, atoms, sparsity):
    z, noise, found = pursue(size, rng, atoms, sparsity)
    return np.sum((z - found) ** 2) - np.sum(noise[z != 0] ** 2)


@twin("sparse.sec2.4.1.cosine", [(4, {}), (8, {})], replicates=10, accuracy=1e-9)
def cosine(size, rng):
    a, b = gaussian(size, size, rng), gaussian(size, 3 * size, rng)
    distances = [min(min(np.sum((one - two) ** 2), np.sum((one + two) ** 2)) for two in b.T) for one in a.T]
    stated = 2 * np.mean([1 - np.abs(b.T @ one).max() for one in a.T])
    return abs(np.mean(distances) / stated - 1)


def best_loss(y, b, k):
    losses = []
    for support in itertools.combinations(range(b.shape[1]), k):
        part = b[:, support]
        losses.append(np.sum((y - part @ np.linalg.lstsq(part, y, rcond=None)[0]) ** 2))
    return min(losses)


@twin(
    "sparse.cor2.3.4",
    [(8, {"atoms": 5, "sparsity": 1}), (6, {"atoms": 4, "sparsity": 2})],
    replicates=500,
)
def two_columns(size, rng, atoms, sparsity):
    a = orthogonal(atoms, rng)
    angle = np.sqrt(2 * sparsity / np.pi) / size
    turned = np.roll(a, -1, axis=1)
    b = np.hstack([np.cos(angle) * a + sign * np.sin(angle) * turned for sign in (1, -1)])
    z = np.zeros(atoms)
    z[rng.permutation(atoms)[:sparsity]] = rng.choice([-1, 1], size=sparsity) / np.sqrt(sparsity)
    y = a @ z + rng.normal(size=atoms) / size
    return (best_loss(y, a, sparsity) - best_loss(y, b, sparsity)) * size**2 / sparsity


@twin("sparse.thm2.3.2", [(4, {"atoms": 3, "parts": 1}), (3, {"atoms": 4, "parts": 2})], replicates=1500)
def net(size, rng, atoms, parts):
    a = orthogonal(atoms, rng)
    count = parts * size
    angles = (np.arange(2 * count) + 0.5) * np.pi / (2 * count)
    b = np.column_stack(
        [
            np.cos(angle) * a[:, i] + np.sin(angle) * a[:, j]
            for i, j in itertools.combinations(range(atoms), 2)
            for angle in angles
        ]
    )
    y = rng.choice([-1, 1]) * a[:, rng.integers(atoms)] + rng.normal(size=atoms) / size
    # k = 1: the loss is ‖y‖² less the largest squared product with a unit column.
    return (np.max((b.T @ y) ** 2) - np.max((a.T @ y) ** 2)) * size**2
