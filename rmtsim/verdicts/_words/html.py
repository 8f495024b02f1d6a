"""Results for a notebook: a table with statement, verdict, interval and figure. Every text is escaped."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence

from rmtsim.verdicts._results import ClaimResult, Verdict
from rmtsim.verdicts._words.numbers import (
    estimate_words,
    parameter_words,
    predicted_words,
    standing_and_evidence,
)
from rmtsim.verdicts._words.summary import next_step

_COLOURS = {
    Verdict.CONFIRMED: "#1b7837",
    Verdict.REFUTED: "#b2182b",
    Verdict.INCONCLUSIVE: "#8a6d00",
    Verdict.UNTESTED: "#8a6d00",
}
_MARKS = {Verdict.CONFIRMED: "✓", Verdict.REFUTED: "✗", Verdict.INCONCLUSIVE: "?", Verdict.UNTESTED: "○"}
"""Signs in addition to the colours, for readers who cannot distinguish them."""
_MOST = 200
"""Rows of a notebook's table; more are counted."""


def _verdict(verdict: Verdict) -> str:
    return f'<b style="color:{_COLOURS[verdict]}">{_MARKS[verdict]} {verdict}</b>'


def result_html(result: ClaimResult, *, figure: bool = True) -> str:
    """One result.

    >>> from rmtsim import verify
    >>> "✓ CONFIRMED" in result_html(verify("dong.thm1.diagonal-limit")[0], figure=False)
    True
    """
    rows = "".join(
        f"<tr><td>{html.escape(parameter_words(point.parameters)) or '–'}</td><td>{_verdict(point.verdict)}</td>"
        f"<td>{html.escape(predicted_words(point))}</td><td>{html.escape(estimate_words(point))}</td></tr>"
        for point in result.points[:_MOST]
    )
    lines = [
        f"<p><code>{html.escape(result.claim)}</code> {_verdict(result.verdict)}<br>"
        f"{html.escape(result.statement)}<br><small>{html.escape(standing_and_evidence(result))}; "
        f"{html.escape(result.source)}</small></p>",
        "<table><thead><tr><th>at</th><th>verdict</th><th>predicted</th><th>estimate in interval</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>",
    ]
    if result.deciding.warned:
        lines.insert(0, f"<p><b>Warning: {html.escape(result.deciding.warned)}</b></p>")
    if result.cause:
        lines.append(f"<p>Cause: {html.escape(result.cause)}</p>")
    lines.append(f"<p><small>next: {html.escape(next_step(result))}</small></p>")
    if figure:
        lines.append(_figure(result))
    return f"<div>{''.join(lines)}</div>"


def _figure(result: ClaimResult) -> str:
    """The figure as a separate image, so that its markup cannot interfere with that of the page."""
    if result.kind in ("identity", "bound") or not any(point.values for point in result.points):
        return ""
    from rmtsim.plots._verdict import verdict_figure  # matplotlib is heavy

    target = io.BytesIO()
    verdict_figure(result).savefig(target, format="png", dpi=80)
    image = base64.b64encode(target.getvalue()).decode("ascii")
    words = html.escape(f"{result.claim}: values against {result.size_name}, {result.verdict}", quote=True)
    return f'<img alt="{words}" src="data:image/png;base64,{image}">'


def results_html(results: Sequence[ClaimResult]) -> str:
    """Several results: a row each."""
    rows = "".join(
        f"<tr><td><code>{html.escape(each.claim)}</code></td><td>{_verdict(each.verdict)}</td>"
        f'<td style="text-align:left">{html.escape(each.statement)}<br>'
        f"<small>{html.escape(standing_and_evidence(each))}</small></td>"
        f"<td>{html.escape(predicted_words(each.deciding))}</td><td>{html.escape(estimate_words(each.deciding))}</td></tr>"
        for each in results[:_MOST]
    )
    more = f"<p>… and {len(results) - _MOST} more</p>" if len(results) > _MOST else ""
    return (
        "<table><thead><tr><th>claim</th><th>verdict</th><th>statement</th><th>predicted</th>"
        f"<th>estimate in interval</th></tr></thead><tbody>{rows}</tbody></table>{more}"
    )
