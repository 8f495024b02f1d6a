"""What a package index shows: README with links that work there, and the project's addresses.

The source tree names no host. An index resolves no relative link, so README's are rewritten when a package is built:

    RMTSIM_TREE_URL=https://HOST/OWNER/rmtsim/blob/v0.1.0 python -m build

makes every link and picture absolute and fills in the project's URLs. Without the variable nothing points nowhere
either: a link becomes its text and the file's path, a picture its path.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "RMTSIM_TREE_URL"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")
_ADDRESS = re.compile(r"https://[^\s()<>\"']+")


def index_readme(text: str, base: str) -> str:
    """README for an index: links into the tree at ``base``, or plain words without one.

    Comments (markers for our own tools) are left out; blocks of code are not touched.
    """
    text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.M | re.S)
    pieces = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(
        piece if piece.startswith("```") else _LINK.sub(lambda found: _rewritten(found, base), piece)
        for piece in pieces
    )


def _rewritten(found: re.Match[str], base: str) -> str:
    mark, words, path = found.groups()
    if not base:
        return f"({words}: `{path}`)" if mark else f"{words} (`{path}`)"
    # A page of a host shows a file at …/blob/…; the file itself, which a picture needs, is at …/raw/….
    place = base.replace("/blob/", "/raw/") if mark else base
    return f"{mark}[{words}]({place}/{path})"


def project_urls(base: str) -> dict[str, str]:
    """The addresses that an index lists; none without a host."""
    if not base:
        return {}
    source = re.split(r"/(?:-/)?blob/", base)[0]
    return {
        "Source": source,
        "Documentation": f"{base}/docs/index.md",
        "Changelog": f"{base}/CHANGELOG.md",
        "Issues": f"{source}/issues",
    }


def tree_address() -> str:
    """The address in the environment, checked; empty if there is none."""
    base = os.environ.get(VARIABLE, "").rstrip("/")
    if base and not _ADDRESS.fullmatch(base):
        raise ValueError(f"{VARIABLE}={base!r}: expected https://HOST/OWNER/rmtsim/blob/TAG")
    return base


class IndexMetadata(MetadataHookInterface):
    """Fills in ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling whenever a package is built or installed."""
        base = tree_address()
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": index_readme(text, base)}
        if base:
            metadata["urls"] = project_urls(base)
