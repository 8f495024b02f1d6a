"""Fully connected networks of the recipes, many independent ones at once (the first axis), and their derivatives."""

import itertools
import math

import numpy as np

ERF = np.vectorize(math.erf, otypes=[float])
STEP = 1e-30
"""Imaginary step: derivatives are Im f(u + ih)/h, which is exact up to rounding."""


def logistic(u):
    return 1 / (1 + np.exp(-u))


def value(name, u):
    if name == "gelu":
        return u * (1 + ERF(u / np.sqrt(2))) / 2
    if name == "swish":
        return u * logistic(u)
    if name == "softplus":
        return np.log(1 + np.exp(u))
    return {"tanh": np.tanh, "sigmoid": logistic, "sin": np.sin}[name](u)


def slope(name, u):
    if name == "tanh":
        return 1 / np.cosh(u) ** 2
    if name == "sin":
        return np.cos(u)
    if name == "gelu":
        return (1 + ERF(u / np.sqrt(2))) / 2 + u * np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    s = logistic(u)
    return {"sigmoid": s * (1 - s), "softplus": s, "swish": s + u * s * (1 - s)}[name]


def bend(name, u):
    """Second derivative."""
    if name == "tanh":
        return -2 * np.tanh(u) / np.cosh(u) ** 2
    if name == "sin":
        return -np.sin(u)
    if name == "gelu":
        return (2 - u**2) * np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    s = logistic(u)
    one = s * (1 - s)
    return {"sigmoid": one * (1 - 2 * s), "softplus": one, "swish": 2 * one + u * one * (1 - 2 * s)}[name]


def suprema(name):
    """L_σ and β_σ on a fine grid (σ' and σ'' are even or odd, or tend to a limit on one side)."""
    u = np.linspace(-25, 25, 50001)
    return np.abs(slope(name, u)).max(), np.abs(bend(name, u)).max()


def gaussian(rng, count, m, depth, inputs=3):
    shapes = [(count, m, inputs)] + [(count, m, m)] * (depth - 1) + [(count, m)]
    return [rng.normal(size=shape) for shape in shapes]


def forward(weights, x, name):
    """α̃_1, …, α̃_L and α_0, …, α_L."""
    z, a = [], [x]
    for w in weights[:-1]:
        z.append((w @ a[-1][..., None])[..., 0] / np.sqrt(w.shape[-1]))
        a.append(value(name, z[-1]))
    return z, a


def outputs(weights, x, name):
    last = forward(weights, x, name)[1][-1]
    return np.sum(weights[-1] * last, axis=-1) / np.sqrt(last.shape[-1])


def backward(weights, z, name):
    """b_1, …, b_L."""
    b = [weights[-1] / np.sqrt(weights[-1].shape[-1])]
    for w, pre in zip(weights[-2:0:-1], z[:0:-1], strict=True):
        b.insert(0, np.sum(w * (slope(name, pre) * b[0])[..., None], axis=-2) / np.sqrt(w.shape[-1]))
    return b


def gradient(weights, x, name):
    """∇f in all weights, in the shapes of the weights."""
    z, a = forward(weights, x, name)
    b = backward(weights, z, name)
    inner = [
        (slope(name, pre) * up)[..., None] * low[..., None, :] / np.sqrt(low.shape[-1])
        for pre, up, low in zip(z, b, a[:-1], strict=True)
    ]
    return [*inner, a[-1] / np.sqrt(a[-1].shape[-1])]


def flat(weights):
    return np.concatenate([w.reshape(len(w), -1) for w in weights], axis=1)


def moved(weights, x):
    """The weights with each parameter in turn moved by an imaginary step (count times parameters networks)."""
    theta = flat(weights)
    count, total = theta.shape
    theta = (theta[:, None] + 1j * STEP * np.eye(total)).reshape(count * total, total)
    parts = np.split(theta, np.cumsum([w[0].size for w in weights])[:-1], axis=1)
    parts = [part.reshape(-1, *w.shape[1:]) for part, w in zip(parts, weights, strict=True)]
    return parts, np.repeat(x, total, axis=0), (count, total)


def exact_gradient(weights, x, name):
    """∇f from f alone, flat."""
    parts, inputs, shape = moved(weights, x)
    return outputs(parts, inputs, name).imag.reshape(shape) / STEP


def hessian(weights, x, name):
    """Hessian of f in all weights."""
    parts, inputs, (count, total) = moved(weights, x)
    return flat(gradient(parts, inputs, name)).imag.reshape(count, total, total) / STEP


def ranges(weights):
    """Slices of the layers in the flat vector."""
    ends = np.cumsum([0, *[w[0].size for w in weights]])
    return [slice(*pair) for pair in itertools.pairwise(ends)]


def spectral(matrices):
    return np.linalg.norm(matrices, 2, axis=(-2, -1))


def size_of(weights):
    """Spectral norm of a layer, the length for the output weights."""
    return spectral(weights) if weights.ndim == 3 else np.linalg.norm(weights, axis=-1)


class Ball:
    """Networks at W₀ and W with what the bounds are made of."""

    def __init__(self, count, size, rng, name, length, radius, uneven=False):
        self.m, self.name, self.radius, self.length = size, name, radius, length
        before = gaussian(rng, count, size, 3)
        step = gaussian(rng, count, size, 3)
        if uneven:
            powers = [np.exp(3 * rng.normal(size=count)) for _ in step]
            step = [e.reshape(-1, *[1] * (t.ndim - 1)) * t for e, t in zip(powers, step, strict=True)]
        total = np.sqrt(sum(np.sum(t.reshape(count, -1) ** 2, axis=1) for t in step))
        after = [
            w + radius * t / total.reshape(-1, *[1] * (t.ndim - 1)) for w, t in zip(before, step, strict=True)
        ]
        x = length * rng.choice([-1.0, 1.0], size=(count, 3))
        self.weights, self.weights0 = after, before
        self.z, self.a = forward(after, x, name)
        self.z0, self.a0 = forward(before, x, name)
        self.b, self.b0 = backward(after, self.z, name), backward(before, self.z0, name)
        self.c0 = np.max([size_of(w) for w in before], axis=0) / np.sqrt(size)
        self.c = self.c0 + radius / np.sqrt(size)
        self.slope, self.bend = suprema(name)

    def activations(self, n, root=True):
        """B_n."""
        zero = abs(float(value(self.name, np.zeros(1))[0])) * (np.sqrt(self.m) if root else 1)
        rate = self.slope * self.c
        return rate**n * np.sqrt(self.m) * self.length + zero * sum(rate**i for i in range(n))
