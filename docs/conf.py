"""Sphinx: the documentation as a site, with one command and nothing from the network.

    pip install -e '.[docs]' && sphinx-build -W docs docs/_build

Sphinx because it is what readers of scientific Python know, checks every internal link and builds offline; MyST because
the pages are Markdown that must also read well in the repository; Furo because it brings its own styles and scripts.
Mathematics is written in Unicode, so nothing has to be typeset or fetched. Pages that follow from the registry (one a
paper, the gallery, the reference of the interface) are written at the start of a build by ``docs/site_pages``.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from site_pages import write_pages  # noqa: E402

from rmtsim import __version__  # noqa: E402

project = "rmtsim"
author = "the authors of rmtsim"
html_show_copyright = False  # LICENSE has it
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "notebooks/*.py"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"rmtsim {release}"
html_copy_source = False
smartquotes = False  # a prime in a formula is no quotation mark
pygments_style = "friendly"
# Greek letters and formulas are no Python; a block that the lexer cannot read is shown as it is.
suppress_warnings = ["misc.highlighting_failure"]


_ERRATA = re.compile(r"\]\((?:\.\./)*\.\./rmtsim/papers/(\w+)/errata\.md")


def errata_on_the_site(app, docname, source):
    """Links to a paper's errata.md, which lies in the package, become links to the page that includes it."""
    source[0] = _ERRATA.sub(r"](/papers/\1/errata.md", source[0])


def setup(app):
    """Write the pages that follow from the code, before Sphinx looks for sources."""
    write_pages(HERE / "generated")
    app.connect("source-read", errata_on_the_site)
    return {"parallel_read_safe": True}
