"""One spectrum per layer of a model, as a table, figures and a page."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rmtsim._internal import plain, validate
from rmtsim._internal.docstrings import frozen, returns_data
from rmtsim.spectra._fitted import Spectrum
from rmtsim.spectra._make import spectrum
from rmtsim.spectra._reading import checked_level
from rmtsim.spectra._weights import as_matrix, named_arrays
from rmtsim.spectra._words import probability

_SMALLEST = 10
_ELONGATED = 4
"""For matrices longer than this many widths the Gram matrix is used, whose small eigenvalues are accurate then."""


@frozen(eq=False)
class LayerSpectrum:
    """Spectrum of one layer of a model.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import model_spectrum
    >>> layer, = model_spectrum({"w": np.random.default_rng(0).standard_normal((60, 150))}).layers
    >>> layer.name, layer.shape, layer.row()["outliers"]
    ('w', (60, 150), 0)
    """

    name: str
    """Name of the layer."""
    shape: tuple[int, ...]
    """Shape of its weights as stored."""
    spectrum: Spectrum
    """Spectrum of the weight matrix."""

    def row(self) -> dict[str, Any]:
        """One row of the table of a model.

        Returns
        -------
        dict
            Finite numbers, text and None.
        """
        s = self.spectrum
        return {
            "layer": self.name,
            "shape": list(self.shape),
            "sigma": s.sigma,
            "sigma_error": s.sigma_error,
            "edges": None if s.edges is None else list(s.edges),
            "outliers": len(s.outliers),
            "rank": s.rank,
            "log10_p": [o.log10_p for o in s.outliers],
            "next_log10_p": s.next_log10_p,
            "stable_rank": s.stable_rank,
            "bulk_share": s.bulk_share,
            "fit_p": s.p_value,
            "fits": s.fits,
            "tail_exponent": None if s.tail is None else s.tail.exponent,
            "tail_error_if_independent": None if s.tail is None else s.tail.error,
        }


@frozen(eq=False)
class ModelSpectrum:
    """Spectra of the weight matrices of a model.

    See Also
    --------
    model_spectrum : Analyses every weight matrix of a model or checkpoint.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import model_spectrum
    >>> weights = {"w": np.random.default_rng(0).standard_normal((60, 150)), "b": np.zeros(60)}
    >>> model_spectrum(weights).left_out
    {'a vector, not a matrix': ['b']}
    """

    name: str
    """Name of the model."""
    level: float
    """Probability of any false outlier in a layer."""
    layers: tuple[LayerSpectrum, ...]
    """Layers with a bulk."""
    skipped: tuple[tuple[str, str], ...]
    """Names of the other layers, with the reason."""

    @property
    def left_out(self) -> dict[str, list[str]]:
        """Names of skipped layers by reason."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.skipped:
            reasons.setdefault(reason, []).append(name)
        return reasons

    @returns_data
    def to_dict(self) -> dict[str, Any]:
        """Table as plain data."""
        return {
            "model": self.name,
            "level": self.level,
            "layers": [layer.row() for layer in self.layers],
            "skipped": [{"layer": name, "reason": reason} for name, reason in self.skipped],
        }

    def report(self) -> str:
        """Table as text.

        Returns
        -------
        str
            One line per layer, and a line per reason for skipped layers.
        """
        lines = [_line(HEADINGS)] + [_line(cells(layer)) for layer in self.layers]
        widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
        text = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        text.append(_foot(self))
        text += [f"left out ({reason}): {', '.join(names)}" for reason, names in self.left_out.items()]
        return "\n".join(text)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with the table and a figure per layer, in one file without external resources.

        Parameters
        ----------
        path : str or path-like
            File to write.

        Returns
        -------
        None
        """
        from rmtsim.spectra._page import page

        Path(path).write_text(page(self), encoding="utf-8")

    def __str__(self) -> str:
        return self.report()


HEADINGS = (
    "layer", "shape", "σ", "edges", "outliers", "p of the last", "stable rank", "bulk share", "fit p", "tail exponent",
)  # fmt: skip


def cells(layer: LayerSpectrum) -> tuple[str, ...]:
    """The cells of a layer's row in words."""
    s = layer.spectrum
    return (
        layer.name,
        "×".join(map(str, layer.shape)),
        "no bulk" if s.sigma is None else f"{s.sigma:.4g} ± {s.sigma_error:.1g}",
        "" if s.edges is None else f"{s.edges[0]:.3g} to {s.edges[1]:.3g}",
        str(len(s.outliers)) if s.reason == "" else f"({len(s.outliers)})",
        probability(s.outliers[-1].log10_p) if s.outliers and s.outliers[-1].log10_p is not None else "",
        f"{s.stable_rank:.3g}",
        f"{100 * s.bulk_share:.1f} %",
        ("" if s.law is None else "too small")
        if s.p_value is None
        else f"{s.p_value:.2g}{'' if s.fits else ' NO FIT'}",
        "" if s.tail is None else f"{s.tail.exponent:.2f} ± {s.tail.error:.2f}",
    )


def _line(row: tuple[str, ...]) -> list[str]:
    return [" ".join(cell.split()) for cell in row]


def _foot(model: ModelSpectrum) -> str:
    return (
        f"{len(model.layers)} layers; each keeps level {model.level:g} for any false outlier, so among layers of pure "
        f"noise {model.level * len(model.layers):.2g} would have one; λ are eigenvalues of WᵀW/N, N the longer side; "
        "where the bulk does not fit, its σ, edges and outliers are a guide"
    )


def model_spectrum(
    source: Any,
    *,
    level: float = 0.05,
    name: str = "",
    progress: Callable[[str], None] | None = None,
) -> ModelSpectrum:
    """Spectrum of every weight matrix of a model.

    Parameters
    ----------
    source : torch.nn.Module, mapping, str or path-like
        A PyTorch module, a mapping from names to arrays, an .npy or .safetensors file, or a folder of such files.
    level : float, optional
        Probability of any false outlier in a layer, in (0, 0.1].
    name : str, optional
        Name of the model.
    progress : callable, optional
        Called with the name of each layer before it is analysed.

    Returns
    -------
    ModelSpectrum
        One spectrum per matrix. Convolutions are read as matrices of shape (out, in·kernel); vectors, small
        matrices and layers without a bulk are listed in ``skipped``.

    Raises
    ------
    TypeError
        If ``name`` is not a string or ``progress`` is not callable.

    See Also
    --------
    spectrum : The analysis of one matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.spectra import model_spectrum
    >>> rng = np.random.default_rng(0)
    >>> layers = {"noise": 0.02 * rng.standard_normal((60, 150)), "bias": np.zeros(60)}
    >>> model = model_spectrum(layers)
    >>> [(layer.name, layer.spectrum.rank, round(layer.spectrum.sigma, 3)) for layer in model.layers]
    [('noise', 0, 0.02)]
    >>> model.skipped
    (('bias', 'a vector, not a matrix'),)
    """
    level = checked_level(level)
    if not isinstance(name, str):
        raise TypeError(f"name={validate.shown(name)}: expected text")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress={validate.shown(progress)}: expected a function of a layer's name")
    layers: list[LayerSpectrum] = []
    skipped: list[tuple[str, str]] = []
    for layer, array in named_arrays(source):
        if progress is not None:
            progress(layer)
        matrix = as_matrix(array)
        if isinstance(matrix, str):
            skipped.append((layer, matrix))
            continue
        long, short = matrix.shape
        if short < _SMALLEST:
            skipped.append((layer, f"its shorter side has {short} < {_SMALLEST} entries"))
            continue
        validate.memory(8.0 * (3 * long * short + 2 * short**2), f"the spectrum of {layer}")
        try:
            if long > _ELONGATED * short:
                found = spectrum(_gram(matrix), samples=long, level=level, name=layer)
            else:
                found = spectrum(matrix, level=level, name=layer, kind="covariance", test="tracy-widom")
        except (ValueError, ArithmeticError) as error:
            skipped.append((layer, " ".join(str(error).split())))
            continue
        layers.append(LayerSpectrum(layer, tuple(np.shape(array)), found))
    return ModelSpectrum(plain(name or _name(source)), level, tuple(layers), tuple(skipped))


def _gram(matrix: Any) -> Any:
    largest = float(np.abs(matrix).max())
    unit = matrix / largest
    return np.linalg.eigvalsh(unit.T @ unit) * (largest**2 / len(matrix))


def _name(source: Any) -> str:
    return str(source) if isinstance(source, (str, os.PathLike)) else type(source).__name__
