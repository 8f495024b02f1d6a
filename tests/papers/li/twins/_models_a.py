"""ReLU networks without biases for the twins: passes, gradients and second derivatives at constant gates.

Leading axes are allowed everywhere: weights are a list of arrays (..., n, n), inputs are rows of an array (..., m, n).
"""

import numpy as np


def draw_network(n, layers, rng, factor=2.0, batch=()):
    """W_1, …, W_(L-1) and α with N(0, factor/n) entries."""
    scale = np.sqrt(factor / n)
    return [scale * rng.normal(size=(*batch, n, n)) for _ in range(layers - 1)], scale * rng.normal(
        size=(*batch, n)
    )


def draw_data(n, m, rng, batch=()):
    """Normal inputs and fair labels."""
    return rng.normal(size=(*batch, m, n)), rng.choice([-1.0, 1.0], size=(*batch, m))


def transpose(a):
    return np.swapaxes(a, -1, -2)


def forward(weights, alpha, x):
    """Activations a_0, …, a_(L-1), gates h_1, …, h_(L-1) (in places 1, …) and outputs; a_l = max(W_l a_(l-1), 0)."""
    acts, gates = [x], [None]
    for w in weights:
        z = acts[-1] @ transpose(w)
        gates.append((z > 0).astype(float))
        acts.append(np.maximum(z, 0))
    return acts, gates, (acts[-1] @ alpha[..., None])[..., 0]


def backward(weights, alpha, gates):
    """∂T/∂z_l for l = 1, …, L - 1 (in places 1, …)."""
    found = [None] * len(gates)
    u = np.broadcast_to(alpha[..., None, :], gates[-1].shape)
    for level in range(len(weights), 0, -1):
        found[level] = gates[level] * u
        u = found[level] @ weights[level - 1]
    return found


def mean_gradient(weights, alpha, acts, gates, c):
    """Σ c_i ∇T(x_i), one array for every layer."""
    b = backward(weights, alpha, gates)
    found = [transpose(b[k + 1] * c[..., None]) @ acts[k] for k in range(len(weights))]
    return found, (c[..., None] * acts[-1]).sum(axis=-2)


def sample_gradients(weights, alpha, x):
    """∇T(x_i) as rows."""
    acts, gates, _ = forward(weights, alpha, x)
    b = backward(weights, alpha, gates)
    rows = [(b[k + 1][..., :, None] * acts[k][..., None, :]).reshape(len(x), -1) for k in range(len(weights))]
    return np.concatenate([*rows, acts[-1]], axis=-1)


def blocks(weights, alpha, acts, gates, c):
    """Blocks of Σ c_i ∇²T(x_i) above the diagonal: rows are those of the earlier layer; α is layer L."""
    n, layers, m = alpha.shape[-1], len(weights) + 1, c.shape[-1]
    b = backward(weights, alpha, gates)
    found = {}
    for p in range(1, layers):
        transfer = gates[p][..., :, None] * np.eye(n)
        for q in range(p + 1, layers + 1):
            # transfer is the derivative of a_(q-1) in z_p; entries (l, i), and a_(p-1) has the index j.
            right = transfer[..., :, :, None] * acts[p - 1][..., None, None, :]
            lead = right.shape[:-4]
            if q == layers:
                total = (c[..., None, None, None] * right).sum(axis=-4)
                found[p, q] = transpose(total.reshape(*lead, n, n * n))
            else:
                left = transpose(b[q] * c[..., None])
                total = (left @ right.reshape(*lead, m, n**3)).reshape(*lead, n * n, n * n)
                found[p, q] = transpose(total)
                transfer = gates[q][..., :, None] * (weights[q - 1][..., None, :, :] @ transfer)
    return found


def hessian(weights, alpha, acts, gates, c):
    """Σ c_i ∇²T(x_i) over all weights, in the order W_1, …, W_(L-1), α, matrices row by row."""
    n, layers = alpha.shape[-1], len(weights) + 1
    found = blocks(weights, alpha, acts, gates, c)
    size = (layers - 1) * n * n + n
    h = np.zeros((*found[1, 2].shape[:-2], size, size))
    for (p, q), block in found.items():
        rows = slice((p - 1) * n * n, p * n * n)
        columns = slice((q - 1) * n * n, (q - 1) * n * n + block.shape[-1])
        h[..., rows, columns] = block
        h[..., columns, rows] = transpose(block)
    return h


def inner(one, two):
    """tr HᵀH' from the blocks of both."""
    return 2 * sum((one[k] * two[k]).sum(axis=(-2, -1)) for k in one)


def slopes(output, y):
    """Slopes of the hinge loss."""
    return np.where(y * output < 1, -y, 0.0)


def risk(weights, alpha, x, y):
    """Mean hinge loss."""
    return np.maximum(1 - y * forward(weights, alpha, x)[2], 0).mean(axis=-1)


def hinge_hessian(weights, alpha, x, y):
    acts, gates, output = forward(weights, alpha, x)
    return hessian(weights, alpha, acts, gates, slopes(output, y) / x.shape[-2])


def pack(weights, alpha):
    """All weights as one vector."""
    return np.concatenate([*(w.reshape(*w.shape[:-2], -1) for w in weights), alpha], axis=-1)


def unpack(theta, n, layers):
    weights = [
        theta[..., k * n * n : (k + 1) * n * n].reshape(*theta.shape[:-1], n, n) for k in range(layers - 1)
    ]
    return weights, theta[..., (layers - 1) * n * n :]


def train(weights, alpha, x, y):
    """600 steps of gradient descent with the steps 0.1/(1 + k/500): weights and the largest |entry| of the gradient."""
    weights, alpha, m = [w.copy() for w in weights], alpha.copy(), x.shape[-2]
    for k in range(601):
        acts, gates, output = forward(weights, alpha, x)
        per_layer, last = mean_gradient(weights, alpha, acts, gates, slopes(output, y) / m)
        if k == 600:
            break
        step = 0.1 / (1 + k / 500)
        weights = [w - step * g for w, g in zip(weights, per_layer, strict=True)]
        alpha = alpha - step * last
    largest = np.max([np.abs(g).max(axis=(-2, -1)) for g in per_layer] + [np.abs(last).max(axis=-1)], axis=0)
    return weights, alpha, largest


def plateau(weights, alpha, x, y):
    """Whether every sample has a margin above one, or a hidden layer with negative pre-activations alone."""
    dead = np.zeros(y.shape, dtype=bool)
    a = x
    for w in weights:
        z = a @ transpose(w)
        dead |= (z < 0).all(axis=-1)
        a = np.maximum(z, 0)
    margin = y * (a @ alpha[..., None])[..., 0]
    return ((margin > 1) | dead).all(axis=-1)


def mirror_defect(h):
    """Σ|λ_i + λ_(N+1-i)|/Σ|λ_i|."""
    values = np.linalg.eigvalsh(h)
    return np.abs(values + values[..., ::-1]).sum(axis=-1) / np.abs(values).sum(axis=-1)
