"""Twins of the bounds of appendix F in the ball around W₀, for steps uniform on the sphere."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

COUNT = 100
AT = [
    (4, {"activation": "tanh", "length": 1.0, "radius": 1.0}),
    (7, {"activation": "sigmoid", "length": 0.5, "radius": 2.0}),
]


def greatest(rows):
    return np.max(list(rows), axis=0)


def length(vectors):
    return np.linalg.norm(vectors, axis=-1)


def bends(ball, n):
    return np.abs(net.bend(ball.name, ball.z[n - 1]))


def lemma_f2(ball):
    return greatest(net.size_of(w) for w in ball.weights) / (ball.c * np.sqrt(ball.m))


def lemma_f3(ball, corrected):
    return greatest(length(ball.a[n]) / ball.activations(n, root=corrected) for n in (1, 2, 3))


def eq71(ball, corrected):
    def bound(n):
        if corrected:
            return ball.slope * ball.activations(n - 1) / np.sqrt(ball.m)
        return ball.slope**n * (ball.c0 + ball.radius) ** (n - 1) * ball.length

    def norm(n):
        slopes = np.abs(net.slope(ball.name, ball.z[n - 1])).max(axis=1)
        return slopes * length(ball.a[n - 1]) / np.sqrt(ball.m)

    return greatest(norm(n) / bound(n) for n in (2, 3))


def eq76(ball):
    def norm(n):
        return net.spectral(np.sqrt(bends(ball, n))[..., None] * ball.weights[n - 1]) ** 2 / ball.m

    return greatest(norm(n) / (ball.bend * ball.c**2) for n in (2, 3))


def eq77(ball, corrected):
    def bound(n):
        if corrected:
            return ball.bend * ball.activations(n - 1) ** 2 / ball.m
        return ball.bend * (ball.slope * ball.c) ** (2 * n - 2) * ball.length**2

    def norm(n):
        return bends(ball, n).max(axis=1) * length(ball.a[n - 1]) ** 2 / ball.m

    return greatest(norm(n) / bound(n) for n in (2, 3))


def eq78(ball):
    return bends(ball, 1).max(axis=1) * length(ball.a[0]) ** 2 / 3 / (ball.bend * ball.length**2)


def mixed(ball, corrected):
    """Norm of ∂²α/∂α∂W: the largest (Σ_i ‖pᵀT_i‖²)^½ over unit p, T_i the derivatives of neuron i in its own row."""

    def norm(n):
        pre, low, w = ball.z[n - 1], ball.a[n - 1], ball.weights[n - 1]
        t = np.einsum("ni,nij,nk->nijk", net.bend(ball.name, pre), w, low) / ball.m
        t += net.slope(ball.name, pre)[..., None, None] * np.eye(ball.m) / np.sqrt(ball.m)
        rows = np.swapaxes(t, 1, 2).reshape(COUNT, ball.m, -1)
        return net.spectral(rows)

    def bound(n):
        if corrected:
            return ball.slope + ball.bend / 2 * (ball.c**2 + ball.activations(n - 1) ** 2 / ball.m)
        return ball.bend / 2 * (ball.c**2 + (ball.slope * ball.c) ** (2 * n - 2) * ball.length**2)

    return greatest(norm(n) / bound(n) for n in (2, 3))


def lemma_f5(ball):
    return greatest(length(ball.b[n - 1]) / (ball.slope ** (3 - n) * ball.c ** (4 - n)) for n in (1, 2, 3))


def eq81(ball):
    return greatest(length(ball.b0[n - 1]) / (ball.slope ** (3 - n) * ball.c0 ** (4 - n)) for n in (1, 2, 3))


def turned(ball, n):
    """‖(Σ' - Σ'_0)b_0‖."""
    change = net.slope(ball.name, ball.z[n - 1]) - net.slope(ball.name, ball.z0[n - 1])
    return length(change * ball.b0[n - 1])


def eq86(ball):
    def bound(n):
        shift = length(ball.z[n - 1] - ball.z0[n - 1])
        return np.abs(ball.b0[n - 1]).max(axis=1) * ball.bend * shift

    return greatest(turned(ball, n) / bound(n) for n in (1, 2, 3))


def eq87(ball):
    def change(n):
        return length(ball.b[n - 1] - ball.b0[n - 1])

    def bound(n):
        first = ball.radius * (ball.slope * ball.c) ** (4 - n) / np.sqrt(ball.m)
        return first + ball.c0 * turned(ball, n) + ball.c0 * ball.slope * change(n)

    return greatest(change(n - 1) / bound(n) for n in (2, 3))


PRINTED, MENDED = {"corrected": False}, {"corrected": True}


@twin(
    {"liu.lemmaF.2": {"measure": lemma_f2}, "liu.eq78": {"measure": eq78}},
    AT,
    replicates=120,
)
@twin(
    {
        "liu.lemmaF.3": {"measure": lemma_f3, **PRINTED},
        "liu.lemmaF.3/corrected": {"measure": lemma_f3, **MENDED},
        "liu.eq71": {"measure": eq71, **PRINTED},
        "liu.eq71/corrected": {"measure": eq71, **MENDED},
        "liu.eq76": {"measure": eq76},
        "liu.eq77": {"measure": eq77, **PRINTED},
        "liu.eq77/corrected": {"measure": eq77, **MENDED},
        "liu.sec-f3.mixed": {"measure": mixed, **PRINTED},
        "liu.sec-f3.mixed/corrected": {"measure": mixed, **MENDED},
        "liu.lemmaF.5": {"measure": lemma_f5},
        "liu.eq81": {"measure": eq81},
        "liu.eq86": {"measure": eq86},
        "liu.eq87": {"measure": eq87},
    },
    AT,
    replicates=300,
)
def in_the_ball(size, rng, activation, length, radius, measure, **which):
    return measure(net.Ball(COUNT, size, rng, activation, length, radius), **which)
