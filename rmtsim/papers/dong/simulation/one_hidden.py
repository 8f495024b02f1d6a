"""One-hidden-layer ReLU networks and their data: `dong` Cases 3 and 4 under Assumptions 1 and 2, and beyond them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.networks import Network, network_from_arrays

InputLaw = Literal["gaussian", "rademacher", "uniform", "student"]

_STUDENT_FREEDOM = 5.0
"""Five degrees of freedom: four moments, not five, so ‖x‖²/d still concentrates but slowly."""

_DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], ArrayLike]] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "rademacher": lambda rng, shape: rng.integers(0, 2, shape) * 2.0 - 1.0,
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape),
    "student": lambda rng, shape: (
        rng.standard_t(_STUDENT_FREEDOM, shape) * np.sqrt((_STUDENT_FREEDOM - 2) / _STUDENT_FREEDOM)
    ),
}
INPUT_LAWS = tuple(_DRAWS)
"""Laws of an input entry, each with mean zero and variance one."""


@frozen
class OneHiddenNetwork:
    """A network f(x) = V σ(W x), σ the ReLU, with its data.

    ``inputs`` samples × dimension (one x_n a row), ``hidden`` = W, m × dimension, ``output`` = V, classes × m,
    ``targets`` samples × classes: one-hot rows for labels, any real rows for regression with the square loss.
    """

    inputs: NDArray[np.float64]
    hidden: NDArray[np.float64]
    output: NDArray[np.float64]
    targets: NDArray[np.float64]

    def __post_init__(self) -> None:
        inputs = validate.matrix("inputs", self.inputs, meaning="samples × dimension")
        hidden = validate.matrix("hidden", self.hidden, columns=inputs.shape[1], meaning="W, m × dimension")
        output = validate.matrix("output", self.output, columns=len(hidden), meaning="V, classes × m")
        targets = validate.matrix(
            "targets", self.targets, rows=len(inputs), columns=len(output), meaning="samples × classes"
        )
        for name, array in (("inputs", inputs), ("hidden", hidden), ("output", output), ("targets", targets)):
            object.__setattr__(self, name, array)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """(dimension d, samples N, hidden neurons m, classes C)."""
        return self.inputs.shape[1], self.inputs.shape[0], self.hidden.shape[0], self.output.shape[0]

    def as_network(self, loss: str) -> Network:
        """The same network in the engine, under the square loss ("mse", `dong` (7)) or the cross-entropy ("ce", (13)).

        >>> drawn = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
        >>> drawn.as_network("ce").gradient(drawn.inputs, drawn.targets).shape
        (14,)
        """
        names = {"mse": "square", "ce": "cross_entropy"}
        if loss not in names:
            raise ValueError(f"loss={loss!r}: expected 'mse' or 'ce'")
        return network_from_arrays([self.hidden, self.output], activation="relu", loss=names[loss])


def sample_inputs(
    samples: int, dimension: int, rng: np.random.Generator, law: InputLaw = "gaussian"
) -> NDArray[np.float64]:
    """Independent entries of mean zero and variance one, samples × dimension (Assumption 1 for "gaussian").

    >>> x = sample_inputs(4, 3, np.random.default_rng(0), "rademacher")
    >>> sorted(set(x.ravel().tolist()))
    [-1.0, 1.0]
    """
    samples = validate.integer("samples", samples, meaning="number of samples N")
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    rng = validate.generator("rng", rng)
    law = validate.choice("law", law, INPUT_LAWS)  # type: ignore[assignment]
    validate.memory(16.0 * samples * dimension, f"samples={samples} × dimension={dimension} inputs")
    return np.asarray(_DRAWS[law](rng, (samples, dimension)), dtype=np.float64)


def sample_one_hidden(
    dimension: int,
    samples: int,
    hidden: int,
    classes: int,
    rng: np.random.Generator,
    *,
    labels: Literal["random", "balanced"] = "random",
    law: InputLaw = "gaussian",
) -> OneHiddenNetwork:
    """LeCun initialisation: W_ij ~ N(0, 1/d), V_ij ~ N(0, 1/m), inputs of variance one, all independent.

    Labels are one-hot rows, drawn uniformly ("random") or n mod C ("balanced"). Source: `dong` Assumptions 1
    and 2, section B.3. Draws inputs, W, V, labels, in this order.

    >>> network = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
    >>> network.sizes
    (3, 5, 2, 4)
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    samples = validate.integer("samples", samples, meaning="number of samples N")
    hidden = validate.integer("hidden", hidden, meaning="number of hidden neurons m")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    rng = validate.generator("rng", rng)
    validate.choice("labels", labels, ("random", "balanced"))
    validate.memory(
        8.0 * (dimension * (samples + hidden) + classes * (samples + hidden)),
        f"a network with dimension={dimension}, samples={samples}, hidden={hidden}, classes={classes}",
    )
    inputs = sample_inputs(samples, dimension, rng, law)
    first = rng.standard_normal((hidden, dimension)) / np.sqrt(dimension)
    second = rng.standard_normal((classes, hidden)) / np.sqrt(hidden)
    chosen = rng.integers(classes, size=samples) if labels == "random" else np.arange(samples) % classes
    targets = np.zeros((samples, classes))
    targets[np.arange(samples), chosen] = 1.0
    return OneHiddenNetwork(inputs, first, second, targets)
