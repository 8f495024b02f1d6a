"""Statistics: anytime-valid intervals, finite-size fits, verdicts."""

from rmtsim.verify.engine import Progress, verify
from rmtsim.verify.results import ClaimResult, PointResult, Verdict

__all__ = ["ClaimResult", "PointResult", "Progress", "Verdict", "verify"]
