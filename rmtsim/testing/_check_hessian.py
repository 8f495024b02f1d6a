"""Products with the Hessian of a network, on networks whose Hessian is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource, root_seed
from rmtsim.networks import Network, network_from_arrays
from rmtsim.testing._conformance import Check, Conformance, at_most, described, failed_with


@frozen
class HessianCase:
    """A fully connected network with data: f(x) = W_L σ(… σ(W₁ x)), without biases.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing import HessianCase
    >>> HessianCase("linear", (np.ones((1, 2)),), "identity", "square", np.eye(2), np.zeros((2, 1))).parameters
    2
    """

    name: str
    """Name of the case."""
    weights: tuple[Array, ...]
    """W₁, …, W_L, each of shape (out, in)."""
    activation: str
    """σ: "tanh", "relu" or "identity"."""
    loss: str
    """The loss "square" or "cross_entropy": the mean over samples of Σ(f - y)², or of -Σ y log softmax(f)."""
    inputs: Array
    targets: Array
    """One row per sample; targets of the cross-entropy are one-hot."""

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return sum(matrix.size for matrix in self.weights)

    @property
    def network(self) -> Network:
        """The same as a network of :mod:`rmtsim.networks`."""
        return network_from_arrays(self.weights, activation=self.activation, loss=self.loss)

    def split(self, vector: Array) -> list[Array]:
        """Split a parameter vector into matrices with the shapes of the weights.

        Parameters
        ----------
        vector : ndarray
            Parameter vector.

        Returns
        -------
        list of ndarray
            One matrix per layer.
        """
        ends = np.cumsum([matrix.size for matrix in self.weights])[:-1]
        return [part.reshape(w.shape) for part, w in zip(np.split(vector, ends), self.weights, strict=True)]


def _cases(seed: int) -> list[HessianCase]:
    rng = np.random.default_rng(seed)
    found = []
    for activation, loss, widths in (
        ("identity", "square", (4, 3)),
        ("identity", "cross_entropy", (5, 4)),
        ("tanh", "square", (4, 6, 2)),
        ("tanh", "cross_entropy", (4, 6, 5, 3)),
        ("relu", "square", (4, 8, 2)),
        ("relu", "cross_entropy", (6, 8, 4)),
    ):
        weights = tuple(
            rng.standard_normal((out, fan)) / np.sqrt(fan) for fan, out in itertools.pairwise(widths)
        )
        inputs = rng.standard_normal((7, widths[0]))
        classes = rng.integers(widths[-1], size=7)
        targets = (
            np.eye(widths[-1])[classes] if loss == "cross_entropy" else rng.standard_normal((7, widths[-1]))
        )
        depth = "linear model" if len(weights) == 1 else f"{len(weights)} layers, {activation}"
        found.append(
            HessianCase(f"{depth}, {loss.replace('_', ' ')}", weights, activation, loss, inputs, targets)
        )
    return found


@described
def check_hessian_product(
    product: Callable[[HessianCase, Sequence[Array]], Sequence[Any]],
    *,
    tolerance: float = 1e-8,
    rng: RandomSource = 0,
    name: str = "",
) -> Conformance:
    """Check products with the Hessian of a network's loss.

    Parameters
    ----------
    product : callable
        ``product(case, vectors)`` returns H v, where ``vectors`` and the result are lists of arrays with the shapes
        of ``case.weights`` (see :class:`HessianCase`).
    tolerance : float, optional
        Largest relative error; 1e-4 suits single precision.

    Returns
    -------
    Conformance
        For each network: agreement with the exact Hessian, and symmetry uᵀ(Hv) = vᵀ(Hu).

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing import check_hessian_product
    >>> def product(case, vectors):
    ...     flat = np.concatenate([v.ravel() for v in vectors])
    ...     return case.split(case.network.hessian(case.inputs, case.targets) @ flat)
    >>> check_hessian_product(product).passed
    True
    """
    seed = root_seed("rng", rng)
    tolerance = validate.positive_number("tolerance", tolerance, meaning="largest relative error")
    checks: list[Check] = []
    for case in _cases(seed):
        hessian = case.network.hessian(case.inputs, case.targets)
        u, v = np.random.default_rng(seed + 1).standard_normal((2, case.parameters))
        try:
            hu, hv = (np.concatenate([_plain(part) for part in product(case, case.split(x))]) for x in (u, v))
        except Exception as error:
            checks.append(failed_with(case.name, error))
            continue
        wrong = float(np.linalg.norm(hv - hessian @ v) / np.linalg.norm(hessian @ v))
        scale = float(np.linalg.norm(u) * np.linalg.norm(hv))
        checks.append(at_most(f"equals the Hessian ({case.name})", wrong, tolerance))
        checks.append(at_most(f"is symmetric ({case.name})", abs(float(u @ hv - v @ hu)) / scale, tolerance))
    return Conformance(name or getattr(product, "__name__", "product"), tuple(checks))


def _plain(part: Any) -> Array:
    return np.asarray(part, dtype=float).ravel()
