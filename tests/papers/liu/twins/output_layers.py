"""Twins of Table 1 and of Section 5: linear and non-linear output layers, and the bottleneck."""

import numpy as np

from tests.papers.liu.twins._models_c import Dense, jacobian, largest, logistic
from tests.papers.twinning import twin

BATCH = 250
INPUTS = ((1.0, 1.0, 1.0, 1.0), (1.0, -1.0, 1.0, -1.0))
LABELS = np.array([1.0, 2.0])


def output(u, linear):
    """φ and its two derivatives."""
    return (u, 1 + 0 * u, 0 * u) if linear else (np.log1p(np.exp(u)), logistic(u), logistic(u) * logistic(-u))


def networks(size):
    return [Dense([size] * 2, "tanh", x) for x in INPUTS]


@twin(
    {"liu.table1.linear-hessian": {"linear": True}, "liu.table1.output-hessian": {"linear": False}},
    [(4, {}), (6, {})],
    replicates=1000,
    accuracy=1e-5,  # The sampler's eigenvalue has a residual of at most 10⁻⁴.
)
def hessian(size, rng, linear):
    network = networks(size)[0]
    theta = network.draw(rng, 50)
    g = network.gradient(theta)
    _, one, two = output(network.output(theta), linear)
    outer = g[:, :, None] * g[:, None, :]
    return largest(one[:, None, None] * network.hessian(theta) + two[:, None, None] * outer)


def state(pair, theta, linear):
    """Values of φ at both inputs (n, 2), the rows φ'∇f (n, 2, p) and the kernel."""
    values, one, _ = output(np.stack([network.output(theta) for network in pair], axis=1), linear)
    rows = one[:, :, None] * np.stack([network.gradient(theta) for network in pair], axis=1)
    return values, rows, rows @ np.swapaxes(rows, 1, 2)


@twin(
    {"liu.table1.linear-kernel": {"linear": True}, "liu.table1.output-kernel": {"linear": False}},
    [(4, {}), (9, {})],
    replicates=3000,
)
def kernel(size, rng, linear):
    pair = networks(size)
    return largest(state(pair, pair[0].draw(rng, BATCH), linear)[2])


def frobenius(matrices):
    return np.linalg.norm(matrices, axis=(1, 2))


@twin(
    {"liu.table1.linear-constant": {"linear": True}, "liu.table1.output-constant": {"linear": False}},
    [(12, {}), (20, {})],
    replicates=1000,
)
def change_in_training(size, rng, linear):
    pair = networks(size)
    theta = pair[0].draw(rng, BATCH)
    found, first, start = np.zeros(BATCH), None, None
    left = np.arange(BATCH)
    while left.size:
        values, rows, k = state(pair, theta[left], linear)
        if start is None:
            start, first = k, np.sum((values - LABELS) ** 2, axis=1)
        away = frobenius(k - start[left])
        below = frobenius(start[left]) + (0 if linear else frobenius(k))
        found[left] = np.maximum(found[left], away / below)
        errors = values - LABELS
        go = np.sum(errors**2, axis=1) > 1e-3 * first[left]
        step = 0.4 / largest(k)[:, None] * np.sum(errors[:, :, None] * rows, axis=1)
        theta[left[go]] -= step[go]
        left = left[go]
    return found


def bottleneck(w):
    """Value and gradient of the bottleneck network at rows of 4m parameters w¹, …, w⁴; x = 1."""
    w1, w2, w3, w4 = np.split(w, 4, axis=-1)
    scale = 1 / np.sqrt(w1.shape[-1])
    b = scale * np.sum(w2 * w1**2 / 2, axis=-1, keepdims=True)
    f = scale * np.sum(w4 * (w3 * b) ** 2 / 2, axis=-1, keepdims=True)
    slope = scale * np.sum(w4 * w3 * b * w3, axis=-1, keepdims=True)
    parts = [
        slope * scale * w2 * w1,
        slope * scale * w1**2 / 2,
        scale * w4 * w3 * b * b,
        scale * (w3 * b) ** 2 / 2,
    ]
    return f[..., 0], np.concatenate(parts, axis=-1)


# The samplers' values are means over sixteen networks; the twins return more networks than replicates are asked for.
@twin(
    "liu.table1.bottleneck-hessian", [(8, {}), (12, {})], replicates=500, accuracy=1e-5
)  # As for Lanczos above.
def bottleneck_hessian(size, rng):
    rows = rng.normal(size=(30, 200, 4 * size))
    return np.ravel([largest(jacobian(lambda w: bottleneck(w)[1], part)) for part in rows])


@twin("liu.table1.bottleneck-kernel", [(8, {}), (16, {})], replicates=1000)
def bottleneck_kernel(size, rng):
    return np.linalg.norm(bottleneck(rng.normal(size=(16000, 4 * size)))[1], axis=1)


@twin(
    "liu.table1.bottleneck-constant",
    [(8, {"label": 1.0}), (12, {"label": 0.5})],
    replicates=100,
    accuracy=1e-3,  # The flow ends where |f - y| ≤ 10⁻⁴, and both sides integrate it numerically.
)
def bottleneck_flow(size, rng, label):
    count = 1600
    w = rng.normal(size=(count, 4 * size))

    def motion(rows):
        f, g = bottleneck(rows)
        return -(f - label)[:, None] * g, f, np.sum(g**2, axis=1)

    first = motion(w)[2]
    last, left = first.copy(), np.arange(count)
    h = 0.1 / (1 + first)
    # Bogacki and Shampine's pair of orders 3 and 2, with a step for every network and an error relative to the way.
    for _ in range(5000):
        v1, f, k = motion(w[left])
        last[left] = k
        go = (np.abs(f - label) > 1e-4) & (k > 1e-9)
        left, v1 = left[go], v1[go]
        if not left.size:
            break
        here, step = w[left], h[left][:, None]
        v2 = motion(here + step / 2 * v1)[0]
        v3 = motion(here + step * 3 / 4 * v2)[0]
        new = here + step * (2 * v1 + 3 * v2 + 4 * v3) / 9
        v4 = motion(new)[0]
        error = np.linalg.norm(-5 * v1 / 72 + v2 / 12 + v3 / 9 - v4 / 8, axis=1)
        error /= 2e-4 * np.linalg.norm(v1, axis=1)
        good = error <= 1
        w[left[good]] = new[good]
        h[left] *= np.clip(0.9 / np.maximum(error, 1e-9) ** (1 / 3), 0.2, 3)
    assert not left.size
    return np.abs(last - first) / (last + first)


SAMPLES, TARGETS = np.array([0.8, 2.0, 3.5]), np.array([1.0, -1.0, 2.0])


@twin({"liu.thm5.1": {"of": "loss"}}, [(2, {"bend": 0.2}), (4, {"bend": 0.15})], replicates=4000)
@twin({"liu.thm5.1.kernel": {"of": "kernel"}}, [(12, {"bend": 0.5}), (20, {"bend": 0.3})], replicates=1000)
def bent_output(size, rng, bend, of):
    count = 500
    one, two = SAMPLES[:, None] - SAMPLES, SAMPLES[:, None] + SAMPLES
    limit = SAMPLES[:, None] * SAMPLES * (np.exp(-(one**2) / 2) + np.exp(-(two**2) / 2)) / 2
    values = np.linalg.eigvalsh(limit)
    eta = 0.5 / ((1 + bend) ** 2 * values[-1])
    rate = 1 - eta * values[0] / 2 * (1 - bend) ** 2
    w = rng.normal(size=(count, size))
    v = rng.choice([-1.0, 1.0], size=w.shape) / np.sqrt(size)
    first = start = None
    obeyed, changed = np.ones(count, dtype=bool), np.zeros(count)
    for t in range(151):
        inner = w[:, None, :] * SAMPLES[:, None]
        f = np.sum(v[:, None, :] * np.sin(inner), axis=2)
        rows = (1 + bend * np.cos(f))[:, :, None] * v[:, None, :] * np.cos(inner) * SAMPLES[:, None]
        errors = f + bend * np.sin(f) - TARGETS
        loss = np.sum(errors**2, axis=1) / 2
        first = loss if first is None else first
        obeyed &= loss <= rate**t * first
        if of == "kernel":
            k = rows @ np.swapaxes(rows, 1, 2)
            start = k if start is None else start
            changed = np.maximum(changed, frobenius(k - start) / frobenius(start))
        w = w - eta * np.sum(errors[:, :, None] * rows, axis=1)
    return changed if of == "kernel" else obeyed
