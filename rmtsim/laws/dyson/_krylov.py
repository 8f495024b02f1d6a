"""GMRES for many independent systems at once: one small Arnoldi process per spectral parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[Any]


def gmres(
    operator: Callable[[Complex], Complex], right: Complex, tolerance: NDArray[np.float64], steps: int
) -> Complex:
    """x with ‖b − Lx‖ ≤ tolerance·‖b‖ for each row b of ``right``, or the best x in ``steps`` dimensions.

    ``operator`` maps a batch shaped like ``right`` to its image; no restart, since the caller's Newton
    iteration restarts with a better point.
    """
    shape = right.shape
    count, length = len(right), int(np.prod(shape[1:]))
    steps = min(steps, length)
    flat = right.reshape(count, length)
    size = np.linalg.norm(flat, axis=1)
    safe = np.where(size > 0, size, 1.0)
    basis = np.zeros((count, steps + 1, length), dtype=np.complex128)
    basis[:, 0] = flat / safe[:, None]
    triangle = np.zeros((count, steps, steps), dtype=np.complex128)
    cosine = np.ones((count, steps), dtype=np.complex128)
    sine = np.zeros((count, steps), dtype=np.complex128)
    target = np.zeros((count, steps + 1), dtype=np.complex128)
    target[:, 0] = size
    used = 0
    for j in range(steps):
        vector = operator(basis[:, j].reshape(shape)).reshape(count, length)
        column = np.zeros((count, steps + 1), dtype=np.complex128)
        # Gram–Schmidt twice: once is not enough when the operator is nearly the identity.
        for _ in range(2):
            overlap = (basis[:, : j + 1] @ vector.conj()[:, :, None])[:, :, 0].conj()
            vector = vector - (overlap[:, None, :] @ basis[:, : j + 1])[:, 0]
            column[:, : j + 1] += overlap
        rest = np.linalg.norm(vector, axis=1)
        alive = rest > 1e-14 * np.linalg.norm(column, axis=1)
        basis[:, j + 1] = np.where(alive, 1.0, 0.0)[:, None] * vector / np.where(rest > 0, rest, 1.0)[:, None]
        rest = np.where(alive, rest, 0.0)
        for i in range(j):
            above, below = column[:, i].copy(), column[:, i + 1].copy()
            column[:, i] = cosine[:, i].conj() * above + sine[:, i].conj() * below
            column[:, i + 1] = -sine[:, i] * above + cosine[:, i] * below
        radius = np.sqrt(np.abs(column[:, j]) ** 2 + rest**2)
        radius = np.where(radius > 0, radius, 1.0)
        cosine[:, j], sine[:, j] = column[:, j] / radius, rest / radius
        column[:, j] = radius
        target[:, j + 1] = -sine[:, j] * target[:, j]
        target[:, j] = cosine[:, j].conj() * target[:, j]
        triangle[:, : j + 1, j] = column[:, : j + 1]
        used = j + 1
        if np.all(np.abs(target[:, used]) <= tolerance * size):
            break
    weights = np.zeros((count, used), dtype=np.complex128)
    for i in range(used - 1, -1, -1):
        done = np.einsum("bj,bj->b", triangle[:, i, i + 1 : used], weights[:, i + 1 :])
        weights[:, i] = (target[:, i] - done) / triangle[:, i, i]
    return (weights[:, None, :] @ basis[:, :used])[:, 0].reshape(shape)
