"""The stated loss in scalar loops, in any arithmetic: mpmath numbers for differences, complex numbers for steps."""

from __future__ import annotations

import mpmath
import numpy as np

DIGITS = 50


class Exact:
    """The functions a loss needs, in mpmath."""

    exp, log, sin, tanh = mpmath.exp, mpmath.log, mpmath.sin, mpmath.tanh

    @staticmethod
    def positive(z):
        return z > 0

    @staticmethod
    def normal_cdf(z):
        return mpmath.ncdf(z)


class Complex:
    """The same for complex numbers, whose real parts decide on which side of a kink they are."""

    exp, log, sin, tanh = np.exp, np.log, np.sin, np.tanh

    @staticmethod
    def positive(z):
        return z.real > 0


def activate(name, z, parameter, f):
    if name == "identity":
        return z
    if name in ("relu", "leaky_relu"):
        return z if f.positive(z) else parameter * z
    if name == "tanh":
        return f.tanh(z)
    if name == "sigmoid":
        return 1 / (1 + f.exp(-z))
    if name == "softplus":
        return f.log(1 + f.exp(z))
    if name == "gelu":
        return z * f.normal_cdf(z)
    if name == "swish":
        return z / (1 + f.exp(-parameter * z))
    if name == "sin":
        return f.sin(z)
    assert name == "quadratic"
    return z * z / 2


def _layer(layer, theta, before, f):
    """``before`` and the result are channels × positions; a dense layer has one position."""
    out, fan = layer.outputs, layer.fan_in
    flat = [[v for row in before for v in row]] if not layer.filter else None
    positions = len(before[0]) if layer.filter else 1
    after = []
    for i in range(out):
        row = []
        for q in range(positions):
            if layer.filter:
                reads = []
                for channel in before:
                    for k in range(layer.filter):
                        place = q + k - layer.filter // 2
                        reads.append(channel[place] if 0 <= place < positions else 0 * channel[0])
            else:
                reads = flat[0]
            assert len(reads) == fan
            z = layer.scale * sum(theta[i * fan + j] * reads[j] for j in range(fan))
            if layer.bias:
                z = z + theta[out * fan + i]
            row.append(z)
        after.append(row)
    if layer.activation.name == "softmax":
        powers = [f.exp(row[0]) for row in after]
        return [[power / sum(powers)] for power in powers]
    result = []
    for i, row in enumerate(after):
        values = [activate(layer.activation.name, z, layer.activation.parameter, f) for z in row]
        if layer.skip:
            values = [v + b for v, b in zip(values, before[i], strict=True)]
        result.append(values)
    return result


def outputs(architecture, theta, x, f):
    """f(x) for one input x: a list."""
    first = architecture.layers[0]
    if first.filter:
        current = [list(row) for row in np.reshape(x, (first.inputs, architecture.positions))]
    else:
        current = [[value] for value in x]
    start = 0
    for layer in architecture.layers:
        current = _layer(layer, theta[start : start + layer.parameters], current, f)
        start += layer.parameters
    return [row[0] for row in current]


def sample_loss(loss, out, y, f):
    if loss.name == "square":
        return loss.factor * sum((a - b) ** 2 for a, b in zip(out, y, strict=True))
    if loss.name == "cross_entropy":
        normaliser = f.log(sum(f.exp(a) for a in out))
        return sum(b * (normaliser - a) for a, b in zip(out, y, strict=True))
    if loss.name == "logistic":
        return sum(f.log(1 + f.exp(-b * a)) for a, b in zip(out, y, strict=True))
    if loss.name == "hinge":
        margins = [1 - b * a for a, b in zip(out, y, strict=True)]
        return sum((m for m in margins if f.positive(m)), start=0 * out[0])
    if loss.name == "absolute":
        gaps = [a - b for a, b in zip(out, y, strict=True)]
        return sum(g if f.positive(g) else -g for g in gaps)
    return sum(a * b for a, b in zip(out, y, strict=True))


def total_loss(architecture, theta, inputs, targets, f):
    """The mean over samples."""
    terms = [
        sample_loss(architecture.loss, outputs(architecture, theta, x, f), y, f)
        for x, y in zip(inputs, targets, strict=True)
    ]
    return sum(terms) / len(terms)


def exact_hessian(architecture, theta, inputs, targets, pairs):
    """∂²ℓ/∂θ_r∂θ_c for (r, c) in pairs, by central differences in 50-digit arithmetic (truncation near 1e-30)."""
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -15
        point = [mpmath.mpf(float(t)) for t in theta]
        x = [[mpmath.mpf(float(v)) for v in row] for row in inputs]
        y = [[mpmath.mpf(float(v)) for v in row] for row in targets]

        def at(*moves):
            moved = list(point)
            for index, sign in moves:
                moved[index] += sign * step
            return total_loss(architecture, moved, x, y, Exact)

        return np.array(
            [
                float(
                    (at((r, 1), (c, 1)) - at((r, 1), (c, -1)) - at((r, -1), (c, 1)) + at((r, -1), (c, -1)))
                    / (4 * step**2)
                )
                for r, c in pairs
            ]
        )


def exact_gradient(architecture, theta, inputs, targets):
    with mpmath.workdps(DIGITS):
        step = mpmath.mpf(10) ** -15
        point = [mpmath.mpf(float(t)) for t in theta]
        x = [[mpmath.mpf(float(v)) for v in row] for row in inputs]
        y = [[mpmath.mpf(float(v)) for v in row] for row in targets]
        result = []
        for index in range(len(point)):
            up, down = list(point), list(point)
            up[index] += step
            down[index] -= step
            difference = total_loss(architecture, up, x, y, Exact) - total_loss(
                architecture, down, x, y, Exact
            )
            result.append(float(difference / (2 * step)))
        return np.array(result)


def complex_step_gradient(architecture, theta, inputs, targets):
    """Im ℓ(θ + ih e_k)/h: a loop in double precision that shares nothing with backward passes. No gelu."""
    result = []
    for index in range(len(theta)):
        moved = np.array(theta, dtype=complex)
        moved[index] += 1e-40j
        x = np.asarray(inputs, dtype=complex)
        result.append(total_loss(architecture, list(moved), x, targets, Complex).imag / 1e-40)
    return np.array(result)
