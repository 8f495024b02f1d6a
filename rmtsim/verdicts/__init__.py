"""Verdicts: evidence (what was measured), finite-size models, examinations, words, and calibration of all that."""

from rmtsim.verdicts.api import Progress, verify
from rmtsim.verdicts.collection import Results
from rmtsim.verdicts.results import ClaimResult, PointResult, Verdict

__all__ = ["ClaimResult", "PointResult", "Progress", "Results", "Verdict", "verify"]
