"""Twins of statements about incoherence, and about best codes by trying every support."""

import numpy as np

from tests.papers.sparse.twins._models_b import (
    codes,
    energies,
    isometry,
    normalised,
    orthogonal,
    pairs_net,
    subsets,
)
from tests.papers.twinning import twin


@twin("sparse.remark2.3.7.both", [(4, {}), (9, {})], replicates=600, accuracy=1e-13)
def hidden_rows(size, rng):
    # At nine rows one is hidden and vanishes: zero up to rounding. At four rows none is hidden.
    a = np.zeros((size, 2 * size))
    seen = round(0.9 * size)
    a[:seen] = rng.normal(size=(seen, 2 * size))
    a = normalised(a)
    return np.linalg.eigvalsh(a @ a.T)[0] / 2


@twin("sparse.remark2.3.7.both/corrected", [(3, {}), (20, {})], replicates=1500)
def both(size, rng):
    a = normalised(rng.normal(size=(size, 2 * size)))
    seen = normalised(a[: round(0.9 * size)])
    gram = np.abs(seen.T @ seen) - np.eye(2 * size)
    return min(20 * np.linalg.eigvalsh(a @ a.T)[0] / 2, 0.33 / np.abs(gram).max())


@twin("sparse.sec2.2.3.gershgorin", [(4, {"order": 2}), (6, {"order": 3})], replicates=2500)
def gershgorin(size, rng, order):
    c = 0.0 if rng.uniform() < 0.5 else rng.uniform(0, 3)
    if rng.uniform() < 0.8:
        a = c + rng.normal(size=(size, size))
    elif c == 0:
        return 0.0
    else:
        a = np.eye(size) + c
    a = normalised(a)
    return isometry(a, order) / (order * np.abs(a.T @ a - np.eye(size)).max())


def dictionary(p, rng):
    a = orthogonal(p, rng)
    if rng.uniform() < 0.5:
        a = normalised(a[: p - 1])
    spread = rng.uniform(0, 0.3)
    return normalised(a + spread / np.sqrt(len(a)) * rng.normal(size=a.shape))


def measurements(a, k, noise, rng):
    """Eight measurements and their noise."""
    scale = 10 ** rng.uniform(-2, 2, size=(8, 1))
    z, _ = codes(8, a.shape[1], k, scale * noise * rng.normal(size=(8, k)), rng)
    errors = noise * rng.normal(size=(8, len(a)))
    return z @ a.T + errors, errors


CHAIN = [(5, {"sparsity": 1, "noise": 0.5}), (6, {"sparsity": 2, "noise": 2.0})]


@twin("sparse.eqA.3", CHAIN, replicates=1200)
def second_code(size, rng, sparsity, noise):
    a = dictionary(size, rng)
    y, _ = measurements(a, sparsity, noise, rng)
    best, bases = energies(a, y, sparsity)
    residual = y - np.einsum("mdk,mek,me->md", bases, bases, y)
    gained = energies(a, y, 2 * sparsity)[0] - best
    return np.min(gained / energies(a, residual, sparsity)[0])


@twin("sparse.eqA.6", CHAIN, replicates=1500)
def noise_fitted(size, rng, sparsity, noise):
    a = dictionary(size, rng)
    y, errors = measurements(a, sparsity, noise, rng)
    best, _ = energies(a, y, sparsity)
    largest = np.max((errors @ a) ** 2, axis=1)
    fitted = np.sum(errors**2, axis=1) - np.sum(y**2, axis=1) + best
    return np.max(fitted * (1 - isometry(a, 2 * sparsity)) / (2 * sparsity * largest))


# Many atoms and codes of one atom: isometry constants are far from one, the quotient has light tails.
@twin(
    "sparse.eqA.7",
    [(16, {"sparsity": 1, "noise": 0.5}), (20, {"sparsity": 1, "noise": 2.0})],
    replicates=900,
)
def chain(size, rng, sparsity, noise):
    a = dictionary(size, rng)
    y, _ = measurements(a, sparsity, noise, rng)
    delta = isometry(a, 2 * sparsity)
    if delta >= 1:
        return 1.0
    best = energies(a, y, sparsity)[0]
    least = np.linalg.svd(a, compute_uv=False).min()
    stated = (1 - delta) ** 4 * sparsity / size * least**2 * (np.sum(y**2, axis=1) - best)
    return np.min((energies(a, y, 2 * sparsity)[0] - best) / stated)


@twin("sparse.eqA.7.constant", [(2, {"inverse": 8}), (3, {"inverse": 5})], replicates=8000)
def next_largest(size, rng, inverse, count=8000):
    p = inverse * size
    signal, _ = codes(count, p, size, 1000.0 * rng.choice([-1, 1], size=(count, size)), rng)
    y = np.sort(np.abs(rng.normal(size=(count, p)) + signal), axis=1)[:, ::-1]
    return np.sum(y[:, size : 2 * size] ** 2, axis=1) / size


@twin("sparse.lemmaA.1.2", [(3, {}), (6, {})], replicates=500)
def largest_of_dependent(size, rng):
    a = normalised(rng.normal(size=(rng.integers(1, size + 1), size)))
    products = rng.normal(size=(256, len(a))) @ a
    return np.max(products**2, axis=1).mean() / (3 * np.log(size) + 1.5 * np.log(3))


def pair_energy(b, y):
    """Largest ‖P_S y‖² over pairs of unit columns of b, for the rows of y."""
    i, j = subsets(b.shape[1], 2).T
    gram = (b.T @ b)[i, j]
    products = y @ b
    one, two = products[:, i], products[:, j]
    return np.max((one**2 + two**2 - 2 * gram * one * two) / (1 - gram**2), axis=1)


# By rotation A is the identity in the following twins.
@twin("sparse.thm2.3.2.order", [(2, {}), (3, {})], replicates=4000)
def net_of_pairs(size, rng, count=1000):
    z, _ = codes(count, 4, 2, rng.choice([-1, 1], size=(count, 2)) / np.sqrt(2), rng)
    y = z + rng.normal(size=(count, 4)) / size
    atoms = np.sort(y**2, axis=1)[:, 2:].sum(axis=1)
    return pair_energy(pairs_net(4, size), y) - atoms


def gains(p, size, parts, scale, rng, count=128):
    """(L(A; y) - L(B; y))/σ² of measurements at k = 1 for signals of one length."""
    z, _ = codes(count, p, 1, scale * rng.choice([-1.0, 1.0], size=(count, 1)), rng)
    y = z + rng.normal(size=(count, p)) / size
    return (np.max((y @ pairs_net(p, parts)) ** 2, axis=1) - np.max(y**2, axis=1)) * size**2


@twin(
    {"sparse.thm2.3.2.tail": {"corrected": False}, "sparse.thm2.3.2.tail/corrected": {"corrected": True}},
    [(2, {"atoms": 3}), (3, {"atoms": 4})],
    replicates=500,
)
def tail(size, rng, atoms, corrected):
    parts = int(np.ceil(size * np.sqrt(1 + (100**2 - 1) / (2 * atoms)))) if corrected else size
    share = 1 / (2 * atoms)
    one, far = (gains(atoms, size, parts, scale, rng).mean() for scale in (1.0, 100.0))
    return (1 - share) * one + share * far


@twin(
    {"sparse.cor2.3.4.net": {"corrected": False}, "sparse.cor2.3.4.net/corrected": {"corrected": True}},
    [(2, {"atoms": 3}), (8, {"atoms": 4})],
    replicates=800,
)
def bounded_net(size, rng, atoms, corrected):
    return gains(atoms, size, max(atoms, size) if corrected else atoms, 1.0, rng).mean()


# The best pair of the net is mostly a plane of two atoms; rounding of squares up to 10⁵.
@twin("sparse.remark2.3.3.signal", [(1, {}), (3, {})], replicates=300, accuracy=1e-9)
def any_signal(size, rng):
    scale = np.clip(rng.standard_cauchy(size=(32, 1)), -300, 300)
    z, _ = codes(32, 3, 2, scale * rng.choice([-1, 1], size=(32, 2)) / np.sqrt(2), rng)
    y = np.hstack([z, np.zeros((32, 5))]) + rng.normal(size=(32, 8)) / size
    b = pairs_net(3, int(rng.integers(1, 4)))
    inside, outside = y[:, :3], np.sum(y[:, 3:] ** 2, axis=1)
    best = np.sum(inside**2, axis=1) - pair_energy(b, inside)
    return np.max((best + outside) / (np.min(inside**2, axis=1) + outside))


def two_turned(k, size):
    angle = np.sqrt(2 * k / np.pi) / size
    one = np.eye(5)
    turned = np.roll(one, -1, axis=1)
    return np.hstack([np.cos(angle) * one + sign * np.sin(angle) * turned for sign in (1, -1)])


def distance(a, b):
    plus, minus = (((a[:, :, None] + sign * b[:, None, :]) ** 2).sum(axis=0) for sign in (1, -1))
    return np.minimum(plus, minus).min(axis=1).mean()


@twin("sparse.sec2.3.recovery", [(2, {}), (8, {})], replicates=30, accuracy=1e-12)
def recovered(size, rng):
    # Zero up to rounding.
    turn = orthogonal(5, rng)
    b = turn @ two_turned(1, size)
    return size**2 * distance(turn, np.hstack([b, turn]))


@twin("sparse.sec2.3.recovery/corrected", [(2, {}), (8, {})], replicates=60, accuracy=1e-11)
def lower_loss(size, rng):
    # Zero up to rounding.
    k = int(rng.integers(1, 3))
    a, b = np.eye(5), two_turned(k, size)
    z, _ = codes(64, 5, k, rng.choice([-1, 1], size=(64, k)) / np.sqrt(k), rng)
    y = z + rng.normal(size=(64, 5)) / size
    both = np.hstack([b, a])
    one, two = (np.sum(y**2, axis=1) - energies(each, y, k)[0] for each in (b, both))
    return distance(a, both) + max(0, np.max((two - one) / one))
