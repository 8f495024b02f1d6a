"""Twins of the statements about solutions of the Matrix Dyson equation I + (z - A + S[M])M = 0."""

import numpy as np

from tests.papers.twinning import twin


def drawn(n, rng):
    """The matrices B_k of S[R] = Σ_k B_k R B_k, and z."""
    count = rng.integers(1, 2 * n)
    r = rng.normal(size=(count, n, n))
    return (r + r.transpose(0, 2, 1)) / np.sqrt(2 * count * n), complex(
        rng.uniform(-2, 2), rng.uniform(0.3, 1)
    )


def superoperator(b, m):
    return (b @ m @ b).sum(axis=0)


def solve(b, z, start=None):
    """The damped iteration until M and -(z + S[M])⁻¹ differ by 10⁻¹³ of M."""
    n = b.shape[-1]
    m = 1j * np.eye(n) if start is None else start
    for _ in range(20000):
        image = -np.linalg.inv(z * np.eye(n) + superoperator(b, m))
        if np.linalg.norm(m - image) <= 1e-13 * np.linalg.norm(m):
            break
        m = (m + image) / 2
    return m


# The accuracies are those of the iterations.
@twin("li.lemmaD.3", [(2, {}), (4, {})], replicates=30, accuracy=1e-10)
def reflected(size, rng):
    b, z = drawn(size, rng)
    m, other = solve(b, z), solve(b, -np.conj(z))
    return np.linalg.norm(other + m.conj().T) / np.linalg.norm(m)


@twin("li.thm2.a", [(2, {}), (4, {})], replicates=30, accuracy=1e-10)
def from_elsewhere(size, rng):
    b, z = drawn(size, rng)
    m = solve(b, z)
    q, p = rng.normal(size=(2, size, size))
    found = solve(b, z, 3 * (q + q.T) + 1j * (p @ p.T + 0.01 * np.eye(size)))
    return np.linalg.norm(found - m) / np.linalg.norm(m)


REACHES = np.array([0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0001, 1.01, 1.1, 1.4])


def instance(n, rng):
    """The matrix of S over vec M, its norm ‖S[I]‖, and A over the norm's root times two."""
    kind, eye = rng.integers(3), np.eye(n)
    if kind == 0:
        s = np.outer(eye.ravel(), eye.ravel()) * rng.uniform(0.2, 5) / n
    elif kind == 1:
        q = rng.uniform(size=(n, n)) ** 3
        s = np.zeros((n * n, n * n))
        diagonal = np.arange(n) * (n + 1)
        s[np.ix_(diagonal, diagonal)] = q + q.T
    else:
        r = rng.normal(size=(n, n, n))
        s = sum(np.kron(b, b) for b in r + r.transpose(0, 2, 1))
    spread = rng.choice([0, 0.2, 2])
    return s, np.linalg.norm((s @ eye.ravel()).reshape(n, n), 2), spread * rng.normal(size=n)


@twin("li.remarkD.4", [(2, {}), (3, {})], replicates=150)
def reach(size, rng):
    """Of thirty draws at once: Newton's steps from large Im z down, with S and A divided to have ‖S‖ = ¼."""
    n, drawn = size, [instance(size, rng) for _ in range(30)]
    s = np.array([one / (4 * norm) for one, norm, _ in drawn])[:, None]
    a = np.array([each for *_, each in drawn])
    x = a.max(axis=1)[:, None] + REACHES
    eye = np.eye(n)

    def image(m, eta):
        sm = (s @ m.reshape(*m.shape[:2], n * n, 1)).reshape(m.shape)
        middle = (x + 1j * eta)[..., None, None] * eye - (a[:, None, :, None] * eye) + sm
        return -np.linalg.inv(middle)

    m = np.broadcast_to(1j * eye / 10, (*x.shape, n, n))
    traces = []
    for eta in 10.0 * 0.6 ** np.arange(34):
        for _ in range(3):
            m = (m + image(m, eta)) / 2
        for _ in range(4):
            g = image(m, eta)
            # d image = G S[d M] G, and vec is row by row.
            slope = np.einsum("...ij,...lk->...ikjl", g, g).reshape(*x.shape, n * n, n * n) @ s
            step = np.linalg.solve(np.eye(n * n) - slope, (g - m).reshape(*x.shape, n * n, 1))
            m = m + step.reshape(m.shape)
        traces.append(np.trace(m, axis1=-2, axis2=-1).imag)
    # Outside of the bulk Im tr M is proportional to Im z.
    inside = traces[-1] > 0.75 * traces[-2]
    return np.max(np.where(inside, REACHES, 0.0), axis=1)
