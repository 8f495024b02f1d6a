"""Twins of the statements about eigenspaces and gaps of the layer Hessian, formed whole."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.layers import Layer
from tests.papers.wu.twins.networks import overlap, rows, squared

FEW = [(8, {"alpha": 0.3, "classes": 3}), (6, {"alpha": 0.6, "classes": 2})]


def ratio(matrix, classes):
    values = np.linalg.eigvalsh(matrix)[::-1]
    return values[classes - 1] / values[classes - 2]


@twin(
    "wu.thm4.1.gap",
    [(6, {"alpha": 0.3, "classes": 3}), (8, {"alpha": 0.2, "classes": 2})],
    replicates=100,
)
def gap(size, rng, alpha, classes):
    values = []
    for _ in range(3):
        one, two = Layer(size, alpha, classes, rng, count=2 * size).h
        whole = ratio((one + two) / 2, classes)
        values.append(2 * whole - (ratio(one, classes) + ratio(two, classes)) / 2)
    return np.mean(values)


@twin({"wu.corB.5": {}, "wu.corB.5/corrected": {}}, FEW, replicates=80)
def row_space(size, rng, alpha, classes):
    values = []
    for _ in range(2):
        net = Layer(size, alpha, classes, rng)
        d = len(net.second)
        along, across = np.linalg.eigvalsh(net.second)[[-1, 0]]
        ones = np.full((d, 1), 1 / np.sqrt(d))
        tops = []
        for m in net.m:
            sizes, vectors = np.linalg.eigh(m)
            chosen = np.flatnonzero(sizes * along > sizes[-1] * across)
            tops.append(np.kron(vectors[:, chosen[1 - classes :]], ones))
        values.append(overlap(tops, [np.kron(rows(net.w), ones)] * 2))
    return np.mean(values)


@twin("wu.decoupling.spectral", FEW, replicates=250)
def decoupling(size, rng, alpha, classes):
    net = Layer(size, alpha, classes, rng)
    away = [np.kron(m, net.second) - len(net.second) * h for m, h in zip(net.m, net.h, strict=True)]
    h = [len(net.second) * each for each in net.h]
    one, two = (np.linalg.eigh(each)[1][:, -1] for each in h)
    return squared(away) / ((one @ h[1] @ one + two @ h[0] @ two) / 2) ** 2


@twin("wu.secG.2", FEW, replicates=40)
def rank_one(size, rng, alpha, classes):
    net = Layer(size, alpha, classes, rng, count=192)

    def mean_singular_value(h):
        vectors = np.linalg.eigh(h)[1][:, 1 - classes :].T
        return np.mean([np.linalg.norm(v.reshape(size, -1), 2) for v in vectors])

    one, two = net.h
    return (
        2 * mean_singular_value((one + two) / 2) - (mean_singular_value(one) + mean_singular_value(two)) / 2
    )
