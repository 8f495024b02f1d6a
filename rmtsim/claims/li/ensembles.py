"""The ensembles on which `li`'s theorems are tried: how each is drawn, and which law theory gives it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.model import Parameter, Parameters
from rmtsim.laws.dyson import MatrixDyson
from rmtsim.laws.self_energy import Block, Kronecker, VarianceProfile, Wigner

__all__ = ["ENSEMBLES", "Ensemble", "eigenvalues"]

POINTS = 64
"""Places at which a continuous profile or symbol is sampled for the limit law (midpoint rule)."""


@dataclass(frozen=True)
class Ensemble:
    """A family of random matrices with its parameter; ``limit`` is the law of n → ∞, ``finite`` that of size n."""

    name: str
    text: str
    parameter: Parameter
    limit: Callable[[float], MatrixDyson]
    finite: Callable[[float, int], MatrixDyson]
    centred: bool = True


def _draw(name: str, size: int, value: float, rng: np.random.Generator) -> NDArray[np.float64]:
    from rmtsim.sampling import ensembles

    draw = getattr(ensembles, name.replace("-", "_"))
    result: NDArray[np.float64] = draw(size, value, rng)
    return result


def eigenvalues(
    ensemble: Ensemble, parameters: Parameters, size: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Eigenvalues of one draw, in increasing order."""
    matrix = _draw(ensemble.name, size, float(parameters[ensemble.parameter.name]), rng)
    return np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)


def _halves(across: float) -> NDArray[np.float64]:
    return np.array([[1.0, across], [across, 0.1]])


def _two_block(across: float, size: int) -> MatrixDyson:
    place = (np.arange(size) >= size // 2).astype(np.intp)
    return MatrixDyson(0.0, VarianceProfile(_halves(across)[np.ix_(place, place)] / size))


def _band(width: float, size: int) -> MatrixDyson:
    x = (np.arange(size) + 0.5) / size
    return MatrixDyson(0.0, VarianceProfile((0.2 + np.exp(-((x[:, None] - x) ** 2) / (2 * width**2))) / size))


def _symbol(correlation: float) -> MatrixDyson:
    # Eigenvalues of the Toeplitz matrix r^|i−j| tend to its symbol at equally spaced angles.
    angle = np.pi * (np.arange(POINTS) + 0.5) / POINTS
    symbol = (1 - correlation**2) / (1 - 2 * correlation * np.cos(angle) + correlation**2)
    return MatrixDyson(0.0, Kronecker(np.diag(symbol)))


def _toeplitz(correlation: float, size: int) -> MatrixDyson:
    # The law depends on the eigenvalues of the covariance only.
    index = np.arange(size)
    values = np.linalg.eigvalsh(correlation ** np.abs(index[:, None] - index))
    return MatrixDyson(0.0, Kronecker(np.diag(np.maximum(values, 0))))


def _two_point(separation: float, size: int) -> MatrixDyson:
    signs = np.where(np.arange(size) < size // 2, -1.0, 1.0)
    return MatrixDyson(separation * np.diag(signs), Wigner(size))


def _chiral(ratio: float) -> MatrixDyson:
    return MatrixDyson(0.0, Block(general=[[[0, 1], [0, 0]]], weights=(ratio, 1.0)))


def _parameter(
    name: str, meaning: str, default: float, low: float, high: float, draw: tuple[float, float]
) -> Parameter:
    return Parameter(name, meaning, default, lowest=low, highest=high, open_below=low == 0, draw_range=draw)


ENSEMBLES = {
    ensemble.name: ensemble
    for ensemble in (
        Ensemble(
            "wigner",
            "independent Gaussian entries of one variance",
            _parameter("variance", "n times the variance of an entry", 1.0, 0.0, 100.0, (0.2, 5.0)),
            functools.lru_cache(lambda v: MatrixDyson(0.0, Wigner(1, v))),
            functools.lru_cache(lambda v, n: MatrixDyson(0.0, Wigner(n, v))),
        ),
        Ensemble(
            "two-block",
            "independent entries, variances 1 and 0.1 within two halves and another between them",
            _parameter(
                "across",
                "variance between the halves over that within the first",
                0.2,
                0.0,
                10.0,
                (0.05, 3.0),
            ),
            functools.lru_cache(lambda a: MatrixDyson(0.0, VarianceProfile(_halves(a) / 2))),
            functools.lru_cache(_two_block),
        ),
        Ensemble(
            "banded",
            "independent entries with a soft band of variances",
            _parameter("width", "width of the band over n", 0.15, 0.02, 10.0, (0.05, 0.5)),
            functools.lru_cache(lambda w: _band(w, POINTS)),
            functools.lru_cache(_band),
        ),
        Ensemble(
            "separable",
            "L^½ G L^½, all entries correlated through L_ij = r^|i−j|",
            _parameter("correlation", "correlation r of neighbours", 0.5, 0.0, 0.9, (0.1, 0.8)),
            functools.lru_cache(_symbol),
            functools.lru_cache(_toeplitz),
        ),
        Ensemble(
            "deformed",
            "Wigner plus a mean with two eigenvalues",
            _parameter("separation", "eigenvalues ± separation of the mean", 1.4, 0.0, 20.0, (0.3, 3.0)),
            functools.lru_cache(lambda a: MatrixDyson(np.diag([-a, a]), Wigner(2))),
            functools.lru_cache(_two_point),
            centred=False,
        ),
        Ensemble(
            "rectangular",
            "the linearisation [[0, X], [Xᵀ, 0]] of a Wishart matrix",
            _parameter("ratio", "rows of X over its columns", 0.5, 0.01, 100.0, (0.2, 3.0)),
            functools.lru_cache(_chiral),
            functools.lru_cache(lambda c, n: _chiral(max(1, round(c * n)) / n)),
        ),
    )
}
