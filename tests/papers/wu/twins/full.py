"""Twins of the statements about the full Hessian with biases (section G.1)."""

import numpy as np

from tests.papers.twinning import twin
from tests.papers.wu.twins.weights import first, inputs, last


def hessians(w, x, u, both_terms):
    """Hessian in (W^(1), b^(1), W, b) and the stated directions and numbers."""
    (classes, n), count = w.shape, len(x)
    y = np.maximum(u, 0)
    z = np.exp(y @ w.T)
    p, gates = z / z.sum(axis=1, keepdims=True), (u >= 0) * 1.0
    x1, y1 = (np.column_stack([each, np.ones(count)]) for each in (x, y))
    outputs = np.concatenate(
        [w * gates[:, None, :], np.broadcast_to(np.eye(classes), (count, classes, classes))], axis=2
    )
    jacobian = np.concatenate(
        [
            (outputs[:, :, :n, None] * x1[:, None, None, :]).reshape(count, classes, -1),
            (outputs[:, :, n:, None] * y1[:, None, None, :]).reshape(count, classes, -1),
        ],
        axis=2,
    )

    def curved(rows):
        flat = np.sqrt(p)[:, :, None] * (rows - np.sum(p[:, :, None] * rows, axis=1, keepdims=True))
        flat = flat.reshape(count * classes, -1)
        return flat.T @ flat / count

    h = curved(jacobian)
    if both_terms:
        # z_k depends on W_ki W^(1)_ij x_j: mixed derivatives D_i x̃_j, times p_k - 1/c.
        slopes = np.einsum("bk,bi,bj->kij", p - 1 / classes, gates, x1, optimize=True) / count
        start, inner = n * x1.shape[1], x1.shape[1]
        for k in range(classes):
            for i in range(n):
                row, columns = start + k * (n + 1) + i, slice(i * inner, (i + 1) * inner)
                h[row, columns] += slopes[k, i]
                h[columns, row] += slopes[k, i]
    sizes, vectors = np.linalg.eigh(curved(outputs))
    stated = [
        np.concatenate([np.kron(each[:n], x1.mean(axis=0)), np.kron(each[n:], y1.mean(axis=0))])
        for each in vectors[:, :-classes:-1].T
    ]
    return h, np.array(stated).T, sizes[:-classes:-1]


def overlap(h, stated, sizes):
    k = stated.shape[1]
    return np.sum((np.linalg.eigh(h)[1][:, -k:].T @ np.linalg.qr(stated)[0]) ** 2) / k


def ratio(h, stated, sizes):
    values = np.linalg.eigvalsh(h)[::-1][: len(sizes)]
    return np.mean(values / (sizes * np.sum(stated**2, axis=0)))


@twin(
    {
        "wu.eq262": {"statistic": overlap, "both_terms": True},
        "wu.eq263": {"statistic": ratio, "both_terms": True},
        "wu.eq262.gauss-newton": {"statistic": overlap, "both_terms": False},
        "wu.eq263.gauss-newton": {"statistic": ratio, "both_terms": False},
    },
    [(8, {"alpha": 0.3, "classes": 4}), (6, {"alpha": 0.6, "classes": 2})],
    replicates=40,
)
def full(size, rng, alpha, classes, statistic, both_terms):
    x, w1, w = inputs(96, size, alpha, rng), first(size, alpha, rng), last(size, classes, rng)
    u = x @ w1.T

    def value(part):
        return statistic(*hessians(w, x[part], u[part], both_terms))

    return 2 * value(slice(0, 96)) - (value(slice(0, 48)) + value(slice(48, 96))) / 2
