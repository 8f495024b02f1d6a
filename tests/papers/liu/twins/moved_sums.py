"""Twins of appendix H: Lemma H.1 and its steps, eqs. (110) and (32)."""

import numpy as np

from tests.papers.twinning import twin

DRAWS = 1000
ROUNDING = 1e-14


def sphere(radius, size, rng):
    g = rng.normal(size=(DRAWS, size))
    return radius * g / np.linalg.norm(g, axis=1, keepdims=True)


def dot(one, two):
    return np.sum(one * two, axis=1, keepdims=True)


def length(rows):
    return np.linalg.norm(rows, axis=1, keepdims=True)


@twin(
    {"liu.lemmaH.1": {"corrected": False}, "liu.lemmaH.1/corrected": {"corrected": True}},
    [(12, {"radius": 0.3}), (20, {"radius": 0.2})],
    replicates=8000,
)
def best_shift(size, rng, radius, corrected):
    x, y = rng.normal(size=(2, DRAWS, size))
    a, p = dot(x, y**2), x * y
    t = -np.sign(a) * np.minimum(radius, np.abs(a) / (2 * length(p))) * p / length(p)
    q = (y + t) ** 2
    s = np.clip(-dot(x, q) / length(q), -radius, radius) * q / length(q)
    b = np.abs(dot(x + s, q))[:, 0] / np.sqrt(size)
    return b if corrected else b > 1e-9


@twin(
    "liu.lemmaH.1.fixed",
    [
        (12, {"radius": 0.5, "delta": 0.4, "constant": 15.0}),
        (20, {"radius": 0.3, "delta": 0.35, "constant": 17.0}),
    ],
    replicates=10000,
)
def fixed_shift(size, rng, radius, delta, constant):
    s, t = sphere(radius, size, rng), sphere(radius, size, rng)
    x, y = rng.normal(size=(2, DRAWS, size))
    bound = np.sqrt(3 * size) * constant * delta**3 - 3 * np.log(4 / delta) * radius**4 - radius**3
    return np.abs(dot(x + s, (y + t) ** 2))[:, 0] >= bound


@twin("liu.eq120", [(2, {"radius": 1.0}), (7, {"radius": 3.0})], replicates=200, accuracy=ROUNDING)
def expansion(size, rng, radius):
    s, t = sphere(radius, size, rng), sphere(radius, size, rng)
    x, y = rng.normal(size=(2, DRAWS, size))
    terms = np.stack([(x + s) * y**2, 2 * x * t * y, 2 * s * t * y, x * t**2, s * t**2])
    gap = np.sum((x + s) * (y + t) ** 2, axis=1) - terms.sum(axis=(0, 2))
    return np.abs(gap) / np.abs(terms).sum(axis=(0, 2))


MOMENTS = [(3, {"radius": 1.0}), (6, {"radius": 2.0})]


@twin({"liu.eq122": {"pairs": 2}}, MOMENTS, replicates=1000)
@twin({"liu.eq122/corrected": {"pairs": 1}}, MOMENTS, replicates=200, accuracy=ROUNDING)
def moment(size, rng, radius, pairs):
    s = sphere(radius, size, rng)
    square = np.sum(s**2, axis=1)
    true = 3 * size + 2 * square + np.sum(s, axis=1) ** 2
    p = pairs * sum(s[:, i] * s[:, j] for j in range(size) for i in range(j))
    return np.abs(3 * size + 3 * square + 2 * p - true) / true


@twin("liu.eq122.bound", MOMENTS, replicates=1000)
def moment_over_bound(size, rng, radius):
    s, t = sphere(radius, size, rng), sphere(radius, size, rng)
    m = 3 * size + 2 * np.sum(s**2, axis=1) + np.sum(s, axis=1) ** 2 + 4 * np.sum(t**2, axis=1)
    return m / (3 * size)


@twin("liu.eq125", [(2, {"radius": 1.0}), (5, {"radius": 0.5})], replicates=4000)
def last_term(size, rng, radius):
    s, t = sphere(radius, size, rng), sphere(radius, size, rng)
    edge = np.zeros(size)
    edge[0] = radius
    equal = rng.random(size=(DRAWS, 1)) < 0.5
    s, t = np.where(equal, edge, s), np.where(equal, edge, t)
    return np.abs(np.sum(s * t**2, axis=1)) / radius**3


def block_is_large(size, rng, radius, delta, corrected):
    w1, w3, w4 = rng.normal(size=(3, DRAWS, size))
    # f depends on w² through b alone, and ∂²f/∂b² = m^{-1/2} Σ_j w⁴_j (w³_j)².
    gradient = w1**2 / 2 / np.sqrt(size)
    b = np.abs(np.sum(w4 * w3**2, axis=1)) / np.sqrt(size) * np.sum(gradient**2, axis=1)
    p = 0.5 - radius**2 / size
    q = 17 * np.sqrt(3) * delta**3 - (3 * np.log(4 / delta) * radius**4 + radius**3) / np.sqrt(size)
    if corrected:
        p, q = max(p, 0), max(q, 0)
    return b >= p * q / 4


@twin(
    "liu.eq110",
    [(12, {"radius": 0.5, "delta": 0.45}), (16, {"radius": 2.9, "delta": 0.3})],
    replicates=2500,
)
def printed_bound(size, rng, radius, delta):
    return block_is_large(size, rng, radius, delta, False)


@twin(
    "liu.eq110/corrected",
    [(12, {"radius": 0.5, "delta": 0.45}), (16, {"radius": 0.7, "delta": 0.4})],
    replicates=2500,
)
def positive_parts(size, rng, radius, delta):
    return block_is_large(size, rng, radius, delta, True)


@twin(
    {"liu.appH.shift": {"corrected": False}, "liu.appH.shift/corrected": {"corrected": True}},
    [(3, {}), (6, {})],
    replicates=6000,
)
def shortest(size, rng, corrected):
    radius = np.sqrt(size) / 2
    found = np.maximum(np.linalg.norm(rng.normal(size=(DRAWS, size)), axis=1) - radius, 0)
    return found >= max(np.sqrt(size / 2) - radius, 0) if corrected else found**2 >= size / 2 - radius**2
