"""Names of measured quantities for the axes of figures: declared ones, or symbols of their statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rmtsim.claims._recipes import quantity_name

if TYPE_CHECKING:
    from rmtsim.verdicts._results import ClaimResult

_STATED = (
    r"→|->|tends? to|converges? to|≤|<=|≥|>=|<|>|is bounded by|is at most|is at least|(?:is|=)(?= [OÕΘΩo]\()"
)
_RELATIONS = (re.compile(rf"\s(?:{_STATED})\s"), re.compile(r"\s(?:=|≈|∼)\s"))
"""What a statement asserts of its quantity; an equality may also be a definition, so it comes second."""
_MEASURED = re.compile(r"(?:tested|measured)(?: as|:| at [^:;,]*:)\s+")
"""Beginning of the part of a statement that says what is measured."""
_SETTING = re.compile(
    r"^(?:the mean over|the decay|for|at|with|as|given|if|where|when|since|on|in|under|read|let|here|by|after)\b"
    r"|\b(?:with|that|where|which|since|conditioned|for|whose|selects?)\b",
    re.I,
)
"""Words of a clause that states the setting and not the quantity."""
_NAMES = {
    "law": "distance to the stated law",
    "probability": "probability of the event",
    "identity": "error of the identity",
}
"""What is measured of statements of these kinds, whatever their quantity is."""
_LONGEST = 40
"""Letters of an axis label."""


def quantity_symbol(result: ClaimResult) -> str:
    """The measured quantity: its declared name, or the left side of the relation of the statement, if that is short.

    What follows "tested:" or "measured as" has precedence. Clauses that state the setting are passed over.

    >>> from types import SimpleNamespace as Result
    >>> quantity_symbol(Result(statement="For d → ∞: (1/d)‖H_ii‖²_F → g_ii(γ, C).", claim="x", kind="limit"))
    '(1/d)‖H_ii‖²_F'
    >>> quantity_symbol(Result(statement="‖H‖ = Õ(1/√m); tested: ‖H(W)‖/ln m = O(m^-1/2).", claim="x", kind="rate"))
    '‖H(W)‖/ln m'
    >>> quantity_symbol(Result(statement="The largest eigenvalue has a limit.", claim="goe.edge", kind="limit"))
    'quantity of goe.edge'
    """
    kind = str(result.kind)
    if kind in _NAMES:
        return _NAMES[kind]
    if declared := quantity_name(result.claim):
        return _label(declared)
    statement = " ".join(result.statement.split())
    stated, *measured = _MEASURED.split(statement)
    for part in measured:
        name = re.split(r"[;,]\s|\.(?:\s|$)|:\s", part)[0]
        if not any(relation.search(name) for relation in _RELATIONS) and _usable(name):
            return _label(name)
    for relation in _RELATIONS:
        for part in (*measured, stated):
            for name in _left_sides(part, relation):
                if _usable(name) and (len(name) > 1 or statement.startswith(name)):
                    return _label(name)
    return f"quantity of {_label(result.claim)}"


def _left_sides(text: str, relation: re.Pattern[str]) -> Iterator[str]:
    """What precedes the first relation of each clause, unless its right side is infinity."""
    for clause in re.split(r"[;:.]\s", text):
        sides = relation.split(clause, maxsplit=1)
        if len(sides) == 2 and not sides[1].startswith("∞"):
            yield re.sub(r"\s(?:is|are)$", "", sides[0].strip(" :"))


def _usable(name: str) -> bool:
    """Whether a name is short, complete and not a description of the setting."""
    complete = all(name.count(left) == name.count(right) for left, right in ("()", "[]", "{}"))
    bare = not any(relation.search(f"{name} ") for relation in _RELATIONS)
    return 0 < len(name) <= _LONGEST and complete and bare and not _SETTING.search(name)


def _label(name: str) -> str:
    """A name for matplotlib, which would read dollar signs as mathematics."""
    return name.replace("$", r"\$")
