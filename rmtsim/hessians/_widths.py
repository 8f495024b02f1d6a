"""Spectral norm of the Hessian of a model's output against its width: the quantity that vanishes for wide networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen, returns_figure
from rmtsim.hessians._eigenvalues import extreme_eigenvalues
from rmtsim.hessians._measured import Measured, interval
from rmtsim.hessians._sources import hessian


@frozen(eq=False)
class WidthScaling:
    """Spectral norms of the Hessian of a model's output for several widths.

    See Also
    --------
    norm_against_width : Measures norms at several widths and fits the exponent.

    Examples
    --------
    >>> import numpy as np
    >>> found = WidthScaling((4, 16), np.array([[1.0, 1.0], [0.5, 0.5]]), Measured(-0.5, 0.0, -0.5, -0.5))
    >>> print(found)
    ‖∇²f‖ of widths 4 … 16: width^(-0.5)
    """

    widths: tuple[int, ...]
    """The widths."""
    norms: Array
    """Norms, (widths, draws)."""
    exponent: Measured
    """Slope of log norm against log width with a 95 % interval over draws; a power law in the range of these widths.
    """

    def __str__(self) -> str:
        return f"‖∇²f‖ of widths {self.widths[0]} … {self.widths[-1]}: width^({self.exponent})"

    @returns_figure
    def plot(self) -> Any:
        """Draw the norms with the fitted power."""
        from rmtsim.plots._hessian import width_figure

        return width_figure(self)


def norm_against_width(
    make: Callable[[int], Any], widths: Sequence[int], inputs: Any, *, draws: int = 5
) -> WidthScaling:
    """Spectral norm of the Hessian of f, the first output of a torch model for one input, against the width.

    Parameters
    ----------
    make : callable
        ``make(width)`` returns a newly initialised torch model of that width in evaluation mode.
    widths : sequence of int
        At least two different widths, increasing.
    inputs : torch.Tensor
        One input, with a first axis of length one.
    draws : int, optional
        Models per width, at least two.

    Returns
    -------
    WidthScaling
        Norms and the exponent of the width with an interval.

    Raises
    ------
    ValueError
        If the widths do not increase, or a Hessian is zero.

    Notes
    -----
    `liu`'s theorem gives -1/2 for networks in which every layer is divided by the root of its width and the parameters
    have variance one. PyTorch's own layers put that factor into the initial weights; then the parameters are smaller,
    and the norm does not decrease with the width. The largest of the width's random neurons adds a logarithm, so that
    moderate widths show a weaker power.

    Examples
    --------
    >>> from rmtsim.hessians import norm_against_width
    >>> from torch import nn, randn  # doctest: +SKIP
    >>> def make(width):
    ...     return nn.Sequential(nn.Linear(5, width), nn.Tanh(), nn.Linear(width, 1))
    >>> norm_against_width(make, [16, 32], randn(1, 5), draws=2).widths  # doctest: +SKIP
    (16, 32)
    """
    chosen = [validate.integer("widths", w, meaning="width") for w in validate.sequence("widths", widths)]
    if len(chosen) < 2 or sorted(set(chosen)) != chosen:
        raise ValueError(f"widths={chosen}: expected at least two, increasing")
    draws = validate.integer("draws", draws, minimum=2, meaning="models per width")
    norms = np.empty((len(chosen), draws))
    for row, width in enumerate(chosen):
        for column in range(draws):
            operator = hessian(
                make(width), data=[(inputs,)], objective=lambda model, batch: model(batch[0]).reshape(-1)[0]
            )
            ends = [
                extreme_eigenvalues(operator, 1, which=end, population=False).values[0]
                for end in ("top", "bottom")
            ]
            norms[row, column] = max(abs(float(e)) for e in ends)
    if not (norms > 0).all():
        raise ValueError("make: the Hessian of a model's output is zero, so its norm has no power law")
    x = np.log(np.array(chosen, dtype=np.float64))
    x -= x.mean()
    logs = np.log(norms)
    slopes = (x @ logs) / (x @ x)
    return WidthScaling(
        tuple(chosen),
        norms,
        interval(float(slopes.mean()), float(slopes.std(ddof=1) / np.sqrt(draws)), draws - 1),
    )
