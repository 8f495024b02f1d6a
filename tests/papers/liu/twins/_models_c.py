"""Activations with two derivatives, and dense networks with gradients and Hessians; used by several modules."""

import numpy as np
from scipy.special import erf

STEP = 1e-20
"""Step of derivatives through complex numbers, which have no error of differences."""


def logistic(u):
    return 1 / (1 + np.exp(-u))


def density(u):
    return np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)


def distribution(u):
    return (1 + erf(u / np.sqrt(2))) / 2


def value(name, u):
    return {
        "tanh": np.tanh,
        "sigmoid": logistic,
        "softplus": lambda u: np.log1p(np.exp(u)),
        "gelu": lambda u: u * distribution(u),
        "swish": lambda u: u * logistic(u),
        "sin": np.sin,
    }[name](u)


def slope(name, u):
    s = logistic(u)
    return {
        "tanh": lambda: 1 - np.tanh(u) ** 2,
        "sigmoid": lambda: s * (1 - s),
        "softplus": lambda: s,
        "gelu": lambda: distribution(u) + u * density(u),
        "swish": lambda: s + u * s * (1 - s),
        "sin": lambda: np.cos(u),
    }[name]()


def curvature(name, u):
    s = logistic(u)
    return {
        "tanh": lambda: -2 * np.tanh(u) * (1 - np.tanh(u) ** 2),
        "sigmoid": lambda: s * (1 - s) * (1 - 2 * s),
        "softplus": lambda: s * (1 - s),
        "gelu": lambda: density(u) * (2 - u**2),
        "swish": lambda: s * (1 - s) * (2 + u * (1 - 2 * s)),
        "sin": lambda: -np.sin(u),
    }[name]()


LARGEST_CURVATURE = {
    "tanh": 4 / (3 * np.sqrt(3)),
    "sigmoid": np.sqrt(3) / 18,
    "softplus": 0.25,
    "gelu": np.sqrt(2 / np.pi),
    "swish": 0.5,
    "sin": 1.0,
}


class Dense:
    """Network f = v·a_L/√m_L without biases; its methods take weights as rows (..., number of weights)."""

    def __init__(self, widths, activation, x=(1.0, 1.0, 1.0), skip=False, scale=1.0):
        self.sides = [len(x), *widths]
        self.activation, self.x, self.skip = activation, np.array(x), skip
        self.factors = [1 / (scale * np.sqrt(side)) for side in self.sides]
        """Factors of the layers and of the output."""
        self.shapes = [(rows, columns) for rows, columns in zip(widths, self.sides, strict=False)]
        self.count = sum(rows * columns for rows, columns in self.shapes) + widths[-1]

    def split(self, theta):
        """Matrices of the layers, and v."""
        parts, start = [], 0
        for rows, columns in self.shapes:
            part = theta[..., start : start + rows * columns]
            parts.append(part.reshape(*theta.shape[:-1], rows, columns))
            start += rows * columns
        return parts, theta[..., start:]

    def layers(self, theta):
        """Lists of a_0, …, a_L, of z_1, …, z_L and of b_1, …, b_L, b_l = ∂f/∂a_l."""
        matrices, v = self.split(theta)
        a, z = [np.broadcast_to(self.x, (*theta.shape[:-1], len(self.x)))], []
        for number, matrix in enumerate(matrices):
            z.append(self.factors[number] * (matrix @ a[-1][..., None])[..., 0])
            a.append(value(self.activation, z[-1]) + (a[-1] if self.skip and number else 0))
        b = [self.factors[-1] * v]
        for number in range(len(matrices) - 1, 0, -1):
            turned = np.swapaxes(matrices[number], -1, -2)
            back = slope(self.activation, z[number]) * b[0]
            b.insert(
                0, self.factors[number] * (turned @ back[..., None])[..., 0] + (b[0] if self.skip else 0)
            )
        return a, z, b

    def output(self, theta):
        return self.factors[-1] * np.sum(self.split(theta)[1] * self.layers(theta)[0][-1], axis=-1)

    def gradient(self, theta):
        a, z, b = self.layers(theta)
        parts = []
        for number in range(len(z)):
            back = self.factors[number] * slope(self.activation, z[number]) * b[number]
            outer = back[..., :, None] * a[number][..., None, :]
            parts.append(outer.reshape(*theta.shape[:-1], -1))
        return np.concatenate([*parts, self.factors[-1] * a[-1]], axis=-1)

    def hessian(self, theta):
        return jacobian(self.gradient, theta)

    def draw(self, rng, networks, radius=0.0):
        """Independent N(0, 1) weights, moved by `radius` in a uniform direction."""
        theta = rng.normal(size=(networks, self.count))
        if radius:
            step = rng.normal(size=theta.shape)
            theta += radius * step / np.linalg.norm(step, axis=1, keepdims=True)
        return theta


def jacobian(gradient, theta):
    """Derivatives of the gradients at rows of weights, by complex steps."""
    moved = theta[..., None, :] + 1j * STEP * np.eye(theta.shape[-1])
    return gradient(moved).imag / STEP


def largest(hessians):
    """Largest |eigenvalue| of symmetric matrices."""
    symmetric = (hessians + np.swapaxes(hessians, -1, -2)) / 2
    return np.abs(np.linalg.eigvalsh(symmetric)).max(axis=-1)
