"""Moments of structured noise from power series in 1/z, all of whose terms are positive."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import FloatArray
from rmtsim.laws._noise.system import System


def noise_moment(system: System, k: int, ratio: float) -> float:
    """∫ x^k of the law, in the units of the system.

    With y = 1/z, u = -y·a(y) and v = -y·b(y), the equations are a = c Σ a_i r_i/(1 - y b·r_i) and the same for b,
    so that every coefficient is a sum of positive numbers; the moments are the coefficients of Σ a_i/(1 - y b·r_i).
    """
    if k == 0:
        return 1.0
    up, down = _Series(system.rows, system.row_weights), _Series(system.columns, system.column_weights)
    for _ in range(k):
        first, second = up.coefficient(), down.coefficient()
        up.extend(second)
        down.extend(first)
    with np.errstate(over="raise"):
        try:
            return float(system.row_weights @ up.values[-1]) / ratio
        except FloatingPointError:
            raise OverflowError from None


class _Series:
    """Coefficients of 1/(1 - y b(y)·r_i) for all atoms of one side, one order after another."""

    def __init__(self, atoms: FloatArray, weights: FloatArray) -> None:
        self.atoms, self.weighted = atoms, weights[:, None] * atoms
        self.values = [np.ones(atoms.shape[0])]
        self.inner: list[FloatArray] = []

    def coefficient(self) -> FloatArray:
        """Newest coefficient of Σ g y/(1 - y b·r)."""
        return np.asarray(self.values[-1] @ self.weighted)

    def extend(self, other: FloatArray) -> None:
        """One order more, from the other side's newest coefficient."""
        self.inner.append(self.atoms @ other)
        order = len(self.inner)
        total = np.zeros(self.atoms.shape[0])
        for m in range(order):
            total += self.inner[m] * self.values[order - 1 - m]
        self.values.append(total)
