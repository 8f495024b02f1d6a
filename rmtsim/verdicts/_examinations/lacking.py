"""What an INCONCLUSIVE verdict lacks, from the last analysis of an examination."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim.verdicts._examinations.outlook import Forecast
from rmtsim.verdicts._models.analysis import Analysis
from rmtsim.verdicts._needs import TIMELY, Lack, Need
from rmtsim.verdicts._question import Question

LONG = 3.0
"""Where a verdict needs more than so many times what was spent, cheaper remedies than time come first."""


def only_time_lacks(
    asked: Question, analysis: Analysis, *, spent: float, more: Forecast, complaints: Sequence[Need] = ()
) -> bool:
    """Whether time is all that an INCONCLUSIVE verdict lacks."""
    sound = analysis.described and not analysis.contradicted and not complaints
    sound = sound and not any(
        need.lack in (Lack.CONTRADICTION, Lack.MORE_SIZES) for need in analysis.objections
    )
    return spent > 0 and sound and math.isfinite(more.least) and not asked.rests_on_guess(analysis)


def what_would_decide(
    asked: Question,
    analysis: Analysis,
    *,
    spent: float,
    more: Forecast,
    first: float | None = None,
    reach: int | None = None,
    sooner: float | None = None,
    edge: bool = False,
    dropped: tuple[int, ...] = (),
    complaints: Sequence[Need] = (),
) -> tuple[Need, ...]:
    """What an INCONCLUSIVE verdict lacks, the cheapest remedy first: a declaration, sizes up to ``reach``, time.

    ``more`` is the time until a verdict, ``first`` the nominal seconds after which it can be predicted, if it cannot
    be predicted yet, ``sooner`` those until a verdict if the exponents were declared; ``edge`` says whether the
    interval shrinks around the edge of the zone.
    """
    time: tuple[Need, ...] = ()
    if first is not None:
        time = (Need(lack=Lack.ESTIMATE, seconds=first),)
    elif math.isfinite(more.least):
        most = more.most if more.most > more.least else None
        time = (Need(lack=Lack.TIME, seconds=more.least, most=most),)
    further = () if reach is None else (Need(lack=Lack.REACH, reach=reach),)
    if spent == 0:
        return (Need(lack=Lack.BUDGET),)
    if complaints:
        # How long heavy tails or shared randomness keep a verdict INCONCLUSIVE is not predicted.
        return (complaints[0], *(time if complaints[0].lack in TIMELY else ()))
    if not analysis.described and analysis.needed:
        return (Need(lack=Lack.MORE_SIZES, number=float(analysis.needed + 2)),)
    if not analysis.described or analysis.contradicted:
        return (Need(lack=Lack.DESCRIPTION),)
    if analysis.objections:
        return (*analysis.objections, *time)
    if asked.rests_on_guess(analysis):
        decided = str(asked.decided(analysis))
        return (Need(lack=Lack.EXPONENTS, exponents=asked.exponents, verdict=decided), *further)
    if sooner is not None:
        return (Need(lack=Lack.EXPONENTS, exponents=asked.exponents, seconds=sooner), *further, *time)
    if edge:
        return (Need(lack=Lack.EDGE), *time)
    if time and more.least > LONG * spent and not asked.declared:
        return (Need(lack=Lack.FEWER_EXPONENTS), *further, *time)
    if first is not None or (time and not dropped):
        return (*time, *further)
    if dropped:
        return (Need(lack=Lack.UNREACHED_SIZES, sizes=dropped), *time)
    return (Need(lack=Lack.LARGER_SIZES if asked.declared else Lack.FEWER_EXPONENTS), *further)
