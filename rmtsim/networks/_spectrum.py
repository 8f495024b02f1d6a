"""Spectra of a network's Hessian: of the whole model, of each layer's block, of each neuron's block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import describes
from rmtsim._internal.randomness import RandomSource
from rmtsim.matrix_free._estimates import GroupSpectrum, estimated_spectrum, exact_spectrum
from rmtsim.matrix_free._lanczos import Extremes, Product, extreme_eigenvalues
from rmtsim.networks import _products as products
from rmtsim.networks._dense_hessian import dense_hessian, neuron_rows
from rmtsim.networks._network import Network, representable
from rmtsim.networks._parameters import ParameterGroup
from rmtsim.networks._passes import Linearisation
from rmtsim.networks._unit_motions import layer_curvature

_described = describes(
    network="Network\n    The network.",
    inputs="array_like\n    Samples, one per row.",
    targets="array_like, optional\n    Targets of the loss.",
)

EXACT = 3000
"""Groups up to this many parameters are diagonalised; larger ones go through stochastic Lanczos quadrature."""


@_described
def hessian_spectrum(
    network: Network,
    inputs: ArrayLike,
    targets: Any = None,
    *,
    per: str = "model",
    rng: RandomSource = None,
    probes: int = 16,
    steps: int = 80,
    exact_up_to: int = EXACT,
) -> list[GroupSpectrum]:
    """Spectral distributions of the Hessian or of its diagonal blocks.

    Parameters
    ----------
    per : {"model", "layer", "neuron"}, optional
        Whole Hessian, one block per layer, or one block per neuron.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of random starts; required if a block has more than ``exact_up_to`` parameters.
    probes : int, optional
        Random starts per estimated block, at least two.
    steps : int, optional
        Lanczos steps per start; the memory is ``steps`` vectors.
    exact_up_to : int, optional
        Number of parameters up to which a block is diagonalised.

    Returns
    -------
    list of GroupSpectrum
        One spectrum per block, exact or estimated (see :class:`rmtsim.matrix_free.GroupSpectrum`).

    Raises
    ------
    ValueError
        If ``per`` is unknown, or ``rng`` is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.networks import fully_connected, hessian_spectrum
    >>> network = fully_connected((5, 4, 3), "tanh", loss="square").sample(np.random.default_rng(0))
    >>> x, y = np.random.default_rng(1).standard_normal((9, 5)), np.zeros((9, 3))
    >>> [(s.name, s.eigenvalues.size) for s in hessian_spectrum(network, x, y, per="layer")]
    [('layer 1', 20), ('layer 2', 12)]
    """
    groups = validate.instance("network", network, Network).architecture.layout.groups(per)
    exact_up_to = validate.integer("exact_up_to", exact_up_to, minimum=0)
    probes = validate.integer("probes", probes, minimum=2, meaning="random starts; two give a standard error")
    steps = validate.integer("steps", steps, meaning="Lanczos steps")
    starts: np.random.Generator | None = None
    if any(group.indices.size > exact_up_to for group in groups):
        if rng is None:
            raise ValueError(
                f"rng=None: a group of more than {exact_up_to} parameters is estimated, and its random starts need "
                "a numpy.random.Generator"
            )
        starts = validate.generator("rng", rng)
        largest = max(group.indices.size for group in groups)
        validate.memory(
            8.0 * largest * (min(steps, largest) + 4), f"{steps} Lanczos vectors of {largest} numbers"
        )
    point = network.linearise(inputs, targets)
    if per == "neuron":
        return _neuron_spectra(point, groups, starts, probes, steps, exact_up_to)
    return [_group_spectrum(point, group, starts, probes, steps, exact_up_to) for group in groups]


@_described
def hessian_extremes(
    network: Network,
    inputs: ArrayLike,
    targets: Any = None,
    *,
    rng: RandomSource,
    count: int = 1,
    which: str = "modulus",
    tolerance: float = 1e-8,
    layer: int | None = None,
) -> Extremes:
    """Extreme eigenvalues of the Hessian or of one layer's block, with residuals.

    Parameters
    ----------
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator
        Source of the random start.
    count : int, optional
        Number of eigenvalues.
    which : {"modulus", "top", "bottom"}, optional
        The eigenvalues of largest absolute value (default), the largest or the smallest.
    tolerance : float, optional
        Largest accepted residual, relative to a lower bound of the norm.
    layer : int, optional
        Layer whose diagonal block is examined, counted from zero; the whole Hessian by default.

    Returns
    -------
    Extremes
        Eigenvalues, eigenvectors and residuals (see :class:`rmtsim.matrix_free.Extremes`).

    Raises
    ------
    ConvergenceError
        If an eigenvalue does not converge or its residual exceeds the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.networks import fully_connected, hessian_extremes
    >>> network = fully_connected((5, 40, 1), "tanh").sample(np.random.default_rng(0))
    >>> found = hessian_extremes(network, np.ones((1, 5)), rng=np.random.default_rng(1))
    >>> bool(np.isclose(found.spectral_norm, np.linalg.norm(network.hessian(np.ones((1, 5))), 2)))
    True
    """
    point = validate.instance("network", network, Network).linearise(inputs, targets)
    layout = network.architecture.layout
    if layer is None:
        group = layout.groups("model")[0]
    else:
        group = layout.groups("layer")[
            validate.integer("layer", layer, minimum=0, maximum=len(layout.layers) - 1)
        ]
    start = validate.generator("rng", rng)
    return extreme_eigenvalues(
        _product(point, group), group.indices.size, start, count=count, which=which, tolerance=tolerance
    )


def _product(point: Linearisation, group: ParameterGroup) -> Product:
    size = point.architecture.parameters
    if group.indices.size == size:
        return lambda v: representable("Hessian product", lambda: products.hessian_product(point, v))
    part = slice(int(group.indices[0]), int(group.indices[-1]) + 1)

    def restricted(v: Array) -> Array:
        whole = np.zeros((*v.shape[:-1], size))
        whole[..., part] = v
        return representable("Hessian product", lambda: products.hessian_product(point, whole)[..., part])

    return restricted


def _group_spectrum(
    point: Linearisation,
    group: ParameterGroup,
    rng: np.random.Generator | None,
    probes: int,
    steps: int,
    exact_up_to: int,
) -> GroupSpectrum:
    size = group.indices.size
    if size <= exact_up_to:
        layer = group.layer
        block = representable(
            "Hessian", lambda: dense_hessian(point) if layer is None else _layer_block(point, layer)
        )
        return exact_spectrum(group.name, block)
    assert rng is not None
    return estimated_spectrum(group.name, _product(point, group), size, rng, probes, steps)


def _layer_block(point: Linearisation, layer: int) -> Array:
    layout = point.architecture.layout
    size = layout.layers[layer].parameters
    block = np.empty((size, size))
    start = layout.layer(layer).start
    for neuron in range(layout.layers[layer].outputs):
        block[layout.neuron(layer, neuron) - start] = neuron_rows(point, layer, neuron, layer)
    return 0.5 * (block + block.T)


def _neuron_spectra(
    point: Linearisation,
    groups: Any,
    rng: np.random.Generator | None,
    probes: int,
    steps: int,
    exact_up_to: int,
) -> list[GroupSpectrum]:
    """Each neuron's block is Σ_n Γ^n_ii r_n r_nᵀ: one weighted Gram matrix, or products with it."""
    diagonals = [_diagonal_curvature(point, layer) for layer in range(len(point.architecture.layers))]
    found = []
    for group in groups:
        layer, neuron = group.layer, group.neuron
        weights = diagonals[layer]
        if weights is None:
            rows = neuron_rows(point, layer, neuron, layer)
            start = point.architecture.layout.layer(layer).start
            block = rows[:, point.architecture.layout.neuron(layer, neuron) - start]
            found.append(exact_spectrum(group.name, 0.5 * (block + block.T)))
            continue
        reads = point.passed.reads[layer]
        if point.architecture.layers[layer].bias:
            reads = np.concatenate([reads, np.ones((len(reads), 1))], axis=1)
        gamma = weights[:, neuron]
        if group.indices.size <= exact_up_to:
            block = representable("Hessian block", lambda r=reads, g=gamma: r.T @ (r * g[:, None]))  # type: ignore[misc]
            found.append(exact_spectrum(group.name, block))
        else:
            assert rng is not None
            found.append(
                estimated_spectrum(
                    group.name,
                    lambda v, r=reads, g=gamma: ((v @ r.T) * g) @ r,  # type: ignore[misc]
                    group.indices.size,
                    rng,
                    probes,
                    steps,
                )
            )
    return found


def _diagonal_curvature(point: Linearisation, layer: int) -> Array | None:
    """Γ^n_ii, samples × neurons; None for a convolution, whose blocks need pairs of positions."""
    if point.architecture.layers[layer].filter:
        return None
    result = np.empty_like(point.passed.before[layer])
    for units, curvature in layer_curvature(point, layer):
        result[:, units] = curvature[np.arange(len(units)), :, units].T
    return result
