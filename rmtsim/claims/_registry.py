"""All claims by name. A paper's modules are imported only when one of its claims is asked for."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable
from typing import Any

from rmtsim.claims._declare import declared_in
from rmtsim.claims._files import plugin_claims
from rmtsim.claims._model import Claim
from rmtsim.claims._papers import PAPERS
from rmtsim.errors import UnknownClaimError

__all__ = ["all_claims", "find", "predict", "twin_statement"]


@functools.cache
def _of_paper(key: str) -> dict[str, Claim]:
    """Claims of one built-in paper by id, each followed by its correction."""
    return _by_id(claim for module in PAPERS[key].load() for claim in declared_in(module))


@functools.cache
def _of_plugins() -> dict[str, Claim]:
    return _by_id(plugin_claims())


def _by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    for claim in claims:
        if claim.id in found:
            raise ValueError(f"id={claim.id!r}: a claim of this name is declared already")
        found[claim.id] = claim
    return found


def _everything() -> dict[str, Claim]:
    return _by_id(claim for part in (*map(_of_paper, PAPERS), _of_plugins()) for claim in part.values())


def all_claims(paper: str | None = None) -> list[Claim]:
    """Every registered claim, papers in their order, or those of one paper key.

    >>> {claim.paper for claim in all_claims("li")}
    {'li'}
    """
    if paper in PAPERS:
        return list(_of_paper(paper).values())
    claims = list(_everything().values())
    papers = list(dict.fromkeys(claim.paper for claim in claims))
    if paper is not None and paper not in papers:
        near = difflib.get_close_matches(str(paper), papers, n=2, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"paper={paper!r}: expected one of {', '.join(papers)}{hint}")
    return [claim for claim in claims if paper in (None, claim.paper)]


def find(name: str) -> Claim:
    """The claim of this id.

    >>> find("dong.thm1.diagonal").equation
    'Theorem 1, eq. (22)'
    """
    key = name.partition(".")[0] if isinstance(name, str) else ""
    if key in PAPERS and name in _of_paper(key):
        return _of_paper(key)[name]
    known = _everything()
    if name not in known:
        near = difflib.get_close_matches(str(name), [*PAPERS, *known], n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `rmtsim claims` lists them"
        raise UnknownClaimError(f"claim={name!r}: no such claim{hint}")
    return known[name]


def predict(name: str | Claim, /, **parameters: Any) -> float:
    """The number that a claim states at a parameter point.

    Parameters
    ----------
    name : str or Claim
        Id of a registered claim, or a claim.
    **parameters : float or int
        Values of the claim's parameters; those left out take their defaults.

    Returns
    -------
    float
        The stated limit, amplitude, probability or bound.

    Raises
    ------
    UnknownClaimError
        If no claim has this id.
    ValueError
        If the statement gives no number, or a parameter lies outside its domain.

    Examples
    --------
    >>> round(predict("dong.thm1.diagonal-limit", gamma=1.0), 6)
    3.718282
    """
    claim = name if isinstance(name, Claim) else find(name)
    return claim.prediction(parameters)


def twin_statement(claim: Claim) -> str:
    """The corrected statement of a printed one, or the printed one of a correction; empty where there is none.

    >>> twin_statement(find("dong.eq3")) == find("dong.eq3/corrected").statement
    True
    >>> twin_statement(find("dong.eq5"))
    ''
    """
    if claim.correction is not None:
        return claim.correction.statement
    printed = claim.id.removesuffix("/corrected")
    if printed == claim.id or claim.paper not in PAPERS:
        return ""
    found = _of_paper(claim.paper).get(printed)
    return "" if found is None else found.statement
