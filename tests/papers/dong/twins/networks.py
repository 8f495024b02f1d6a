"""Twins of the statements about networks with one or two hidden layers."""

import numpy as np

from tests.papers.dong.twins.linear import distance, pair, population_distance, softmax
from tests.papers.twinning import twin


def network(d, n, hidden, classes, rng, output=None):
    x = rng.normal(size=(n, d))
    w = rng.normal(size=(hidden, d)) / np.sqrt(d)
    v = rng.normal(size=(classes, hidden)) / np.sqrt(hidden) if output is None else output
    return x, w, v


def curvatures(z, v, i, j):
    """λ_n of the hidden block (i, j), cross-entropy, from the pre-activations."""
    p = softmax(np.maximum(z, 0) @ v.T)
    a = p @ (v[:, i] * v[:, j]) - (p @ v[:, i]) * (p @ v[:, j])
    return a * (z[:, i] > 0) * (z[:, j] > 0)


def hidden_block(x, w, v, i, j):
    return (x * curvatures(x @ w.T, v, i, j)[:, None]).T @ x / len(x)


def square_block(x, w, v, i, j):
    z = x @ w.T
    kept = x[(z[:, i] > 0) & (z[:, j] > 0)]
    return (v[:, i] @ v[:, j]) * kept.T @ kept / len(x)


def output_block(x, w, v, i, j):
    f = np.maximum(x @ w.T, 0)
    p = softmax(f @ v.T)
    return (f * (p[:, i] * ((i == j) - p[:, j]))[:, None]).T @ f / len(x)


SMALL = [
    (10, {"gamma": 1.0, "hidden": 5, "classes": 6}),
    (12, {"gamma": 0.5, "hidden": 4, "classes": 4}),
]


@twin(
    {
        f"dong.eq27.{kind}{form}": {"off": off}
        for off, kind in enumerate(("diagonal", "offdiagonal"))
        for form in ("", "/corrected")
    }
    | {
        "dong.thm2.hidden-ce-diagonal.join": {"off": 0},
        "dong.thm2.hidden-ce-offdiagonal.join": {"off": 1, "power": 1},
    },
    SMALL,
    replicates=1500,
)
def hidden_energy(size, rng, gamma, hidden, classes, off, power=0):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng)
    blocks = [hidden_block(x, w, v, i, i + off) for i in range(hidden - off)]
    return classes**power * np.mean([np.sum(each**2) for each in blocks]) / d


@twin(
    {
        f"dong.eq28.{kind}{form}": {"off": off}
        for off, kind in enumerate(("diagonal", "offdiagonal"))
        for form in ("", "/corrected")
    }
    | {
        "dong.thm2.hidden-mse-diagonal.join": {"off": 0, "power": 2},
        "dong.thm2.hidden-mse-offdiagonal.join": {"off": 1, "power": 1},
        "dong.prop7.diagonal": {"off": 0, "power": 2, "factor": 1},
        "dong.prop7.offdiagonal": {"off": 1, "power": 1, "factor": 1},
    },
    SMALL,
    replicates=1500,
)
def square_energy(size, rng, gamma, hidden, classes, off, power=0, factor=2):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng)
    blocks = [factor * square_block(x, w, v, i, i + off) for i in range(hidden - off)]
    return np.mean([np.sum(each**2) for each in blocks]) / d / float(classes) ** power


@twin(
    {
        "dong.eq29.diagonal": {"off": 0},
        "dong.eq29.offdiagonal": {"off": 1},
        "dong.thm2.output-ce-diagonal.join": {"off": 0, "power": 2},
        "dong.thm2.output-ce-offdiagonal.join": {"off": 1, "power": 4},
    },
    SMALL,
    replicates=1500,
)
def output_energy(size, rng, gamma, hidden, classes, off, power=0):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng)
    blocks = [output_block(x, w, v, i, i + off) for i in range(classes - off)]
    return classes**power * np.mean([np.sum(each**2) for each in blocks])


@twin("dong.lemma3.diagonal", [(20, {"dimension": 2, "samples": 3}), (15, {"dimension": 4, "samples": 2})])
def energy_distance(size, rng, dimension, samples):
    def matrices(coins):
        found = []
        for _ in range(size):
            x = rng.normal(size=(samples, dimension))
            kept = rng.integers(2, size=samples) > 0 if coins else x @ rng.normal(size=dimension) > 0
            found.append((x[kept].T @ x[kept] / samples / np.sqrt(dimension)).ravel())
        return np.array(found)

    a, b = matrices(False), matrices(True)

    def mean(one, two, same):
        lengths = np.linalg.norm(one[:, None] - two[None], axis=2)
        return lengths.sum() / (size * (size - 1) if same else size**2)

    return 2 * mean(a, b, False) - mean(a, a, True) - mean(b, b, True)


@twin(
    {"dong.lemma3.offdiagonal": {}, "dong.lemma3.offdiagonal/corrected": {}},
    [(4, {"dimension": 2}), (6, {"dimension": 5})],
    replicates=20000,
)
def gated_pairs(size, rng, dimension):
    x = rng.normal(size=(500, size, dimension))
    w = rng.normal(size=(500, dimension, 2))
    gate = ((x @ w) > 0).all(axis=2)
    products = (x @ x.transpose(0, 2, 1)) ** 2 * gate[:, :, None] * gate[:, None, :]
    off = products.sum(axis=(1, 2)) - np.trace(products, axis1=1, axis2=2)
    return off / (dimension * size * (size - 1))


@twin(
    {"dong.eq10": {}, "dong.eq10/corrected": {}},
    [(16, {"gamma": 0.5, "hidden": 3}), (20, {"gamma": 2.0, "hidden": 4})],
    replicates=1500,
)
def gate_ratio(size, rng, gamma, hidden):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, 2 * hidden, rng)
    norm = [[np.linalg.norm(square_block(x, w, v, i, j)) for j in range(hidden)] for i in range(hidden)]
    gram = np.abs(v.T @ v)
    values = [
        (norm[i][j] / norm[i][i]) / (gram[i, j] / gram[i, i])
        for i in range(hidden)
        for j in range(hidden)
        if i != j
    ]
    return np.mean(values)


@twin(
    {"dong.eq16": {"corrected": False}, "dong.eq16/corrected": {"corrected": True}},
    [(20, {"hidden": 8}), (100, {"hidden": 5})],
    replicates=4000,
)
def sums(size, rng, hidden, corrected):
    a, b = rng.normal(size=(2, 1000, size)) / np.sqrt(hidden)
    share = 1 / size if corrected else 1.0
    above = (a * b).sum(axis=1) - share * a.sum(axis=1) * b.sum(axis=1)
    below = (a * a).sum(axis=1) - share * a.sum(axis=1) ** 2
    return (np.abs(above) < 0.1 * np.abs(below)).astype(float)


@twin("dong.eq16.first", [(10, {"gamma": 1.0, "hidden": 4}), (50, {"gamma": 2.0, "hidden": 8})])
def first_sides(size, rng, gamma, hidden):
    d, n = pair(48, gamma)
    x, w, v = network(d, n, hidden, size, rng)
    found = np.linalg.norm(hidden_block(x, w, v, 0, 1)) / np.linalg.norm(hidden_block(x, w, v, 0, 0))
    s = v.sum(axis=0)
    middle = abs(v[:, 0] @ v[:, 1] - s[0] * s[1]) / abs(v[:, 0] @ v[:, 0] - s[0] ** 2)
    return float(middle / 2 < found < 2 * middle)


@twin("dong.eq20", [(20, {"hidden": 8}), (50, {"hidden": 4})], replicates=400)
def second_term(size, rng, hidden):
    x, w, v = network(10, 20, hidden, size, rng)
    f = np.maximum(x @ w.T, 0)
    p = softmax(f @ v.T)
    gate = (x @ w[0] > 0).astype(float)
    mixed = p * (v[:, 0] - (p @ v[:, 0])[:, None]) * gate[:, None]
    terms = [np.sum(((x * mixed[:, j, None]).T @ f / 20) ** 2) for j in range(size)]
    return np.sqrt(np.mean(terms))


@twin(
    {"dong.eq19": {"corrected": False}, "dong.eq19/corrected": {"corrected": True}},
    [(50, {"hidden": 8}), (200, {"hidden": 4})],
    replicates=500,
)
def relative_error(size, rng, hidden, corrected):
    while True:
        x, w, v = network(10, 20, hidden, size, rng)
        kept = x[x @ w[0] > 0]
        if len(kept):
            break
    f = np.maximum(kept @ w.T, 0)
    p = softmax(f @ v.T)
    term = p * (v[:, 0][None] - (p @ v[:, 0])[:, None])
    stated = p * (v[:, 0][None] - f[:, :1] / hidden) if corrected else np.tile(v[:, 0] / size, (len(kept), 1))
    return np.sum((term - stated) ** 2) / np.sum(term**2)


def one_fixed_output(classes, hidden):
    return np.random.default_rng([classes, hidden]).standard_normal((classes, hidden)) / np.sqrt(hidden)


def seeded_output(classes, hidden, seed):
    return np.random.default_rng([seed, classes, hidden]).standard_normal((classes, hidden)) / np.sqrt(hidden)


@twin(
    {"dong.lemma2.rate": {"other": 0}, "dong.lemma2.rate-offdiagonal": {"other": 1}},
    [(10, {"gamma": 1.0, "hidden": 8, "classes": 5}), (8, {"gamma": 0.5, "hidden": 4, "classes": 3})],
    replicates=600,
)
def gap(size, rng, gamma, hidden, classes, other):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng, one_fixed_output(classes, hidden))
    copy = rng.normal(size=(n, d))
    transforms = []
    for inside in (x, copy):
        weights = curvatures(inside @ w.T, v, 0, other)
        g = (x * weights[:, None]).T @ x / n
        transforms.append(np.trace(np.linalg.inv(g - 1j / classes * np.eye(d))) / d)
    return abs(transforms[0] - transforms[1]) ** 2 / classes**2


@twin(
    {"dong.prop6.diagonal-law": {"gates": 1}, "dong.prop6.offdiagonal-law": {"gates": 2}},
    [(12, {"gamma": 0.5}), (10, {"gamma": 2.0})],
    replicates=200,
    accuracy=1e-9,
)
def gated_law(size, rng, gamma, gates):
    d, n = pair(size, gamma)
    x = rng.normal(size=(n, d))
    kept = x[(x @ rng.normal(size=(d, gates)) > 0).all(axis=1)]
    g = 2.0**gates

    def step(s, z):
        # MP of ratio gγ scaled by 1/g: equal to a population of one atom of mass 1/g at 1 (ratio γ) and zeros.
        return 1 / (-z + (1 / g) / (1 + gamma * s))

    return distance(np.linalg.eigvalsh(kept.T @ kept / n), 1 / g, np.sqrt(gamma / g), step)


@twin(
    {"dong.prop4.diagonal-law": {"other": 0}, "dong.prop4.offdiagonal-law": {"other": 1}},
    [(12, {"gamma": 0.5, "hidden": 4, "classes": 5}), (10, {"gamma": 2.0, "hidden": 5, "classes": 3})],
    replicates=400,
    accuracy=1e-4,
)
def hidden_law(size, rng, gamma, hidden, classes, other):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng, one_fixed_output(classes, hidden))
    z = np.random.default_rng(1).normal(size=(6000, hidden))
    atoms = curvatures(z, v, 0, other)
    return population_distance(np.linalg.eigvalsh(hidden_block(x, w, v, 0, other)), gamma, atoms)


LIMITS = {}


def limit_given(gamma, v, other):
    key = (gamma, v.tobytes(), other)
    if key not in LIMITS:
        weights = curvatures(np.random.default_rng(2).normal(size=(400_000, v.shape[1])), v, 0, other)
        LIMITS[key] = gamma * np.mean(weights**2) + np.mean(weights) ** 2
    return LIMITS[key]


GIVEN = [
    (10, {"gamma": 1.0, "hidden": 5, "classes": 5, "output_seed": 1}),
    (12, {"gamma": 0.5, "hidden": 4, "classes": 4, "output_seed": 2}),
]


@twin({"dong.eq87": {"other": 0}, "dong.eq88": {"other": 1}}, GIVEN, replicates=1500, accuracy=3e-3)
def distance_to_limit(size, rng, gamma, hidden, classes, output_seed, other):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng, seeded_output(classes, hidden, output_seed))
    found = np.sum(hidden_block(x, w, v, 0, other) ** 2) / d / limit_given(gamma, v, other) - 1
    return found**2 / (1 + found**2)


@twin({"dong.eq89": {"other": 0}, "dong.eq90": {"other": 1}}, GIVEN, replicates=3000)
def energy_given(size, rng, gamma, hidden, classes, output_seed, other):
    d, n = pair(size, gamma)
    x, w, v = network(d, n, hidden, classes, rng, seeded_output(classes, hidden, output_seed))
    return np.sum(hidden_block(x, w, v, 0, other) ** 2) / d


@twin(
    {
        f"dong.sec7.2.3.{name}": {"off": off, "mixed": mixed}
        for name, off, mixed in (
            ("diagonal-kk", 0, False),
            ("diagonal-kl", 0, True),
            ("offdiagonal-kk", 1, False),
            ("offdiagonal-kl", 1, True),
        )
    },
    [(10, {"gamma": 1.0, "hidden": 4, "classes": 5}), (8, {"gamma": 0.5, "hidden": 3, "classes": 4})],
    replicates=1500,
)
def entries(size, rng, gamma, hidden, classes, off, mixed):
    d, n = pair(max(size, hidden), gamma)
    x, w, v = network(d, n, hidden, classes, rng)
    values, vectors = np.linalg.eigh(w @ w.T)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    found = []
    for z in (x @ w.T, x @ w.T @ root):
        f = np.maximum(z, 0)
        p = softmax(f @ v.T)
        squares = []
        for i in range(0, classes - off, 1 + off):
            weights = p[:, i] * ((off == 0) - p[:, i + off])
            g = classes ** (4 if off else 2) * ((f * weights[:, None]).T @ f / n) ** 2
            squares.extend(g[np.triu_indices(hidden, 1)] if mixed else np.diag(g))
        found.append(np.mean(squares))
    return found[0] - found[1]


def two_layers(x, w1, w2, v):
    n, hidden = len(x), len(w1)
    z = x @ w1.T
    energies = np.empty((hidden, hidden))
    jacobians = np.array([v @ np.diag((w2 @ np.maximum(each, 0) > 0) * 1.0) @ w2 for each in z])
    for i in range(hidden):
        for j in range(hidden):
            weights = (
                2 * (z[:, i] > 0) * (z[:, j] > 0) * np.sum(jacobians[:, :, i] * jacobians[:, :, j], axis=1)
            )
            energies[i, j] = np.sum(((x * weights[:, None]).T @ x / n) ** 2)
    return energies


@twin(
    {"dong.appendix-a.fan-out": {}},
    [(8, {"classes": 5}), (16, {"classes": 2})],
    replicates=600,
)
def fan_out(size, rng, classes):
    count = max(2, size * classes // 5)
    x = rng.normal(size=(16, 16))
    w1 = rng.normal(size=(4, 16)) / 4
    w2 = rng.normal(size=(size, 4)) / 2
    v = rng.normal(size=(count, size)) / np.sqrt(size)
    energies = two_layers(x, w1, w2, v)
    own = np.trace(energies) / 4
    return (energies.sum() - 4 * own) / 12 / own if own else 0.0


@twin(
    {
        "dong.appendix-a.fan-out.diagonal": {"off": False},
        "dong.appendix-a.fan-out.offdiagonal": {"off": True},
    },
    [
        (10, {"gamma": 1.0, "hidden": 3, "width": 6, "classes": 4}),
        (8, {"gamma": 0.5, "hidden": 2, "width": 5, "classes": 3}),
    ],
    replicates=1000,
)
def fan_out_energy(size, rng, gamma, hidden, width, classes, off):
    d, n = pair(size, gamma)
    x = rng.normal(size=(n, d))
    w1 = rng.normal(size=(hidden, d)) / np.sqrt(d)
    w2 = rng.normal(size=(width, hidden)) / np.sqrt(hidden)
    v = rng.normal(size=(classes, width)) / np.sqrt(width)
    energies = two_layers(x, w1, w2, v) / d
    own = np.trace(energies)
    return (energies.sum() - own) / (hidden * (hidden - 1)) if off else own / hidden
