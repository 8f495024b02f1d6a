"""Many small one-hidden-layer networks as arrays over networks, to avoid the overhead of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

_TOGETHER = 2**17
"""Numbers of a stack, with what is computed from it: a megabyte stays in the processor's cache."""


@frozen
class NetworkStack:
    """Networks V σ(W x) with Gaussian inputs, of equal sizes: the first index is the network's."""

    inputs: Array
    """networks × samples × dimension."""
    hidden: Array
    """W, networks × m × dimension."""
    output: Array
    """V, networks × classes × m."""

    def __len__(self) -> int:
        return len(self.inputs)


def draw_stacks(
    dimension: int,
    samples: int,
    hidden: int,
    classes: int,
    networks: int,
    rng: np.random.Generator,
    *,
    accepted: Callable[[Array, Array], bool] | None = None,
) -> Iterator[NetworkStack]:
    """So many networks of :func:`rmtsim.papers.dong.simulation.one_hidden.sample_one_hidden`, number for
    number, in stacks.

    Labels are drawn and dropped. A network for which ``accepted(inputs, W)`` is false is drawn again.

    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> stack, = draw_stacks(3, 5, 2, 4, 6, np.random.default_rng(0))
    >>> rng = np.random.default_rng(0)
    >>> single = [sample_one_hidden(3, 5, 2, 4, rng) for _ in range(6)]
    >>> bool((stack.output[5] == single[5].output).all())
    True
    """
    dimension = validate.integer("dimension", dimension, meaning="input dimension d")
    samples = validate.integer("samples", samples, meaning="number of samples N")
    hidden = validate.integer("hidden", hidden, meaning="number of hidden neurons m")
    classes = validate.integer("classes", classes, minimum=2, meaning="number of classes C")
    networks = validate.integer("networks", networks, meaning="number of networks")
    rng = validate.generator("rng", rng)
    if accepted is not None and not callable(accepted):
        raise TypeError(f"accepted={accepted!r}: expected a function of (inputs, W), or None")
    each = dimension * (samples + hidden) + classes * (samples + hidden) + samples**2
    validate.memory(8.0 * max(each, _TOGETHER), f"networks with {samples} samples and {classes} classes")
    return _stacks(
        (samples, dimension), (hidden, dimension), (classes, hidden), networks, each, rng, accepted
    )


def _stacks(
    inputs: tuple[int, int],
    first: tuple[int, int],
    second: tuple[int, int],
    networks: int,
    each: int,
    rng: np.random.Generator,
    accepted: Callable[[Array, Array], bool] | None,
) -> Iterator[NetworkStack]:
    step = max(1, _TOGETHER // each)
    for start in range(0, networks, step):
        count = min(step, networks - start)
        stack = NetworkStack(*(np.empty((count, *shape)) for shape in (inputs, first, second)))
        parts = [stack.inputs, stack.hidden, stack.output]
        for k in range(count):
            while True:
                for part in parts:
                    rng.standard_normal(out=part[k])
                rng.integers(second[0], size=inputs[0])
                if accepted is None or accepted(stack.inputs[k], stack.hidden[k]):
                    break
        stack.hidden[:] /= np.sqrt(first[1])
        stack.output[:] /= np.sqrt(first[0])
        yield stack
