"""What a statement is in its paper and what its evidence is, in a few words: the same on every surface."""

from __future__ import annotations

from typing import Protocol

PLURALS = {
    "theorem": "theorems",
    "lemma": "lemmas",
    "equation": "equations",
    "remark": "remarks",
    "figure": "figures",
    "heuristic": "heuristics",
}
"""Standings in the order of every count; heuristics last, because they are counted apart."""


class Described(Protocol):
    """A claim or its result."""

    @property
    def standing(self) -> str:
        """Theorem, lemma, equation, remark, figure or heuristic."""
        ...

    @property
    def evidence(self) -> str:
        """Simulated or computed."""
        ...

    @property
    def form(self) -> str:
        """Printed or corrected."""
        ...

    @property
    def citation(self) -> str:
        """The paper in full; empty for a claim of one's own."""
        ...

    @property
    def same_as(self) -> str:
        """The claim that tests the same statement at another place, if there is one."""
        ...

    @property
    def qualifier(self) -> str:
        """The paper's own word for how far it means the statement."""
        ...


def quoted(words: str) -> str:
    """The paper's own words in quotation marks, once.

    >>> quoted("≈"), quoted("“intuitively”")
    ('“≈”', '“intuitively”')
    """
    return f"“{words.strip('“”')}”" if words else ""


def standing_and_evidence(described: Described) -> str:
    """For instance "theorem (printed), simulated", "lemma (corrected), computed", "heuristic “≈” (printed), simulated".

    Of a claim of one's own, which nobody printed, the form is told only if it is a correction.

    >>> from rmtsim.claims import find
    >>> standing_and_evidence(find("dong.thm1.diagonal/corrected"))
    'theorem (corrected), simulated'
    >>> standing_and_evidence(find("dong.thm1.diagonal-limit"))
    'theorem (printed), computed'
    """
    words = described.standing
    if described.qualifier:
        words += f" {quoted(described.qualifier)}"
    if described.form == "corrected" or described.citation:
        words += f" ({described.form})"
    return f"{words}, {described.evidence}"
