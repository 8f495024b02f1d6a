"""Spectral densities of Hessians and of their diagonal blocks, with error bands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.docstrings import returns_data, returns_figure
from rmtsim._internal.randomness import RandomSource
from rmtsim.hessians._groups import read_groups
from rmtsim.hessians._operator import HessianOperator, in_one_pool
from rmtsim.hessians._restricted import restricted
from rmtsim.matrix_free._estimates import Estimate, GroupSpectrum, estimated_spectrum, exact_spectrum

_BASIS = 1.5 * 2**30
"""Bytes of Lanczos vectors at most."""


class HessianSpectrum(GroupSpectrum):
    """Spectral distribution of a Hessian or of a diagonal block: :class:`GroupSpectrum` with a trace and a figure.

    Made by :func:`spectra`.

    Attributes
    ----------
    name : str
        Name of the group.
    size : int
        Number of parameters.
    exact : bool
        Whether the nodes are all eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian
    >>> (spectrum,) = hessian(np.diag([1.0, 3.0])).spectrum()
    >>> spectrum.trace(), spectrum.moment(2), spectrum.log_determinant(1.0).value == np.log(8)
    (Estimate(value=4.0, error=0.0), Estimate(value=5.0, error=0.0), np.True_)
    """

    def trace(self) -> Estimate:
        """Trace, from the first moment.

        Returns
        -------
        Estimate
            Trace and standard error.
        """
        mean = self.moment(1)
        return Estimate(self.size * mean.value, self.size * mean.error)

    def log_determinant(self, damping: float = 0.0) -> Estimate:
        """Logarithm of the determinant of H + damping·1.

        Parameters
        ----------
        damping : float, optional
            Number added to every eigenvalue; H + damping·1 must be positive definite.

        Returns
        -------
        Estimate
            Logarithm and standard error.

        Raises
        ------
        ValueError
            If H + damping·1 is not positive definite; the message names the smallest eigenvalue seen.
        """
        damping = validate.finite_number("damping", damping, meaning="added to every eigenvalue")
        lowest = self.range[0]
        if lowest + damping <= 0:
            raise ValueError(
                f"damping={damping:g}: {self.name} has an eigenvalue at or below {lowest:.4g}; expected more than "
                f"{-lowest:.4g}"
            )
        mean = self.average(lambda t: np.log(t + damping))
        return Estimate(self.size * mean.value, self.size * mean.error)

    @returns_figure
    def plot(self) -> Any:
        """Draw the density with a band of two standard errors."""
        from rmtsim.plots._hessian import density_figure

        return density_figure(self)

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """Range and first moments, for JSON."""
        low, high = self.range
        moments = [self.moment(k) for k in (1, 2, 3, 4)]
        return {
            "name": self.name,
            "size": self.size,
            "exact": self.exact,
            "range": [low, high],
            "moments": [{"value": m.value, "error": m.error} for m in moments],
        }


@in_one_pool
def spectra(
    operator: HessianOperator,
    groups: Any = "model",
    *,
    probes: int = 8,
    steps: int = 60,
    exact_up_to: int = 500,
    rng: RandomSource = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[HessianSpectrum, ...]:
    """Spectral distributions of the diagonal blocks of groups, by stochastic Lanczos quadrature.

    Parameters
    ----------
    operator : HessianOperator
        Made by :func:`hessian`.
    groups : str, mapping or sequence, optional
        A kind as in :meth:`HessianOperator.groups`, a dictionary of names and indices, or a sequence of groups; the
        whole model by default.
    probes : int, optional
        Random starts, at least two.
    steps : int, optional
        Lanczos steps of each start; fewer if their vectors would not fit into 1.5 GiB.
    exact_up_to : int, optional
        Parameters up to which a block is formed and diagonalised.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of the starts; the default is a fixed stream, None a new one at every call.
    progress : callable, optional
        Called with a line of text after every group.

    Returns
    -------
    tuple of HessianSpectrum
        One per group, with ``moment``, ``cdf``, ``density``, ``mass``, ``trace``, ``log_determinant`` and ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import hessian, spectra
    >>> one, two = spectra(hessian(np.diag([1.0, 2.0, 5.0])), {"one": [0], "two": [1, 2]})
    >>> one.eigenvalues, two.eigenvalues
    (array([1.]), array([2., 5.]))
    """
    operator = validate.instance("operator", operator, HessianOperator).prepared()
    probes = validate.integer("probes", probes, minimum=2, meaning="random starts")
    steps = validate.integer("steps", steps, minimum=2, meaning="Lanczos steps")
    exact_up_to = validate.integer("exact_up_to", exact_up_to, minimum=0, maximum=20_000)
    rng = validate.generator("rng", rng)
    found = []
    for group in read_groups(operator, groups):
        product = restricted(operator, group)
        if group.size <= exact_up_to or operator.formed:
            matrix = product(np.eye(group.size))
            made = exact_spectrum(group.name, 0.5 * (matrix + matrix.T))
        else:
            fitting = max(4, min(steps, int(_BASIS // (8 * group.size))))
            made = estimated_spectrum(group.name, product, group.size, rng, probes, fitting)
        found.append(
            HessianSpectrum(made.name, made.size, made.exact, made.nodes, made.weights, made.shorter)
        )
        if progress is not None:
            progress(f"spectrum of {group.name}")
    return tuple(found)
