"""Twins of Lemma 3.1, of the recursion of appendix I.7 and of the blocks of one layer (appendix G.1, footnote 5)."""

import numpy as np

from tests.papers.liu.twins._models_c import LARGEST_CURVATURE, Dense, curvature, largest, slope, value
from tests.papers.twinning import twin

BATCH = 500


def column_max(array):
    return np.abs(array).max(axis=1)


@twin(
    {
        "liu.lemma3.1": {"measured": "infinity"},
        "liu.lemma3.1.lipschitz": {"measured": "lipschitz"},
        "liu.lemma3.1.tensor": {"measured": "tensor"},
    },
    [
        (4, {"activation": "tanh", "depth": 2, "radius": 1.0}),
        (6, {"activation": "gelu", "depth": 3, "radius": 4.0}),
    ],
    replicates=2000,
    accuracy=1e-4,  # Eigenvalues in the sampler of `tensor` have residuals of 10⁻³.
)
def norms_of_layers(size, rng, activation, depth, radius, measured):
    network = Dense([size] * depth, activation)
    theta = network.draw(rng, BATCH, radius)
    a, z, b = network.layers(theta)
    if measured == "infinity":
        return np.max([column_max(each) for each in b], axis=0) / np.sqrt(np.log(size))
    matrices, _ = network.split(theta)
    terms, p = [], []
    for number, matrix in enumerate(matrices):
        fan_in = a[number].shape[1]
        r = a[number] / np.sqrt(fan_in)
        length = np.linalg.norm(r, axis=1)
        one, two = slope(activation, z[number]), curvature(activation, z[number])
        terms.append(column_max(two) * length**2)
        if number:
            before = np.max(p, axis=0)
            turned = np.swapaxes(matrix, 1, 2)
            pure = largest(turned @ (np.abs(two)[:, :, None] * matrix)) / fan_in
            side = (turned @ (two * one)[:, :, None])[..., 0]
            cross = side[:, :, None] * r[:, None, :]
            mixed = length[:, None, None] ** 2 * (turned @ ((two**2)[:, :, None] * matrix))
            mixed += cross + np.swapaxes(cross, 1, 2)
            mixed += np.sum(one**2, axis=1)[:, None, None] * np.eye(fan_in)
            terms += [before * np.sqrt(largest(mixed) / fan_in), before**2 * pure]
        p.append(column_max(one) * length)
    return np.max(p if measured == "lipschitz" else terms, axis=0)


@twin(
    {"liu.lemmaF.6.index": {"layer": 2}, "liu.lemmaF.6.index/corrected": {"layer": 3}},
    [(4, {"activation": "tanh"}), (6, {"activation": "softplus"})],
    replicates=1500,
    accuracy=1e-14,  # Rounding, all there is of the corrected statement.
)
def recursion(size, rng, activation, layer):
    network = Dense([size] * 3, activation)
    theta = network.draw(rng, BATCH)
    matrices, _ = network.split(theta)
    _, z, b = network.layers(theta)
    inner = slope(activation, z[layer - 1]) * b[2]
    stated = np.einsum("nij,ni->nj", matrices[layer - 1], inner) / np.sqrt(size)
    return column_max(stated - b[1]) / column_max(b[1])


@twin(
    {"liu.sec-g1.inputs": {"of": "inputs"}, "liu.sec-g1.weights": {"of": "weights"}},
    [(2, {"activation": "tanh"}), (4, {"activation": "sigmoid"})],
    replicates=400,
)
def convolutional_blocks(size, rng, activation, of):
    m = size
    image, one, two = rng.normal(size=(2, 4)), rng.normal(size=(m, 2, 3)), rng.normal(size=(m, m, 3))

    def shifted(channels, k):
        """Entries at q + k - 1 for q = 0, …, 3."""
        return np.pad(channels, ((0, 0), (1, 1)))[:, k : k + 4]

    a = value(activation, sum(one[:, :, k] @ shifted(image, k) for k in range(3)) / np.sqrt(2))
    moved = [shifted(a, k) for k in range(3)]
    z = sum(two[:, :, k] @ moved[k] for k in range(3)) / np.sqrt(m)
    if of == "inputs":
        d = np.zeros((m, 4, m, 4))
        for q in range(4):
            for k in range(3):
                if 0 <= q + k - 1 < 4:
                    d[:, q, :, q + k - 1] = two[:, :, k]
        bound = sum(np.linalg.norm(two[:, :, k], 2) for k in range(3))
    else:
        d = np.zeros((m, 4, m, m, 3))
        for i in range(m):
            for k in range(3):
                d[i, :, i, :, k] = moved[k].T
        bound = sum(np.linalg.norm(moved[k]) for k in range(3))
    d = d.reshape(4 * m, -1)
    middle = np.abs(curvature(activation, z)).reshape(-1, 1)
    return largest(d.T @ (middle * d)) / (LARGEST_CURVATURE[activation] * bound**2)


@twin(
    {"liu.footnote5": {}, "liu.footnote5/corrected": {}},
    [(3, {"activation": "tanh"}), (5, {"activation": "gelu"})],
    replicates=1000,
    accuracy=1e-4,  # In case the sampler iterates for the eigenvalue.
)
def expanding_block(size, rng, activation):
    a = value(activation, rng.normal(size=(BATCH, size, 3)).sum(axis=2) / np.sqrt(3))
    w = rng.normal(size=(BATCH, size**2, size))
    z = (w @ a[:, :, None])[..., 0] / np.sqrt(size)
    return largest(np.swapaxes(w, 1, 2) @ (np.abs(curvature(activation, z))[..., None] * w)) / size


@twin(
    {
        "liu.lemmaF.6.remainder": {"corrected": False},
        "liu.lemmaF.6.remainder/corrected": {"corrected": True},
    },
    [(3, {"activation": "tanh"}), (5, {"activation": "sin"})],
    replicates=4000,
)
def remainder(size, rng, activation, corrected):
    k = np.arange(1, size + 1)
    b = rng.choice([-1.0, 1.0], size=(BATCH, 1)) * (-1.0) ** k
    w = rng.exponential(size=(BATCH, 1)) * rng.choice([-1.0, 1.0], size=(BATCH, size))
    alpha, z = rng.normal(size=(BATCH, 1)), rng.normal(size=(BATCH, size))
    left = np.abs(np.sum(w * slope(activation, z + w * alpha / np.sqrt(size)) * b, axis=1)) / np.sqrt(size)
    right = np.abs(np.sum(w * slope(activation, z) * b, axis=1)) / np.sqrt(size)
    c = np.abs(b) if corrected else b
    right += LARGEST_CURVATURE[activation] / size * np.abs(alpha[:, 0] * np.sum(w**2 * c, axis=1))
    return left / right
