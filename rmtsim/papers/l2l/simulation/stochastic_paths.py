"""Paths of stochastic gradient descent that share the order of their samples, and single steps."""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.l2l.simulation.least_squares import TRUNCATION, Task, descend_stochastically


def prescribed_design(size: int, rng: np.random.Generator, largest: float) -> tuple[Array, Array]:
    """X with n = d/2 and eigenvalues of H equal to ``largest`` (once) and one; and its first direction."""
    count = size // 2
    left = np.linalg.qr(rng.standard_normal((count, count)))[0]
    right = np.linalg.qr(rng.standard_normal((size, count)))[0]
    values = np.full(count, 1.0)
    values[0] = largest
    return (left * np.sqrt(count * values)) @ right.T, right[:, 0]


def decrease_of_one_step(design: Array, v: Array, step: float) -> float:
    """(E‖v'‖² - ‖v‖²)/(η‖v‖²) of one SGD step, averaged exactly over the sample drawn."""
    inner = design @ v
    norms = np.einsum("ij,ij->i", design, design)
    return float(np.mean(step * norms * inner**2 - 2 * inner**2) / (v @ v))


def sample_order(rng: np.random.Generator) -> int:
    """Seed of an order of the samples, so that paths can share it."""
    return int(rng.integers(2**62))


def truncated_paths(task: Task, rates: Array, steps: int, order: int) -> Array:
    """w_t for every step size from one order of the samples; a truncated path ends at 40σ times a fixed vector."""
    ends = np.empty((rates.size, task.truth.size))
    for row, rate in enumerate(rates):
        ends[row], stopped, _ = descend_stochastically(task, float(rate), steps, np.random.default_rng(order))
        if stopped:
            ends[row] = TRUNCATION * task.noise * np.eye(task.truth.size)[0]
    return ends


def well_behaved(task: Task, bound: float) -> bool:
    """What Lemma D.4.9 assumes of a task: singular values, eigenvalues and noise within their bounds."""
    n, d = task.design.shape
    singular = np.linalg.svd(task.design, compute_uv=False)
    noise = float(np.linalg.norm(task.labels - task.design @ task.truth))
    values = singular**2 / n
    return bool(
        math.sqrt(d / bound) <= singular.min()
        and singular.max() <= math.sqrt(bound * d)
        and values.min() >= 1 / bound
        and values.max() <= bound
        and math.sqrt(d) * task.noise / 4 <= noise <= math.sqrt(d) * task.noise
    )
