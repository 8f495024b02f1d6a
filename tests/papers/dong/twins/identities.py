"""Twins of printed Hessians: the printed losses differentiated by central differences."""

import numpy as np

from tests.papers.dong.twins.linear import softmax
from tests.papers.twinning import twin

STEP = 2e-4


def hessian(loss, theta, rows, columns):
    """Block of second derivatives by central differences of fourth order."""
    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
    found = np.zeros((len(rows), len(columns)))
    for a, row in enumerate(rows):
        for b, column in enumerate(columns):
            for i, one in weights.items():
                for j, two in weights.items():
                    moved = theta.copy()
                    moved[row] += i * STEP
                    moved[column] += j * STEP
                    found[a, b] += one * two * loss(moved)
    return found / STEP**2


def worst(pairs):
    scale = max(np.abs(true).max() for _, true in pairs)
    return max(np.abs(stated - true).max() for stated, true in pairs) / scale


def cross_entropy(logits, labels):
    return -np.mean(np.log(softmax(logits)[np.arange(len(labels)), labels]))


CLASSES = [(2, {"classes": 2}), (3, {"classes": 4})]


@twin("dong.eq5", CLASSES, replicates=12, accuracy=1e-5)
def linear_cross_entropy(size, rng, classes):
    d, n = size, size + 1
    x, v = rng.normal(size=(n, d)), rng.normal(size=(classes, d)) / np.sqrt(d)
    labels = rng.integers(classes, size=n)
    p = softmax(x @ v.T)
    i, j = rng.permutation(classes)[:2]

    def loss(theta):
        return cross_entropy(x @ theta.reshape(classes, d).T, labels)

    errors = []
    for other in (i, j):
        weights = p[:, i] * ((i == other) - p[:, other])
        true = hessian(loss, v.ravel(), range(i * d, i * d + d), range(other * d, other * d + d))
        errors.append(worst([((x * weights[:, None]).T @ x / n, true)]))
    return max(errors)


@twin({"dong.eq3": {"factor": 1}, "dong.eq3/corrected": {"factor": 2}}, CLASSES, replicates=12, accuracy=1e-5)
def linear_square(size, rng, classes, factor):
    d, n = size, size + 1
    x, v = rng.normal(size=(n, d)), rng.normal(size=(classes, d)) / np.sqrt(d)
    y = rng.normal(size=(n, classes))
    i, j = rng.permutation(classes)[:2]

    def loss(theta):
        return np.sum((x @ theta.reshape(classes, d).T - y) ** 2) / n

    pairs = []
    for other in (i, j):
        true = hessian(loss, v.ravel(), range(i * d, i * d + d), range(other * d, other * d + d))
        pairs.append((factor * (i == other) * x.T @ x / n, true))
    return worst(pairs)


NETWORKS = [(2, {"hidden": 2, "classes": 2}), (3, {"hidden": 3, "classes": 4})]


@twin(
    {
        f"dong.eq{number}{form}": {"number": number, "factor": factor}
        for number, forms in (
            (8, {"": 1, "/corrected": 2}),
            (9, {"": 1, "/corrected": 2}),
            (11, {"": 2}),
            (12, {"": 1, "/corrected": 2}),
            (14, {"": 1}),
            (15, {"": 1}),
            (18, {"": 1}),
            (21, {"": 1}),
        )
        for form, factor in forms.items()
    },
    NETWORKS,
    replicates=10,
    accuracy=1e-4,
)
def network_blocks(size, rng, hidden, classes, number, factor):
    d, n = size, size + 2
    square = number in (8, 9, 11, 12)
    while True:
        x = rng.normal(size=(n, d))
        w, v = rng.normal(size=(hidden, d)) / np.sqrt(d), rng.normal(size=(classes, hidden)) / np.sqrt(hidden)
        labels = rng.integers(classes, size=n)
        y = rng.normal(size=(n, classes)) if square else np.eye(classes)[labels]
        neuron = rng.integers(hidden)
        if number in (12, 21):
            v[:, neuron] = 0
        z = x @ w.T
        if np.abs(z).min() < 50 * STEP:  # a difference across a kink is no derivative
            continue
        gate, f = (z > 0) * 1.0, np.maximum(z, 0)
        p = softmax(f @ v.T)

        def loss(theta, x=x, y=y, labels=labels):
            first, second = (
                theta[: hidden * d].reshape(hidden, d),
                theta[hidden * d :].reshape(classes, hidden),
            )
            out = np.maximum(x @ first.T, 0) @ second.T
            return np.sum((out - y) ** 2) / n if square else cross_entropy(out, labels)

        theta = np.concatenate([w.ravel(), v.ravel()])

        def rows_w(k):
            return range(k * d, (k + 1) * d)

        def rows_v(c):
            return range(hidden * d + c * hidden, hidden * d + (c + 1) * hidden)

        pairs = []
        if number in (8, 14):
            i, j = rng.permutation(hidden)[:2]
            for other in (i, j):
                if square:
                    weights = factor * (v[:, i] @ v[:, other]) * gate[:, i] * gate[:, other]
                else:
                    weights = p @ (v[:, i] * v[:, other]) - (p @ v[:, i]) * (p @ v[:, other])
                    weights = weights * gate[:, i] * gate[:, other]
                stated = (x * weights[:, None]).T @ x / n
                pairs.append((stated, hessian(loss, theta, rows_w(i), rows_w(other))))
        elif number in (9, 15):
            i, j = rng.permutation(classes)[:2]
            for other in (i, j):
                weights = (
                    np.full(n, factor * (i == other)) if square else p[:, i] * ((i == other) - p[:, other])
                )
                stated = (f * weights[:, None]).T @ f / n
                pairs.append((stated, hessian(loss, theta, rows_v(i), rows_v(other))))
        else:
            for j in rng.permutation(classes)[:2]:
                if square:
                    residual, second = f @ v[j] - y[:, j], np.full(n, v[j, neuron])
                else:
                    residual = p[:, j] - (labels == j)
                    second = p[:, j] * (v[j, neuron] - p @ v[:, neuron])
                column = residual[:, None] * np.eye(hidden)[neuron] + second[:, None] * f
                stated = factor * (x * gate[:, neuron, None]).T @ column / n
                pairs.append((stated, hessian(loss, theta, rows_w(neuron), rows_v(j))))
        if max(np.abs(true).max() for _, true in pairs) > 1e-3:
            return worst(pairs)


@twin(
    {"dong.eq1": {"corrected": False}, "dong.eq1/corrected": {"corrected": True}},
    [(2, {"hidden": 2}), (3, {"hidden": 3})],
    replicates=400,
    accuracy=1e-4,
)
def logistic(size, rng, hidden, corrected):
    while True:
        x, v, w = rng.normal(size=size), rng.normal(size=hidden), rng.normal(size=(hidden, size))
        w[:2] *= np.sign(w[:2] @ x)[:, None]
        if np.abs(w @ x).min() > 0.01:
            break
    f = v @ np.maximum(w @ x, 0)
    pairs = []
    for y in (0, 1):
        q = 1 / (1 + np.exp(-f))
        true = q * (1 - q) * v[0] * v[1] * np.outer(x, x)
        p = q if corrected else 1 / (1 + np.exp(-y * f))
        pairs.append((p * (1 - p) * v[0] * v[1] * np.outer(x, x), true))
    return worst(pairs)
