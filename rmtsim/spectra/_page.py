"""The page of a model: one self-contained HTML file, everything from outside escaped, no script, no network."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rmtsim.spectra._model import LayerSpectrum, ModelSpectrum

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;font-size:13px}th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid #ddd}
tr.misfit td{background:#fff3f0}pre{background:#f6f6f6;padding:.8rem;overflow-x:auto;font-size:12px}
img{max-width:100%}section{margin-top:2rem}.wide{overflow-x:auto}
"""


def page(model: ModelSpectrum) -> str:
    """The page's text.

    >>> import numpy as np
    >>> from rmtsim.spectra._model import model_spectrum
    >>> text = page(model_spectrum({"<b>": np.random.default_rng(0).standard_normal((40, 30))}))
    >>> "<b>" in text, "&lt;b&gt;" in text, "http:" in text
    (False, True, False)
    """
    from rmtsim.spectra._model import HEADINGS, cells

    head = "".join(f"<th>{html.escape(name)}</th>" for name in HEADINGS)
    rows = "".join(
        f"<tr{'' if layer.spectrum.fits is not False else ' class=misfit'}>"
        + "".join(
            f'<td><a href="#layer{number}">{html.escape(cell)}</a></td>'
            if not place
            else f"<td>{html.escape(cell)}</td>"
            for place, cell in enumerate(cells(layer))
        )
        + "</tr>"
        for number, layer in enumerate(model.layers)
    )
    skipped = "".join(
        f"<li>{html.escape(f'{reason}: ' + ', '.join(names))}</li>"
        for reason, names in model.left_out.items()
    )
    left_out = f"<h2>Left out</h2><ul>{skipped}</ul>" if skipped else ""
    sections = "".join(_section(number, layer) for number, layer in enumerate(model.layers))
    title = html.escape(f"Spectra of {model.name}")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{_explained(model)}</p><div class=wide><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"</div>{left_out}{sections}</body></html>\n"
    )


def _explained(model: ModelSpectrum) -> str:
    return (
        "Each weight matrix W is compared with pure noise: eigenvalues of WᵀW/N, N its longer side, beside the "
        "Marchenko–Pastur law of entries with deviation σ. Outliers are tested one after the other against "
        f"Tracy–Widom; the chance of any false one is {model.level:g} in each layer. “fit p” is the chance of a bulk "
        "that fits worse, if it is noise; rows in red do not fit, and their σ, edges and outliers are a guide only."
    )


def _section(number: int, layer: LayerSpectrum) -> str:
    from rmtsim.plots._spectrum import picture

    data = io.BytesIO()
    picture(layer.spectrum, data)
    image = base64.b64encode(data.getvalue()).decode("ascii")
    return (
        f'<section id="layer{number}"><h2>{html.escape(layer.name)}</h2>'
        f'<img alt="histogram of the bulk, its law and the outliers" src="data:image/png;base64,{image}">'
        f"<pre>{html.escape(layer.spectrum.report())}</pre></section>"
    )
