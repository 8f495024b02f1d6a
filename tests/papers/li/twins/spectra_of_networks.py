"""Twins of the statements about the spectra of Hessians of networks."""

import numpy as np

from tests.papers.li.twins._models_b import gates_and_outputs, hessian
from tests.papers.twinning import twin


def network(n, layers, rng):
    """W_1, …, W_(L-1) and α."""
    shapes = [(n, n)] * (layers - 1) + [(n,)]
    return [rng.normal(size=shape) * np.sqrt(2 / n) for shape in shapes]


def data(n, count, rng):
    return rng.normal(size=(count, n)), rng.choice([-1.0, 1.0], size=count)


def hinge_hessian(n, layers, rng):
    while True:
        weights = network(n, layers, rng)
        inputs, labels = data(n, 2 * n, rng)
        active = labels * gates_and_outputs(weights, inputs)[2] < 1
        h = hessian(weights, inputs, -labels * active / len(labels))
        if h.any():
            return h


def trace(*matrices):
    return np.trace(np.linalg.multi_dot(matrices))


@twin("li.thm3.two-layers", [(3, {"layers": 2}), (4, {"layers": 3})], replicates=400, accuracy=1e-12)
def mirrored(size, rng, layers):
    values = np.linalg.eigvalsh(hinge_hessian(size, layers, rng))
    return np.abs(values + values[::-1]).sum() / np.abs(values).sum()


@twin("li.thm3.skewness", [(3, {}), (5, {})], replicates=1200)
def skewness(size, rng):
    h = hinge_hessian(size, 3, rng)
    return trace(h, h, h) / len(h) / (trace(h, h) / len(h)) ** 1.5


@twin("li.thm3.skewness.deep", [(2, {"layers": 4}), (4, {"layers": 3})], replicates=60)
def deep_skewness(size, rng, layers):
    found = []
    for _ in range(8):
        h = hinge_hessian(size, layers, rng)
        square = h @ h
        found.append(abs(np.sum(square * h)) / np.sqrt(np.trace(square) * np.sum(square**2)))
    return np.mean(found)


def turned(size, rng, layers, labels_turn):
    while True:
        weights = network(size, layers, rng)
        inputs, labels = data(size, 2 * size, rng)
        h = hessian(weights, inputs, -labels / len(labels))
        if h.any():
            break
    if labels_turn:
        other = hessian(weights, inputs, labels / len(labels))
    else:
        other = hessian([*weights[:-1], -weights[-1]], inputs, -labels / len(labels))
    values, others = np.linalg.eigvalsh(h), np.linalg.eigvalsh(other)
    return np.abs(values + others[::-1]).sum() / np.abs(values).sum()


# Zero up to the rounding of eigenvalues.
twin(
    {"li.thm3.data": {"labels_turn": True}, "li.thm3.weights": {"labels_turn": False}},
    [(3, {"layers": 3}), (4, {"layers": 6})],
    replicates=30,
    accuracy=1e-12,
)(turned)


@twin(
    "li.thm2.law.network",
    [(12, {"samples_per_neuron": 1.0}), (8, {"samples_per_neuron": 4.0})],
    replicates=300,
)
def bulk(size, rng, samples_per_neuron):
    n, m = size, max(1, round(samples_per_neuron * size))

    def gates(x):
        z = x @ one
        return (z > 0) * 1.0, (np.maximum(z, 0) @ two > 0) * 1.0

    while True:
        one, two = rng.normal(size=(2, n, n)) * np.sqrt(2 / n)
        alpha = rng.normal(size=n) * np.sqrt(2 / n)
        p = gates(rng.normal(size=(4096, n)))[1].mean(axis=0)
        x = rng.normal(size=(1024, n))
        first, second = gates(x)
        lengths = np.sum(x**2, axis=1) ** 2 * np.sum((second - p) ** 2 * alpha**2, axis=1) ** 2
        sigma = 2 / m**3 * np.mean(first.sum(axis=1) * lengths)
        sets = []
        for _ in range(4):
            x, signs = data(n, m, rng)
            first, second = gates(x)
            sets.append(
                np.einsum("i,ib,ia,id->bad", signs / m, first, x, (second - p) * alpha, optimize=True)
            )
        outer = [a @ a.transpose(0, 2, 1) for a in sets]
        inner = [a.transpose(0, 2, 1) @ a for a in sets]
        tau = 2 * np.mean([np.sum(each**2) for each in outer])
        pairs = [(k, j) for j in range(4) for k in range(j)]
        mu = 2 * np.mean([np.sum(outer[k] * outer[j]) + np.sum(inner[k] * inner[j]) for k, j in pairs])
        if tau > 0 and mu > 0:
            return (tau - mu - sigma) / (tau + mu)


@twin(
    "li.thm2.law.outliers",
    [
        (3, {"layers": 2, "samples_per_neuron": 4.0}),
        (4, {"layers": 3, "samples_per_neuron": 1.0}),
    ],
    replicates=300,
)
def fourth_moments(size, rng, layers, samples_per_neuron):
    m = max(1, round(samples_per_neuron * size))
    while True:
        weights = network(size, layers, rng)
        squares = []
        for _ in range(4):
            inputs, labels = data(size, m, rng)
            h = hessian(weights, inputs, -labels / m)
            squares.append(h @ h)
        if all(square.any() for square in squares):
            break
    tau = np.mean([np.sum(square**2) for square in squares])
    mu = 2 * np.mean([np.sum(squares[k] * squares[j]) for j in range(4) for k in range(j)])
    return (tau - mu) / (tau + mu)
