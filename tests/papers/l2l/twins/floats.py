"""Twins of the statements of Section 5.3 about formulas and back-propagation in floating-point numbers."""

import mpmath
import numpy as np

from tests.papers.twinning import twin

from ._models_a import unit

BATCH = 60
"""Values per call of back-propagation."""


def formula(values, c, rate, t):
    """G' in the precision of mpmath: eigenvalues, squares of coordinates, one step size."""
    factors = [1 - rate * value for value in values]
    above = sum(a * v**2 * f ** (2 * t - 1) for a, v, f in zip(c, values, factors, strict=True))
    below = sum(a * v * f ** (2 * t) for a, v, f in zip(c, values, factors, strict=True))
    return -2 * above / below


# Rounding alone, of the order 10⁻¹⁵: the values say that both sides are zero.
@twin("l2l.eq5.1", [(2, {}), (3, {})], replicates=30, accuracy=1e-13)
def carried(size, rng):
    spectrum = np.exp(1.5 * rng.uniform(-1, 1, size=size))
    basis = np.linalg.qr(rng.normal(size=(size, size)))[0]
    h = basis @ np.diag(spectrum) @ basis.T
    h = (h + h.T) / 2
    start, t = unit(rng, size), int(rng.integers(1, 21))
    low, top = spectrum.min(), spectrum.max()
    rate = rng.uniform(0.05, 3) / top
    w, v = start, np.zeros(size)
    for _ in range(t):
        w, v = w - rate * h @ w, v - rate * h @ v - h @ w
    found = v @ h @ w / (0.5 * w @ h @ w) / t
    with mpmath.workdps(60):
        values, vectors = mpmath.eigsy(mpmath.matrix(h.tolist()))
        c = vectors.T * mpmath.matrix(start.tolist())
        exact = formula(list(values), [a**2 for a in c], mpmath.mpf(rate), t)
        error = float(abs(exact - mpmath.mpf(float(found))))
    return error * max(abs(1 - rate * low), abs(1 - rate * top)) / (2 * top)


# Rounding alone, mostly that of powers up to 2·10⁵ by logarithms.
@twin("l2l.eq5.2", [(2, {}), (4, {})], replicates=200, accuracy=1e-13)
def in_range(size, rng):
    values = np.exp(1.5 * rng.uniform(-1, 1, size=size))
    c = unit(rng, size) ** 2
    t = int(np.exp(rng.uniform(0, np.log(1e5))))
    rate = rng.uniform(0.05, 3) / values.max()
    factors = 1 - rate * values
    greatest = np.abs(factors).max()
    shares, signs = np.abs(factors) / greatest, np.sign(factors)
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    above = np.sum(c * values**2 * signs * np.exp((2 * t - 1) * logs))
    below = np.sum(c * values * np.exp(2 * t * logs))
    found = -2 * above / below / greatest
    with mpmath.workdps(60):
        exact = formula(*([mpmath.mpf(float(a)) for a in each] for each in (values, c)), mpmath.mpf(rate), t)
        error = float(abs(exact - mpmath.mpf(float(found))))
    return error * greatest / (2 * values.max())


def breaks(values, start, product, kind, most):
    """Whether back-propagation breaks at t = 1, …, most in a float type: an array (most, draws)."""
    values, w, rate = values.astype(kind), start.astype(kind), kind(product)
    path, broken = [w], []
    with np.errstate(all="ignore"):
        for _ in range(most):
            path.append(path[-1] - rate * values * path[-1])
        for t in range(1, most + 1):
            w = path[t]
            f = np.sum(w * values * w, axis=1) / kind(2)
            s = kind(1) / (kind(t) * f)
            a, g = s[:, None] * values * w, np.zeros(len(w), dtype=kind)
            for back in range(t - 1, -1, -1):
                g = g - np.sum(a * values * path[back], axis=1)
                a = a - rate * values * a
            broken.append((s == 0) | ~np.isfinite(s) | ~np.isfinite(g))
    return np.array(broken)


def least(broken):
    """The least t at which one draw breaks, by doubling and bisection."""
    high = 1
    while not broken[high - 1]:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken[middle - 1] else (middle, high)
    return high


def steps_in_range(size, rng, bits, product, most):
    """t_b and t_f of some draws."""
    kind = {"float32": np.float32, "float64": np.float64}[bits]
    ends = np.tile([0.5, 1.0], (BATCH, 1))
    values = np.concatenate([ends, rng.uniform(0.6, 0.9, size=(BATCH, size - 2))], axis=1)
    start = unit(rng, BATCH, size)
    broken = breaks(values, start, product, kind, most)
    t = np.arange(1, most + 1)
    logs = np.log(values * start**2) + 2 * t[:, None, None] * np.log(np.abs(1 - product * values))
    twice, greatest = np.logaddexp.reduce(logs, axis=2), np.log(float(np.finfo(kind).max))
    passed = (twice > greatest) | (np.log(t)[:, None] + twice - np.log(2) < -greatest)
    return np.array([least(each) for each in broken.T]), 1 + passed.argmax(axis=0)


@twin(
    "l2l.cor5.3.3.range",
    [(3, {"bits": "float32", "product": 4.0}), (5, {"bits": "float64", "product": 10.0})],
    replicates=120,
)
def overflow(size, rng, bits, product):
    found, expected = steps_in_range(size, rng, bits, product, 64 if bits == "float32" else 256)
    rho = max(abs(1 - product / 2), abs(1 - product))
    return np.abs(found - expected) / (1 + np.log(expected) / abs(2 * np.log(rho)))


@twin(
    "l2l.cor5.3.3.underflow",
    [(3, {"bits": "float32", "product": 0.9}), (2, {"bits": "float32", "product": 1.2})],
    replicates=60,
)
def underflow(size, rng, bits, product):
    found, expected = steps_in_range(size, rng, bits, product, 128)
    return np.abs(found / expected - 1)
