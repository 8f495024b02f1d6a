"""All claims by id. A statement module is imported only when one of its claims is needed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from rmtsim._internal import validate
from rmtsim.claims._files import claims_in, declared_by
from rmtsim.claims._model import Claim
from rmtsim.claims._papers import PAPERS, Paper
from rmtsim.claims._texts import FILE, declared_ids, entries, modules_below, modules_of, sources
from rmtsim.errors import PaperError, UnknownClaimError

_OF_PAPER: dict[str, dict[str, Claim]] = {}
"""Claims of papers that were loaded whole, each followed by its correction."""
_OF_MODULE: dict[str, dict[str, Claim]] = {}
"""Claims of single statement modules."""


def reset() -> None:
    """Forget papers and claims, for instance after a package was installed in a running session."""
    PAPERS.reset()
    sources.cache_clear()
    _OF_PAPER.clear()
    _OF_MODULE.clear()


def _of_module(paper: Paper, module: str) -> dict[str, Claim]:
    if module not in _OF_MODULE:
        try:
            _OF_MODULE[module] = _by_id(_checked(paper, _adopted(paper, declared_by(module))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # third-party code may raise anything, for instance pytest's Skipped
            raise PAPERS.fault(paper.key, _reason(error)) from error
    return _OF_MODULE[module]


def _of_paper(key: str) -> dict[str, Claim]:
    """All claims of a paper; a :class:`PaperError` if one of its modules fails."""
    if key in _OF_PAPER:
        return _OF_PAPER[key]
    paper = PAPERS[key]
    loose = PAPERS.loose_claims(key)
    try:
        if loose is None:
            claims = [each for module in paper.statements for each in _of_module(paper, module).values()]
        else:
            claims = _adopted(paper, claims_in(loose))
        if not claims:
            raise ValueError("it declares no claims")
        _OF_PAPER[key] = _by_id(claims)
    except (PaperError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PAPERS.fault(key, _reason(error)) from error
    unknown = [name for name in paper.quick if name not in _OF_PAPER[key]]
    if unknown:
        PAPERS.remark(key, f"its quick set names {unknown[0]!r}, which it does not declare")
    known = {*_OF_PAPER[key], *declared_ids(paper)}
    unused = [name for name in entries(paper) if name not in known]
    if unused:
        PAPERS.remark(key, f"{FILE} has words for {unused[0]!r}, which it does not declare")
    return _OF_PAPER[key]


def _reason(error: BaseException) -> str:
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return " ".join(f"{kind}{error}".split())


def _adopted(paper: Paper, claims: Iterable[Claim]) -> list[Claim]:
    """The claims as those of this paper, where they were declared without one."""

    def own(claim: Claim) -> Claim:
        if claim.paper == paper.key:
            return claim
        right = None if claim.correction is None else own(claim.correction)
        return replace(claim, paper=paper.key, citation=paper.citation, correction=right)

    return [own(claim) for claim in claims]


def _checked(paper: Paper, claims: Iterable[Claim]) -> Iterable[Claim]:
    """The claims, after a check that their ids belong to the paper."""
    for claim in claims:
        if not claim.id.startswith(f"{paper.key}."):
            raise ValueError(f"id={claim.id!r}: expected an id that starts with {paper.key}.")
        yield claim


def _by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    for claim in claims:
        if claim.id in found:
            raise ValueError(f"id={claim.id!r}: a claim of this name is declared already")
        found[claim.id] = claim
    return found


def _usable(key: str) -> dict[str, Claim]:
    """Claims of a paper; none if it is broken, which is then reported."""
    try:
        return _of_paper(key)
    except PaperError as error:
        PAPERS.report(error)
        return {}


def _everything() -> dict[str, Claim]:
    """Claims of all papers that can be loaded; a paper that declares an id of another one is left out."""
    PAPERS.report()
    found: dict[str, Claim] = {}
    for key in PAPERS:
        claims = _usable(key)
        twice = found.keys() & claims.keys()
        if twice:
            _OF_PAPER[key] = {}
            PAPERS.report(PAPERS.fault(key, f"another paper declares {min(twice)!r} too"))
        else:
            found |= claims
    return found


def all_claims(paper: str | None = None) -> list[Claim]:
    """Every registered claim, papers in their order, or those of one paper.

    Parameters
    ----------
    paper : str, optional
        Key of a paper.

    Returns
    -------
    list of Claim
        In the order of declaration, each followed by its correction.

    Raises
    ------
    ValueError
        If no paper has this key.
    PaperError
        If this paper cannot be loaded. Without ``paper``, such papers are left out with a :class:`PaperWarning`.

    Examples
    --------
    >>> {claim.paper for claim in all_claims("li")}
    {'li'}
    """
    if paper is None:
        return list(_everything().values())
    if not isinstance(paper, str) or paper not in PAPERS:
        near = difflib.get_close_matches(str(paper), PAPERS, n=2, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"paper={validate.shown(paper)}: expected one of {', '.join(PAPERS)}{hint}")
    return list(_of_paper(paper).values())


def find(name: str) -> Claim:
    """The claim of this id; only the module that declares it is imported.

    Parameters
    ----------
    name : str
        Id of a registered claim.

    Returns
    -------
    Claim

    Raises
    ------
    UnknownClaimError
        If no claim has this id; the message suggests similar ones.
    PaperError
        If the paper that the id belongs to cannot be loaded.

    Examples
    --------
    >>> find("dong.thm1.diagonal").equation
    'Theorem 1, eq. (22)'
    """
    if not isinstance(name, str):
        raise TypeError(f"name={validate.shown(name)}: expected the id of a claim")
    name = _current(name)
    for claims in _candidates(name, modules_of):
        if name in claims:
            return claims[name]
    raise _unknown(name)


def select(name: str) -> list[Claim]:
    """The claim of this id, or else all claims whose ids start with ``name.``.

    >>> [claim.id for claim in select("dong.eq34")]
    ['dong.eq34.hidden-ce', 'dong.eq34.hidden-mse', 'dong.eq34.output-ce']
    """
    name = _current(name)
    for claims in _candidates(name, modules_of):
        if name in claims:
            return [claims[name]]
    for claims in _candidates(name, modules_below):
        found = [claim for claim in claims.values() if claim.id.startswith(f"{name}.")]
        if found:
            return found
    raise _unknown(name)


def _current(name: str) -> str:
    """The id that replaces a former one; any other name as it is."""
    key = name.partition(".")[0] if isinstance(name, str) else ""
    return PAPERS[key].aliases.get(name, name) if key in PAPERS else name


def _candidates(name: str, modules: Callable[[Paper, str], list[str]]) -> Iterator[dict[str, Claim]]:
    """Where a claim may be found: the modules that declare it, its whole paper, papers with ids of any form."""
    key = name.partition(".")[0] if isinstance(name, str) else ""
    if key in PAPERS:
        paper = PAPERS[key]
        if PAPERS.loose_claims(key) is None:
            yield _by_id(
                each for module in modules(paper, name) for each in _of_module(paper, module).values()
            )
        # An id that is no literal in the source (made in a loop, for instance) is known once the paper is loaded.
        yield _of_paper(key)
        return
    for other in PAPERS:
        if PAPERS.usable(other) is not None and PAPERS.loose_claims(other) is not None:
            yield _usable(other)


def _unknown(name: str) -> UnknownClaimError:
    known = [*PAPERS]
    for key in PAPERS:
        paper = PAPERS.usable(key)
        if key in _OF_PAPER or paper is None:
            known += _OF_PAPER.get(key, ())
        else:
            known += declared_ids(paper)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `rmtsim claims` lists them"
    return UnknownClaimError(f"claim={name!r}: no such claim{hint}")


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
    if printed == claim.id or claim.paper not in PAPERS or claim.origin is not None:
        return ""
    try:
        return find(printed).statement
    except (UnknownClaimError, PaperError):
        return ""
