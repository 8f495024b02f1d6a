"""Twins of the bounds of appendix F with steps spread unevenly over the layers."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

COUNT = 100


def length(vectors):
    return np.linalg.norm(vectors, axis=-1)


def change(after, before):
    return [one - two for one, two in zip(after, before, strict=True)]


def slope_f2(ball):
    scaled = [np.abs(net.slope(ball.name, ball.z[n]))[..., None] * ball.weights[n] for n in (1, 2)]
    return np.max([net.spectral(w) for w in scaled], axis=0) / np.sqrt(ball.m) / (ball.slope * ball.c)


def eq72(ball):
    largest = np.abs(net.slope(ball.name, ball.z[0])).max(axis=1)
    return largest * length(ball.a[0]) / np.sqrt(3) / (ball.slope * ball.length)


def eq83(ball):
    return length(ball.b[2] - ball.b0[2]) * np.sqrt(ball.m) / ball.radius


def eq84(ball):
    worst, down = 0.0, change(ball.b, ball.b0)
    for n in (1, 2):
        after, before = ball.weights[n], ball.weights0[n]
        first, first0 = net.slope(ball.name, ball.z[n]), net.slope(ball.name, ball.z0[n])
        left = np.sqrt(ball.m) * down[n - 1]
        bent = (first - first0) * ball.b0[n]
        terms = ((after - before, first * ball.b[n]), (before, bent), (before, first * down[n]))
        equation = sum(np.einsum("nij,ni->nj", w, u) for w, u in terms)
        largest = np.abs(first).max(axis=1)
        right = net.spectral(after - before) * largest * length(ball.b[n])
        right = right + net.spectral(before) * (length(bent) + largest * length(down[n]))
        worst = np.maximum(worst, (length(left) + length(equation - left)) / right)
    return worst


def preactivations(ball):
    moves = [length(dz) for dz in change(ball.z, ball.z0)]
    worst = 0.0
    for n in (1, 2):
        step = net.spectral(ball.weights[n] - ball.weights0[n]) * length(ball.a[n]) / np.sqrt(ball.m)
        worst = np.maximum(worst, moves[n] / (ball.c0 * ball.slope * moves[n - 1] + step))
    return worst


def eq88(ball):
    rows = [
        np.abs(b).max(axis=1) / (np.abs(b0).max(axis=1) + length(b - b0))
        for b, b0 in zip(ball.b, ball.b0, strict=True)
    ]
    return np.max(rows, axis=0)


AT = [
    (4, {"activation": "tanh", "length": 1.0, "radius": 1.0}),
    (7, {"activation": "sigmoid", "length": 0.5, "radius": 2.0}),
]


@twin({"liu.eq83": {"measure": eq83}}, AT, replicates=700)
@twin(
    {"liu.eq72": {"measure": eq72}, "liu.eq88": {"measure": eq88}, "liu.sec-f2.slope": {"measure": slope_f2}},
    AT,
    replicates=200,
)
@twin(
    {
        "liu.eq84": {"measure": eq84},
        "liu.sec-f4.preactivations": {"measure": preactivations},
    },
    AT,
    replicates=300,
)
def uneven(size, rng, activation, length, radius, measure):
    return measure(net.Ball(COUNT, size, rng, activation, length, radius, uneven=True))
