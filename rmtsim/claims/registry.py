"""All claims by name. Modules that define claims are imported only when a claim is asked for."""

from __future__ import annotations

import difflib
import importlib

from rmtsim.claims.model import Claim
from rmtsim.claims.sources import plugin_claims
from rmtsim.errors import UnknownClaimError

__all__ = ["all_claims", "find", "register"]

_MODULES = (
    "rmtsim.claims.dong_linear",
    "rmtsim.claims.dong_identities",
    "rmtsim.claims.dong_hidden",
    "rmtsim.claims.dong_networks",
    "rmtsim.claims.dong_approximations",
    "rmtsim.claims.dong_cross_terms",
    "rmtsim.claims.dong_lemmas",
    "rmtsim.claims.dong_spectra",
    "rmtsim.claims.wu_weights",
    "rmtsim.claims.wu_activations",
    "rmtsim.claims.wu_output",
    "rmtsim.claims.wu_layer",
    "rmtsim.claims.wu_identities",
    "rmtsim.claims.wu_further",
    "rmtsim.claims.li",
    "rmtsim.claims.li_scaling",
)
"""Every module named here registers its claims when imported."""

_CLAIMS: dict[str, Claim] = {}
_loaded = False


def register(claim: Claim) -> Claim:
    """Add ``claim`` under its id; two claims of one name are an error."""
    if claim.id in _CLAIMS:
        raise ValueError(f"id={claim.id!r}: a claim of this name is registered already")
    _CLAIMS[claim.id] = claim
    return claim


def _load() -> None:
    global _loaded
    if _loaded:
        return
    for module in _MODULES:
        importlib.import_module(module)
    for claim in plugin_claims():
        if _CLAIMS.get(claim.id) is not claim:
            register(claim)
    _loaded = True


def all_claims(paper: str | None = None) -> list[Claim]:
    """Every registered claim, in order of registration, or those of one paper key."""
    _load()
    papers = list(dict.fromkeys(claim.paper for claim in _CLAIMS.values()))
    if paper is not None and paper not in papers:
        raise ValueError(f"paper={paper!r}: expected one of {', '.join(papers)}")
    return [claim for claim in _CLAIMS.values() if paper in (None, claim.paper)]


def find(name: str) -> Claim:
    """The claim of this id.

    >>> find("dong.thm1.diagonal").equation
    'Theorem 1, eq. (22)'
    """
    _load()
    if name not in _CLAIMS:
        near = difflib.get_close_matches(name, _CLAIMS, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `rmtsim claims` lists them"
        raise UnknownClaimError(f"claim={name!r}: no such claim{hint}")
    return _CLAIMS[name]
