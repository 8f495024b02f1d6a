"""Law of the square roots of a law on [0, ∞): singular values from eigenvalues of XXᵀ."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval

_NODES = (32, 64, 128, 256, 512)


class SquareRootLaw(SpectralLaw):
    """The law of √x for x from a law on [0, ∞)."""

    def __init__(self, squares: SpectralLaw) -> None:
        lowest = [low for low, _ in squares._intervals] + [location for location, _ in squares.atoms]
        if min(lowest) < 0:
            raise ValueError(f"squares: the law begins at {min(lowest):.6g}; expected a law on [0, ∞)")
        self.squares = squares

    def __repr__(self) -> str:
        return f"SquareRootLaw({self.squares!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SquareRootLaw) and self.squares == other.squares

    def __hash__(self) -> int:
        return hash((SquareRootLaw, self.squares))

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """Square roots of the ends."""
        return tuple((math.sqrt(low), math.sqrt(high)) for low, high in self.squares._intervals)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Square roots of the locations."""
        return tuple((math.sqrt(location), mass) for location, mass in self.squares.atoms)

    @property
    def _masses(self) -> tuple[float, ...]:
        return self.squares._masses

    @property
    def _hard_points(self) -> tuple[float, ...]:
        return tuple(math.sqrt(point) for point in self.squares._hard_points if point > 0)

    def _squared(self, x: FloatArray) -> FloatArray:
        """x², moved to the support where rounding leaves it."""
        ends, place = np.array(self.squares._intervals), self._interval_of(x)
        return np.clip(x * x, ends[place, 0], ends[place, 1])

    def _density_inside(self, x: FloatArray) -> FloatArray:
        # At zero 2x·density(x²) is 0·∞: its limit, from a point so near that the next order is below rounding.
        scale = self._intervals[-1][1]
        x = np.where(x == 0, 1e-12 * scale, x)
        return np.asarray(2 * x * self.squares._density_inside(self._squared(x)))

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        return self.squares._cdf_inside(self._squared(x))

    def _quantiles(self, below: FloatArray, above: FloatArray, from_below: NDArray[np.bool_]) -> FloatArray:
        return np.sqrt(self.squares._quantiles(below, above, from_below))

    def moment(self, order: int) -> float:
        """Even moments are those of the squares, odd ones are integrated."""
        k = validate.integer("order", order, minimum=0, maximum=400, meaning="order of the moment")
        if k % 2 == 0:
            return self.squares.moment(k // 2)
        return float(self._integral(lambda x: x**k, math.inf))

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        values = np.empty(z.shape, dtype=np.complex128)
        for k, point in enumerate(z):
            ends = np.ravel(self._intervals)
            nearest = float(np.min(np.abs(point - ends)))
            values[k] = self._integral(lambda x, point=point: 1 / (x - point), nearest)
        return values

    def _integral(self, function, distance: float):  # type: ignore[no-untyped-def]
        """∫ function dμ by Gauss–Legendre rules of more and more nodes in the angle of each interval.

        In the angle the density is smooth at square-root edges and at a jump at zero.
        """
        atoms = sum(mass * function(location) for location, mass in self.atoms)
        previous = None
        for count in _NODES:
            nodes, rule = np.polynomial.legendre.leggauss(count)
            angle = 0.5 * np.pi * (1 + nodes)
            total = atoms
            for low, high in self._intervals:
                x = low + (high - low) * np.sin(0.5 * angle) ** 2
                weights = 0.25 * np.pi * rule * (high - low) * np.sin(angle)
                total = total + np.sum(weights * self._density_inside(x) * function(x))
            if previous is not None and abs(total - previous) <= 1e-12 * abs(total):
                return total
            previous = total
        raise ConvergenceError(
            f"an integral over the law of square roots is not settled with {_NODES[-1]} nodes "
            f"(distance {distance:.3g} from an edge)",
            residual=float(abs(total - previous)),
            iterations=_NODES[-1],
        )
