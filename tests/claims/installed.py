"""Installed packages of papers: a folder on the path, with its metadata."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from rmtsim.claims._declare import forget

PAPER = """
from rmtsim import Paper

PAPER = Paper(
    key="{key}",
    package=__name__,
    authors="A. Author",
    title="On means",
    year="2026",
    arxiv="2601.00001",
    modules=["means", "others"],
    quick=["{key}.mean", "{key}.mean/corrected"],
)
"""

MEANS = """
from rmtsim import Corrected, Erratum, Limit, claim
from .. import SCALE


@claim(
    "{key}.mean", source="Theorem 1", standing="theorem", statement="The mean tends to 2.", limit=2.0, tolerance=0.02,
    sizes=(10, 20, 40), exponents=(1.0,), because="exact at every size", cost=1e-5,
    erratum=Erratum(cause="scale doubled", note="The density has rate 1."),
    corrected=Corrected("It tends to 1.", states=Limit(1.0, within=0.02)),
)
def mean(size, rng):
    return SCALE * rng.exponential(size=size).mean()
"""

OTHERS = """
from rmtsim import claim


@claim("{key}.sum.exact", identity=True, tolerance=1e-9, sizes=(3,), accuracy=1e-12)
def exact(size):
    return 0.0
"""

ERRATA = """# Errata of {key}

## The scale

`{key}.mean` is printed with twice its scale.
"""


VERDICTS = """{"claims": {"{key}.mean": {"verdict": "REFUTED", "interval": [0.25, 1.125], "parameters": {}, "seed": 7,
"nominal_seconds": 1.5}}}"""


def package(key: str) -> dict[str, str]:
    """Files of a whole paper; ``KEY_paper`` is the name of its package."""
    files = {
        "__init__.py": PAPER + "\nSCALE = 1.0\n",
        "errata.md": ERRATA,
        "verdicts.json": VERDICTS,
        "statements/__init__.py": "",
        "statements/means.py": MEANS,
        "statements/others.py": OTHERS,
    }
    return {f"{key}_paper/{name}": text.replace("{key}", key) for name, text in files.items()}


class Site:
    """A folder on the path, like ``site-packages``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, entries: dict[str, str], files: dict[str, str]) -> None:
        """Put files of a distribution there, and metadata with these entry points."""
        for path, text in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(textwrap.dedent(text), encoding="utf-8")
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
        (info / "entry_points.txt").write_text(f"[rmtsim.claims]\n{lines}")

    def paper(self, key: str, **changed: str) -> None:
        """Install a whole paper, some of its files changed (``statements_means=...`` for ``statements/means.py``)."""
        files = package(key)
        for name, text in changed.items():
            files[f"{key}_paper/{name.replace('statements_', 'statements/')}.py"] = text
        self.install(f"{key}-paper", {key: f"{key}_paper:PAPER"}, files)

    def forget(self) -> None:
        """Undo the imports of these modules."""
        for name in self.imported():
            del sys.modules[name]
            forget(name)

    def imported(self) -> list[str]:
        """Modules that were imported from there."""
        return [
            name
            for name, module in sys.modules.items()
            if (file := getattr(module, "__file__", None)) and Path(file).is_relative_to(self.folder)
        ]
