"""Dictionaries, exhaustive codes and matching pursuit for many measurements at once."""

import itertools

import numpy as np


def normalised(a):
    return a / np.linalg.norm(a, axis=-2, keepdims=True)


def orthogonal(n, rng):
    q, r = np.linalg.qr(rng.normal(size=(n, n)))
    return q * np.sign(np.diag(r))


def subsets(p, k):
    return np.array(list(itertools.combinations(range(p), k)))


def codes(count, p, k, entries, rng):
    """Codes with uniformly random supports of k places, and the places."""
    places = np.argsort(rng.uniform(size=(count, p)), axis=1)[:, :k]
    z = np.zeros((count, p))
    np.put_along_axis(z, places, entries, axis=1)
    return z, places


def energies(a, y, k):
    """Largest ‖P_S y‖² over the k-sets of columns of a, for the rows of y, and the bases of the best sets."""
    chosen = subsets(a.shape[1], k)
    bases = np.linalg.qr(np.moveaxis(a[:, chosen], 1, 0))[0]
    found = np.sum(np.einsum("sdk,md->msk", bases, y) ** 2, axis=2)
    best = found.argmax(axis=1)
    return found[np.arange(len(y)), best], bases[best]


def isometry(a, order):
    parts = np.moveaxis(a[:, subsets(a.shape[1], order)], 1, 0)
    return np.abs(np.linalg.eigvalsh(np.swapaxes(parts, 1, 2) @ parts) - 1).max()


def pairs_net(p, parts):
    """The net of unit columns in the planes of pairs of coordinates."""
    columns = []
    for i, j in itertools.combinations(range(p), 2):
        for part in range(2 * parts):
            angle = (part + 0.5) * np.pi / (2 * parts)
            column = np.zeros(p)
            column[i], column[j] = np.cos(angle), np.sin(angle)
            columns.append(column)
    return np.array(columns).T


def pursue(b, y):
    """Codes of matching pursuit with two steps for the rows of y (…, d) and the dictionary b (…, d, p)."""
    p = b.shape[-1]
    first = np.abs(y @ b).argmax(axis=-1)
    one = np.take_along_axis(np.swapaxes(b, -1, -2), first[..., None], axis=-2)
    residual = y - np.sum(one * y, axis=-1, keepdims=True) / np.sum(one**2, axis=-1, keepdims=True) * one
    second = np.abs(residual @ b).argmax(axis=-1)
    two = np.take_along_axis(np.swapaxes(b, -1, -2), second[..., None], axis=-2)
    part = np.stack([one, two], axis=-1)
    gram = np.swapaxes(part, -1, -2) @ part
    fit = np.linalg.solve(gram, np.swapaxes(part, -1, -2) @ y[..., None])[..., 0]
    z = np.zeros((*y.shape[:-1], p))
    np.put_along_axis(z, np.stack([first, second], axis=-1), fit, axis=-1)
    return z
