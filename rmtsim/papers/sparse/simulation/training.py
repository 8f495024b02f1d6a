"""Alternating minimisation: Algorithm 2 (reconstruction loss) and Algorithm 3 (masked loss), with Adam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.sparse.simulation.checks import checked_dictionary, checked_measurements, checked_sparsity
from rmtsim.papers.sparse.simulation.decoding import pursue
from rmtsim.papers.sparse.simulation.draws import normalised


@frozen
class Training:
    """A trained dictionary and the mean loss of every epoch."""

    dictionary: Array
    losses: Array
    """Mean over the epoch's batches of what was descended on (per measurement), before each step."""


@dataclass
class _Adam:
    """Kingma and Ba's rule with its bias corrections."""

    rate: float
    first: Array
    second: Array
    steps: int = 0
    beta1: float = 0.9
    beta2: float = 0.999
    floor: float = 1e-8

    def move(self, gradient: Array) -> Array:
        self.steps += 1
        self.first = self.beta1 * self.first + (1 - self.beta1) * gradient
        self.second = self.beta2 * self.second + (1 - self.beta2) * gradient**2
        mean = self.first / (1 - self.beta1**self.steps)
        square = self.second / (1 - self.beta2**self.steps)
        return self.rate * mean / (np.sqrt(square) + self.floor)


def initial_dictionary(
    truth: Any, samples: Any, atoms: int, kind: Literal["samples", "local"] = "samples"
) -> Array:
    """B⁽⁰⁾: ``atoms`` normalised samples, or ("local") the truth followed by as many samples as are missing.

    >>> initial_dictionary(np.eye(2), [[3.0, 4.0]], 3, "local").tolist()
    [[1.0, 0.0, 0.6], [0.0, 1.0, 0.8]]
    """
    matrix = checked_dictionary("truth", truth)
    rows = checked_measurements(samples, matrix.shape[0], "samples")
    count = validate.integer("atoms", atoms, meaning="number p' of atoms to learn")
    validate.choice("kind", kind, ("samples", "local"))
    if kind == "local" and count < matrix.shape[1]:
        raise ValueError(f"atoms={count}: expected at least {matrix.shape[1]}, those of the truth")
    missing = count - (matrix.shape[1] if kind == "local" else 0)
    if rows.shape[0] < missing:
        raise ValueError(f"samples: {rows.shape[0]} of them; expected at least {missing} to start atoms from")
    parts = ([matrix] if kind == "local" else []) + [rows[:missing].T]
    return normalised(np.hstack(parts))


def train(
    measurements: Any,
    start: Any,
    sparsity: int,
    epochs: int,
    rng: np.random.Generator,
    *,
    visible: int | None = None,
    batch: int = 200,
    rate: float = 1e-3,
    progress: Callable[[int], None] | None = None,
) -> Training:
    """Batches of Algorithm 2, or with ``visible`` = |M| of Algorithm 3: decode by OMP, one step of Adam, normalise.

    In Algorithm 3 every batch draws a new M of that size; codes are decoded from [y]_M and the gradient of the mean of
    ‖[y]_{M^c} - [Bz]_{M^c}‖² moves the other rows of B. Codes are held fixed in the gradient.

    >>> rng = np.random.default_rng(0)
    >>> data = rng.standard_normal((40, 4))
    >>> found = train(data, np.eye(4), 1, 3, rng, visible=3, batch=20)
    >>> found.dictionary.shape, found.losses.shape
    ((4, 4), (3,))
    """
    dictionary = normalised(checked_dictionary("start", start))
    d, atoms = dictionary.shape
    rows = checked_measurements(measurements, d)
    k = checked_sparsity(sparsity, atoms)
    epochs = validate.integer("epochs", epochs, minimum=0, meaning="passes over the measurements")
    size = validate.integer("batch", batch, meaning="measurements per step")
    rate = validate.positive_number("rate", rate, meaning="learning rate η")
    if rate > 1e3:
        raise ValueError(f"rate={rate}: expected a finite number > 0 and <= 1000 (learning rate η)")
    rng = validate.generator("rng", rng)
    if visible is not None:
        visible = validate.integer("visible", visible, maximum=d - 1, meaning="size |M| of a mask")
        if visible < k:
            raise ValueError(f"visible={visible}: expected at least sparsity={k} coordinates to decode from")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress={progress!r}: expected a function of the epoch, or None")
    adam = _Adam(rate, np.zeros_like(dictionary), np.zeros_like(dictionary))
    losses = np.empty(epochs)
    for epoch in range(epochs):
        order = rng.permutation(rows.shape[0])
        total = 0.0
        for begin in range(0, order.size, size):
            chosen = rows[order[begin : begin + size]]
            seen = hidden = np.arange(d)
            if visible is not None:
                seen, hidden = (np.sort(part) for part in np.split(rng.permutation(d), [visible]))
            codes = pursue(
                np.ascontiguousarray(dictionary[seen]), np.ascontiguousarray(chosen[:, seen]), k
            ).codes
            rest = chosen[:, hidden] - codes @ dictionary[hidden].T
            gradient = np.zeros_like(dictionary)
            gradient[hidden] = -2.0 / chosen.shape[0] * (rest.T @ codes)
            total += float((rest**2).sum())
            dictionary = dictionary - adam.move(gradient)
            dictionary /= np.linalg.norm(dictionary, axis=0)
        losses[epoch] = total / order.size
        if progress is not None:
            progress(epoch)
    return Training(dictionary, losses)
