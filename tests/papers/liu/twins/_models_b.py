"""Activations and the second-order expansion of a network, in plain NumPy."""

import numpy as np
from scipy.special import ndtr

SIX = ("tanh", "sigmoid", "softplus", "gelu", "swish", "sin")
LIPSCHITZ = {
    "tanh": 1.0,
    "sigmoid": 0.25,
    "softplus": 1.0,
    "gelu": 1.1289041451851547,
    "swish": 1.099839320128867,
    "sin": 1.0,
}
CURVATURE = {
    "tanh": 4 / 3**1.5,
    "sigmoid": 1 / (6 * np.sqrt(3)),
    "softplus": 0.25,
    "gelu": 2 / np.sqrt(2 * np.pi),
    "swish": 0.5,
    "sin": 1.0,
}


def sigma(name, u, order=0):
    """The function of this name (order 0) or a derivative of it; order 0 of all but gelu takes complex numbers."""
    if name == "identity":
        return (u, np.ones_like(u), np.zeros_like(u))[order]
    if name == "square":  # u²/2
        return (u**2 / 2, u, np.ones_like(u))[order]
    if name == "sin":
        return (np.sin, np.cos, lambda s: -np.sin(s))[order](u)
    if name == "tanh":
        t = np.tanh(u)
        return t if order == 0 else (1 - t**2 if order == 1 else -2 * t * (1 - t**2))
    if name == "gelu":
        bell = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
        if order == 2:
            return bell * (2 - u**2)
        return u * ndtr(u) if order == 0 else ndtr(u) + u * bell
    s = 1 / (1 + np.exp(-u))
    d, dd = s * (1 - s), s * (1 - s) * (1 - 2 * s)
    if name == "sigmoid":
        return (s, d, dd)[order]
    if name == "softplus":
        return (np.log(1 + np.exp(u)), s, d)[order]
    return (u * s, s + u * d, 2 * d + u * dd)[order]  # swish


def norm(matrices):
    """Spectral norms of a stack of matrices."""
    return np.linalg.norm(matrices, 2, axis=(-2, -1))


def size_of(symmetric):
    """Spectral norms of a stack of symmetric matrices."""
    return np.abs(np.linalg.eigvalsh(symmetric)).max(axis=-1)


def expand(ws, v, x, names, scales, out, *, skips=None, head=True):
    """Value, gradient and Hessian in all entries of the matrices ``ws`` (row by row) and, with ``head``, of ``v``.

    a_l = σ_l(s_l W_l a_(l-1)), plus a_(l-1) where there is a skip connection, and f = out·v·a_L; each neuron is
    carried with its first and second derivatives. All arrays may have the same leading axes, of many networks.
    """
    skips = skips or [False] * len(ws)
    many = v.shape[:-1]
    count = sum(w.shape[-2] * w.shape[-1] for w in ws) + (v.shape[-1] if head else 0)
    a = np.broadcast_to(x, (*many, x.shape[-1]))
    first = np.zeros((*a.shape, count))
    second = np.zeros((*a.shape, count * count))  # of each neuron, flattened
    at = 0
    for w, name, s, skip in zip(ws, names, scales, skips, strict=True):
        rows, columns = w.shape[-2:]
        z, dz = s * (w @ a[..., None])[..., 0], s * w @ first
        ddz = (s * w @ second).reshape(*many, rows, count, count)
        for i in range(rows):
            own = slice(at + i * columns, at + (i + 1) * columns)
            dz[..., i, own] += s * a
            ddz[..., i, own, :] += s * first
            ddz[..., i, :, own] += s * np.swapaxes(first, -1, -2)
        at += rows * columns
        slope, bend = sigma(name, z, 1)[..., None], sigma(name, z, 2)[..., None, None]
        above = slope[..., None] * ddz + bend * dz[..., :, None] * dz[..., None, :]
        above = above.reshape(*many, rows, count * count)
        if skip:
            a, first, second = sigma(name, z) + a, slope * dz + first, above + second
        else:
            a, first, second = sigma(name, z), slope * dz, above
    read = out * v[..., None, :]
    gradient, hessian = (read @ first)[..., 0, :], (read @ second).reshape(*many, count, count)
    if head:
        gradient[..., at:] += out * a
        hessian[..., at:, :] += out * first
        hessian[..., :, at:] += out * np.swapaxes(first, -1, -2)
    return np.sum(read[..., 0, :] * a, axis=-1), gradient, hessian


def forward(ws, x, names, scales):
    """What each layer reads, and its pre-activations."""
    read, before = [x], []
    for w, name, s in zip(ws, names, scales, strict=True):
        before.append(s * w @ read[-1])
        read.append(sigma(name, before[-1]))
    return read, before


def backward(ws, v, before, names, scales, out):
    """∂f/∂a_l for the layers l = 1, …, L (no skip connections)."""
    b = [out * v]
    for i in range(len(ws) - 1, 0, -1):
        b.insert(0, scales[i] * ws[i].T @ (sigma(names[i], before[i], 1) * b[0]))
    return b


def layer_norms(w, r, s, name):
    """Norms of ∂a/∂W, ∂²a/∂W², ∂²a/∂r² and ∂²a/∂r∂W of a layer a = σ(sWr)."""
    z = s * w @ r
    d, dd = sigma(name, z, 1), sigma(name, z, 2)
    form = sum(
        u.T @ u for u in (s**2 * dd[i] * np.outer(r, w[i]) + s * d[i] * np.eye(len(r)) for i in range(len(w)))
    )
    length = np.linalg.norm(r)
    return (
        s * np.abs(d).max() * length,
        s**2 * np.abs(dd).max() * length**2,
        s**2 * size_of(w.T @ (np.abs(dd)[:, None] * w)),
        np.sqrt(np.linalg.eigvalsh(form)[-1]),
    )


def second_along(f, d, e, radius=0.05, points=16):
    """Mixed second derivative of f(t ↦ point moved by t) along d and e, by Cauchy's formula on circles."""
    circle = radius * np.exp(2j * np.pi * np.arange(points) / points)

    def bend(direction):
        return 2 * np.mean([f(t * direction) / t**2 for t in circle], axis=0).real

    return (bend(d + e) - bend(d - e)) / 4
