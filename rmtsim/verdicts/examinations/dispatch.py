"""Which strategy examines a claim: by its kind, and by how it is measured."""

from __future__ import annotations

from collections.abc import Callable

from rmtsim.claims.model import Claim
from rmtsim.verdicts.examinations.coupled import Coupled
from rmtsim.verdicts.examinations.exact import Exact
from rmtsim.verdicts.examinations.iterated import Iterated
from rmtsim.verdicts.examinations.pointwise import Bound, Identity
from rmtsim.verdicts.examinations.random import Random
from rmtsim.verdicts.examinations.requests import Examination, Setting
from rmtsim.verdicts.examinations.rounds import Strategy, examine_by

__all__ = ["examine"]


def _strategy(claim: Claim) -> Callable[[Claim, Setting], Strategy]:
    if claim.kind == "identity":
        return Identity
    if claim.kind == "bound":
        return Bound
    if claim.coupled:
        return Coupled
    if claim.outer is not None:
        return Iterated
    return Random if claim.accuracy is None else Exact


def examine(claim: Claim, setting: Setting) -> Examination:
    """The examination of ``claim`` at a point; what is wrong with the claim shows when it begins."""
    there = claim.at(setting.parameters)
    return (yield from examine_by(_strategy(there)(there, setting)))
