"""Examination of a Hessian: block map, eigenvalues, trace and density, as text and as a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen, returns_data, returns_figure
from rmtsim._internal.randomness import RandomSource
from rmtsim.errors import ConvergenceError
from rmtsim.hessians._block_map import BlockMap
from rmtsim.hessians._blocks import block_energies
from rmtsim.hessians._eigenvalues import Eigenvalues, extreme_eigenvalues
from rmtsim.hessians._operator import HessianOperator
from rmtsim.hessians._spectrum import HessianSpectrum, spectra
from rmtsim.hessians._trace import Trace, trace


@frozen(eq=False)
class Examination:
    """Block map, extreme eigenvalues, trace and density of one Hessian.

    Made by :func:`examine`; printing it shows tables, ``save_html`` writes a page.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import examine, hessian
    >>> found = examine(hessian(np.eye(2)), {"a": [0], "b": [1]}, count=1)
    >>> sorted(found.to_dict())
    ['blocks', 'description', 'eigenvalues', 'notes', 'spectra', 'theory', 'title', 'trace']
    """

    title: str
    """What was examined."""
    description: str
    """Model, loss, parameters and data."""
    blocks: BlockMap
    """Norms of the blocks between groups."""
    ends: tuple[Eigenvalues, ...]
    """Largest and smallest eigenvalues; empty if they did not converge."""
    trace: Trace
    """Trace with errors."""
    spectra: tuple[HessianSpectrum, ...]
    """Spectral distributions."""
    notes: tuple[str, ...] = ()
    """What could not be computed, and why."""
    theory: tuple[str, ...] = field(default=())
    """What theorems say about this model, or that none applies."""

    @returns_figure
    def plot(self) -> Any:
        """Draw the block map; the parts have figures of their own."""
        return self.blocks.plot()

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained HTML page with all tables and figures.

        Parameters
        ----------
        path : str or Path
            File to write.
        """
        from rmtsim.hessians._page import page

        Path(path).write_text(page(self), encoding="utf-8")

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "title": self.title,
            "description": self.description,
            "blocks": self.blocks.to_dict(),
            "eigenvalues": [each.to_dict() for each in self.ends],
            "trace": self.trace.to_dict(),
            "spectra": [each.to_dict() for each in self.spectra],
            "notes": list(self.notes),
            "theory": list(self.theory),
        }

    def __str__(self) -> str:
        needed = self.trace.samples_needed()
        samples = "" if needed is None else f"; samples for ±10 %: {needed}"
        parts = [
            f"{self.title}: {self.description}",
            *(str(each) for each in self.ends),
            f"{self.trace}{samples}",
            str(self.blocks),
            *self.notes,
        ]
        return "\n\n".join([*parts, *self.theory])


def examine(
    operator: HessianOperator,
    groups: Any = "layer",
    *,
    title: str = "Hessian",
    count: int = 5,
    tolerance: float | None = 0.05,
    most_products: int = 20_000,
    rng: RandomSource = 0,
    progress: Callable[[str], None] | None = None,
) -> Examination:
    """Block map, extreme eigenvalues, trace and density of a Hessian.

    Parameters
    ----------
    operator : HessianOperator
        Made by :func:`hessian`.
    groups : str, mapping or sequence, optional
        Groups of the block map, as in :func:`block_energies`.
    title : str, optional
        Title of the page.
    count : int, optional
        Eigenvalues at each end.
    tolerance : float or None, optional
        Precision of the ratios of blocks, as in :func:`block_energies`.
    most_products : int, optional
        Products for the block map at most.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Source of the probes; the default is a fixed stream, None a new one at every call.
    progress : callable, optional
        Called with lines of text that describe the progress.

    Returns
    -------
    Examination

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.hessians import examine, hessian
    >>> found = examine(hessian(np.diag([3.0, 2.0, 1.0])), {"first": [0], "rest": [1, 2]}, count=1)
    >>> found.trace.value, found.ends[0].values
    (6.0, array([3.]))
    """
    operator = validate.instance("operator", operator, HessianOperator).prepared()
    rng = validate.generator("rng", rng)
    streams = rng.spawn(4)
    notes = []
    ends = []

    def tell(words: str) -> None:
        if progress is not None:
            progress(words)

    for which, stream in (("top", streams[0]), ("bottom", streams[1])):
        tell(f"{which} eigenvalues")
        try:
            ends.append(extreme_eigenvalues(operator, count, which=which, rng=stream))  # type: ignore[arg-type]
        except ConvergenceError as error:
            notes.append(f"{which} eigenvalues did not converge: {error}")
    tell("trace")
    found_trace = trace(operator, rng=streams[2])
    tell("density")
    found_spectra = spectra(operator, rng=streams[2])
    tell("block map")
    blocks = block_energies(
        operator,
        groups,
        tolerance=tolerance,
        most_products=most_products,
        rng=streams[3],
        progress=progress,
    )
    return Examination(
        str(title), repr(operator), blocks, tuple(ends), found_trace, found_spectra, tuple(notes)
    )
