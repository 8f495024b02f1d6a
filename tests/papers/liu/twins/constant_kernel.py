"""Twins of statements about constant tangent kernels, linear models and flows (Proposition 2.2, appendix C)."""

import numpy as np

from tests.papers.liu.twins._models_b import sigma
from tests.papers.twinning import twin


@twin(
    "liu.prop2.2",
    [(3, {"activation": "tanh"}), (6, {"activation": "swish"})],
    replicates=50,
    accuracy=1e-12,  # rounding alone, divided by the largest kernel
)
def change(size, rng, activation):
    inputs = rng.normal(size=(2, 4))
    first = rng.normal(size=(size, 2)) / np.sqrt(2)
    second = rng.normal(size=(size, size)) / np.sqrt(size)
    features = second @ sigma(activation, first @ inputs)
    h = 1e-30

    def kernel(w):
        gradients = ((w + 1j * h * np.eye(size)) @ features).imag / h
        return gradients.T @ gradients

    one, two = (kernel(rng.normal(size=size)) for _ in range(2))
    return np.abs(two - one).max() / np.abs(one).max()


@twin(
    "liu.prop2.2.converse",
    [(2, {"activation": "tanh"}), (5, {"activation": "gelu"})],
    replicates=250,
)
def spread(size, rng, activation):
    x = rng.normal(size=2)
    w, v = rng.normal(size=(16, size, 2)), rng.normal(size=(16, size))
    z = w @ x / np.sqrt(2)
    inner = np.sum((v * sigma(activation, z, 1)) ** 2, axis=1) * (x @ x) / 2 / size
    kernels = inner + np.sum(sigma(activation, z) ** 2, axis=1) / size
    return (kernels.max() - kernels.min()) / kernels.max()


@twin(
    {"liu.prop2.2.display": {"corrected": False}, "liu.prop2.2.display/corrected": {"corrected": True}},
    [(2, {}), (5, {})],
    replicates=8000,
)
def display(size, rng, corrected):
    count = 1000
    g = np.exp(rng.normal(size=(count, 1))) * rng.normal(size=(count, size))
    squared = np.sum(g**2, axis=1)
    u = rng.normal(size=(count, size))
    u -= (np.sum(u * g, axis=1) / squared)[:, None] * g
    t = 3 * rng.normal(size=count)
    along, length = np.sum(u * g, axis=1), np.sum(u**2, axis=1)
    if corrected:
        left, right = squared * t**2, length + squared * t**2 - 2 * t * along
    else:
        left, right = squared**2 * t**2, length + t**2 + 2 * t * along
    return (left - right) / (left + np.abs(right))


@twin("liu.sec1.linear", [(3, {}), (12, {})], replicates=1500)
def doubled(size, rng):
    return linear(size, rng, False)


@twin("liu.sec1.linear/corrected", [(3, {}), (12, {})], replicates=100, accuracy=1e-14)
def difference(size, rng):
    return linear(size, rng, True)


def linear(size, rng, corrected):
    w, features = rng.normal(size=(2, 100, size))
    g = rng.normal(size=100)

    def f(w):
        return np.sum(w * features, axis=1) + g

    gap = (f(2 * w) - f(w)) - (f(w) - f(0 * w)) if corrected else f(2 * w) - 2 * f(w)
    return np.abs(gap) / (np.abs(f(2 * w)) + np.abs(f(w)) + np.abs(g))


def flow(size, rng):
    """f, its gradient, w₀, w(t), t and c of a cone."""
    c, b, a = np.exp(rng.normal()), rng.normal(), rng.normal(size=size)
    frame, _ = np.linalg.qr(rng.normal(size=(size, rng.integers(1, size + 1))))

    def f(w):
        return c * np.linalg.norm(frame.T @ (w - a)) + b

    def gradient(w):
        inner = frame.T @ (w - a)
        return c * frame @ inner / np.linalg.norm(inner)

    start, t = rng.normal(size=size), rng.exponential()
    w, h = start, t / 4
    for _ in range(4):
        k1 = gradient(w)
        k2 = gradient(w + h / 2 * k1)
        k3 = gradient(w + h / 2 * k2)
        k4 = gradient(w + h * k3)
        w = w + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return f, gradient, start, w, t, c


ROUNDING = 1e-10  # of the sampler and of the twin, divided by c and by short times


@twin("liu.eq51", [(2, {}), (5, {})], replicates=200, accuracy=ROUNDING)
def growth(size, rng):
    f, _, start, end, t, c = flow(size, rng)
    return abs((f(end) - f(start)) / (c**2 * t) - 1)


@twin("liu.eq52", [(2, {}), (5, {})], replicates=200, accuracy=ROUNDING)
def path(size, rng):
    _, gradient, start, end, t, c = flow(size, rng)
    return np.linalg.norm(end - start - t * gradient(start)) / (c * t)


@twin("liu.eq53", [(2, {}), (5, {})], replicates=200, accuracy=ROUNDING)
def cosine(size, rng):
    a, start, at, line = rng.normal(size=(4, size))
    b = rng.normal()

    def f(w):
        return w @ a + b

    low, high, target = -1.0, 1.0, f(start)
    while (f(at + low * line) - target) * (f(at + high * line) - target) > 0:
        low, high = 2 * low, 2 * high
    below = f(at + low * line) < target
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(at + middle * line) < target) == below else (low, middle)
    v = at + (low + high) / 2 * line
    g = np.array([f(start + e) - f(start - e) for e in np.eye(size)]) / 2
    return abs(g @ (v - start)) / np.linalg.norm(g) / np.linalg.norm(v - start)
