"""Sphinx: the documentation as a site, with one command and nothing from the network.

    pip install -e '.[docs]' && sphinx-build -W docs docs/_build

Sphinx because it is what readers of scientific Python know, checks every internal link and builds offline; MyST because
the pages are Markdown that must also read well in the repository; Furo because it brings its own styles and scripts.
Mathematics is written in Unicode, so that it can be read in the repository, and typeset as HTML by the code of the
report. Pages that follow from the code (one per paper, the gallery, the notebooks, the reference) are written by
``docs/site_pages`` at the start of a build. ``objects.inv`` lists every public name for links from other projects.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from site_pages import write_pages  # noqa: E402
from site_pages.typesetting import typeset_page  # noqa: E402

from rmtsim import __version__  # noqa: E402

project = "rmtsim"
author = "the authors of rmtsim"
html_show_copyright = False  # LICENSE has it
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "notebooks/*.py"]
html_static_path = ["generated/static"]
html_css_files = ["rmtsim.css"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "attrs_inline"]
html_theme = "furo"
html_title = f"rmtsim {release}"
html_copy_source = False
smartquotes = False  # a prime in a formula is no quotation mark
pygments_style = "friendly"
# Greek letters and formulas are no Python; a block that the lexer cannot read is shown as it is.
suppress_warnings = ["misc.highlighting_failure"]


_ERRATA = re.compile(r"\]\((?:\.\./)*\.\./rmtsim/papers/(\w+)/errata\.md")


_CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.M | re.S)


def for_the_site(app, docname, source):
    """Adapt a page: links to a paper's errata.md, which lies in the package, lead to the page that includes it.

    An underscore before a brace is a subscript, never the beginning of an emphasis.
    """
    text = _ERRATA.sub(r"](/papers/\1/errata.md", source[0])
    parts = _CODE.split(text)
    source[0] = "".join(
        part if part.startswith("`") else re.sub(r"(?<!\\)_(?=\{)", r"\\_", part) for part in parts
    )


def setup(app):
    """Write the pages that follow from the code, before Sphinx looks for sources."""
    write_pages(HERE / "generated")
    app.connect("source-read", for_the_site)
    app.connect("doctree-resolved", typeset_page)
    return {"parallel_read_safe": True}
