"""Twins of statements about residual networks of three layers at x = (1, 1, 1) (appendix G.2)."""

import numpy as np

from tests.papers.liu.twins._models_b import LIPSCHITZ, layer_norms, norm, sigma
from tests.papers.twinning import twin

ONES = np.ones(3)


def drawn(m, rng):
    return [rng.normal(size=shape) for shape in ((m, 3), (m, m), (m, m), (m,))]


def moved(m, rng):
    weights = drawn(m, rng)
    step = drawn(m, rng)
    length = np.sqrt(sum((s**2).sum() for s in step))
    return [w + s / length for w, s in zip(weights, step, strict=True)]


def layers(weights, activation):
    """α_1, α_2, α_3 and their arguments."""
    m = len(weights[0])
    before, after = [weights[0] @ ONES / np.sqrt(3)], []
    after.append(sigma(activation, before[0]))
    for w in weights[1:3]:
        before.append(w @ after[-1] / np.sqrt(m))
        after.append(sigma(activation, before[-1]) + after[-1])
    return before, after


def output(weights, activation, start, alpha):
    """f as a function of α_start (columns of alpha)."""
    m = len(weights[0])
    for w in weights[start:3]:
        alpha = sigma(activation, w @ alpha / np.sqrt(m)) + alpha
    return weights[3] @ alpha / np.sqrt(m)


def back(weights, activation):
    """b_1, b_2, b_3 by complex steps in the entries of α_l."""
    _, after = layers(weights, activation)
    h = 1e-30
    return [
        output(weights, activation, k + 1, alpha[:, None] + 1j * h * np.eye(len(alpha))).imag / h
        for k, alpha in enumerate(after)
    ]


TWO = [(5, {"activation": "tanh"}), (8, {"activation": "swish"})]


@twin("liu.lemmaG.5", [(5, {"activation": "tanh"}), (8, {"activation": "softplus"})], replicates=600)
def longest(size, rng, activation):
    _, after = layers(moved(size, rng), activation)
    return max(np.linalg.norm(alpha) for alpha in after)


@twin("liu.lemmaG.4", TWO, replicates=300)
def largest(size, rng, activation):
    weights = moved(size, rng)
    return max(*(norm(w) for w in weights[:3]), np.linalg.norm(weights[3]))


@twin("liu.sec-g2.slope", TWO, replicates=300)
def slope(size, rng, activation):
    weights = drawn(size, rng)
    before, _ = layers(weights, activation)
    values = []
    for w, z in zip(weights[1:3], before[1:], strict=True):
        derivative = sigma(activation, z, 1)[:, None] * w / np.sqrt(size) + np.eye(size)
        values.append(norm(derivative) / (LIPSCHITZ[activation] * norm(w) / np.sqrt(size) + 1))
    return max(values)


@twin("liu.eq104", TWO, replicates=50, accuracy=1e-13)
def recursion(size, rng, activation):
    weights = drawn(size, rng)
    before, _ = layers(weights, activation)
    b = back(weights, activation)
    values = []
    for k in (0, 1):
        w, z = weights[k + 1], before[k + 1]
        stated = w.T @ (sigma(activation, z, 1) * b[k + 1]) / np.sqrt(size) + b[k + 1]
        values.append(np.abs(stated - b[k]).max() / np.abs(b[k]).max())
    return max(values)


@twin("liu.sec-g2.infinity", TWO, replicates=500)
def largest_entry(size, rng, activation):
    b = back(drawn(size, rng), activation)
    return max(np.abs(each).max() for each in b) / np.sqrt(np.log(size))


@twin(
    "liu.eq102",
    [(5, {"activation": "tanh"}), (8, {"activation": "gelu"})],
    replicates=300,
    accuracy=1e-3,  # the sampler's norms have this relative error; the values are about 1
)
def tensors(size, rng, activation):
    weights = moved(size, rng)
    _, after = layers(weights, activation)
    found = []
    for k, (w, r) in enumerate(zip(weights[:3], [ONES, *after], strict=False)):
        _, own, read, mixed = layer_norms(w, r, (3 if k == 0 else size) ** -0.5, activation)
        found += [own] if k == 0 else [own, read, mixed]
    return max(found)
