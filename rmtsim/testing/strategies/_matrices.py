"""Symmetric matrices, covariance data with spikes, ensembles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.ensembles import elliptic, gaussian, ginibre, haar, jacobi, wishart
from rmtsim.testing.strategies._numbers import ratios


@st.composite
def symmetric_matrices(
    draw: st.DrawFn, most: int = 6, *, spectrum: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Real symmetric matrices with a given or a random spectrum.

    Parameters
    ----------
    most : int, optional
        Largest size, if no spectrum is given.
    spectrum : sequence of float, optional
        Eigenvalues. By default small whole numbers, repeated ones among them, and numbers over eight decades.

    Returns
    -------
    SearchStrategy of ndarray
        Shrinks towards a diagonal matrix; other matrices are rotated by a random orthogonal matrix.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import symmetric_matrices
    >>> find(symmetric_matrices(), lambda a: a.trace() > 3)
    array([[4.]])
    """
    if spectrum is None:
        values = st.integers(-9, 9).map(float) | st.floats(-1e4, 1e4)
        spectrum = draw(st.lists(values, min_size=1, max_size=most))
    eigenvalues = np.array(spectrum, dtype=float)
    if not draw(st.booleans()):
        return np.diag(eigenvalues)
    q = haar(len(eigenvalues), np.random.default_rng(draw(st.integers(0, 2**32))), beta=1)
    rotated = (q * eigenvalues) @ q.T
    return np.asarray((rotated + rotated.T) / 2)


@frozen
class SpikedData:
    """Gaussian data whose population covariance has spikes.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing.strategies import SpikedData
    >>> SpikedData(np.zeros((100, 25)), (4.0, 1.2)).detectable
    1
    """

    data: NDArray[np.float64]
    """Matrix of samples × features with independent rows."""
    spikes: tuple[float, ...]
    """Population eigenvalues other than 1, in decreasing order."""

    @property
    def ratio(self) -> float:
        """Features over samples."""
        return float(self.data.shape[1] / self.data.shape[0])

    @property
    def detectable(self) -> int:
        """Spikes above the threshold 1 + sqrt(ratio), each of which produces an outlier as the dimension grows."""
        return sum(spike > 1 + math.sqrt(self.ratio) for spike in self.spikes)


@st.composite
def spiked_data(draw: st.DrawFn, most: int = 80, *, spikes: int = 3) -> SpikedData:
    """Covariance data with spikes, from below the threshold of detection to far above it.

    Parameters
    ----------
    most : int, optional
        Largest number of samples and of features.
    spikes : int, optional
        Largest number of spikes.

    Returns
    -------
    SearchStrategy of SpikedData
        Shrinks towards few features without spikes.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import spiked_data
    >>> found = find(spiked_data(), lambda case: case.detectable > 0)
    >>> found.data.shape[1], len(found.spikes)
    (1, 1)
    """
    features, samples = draw(st.integers(1, most)), draw(st.integers(2, most))
    count = draw(st.integers(0, min(spikes, features)))
    threshold = 1 + np.sqrt(features / samples)
    factors = st.sampled_from([4.0, 1.5, 1.01, 0.5]) | st.floats(0.3, 100)
    chosen = sorted((threshold * draw(factors) for _ in range(count)), reverse=True)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    data = rng.standard_normal((samples, features))
    data[:, :count] *= np.sqrt(np.array(chosen))
    return SpikedData(data, tuple(float(spike) for spike in chosen))


@frozen
class Ensemble:
    """A matrix ensemble.

    See Also
    --------
    ensembles : Hypothesis strategy that draws one.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.ensembles import gaussian
    >>> from rmtsim.testing.strategies import Ensemble
    >>> Ensemble("gaussian(size, rng)", gaussian, True).draw(3, np.random.default_rng(0)).shape
    (3, 3)
    """

    name: str
    """The call that draws a matrix, with ``size`` and ``rng``."""
    draw: Callable[[int, np.random.Generator], NDArray[Any]]
    """``draw(size, rng)`` returns a matrix of that size."""
    hermitian: bool
    """Whether its matrices are symmetric or Hermitian."""

    def __repr__(self) -> str:
        return f"<Ensemble {self.name}>"


@st.composite
def ensembles(draw: st.DrawFn, *, hermitian: bool | None = None) -> Ensemble:
    """Ensembles of square matrices: Gaussian, Wishart, Jacobi, Ginibre, elliptic.

    Parameters
    ----------
    hermitian : bool, optional
        Only those whose matrices are, or are not, symmetric or Hermitian.

    Returns
    -------
    SearchStrategy of Ensemble
        Shrinks towards the Gaussian orthogonal ensemble.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import ensembles
    >>> find(ensembles(), lambda ensemble: True)
    <Ensemble gaussian(size, rng, beta=1)>
    >>> find(ensembles(), lambda ensemble: not ensemble.hermitian)
    <Ensemble ginibre(size, rng, beta=1)>
    """
    symmetric, other = ["gaussian", "wishart", "jacobi"], ["ginibre", "elliptic"]
    kinds = symmetric + other if hermitian is None else symmetric if hermitian else other
    kind = draw(st.sampled_from(kinds))
    if kind == "elliptic":
        correlation = draw(st.sampled_from([0.0, 0.5, -0.5]) | st.floats(-0.9, 0.9))
        return Ensemble(
            f"elliptic(size, rng, correlation={correlation})",
            lambda size, rng: elliptic(size, rng, correlation=correlation),
            False,
        )
    beta = draw(st.sampled_from([1, 2]))
    if kind == "ginibre":
        return Ensemble(
            f"ginibre(size, rng, beta={beta})", lambda size, rng: ginibre(size, rng, beta=beta), False
        )
    if kind == "gaussian":
        return Ensemble(
            f"gaussian(size, rng, beta={beta})", lambda size, rng: gaussian(size, rng, beta=beta), True
        )
    if kind == "wishart":
        ratio = draw(ratios(0.1, 10))
        return Ensemble(
            f"wishart(size, round(size / {ratio}), rng, beta={beta})",
            lambda size, rng: wishart(size, max(1, round(size / ratio)), rng, beta=beta),
            True,
        )
    first, second = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return Ensemble(
        f"jacobi(size, {first} * size, {second} * size, rng, beta={beta})",
        lambda size, rng: jacobi(size, first * size, second * size, rng, beta=beta),
        True,
    )
