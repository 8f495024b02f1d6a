"""Twins of appendix E: gradients and blocks of the Hessian as products over the layers, and their bounds."""

import numpy as np

from tests.papers.liu.twins import _models_a as net
from tests.papers.twinning import twin

COUNT = 50
EXACT = [(2, {"activation": "tanh", "depth": 3}), (3, {"activation": "sigmoid", "depth": 2})]
DEEP = [(3, {"activation": "sigmoid", "depth": 3}), (2, {"activation": "softplus", "depth": 4})]


def drawn(size, rng, depth):
    return net.gaussian(rng, COUNT, size, depth), rng.normal(size=(COUNT, 3))


def pieces(weights, x, name):
    """A_l, B_l, b_l, σ'_l, σ''_l, α_(l-1), s_l by hidden layer."""
    z, a = net.forward(weights, x, name)
    b, m = net.backward(weights, z, name), weights[-1].shape[-1]
    first, second = [net.slope(name, u) for u in z], [net.bend(name, u) for u in z]
    s = [1 / np.sqrt(low.shape[-1]) for low in a[:-1]]
    inner = [
        (c * np.einsum("nk,nj,kh->nkjh", d, low, np.eye(m))).reshape(len(x), -1, m)
        for c, d, low in zip(s, first, a, strict=False)
    ]
    between = [c * np.swapaxes(w, 1, 2) * d[:, None] for c, w, d in zip(s, weights[:-1], first, strict=True)]
    return inner, between, b, first, second, a[:-1], s


def chain(inner, between, low, high):
    """P(l, n), layers from 0."""
    product = inner[low]
    for n in range(low + 1, high + 1):
        product = product @ between[n]
    return product


def relative(stated, true):
    axes = tuple(range(1, true.ndim))
    return np.abs(stated - true).max(axis=axes) / np.abs(true).max(axis=axes)


@twin("liu.eq59", EXACT, replicates=50, accuracy=1e-12)
def gradient(size, rng, activation, depth):
    weights, x = drawn(size, rng, depth)
    true, v = net.exact_gradient(weights, x, activation), weights[-1][..., None] / np.sqrt(size)
    inner, between = pieces(weights, x, activation)[:2]
    stated = [(chain(inner, between, low, depth - 1) @ v)[..., 0] for low in range(depth)]
    parts = net.ranges(weights)
    return np.max([relative(stated[low], true[:, parts[low]]) for low in range(depth)], axis=0)


@twin("liu.eq61", EXACT, replicates=50, accuracy=1e-12)
def last_block(size, rng, activation, depth):
    weights, x = drawn(size, rng, depth)
    true, parts = net.hessian(weights, x, activation), net.ranges(weights)
    inner, between = pieces(weights, x, activation)[:2]
    stated = [chain(inner, between, low, depth - 1) / np.sqrt(size) for low in range(depth)]
    return np.max([relative(stated[low], true[:, parts[low], parts[-1]]) for low in range(depth)], axis=0)


@twin({"liu.sec-e.block": {"corrected": False}}, DEEP, replicates=400)
@twin({"liu.sec-e.block/corrected": {"corrected": True}}, DEEP, replicates=50, accuracy=1e-11)
def block(size, rng, activation, depth, corrected):
    weights, x = drawn(size, rng, depth)
    true, parts = net.hessian(weights, x, activation), net.ranges(weights)
    inner, between, b, first, second, low, s = pieces(weights, x, activation)
    worst = np.zeros(COUNT)
    for n in range(depth):
        w, eye = weights[n], np.eye(low[n].shape[-1])
        for k in range(n + 1) if corrected else range(n):
            if k == n:
                bends = s[n] ** 2 * b[n] * second[n]
                total = np.einsum("nk,nj,ni,kh->nkjhi", bends, low[n], low[n], np.eye(size))
                total = total.reshape(COUNT, size * len(eye), -1)
            else:
                mixed = s[n] ** 2 * np.einsum("nk,nkj,ni->njki", b[n] * second[n], w, low[n])
                mixed = mixed + s[n] * np.einsum("nk,ji->njki", b[n] * first[n], eye)
                total = chain(inner, between, k, n - 1) @ mixed.reshape(COUNT, size, -1)
            for p in range(n + 1, depth):
                up, end = weights[p], p - 1 if corrected else p
                c = s[p] ** 2 * np.swapaxes(up, 1, 2) @ ((b[p] * second[p])[..., None] * up)
                other = np.swapaxes(chain(inner, between, n, end), 1, 2)
                total = total + chain(inner, between, k, p - 1) @ c @ other
            worst = np.maximum(worst, relative(total, true[:, parts[k], parts[n]]))
    return worst


def chains(size, rng):
    """Parallel chains of single softplus neurons: weights and inputs."""
    w, z = rng.uniform(0.1, 0.25, COUNT), np.zeros(COUNT)
    for _ in range(100):
        z = -np.log(w**2 * net.bend("softplus", w * net.value("softplus", z)))
    x = 1e4 * rng.normal(size=(COUNT, 3))
    row = np.sqrt(3) * z[:, None] * x / np.sum(x**2, axis=1, keepdims=True)
    layers = [
        np.repeat(row[:, None], size, axis=1),
        np.sqrt(size) * w[:, None, None] * np.eye(size),
        np.ones((COUNT, size)),
    ]
    return layers, x


def factors(weights, x, name):
    """𝔏, Q_L, Q_221 and Q_∞."""
    z, a = net.forward(weights, x, name)
    m, depth = weights[-1].shape[-1], len(z)
    each = []
    for w, pre, low in zip(weights[:-1], z, a[:-1], strict=True):
        s, first, second = 1 / np.sqrt(low.shape[-1]), net.slope(name, pre), net.bend(name, pre)
        length = np.linalg.norm(low, axis=1)
        u = s**2 * np.einsum("ni,nj,nik->nijk", second, low, w)
        u = u + s * first[..., None, None] * np.eye(low.shape[-1])
        mixed = np.sqrt(np.linalg.eigvalsh(np.einsum("nijk,nijl->nkl", u, u))[:, -1])
        own = s**2 * np.abs(second).max(axis=1) * length**2
        squares = s**2 * net.spectral(np.sqrt(np.abs(second))[..., None] * w) ** 2
        each.append((s * np.abs(first).max(axis=1) * length, own, mixed, squares))
    candidates = [own for _, own, _, _ in each]
    for n in range(depth):
        for k in range(n):
            candidates.append(each[k][0] * each[n][2])
            candidates += [each[j][0] * each[k][0] * each[n][3] for j in range(k + 1)]
    slopes = [net.suprema(name)[0] * net.spectral(w) / np.sqrt(m) for w in weights[1:-1]]
    lipschitz = np.max(slopes, axis=0) if slopes else np.ones(len(x))
    largest = np.max([np.abs(b).max(axis=1) for b in net.backward(weights, z, name)], axis=0)
    return lipschitz, np.max([one[0] for one in each], axis=0), np.max(candidates, axis=0), largest


@twin(
    {"liu.eq60": {"corrected": False}, "liu.eq60/corrected": {"corrected": True}},
    [
        (4, {"activation": "tanh", "depth": 2, "weights": "gaussian"}),
        (3, {"activation": "sigmoid", "depth": 3, "weights": "gaussian"}),
        (2, {"activation": "softplus", "depth": 2, "weights": "chains"}),
    ],
    replicates=250,
)
def inner_blocks(size, rng, activation, depth, weights, corrected):
    if weights == "chains":
        activation, depth = "softplus", 2
    layers, x = chains(size, rng) if weights == "chains" else drawn(size, rng, depth)
    full, parts = net.hessian(layers, x, activation), net.ranges(layers)
    lipschitz, _, second, largest = factors(layers, x, activation)
    if corrected:
        lipschitz = np.maximum(lipschitz, 1)
    pairs = [(k, n) for n in range(depth) for k in range(n + 1)]
    norm = np.max([net.spectral(full[:, parts[k], parts[n]]) for k, n in pairs], axis=0)
    return norm / ((depth**2 * lipschitz ** (2 * depth) + depth * lipschitz**depth + 1) * second * largest)


@twin(
    {"liu.eq62": {"corrected": False}, "liu.eq62/corrected": {"corrected": True}},
    [(4, {"activation": "tanh", "depth": 2}), (3, {"activation": "sigmoid", "depth": 3})],
    replicates=300,
)
def output_blocks(size, rng, activation, depth, corrected):
    weights, x = drawn(size, rng, depth)
    full, parts = net.hessian(weights, x, activation), net.ranges(weights)
    lipschitz, first, _, _ = factors(weights, x, activation)
    if corrected:
        lipschitz = np.maximum(lipschitz, 1)
    norm = np.max([net.spectral(full[:, part, parts[-1]]) for part in parts[:-1]], axis=0)
    return norm / (lipschitz**depth * first / np.sqrt(size))
