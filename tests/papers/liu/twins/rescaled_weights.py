"""Twins of appendix A: weights of another deviation, and of Section 3.1."""

from functools import cache

import numpy as np
from scipy.special import erf

from tests.papers.liu.twins._models_c import Dense, curvature, largest, slope, value
from tests.papers.twinning import twin

TWO = [
    (2, {"activation": "tanh", "deviation": 0.1}),
    (5, {"activation": "gelu", "deviation": 2.5}),
]
# Both sides of the identities are rounding alone.
ROUNDING = 1e-14


@twin({"liu.eq36": {"of": "gradient"}, "liu.eq37": {"of": "hessian"}}, TWO, replicates=40, accuracy=ROUNDING)
def derivatives(size, rng, activation, deviation, of):
    plain, barred = Dense([size] * 2, activation), Dense([size] * 2, activation, scale=deviation)
    theta = plain.draw(rng, 20)
    power, axes = (1, (1,)) if of == "gradient" else (2, (1, 2))
    stated = getattr(plain, of)(theta) / deviation**power
    true = getattr(barred, of)(deviation * theta)
    return np.abs(stated - true).max(axis=axes) / np.abs(true).max(axis=axes)


@twin({"liu.eq38": {"power": 1}, "liu.eq38/corrected": {"power": 2}}, TWO, replicates=40, accuracy=ROUNDING)
def kernels(size, rng, activation, deviation, power):
    plain, barred = Dense([size] * 2, activation), Dense([size] * 2, activation, scale=deviation)
    theta = plain.draw(rng, 20)
    k = np.sum(plain.gradient(theta) ** 2, axis=1)
    true = np.sum(barred.gradient(deviation * theta) ** 2, axis=1)
    return np.abs(k / deviation**power - true) / true


@twin("liu.eq38.ratio", TWO, replicates=40, accuracy=ROUNDING)
def ratio(size, rng, activation, deviation):
    found = []
    theta = rng.normal(size=(20, size**2 + 4 * size))
    for scale in (1.0, deviation):
        network = Dense([size] * 2, activation, scale=scale)
        k = np.sum(network.gradient(scale * theta) ** 2, axis=1)
        found.append(k / largest(network.hessian(scale * theta)))
    return np.abs(found[1] / found[0] - 1)


@twin("liu.eq40.kernel", [(4, {"activation": "tanh"}), (8, {"activation": "softplus"})], replicates=2500)
def kernel(size, rng, activation):
    network = Dense([size] * 2, activation)
    network.factors = [np.sqrt(size / 3), 1.0, 1.0]
    theta = network.draw(rng, 1000) / np.sqrt(size)
    return np.sum(network.gradient(theta) ** 2, axis=1)


@twin(
    "liu.eq41",
    [
        (20, {"activation": "tanh", "x": 1.0, "label": 1.0}),
        (30, {"activation": "softplus", "x": 2.0, "label": 0.5}),
    ],
    replicates=2000,
)
def way_to_the_label(size, rng, activation, x, label):
    start, v = rng.normal(size=(500, size)), rng.choice([-1.0, 1.0], size=(500, size))
    w = start.copy()
    first, open_ = None, np.ones(500, dtype=bool)
    for _ in range(1000):
        f = np.sum(v * value(activation, w * x), axis=1) / np.sqrt(size)
        first = f if first is None else first
        open_ = np.abs(f - label) >= 1e-11
        if not open_.any():
            break
        g = v * slope(activation, w * x) * x / np.sqrt(size)
        w -= (open_ * (f - label) / 2 / np.sum(g**2, axis=1))[:, None] * g
    assert not open_.any()
    return np.linalg.norm(w - start, axis=1) / np.sqrt(size) / np.abs(first - f)


@twin(
    {"liu.eq39": {"corrected": False}, "liu.eq39/corrected": {"corrected": True}},
    [(16, {"activation": "tanh", "x": 1.0}), (32, {"activation": "gelu", "x": 2.0})],
    replicates=2000,
)
def no_factors(size, rng, activation, x, corrected):
    v, w = rng.normal(size=(2, 500, size)) / np.sqrt(size)
    if corrected:
        w *= np.sqrt(size)
    one, two = slope(activation, w * x) * x, v * curvature(activation, w * x) * x**2
    blocks = np.stack([np.stack([two, one], axis=-1), np.stack([one, 0 * one], axis=-1)], axis=-1)
    k = np.sum((v * one) ** 2 + value(activation, w * x) ** 2, axis=1)
    return largest(blocks).max(axis=1) / (k * np.sqrt(np.log(size)))


@cache
def median(size, activation, x):
    """Threshold s with F(s)^m = ½, the integral over w by the trapezoidal rule."""
    w = np.linspace(-9, 9, 400001)
    weights = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (w[1] - w[0])
    b, c = slope(activation, w * x) * x, x**2 * np.abs(curvature(activation, w * x))
    low, high = 1e-3, 100.0
    for _ in range(50):
        s = (low + high) / 2
        inside = erf((s - b**2 / s) / (np.sqrt(2) * np.maximum(c, 1e-300)))
        if np.sum(weights * np.where(np.abs(b) <= s, inside, 0)) ** size < 0.5:
            low = s
        else:
            high = s
    return s


@twin(
    "liu.eq9.trained",
    [(4, {"activation": "tanh", "x": 1.0}), (8, {"activation": "gelu", "x": 2.0})],
    replicates=6000,
)
def below_the_median(size, rng, activation, x):
    v, w = rng.normal(size=(2, 2000, size))
    one, two = slope(activation, w * x) * x, v * curvature(activation, w * x) * x**2
    blocks = np.stack([np.stack([two, one], axis=-1), np.stack([one, 0 * one], axis=-1)], axis=-1)
    return largest(blocks).max(axis=1) <= median(size, activation, x)


@twin(
    {"liu.sec3.1.order": {"power": 1}, "liu.sec3.1.order/corrected": {"power": 2}},
    [(2, {"activation": "tanh"}), (5, {"activation": "gelu"})],
    replicates=400,
)
def order(size, rng, activation, power):
    w, v = rng.normal(size=(100, 200)), rng.choice([-1.0, 1.0], size=(100, 200))
    inner = size / np.sqrt(200) * v
    k = np.sum((inner * slope(activation, w)) ** 2, axis=1)
    return k / np.linalg.norm(inner, axis=1) ** power
