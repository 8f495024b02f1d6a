"""Verdicts: what was measured (evidence), finite-size models, examinations, words, and the engine on trial (calibration)."""

from rmtsim.verdicts.api import Progress, verify
from rmtsim.verdicts.results import ClaimResult, PointResult, Verdict

__all__ = ["ClaimResult", "PointResult", "Progress", "Verdict", "verify"]
