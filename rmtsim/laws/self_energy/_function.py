"""Any callable as a self-energy, after checks whose errors contain a counterexample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.laws.self_energy._base import SelfEnergy

PROBES = 8
"""Random inputs per property; each violation of a fixed relative size escapes all of them with probability 0."""


class FromFunction(SelfEnergy):
    """Self-energy given by a function, tested for the properties that a self-energy has.

    Parameters
    ----------
    function : callable
        Maps a complex matrix R of shape (n, n) to S[R].
    size : int
        Side n.
    draw : callable, optional
        Maps a ``numpy.random.Generator`` to a random matrix; needed only for
        :func:`rmtsim.spectra.gaussian_matrix`.

    Raises
    ------
    ValueError
        If random tests find that the function is not linear, not self-adjoint or not positivity preserving. The
        message contains a counterexample.

    Notes
    -----
    Positivity is not proved: a negative value of u* S[vv*] u is searched for by alternating eigenvectors from many
    starts.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import FromFunction
    >>> FromFunction(lambda r: np.trace(r) * np.eye(2) / 2, 2).norm
    1.0
    >>> FromFunction(lambda r: -r, 2)
    Traceback (most recent call last):
        ...
    ValueError: self_energy is not positivity preserving: S[v v*] has eigenvalue -1 at v = [1, 0]
    """

    def __init__(
        self,
        function: Callable[[NDArray[np.complex128]], Any],
        size: int,
        *,
        draw: Callable[[np.random.Generator], Any] | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(
                f"function={function!r}: expected a callable R -> S[R], not {type(function).__name__}"
            )
        self.function = function
        self.size = validate.integer("size", size, meaning="side n of the matrices S acts on")
        self.draw = draw
        self._check()

    def _call(self, matrix: Matrix) -> NDArray[np.complex128]:
        value = np.asarray(self.function(np.array(matrix, dtype=np.complex128)))
        if value.shape != (self.size, self.size):
            raise ValueError(
                f"self_energy returned shape {value.shape} for a {self.size}×{self.size} matrix: "
                "expected the same shape"
            )
        if not np.isfinite(value).all():
            raise ValueError("self_energy returned a value that is not finite for a finite matrix")
        return value.astype(np.complex128)

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        return np.stack([self._call(item) for item in batch])

    def _check(self) -> None:
        rng = np.random.default_rng(20180402)  # fixed: the same callable passes or fails every time
        n = self.size

        def gaussian() -> NDArray[np.complex128]:
            return rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))

        real = True
        for _ in range(PROBES):
            x, y = gaussian(), gaussian()
            a, b = 1.5 - 0.5j, -0.75 + 2j
            sx, sy = self._call(x), self._call(y)
            scale = np.linalg.norm(sx) + np.linalg.norm(sy) + np.finfo(float).tiny
            gap = np.linalg.norm(self._call(a * x + b * y) - a * sx - b * sy) / scale
            if gap > 1e-8:
                raise ValueError(
                    "self_energy is not linear: for X, Y Gaussian, "
                    f"‖S[aX + bY] − aS[X] − bS[Y]‖ = {gap:.2g}·(‖S[X]‖ + ‖S[Y]‖) at a = {a}, b = {b}, "
                    f"X[0, 0] = {x[0, 0]:.3g}, Y[0, 0] = {y[0, 0]:.3g}"
                )
            gap = np.linalg.norm(self._call(x.conj().T) - sx.conj().T) / scale
            if gap > 1e-8:
                raise ValueError(
                    f"self_energy does not commute with the adjoint: ‖S[X*] − S[X]*‖ = {gap:.2g}·scale "
                    f"for a Gaussian X with X[0, 0] = {x[0, 0]:.3g}"
                )
            left, right = np.vdot(x, sy), np.vdot(sx, y)
            if abs(left - right) > 1e-8 * scale * np.linalg.norm(x):
                raise ValueError(
                    "self_energy is not self-adjoint: tr(X* S[Y]) = "
                    f"{left:.4g} but tr(S[X]* Y) = {right:.4g} for Gaussian X, Y; "
                    "S[R] = E[W R W] with Hermitian W always is"
                )
            symmetric = x.real + x.real.T
            image = self._call(symmetric)
            real &= bool(np.linalg.norm(image.imag) <= 1e-12 * float(np.linalg.norm(image) + 1e-300))
        self.real = real
        self._search_negative(rng)

    def _search_negative(self, rng: np.random.Generator) -> None:
        n = self.size
        basis = [np.eye(n)[i].astype(complex) for i in range(min(n, 16))]
        random = [rng.standard_normal(n) + 1j * rng.standard_normal(n) for _ in range(2 * PROBES)]
        for start in basis + random:
            v = start / np.linalg.norm(start)
            for _ in range(6):
                values, vectors = np.linalg.eigh(self._call(np.outer(v, v.conj())))
                if values[0] < -1e-8 * float(np.abs(values).max() + np.finfo(float).tiny):
                    shown = v if np.abs(v.imag).max() > 1e-12 else v.real
                    text = ", ".join(f"{entry:.4g}" for entry in shown[:8]) + (", …" if n > 8 else "")
                    raise ValueError(
                        f"self_energy is not positivity preserving: S[v v*] has eigenvalue "
                        f"{values[0]:.4g} at v = [{text}]"
                    )
                # Descend: S is self-adjoint, so the best v for this u is the lowest eigenvector of S[u u*].
                u = vectors[:, 0]
                v = np.linalg.eigh(self._call(np.outer(u, u.conj())))[1][:, 0]
