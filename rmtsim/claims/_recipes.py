"""Recipes: how a simulated quantity is measured, and comparisons with second implementations.

The words are in ``recipes.toml`` in the folder of a paper: tables ``[[recipe]]`` with ``claims``, the ids or patterns
of the statements that share it, and ``text``. ``{name}`` in a text is replaced by the passage ``name`` of the table
``passages``. A correction has the recipe of its statement unless a recipe names it. The table ``quantities`` has names
of measured quantities for the axes of figures, each with ids or patterns of statements.

``twins.json`` records comparisons with a second, plain implementation that follows the recipe (a *twin*, in the
tests): mean and standard error of both at two parameter points. A simulated statement is *provisional*
unless its record agrees within :data:`JOINT_ERRORS` joint standard errors at two points and belongs to the present text
of its recipe.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rmtsim.claims._model import Claim
from rmtsim.claims._papers import PAPERS

FILE = "recipes.toml"
TWINS = "twins.json"
JOINT_ERRORS = 4.0
"""Largest difference of the two means that counts as agreement, in joint standard errors."""
_POINTS = 2
_CORRECTED = "/corrected"
_Texts = tuple[tuple[tuple[str, ...], str], ...]


def recipe(claim: Claim) -> str:
    """The recipe of a claim; empty if there is none.

    >>> from rmtsim.claims import find
    >>> recipe(find("dong.thm1.diagonal")) != ""
    True
    """
    return _of(claim.id, _file(claim.paper)[0])


def quantity_name(claim_id: str) -> str:
    """The declared name of the measured quantity of a claim; empty if there is none.

    >>> quantity_name("wu.corB.5/corrected")
    'overlap'
    """
    return _of(claim_id, _file(claim_id.partition(".")[0])[1])


def shared_recipes(key: str) -> _Texts:
    """Patterns of ids and text of every recipe of a paper, in the order of its file."""
    return _file(key)[0]


def digest(text: str) -> str:
    """Short name of the text of a recipe.

    >>> digest("one") == digest("one"), digest("one") == digest("two")
    (True, False)
    """
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def provisional(claim: Claim) -> bool:
    """Whether a simulated statement of a paper has not been repeated by a second implementation.

    >>> from rmtsim.claims import find
    >>> provisional(find("dong.thm1.diagonal-limit"))     # computed: nothing is drawn
    False
    """
    if claim.evidence != "simulated" or claim.paper not in PAPERS:
        return False
    found = PAPERS.records(claim.paper, TWINS).get(claim.id)
    text = recipe(claim)
    if not text or found is None or found.get("recipe") != digest(text):
        return True
    points = found.get("points", ())
    return len(points) < _POINTS or not all(agrees(point) for point in points)


def agrees(point: dict[str, Any]) -> bool:
    """Whether the means of sampler and twin agree at a point, up to the accuracy of the twin.

    >>> agrees({"sampler": [1.0, 0.1], "twin": [1.5, 0.1], "accuracy": 0.0})
    True
    >>> agrees({"sampler": [1.0, 0.1], "twin": [1.6, 0.1], "accuracy": 0.0})
    False
    """
    (one, first), (two, second) = point["sampler"], point["twin"]
    room = JOINT_ERRORS * math.hypot(first, second) + point["accuracy"] + 1e-12 * max(abs(one), abs(two))
    return bool(abs(one - two) <= room)


def _of(claim_id: str, texts: _Texts) -> str:
    """The first text whose patterns match the id, or that of the statement which a correction corrects."""
    for name in (claim_id, claim_id.removesuffix(_CORRECTED)):
        for patterns, text in texts:
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return text
    return ""


def _file(key: str) -> tuple[_Texts, _Texts]:
    paper = PAPERS.usable(key)
    path = None if paper is None else paper.file(FILE)
    return ((), ()) if path is None else _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed: int) -> tuple[_Texts, _Texts]:
    """Recipes of a file and names of quantities; ``changed`` is the time of its last change."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    passages = found.get("passages", {})

    def filled(text: str) -> str:
        for _ in range(3):  # a passage may contain passages
            text = re.sub(r"\{(\w+)\}", lambda match: passages.get(match[1], match[0]), text)
        return " ".join(text.split())

    recipes = tuple((tuple(each["claims"]), filled(each["text"])) for each in found.get("recipe", ()))
    return recipes, tuple((tuple(patterns), name) for name, patterns in found.get("quantities", {}).items())
