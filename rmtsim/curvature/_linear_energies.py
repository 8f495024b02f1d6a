"""Hessian of the linear softmax model with cross-entropy loss: blocks, and block norms without blocks.

Block (i, j) is (1/N) Xᵀ diag(λ_ij) X with λ_ii(n) = p_ni(1 - p_ni), λ_ij(n) = -p_ni p_nj (`dong` eq. (5)); X has
one sample a row. Hence N²‖H_ij‖²_F = λ_ijᵀ (G∘G) λ_ij with the Gram matrix G = X Xᵀ: one N × N matrix
serves all C² blocks, and sums over blocks need only (G∘G) against N × N sums over classes:

    N² Σ_{i≠j} ‖H_ij‖² = Σ_{n,n'} G²_nn' [ (P Pᵀ)²_nn' - ((P∘P)(P∘P)ᵀ)_nn' ].

With n = N = d = C the logits take 2n³ operations and each of the four symmetric sums n³ (one triangle is enough): 6n³
altogether, 1.5 times two products of general matrices. Where N × N matrices fit into memory at once, the last of these
sums comes from the product of G∘G with λ_ii, of 2n³ operations in one call of BLAS (:func:`_whole`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes, frozen
from rmtsim.curvature._linear_model import LinearModel, check_model, checked_sizes, logits_of, probabilities
from rmtsim.networks._block_norms import GRAM_CHUNK as CHUNK
from rmtsim.networks._block_norms import BlockEnergies, squared_gram_rows
from rmtsim.networks._softmax import softmax_in_place

_described = describes(
    model="LinearModel\n    Inputs and weights.",
)


def _curvature(p: NDArray[np.float64], i: int, j: int) -> NDArray[np.float64]:
    """λ_ij(n): second derivative of the loss of sample n in logits i and j."""
    curvature: NDArray[np.float64] = p[:, i] * (1 - p[:, i]) if i == j else -p[:, i] * p[:, j]
    return curvature


def _check_block(model: LinearModel, i: int, j: int, where: str = "") -> None:
    check_model(model)
    classes = model.weights.shape[0]
    for name, index in (("i", i), ("j", j)):
        validate.integer(
            f"{where}{name}", index, minimum=0, maximum=classes - 1, meaning="class of the block"
        )


@_described
def block(model: LinearModel, i: int, j: int) -> NDArray[np.float64]:
    """Hessian block of a linear softmax model with cross-entropy loss.

    Parameters
    ----------
    i, j : int
        Classes, counted from zero.

    Returns
    -------
    ndarray
        ``∂²ℓ/∂v_i∂v_jᵀ = (1/N) Xᵀ diag(λ_ij) X`` of shape (dimension, dimension), with ``λ_ii(n) = p_ni(1 − p_ni)``
        and ``λ_ij(n) = −p_ni p_nj``.

    Raises
    ------
    ValueError
        If a class does not exist, or an entry exceeds the range of doubles.

    Notes
    -----
    Equation (5) of the paper with key ``dong``.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.curvature import block, sample_linear
    >>> model = sample_linear(3, 5, 2, np.random.default_rng(0))
    >>> bool(np.allclose(block(model, 0, 1), -block(model, 0, 0)))    # with two classes p₂ = 1 − p₁
    True
    """
    _check_block(model, i, j)
    weighted = model.inputs * _curvature(probabilities(model), i, j)[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        return validate.computed("model", np.asarray(model.inputs.T @ weighted / model.inputs.shape[0]))


def square_loss_block(model: LinearModel, i: int, j: int) -> NDArray[np.float64]:
    """∂²ℓ/∂v_i∂v_jᵀ of the square loss (1/N) Σ ‖V x_n - y_n‖²: (2/N) XᵀX on the diagonal, zero elsewhere.

    Independent of weights and targets. Source: `dong` eq. (2); eq. (3) lacks the factor 2.

    >>> from rmtsim.curvature._linear_model import sample_linear
    >>> model = sample_linear(3, 5, 2, np.random.default_rng(0))
    >>> bool(np.allclose(square_loss_block(model, 1, 1), 2 * model.inputs.T @ model.inputs / 5))
    True
    """
    _check_block(model, i, j)
    dimension = model.inputs.shape[1]
    if i != j:
        return np.zeros((dimension, dimension))
    with np.errstate(over="ignore", invalid="ignore"):
        return validate.computed(
            "model", np.asarray(2 * model.inputs.T @ model.inputs / model.inputs.shape[0])
        )


@_described
def block_eigenvalues(model: LinearModel, i: int, j: int) -> NDArray[np.float64]:
    """Eigenvalues of a Hessian block of a linear softmax model.

    Parameters
    ----------
    i, j : int
        Classes, counted from zero.

    Returns
    -------
    ndarray
        The ``dimension`` eigenvalues of :func:`block` in increasing order.

    Notes
    -----
    The limits of these spectra are generalised Marchenko–Pastur laws (Proposition 2 of the paper with key
    ``dong``); see :class:`rmtsim.laws.GeneralizedMarchenkoPastur`.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.curvature import block_eigenvalues, sample_linear
    >>> model = sample_linear(3, 9, 4, np.random.default_rng(0))
    >>> bool((block_eigenvalues(model, 1, 1) > 0).all() and (block_eigenvalues(model, 1, 2) < 0).all())
    True
    """
    return np.asarray(np.linalg.eigvalsh(block(model, i, j)))


@_described
def block_norms(model: LinearModel, pairs: Sequence[tuple[int, int]] | None = None) -> NDArray[np.float64]:
    """Frobenius norms of the Hessian blocks of a linear softmax model, without forming a block.

    Parameters
    ----------
    pairs : sequence of (int, int), optional
        Pairs (i, j) of classes; all pairs by default.

    Returns
    -------
    ndarray
        ``‖H_ij‖_F``: one number per pair, or a table of shape (classes, classes).

    Notes
    -----
    With N samples, dimension d and C classes, the work is N²(d + number of pairs) for given pairs and N²(d + C²) for
    all of them; :func:`block_energies` gives sums over all blocks at work N²(d + C).

    Examples
    --------
    >>> from rmtsim.curvature import block, block_norms, sample_linear
    >>> model = sample_linear(3, 5, 4, np.random.default_rng(0))
    >>> bool(np.isclose(block_norms(model)[1, 2], np.linalg.norm(block(model, 1, 2))))
    True
    >>> block_norms(model, pairs=[(1, 2), (0, 0)]).shape
    (2,)
    """
    check_model(model)
    return _all_norms(model) if pairs is None else _pair_norms(model, pairs)


def _pair_norms(model: LinearModel, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """‖H_ij‖_F of the given pairs: one product with the squared Gram matrix for all of them."""
    try:
        pairs = [(i, j) for i, j in pairs]
    except (TypeError, ValueError):
        raise TypeError(f"pairs={pairs!r:.60}: expected pairs (i, j) of classes") from None
    if not pairs:
        raise ValueError("pairs=[]: expected at least one pair (i, j) of classes")
    for i, j in pairs:
        _check_block(model, i, j, "pairs: ")
    p = probabilities(model)
    curvatures = np.stack([_curvature(p, i, j) for i, j in pairs], axis=1)
    total = np.zeros(len(pairs))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, squared in squared_gram_rows(model.inputs):
            total += np.einsum("nk,nk->k", curvatures[rows], squared @ curvatures)
    return validate.computed("model", np.sqrt(np.maximum(total, 0.0)) / model.inputs.shape[0])


def _all_norms(model: LinearModel) -> NDArray[np.float64]:
    """‖H_ij‖_F of all pairs: for each band of G∘G and each class i, one product serves all partners j."""
    samples, classes = model.inputs.shape[0], model.weights.shape[0]
    validate.memory(8.0 * (classes**2 + 4 * samples * classes), f"norms of all {classes}² blocks")
    p = probabilities(model)
    total = np.zeros((classes, classes))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, squared in squared_gram_rows(model.inputs):
            for i in range(classes):
                curvatures = -p * p[:, i : i + 1]
                curvatures[:, i] += p[:, i]
                # Only partners j >= i: the matrix of norms is symmetric.
                total[i, i:] += np.einsum("nj,nj->j", curvatures[rows, i:], squared @ curvatures[:, i:])
        norms = np.sqrt(np.maximum(total, 0.0)) / samples
    return validate.computed("model", np.maximum(norms, norms.T))


@frozen(eq=False)
class LinearEnergies(BlockEnergies):
    """Block energies of a linear model, with two quantities that cost nothing and serve as companions.

    ``data`` = ‖XᵀX/N‖² and ``logit_variance`` (over classes, averaged over samples) have known expectations at
    initialisation and explain most of the fluctuations of the block energies.
    """

    data: float = field(kw_only=True)
    logit_variance: float = field(kw_only=True)


def linear_block_energies(model: LinearModel) -> LinearEnergies:
    """All diagonal block energies and the total off-diagonal energy: work N(N + 2C)d + 3N²C, never C².

    >>> from rmtsim.curvature._linear_model import sample_linear
    >>> model = sample_linear(3, 5, 4, np.random.default_rng(0))
    >>> energies, norms = linear_block_energies(model), block_norms(model)
    >>> bool(np.isclose(energies.diagonal.sum() + energies.offdiagonal, (norms**2).sum()))
    True
    """
    check_model(model)
    samples, classes = model.inputs.shape[0], model.weights.shape[0]
    validate.memory(
        _energies_memory(samples, classes), f"block energies of {samples} samples, {classes} classes"
    )
    reduce = _whole if samples**2 <= CHUNK else _energies
    with np.errstate(over="ignore", invalid="ignore"):  # reported by an error of rmtsim, with its cause
        return reduce(model.inputs, logits_of(model))


def sample_block_energies(
    dimension: int, samples: int, classes: int, rng: np.random.Generator, *, single: bool = False
) -> LinearEnergies:
    """Block energies of a freshly drawn model whose C × d weights are never held at once.

    Draws as :func:`rmtsim.curvature._linear_model.sample_linear` does, but the weights in chunks of classes, so that
    C = 131 072 at d = N = 1000 peaks near 1.5 GB. ``single`` computes in single precision, with sums over bands in
    double, at half the memory and half the time; numbers are drawn in double precision all the same. The same generator
    gives the same energies as ``linear_block_energies(sample_linear(...))`` up to rounding.

    >>> a = sample_block_energies(3, 5, 4, np.random.default_rng(0))
    >>> from rmtsim.curvature._linear_model import sample_linear
    >>> b = linear_block_energies(sample_linear(3, 5, 4, np.random.default_rng(0)))
    >>> bool(np.allclose(a.diagonal, b.diagonal) and np.isclose(a.offdiagonal, b.offdiagonal))
    True
    """
    dimension, samples, classes = checked_sizes(dimension, samples, classes)
    rng = validate.generator("rng", rng)
    validate.memory(
        _energies_memory(samples, classes) + 8.0 * samples * dimension + 16.0 * CHUNK,
        f"block energies at dimension={dimension}, samples={samples}, classes={classes}",
    )
    kind = np.float32 if single else np.float64
    inputs = np.empty((samples, dimension), dtype=kind)
    height = max(1, CHUNK // dimension)
    for start in range(0, samples, height):
        inputs[start : start + height] = rng.standard_normal((min(height, samples - start), dimension))
    logits = np.empty((samples, classes), dtype=kind)
    width = max(1, CHUNK // dimension)
    for start in range(0, classes, width):
        stop = min(start + width, classes)
        weights = rng.standard_normal((stop - start, dimension)) / np.sqrt(dimension)
        logits[:, start:stop] = inputs @ weights.T.astype(kind, copy=False)
    return _energies(inputs, logits)


_BANDS, _LEAST_HEIGHT, _GREATEST_HEIGHT = 8, 64, 256
"""Samples are cut into about so many bands of rows, of heights at which BLAS is at its full speed."""
_CACHED, _LEAST_WIDTH = 2**16, 256
"""Numbers that stay in the processor's cache, and classes at which BLAS is at its full speed."""


def _energies_memory(samples: int, classes: int) -> float:
    """Bytes: logits, two chunks of functions of them, and three bands of rows, or three matrices of at most CHUNK."""
    chunks = min(samples * classes, max(CHUNK, samples))
    bands = max(4 * _GREATEST_HEIGHT * samples, 3 * min(samples**2, CHUNK))
    return 8.0 * (samples * classes + 3 * chunks + bands)


def _logit_variance(logits: NDArray[np.floating]) -> float:
    """Over classes, averaged over samples."""
    means = logits.mean(axis=1, dtype=np.float64)
    squared = float(np.vdot(logits, logits)) if logits.dtype == np.float64 else _squares(logits)
    return squared / logits.size - float(np.vdot(means, means)) / len(logits)


def _whole(inputs: NDArray[np.float64], logits: NDArray[np.float64]) -> LinearEnergies:
    """The same as :func:`_energies` with whole N × N matrices, in double precision. Consumes ``logits``.

    With K = G∘G, s = p∘p and A = K(p - s), Σ_c sᵀKs = Σ_nn' K_nn' (PPᵀ)_nn' - 2 Σ_c pᵀA + Σ_c (p - s)ᵀA: a second N × N
    sum over classes is not needed. The terms on the right are up to C times the sum over all other blocks, so that
    rounding grows like C.
    """
    samples, classes = logits.shape
    logit_variance = _logit_variance(logits)
    p = softmax_in_place(logits)
    form, pairs = inputs @ inputs.T, p @ p.T
    data = offdiagonal = 0.0
    # Groups of rows and of classes that stay in the processor's cache from one pass to the next.
    group = max(1, _CACHED // samples)
    for start in range(0, samples, group):
        weights, products = form[start : start + group], pairs[start : start + group]
        np.square(weights, out=weights)
        data += float(weights.sum())
        gaps = products - 1.0
        gaps *= products
        offdiagonal += float(np.vdot(weights, gaps))
    width = min(classes, max(_LEAST_WIDTH, _CACHED // samples))
    diagonal, images = np.empty(classes), np.empty((samples, width))
    for first in range(0, classes, width):
        chosen = p[:, first : first + width]
        curvature = np.square(chosen)
        np.subtract(chosen, curvature, out=curvature)
        applied = np.matmul(form, curvature, out=images[:, : chosen.shape[1]])
        curvature *= applied
        diagonal[first : first + width] = curvature.sum(axis=0)
        applied *= chosen
        offdiagonal += 2.0 * float(applied.sum())
    offdiagonal -= float(diagonal.sum())
    return _scaled(samples, diagonal, offdiagonal, data, logit_variance)


def _scaled(
    samples: int, diagonal: NDArray[np.float64], offdiagonal: float, data: float, logit_variance: float
) -> LinearEnergies:
    """Energies of blocks that are sums, not means, over the samples."""
    validate.computed("model", np.array([diagonal.sum(), offdiagonal, data, logit_variance]))
    return LinearEnergies(
        diagonal / samples**2, offdiagonal / samples**2, data=data / samples**2, logit_variance=logit_variance
    )


def _squares(numbers: NDArray[np.floating]) -> float:
    """Σ x² with sums in double precision."""
    return sum(float(np.square(row, dtype=np.float64).sum()) for row in numbers)


def _energies(inputs: NDArray[np.floating], logits: NDArray[np.floating]) -> LinearEnergies:
    """Consumes ``logits`` (turned into probabilities in place, in chunks of classes).

    All matrices over pairs of samples are symmetric: of each band of rows only the part up to the diagonal block is
    computed, and what lies left of the diagonal block counts twice.
    """
    samples, classes = logits.shape
    logit_variance = _logit_variance(logits)
    p = softmax_in_place(logits)
    width = min(classes, max(1, CHUNK // samples))
    height = min(samples, _GREATEST_HEIGHT, max(_LEAST_HEIGHT, -(-samples // _BANDS)))
    squares, curvatures = np.empty((2, samples, width), dtype=p.dtype)
    bands, applied = np.empty((3, height * samples), dtype=p.dtype), np.empty((height, width), dtype=p.dtype)
    diagonal, offdiagonal, data = np.zeros(classes), 0.0, 0.0
    for start in range(0, samples, height):
        stop = min(start + height, samples)
        rows = slice(start, stop)
        gram, pairs, doubles = (band[: (stop - start) * stop].reshape(stop - start, stop) for band in bands)
        np.matmul(inputs[rows], inputs[:stop].T, out=gram)
        np.square(gram, out=gram)
        gram[:, :start] *= 2.0
        data += float(gram.sum(dtype=np.float64))
        for first in range(0, classes, width):
            chosen = p[:stop, first : first + width]
            count = chosen.shape[1]
            square, curvature = squares[:stop, :count], curvatures[:stop, :count]
            fresh = rows if width == classes else slice(0, stop)
            np.square(chosen[fresh], out=square[fresh])
            np.subtract(chosen[fresh], square[fresh], out=curvature[fresh])
            if first == 0:
                np.matmul(chosen[rows], chosen.T, out=pairs)
                np.matmul(square[rows], square.T, out=doubles)
            else:
                pairs += chosen[rows] @ chosen.T
                doubles += square[rows] @ square.T
            form = np.matmul(gram, curvature, out=applied[: stop - start, :count])
            form *= curvature[rows]
            diagonal[first : first + count] += form.sum(axis=0, dtype=np.float64)
        np.square(pairs, out=pairs)
        pairs -= doubles
        pairs *= gram
        offdiagonal += float(pairs.sum(dtype=np.float64))
    return _scaled(samples, diagonal, offdiagonal, data, logit_variance)
