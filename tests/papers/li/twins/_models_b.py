"""Exact second derivatives of small networks by numbers a + bε + cδ + dεδ with ε² = δ² = 0, and ReLU Hessians."""

import numpy as np


class Dual:
    """Arrays of such numbers: value, two first parts and the mixed one."""

    def __init__(self, value, one=0.0, two=0.0, mixed=0.0):
        self.parts = tuple(
            np.broadcast_arrays(*(np.asarray(part, float) for part in (value, one, two, mixed)))
        )

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        (a, b, c, d), (e, f, g, h) = self.parts, other.parts
        return Dual(a * e, a * f + b * e, a * g + c * e, a * h + b * g + c * f + d * e)

    __radd__, __rmul__ = __add__, __mul__

    def apply(self, function, slope, bend):
        a, b, c, d = self.parts
        return Dual(function(a), slope(a) * b, slope(a) * c, slope(a) * d + bend(a) * b * c)

    def sum(self, axis):
        return Dual(*(part.sum(axis=axis) for part in self.parts))

    def __getitem__(self, index):
        return Dual(*(part[index] for part in self.parts))


def leaky(slope):
    def activation(z):
        return z.apply(
            lambda a: np.where(a > 0, a, slope * a), lambda a: np.where(a > 0, 1.0, slope), np.zeros_like
        )

    return activation


relu = leaky(0.0)


def swish(z):
    one_plus = z.apply(lambda a: 1 + np.exp(-a), lambda a: -np.exp(-a), lambda a: np.exp(-a))
    return z * one_plus.apply(lambda a: 1 / a, lambda a: -1 / a**2, lambda a: 2 / a**3)


def identity(t):
    return t


def second_derivatives(x, matrices, alpha, loss=identity, activation=relu, rows=None, columns=None):
    """Second derivatives of loss(T), neuron by neuron, y_k = activation(y_(k-1)W_k), T = y_(L-1)·α.

    Parameters are counted with the entries of each matrix in the order of vec, which stacks columns, α being last;
    `rows` and `columns` are indices of parameters, all if they are not given.
    """
    n = len(alpha)
    count = len(matrices) * n * n + n
    rows = np.arange(count) if rows is None else rows
    columns = np.arange(count) if columns is None else columns
    one, two = (each.ravel() for each in np.meshgrid(rows, columns, indexing="ij"))

    def parameter(layer, entry):
        """Numbers of one parameter, one for each pair."""
        index = layer * n * n + (entry[0] if len(entry) == 1 else entry[1] * n + entry[0])
        value = alpha[entry] if layer == len(matrices) else matrices[layer][entry]
        return Dual(value, one == index, two == index)

    y = [Dual(value) for value in x]
    for layer in range(len(matrices)):
        z = [sum(y[i] * parameter(layer, (i, j)) for i in range(n)) for j in range(n)]
        y = [activation(each) for each in z]
    t = sum(y[i] * parameter(len(matrices), (i,)) for i in range(n))
    mixed = loss(t).parts[3]
    return np.broadcast_to(mixed, one.shape).reshape(len(rows), len(columns))


def gates_and_outputs(weights, inputs):
    """Gates, layers (the inputs first) and T of T(x) = α·y, y_k = max(W_k y_(k-1), 0); `weights` ends with α."""
    layers, gates = [inputs], []
    for w in weights[:-1]:
        z = layers[-1] @ w.T
        gates.append((z > 0) * 1.0)
        layers.append(z * gates[-1])
    return gates, layers, layers[-1] @ weights[-1]


def hessian(weights, inputs, factors):
    """Σ_i factors_i ∇²T(x_i) over all parameters, matrices row by row and α."""
    gates, layers, _ = gates_and_outputs(weights, inputs)
    count, n = len(inputs), len(weights[-1])
    chain = [*weights[:-1], weights[-1][None]]
    total = len(chain)
    # T is linear in each matrix at constant gates: left·W_q·middle·W_p·y_(p-1).
    left = [np.ones((count, 1))]
    for k in range(total - 1, 0, -1):
        left.insert(0, (left[0] @ chain[k]) * gates[k - 1])
    sizes = [w.size for w in chain]
    start = np.concatenate([[0], np.cumsum(sizes)])
    h = np.zeros((start[-1], start[-1]))
    for p in range(total - 1):
        middle = np.eye(n) * gates[p][:, :, None]
        for q in range(p + 1, total):
            block = np.einsum(
                "i,ia,ibk,il->abkl", factors, left[q], middle, layers[p], optimize=True
            ).reshape(sizes[q], sizes[p])
            h[start[q] : start[q + 1], start[p] : start[p + 1]] = block
            h[start[p] : start[p + 1], start[q] : start[q + 1]] = block.T
            if q < total - 1:
                middle = gates[q][:, :, None] * (chain[q] @ middle)
    return h
