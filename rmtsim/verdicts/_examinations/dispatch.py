"""Choice of the strategy that examines a claim: by its kind, and by how it is measured."""

from __future__ import annotations

from collections.abc import Callable

from rmtsim.claims._model import Claim
from rmtsim.verdicts._examinations.requests import Examination, Setting
from rmtsim.verdicts._examinations.rounds import Strategy, examine_by

__all__ = ["examine"]


def _strategy(claim: Claim) -> Callable[[Claim, Setting], Strategy]:
    """The strategy of a claim; only its own module is imported."""
    if claim.kind in ("identity", "bound"):
        from rmtsim.verdicts._examinations.pointwise import Bound, Identity

        return Identity if claim.kind == "identity" else Bound
    if claim.coupled:
        from rmtsim.verdicts._examinations.coupled import Coupled

        return Coupled
    if claim.outer is not None:
        from rmtsim.verdicts._examinations.iterated import Iterated

        return Iterated
    if claim.accuracy is not None:
        from rmtsim.verdicts._examinations.exact import Exact

        return Exact
    from rmtsim.verdicts._examinations.random import Random

    return Random


def examine(claim: Claim, setting: Setting) -> Examination:
    """The examination of ``claim`` at a point; what is wrong with the claim shows when it begins."""
    there = claim.at(setting.parameters)
    return (yield from examine_by(_strategy(there)(there, setting)))
