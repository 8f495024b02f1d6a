"""Twins of statements about the bottleneck network (31): derivatives, Hessian, bounds and zeros of the Hessian."""

import numpy as np
from scipy.special import ndtr

from tests.papers.liu.twins._models_b import size_of
from tests.papers.twinning import twin


def drawn(size, rng, count):
    """w¹, w², w³, w⁴ of many networks."""
    return rng.normal(size=(4, count, size))


def value(w1, w2, w3, w4, x):
    """f from its definition, for weights with any leading axes."""
    root = np.sqrt(w1.shape[-1])
    b = np.sum(w2 * (w1 * x) ** 2 / 2, axis=-1) / root
    return np.sum(w4 * (w3 * b[..., None]) ** 2 / 2, axis=-1) / root


def parts(w, x):
    """b and S in f = b²S/2, with their gradients in (w¹, w²) and in (w³, w⁴)."""
    w1, w2, w3, w4 = w
    root = np.sqrt(w1.shape[-1])
    b, s = np.sum(w2 * (w1 * x) ** 2 / 2, axis=1) / root, np.sum(w4 * w3**2, axis=1) / root
    of_b = np.concatenate([w2 * w1 * x**2, (w1 * x) ** 2 / 2], axis=1) / root
    of_s = np.concatenate([2 * w4 * w3, w3**2], axis=1) / root
    return b, s, of_b, of_s


def diagonals(first, second):
    """Stack of matrices [[diag(first), diag(second)], [diag(second), 0]]."""
    m = first.shape[1]
    found = np.zeros((len(first), 2 * m, 2 * m))
    i = np.arange(m)
    found[:, i, i] = first
    found[:, i, m + i] = found[:, m + i, i] = second
    return found


def hessians(w, x):
    """Hessians in all 4m parameters: the product rule on b²S/2."""
    w1, w2, w3, w4 = w
    m = w1.shape[1]
    root = np.sqrt(m)
    b, s, of_b, of_s = parts(w, x)
    b, s = b[:, None, None], s[:, None, None]
    found = np.empty((len(b), 4 * m, 4 * m))
    bend_b = diagonals(w2 * x**2, w1 * x**2) / root
    found[:, : 2 * m, : 2 * m] = s * (of_b[:, :, None] * of_b[:, None, :] + b * bend_b)
    found[:, 2 * m :, 2 * m :] = b**2 / 2 * diagonals(2 * w4, 2 * w3) / root
    found[:, : 2 * m, 2 * m :] = b * of_b[:, :, None] * of_s[:, None, :]
    found[:, 2 * m :, : 2 * m] = np.swapaxes(found[:, : 2 * m, 2 * m :], 1, 2)
    return found


def block(w, x):
    """Second derivatives of one network in w², by differences of f, which is of the second degree in w²."""
    m = w.shape[-1]
    w1, w2, w3, w4 = w[:, 0]
    e = np.eye(m)
    one, two = e[:, None, :], e[None, :, :]
    sides = [value(w1, w2 + a * one + b * two, w3, w4, x) * a * b for a in (1, -1) for b in (1, -1)]
    return sum(sides) / 4


SMALL = [(2, {"x": 1.0}), (7, {"x": 0.5})]
ROUNDING = 1e-9  # of both sides, larger where cancellation makes the derivatives small


@twin("liu.eq107", SMALL, replicates=60, accuracy=ROUNDING)
def first_derivatives(size, rng, x):
    w = drawn(size, rng, 1)
    w1, w2, w3, w4 = w[:, 0]
    h = 1e-30
    true = value(w1, w2 + 1j * h * np.eye(size), w3, w4, x).imag / h
    b = w2 @ (w1 * x) ** 2 / 2 / np.sqrt(size)
    stated = np.sum(w4 * (w3 * b) * w3) / size * (w1 * x) ** 2 / 2
    return np.abs(stated - true).max() / np.abs(true).max()


def stated_sum(w, size):
    return np.sum(w[3, 0] * w[2, 0] ** 2) / size**1.5


@twin("liu.eq108", SMALL, replicates=60, accuracy=ROUNDING)
def second_derivatives(size, rng, x):
    w = drawn(size, rng, 1)
    a, true = (w[0, 0] * x) ** 2 / 2, block(w, x)
    return np.abs(stated_sum(w, size) * np.outer(a, a) - true).max() / np.abs(true).max()


@twin("liu.eq109", SMALL, replicates=60, accuracy=ROUNDING)
def block_norm(size, rng, x):
    w = drawn(size, rng, 1)
    a, true = (w[0, 0] * x) ** 2 / 2, size_of(block(w, x))
    return abs(true - abs(stated_sum(w, size)) * a @ a) / true


def kolmogorov(values, law):
    at = law(np.sort(values))
    count = len(values)
    return max((np.arange(1, count + 1) / count - at).max(), (at - np.arange(count) / count).max())


@twin("liu.eq109.law", [(4, {}), (8, {})], replicates=300)
def block_law(size, rng):
    w1, _, w3, w4 = drawn(size, rng, 8 * size)
    norms = np.abs(np.sum(w4 * w3**2, axis=1)) * np.sum((w1**2 / 2) ** 2, axis=1) / size**1.5
    return kolmogorov(norms, lambda t: 2 * ndtr(t / (3 * np.sqrt(3) / 4)) - 1)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def whole_law(t):
    """Integral over 0 ≤ g ≤ r/2, twice, with g = r(1 - y²)/2, which takes the root away."""
    r = 8 * np.asarray(t)[:, None] / (7 * np.sqrt(3))
    y, c = (NODES + 1) / 2, WEIGHTS / 2
    g = r * (1 - y**2) / 2
    inner = (
        np.exp(-(g**2) / 2)
        / np.sqrt(2 * np.pi)
        * (2 * ndtr(np.sqrt(np.maximum(r**2 - 2 * r * g, 0)) / 2) - 1)
    )
    return 2 * np.sum(c * inner * r * y, axis=1)


@twin("liu.thm4.1.law", [(4, {}), (6, {})], replicates=200)
def hessian_law(size, rng):
    return kolmogorov(size_of(hessians(drawn(size, rng, 4 * size), 1.0)), whole_law)


@twin("liu.thm4.1.start", [(4, {"x": 1.0}), (8, {"x": 0.5})], replicates=600)
def start(size, rng, x):
    return np.mean(size_of(hessians(drawn(size, rng, 16), x)))


@twin("liu.table1.bottleneck-kernel-mean", [(16, {"x": 1.0}), (32, {"x": 0.5})], replicates=100_000)
def kernel(size, rng, x):
    b, s, of_b, of_s = parts(drawn(size, rng, 1000), x)
    return (b * s) ** 2 * np.sum(of_b**2, axis=1) + b**4 / 4 * np.sum(of_s**2, axis=1)


@twin({"liu.eq32": {}, "liu.eq32/corrected": {}}, [(1, {}), (2, {})], replicates=200)
def small_inputs(size, rng):
    return size_of(hessians(drawn(64, rng, 1), 1 / size)) ** -0.5


@twin("liu.eq33/corrected", [(4, {"x": 1.0, "delta": 0.4}), (6, {"x": 0.5, "delta": 0.3})], replicates=4000)
def above_linear(size, rng, x, delta):
    norms = size_of(hessians(drawn(size, rng, 100), x))
    return (norms >= 3 * np.sqrt(3) / 4 * np.sqrt(np.pi / 2) * delta * x**4).astype(float)


@twin(
    "liu.eq33",
    [
        (4, {"x": 0.3, "delta": 0.4, "constant": 10.0}),
        (6, {"x": 0.5, "delta": 0.45, "constant": 20.0}),
    ],
    replicates=4000,
)
def above_cubic(size, rng, x, delta, constant):
    norms = size_of(hessians(drawn(size, rng, 100), x))
    return (norms >= np.sqrt(3) / 8 * constant * delta**3 * x**2).astype(float)


def zeros(w):
    """Last weights and distances from the first ones of the steps to b = S = 0, each network by itself."""
    first = w
    for _ in range(30):
        b, s, of_b, of_s = parts(w, 1.0)
        going = (np.abs(b) >= 1e-12) | (np.abs(s) >= 1e-12)
        if not going.any():
            break
        moves = []
        for one, gradient in ((b, of_b), (s, of_s)):
            step = np.where(going, one / np.sum(gradient**2, axis=1), 0)[:, None] * gradient
            moves += np.split(step, 2, axis=1)
        w = w - np.stack(moves)
    return w, np.sqrt(np.sum((w - first) ** 2, axis=(0, 2)))


@twin("liu.thm4.1", [(8, {"radius": 1.0}), (16, {"radius": 0.6})], replicates=2500)
def no_zero(size, rng, radius):
    last, distance = zeros(drawn(size, rng, 50))
    return 1.0 - ((distance <= radius) & (size_of(hessians(last, 1.0)) < 1e-9))


@twin("liu.thm4.1/corrected", [(8, {"radius": 1.0}), (16, {"radius": 0.6})], replicates=200)
def no_zero_near(size, rng, radius):
    return np.mean(zeros(drawn(size, rng, 16))[1] > radius)
