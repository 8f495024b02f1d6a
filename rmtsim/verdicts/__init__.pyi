from rmtsim.verdicts._driver import Progress as Progress
from rmtsim.verdicts._api import verify as verify
from rmtsim.verdicts._collection import Results as Results
from rmtsim.verdicts._results import (
    ClaimResult as ClaimResult,
    PointResult as PointResult,
    Verdict as Verdict,
)
from rmtsim.verdicts._search import SearchResult as SearchResult, search as search
from rmtsim.verdicts._timing import RunPlan as RunPlan
