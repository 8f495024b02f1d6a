"""Twins of appendix F about networks at W₀, single layers and steps along the gradient."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

BATCH = 100
PLAIN = [(4, {"activation": "tanh"}), (7, {"activation": "sigmoid"})]
PRINTED, MENDED = {"corrected": False}, {"corrected": True}


def ones(count, scale=1.0):
    return np.full((count, 3), scale)


@twin("liu.lemmaF.1", [(1, {}), (2, {})], replicates=20000)
def small_norm(size, rng):
    return (net.spectral(rng.normal(size=(2000, size, size))) <= 3 * np.sqrt(size)).astype(float)


@twin(
    {"liu.eq74": PRINTED, "liu.eq74/corrected": MENDED},
    [(3, {"activation": "tanh"}), (2, {"activation": "swish"})],
    replicates=300,
    accuracy=1e-7,  # the sampler's differences
)
def mixed_derivative(size, rng, activation, corrected):
    w, a = rng.normal(size=(BATCH, size, size)), rng.normal(size=(BATCH, size))
    shifted = a[:, None] + 1j * net.STEP * np.eye(size)
    own = net.slope(activation, np.einsum("nij,nkj->nki", w, shifted) / np.sqrt(size))
    true = np.einsum("nji,njl,ik->nijkl", own, shifted, np.eye(size)).imag / net.STEP / np.sqrt(size)
    z, eye = np.einsum("nij,nj->ni", w, a) / np.sqrt(size), np.eye(size)
    stated = np.einsum("ni,nij,nl,ik->nijkl", net.bend(activation, z), w, a, eye) / size
    if corrected:
        stated += np.einsum("ni,ik,jl->nijkl", net.slope(activation, z), eye, eye) / np.sqrt(size)
    axes = (1, 2, 3, 4)
    return np.abs(stated - true).max(axis=axes) / np.abs(true).max(axis=axes)


@twin("liu.eq67", [(2, {"length": 1.0}), (5, {"length": 3.0})], replicates=2000)
def input_length(size, rng, length):
    x = rng.uniform(-length, length, size=(BATCH, size))
    return np.linalg.norm(x, axis=1) / (np.sqrt(size) * length)


@twin("liu.eq79", PLAIN, replicates=50, accuracy=1e-10)
def backward(size, rng, activation):
    weights = net.gaussian(rng, 50, size, 3)
    z, a = net.forward(weights, ones(50), activation)
    stated = net.backward(weights, z, activation)
    worst = 0.0
    for n in (1, 2, 3):
        moved = (a[n][:, None] + 1j * net.STEP * np.eye(size)).reshape(-1, size)
        above = [np.repeat(w, size, axis=0) for w in weights[n:]]
        true = net.outputs(above, moved, activation).imag.reshape(50, size) / net.STEP
        error = np.abs(stated[n - 1] - true).max(axis=1) / np.abs(true).max(axis=1)
        worst = np.maximum(worst, error)
    return worst


@twin("liu.lemmaF.4", [(4, {"activation": "gelu"}), (6, {"activation": "softplus"})], replicates=2500)
def bounded_neuron(size, rng, activation):
    weights = net.gaussian(rng, 500, size, 3)
    a = np.stack(net.forward(weights, ones(500), activation)[1][1:])
    one = a[rng.integers(3, size=500), np.arange(500), 0]
    zero = net.value(activation, np.zeros(1))[0]
    return (np.abs(one) <= np.log(size) + abs(zero)).astype(float)


@twin("liu.lemmaF.6", [(8, {"activation": "tanh"}), (12, {"activation": "gelu"})], replicates=500)
def largest_slope(size, rng, activation):
    weights = net.gaussian(rng, BATCH, size, 3)
    b = net.backward(weights, net.forward(weights, ones(BATCH), activation)[0], activation)
    return np.max([np.abs(one).max(axis=1) for one in b], axis=0) / np.sqrt(np.log(size))


@twin("liu.lemmaF.6.step", [(4, {"activation": "tanh"}), (7, {"activation": "swish"})], replicates=6000)
def draw_by_draw(size, rng, activation):
    w, z, b = rng.normal(size=(3, 1000, size))
    largest = net.suprema(activation)[0]
    left = np.abs(np.sum(w * net.slope(activation, z) * b, axis=1))
    right = largest * np.abs(np.sum(w * b, axis=1))
    return (left - right) / (largest * np.linalg.norm(b, axis=1))


@twin(
    "liu.lemmaF.6.step/corrected",
    [
        (3, {"activation": "tanh", "length": 0.5, "level": 1.0}),
        (5, {"activation": "sigmoid", "length": 1.0, "level": 0.5}),
    ],
    replicates=2000,
)
def in_law(size, rng, activation, length, level):
    weights = net.gaussian(rng, 500, size, 3)
    z, a = net.forward(weights, ones(500, length), activation)
    b, w = net.backward(weights, z, activation)[1], weights[1][:, :, 0]
    without = z[1] - w * a[1][:, :1] / np.sqrt(size)
    total = np.abs(np.sum(w * net.slope(activation, without) * b, axis=1))
    bound = level * net.suprema(activation)[0] * np.linalg.norm(b, axis=1)
    return (total <= bound).astype(float)


def back_change(before, after):
    return [one - two for one, two in zip(after[1], before[1], strict=True)]


def front_change(before, after):
    return [one - two for one, two in zip(after[0], before[0], strict=True)]


@twin(
    {
        "liu.eq82": {"change": back_change, "logarithm": True},
        "liu.eq85.order": {"change": front_change, "logarithm": False},
    },
    [(8, {"activation": "tanh", "radius": 1.0}), (12, {"activation": "sigmoid", "radius": 2.0})],
    replicates=600,
)
def along_the_gradient(size, rng, activation, radius, change, logarithm):
    weights, x = net.gaussian(rng, BATCH, size, 3), ones(BATCH)
    up = net.gradient(weights, x, activation)
    factor = radius / np.linalg.norm(net.flat(up), axis=1)
    moved = [w + factor.reshape(-1, *[1] * (g.ndim - 1)) * g for w, g in zip(weights, up, strict=True)]
    states = []
    for layers in (weights, moved):
        z = net.forward(layers, x, activation)[0]
        states.append((z, net.backward(layers, z, activation)))
    largest = np.max([np.linalg.norm(d, axis=1) for d in change(*states)], axis=0)
    return largest / np.sqrt(np.log(size)) if logarithm else largest


@twin(
    {"liu.eq85": PRINTED, "liu.eq85/corrected": MENDED},
    [(4, {"length": 1.0, "radius": 1.0}), (6, {"length": 0.5, "radius": 2.0})],
    replicates=50,
    accuracy=1e-10,  # the same number in every draw
)
def first_layer(size, rng, length, radius, corrected):
    w, x = rng.normal(size=(size, 3)), length * rng.choice([-1.0, 1.0], size=3)
    step = np.outer(rng.normal(size=size), x)
    step *= radius / np.linalg.norm(step)
    moved = np.linalg.norm((w + step) @ x - w @ x) / np.sqrt(3)
    return moved / (radius * length / (1 if corrected else np.sqrt(3)))
