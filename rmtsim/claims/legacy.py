"""Only while the claims move into the new language: the old way to register one."""

from __future__ import annotations

import sys
from typing import Any

from rmtsim.claims import model
from rmtsim.claims.declare import _DECLARED
from rmtsim.claims.papers import PAPERS

__all__ = ["Claim", "register"]


def Claim(*, quick: bool = True, exact: float | None = None, **options: Any) -> model.Claim:  # noqa: N802
    """A claim from the old options."""
    form: Any = "corrected" if options["id"].endswith("/corrected") else "printed"
    citation = PAPERS[options["paper"]].citation
    return model.Claim(accuracy=exact, form=form, citation=citation, **options)


def register(claim: model.Claim) -> model.Claim:
    """Declare it in the module that runs now."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back  # type: ignore[assignment]
    _DECLARED.setdefault(frame.f_globals["__name__"], []).append(claim)
    return claim
