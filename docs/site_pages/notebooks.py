"""The executed notebooks as pages: cells as they are, with the outputs that are stored in the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["notebook_pages"]

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def _output(output: dict[str, Any]) -> list[str]:
    """An output as a block: a picture, HTML, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        picture = "".join(data["image/png"]).replace("\n", "")
        return [
            "```{raw} html",
            f'<img alt="output of the cell" src="data:image/png;base64,{picture}">',
            "```",
        ]
    if "text/html" in data:
        return ["````{raw} html", *"".join(data["text/html"]).splitlines(), "````"]
    text = "".join(data.get("text/plain", output.get("text", [])))
    return ["````text", *text.splitlines(), "````"] if text else []


def _page(file: Path) -> str:
    lines: list[str] = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "markdown":
            lines += [*source, ""]
            continue
        lines += ["```python", *source, "```", ""]
        for output in cell.get("outputs", []):
            lines += [*_output(output), ""]
    lines.append(f"The notebook itself: `docs/notebooks/{file.name}`.")
    return "\n".join(lines) + "\n"


def notebook_pages() -> dict[str, str]:
    """File names with their text."""
    return {f"notebooks/{file.stem}.md": _page(file) for file in sorted(NOTEBOOKS.glob("*.ipynb"))}
