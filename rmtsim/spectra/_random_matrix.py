"""Random matrices whose spectra tend to a law: each law with the ensemble that it belongs to."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim import ensembles
from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim._internal.randomness import RandomSource
from rmtsim.laws._affine import AffineLaw
from rmtsim.laws._arcsine import Arcsine
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._discrete import Discrete
from rmtsim.laws._free.compression import Compression
from rmtsim.laws._free.convolution import FreeConvolution
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.laws._kesten_mckay import KestenMcKay
from rmtsim.laws._marchenko_pastur import MarchenkoPastur
from rmtsim.laws._noise.structured import StructuredNoise
from rmtsim.laws._planar import Elliptic, Ginibre, PlanarLaw
from rmtsim.laws._semicircle import Semicircle
from rmtsim.laws._spiked_covariance import SpikedCovariance
from rmtsim.laws._wachter import Wachter
from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.self_energy._block import Block
from rmtsim.spectra._gaussian_matrix import gaussian_matrix


def random_matrix(law: SpectralLaw | PlanarLaw, n: int, rng: RandomSource) -> Matrix:
    """Random n×n matrix whose spectrum tends to a law as n grows.

    Parameters
    ----------
    law : SpectralLaw or PlanarLaw
        The limit law. A class of your own has a method ``matrix(n, rng)``.
    n : int
        Size of the matrix. For :class:`~rmtsim.laws.MatrixDyson` a multiple of the size of its self-energy (every
        entry becomes a random block), or a number that the weights of its blocks divide.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric or Hermitian for a law on the real line.

    Raises
    ------
    TypeError
        If no ensemble is known for this law.
    ValueError
        If the ensemble has no matrix of this size, or it does not fit in memory.

    Examples
    --------
    >>> from rmtsim.laws import MarchenkoPastur
    >>> matrix = random_matrix(MarchenkoPastur(0.25), 200, np.random.default_rng(0))
    >>> values = np.linalg.eigvalsh(matrix)
    >>> bool(0.2 < values[0] < values[-1] < 2.4)
    True
    """
    n = validate.integer("n", n, meaning="size of the matrix")
    return _drawn(law, n, validate.generator("rng", rng))


@singledispatch
def _drawn(law: Any, n: int, rng: np.random.Generator) -> Matrix:
    own = getattr(law, "matrix", None)
    if own is None:
        raise TypeError(
            f"law: no ensemble is known for a {type(law).__name__}; give the class a method matrix(n, rng)"
        )
    return np.asarray(own(n, rng))


@_drawn.register
def _(law: Semicircle, n: int, rng: np.random.Generator) -> Matrix:
    return ensembles.gaussian(n, rng, variance=law.entry_variance)


@_drawn.register
def _(law: MarchenkoPastur, n: int, rng: np.random.Generator) -> Matrix:
    return ensembles.weighted_wishart(n, np.full(_samples(n, law.ratio), law.entry_variance), rng)


@_drawn.register
def _(law: GeneralizedMarchenkoPastur, n: int, rng: np.random.Generator) -> Matrix:
    """(1/N) X Λ Xᵀ, Λ the (i - 1/2)/N quantiles of the population."""
    return ensembles.weighted_wishart(n, law.population.quantiles(_samples(n, law.ratio)), rng)


def _samples(n: int, ratio: float) -> int:
    """N = n/ratio, rounded."""
    count = round(n / ratio)
    if not 1 <= count <= validate.MAXIMUM_SIZE:
        raise ValueError(
            f"n={n}: expected a size for which N = n/ratio lies in [1, {validate.MAXIMUM_SIZE}] (ratio {ratio:g})"
        )
    return count


@_drawn.register
def _(law: SpikedCovariance, n: int, rng: np.random.Generator) -> Matrix:
    """A sample covariance of n features: the spikes take the place of the first few population values."""
    if n < max(2, len(law.spikes)):
        raise ValueError(f"n={n}: expected at least two features, and as many as spikes ({len(law.spikes)})")
    samples = max(1, round(n / law.ratio))
    validate.memory(8.0 * n * (n + 3 * samples), f"a sample covariance of n={n} features")
    scales = law.population(n)
    scales[: len(law.spikes)] = law.spikes
    rows = np.sqrt(scales)[:, None] * rng.standard_normal((n, samples))
    return np.asarray(rows @ rows.T / samples)


@_drawn.register
def _(law: StructuredNoise, n: int, rng: np.random.Generator) -> Matrix:
    """XXᵀ with diagonal R and T, the (i - 1/2)/n quantiles of the rows and columns."""
    samples = _samples(n, law.ratio)
    validate.memory(8.0 * n * (n + 2 * samples), f"noise of shape {n}×{samples}")
    rows, columns = law.row_population.quantiles(n), law.column_population.quantiles(samples)
    noise = np.sqrt(rows)[:, None] * rng.standard_normal((n, samples)) * np.sqrt(columns / samples)
    return np.asarray(noise @ noise.T)


@_drawn.register
def _(law: Wachter, n: int, rng: np.random.Generator) -> Matrix:
    """A(A + B)⁻¹ made symmetric; n₁ = α n and n₂ = β n, rounded."""
    first, second = (max(1, round(each * n)) for each in (law.first, law.second))
    if first + second < n:
        raise ValueError(f"n={n}: expected a size for which n₁ + n₂ = {first + second} is at least n")
    return ensembles.jacobi(n, first, second, rng)


@_drawn.register
def _(law: Arcsine, n: int, rng: np.random.Generator) -> Matrix:
    """(r/2)(P + Pᵀ) with P a uniform permutation."""
    return np.asarray(0.5 * law.radius * ensembles.regular_graph(n, 2, rng))


@_drawn.register
def _(law: KestenMcKay, n: int, rng: np.random.Generator) -> Matrix:
    if law.degree % 2 and n % 2:
        raise ValueError(f"n={n}: expected an even size (vertices of a graph of odd degree {law.degree})")
    return ensembles.regular_graph(n, law.degree, rng)


@_drawn.register
def _(law: Elliptic, n: int, rng: np.random.Generator) -> Matrix:
    return ensembles.elliptic(n, rng, correlation=law.correlation, variance=law.entry_variance)


@_drawn.register
def _(law: Ginibre, n: int, rng: np.random.Generator) -> Matrix:
    """At n = ``law.size`` the eigenvalues have exactly this mean law."""
    return ensembles.ginibre(n, rng)


@_drawn.register
def _(law: Discrete, n: int, rng: np.random.Generator) -> Matrix:
    """A diagonal matrix of the quantiles (i - ½)/n, in random order."""
    validate.memory(8.0 * n * n, f"a {n}×{n} matrix")
    return np.diag(rng.permutation(_quantiles(law, n)))


@_drawn.register
def _(law: AffineLaw, n: int, rng: np.random.Generator) -> Matrix:
    return np.asarray(law.scale * _drawn(law.law, n, rng) + law.shift * np.eye(n))


@_drawn.register
def _(law: FreeConvolution, n: int, rng: np.random.Generator) -> Matrix:
    """A + UBUᵀ or A^½UBUᵀA^½ with A, B the quantiles of the two laws and U a Haar-distributed orthogonal matrix."""
    validate.memory(40.0 * n * n, f"four {n}×{n} matrices")
    a, b = _quantiles(law.first, n), _quantiles(law.second, n)
    q = _orthonormal(n, n, rng)
    turned = (q * b) @ q.T
    if law.kind == "sum":
        return np.asarray(np.diag(a) + turned)
    root = np.sqrt(np.maximum(a, 0.0))
    return np.asarray(root[:, None] * turned * root)


@_drawn.register
def _(law: Compression, n: int, rng: np.random.Generator) -> Matrix:
    """The n×n corner of UAUᵀ, A of size n/share with the quantiles of the law, U Haar-distributed orthogonal."""
    size = max(n, round(n / law.share))
    validate.memory(24.0 * size * n, f"a {size}×{n} orthogonal matrix")
    columns = _orthonormal(size, n, rng)
    return np.asarray((columns.T * _quantiles(law.law, size)) @ columns)


def _quantiles(law: SpectralLaw, n: int) -> NDArray[np.float64]:
    return np.asarray(law.ppf((np.arange(n) + 0.5) / n))


def _orthonormal(size: int, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """``count`` columns of a Haar-distributed orthogonal matrix."""
    q, r = np.linalg.qr(rng.standard_normal((size, count)))
    return np.asarray(q * np.sign(np.diag(r)))


@_drawn.register
def _(law: MatrixDyson, n: int, rng: np.random.Generator) -> Matrix:
    """A + W; of a linearisation the Schur complement on its spectral blocks."""
    energy = law.self_energy
    mean = (
        np.eye(law.size) * law.mean_matrix if np.ndim(law.mean_matrix) == 0 else np.asarray(law.mean_matrix)
    )
    if isinstance(energy, Block):
        return _schur_complement(energy, mean, n, rng)
    copies, rest = divmod(n, energy.size)
    if rest or not copies:
        raise ValueError(f"n={n}: expected a multiple of {energy.size}, the size of the self-energy")
    return np.kron(mean, np.eye(copies)) + gaussian_matrix(energy, rng, copies)


def _schur_complement(energy: Block, mean: Matrix, n: int, rng: np.random.Generator) -> Matrix:
    share = float(energy.weights[list(energy.spectral)].sum())
    count = max(1, round(n / share))
    sides = energy.sides(count)
    starts = np.concatenate([[0], np.cumsum(sides)])
    visible = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in energy.spectral])
    if len(visible) != n:
        raise ValueError(
            f"n={n}: the block weights {energy.weights.tolist()} give {len(visible)} at the nearest size"
        )
    full = gaussian_matrix(energy, rng, count)
    for i, j in np.argwhere(mean):
        rows = np.arange(starts[i], starts[i + 1])
        full[rows, np.arange(starts[j], starts[j + 1])] += mean[i, j]
    hidden = np.setdiff1d(np.arange(starts[-1]), visible)
    top = full[np.ix_(visible, visible)]
    if not len(hidden):
        return np.asarray(top)
    beside = full[np.ix_(visible, hidden)]
    rest = np.linalg.solve(full[np.ix_(hidden, hidden)], beside.conj().T)
    result = top - beside @ rest
    return np.asarray(result + result.conj().T) / 2
