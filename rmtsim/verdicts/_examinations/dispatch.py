"""Which strategy examines a claim: by its kind, and by how it is measured."""

from __future__ import annotations

from collections.abc import Callable

from rmtsim.claims._model import Claim
from rmtsim.verdicts._examinations.coupled import Coupled
from rmtsim.verdicts._examinations.exact import Exact
from rmtsim.verdicts._examinations.iterated import Iterated
from rmtsim.verdicts._examinations.pointwise import Bound, Identity
from rmtsim.verdicts._examinations.random import Random
from rmtsim.verdicts._examinations.requests import Examination, Setting
from rmtsim.verdicts._examinations.rounds import Strategy, examine_by

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
