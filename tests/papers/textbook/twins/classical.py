"""Twins of textbook statements."""

import numpy as np

from tests.papers.twinning import twin


def signs(rng, *shape):
    return rng.choice([-1.0, 1.0], size=shape)


def kolmogorov(values, law):
    values = np.sort(values)
    stated, count = law(values), len(values)
    # At tied values only the last counts for F_n(x), and only the first for its limit from the left.
    above = np.searchsorted(values, values, side="right") / count
    below = np.searchsorted(values, values, side="left") / count
    return max(np.abs(above - stated).max(), np.abs(below - stated).max())


def from_density(density, low, high):
    """Distribution function by quadrature in an angle, so that square roots at the ends are smooth."""
    angle = np.linspace(0, np.pi, 20001)
    x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
    weight = density(x) * (high - low) / 2 * np.sin(angle)
    sums = np.concatenate([[0], np.cumsum((weight[1:] + weight[:-1]) / 2) * (angle[1] - angle[0])])
    return lambda value: np.interp(value, x, sums, left=0, right=1)


@twin("textbook.wigner", [(16, {}), (40, {})], accuracy=1e-6)
def wigner(size, rng):
    upper = np.triu(signs(rng, size, size))
    matrix = (upper + np.triu(upper, 1).T) / np.sqrt(size)
    law = from_density(lambda x: np.sqrt(np.maximum(0, 4 - x**2)) / (2 * np.pi), -2, 2)
    return kolmogorov(np.linalg.eigvalsh(matrix), law)


@twin("textbook.marchenko-pastur", [(16, {"ratio": 0.25}), (20, {"ratio": 0.7})], accuracy=1e-5)
def covariance(size, rng, ratio):
    samples = max(size, round(size / ratio))
    x = signs(rng, size, samples)
    y = size / samples
    low, high = (1 - np.sqrt(y)) ** 2, (1 + np.sqrt(y)) ** 2
    law = from_density(
        lambda t: np.sqrt(np.maximum(0, (high - t) * (t - low))) / (2 * np.pi * y * t), low, high
    )
    return kolmogorov(np.linalg.eigvalsh(x @ x.T / samples), law)


@twin("textbook.smallest-singular-value", [(4, {"distance": 0.5}), (8, {"distance": 1.0})], replicates=3000)
def singular(size, rng, distance):
    smallest = np.linalg.svd(rng.normal(size=(size, size)), compute_uv=False).min()
    return float(np.sqrt(size) * smallest <= distance)


@twin("textbook.edge.exponent", [(16, {}), (32, {})], replicates=1000)
def edge(size, rng):
    def largest():
        drawn = rng.normal(size=(size, size)) / np.sqrt(size)
        return np.linalg.eigvalsh((drawn + drawn.T) / np.sqrt(2)).max()

    return abs(largest() - largest())


def top(size, rng, ratio, spike):
    x = rng.normal(size=(size, round(size / ratio)))
    x[0] *= np.sqrt(spike)
    return np.linalg.eigvalsh(x @ x.T / x.shape[1]).max()


ABOVE = [(20, {"ratio": 0.25, "spike": 4.0}), (16, {"ratio": 0.5, "spike": 3.0})]
BELOW = [(20, {"ratio": 0.25, "spike": 1.1}), (16, {"ratio": 0.5, "spike": 1.05})]
twin("textbook.bbp.above", ABOVE, replicates=1000)(top)
twin("textbook.bbp.below", BELOW, replicates=1000)(top)


def difference(size, rng, ratio, spike):
    return abs(top(size, rng, ratio, spike) - top(size, rng, ratio, spike))


twin("textbook.bbp.exponent.above", ABOVE, replicates=1000)(difference)
twin("textbook.bbp.exponent.below", BELOW, replicates=1000)(difference)


@twin(
    {"textbook.gaudin.cue": {"orthogonal": False}, "textbook.gaudin.coe": {"orthogonal": True}},
    [(8, {"gap": 0.5}), (12, {"gap": 1.2})],
    replicates=1000,
)
def gaps(size, rng, gap, orthogonal):
    q, r = np.linalg.qr(rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size)))
    unitary = q * (np.diag(r) / np.abs(np.diag(r)))
    matrix = unitary.T @ unitary if orthogonal else unitary
    angles = np.sort(np.angle(np.linalg.eigvals(matrix)))
    found = np.diff(np.concatenate([angles, angles[:1] + 2 * np.pi]))
    return np.mean(found <= gap * 2 * np.pi / size)


@twin("textbook.circular-law", [(10, {}), (20, {})])
def circular(size, rng):
    moduli = np.abs(np.linalg.eigvals(signs(rng, size, size) / np.sqrt(size)))
    return kolmogorov(moduli, lambda r: np.minimum(1, r**2))


@twin("textbook.kesten-mckay", [(16, {}), (30, {})], accuracy=1e-5)
def graph(size, rng):
    p, q = (np.eye(size)[rng.permutation(size)] for _ in range(2))
    law = from_density(
        lambda x: 2 * np.sqrt(np.maximum(0, 12 - x**2)) / (np.pi * (16 - x**2)), -np.sqrt(12), np.sqrt(12)
    )
    return kolmogorov(np.linalg.eigvalsh(p + p.T + q + q.T), law)


def hermitian(size, rng, beta):
    drawn = rng.normal(size=(size, size))
    if beta == 2:
        drawn = (drawn + 1j * rng.normal(size=(size, size))) / np.sqrt(2)
    return (drawn + drawn.conj().T) / np.sqrt(2 * size)


def standardised(size, rng, beta):
    effective = size if beta == 2 else size - 0.5
    centre, scale = 2 * np.sqrt(effective / size), effective ** (-1 / 6) / np.sqrt(size)
    return (np.linalg.eigvalsh(hermitian(size, rng, beta)).max() - centre) / scale


@twin("textbook.edge.mean", [(12, {}), (30, {})], replicates=1000)
def edge_mean(size, rng):
    return standardised(size, rng, 1)


@twin("textbook.edge.tracy-widom", [(12, {"beta": 1}), (20, {"beta": 2})], replicates=1500)
def tracy_widom(size, rng, beta):
    return float(standardised(size, rng, round(beta)) <= -1.5)


@twin("textbook.rigidity", [(16, {}), (32, {})], replicates=500, accuracy=1e-5)
def rigidity(size, rng):
    values = np.linalg.eigvalsh(hermitian(size, rng, 2))
    law = from_density(lambda x: np.sqrt(np.maximum(0, 4 - x**2)) / (2 * np.pi), -2, 2)
    grid = np.linspace(-2, 2, 200001)
    quantiles = np.interp((np.arange(size) + 0.5) / size, law(grid), grid)
    return np.abs(values - quantiles)[size // 4 : size - size // 4].max()


@twin("textbook.wachter", [(12, {}), (30, {})], replicates=500, accuracy=1e-5)
def wachter(size, rng):
    x, y = rng.normal(size=(size, 2 * size)), rng.normal(size=(size, 3 * size))
    a, b = x @ x.T, y @ y.T
    low, high = ((np.sqrt(8) - np.sqrt(3)) / 5) ** 2, ((np.sqrt(8) + np.sqrt(3)) / 5) ** 2
    law = from_density(
        lambda t: 5 * np.sqrt(np.maximum(0, (high - t) * (t - low))) / (2 * np.pi * t * (1 - t)), low, high
    )
    return kolmogorov(np.linalg.eigvals(np.linalg.solve(a + b, a)).real, law)


@twin("textbook.elliptic-law", [(10, {}), (24, {})], replicates=500, accuracy=1e-5)
def elliptic(size, rng):
    drawn = rng.normal(size=(size, size))
    matrix = np.cos(np.pi / 12) * drawn + np.sin(np.pi / 12) * drawn.T  # correlation sin(π/6) = 1/2
    np.fill_diagonal(matrix, np.sqrt(1.5) * rng.normal(size=size))
    # In the direction φ the ellipse ends at R(φ): the area within r is the integral of min(r, R)²/2.
    angle = (np.arange(4000) + 0.5) * np.pi / 8000
    end = 0.75 / np.sqrt((0.5 * np.cos(angle)) ** 2 + (1.5 * np.sin(angle)) ** 2)

    def law(moduli):
        return np.mean(np.minimum(np.asarray(moduli)[:, None], end) ** 2, axis=1) / 0.75

    return kolmogorov(np.abs(np.linalg.eigvals(matrix / np.sqrt(size))), law)
