"""Pages of the site that follow from the code: written at the start of a build, never by hand."""

from __future__ import annotations

from pathlib import Path

from site_pages.command_line import command_page
from site_pages.first_looks import first_looks_page
from site_pages.gallery import gallery_page
from site_pages.notebooks import notebook_pages
from site_pages.papers import paper_pages
from site_pages.reference import reference_pages
from site_pages.typesetting import stylesheet

__all__ = ["write_pages"]


def write_pages(folder: Path) -> None:
    """One page per paper, the gallery, the notebooks, the reference of the interface, and the site's own styles."""
    pages = {
        **paper_pages(),
        "first-looks.md": first_looks_page(),
        "gallery.md": gallery_page(),
        "commands.md": command_page(),
        **notebook_pages(),
        **reference_pages(),
        "static/rmtsim.css": stylesheet(),
    }
    for file in folder.rglob("*.*"):  # pages of an earlier build that are no longer made
        if file.relative_to(folder).as_posix() not in pages:
            file.unlink()
    for name, text in pages.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        # Unchanged pages keep their time, so that a second build does only what is new.
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
