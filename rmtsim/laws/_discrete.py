"""Laws that consist of atoms only: populations, coins, projections."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim.laws._base import SpectralLaw, finite_moment
from rmtsim.laws._distribution import Atom, Interval


@dataclass(frozen=True, init=False)
class Discrete(SpectralLaw):
    """A law that consists of finitely many atoms.

    Parameters
    ----------
    locations : array_like
        Locations of the atoms; equal locations are merged.
    weights : array_like, optional
        Their weights, positive; equal by default. They are normalised to sum to one.

    Raises
    ------
    ValueError
        If there is no atom, a weight is not positive, or the numbers of locations and weights differ.

    Examples
    --------
    >>> from rmtsim.laws import Discrete
    >>> coin = Discrete([-1.0, 1.0])
    >>> coin.cdf(0.0), coin.moment(2), coin.stieltjes(2.0)
    (0.5, 1.0, -0.6666666666666666)
    """

    _atoms: tuple[Atom, ...]

    def __init__(self, locations: ArrayLike, weights: ArrayLike | None = None) -> None:
        points = np.atleast_1d(
            validate.real_array("locations", locations, meaning="where the atoms are")
        ).ravel()
        shares = (
            np.ones(points.shape)
            if weights is None
            else np.atleast_1d(validate.real_array("weights", weights, meaning="masses of the atoms")).ravel()
        )
        if points.size == 0 or points.shape != shares.shape or (shares <= 0).any():
            raise ValueError(
                f"locations, weights of {points.size} and {shares.size} numbers: expected as many positive weights as "
                "locations, at least one"
            )
        places, which = np.unique(points, return_inverse=True)
        masses = np.bincount(which, weights=shares) / math.fsum(shares)
        object.__setattr__(self, "_atoms", tuple(zip(places.tolist(), masses.tolist(), strict=True)))

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """Empty: there is no continuous part."""
        return ()

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Pairs (location, mass)."""
        return self._atoms

    @property
    def _masses(self) -> tuple[float, ...]:
        return ()

    def _density_inside(self, x: FloatArray) -> FloatArray:
        raise AssertionError("no point lies in an empty support")

    def _cdf_inside(self, x: FloatArray) -> FloatArray:
        raise AssertionError("no point lies in an empty support")

    def _stieltjes_upper(self, z: ComplexArray) -> ComplexArray:
        locations, masses = np.array(self._atoms).T
        return np.asarray((masses / (locations - z[..., None])).sum(axis=-1))

    def moment(self, order: int) -> float:
        """Moment ``Σ weight·location^k``."""
        k = validate.integer("order", order, minimum=0, meaning="order of the moment")
        with finite_moment(k):
            return math.fsum(mass * location**k for location, mass in self._atoms)
