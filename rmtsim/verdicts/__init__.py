"""Statistics: anytime-valid intervals, finite-size fits, verdicts."""

from rmtsim.verdicts.api import Progress, verify
from rmtsim.verdicts.results import ClaimResult, PointResult, Verdict

__all__ = ["ClaimResult", "PointResult", "Progress", "Verdict", "verify"]
