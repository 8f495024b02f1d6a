"""The page of an examination: one self-contained HTML file, everything from outside escaped, no script, no network."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

from rmtsim.report._markup import Markup, joined, tag

if TYPE_CHECKING:
    from rmtsim.hessians._examine import Examination

_STYLE = Markup(
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;"
    "background:#fff}table{border-collapse:collapse;font-size:13px;margin-bottom:1rem}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child{text-align:left}"
    "pre{background:#f6f6f6;padding:.8rem;white-space:pre-wrap;font-size:12px}"
    "img{max-width:100%}figure{display:inline-block;margin:0 1rem 1rem 0}.wide{overflow-x:auto}.warn{color:#a40000}"
)
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_COVERAGE = (
    "Intervals are at 95 %. Those for this data set cover the error of the random probes. Those for the population "
    "cover the errors of probes and of the finite data together; they assume that the batches were drawn independently "
    "from one distribution and that the model does not depend on them. For a model that was trained on these samples, "
    "the population of new samples has another Hessian: use data that training has not seen."
)
_ROWS = 60
"""Groups up to which the table of blocks is shown."""


def page(found: Examination) -> str:
    """The page's text.

    >>> import numpy as np
    >>> from rmtsim.hessians import examine, hessian
    >>> text = page(examine(hessian(np.eye(3)), {"<b>": [0], "x": [1, 2]}, title="<i>", count=1))
    >>> "<b>" in text, "&lt;b&gt;" in text, "<i>" in text, "http:" in text
    (False, True, False, False)
    """
    body = [
        tag("h1", found.title),
        tag("p", found.description),
        tag("p", _COVERAGE),
        tag("h2", "Blocks"),
        _blocks(found),
        tag("h2", "Eigenvalues"),
        _eigenvalues(found),
        tag("h2", "Trace"),
        _trace(found),
        tag("h2", "Density"),
        joined(_image(each.plot(), f"density of {each.name}") for each in found.spectra),
    ]
    if found.notes:
        body += [tag("h2", "Not computed"), tag("ul", *(tag("li", note) for note in found.notes))]
    if found.theory:
        body += [tag("h2", "Theory"), *(tag("pre", words) for words in found.theory)]
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        tag("title", found.title),
        Markup(f"<style>{_STYLE}</style>"),
    )
    return f'<!doctype html><html lang="en">{head}{tag("body", *body)}</html>\n'


def _image(figure: Any, alt: str) -> Markup:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=130, metadata={"Software": None})
    source = "data:image/png;base64," + base64.b64encode(data.getvalue()).decode("ascii")
    return tag("figure", Markup(tag("img", alt=alt, src=source).replace("</img>", "")))


def _table(headings: list[str], rows: list[list[object]]) -> Markup:
    head = tag("thead", tag("tr", *(tag("th", h) for h in headings)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
    return tag("div", tag("table", head, body), class_="wide")


def _blocks(found: Examination) -> Markup:
    blocks = found.blocks
    parts: list[object] = [
        tag(
            "p",
            "Squared Frobenius norms ‖H_ij‖² of all blocks between groups of parameters, relative to the diagonal "
            "blocks: 1 on the diagonal, 0 for a block-diagonal Hessian.",
        ),
        _image(blocks.plot(), "map of block ratios"),
    ]
    if blocks.population is not None:
        parts.append(_image(blocks.plot(population=True), "map of block ratios, population"))
    rows: list[list[object]] = []
    if blocks.ratio is not None:
        rows.append(["off-diagonal / diagonal, this data set", blocks.ratio])
    if blocks.population_ratio is not None:
        rows.append(["off-diagonal / diagonal, population", blocks.population_ratio])
    rows.append(["products with the Hessian", blocks.products])
    parts.append(_table(["quantity", "value"], rows))
    if not blocks.reached:
        parts.append(
            tag(
                "p",
                "The requested precision of the ratios was not reached within the allowed products.",
                class_="warn",
            )
        )
    if len(blocks.names) <= _ROWS:
        headings = ["group", "parameters", "‖H_ii‖²", "± probes", "population", "± probes and data"]
        table: list[list[object]] = []
        for i, name in enumerate(blocks.names):
            row: list[object] = [
                name,
                int(blocks.sizes[i]),
                f"{blocks.energies[i, i]:.4g}",
                f"{blocks.errors[i, i]:.2g}",
            ]
            if blocks.population is not None and blocks.population_errors is not None:
                row += [f"{blocks.population[i, i]:.4g}", f"{blocks.population_errors[i, i]:.2g}"]
            else:
                row += ["", ""]
            table.append(row)
        parts.append(_table(headings, table))
    return joined(parts)


def _eigenvalues(found: Examination) -> Markup:
    parts: list[object] = []
    for end in found.ends:
        needed = end.samples_needed()
        rows: list[list[object]] = []
        for j, value in enumerate(end.values):
            row: list[object] = [f"{end.which} {j + 1}", f"{value:.5g}", f"{end.residuals[j]:.1e}"]
            if end.population is not None and end.held_out is not None:
                note = "" if end.separated[j] else " (not separated)"
                row += [
                    f"{end.held_out[j]:.5g}",
                    f"{end.population[j]}{note}{end.population[j].note}",
                    needed[j] if needed else "?",
                ]
            else:
                row += ["", "unknown: fewer than five batches", ""]
            rows.append(row)
        parts.append(_image(end.plot(), f"{end.which} eigenvalues"))
        parts.append(
            _table(
                ["rank", "this data set", "residual", "held out", "population, 95 %", "samples for ±10 %"],
                rows,
            )
        )
    return joined(parts)


def _trace(found: Examination) -> Markup:
    trace = found.trace
    needed = trace.samples_needed()
    table = _table(
        ["group", "this data set", "± probes", "population, 95 %", "samples for ±10 %"],
        [
            [
                trace.name,
                f"{trace.value:.5g}",
                f"{trace.error:.2g}",
                "unknown: fewer than three batches"
                if trace.population is None
                else f"{trace.population}{trace.population.note}",
                "?" if needed is None else needed,
            ]
        ],
    )
    return joined([_image(trace.plot(), f"trace of {trace.name}"), table])
