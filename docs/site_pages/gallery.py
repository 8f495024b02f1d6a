"""The gallery: every figure of the documentation with the command that draws it and what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from site_pages.captions import CAPTIONS, COMMANDS

__all__ = ["gallery_page"]

DOCS = Path(__file__).resolve().parent.parent
STUDIES = DOCS.parent / "studies"


def _first_paragraph(study: Path) -> str:
    found = re.match(r'"""(.*?)(?:\n\n|""")', study.read_text(encoding="utf-8"), re.DOTALL)
    return " ".join(found.group(1).split()) if found else ""


def _study_of(figure: str) -> Path | None:
    """The study whose name is the longest beginning of the figure's."""
    fitting = [study for study in STUDIES.rglob("*.py") if figure.startswith(study.stem)]
    return max(fitting, key=lambda study: len(study.stem), default=None)


def gallery_page() -> str:
    """Every figure of docs/figures."""
    lines = [
        "# Gallery",
        "",
        "Each figure with its command; `rmtsim studies` lists what a study shows and how long it takes.",
        "",
    ]
    for figure in sorted((DOCS / "figures").glob("*.png")):
        study = _study_of(figure.stem)
        caption = CAPTIONS[figure.stem]
        lines += [
            f"## {figure.stem}",
            "",
            f"![{caption.split('.')[0]}](../figures/{figure.name})",
            "",
            caption,
            "",
        ]
        if study:
            lines += [_first_paragraph(study), ""]
        command = COMMANDS.get(figure.stem, f"rmtsim study {study.stem}" if study else None)
        if command:
            lines += [f"    {command}", ""]
    return "\n".join(lines) + "\n"
