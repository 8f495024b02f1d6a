"""Twins of statements about φ(f) with one hidden layer of fixed signs (section 4), and of eq. (30)."""

import numpy as np

from tests.papers.liu.twins._models_b import SIX, second_along, sigma, size_of
from tests.papers.twinning import twin


def drawn(size, rng, count=100):
    shape = (count, size)
    return rng.normal(size=shape), rng.choice([-1.0, 1.0], size=shape)


def value(w, v, x, name="tanh"):
    return np.sum(v * sigma(name, w * x), axis=-1) / np.sqrt(w.shape[-1])


def network(w, v, x, name="tanh"):
    """f, ∇f and the diagonal of H, which is a diagonal matrix."""
    root = np.sqrt(w.shape[-1])
    return value(w, v, x, name), v * sigma(name, w * x, 1) * x / root, v * sigma(name, w * x, 2) * x**2 / root


def of_output(g, h, slope, bend):
    """Hessians of φ(f), φ'(f) and φ''(f) given."""
    outer = bend[:, None, None] * g[:, :, None] * g[:, None, :]
    return outer + slope[:, None, None] * h[:, :, None] * np.eye(g.shape[1])


def length(g):
    return np.sum(g**2, axis=-1)


@twin(
    "liu.eq27", [(3, {"x": 1.0}), (8, {"x": 0.5})], replicates=200, accuracy=1e-11
)  # rounding, larger at cos f ≈ 0
def kernel_rule(size, rng, x):
    w, v = drawn(size, rng, 1)
    step = 1e-30
    exact = length(np.sin(value(w + 1j * step * np.eye(size), v, x)).imag / step)
    f, g, _ = network(w, v, x)
    return np.abs(exact - np.cos(f) ** 2 * length(g)) / exact


OUTPUTS = ("tanh", "sin", "softplus")


@twin(
    "liu.eq28",
    [(2, {"x": 1.0}), (4, {"x": 2.0})],
    replicates=30,
    accuracy=1e-9,  # rounding of Cauchy's formula, larger where the Hessian is small
)
def hessian_rule(size, rng, x):
    w, v = drawn(size, rng, 1)
    f, g, h = network(w, v, x)
    axes = np.eye(size)
    gaps = []
    for name in OUTPUTS:
        exact = np.array(
            [
                [second_along(lambda t, n=name: sigma(n, value(w + t, v, x)), d, e)[0] for d in axes]
                for e in axes
            ]
        )
        stated = of_output(g, h, sigma(name, f, 1), sigma(name, f, 2))[0]
        gaps.append(np.abs(exact - stated).max() / np.abs(exact).max())
    return max(gaps)


# Values have a heavy tail (φ'' near zero), so that their means are known to a fifth or a third at best.
@twin("liu.eq29", [(20, {"x": 1.5}), (8, {"x": 2.0})], replicates=400)
def over_first_term(size, rng, x):
    name, output = SIX[rng.integers(6)], SIX[rng.integers(6)]
    f, g, h = network(*drawn(size, rng, 1), x, name)
    slope, bend = sigma(output, f, 1), sigma(output, f, 2)
    left = size_of(of_output(g, h, slope, bend)) + np.abs(slope) * np.abs(h).max(axis=1)
    return left / np.maximum(np.abs(bend) * length(g), 1e-12 * left)


TWO = [
    (6, {"activation": "tanh", "output": "softplus", "x": 1.0}),
    (10, {"activation": "gelu", "output": "tanh", "x": 0.7}),
]


@twin("liu.sec4.hessian", TWO, replicates=1500)
def output_hessian(size, rng, activation, output, x):
    f, g, h = network(*drawn(size, rng), x, activation)
    return size_of(of_output(g, h, sigma(output, f, 1), sigma(output, f, 2)))


@twin("liu.sec4.kernel", TWO, replicates=1500)
def output_kernel(size, rng, activation, output, x):
    f, g, _ = network(*drawn(size, rng), x, activation)
    return (sigma(output, f, 1) ** 2 + sigma(output, -f, 1) ** 2) / 2 * length(g)


CUBIC = [(6, {"x": 1.0}), (10, {"x": 2.0})]


@twin("liu.sec4.always/corrected", CUBIC, replicates=4000)
def cubic_hessian(size, rng, x):
    w, v = drawn(size, rng)
    total = 0.0
    for signs in (v, -v):
        f, g, h = network(w, signs, x)
        up = np.maximum(f, 0)
        total = total + size_of(of_output(g, h, 1 + 3 * up**2, 6 * up)) * (up > 0)
    return total / 2


@twin("liu.sec4.always", CUBIC, replicates=10_000)
def cubic_term(size, rng, x):
    f, g, _ = network(*drawn(size, rng), x)
    return (6 * np.maximum(f, 0) * length(g) > 0).astype(float)


def trained(w, v, x, label):
    """Weights when the softplus of each network is within 10⁻⁴ of the label."""
    for _ in range(500):
        f, g, _ = network(w, v, x)
        gap, slope = sigma("softplus", f) - label, sigma("softplus", f, 1)
        going = np.abs(gap) >= 1e-4
        if not going.any():
            break
        step = np.where(going, gap * slope / (2 * slope**2 * length(g)), 0)
        w = w - step[:, None] * g
    assert not going.any()
    return w


# The sampler trains a batch until its slowest network is there, which moves a value by the order of 10⁻⁴.
FITS = [(40, {"x": 1.0, "label": 2.0}), (60, {"x": 1.5, "label": 1.5})]


@twin("liu.sec4.change", FITS, replicates=600, accuracy=3e-4)
def output_kernel_change(size, rng, x, label):
    w, v = drawn(size, rng)
    total = 0.0
    for signs in (v, -v):
        kernels = []
        for at in (w, trained(w, signs, x, label)):
            f, g, _ = network(at, signs, x)
            kernels.append(sigma("softplus", f, 1) ** 2 * length(g))
        total = total + np.abs(kernels[1] - kernels[0])
    return total / 2


@twin("liu.sec4.vanishing", FITS, replicates=1500, accuracy=3e-4)
def kernel_change(size, rng, x, label):
    w, v = drawn(size, rng)
    return np.abs(length(network(trained(w, v, x, label), v, x)[1]) - length(network(w, v, x)[1]))


@twin(
    "liu.eq30",
    [(20, {"alpha": 1.0}), (40, {"alpha": 0.5})],
    replicates=600,
    accuracy=1e-6,  # the sampler's differences with a step of 10⁻⁴
)
def tensor(size, rng, alpha):
    w = rng.normal(size=(200, size))
    return np.mean(w**2 * np.abs(sigma("tanh", w * alpha, 2)), axis=1)
