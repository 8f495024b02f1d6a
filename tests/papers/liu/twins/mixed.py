"""Twin of Theorem 3.3 for a network with several kinds of layer."""

import numpy as np

from tests.papers.twinning import twin


def outputs(theta, m):
    """f for rows of weights; image of ones with two channels and four pixels."""
    sizes = np.cumsum([6 * m, 4 * m * m, m * m])
    filters, first, second, v = np.split(theta, sizes, axis=1)
    filters = filters.reshape(-1, m, 2, 3)
    padded = np.pad(np.ones((2, 4)), ((0, 0), (1, 1)))
    windows = np.stack([padded[:, k : k + 4] for k in range(3)], axis=1)
    image = np.tanh(np.einsum("bmck,ckp->bmp", filters, windows) / np.sqrt(2))
    flat = image.reshape(len(theta), 4 * m, 1)
    hidden = np.tanh((first.reshape(-1, m, 4 * m) @ flat)[..., 0] / np.sqrt(m))
    last = np.tanh((second.reshape(-1, m, m) @ hidden[..., None])[..., 0] / np.sqrt(m)) + hidden
    return np.sum(v * last, axis=1) / np.sqrt(m)


@twin(
    "liu.thm3.3.mixed",
    [(2, {"activation": "tanh"}), (3, {"activation": "tanh"})],
    replicates=150,
    accuracy=1e-3,
)
def largest_eigenvalue(size, rng, activation):
    count = 6 * size + 5 * size**2 + size
    theta = rng.normal(size=count)
    step = rng.normal(size=count)
    theta += step / np.linalg.norm(step)
    h = 1e-3
    moves = h * np.eye(count)
    hessian = np.empty((count, count))
    for i in range(count):
        corners = [outputs(theta + a * moves[i] + b * moves, size) for a in (1, -1) for b in (1, -1)]
        hessian[i] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h * h)
    return np.abs(np.linalg.eigvalsh((hessian + hessian.T) / 2)).max() / np.sqrt(np.log(size))
