"""Synthetic dictionaries and contexts, a user's own embedding, and least-squares anchor vectors (Hypothesis 3.4.2)."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.loglinear.simulation.word_model import WordModel, word_model

KINDS = ("spherical", "gaussian", "cone", "heavy")
"""Kinds of synthetic dictionaries."""


def draw_dictionary(
    kind: str,
    words: int,
    dimension: int,
    rng: np.random.Generator,
    *,
    deviation: float = 1.0,
    common: float = 2.0,
    rank: int | None = None,
    freedom: float = 3.0,
) -> Array:
    """n atoms in d dimensions, one per row.

    ``spherical``: uniform on the sphere of radius σ√d (σ = ``deviation``). ``gaussian``: N(0, σ²I). ``cone``: Gaussian
    of rank ``rank`` (d/4 if left out) with the common direction ``common``·e₁ added. ``heavy``: multivariate t with
    ``freedom`` degrees of freedom, so that exponential moments do not exist.

    >>> atoms = draw_dictionary("spherical", 5, 9, np.random.default_rng(0))
    >>> np.linalg.norm(atoms, axis=1).round(12).tolist()
    [3.0, 3.0, 3.0, 3.0, 3.0]
    """
    name = validate.choice("kind", kind, KINDS)
    n, d = validate.integer("words", words), validate.integer("dimension", dimension)
    generator = validate.generator("rng", rng)
    scale = validate.positive_number("deviation", deviation)
    shift = validate.finite_number("common", common)
    tail = validate.positive_number("freedom", freedom)
    used = max(1, d // 4) if rank is None else validate.integer("rank", rank, maximum=d)
    validate.memory(8.0 * n * d, "the dictionary")
    atoms = scale * generator.standard_normal((n, d))
    if name == "spherical":
        atoms *= scale * math.sqrt(d) / np.linalg.norm(atoms, axis=1, keepdims=True)
    elif name == "cone":
        atoms[:, used:] = 0.0
        atoms[:, 0] += shift
    elif name == "heavy":
        atoms *= np.sqrt(tail / generator.chisquare(tail, (n, 1)))
    return validate.computed("dictionary", atoms)


def draw_contexts(
    count: int, dimension: int, rng: np.random.Generator, *, mean: float = 0.0, deviation: float = 1.0
) -> Array:
    """Encoded contexts N(mean·e₁, deviation²·I), one per row.

    >>> draw_contexts(2, 3, np.random.default_rng(0), mean=5.0).shape
    (2, 3)
    """
    rows, d = validate.integer("count", count), validate.integer("dimension", dimension)
    centre = validate.finite_number("mean", mean)
    scale = validate.positive_number("deviation", deviation)
    validate.memory(24.0 * rows * d, f"contexts with count={count}, dimension={dimension}")
    found = scale * validate.generator("rng", rng).standard_normal((rows, d))
    found[:, 0] += centre
    return found


def sphere_contexts(count: int, dimension: int, rng: np.random.Generator, *, length: float = 1.0) -> Array:
    """Encoded contexts uniform on the sphere of radius ``length``, one per row.

    >>> np.linalg.norm(sphere_contexts(2, 3, np.random.default_rng(0), length=2.0), axis=1).round(12).tolist()
    [2.0, 2.0]
    """
    radius = validate.positive_number("length", length)
    found = draw_contexts(count, dimension, rng)
    return np.asarray(radius * found / np.linalg.norm(found, axis=1, keepdims=True))


def load_embedding(path: str | os.PathLike[str]) -> Array:
    """A user's own embedding matrix (words × dimensions) from a ``.npy`` file; nothing in the file is executed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/mine.npy", np.eye(3, dtype=np.float32))
    ...     load_embedding(f"{folder}/mine.npy").shape
    (3, 3)
    """
    try:
        loaded = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise ValueError(f"path={os.fspath(path)!r}: no such file; expected a .npy matrix") from None
    except (ValueError, EOFError, OSError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"path={os.fspath(path)!r}: expected a .npy matrix of numbers ({reason})") from None
    if not isinstance(loaded, np.ndarray):
        loaded.close()
        raise ValueError(f"path={os.fspath(path)!r}: expected one .npy matrix, not an archive")
    return np.asarray(validate.matrix("embedding", loaded, meaning="one word per row"))


@frozen
class AnchorFit:
    """The least-squares anchor of some contexts."""

    vector: Array
    """v₀."""
    intercept: float
    """Zero unless an intercept was asked for."""
    error: float
    """Mean squared error over the contexts, ε_MSE of Section 3.4.2."""
    largest: float
    """Largest error, ε_b of Assumption 3.5.5 for these contexts."""


def anchor_fit(contexts: Any, log_partition: Any, *, intercept: bool = False) -> AnchorFit:
    """v₀ that minimises the mean of (⟨v(x), v₀⟩ - log Z_bulk(x))² over contexts, without an intercept as in the thesis.

    >>> fit = anchor_fit([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [3.0, 2.0, 4.0])
    >>> fit.vector.round(12).tolist(), round(fit.error, 12)
    ([3.0, 1.0], 0.0)
    """
    rows = validate.matrix("contexts", contexts, meaning="encoded contexts, one per row")
    values = validate.real_array("log_partition", log_partition, meaning="one per context")
    if values.shape != (rows.shape[0],):
        raise ValueError(
            f"log_partition has shape {values.shape}: expected ({rows.shape[0]},), one per context"
        )
    design = np.column_stack([rows, np.ones(len(rows))]) if validate.flag("intercept", intercept) else rows
    found = np.linalg.lstsq(design, values, rcond=None)[0]
    residual = values - design @ found
    d = rows.shape[1]
    return AnchorFit(
        found[:d],
        float(found[d]) if intercept else 0.0,
        float(np.mean(residual**2)),
        float(np.abs(residual).max()),
    )


def anchor_curve(model: WordModel, removed: Any, *, intercept: bool = False) -> Array:
    """ε_MSE against the number of most probable words that the bulk leaves out (Figure 3.1), for each of ``removed``.

    >>> from rmtsim.papers.loglinear.simulation.word_model import word_model
    >>> model = word_model(np.eye(3), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 2.0], [1.0, 1.0, 1.0]])
    >>> anchor_curve(model, [0, 2]).shape
    (2,)
    """
    validate.instance("model", model, WordModel)
    logits = np.sort(model.logits, axis=1)
    n = logits.shape[1]
    top = logits[:, -1:]
    # One sort serves all masks: the bulk without the r largest is a prefix of the sorted words.
    sums = np.cumsum(np.exp(logits - top), axis=1)
    found = []
    for each in validate.sequence("removed", removed):
        count = validate.integer(
            "removed", each, minimum=0, maximum=n - 1, meaning="at least one must remain"
        )
        with np.errstate(divide="ignore"):
            values = top[:, 0] + np.log(sums[:, n - 1 - count])
        far = ~np.isfinite(values)
        if far.any():  # the prefix underflowed beside the top word: add it up by itself
            rest = logits[far, : n - count]
            values[far] = rest[:, -1] + np.log(np.exp(rest - rest[:, -1:]).sum(axis=1))
        found.append(anchor_fit(model.contexts, values, intercept=intercept).error)
    return np.array(found)


def fitted_error(
    words: int,
    rng: np.random.Generator,
    kind: str,
    contexts: Array,
    level: float,
    *,
    intercept: bool = False,
    **options: Any,
) -> float:
    """ε_MSE of the least-squares anchor for log(Z/n) + level, for a dictionary drawn with the other options.

    >>> rng = np.random.default_rng(0)
    >>> fitted_error(20, rng, "gaussian", draw_contexts(8, 3, rng), level=1.0) > 0
    True
    """
    model = word_model(draw_dictionary(kind, words, contexts.shape[1], rng, **options), contexts)
    values = model.log_partition() - np.log(words) + level
    return anchor_fit(model.contexts, values, intercept=intercept).error


def half_squared_difference(
    words: int, rng: np.random.Generator, replicates: int, dimension: int, length: float
) -> Array:
    """(Z₁ - Z₂)²/(2n²) of two independent spherical dictionaries: its mean is Var(Z/n). One context, by symmetry e₁.

    >>> half_squared_difference(10, np.random.default_rng(0), 3, dimension=4, length=1.0).shape
    (3,)
    """
    atoms = draw_dictionary("spherical", 2 * words * replicates, dimension, rng)
    sums = np.exp(length * atoms[:, 0]).reshape(2, replicates, words).mean(axis=2)
    return np.asarray((sums[0] - sums[1]) ** 2 / 2)
