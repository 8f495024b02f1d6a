"""The operator-valued case: k×k coefficients, infinitely large independent random blocks."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.laws.self_energy._base import SelfEnergy


def _coefficients(name: str, given: ArrayLike | Sequence[Any]) -> list[NDArray[Any]]:
    if not isinstance(given, Iterable):
        raise TypeError(f"{name}={validate.shown(given)}: expected a sequence of k×k coefficients")
    return [np.asarray(item) for item in given]


class Block(SelfEnergy):
    """Self-energy of a block matrix with infinitely large independent random blocks (operator-valued case).

    It belongs to H = A ⊗ 1 + Σ_q B_q ⊗ Y_q + Σ_r (C_r ⊗ X_r + C_r* ⊗ X_r*), with Wigner matrices Y_q and matrices
    X_r of independent entries, possibly rectangular; all entries have variance 1/N.

    Parameters
    ----------
    hermitian : sequence of array_like, optional
        Hermitian coefficients B_q of shape (k, k).
    general : sequence of array_like, optional
        Coefficients C_r of shape (k, k).
    weights : array_like, optional
        Sides of the k blocks divided by N; all one by default.
    spectral : iterable of int, optional
        Blocks that carry the spectral parameter; all by default. For a linearisation [[−z, u], [u*, Q]] only the
        first, and the law is that of the Schur complement u(−Q)⁻¹u*.

    Attributes
    ----------
    compatible : ndarray of bool
        Pairs of blocks of equal side.

    Raises
    ------
    ValueError
        If coefficients do not have one shape, a Hermitian coefficient is not Hermitian, or the weights do not fit.

    Notes
    -----
    S[R] = Σ_q B_q w R B_q + Σ_r (C_r w R C_r* + C_r* w R C_r) with w = diag(weights), exact in the limit N → ∞.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.laws.self_energy import Block
    >>> wishart = Block(general=[[[0, 1], [0, 0]]], weights=(0.5, 1.0), spectral=(0,))
    >>> wishart(np.diag([1.0, 2.0])).real.tolist()
    [[2.0, 0.0], [0.0, 0.5]]
    """

    def __init__(
        self,
        hermitian: ArrayLike | Sequence[Any] = (),
        general: ArrayLike | Sequence[Any] = (),
        *,
        weights: ArrayLike | None = None,
        spectral: Iterable[int] | None = None,
    ) -> None:
        self.hermitian = _coefficients("hermitian", hermitian)
        self.general = _coefficients("general", general)
        named = [(f"hermitian[{q}]", item) for q, item in enumerate(self.hermitian)]
        named += [(f"general[{r}]", item) for r, item in enumerate(self.general)]
        if not named:
            raise ValueError("hermitian, general: expected at least one k×k coefficient, got none")
        for name, item in named:
            if item.ndim != 2 or item.shape[0] != item.shape[1] or item.shape != named[0][1].shape:
                raise ValueError(
                    f"{name} has shape {item.shape}: expected k×k, the same k for all coefficients"
                )
            if not np.issubdtype(item.dtype, np.number) or not np.isfinite(item).all():
                raise ValueError(f"{name}: expected finite numbers")
        for q, item in enumerate(self.hermitian):
            if not np.allclose(item, item.conj().T, rtol=1e-10, atol=0):
                raise ValueError(
                    f"hermitian[{q}]: expected a Hermitian coefficient; list others under general="
                )
        self.size = len(named[0][1])
        self.real = not any(np.iscomplexobj(item) for _, item in named)
        self.weights = self._checked_weights(weights)
        if not (spectral is None or isinstance(spectral, Iterable)):
            raise TypeError(f"spectral={validate.shown(spectral)}: expected block indices")
        indices = range(self.size) if spectral is None else spectral
        self.spectral = tuple(
            validate.integer("spectral", i, minimum=0, maximum=self.size - 1, meaning="block index")
            for i in indices
        )
        if not self.spectral or len(set(self.spectral)) != len(self.spectral):
            raise ValueError(f"spectral={self.spectral}: expected distinct block indices, at least one")
        self._check_sides(named)

    def _checked_weights(self, weights: ArrayLike | None) -> NDArray[np.float64]:
        values = np.ones(self.size) if weights is None else np.asarray(weights, dtype=np.float64)
        if values.shape != (self.size,):
            raise ValueError(f"weights has shape {values.shape}: expected ({self.size},), one side per block")
        if not (np.isfinite(values).all() and values.min() > 0):
            raise ValueError(f"weights={values.tolist()}: expected finite numbers > 0 (block side over N)")
        return values

    @functools.cached_property
    def compatible(self) -> NDArray[np.bool_]:
        """Pairs of blocks of one side: only those can hold a multiple of the identity."""
        result: NDArray[np.bool_] = np.equal.outer(self.weights, self.weights)
        return result

    def _check_sides(self, named: list[tuple[str, Any]]) -> None:
        for q, item in enumerate(self.hermitian):
            if np.any(item[~self.compatible]):
                raise ValueError(f"hermitian[{q}] joins blocks of unequal weights: a Wigner block is square")
        image = np.abs(self._superoperator).reshape((self.size,) * 4)
        if np.any(image[~self.compatible][:, self.compatible]):
            raise ValueError(
                "weights: one coefficient gives one random block several different shapes; "
                "list them as separate coefficients or give those blocks equal weights"
            )

    @functools.cached_property
    def _superoperator(self) -> Matrix:
        """S as a k²×k² matrix on row-major vectors; entries of R across unequal sides are read as zero."""
        k = self.size
        total: Any = np.zeros((k * k, k * k), dtype=np.float64 if self.real else np.complex128)
        pairs = [(b, b) for b in self.hermitian]
        pairs += [(c, c.conj().T) for c in self.general] + [(c.conj().T, c) for c in self.general]
        for left, right in pairs:
            total += np.kron(left * self.weights, right.T)
        total *= self.compatible.ravel()
        return total  # type: ignore[no-any-return]

    @property
    def diagonal(self) -> NDArray[np.float64] | None:
        """The k×k matrix of S on diagonals if S maps diagonal matrices to diagonal ones."""
        k = self.size
        table = self._superoperator.reshape((k,) * 4)
        on_diagonal = table[:, :, np.arange(k), np.arange(k)]
        rest = on_diagonal.copy()
        rest[np.arange(k), np.arange(k)] = 0
        if np.any(rest):
            return None
        result: NDArray[np.float64] = on_diagonal[np.arange(k), np.arange(k)].real
        return result

    def _apply(self, batch: Matrix, symmetric: bool = False) -> Matrix:
        flat = batch.reshape(len(batch), -1)
        if self.real and np.iscomplexobj(flat):
            parts = np.concatenate([flat.real, flat.imag]) @ self._superoperator.T
            result = parts[: len(flat)] + 1j * parts[len(flat) :]
        else:
            result = flat @ self._superoperator.T
        shaped: Matrix = result.reshape(batch.shape)
        return shaped

    def adjoint(self, matrix: ArrayLike) -> Matrix:
        """Adjoint for the trace weighted by the sides of the blocks, for which S is self-adjoint."""
        return self(matrix)

    def sides(self, size: int) -> NDArray[np.intp]:
        """Sides of the blocks.

        Parameters
        ----------
        size : int
            N, the unit of the sides.

        Returns
        -------
        ndarray of int
            Sides ``round(weights * size)``, at least one.
        """
        return np.maximum(1, np.rint(self.weights * size)).astype(np.intp)
