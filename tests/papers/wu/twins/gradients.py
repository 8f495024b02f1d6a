"""Twins of the statements about means of logit gradients (section G.5), and about deeper networks."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.networks import TWO, overlap, rows
from tests.papers.wu.twins.weights import first, inputs, last

SMALL = [(8, {"alpha": 0.3, "classes": 4}), (6, {"alpha": 0.6, "classes": 2})]


def softmax(z):
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


def logit_gradients(n, alpha, classes, count, rng):
    """x, W, gates, Q_x and Q_xWD of every input."""
    x, w1, w = inputs(count, n, alpha, rng), first(n, alpha, rng), last(n, classes, rng)
    u = x @ w1.T
    gates, p = (u >= 0) * 1.0, softmax(np.maximum(u, 0) @ w.T)
    q = np.sqrt(p)[:, :, None] * (np.eye(classes) - p[:, None, :])
    return x, w, gates, q, (q @ w) * gates[:, None, :]


def in_weights(gradients, x):
    return (gradients[:, :, :, None] * x[:, None, None, :]).reshape(*gradients.shape[:2], -1)


def class_means(size, rng, alpha, classes, layer, corrected):
    count = 8 * classes if layer and corrected else 96 - 96 % classes
    x, _, _, _, gradients = logit_gradients(size, alpha, classes, count, rng)
    if layer:
        gradients = in_weights(gradients, x)
    labels = rng.permutation(np.repeat(np.arange(classes), count // classes))
    whole = np.einsum("bji,bjk->ik", gradients, gradients, optimize=True) / count
    parts = [gradients[labels == label] for label in range(classes)]
    if corrected:
        each = [np.einsum("bji,bjk->ik", part, part, optimize=True) / len(part) for part in parts]
        stated = np.mean(each, axis=0)
    else:
        means = np.concatenate([part.mean(axis=0) for part in parts])
        stated = means.T @ means / classes**2
    return np.linalg.norm(stated - whole) / np.linalg.norm(whole)


twin({"wu.eq271": {"layer": False, "corrected": False}}, TWO, replicates=200)(class_means)
twin({"wu.eq271.layer": {"layer": True, "corrected": False}}, SMALL, replicates=100)(class_means)
twin({"wu.eq271/corrected": {"layer": False, "corrected": True}}, TWO, replicates=30, accuracy=1e-13)(
    class_means
)
twin({"wu.eq271.layer/corrected": {"layer": True, "corrected": True}}, SMALL, replicates=30, accuracy=1e-13)(
    class_means
)


def centres(size, rng, alpha, classes, layer, corrected):
    x, w, gates, q, gradients = logit_gradients(size, alpha, classes, 96, rng)
    if layer:
        gradients = in_weights(gradients, x)
    means, stated = [], []
    for part in (slice(0, 48), slice(48, 96)):
        means.append(gradients[part].mean(axis=0))
        e = q[part].mean(axis=0)
        s = (e @ w) * gates[part].mean(axis=0) if corrected else e.T @ w
        stated.append(np.kron(s, np.full((1, x.shape[1]), 1 / np.sqrt(2 * np.pi))) if layer else s)
    return np.sum((means[0] - stated[0]) * (means[1] - stated[1])) / np.sum(means[0] * means[1])


def mean_of_centres(size, rng, networks, **point):
    return np.mean([centres(size, rng, **point) for _ in range(networks)])


def variants(corrected):
    end = "/corrected" if corrected else ""
    return {
        f"wu.eq273{end}": {"layer": False, "corrected": corrected, "networks": 4},
        f"wu.eq273.layer{end}": {"layer": True, "corrected": corrected, "networks": 2},
    }


twin(variants(False), TWO, replicates=100)(mean_of_centres)
twin(variants(True), TWO, replicates=150)(mean_of_centres)


class Deep:
    """Last W, the product S, and estimates on both halves of 128 inputs."""

    def __init__(self, n, alpha, classes, depth, rng, count=128):
        y, back = inputs(count, n, alpha, rng), []
        weights = [first(n, alpha, rng), *(rng.normal(size=(n, n)) / np.sqrt(n) for _ in range(depth - 2))]
        for w in weights:
            u = y @ w.T
            back.append((u >= 0) * 1.0)
            y = np.maximum(u, 0)
        weights.append(last(n, classes, rng))
        p = softmax(y @ weights[-1].T)
        self.product = weights[-1]
        g = weights[-1] * back[-1][:, None, :]
        for w, gates in zip(weights[-2:0:-1], back[-2::-1], strict=True):
            self.product = self.product @ w
            g = (g @ w) * gates[:, None, :]
        flat = np.sqrt(p)[:, :, None] * (g - np.sum(p[:, :, None] * g, axis=1, keepdims=True))
        half = count // 2
        self.a, self.m = [], []
        for part in (slice(0, half), slice(half, count)):
            self.a.append(np.diag(p[part].mean(axis=0)) - p[part].T @ p[part] / half)
            self.m.append(np.einsum("bki,bkj->ij", flat[part], flat[part], optimize=True) / half)


def remark(net, depth):
    k = len(net.product) - 1
    return overlap([np.linalg.eigh(m)[1][:, -k:] for m in net.m], [rows(net.product)] * 2)


def formula(net, depth):
    gaps = [m - net.product.T @ a @ net.product / 4 ** (depth - 1) for m, a in zip(net.m, net.a, strict=True)]
    return np.sqrt(max(0, np.sum(gaps[0] * gaps[1])) / np.sum(net.m[0] * net.m[1]))


@twin(
    {
        f"wu.{name}{end}": {"statistic": statistic}
        for name, statistic in (("remark4.2", remark), ("eq272", formula))
        for end in ("", "/corrected")
    },
    [
        (12, {"alpha": 0.3, "classes": 3, "depth": 3}),
        (16, {"alpha": 0.5, "classes": 2, "depth": 4}),
    ],
    replicates=200,
)
def of_depth(size, rng, alpha, classes, depth, statistic):
    return np.mean([statistic(Deep(size, alpha, classes, depth, rng), depth) for _ in range(3)])
