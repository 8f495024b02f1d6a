"""Law of the square roots of a law on [0, ∞): singular values from eigenvalues of XXᵀ."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws._expectation import integral


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
        atoms = math.fsum(mass * location**k for location, mass in self.atoms)
        return atoms + integral(self.squares, lambda x, density: x ** (0.5 * k) * density)

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        values = np.empty(z.shape, dtype=np.complex128)
        for place, point in enumerate(z.tolist()):
            atoms = sum(mass / (location - point) for location, mass in self.atoms)
            parts = [integral(self.squares, _Kernel(point, imaginary)) for imaginary in (False, True)]
            values[place] = atoms + complex(*parts)
        return values


@frozen
class _Kernel:
    """Real or imaginary part of density/(√x - point)."""

    point: complex
    imaginary: bool

    def __call__(self, x: FloatArray, density: FloatArray) -> FloatArray:
        values = density / (np.sqrt(x) - self.point)
        return np.asarray(values.imag if self.imaginary else values.real)
