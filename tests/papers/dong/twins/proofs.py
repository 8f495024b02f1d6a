"""Twins of the statements about single steps of proofs, and about the listing of appendix B."""

import numpy as np

from tests.papers.dong.twins.identities import STEP, cross_entropy, hessian, worst
from tests.papers.dong.twins.linear import softmax
from tests.papers.twinning import twin

PRINTED, CORRECTED = {"printed": True}, {"printed": False}


def both(name):
    return {f"dong.{name}": PRINTED, f"dong.{name}/corrected": CORRECTED}


@twin(both("eq36.norm"), [(3, {}), (6, {})], replicates=100, accuracy=1e-13)
def second_moment(size, rng, printed):
    b = rng.normal(size=(size, size))
    a = b + b.T
    moment = np.mean(np.linalg.eigvalsh(a) ** 2)
    return abs(np.sum(a**2) / (1 if printed else size) - moment) / moment


@twin(both("eq53"), [(3, {"classes": 2}), (5, {"classes": 4})], replicates=400, accuracy=1e-10)
def derivative_of_resolvent(size, rng, classes, printed):
    count = size + 2
    x, other = rng.normal(size=(2, size, count))
    v = rng.normal(size=(classes, size)) / np.sqrt(size)
    t = rng.uniform(0.2, 0.8)

    def parts(x, other):
        raised = np.exp(v @ (np.sqrt(t) * x + np.sqrt(1 - t) * other))
        p = raised[0] / raised.sum(axis=0)
        resolvent = np.linalg.inv((x * (p * (1 - p))) @ x.T / count + np.eye(size) / 2)
        return p[0] * (1 - p[0]), (1 - 2 * p[0]) * p[0] * (1 - p[0]), resolvent @ x[:, 0]

    def f(x, other):
        _, b, solved = parts(x, other)
        return x[:, 0] @ solved * b

    left = np.empty(size)
    for s in range(size):  # derivatives by a complex step, exact to rounding
        step = np.zeros((size, count), dtype=complex)
        step[s, 0] = 1e-30j
        inner = f(x, other + step).imag / 1e-30
        left[s] = inner / np.sqrt(1 - t) - f(x + step, other).imag / 1e-30 / np.sqrt(t)
    a, b, solved = parts(x, other)
    first = solved * (np.arange(size) == 0) if printed else solved
    right = 2 / np.sqrt(t) * b * (a / count * first * (x[:, 0] @ solved) - solved)
    return np.abs(left - right).max() / np.abs(left).max()


@twin(both("lemma1.resolvent"), [(4, {"height": 0.1}), (9, {"height": 0.5})], replicates=100, accuracy=1e-9)
def resolvent(size, rng, height, printed):
    x = rng.normal(size=(size, size))
    p = softmax(x @ rng.normal(size=(3, size)).T / np.sqrt(size))[:, 0]
    h = (x * (p * (1 - p))[:, None]).T @ x / size
    z = rng.choice(np.linalg.eigvalsh(h)) + 1j * height
    norm = np.linalg.norm(np.linalg.inv(h - z * np.eye(size)), 2)
    return (height if printed else height**2) * norm**2


@twin(
    both("lemma2.q-bound"),
    [(1, {"largest": 0.2, "hidden": 3, "classes": 2}), (2, {"largest": 0.7, "hidden": 2, "classes": 4})],
    replicates=1500,
)
def largest_factor(size, rng, largest, hidden, classes, printed):
    v = largest * rng.choice([-1.0, 1.0], size=(classes, hidden))
    h = np.maximum(rng.normal(size=(size, hidden)), 0) / largest
    q = softmax(h @ v.T)
    slopes = v[:, 0] ** 2 - 2 * v[:, 0] * (q @ v[:, 0])[:, None]
    curvature = q[:, :, None] * (np.eye(classes) - q[:, None, :])
    whole = slopes[:, :, None, None] * curvature[:, :, :, None] * (h > 0)[:, None, None, :] * v
    return np.abs(whole).max() / (3 * largest ** (4 if printed else 3))


@twin("dong.sec3.2.binary", [(2, {"hidden": 2}), (3, {"hidden": 3})], replicates=30, accuracy=1e-4)
def binary(size, rng, hidden):
    d, n = size, size + 2
    while True:
        x, w = rng.normal(size=(n, d)), rng.normal(size=(hidden, d)) / np.sqrt(d)
        v = rng.normal(size=(2, hidden)) / np.sqrt(hidden)
        labels = rng.integers(2, size=n)
        z = x @ w.T
        if np.abs(z).min() < 50 * STEP:  # a difference across a kink is no derivative
            continue
        p = softmax(np.maximum(z, 0) @ v.T)[:, 0]

        def loss(theta, x=x, v=v, labels=labels):
            return cross_entropy(np.maximum(x @ theta.reshape(hidden, d).T, 0) @ v.T, labels)

        i, j = rng.permutation(hidden)[:2]
        pairs = []
        for k in (i, j):
            weights = p * (1 - p) * (v[0, i] - v[1, i]) * (v[0, k] - v[1, k]) * (z[:, i] > 0) * (z[:, k] > 0)
            true = hessian(loss, w.ravel(), range(i * d, i * d + d), range(k * d, k * d + d))
            pairs.append(((x * weights[:, None]).T @ x / n, true))
        if max(np.abs(true).max() for _, true in pairs) > 1e-3:
            return worst(pairs)


@twin(both("appendix-b.clusters"), [(20, {}), (50, {})], replicates=30)
def clusters(size, rng, printed):
    errors = []
    for label in (size, 3 * size // 2, 2 * size, 5 * size // 2):
        per_class = label // size
        centres = rng.normal(size=(size * per_class, 3))
        found = len(np.unique(centres, axis=0))
        errors.append(abs((label if printed else size * per_class) - found) / found)
    return max(errors)
