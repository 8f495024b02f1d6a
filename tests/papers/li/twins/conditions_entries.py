"""Twins of the statements about conditions on the entries of H, domains, and the curvature of the risk."""

import numpy as np

from tests.papers.twinning import twin


def gates(x, one, two):
    """h and h' of rows x."""
    z = x @ one
    return (z > 0).astype(float), (np.maximum(z, 0) @ two > 0).astype(float)


def weights(n, rng):
    return rng.normal(size=(2, n, n)) * np.sqrt(2 / n)


@twin("li.def3.1.curvature", [(4, {}), (8, {})], replicates=1500)
@twin("li.def3.1.curvature/corrected", [(4, {}), (8, {})], replicates=1500)
def second_difference(size, rng):
    n, step = size, 1 / size
    y = rng.normal(size=(16 * n, n))
    for w in weights(n, rng):
        y = np.maximum(y @ w, 0)
    output = y @ (np.sqrt(2 / n) * rng.normal(size=(n, 16)))
    margins = np.concatenate([output.ravel(), -output.ravel()])

    def risk(s):
        return np.maximum(1 - s * margins, 0).mean()

    return (risk(1 + step) + risk(1 - step) - 2 * risk(1)) / step**2


@twin({"li.cond4.4": {"power": 1}, "li.cond4.4/corrected": {"power": 2}}, [(4, {}), (8, {})], replicates=1000)
def lower_bound(size, rng, power):
    """The first mean has the divisor n² as printed, which is divided by n² again corrected."""
    n = size
    one, two = weights(n, rng)
    a = np.abs(rng.normal(size=n))
    x = rng.normal(size=(256, n))
    h, last = gates(x, one, two)
    q = (x**2).mean(axis=1)
    above = np.mean(q * h.sum(axis=1) ** 2 * (last @ a) ** 2) / n**2
    below = np.mean(q * h.mean(axis=1) * (last @ a**2)) / n
    return above / below / (1 if power == 1 else n**2)


@twin({"li.condD.4": {"order": 3}, "li.condD.4/corrected": {"order": 2}}, [(2, {}), (10, {})], replicates=300)
def norms(size, rng, order):
    p, a = rng.uniform(0.5, 1) / size, np.arange(4001) / 4000

    def square(r):
        return (p * np.abs(1 - a) ** r + (1 - p) * a**r).min() ** (2 / r)

    return square(order) / square(2)


@twin({"li.thm2.c.domain": {"corrected": False}}, [(3, {}), (6, {})], replicates=1000)
# At other sizes the density is above or below N^(-1/2) at all of the places.
@twin({"li.thm2.c.domain/corrected": {"corrected": True}}, [(11, {}), (12, {})], replicates=300)
def domain(size, rng, corrected):
    x = rng.uniform(-1, 1, size=32)
    if corrected:
        return np.mean(np.sqrt(4 - np.round(x, 2) ** 2) / (2 * np.pi) >= size**-0.5)
    drawn = rng.normal(size=(size, size))
    values = np.linalg.eigvalsh((drawn + drawn.T) / np.sqrt(2 * size))
    return np.mean(np.abs(x[:, None] - values).min(axis=1) >= size**-0.5)


@twin("li.corD.1", [(2, {}), (4, {})], replicates=400)
def covariance(size, rng):
    def values():
        factor, mean = rng.normal(size=(size, size)), rng.normal(size=size)
        u = rng.normal(size=size)
        u = u / np.linalg.norm(u @ factor)
        w = rng.normal(size=(4096, size)) @ factor.T + mean
        f = np.cos(w @ u + rng.uniform(0, 2 * np.pi))
        f = f / np.sqrt(np.mean(f**2))
        return f[:2048] - f[2048:]

    return np.mean(values() * values()) / 2


@twin("li.cond3.1", [(4, {}), (6, {})], replicates=300)
def correlated(size, rng):
    n = size
    one, two = weights(n, rng)
    i, j, k = rng.integers(n, size=(3, 32))

    def correlations():
        x = rng.normal(size=(128, n))
        h, last = gates(x, one, two)
        entries = (x[:, :, None, None] * h[:, None, :, None] * last[:, None, None, :]).reshape(128, -1)
        chosen = entries[:, (i * n + j) * n + k]
        root = np.sqrt((chosen**2).sum(axis=0)[:, None] * (entries**2).sum(axis=0))
        return np.divide(chosen.T @ entries, root, out=np.zeros_like(root), where=root > 0)

    return (correlations() * correlations()).sum(axis=1).mean() / (2 * n * n + n)


@twin("li.sec4.d4", [(1, {}), (16, {})], replicates=120)
def kurtosis(size, rng):
    """The values at all sizes of the plan, which the sampler returns together."""
    sets = 16384

    def entries(count, one, two):
        x = rng.normal(size=(count, 4))
        z = x @ one
        open_gates = (z[:, 0] > 0) & (np.maximum(z, 0) @ two[:, 0] > 0)
        return rng.choice([-1.0, 1.0], size=count) * x[:, 0] * open_gates

    while True:
        one, two = weights(4, rng)
        first = entries(65536, one, two)
        if np.mean(first != 0) > 0.05:
            break
    divisor = np.mean(first**4) / np.mean(first**2) ** 2 - 3
    parts = np.split(entries(sets * 21, one, two), [sets, sets * 5])
    v = sum((part**2).sum() for part in parts) / (sets * 21)
    found = []
    for m, part in zip((1, 4, 16), parts, strict=True):
        q = part.reshape(sets, m).mean(axis=1) ** 2
        f = (q.sum() ** 2 - (q**2).sum()) / (sets * (sets - 1))
        found.append((np.mean(q**2) - 3 * f) * (m / v) ** 2 / divisor)
    return np.array(found)
