"""Twins of statements of Sections 1 to 5 and appendix H about whole networks."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

PRINTED, MENDED = {"corrected": False}, {"corrected": True}


def both(name):
    return {name: PRINTED, f"{name}/corrected": MENDED}


def signs(rng, *shape):
    return rng.choice([-1.0, 1.0], size=shape)


@twin(both("liu.sec1.1.taylor"), [(3, {"x": 1.0}), (6, {"x": 2.0})], replicates=100, accuracy=1e-11)
def second_order(size, rng, x, corrected):
    w, u = rng.normal(size=(2, size))
    v = signs(rng, size)

    def f(w):
        return np.sum(v * (w * x) ** 2 / 2) / np.sqrt(size)

    rest = f(w + u) - f(w) - np.sum(v * w * x**2 * u) / np.sqrt(size)
    q = u @ np.diag(v * x**2 / np.sqrt(size)) @ u
    return abs(q / 2 - rest if corrected else q - rest) / abs(rest)


@twin(both("liu.sec3.2.independent"), [(2, {}), (3, {})], replicates=200000)
def covariance(size, rng, corrected):
    pairs = []
    for _ in range(2):
        w, second = rng.normal(size=(20000, size)), rng.normal(size=(20000, size, size))
        z = np.einsum("nij,nj->ni", second, np.tanh(w)) / np.sqrt(size)
        b = np.mean(second[:, :, 0] ** 2 / np.cosh(z) ** 4, axis=1)
        pairs.append((1 / np.cosh(w[:, 0]) ** 4, b))
    (one, b), (two, c) = pairs
    return (one - two) * (b - c) / 2 * (1 if corrected else size)


@twin(both("liu.eq22"), [(6, {}), (12, {})], replicates=4000)
def kernel(size, rng, corrected):
    weights = net.gaussian(rng, 100, size, 2)
    if not corrected:
        weights[0] *= np.sqrt(3 / size)  # the factor m^(-1/2) in place of 3^(-1/2)
    inner, *rest = net.gradient(weights, np.ones((100, 3)), "tanh")
    inner *= 1 if corrected else np.sqrt(3 / size)
    return np.sum(net.flat([inner, *rest]) ** 2, axis=1)


@twin(both("liu.sec3.3.2.norm"), [(4, {}), (7, {})], replicates=700)
def hessian_norm(size, rng, corrected):
    weights = net.gaussian(rng, 50, size, 2)
    v = weights[-1]
    weights[-1] = v * (1 + 1 / np.linalg.norm(v, axis=1, keepdims=True)) if corrected else np.sqrt(size) * v
    return net.spectral(net.hessian(weights, np.ones((50, 3)), "tanh")) / np.sqrt(np.log(size))


def cubic(z):
    over = np.maximum(np.abs(z) - 10, 0)
    return z + np.sign(z) * over**3, 1 + 3 * over**2


def softplus(z):
    return np.log1p(np.exp(z)), 1 / (1 + np.exp(-z))


@twin(both("liu.sec4.necessary"), [(24, {}), (48, {})], replicates=1000)
def kernel_change(size, rng, corrected):
    phi = softplus if corrected else cubic
    start, half = rng.normal(size=(100, size)), signs(rng, 100, size)
    changes = []
    for v in (half, -half):
        w, kernels = start.copy(), []
        for _ in range(1000):
            f, up = np.sum(v * np.tanh(w), axis=1) / np.sqrt(size), v / np.cosh(w) ** 2 / np.sqrt(size)
            out, rate = phi(f)
            tangent = rate**2 * np.sum(up**2, axis=1)
            kernels.append(tangent)
            open_ = np.abs(out - 2) >= 1e-4
            if not open_.any():
                break
            w = w - (open_ * rate * (out - 2) / (2 * tangent))[:, None] * up
        changes.append(np.abs(kernels[-1] - kernels[0]))
    return np.mean(changes, axis=0)


@twin(both("liu.thm5.1.data"), [(6, {}), (8, {})], replicates=1000)
def trained(size, rng, corrected):
    x = np.array([0.5, 3.0]) if corrected else np.array([1.0, -1.0])
    w, v = rng.normal(size=(200, size)), signs(rng, 200, size)
    losses = []
    for _ in range(400):
        u = w[:, None] * x[:, None]
        f = np.sum(v[:, None] * np.tanh(u), axis=2) / np.sqrt(size)
        up = v[:, None] * x[:, None] / np.cosh(u) ** 2 / np.sqrt(size)
        out, rate = f + np.sin(f) / 2, 1 + np.cos(f) / 2
        losses.append(np.sum((out - 1) ** 2, axis=1) / 2)
        total = np.sum(rate**2 * np.sum(up**2, axis=2), axis=1)
        w = w - np.einsum("ns,nsi->ni", (out - 1) * rate, up) / total[:, None]
    return (losses[-1] < losses[0] / 1000).astype(float)


@twin(both("liu.eq48.scale"), [(2, {}), (5, {})], replicates=3000)
def bottleneck(size, rng, corrected):
    a = np.maximum(rng.normal(size=(250, 128)), 0)
    u = np.einsum("nij,nj->ni", rng.normal(size=(250, size, 128)), a) / np.sqrt(128)
    z = np.einsum("nij,nj->ni", rng.normal(size=(250, 128, size)), u) / (np.sqrt(size) if corrected else 1)
    return np.sqrt(np.mean(np.maximum(z, 0) ** 2, axis=1))


@twin(
    "liu.sec3.2.product",
    [(8, {"activation": "tanh", "depth": 2}), (6, {"activation": "softplus", "depth": 3})],
    replicates=600,
)
def product_of_norms(size, rng, activation, depth):
    weights = net.gaussian(rng, 100, size, depth)
    z = net.forward(weights, np.ones((100, 3)), activation)[0]
    quotients = []
    for pre, b in zip(z, net.backward(weights, z, activation), strict=True):
        squares, own = net.slope(activation, pre) ** 2, b**2
        quotients.append(np.sum(squares * own, axis=1) / (squares.max(axis=1) * own.sum(axis=1)))
    return np.min(quotients, axis=0)


@twin("liu.remark3.5", [(8, {"depth": 2}), (6, {"depth": 3})], replicates=300)
def distance(size, rng, depth):
    count, labels = 100, np.array([1.0, 2.0])
    inputs = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
    weights = net.gaussian(rng, count, size, depth, inputs=4)
    start, first, result = net.flat(weights), None, np.full(count, np.nan)
    for _ in range(20000):
        f = np.stack([net.outputs(weights, x[None], "tanh") for x in inputs], axis=1)
        loss = np.sum((f - labels) ** 2, axis=1)
        first = loss if first is None else first
        ended = np.isnan(result) & (loss <= 1e-6 * first)
        result[ended] = np.linalg.norm(net.flat(weights) - start, axis=1)[ended]
        if not np.isnan(result).any():
            return result
        rows = [net.gradient(weights, np.repeat(x[None], count, axis=0), "tanh") for x in inputs]
        jacobian = np.stack([net.flat(row) for row in rows], axis=1)
        top = np.linalg.eigvalsh(jacobian @ np.swapaxes(jacobian, 1, 2))[:, -1]
        rate = np.isnan(result)[:, None] * 0.4 / top[:, None] * (f - labels)
        for layer, one, two in zip(weights, *rows, strict=True):
            shape = (-1, *[1] * (layer.ndim - 1))
            layer -= rate[:, 0].reshape(shape) * one + rate[:, 1].reshape(shape) * two
    raise RuntimeError("training does not end")


@twin(
    {"liu.eq121": {"shifted": True}, "liu.eq123": {"shifted": False}},
    [(16, {"radius": 1.0, "delta": 0.92}), (24, {"radius": 0.5, "delta": 0.7})],
    replicates=20000,
)
def anticoncentration(size, rng, radius, delta, shifted):
    s, t = rng.normal(size=(2, 1000, size))
    s, t = (radius * u / np.linalg.norm(u, axis=1, keepdims=True) for u in (s, t))
    x, y = rng.normal(size=(2, 1000, size))
    total = np.abs(np.sum((x + s) * y**2 + 2 * x * t * y, axis=1))
    moment = 3 * size
    if shifted:
        moment = moment + 2 * radius**2 + np.sum(s, axis=1) ** 2 + 4 * radius**2
    return (total >= 2.1 * delta**3 * np.sqrt(moment)).astype(float)
