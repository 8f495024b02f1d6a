"""Verdicts: evidence (what was measured), finite-size models, examinations, words, and calibration of all that.

What runs an examination loads on first use: a page of results needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict

if TYPE_CHECKING:
    from rmtsim.verdicts._api import Progress, verify
    from rmtsim.verdicts._collection import Results

__all__ = ["ClaimResult", "PointResult", "Progress", "Results", "Verdict", "verify"]


def __getattr__(name: str) -> Any:
    if name not in ("Progress", "Results", "verify"):
        raise AttributeError(f"module 'rmtsim.verdicts' has no attribute {name!r}")
    from rmtsim.verdicts import _api as api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
