"""Expected block energies: many output matrices V for one set of pre-activations, and inputs averaged in closed form.

N²‖∂²ℓ/∂w_i∂w_jᵀ‖² = Σ_nn' λ_n λ_n' (x_n·x_n')², where λ_n depends on the input through z_n = W x_n alone. Given (W, z)
the squared product of two inputs has a known mean, so an unbiased estimate of E‖·‖² for any number N of samples
needs only a few dozen of them (:func:`hidden_kernel`), whatever d and N are; likewise the output layer
(:func:`output_kernel`). :func:`averaged_energies` evaluates the quadratic forms for many V at once.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim.networks._softmax import softmax_in_place
from rmtsim.papers.dong.simulation.one_hidden_hessian import Loss, check_loss
from rmtsim.papers.dong.simulation.pre_activations import PreActivations, sample_pre_activations


def _unbiased(
    between: NDArray[np.float64], own: NDArray[np.float64], drawn: PreActivations, samples: int
) -> NDArray[np.float64]:
    """Weights of Σ over inputs whose mean is (1/N)E[own term] + (1 - 1/N)E[term of two independent inputs]."""
    inputs = len(own)
    kernel = np.where(drawn.independent, between * np.outer(drawn.weights, drawn.weights), 0.0)
    kernel *= (1 - 1 / samples) / (inputs * (inputs - 2))
    np.fill_diagonal(kernel, own * drawn.weights / (samples * len(own)))
    return kernel


def hidden_kernel(drawn: PreActivations, samples: int) -> NDArray[np.float64]:
    """K with E[Σ λ_n λ_n' K_nn' | W] = E‖(1/N)Σ_n λ_n x_n x_nᵀ‖²_F for N = ``samples`` Gaussian inputs.

    With a = u·u' the product of the coordinates in the row span of W and k = d - r the number of the others,
    E[(x·x')²|u, u'] = a² + k for two inputs and a² + 2ak + k(k+2) for one with itself.

    >>> from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations
    >>> kernel = hidden_kernel(sample_pre_activations(50, 2, 40, np.random.default_rng(0)), samples=50)
    >>> bool(abs(kernel.sum() / (50 * (50 + 50 + 1) / 50) - 1) < 0.1)    # λ = 1: E‖XᵀX/N‖² = d(d + N + 1)/N
    True
    """
    products = drawn.coordinates @ drawn.coordinates.T
    squared, own, left = np.square(products), np.diag(products), drawn.unseen
    return _unbiased(squared + left, own**2 + 2 * left * own + left * (left + 2.0), drawn, samples)


def output_kernel(drawn: PreActivations, samples: int) -> NDArray[np.float64]:
    """K with E[Σ κ_n κ_n' K_nn' | W] = E‖(1/N)Σ_n κ_n f_n f_nᵀ‖²_F, f = σ(Wx), for N = ``samples`` inputs.

    >>> from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations
    >>> output_kernel(sample_pre_activations(5, 2, 3, np.random.default_rng(0)), samples=4).shape
    (6, 6)
    """
    features = np.maximum(drawn.values, 0.0)
    squared = np.square(features @ features.T)
    return _unbiased(squared, np.diag(squared), drawn, samples)


def averaged_energies(
    pre_activations: NDArray[np.float64],
    kernel: NDArray[np.float64],
    outputs: NDArray[np.float64],
    layer: Literal["hidden", "output"],
    loss: Loss,
) -> tuple[float, float]:
    """(diagonal, off-diagonal): Σ_nn' c_n c_n' K_nn' averaged over the blocks of a layer and V in ``outputs``.

    c are the curvatures of a block given z_n in ``pre_activations`` (inputs × m), ``outputs`` draws × classes × m. With
    K = (x_n·x_n')²/N² (hidden layer) or (f_n·f_n')²/N² (output layer) these are the mean ‖H_ii‖²_F and ‖H_ij‖²_F.

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    >>> from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> net = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
    >>> kernel = np.square(net.inputs @ net.inputs.T / 5)
    >>> one, two = averaged_energies(net.inputs @ net.hidden.T, kernel, net.output[None], "hidden", "ce")
    >>> bool(np.isclose(two, hidden_energies(forward(net, "ce"))[0, 1]))
    True
    """
    check_loss(loss)
    if layer == "hidden":
        return _hidden(pre_activations, kernel, outputs, loss)
    if layer == "output":
        return _output(pre_activations, kernel, outputs, loss)
    raise ValueError(f"layer={layer!r}: expected hidden or output")


_COMPILED = {("hidden", "ce"): 200, ("output", "ce"): 200, ("hidden", "mse"): 10**9, ("output", "mse"): 0}
"""Number of classes up to which one compiled call is faster than NumPy (docs/benchmarks.md)."""


def sampled_energies(
    dimension: int,
    samples: int,
    hidden: int,
    classes: int,
    rng: np.random.Generator,
    replicates: int,
    *,
    layer: Literal["hidden", "output"],
    loss: Loss,
    pairs: int = 32,
    draws: int = 1,
    spread: float = 1.0,
) -> NDArray[np.float64]:
    """Mean energies of diagonal and off-diagonal blocks, one row (‖H_ii‖², ‖H_ij‖²) a drawn hidden layer.

    Each replicate draws W and ``pairs`` inputs with their mirror images
    (:func:`~rmtsim.papers.dong.simulation.pre_activations.sample_pre_activations`), then ``draws`` matrices V,
    entries N(0, 1/m), and
    averages over them; for N = ``samples``. ``spread`` draws inputs more widely and weights them. With few
    classes (and no spread) the whole batch is one compiled call; the same generator gives the same values by both
    methods, up to rounding.

    >>> few = sampled_energies(50, 60, 4, 5, np.random.default_rng(1), 3, layer="hidden", loss="ce", draws=2)
    >>> few.shape, bool((few[:, 0] > few[:, 1]).all())
    ((3, 2), True)
    """
    check_loss(loss)
    if layer not in ("hidden", "output"):
        raise ValueError(f"layer={layer!r}: expected hidden or output")
    if classes > _COMPILED[layer, loss] or spread != 1:
        rows = [
            _plain_energies(dimension, samples, hidden, classes, rng, layer, loss, pairs, draws, spread)
            for _ in range(replicates)
        ]
        return np.array(rows).reshape(replicates, 2)
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    samples = validate.integer("samples", samples, meaning="number of samples N")
    hidden = validate.integer("hidden", hidden, meaning="number of hidden neurons m")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    pairs = validate.integer("pairs", pairs, minimum=2, meaning="independent inputs")
    # Loaded here: numba is slow to import, and most of this module does not need it.
    from rmtsim.papers.dong.simulation.kernels import pre_activations as compiled

    roads = {
        ("hidden", "ce"): compiled.HIDDEN_CROSS_ENTROPY,
        ("hidden", "mse"): compiled.HIDDEN_SQUARE,
        ("output", "ce"): compiled.OUTPUT_CROSS_ENTROPY,
    }
    out = np.empty((replicates, 2))
    compiled.mean_energies(
        validate.generator("rng", rng),
        dimension,
        samples,
        hidden,
        classes,
        pairs,
        draws,
        roads[layer, loss],
        out,
    )
    return out


def _plain_energies(
    dimension: int,
    samples: int,
    hidden: int,
    classes: int,
    rng: np.random.Generator,
    layer: Literal["hidden", "output"],
    loss: Loss,
    pairs: int,
    draws: int,
    spread: float = 1.0,
) -> tuple[float, float]:
    """One replicate of :func:`sampled_energies` in NumPy."""
    drawn = sample_pre_activations(dimension, hidden, pairs, rng, spread)
    outputs = rng.standard_normal((draws, classes, hidden)) / np.sqrt(hidden)
    kernel = hidden_kernel(drawn, samples) if layer == "hidden" else output_kernel(drawn, samples)
    return averaged_energies(drawn.values, kernel, outputs, layer, loss)


def _probabilities(values: NDArray[np.float64], outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax of every V, draws × samples × classes."""
    logits = np.maximum(values, 0.0) @ outputs.transpose(0, 2, 1)
    return softmax_in_place(np.asarray(logits))


def _hidden(
    values: NDArray[np.float64], kernel: NDArray[np.float64], outputs: NDArray[np.float64], loss: Loss
) -> tuple[float, float]:
    neurons = values.shape[1]
    first, second = np.triu_indices(neurons)
    gates = (values > 0).astype(np.float64)
    open_pairs = gates[:, first] * gates[:, second]
    products = outputs[:, :, first] * outputs[:, :, second]
    if loss == "mse":
        shared = np.einsum("np,np->p", open_pairs, kernel @ open_pairs)
        energies = np.square(2 * products.sum(axis=1)).mean(axis=0) * shared
    else:
        p = _probabilities(values, outputs)
        means = p @ outputs
        weights = p @ products
        weights -= means[:, :, first] * means[:, :, second]
        weights *= open_pairs
        energies = np.einsum("rnp,rnp->p", weights, kernel @ weights) / len(outputs)
    own = first == second
    return float(energies[own].mean()), float(energies[~own].mean()) if neurons > 1 else 0.0


def _output(
    values: NDArray[np.float64], kernel: NDArray[np.float64], outputs: NDArray[np.float64], loss: Loss
) -> tuple[float, float]:
    draws, classes = outputs.shape[:2]
    if loss == "mse":
        return float(4 * kernel.sum()), 0.0
    p = _probabilities(values, outputs)
    squares = np.square(p)
    weights = p - squares
    own = np.vdot(weights, kernel @ weights) / (draws * classes)
    # Σ_{i≠j} p_i p_j p'_i p'_j = (p·p')² - p²·p'², so pairs of classes are never listed.
    pairs = np.square(p @ p.transpose(0, 2, 1)) - squares @ squares.transpose(0, 2, 1)
    return float(own), float(np.vdot(kernel, pairs.sum(axis=0))) / (draws * classes * (classes - 1))
