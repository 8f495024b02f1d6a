"""Expected block energies of the linear softmax model from a few dozen inputs, whatever d and N are.

N²‖H_ij‖² = Σ_nn' λ_n λ_n' (x_n·x_n')², where λ_n depends on the input through its logits alone. Its mean over N
independent inputs needs two of them, so k inputs give an unbiased estimate for every N; and given them, logits are
Gaussian with covariance x_n·x_n'/d, so that only k coordinates of the weights are drawn. Work
k(d + kC) instead of N²(d + 3C): :func:`rmtsim.curvature._linear_batches.sample_mean_energies` draws whole models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.curvature._linear_batches import MeanEnergies
from rmtsim.networks._softmax import softmax_in_place


def sample_average_energies(
    dimension: int,
    samples: int,
    classes: int,
    rng: np.random.Generator,
    replicates: int,
    *,
    inputs: int = 32,
) -> MeanEnergies:
    """Unbiased estimates of the mean block energies of models with N = ``samples``, from ``inputs`` of them.

    As :func:`rmtsim.curvature._linear_batches.sample_mean_energies`, one number a replicate, with the same
    expectations. With
    weights κ_nn' = 1/(N k) for n = n' and (1 - 1/N)/(k(k-1)) otherwise (k = ``inputs``), E Σ κ_nn' f(x_n, x_n') is the
    mean of Σ f(x_n, x_n')/N² over N inputs. An estimate may be far from any single model's value; its mean is exact.

    >>> found = sample_average_energies(60, 90, 5, np.random.default_rng(0), 200, inputs=12)
    >>> bool(abs(found.data.mean() / (60 * (60 + 90 + 1) / 90) - 1) < 0.02)    # E‖XᵀX/N‖² = d(d + N + 1)/N
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    samples = validate.integer("samples", samples, meaning="number of samples N")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    replicates = validate.integer("replicates", replicates, minimum=0)
    inputs = validate.integer("inputs", inputs, minimum=2, meaning="inputs drawn for an estimate")
    rng = validate.generator("rng", rng)
    validate.memory(
        8.0 * inputs * (dimension + 3 * classes + 4 * inputs),
        f"{inputs} inputs of dimension={dimension}, classes={classes}",
    )
    weights = np.full((inputs, inputs), (1 - 1 / samples) / (inputs * (inputs - 1)))
    np.fill_diagonal(weights, 1 / (samples * inputs))
    table = np.empty((replicates, 4))
    for row in table:
        row[:] = _estimate(dimension, classes, rng, weights)
    return MeanEnergies(*table.T)


def _estimate(
    dimension: int, classes: int, rng: np.random.Generator, weights: NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """(mean ‖H_ii‖², mean ‖H_ij‖², ‖XᵀX/N‖², variance of the logits over classes), each with its exact mean."""
    inputs = len(weights)
    x = rng.standard_normal((inputs, dimension))
    products = x @ x.T
    # Logits depend on the inputs through their Gram matrix: any factor of it serves, the triangular one is smallest.
    seen = np.linalg.cholesky(products) if inputs < dimension else x
    logits = (seen / np.sqrt(dimension)) @ rng.standard_normal((seen.shape[1], classes))
    means = logits.mean(axis=1)
    variance = float(np.vdot(logits, logits) / logits.size - np.vdot(means, means) / inputs)
    p = softmax_in_place(logits)
    kernel = weights * np.square(products)
    both = p @ p.T
    squares = np.square(p)
    own = squares @ squares.T
    # Σ_{i≠j} p_i p_j p'_i p'_j = (p·p')² - p²·p'², so pairs of classes are never listed.
    off = float(np.vdot(kernel, np.square(both) - own)) / (classes * (classes - 1))
    p -= squares
    return float(np.vdot(kernel, p @ p.T)) / classes, off, float(kernel.sum()), variance
