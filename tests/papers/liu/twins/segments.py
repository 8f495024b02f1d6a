"""Twins of statements about gradients and kernels along a segment (Proposition 2.3, appendix D) and of eq. (4)."""

import numpy as np

from tests.papers.liu.twins._models_b import SIX, expand, size_of
from tests.papers.twinning import twin

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


def random_network(m, rng, activation, radius):
    """Ten places (the eight nodes, w₀ and w), the step, and derivatives(places, x): gradients and Hessians."""
    deep, skip = rng.random() < 0.5, rng.random() < 0.5
    shapes = [(m, 2), (m, m)] if deep else [(m, 2)]
    counts = [a * b for a, b in shapes]
    names, scales = [activation] * len(shapes), [2**-0.5, m**-0.5][: len(shapes)]
    start = rng.normal(size=sum(counts) + m)
    step = rng.normal(size=start.size)
    step *= radius / np.linalg.norm(step)

    def derivatives(w, x):
        *parts, v = np.split(w, np.cumsum(counts), axis=-1)
        ws = [part.reshape(*w.shape[:-1], *shape) for part, shape in zip(parts, shapes, strict=True)]
        skips = [False, deep and skip][: len(shapes)]
        return expand(ws, v, x, names, scales, m**-0.5, skips=skips)[1:]

    return start + np.append(NODES, [0, 1])[:, None] * step, step, derivatives


@twin(
    "liu.prop2.3",
    [(2, {"activation": "tanh", "radius": 1.0}), (3, {"activation": "sin", "radius": 2.0})],
    replicates=160,
)
def kernel_change(size, rng, activation, radius):
    places, _, derivatives = random_network(size, rng, activation, radius)
    (gx, hx), (gz, hz) = (derivatives(places, each) for each in rng.normal(size=(2, 2)))
    mean_x, mean_z = WEIGHTS @ size_of(hx[:8]), WEIGHTS @ size_of(hz[:8])
    bound = radius * (mean_x * np.linalg.norm(gz[9]) + mean_z * np.linalg.norm(gx[8]))
    return abs(gx[9] @ gz[9] - gx[8] @ gz[8]) / bound


@twin("liu.eq57/corrected", [(2, {"radius": 1.0}), (4, {"radius": 3.0})], replicates=200)
def chord(size, rng, radius):
    places, step, derivatives = random_network(size, rng, SIX[rng.integers(6)], radius)
    g, h = derivatives(places, rng.normal(size=2))
    return np.linalg.norm(g[9] - g[8]) / (WEIGHTS @ np.linalg.norm(h[:8] @ step, axis=1))


@twin(
    "liu.eq57",
    [(2, {"radius": 1.0}), (3, {"radius": 2.5})],
    replicates=50,
    accuracy=1e-9,  # the value is the same for every draw up to rounding
)
def two_neurons(size, rng, radius):
    g = rng.normal()
    w, b, v = np.zeros((3, size))
    w[:2], b[1] = g, np.pi / 2
    step = np.zeros(3 * size)
    step[[0, 2]] = radius  # w is the first column of each row (w_i, b_i)
    matrix = np.stack([w, b], axis=1)

    def derivatives(s):
        moved = matrix + s * step[: 2 * size].reshape(size, 2)
        return expand([moved], v, np.ones(2), ["sin"], [1.0], 1.0)[1:]

    least = min(np.linalg.norm(derivatives(s)[1] @ step) for s in NODES)
    return np.linalg.norm(derivatives(1)[0] - derivatives(0)[0]) / least


@twin(
    "liu.eq4",
    [(3, {"activation": "tanh", "factor": 3.0}), (6, {"activation": "softplus", "factor": 0.7})],
    replicates=50,
    accuracy=1e-11,  # rounding, enlarged where f is close to the label
)
def scaled(size, rng, activation, factor):
    w, v, y = rng.normal(size=(size, 3)), rng.normal(size=size), rng.normal()

    def kappa(scale, label):
        f, g, h = expand([w], v, np.ones(3), [activation], [3**-0.5], scale / np.sqrt(size))
        return abs(f - label) * size_of(h) / (g @ g)

    return abs(kappa(1.0, y / factor) - kappa(factor, y)) / kappa(factor, y)
