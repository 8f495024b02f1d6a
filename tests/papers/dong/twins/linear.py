"""Twins of the statements about the linear model."""

import numpy as np

from tests.papers.twinning import twin


def pair(size, gamma):
    """Integers (d, N) whose ratio is closest to gamma, the smaller one near ``size``."""
    factor = max(gamma, 1 / gamma)
    sides = list(range(size, size + max(size // 25, 2) + 1))
    errors = [abs(round(side * factor) / (side * factor) - 1) for side in sides]
    small = sides[int(np.argmin(errors))]
    large = round(small * factor)
    return (small, large) if gamma <= 1 else (large, small)


def linear_pair(size, gamma):
    """(d, N) of the linear model's sizes."""
    unit = 40 if size % 40 == 0 else size
    d, n = pair(max(2, round(unit * min(gamma, 1 / gamma) ** 0.25)), gamma)
    return d * (size // unit), n * (size // unit)


def softmax(logits):
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def block(x, p, i, j):
    weights = p[:, i] * ((i == j) - p[:, j])
    return (x * weights[:, None]).T @ x / len(x)


def model(d, n, classes, rng):
    x = rng.normal(size=(n, d))
    v = rng.normal(size=(classes, d)) / np.sqrt(d)
    return x, softmax(x @ v.T)


@twin(
    {
        "dong.thm1.diagonal": {"off": False, "power": 1},
        "dong.thm1.offdiagonal": {"off": True, "power": 1},
        "dong.thm1.diagonal/corrected": {"off": False, "power": 2},
        "dong.thm1.offdiagonal/corrected": {"off": True, "power": 2},
    },
    [(10, {"gamma": 1.0, "classes": 4}), (20, {"gamma": 2.0, "classes": 6})],
    replicates=400,
)
def norm_over_dimension(size, rng, gamma, classes, off, power):
    d, n = linear_pair(size, gamma)
    x, p = model(d, n, classes, rng)
    norms = [np.linalg.norm(block(x, p, i, (i + off) % classes)) ** power / d for i in range(classes)]
    return np.mean(norms)


@twin(
    {"dong.thm1.ratio": {}},
    [(10, {"gamma": 1.0, "classes": 4}), (20, {"gamma": 2.0, "classes": 6})],
    replicates=400,
)
def ratio(size, rng, gamma, classes):
    d, n = linear_pair(size, gamma)
    x, p = model(d, n, classes, rng)
    energy = np.array([[np.sum(block(x, p, i, j) ** 2) for j in range(classes)] for i in range(classes)])
    own = np.trace(energy) / classes
    return (energy.sum() - np.trace(energy)) / (classes * (classes - 1)) / own


@twin(
    {
        "dong.thm1.diagonal-limit.join": {"off": False},
        "dong.thm1.offdiagonal-limit.join": {"off": True},
    },
    [(40, {"gamma": 1.0, "classes": 20}), (40, {"gamma": 2.0, "classes": 50})],
    replicates=600,
)
def scaled(size, rng, gamma, classes, off):
    d, n = linear_pair(size, gamma)
    x, p = model(d, n, classes, rng)
    energies = [np.sum(block(x, p, i, i + off) ** 2) for i in range(0, classes - 1, 2)]
    return classes ** (4 if off else 2) * np.mean(energies) / d


@twin(
    {"dong.lemma1.rate": {"other": 0}, "dong.lemma1.rate-offdiagonal": {"other": 1}},
    [(10, {"gamma": 1.0, "classes": 5}), (8, {"gamma": 0.5, "classes": 3})],
    replicates=600,
)
def gap(size, rng, gamma, classes, other):
    d, n = pair(size, gamma)
    x, copy = rng.normal(size=(2, n, d))
    v = rng.normal(size=(classes, d)) / np.sqrt(d)
    transforms = []
    for inside in (x, copy):
        p = softmax(inside @ v.T)
        weights = p[:, 0] * ((other == 0) - p[:, other])
        h = (x * weights[:, None]).T @ x / n
        transforms.append(np.trace(np.linalg.inv(h - 1j / classes * np.eye(d))) / d)
    return abs(transforms[0] - transforms[1]) ** 2 / classes**2


@twin("dong.eq46", [(5, {"gamma": 1.0, "classes": 5}), (4, {"gamma": 2.0, "classes": 3})], replicates=6000)
def expected_gap(size, rng, gamma, classes):
    d, n = pair(size, gamma)

    def difference():
        x, copy = rng.normal(size=(2, n, d))
        v = rng.normal(size=(classes, d)) / np.sqrt(d)

        def transform(data, inside):
            p = softmax(inside @ v.T)[:, 0]
            h = (data * (p * (1 - p))[:, None]).T @ data / n
            return np.mean(1 / (np.linalg.eigvalsh(h) - 1j / classes))

        # Symmetrised over the two data sets: the same expectation with less noise.
        own = transform(x, x) + transform(copy, copy)
        return (own - transform(x, copy) - transform(copy, x)) / 2

    return (difference() * np.conj(difference())).real / classes**2


def transform_of(law_step, points):
    """Stieltjes transform by an averaged fixed-point iteration."""
    s = -1 / points
    for _ in range(4000):
        s = 0.5 * s + 0.5 * law_step(s, points)
    return s


def distance(eigenvalues, mean, deviation, step):
    points = mean + deviation * (np.arange(-2, 2.1, 0.5) + 1j)
    stated = transform_of(step, points)
    found = np.array([np.mean(1 / (eigenvalues - z)) for z in points])
    return deviation**2 * np.mean(np.abs(found - stated) ** 2)


POPULATIONS = {}


def population_distance(eigenvalues, gamma, atoms):
    """Distance to the law of ratio gamma whose population is uniform on ``atoms``."""
    key = (gamma, atoms.tobytes())
    if key not in POPULATIONS:
        mean, deviation = atoms.mean(), np.sqrt(gamma * np.mean(atoms**2))
        points = mean + deviation * (np.arange(-2, 2.1, 0.5) + 1j)

        def step(s, z):
            return 1 / (-z + np.mean(atoms[:, None] / (1 + gamma * atoms[:, None] * s), axis=0))

        POPULATIONS[key] = points, deviation, transform_of(step, points)
    points, deviation, stated = POPULATIONS[key]
    found = np.array([np.mean(1 / (eigenvalues - z)) for z in points])
    return deviation**2 * np.mean(np.abs(found - stated) ** 2)


@twin(
    {
        "dong.prop2.diagonal-law": {"off": 0, "sign": 1},
        "dong.prop2.offdiagonal-law": {"off": 1, "sign": 1},
        "dong.prop2.offdiagonal-law/corrected": {"off": 1, "sign": -1},
    },
    [(12, {"gamma": 0.5, "classes": 3}), (10, {"gamma": 2.0, "classes": 5})],
    replicates=400,
    accuracy=2e-5,
)
def linear_law(size, rng, gamma, classes, off, sign):
    d, n = pair(size, gamma)
    x, p = model(d, n, classes, rng)
    drawn = softmax(np.random.default_rng(classes).normal(size=(1000, classes)))
    # All classes (pairs of classes) have one law: 1000 draws give many atoms.
    if off:
        atoms = sign * np.concatenate([drawn[:, i] * drawn[:, (i + 1) % classes] for i in range(classes)])
    else:
        atoms = (drawn * (1 - drawn)).ravel()
    return population_distance(np.linalg.eigvalsh(block(x, p, 0, off)), gamma, atoms)


@twin(
    {"dong.prop1.positive": {"signs": False}, "dong.prop1.indefinite": {"signs": True}},
    [(12, {"gamma": 0.5}), (10, {"gamma": 2.0})],
    replicates=400,
    accuracy=1e-9,
)
def classical(size, rng, gamma, signs):
    d, n = pair(size, gamma)
    values = np.array([-2, -0.5, 0, 1.5] if signs else [0.25, 1, 3])
    masses = np.array([0.25, 0.125, 0.125, 0.5] if signs else [0.5, 0.25, 0.25])
    ends = np.round(np.cumsum(masses) * n).astype(int)
    weights = np.repeat(values, np.diff([0, *ends]))
    x = rng.choice([-1.0, 1.0], size=(d, n)) if signs else rng.normal(size=(d, n))
    atoms = np.repeat(values, (masses * 8).astype(int)) / gamma
    return population_distance(np.linalg.eigvalsh((x * weights) @ x.T / d), gamma, atoms)


@twin(
    {"dong.prop3.lognormal.h1": {"both": False}, "dong.prop3.lognormal.h2": {"both": True}},
    [(5, {}), (25, {})],
    replicates=60,
)
def log_normal(size, rng, both):
    p = softmax(rng.normal(size=(2048, size)))
    if both:
        y = (np.log(p[:, 0] * p[:, 1]) + 2 * np.log(size) + 1) / np.sqrt(2)
    else:
        y = np.log(p[:, 0] * (1 - p[:, 0])) + np.log(size) + 0.5
    u = normal_cdf(y)
    kernel = 1 / 3 - np.maximum.outer(u, u) + np.add.outer(u**2, u**2) / 2
    count = len(u)
    return (kernel.sum() - np.trace(kernel)) / (count * (count - 1))


def normal_cdf(y):
    """Distribution function of N(0, 1) by numerical integration on a fine grid."""
    grid = np.linspace(-12, 12, 200001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2) * (grid[1] - grid[0])])
    return np.interp(y, grid, sums)
