from rmtsim.verdicts._api import Progress as Progress, verify as verify
from rmtsim.verdicts._collection import Results as Results
from rmtsim.verdicts._results import (
    ClaimResult as ClaimResult,
    PointResult as PointResult,
    Verdict as Verdict,
)
from rmtsim.verdicts._timing import RunPlan as RunPlan
