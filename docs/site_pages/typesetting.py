"""Formulas in the running text of a page, typeset by the same code as in the report: HTML and styles, no scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes

import rmtsim.report
from rmtsim.report._markup import escaped
from rmtsim.report._typeset import typeset

__all__ = ["stylesheet", "typeset_page"]

_AS_WRITTEN = (nodes.literal, nodes.literal_block, nodes.raw, nodes.title, nodes.comment, nodes.image)
_CLASSES = (".vh", ".ss", ".root", ".frac")
_VERDICTS = """
table.verdicts td,table.members td{vertical-align:top}
table.members{margin-left:0}table.members td:first-child code{white-space:nowrap}
@media (max-width:46em){table.verdicts,table.verdicts tbody,table.verdicts tr,table.verdicts td{display:block}
table.verdicts thead{display:none}table.verdicts tr{border-bottom:2px solid var(--color-foreground-border)}
table.verdicts td{border:0!important;padding:.3rem .4rem}
table.verdicts td:nth-child(3):not(:empty)::before{content:"";display:block;border-top:1px dashed;margin-bottom:.3rem}}
.CONFIRMED{color:#1b7837}.REFUTED{color:#b2182b}.INCONCLUSIVE{color:#8a6d00}
@media (prefers-color-scheme:dark){body:not([data-theme="light"]) .CONFIRMED{color:#7fbf7b}
body:not([data-theme="light"]) .REFUTED{color:#ef8a62}body:not([data-theme="light"]) .INCONCLUSIVE{color:#e0c060}}
body[data-theme="dark"] .CONFIRMED{color:#7fbf7b}body[data-theme="dark"] .REFUTED{color:#ef8a62}
"""


def stylesheet() -> str:
    """Styles of typeset formulas, from the report's own, and colours of verdicts."""
    style = Path(rmtsim.report.__file__).with_name("style.css").read_text(encoding="utf-8")
    return "\n".join(line for line in style.splitlines() if line.startswith(_CLASSES)) + _VERDICTS


def _is_shown_as_written(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, _AS_WRITTEN):
            return True
        node = node.parent
    return False


def typeset_page(app: Any, doctree: nodes.document, docname: str) -> None:
    """Replace text that contains formulas by its HTML; code, headings and links to files are left alone."""
    if app.builder.format != "html":
        return
    for text in list(doctree.findall(nodes.Text)):
        if _is_shown_as_written(text):
            continue
        html = typeset(text.astext())
        if html != escaped(text.astext()):
            text.parent.replace(text, nodes.raw("", html, format="html"))
