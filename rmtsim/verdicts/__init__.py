"""Verdicts: evidence (what was measured), finite-size models, examinations, words, and calibration of all that."""

from rmtsim.verdicts.api import Progress, verify
from rmtsim.verdicts.results import ClaimResult, PointResult, Verdict

__all__ = ["ClaimResult", "PointResult", "Progress", "Verdict", "verify"]
