"""Verification: which claims at which points, at which level and with which allowance; results by claim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rmtsim
from rmtsim._internal import defaults, validate
from rmtsim._internal.streams import stream
from rmtsim.claims._detectability import detectable_shift
from rmtsim.claims._files import resolve
from rmtsim.claims._model import Claim, Parameters
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._registry import all_claims, twin_statement
from rmtsim.runs._session import run_session
from rmtsim.runs._work import Runner
from rmtsim.verdicts._collection import Results
from rmtsim.verdicts._driver import Budget, Live, Progress, drive
from rmtsim.verdicts._examinations.requests import Setting
from rmtsim.verdicts._examinations.rounds import examine
from rmtsim.verdicts._results import ClaimResult

if TYPE_CHECKING:
    from rmtsim.runs._store.store import Store

__all__ = ["Progress", "verify"]


def _claims(claims: Claim | str | Iterable[Claim | str]) -> list[Claim]:
    expected = "expected a claim, the name of one, or several of them"
    if not isinstance(claims, (Claim, str, Iterable)):
        raise TypeError(f"claims={claims!r}: {expected}")
    items = [claims] if isinstance(claims, (Claim, str)) else list(claims)
    for item in items:
        if not isinstance(item, (Claim, str)):
            raise TypeError(f"claims: {item!r} is not a claim; {expected}")
    found = [claim for item in items for claim in (_named(item) if isinstance(item, str) else [item])]
    if not found:
        raise ValueError("claims=[]: expected at least one claim")
    names = [claim.id for claim in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"claims: {name!r} is named twice")
    return found


def _named(name: str) -> list[Claim]:
    """The claims of a paper's key, of an id, of what ids start with, or of a file of claims."""
    return all_claims(name) if name in PAPERS else resolve(name)


def _points(
    claim: Claim, points: Sequence[Parameters] | None, draw: int, seed: int
) -> list[tuple[dict[str, Any], bool]]:
    if points is not None:
        wanted = "expected one or more parameter points, for instance [{'gamma': 0.5}]"
        if isinstance(points, (str, Mapping)) or not isinstance(points, Sequence):
            raise TypeError(f"points={points!r}: {wanted}")
        if not points or not all(isinstance(values, Mapping) for values in points):
            raise ValueError(f"points={points!r}: {wanted}")
    chosen: list[tuple[dict[str, Any], bool]] = [
        (claim.point(values), False) for values in (claim.grid if points is None else points)
    ]
    rng = stream(seed, f"{claim.id}#draw", {}, 0, 0)
    for _ in range(draw if claim.parameters else 0):
        drawn = claim.point({parameter.name: parameter.draw(rng) for parameter in claim.parameters})
        if all(drawn != other for other, _ in chosen):
            chosen.append((drawn, True))
    return chosen


def verify(
    claims: Claim | str | Iterable[Claim | str],
    *,
    seed: int = 0,
    level: float = defaults.LEVEL,
    budget: float | None = None,
    quick: bool = False,
    executor: Any = None,
    store: str | Path | Store | None = None,
    runner: Runner | None = None,
    points: Sequence[Parameters] | None = None,
    control: float = 0.0,
    draw: int = 0,
    progress: Callable[[Progress], None] | bool | None = None,
    stop: Callable[[], bool] | None = None,
) -> Results:
    """Test claims and return verdicts.

    Parameters
    ----------
    claims : Claim, str or iterable of these
        Claims or their ids.
    seed : int, optional
        Root seed of all random streams.
    level : float, optional
        Family-wise error probability: an upper bound of the probability that any verdict other than INCONCLUSIVE is
        wrong.
    budget : float, optional
        Nominal seconds for all claims together, in units of the declared cost models and independent of the
        machine. By default each claim has a budget of its own.
    quick : bool, optional
        Whether these budgets are small.
    executor : int, concurrent.futures.Executor or dask.distributed.Client, optional
        Where batches are computed: in this process (default), in this many worker processes, or by the given
        executor. The result does not depend on it.
    store : str, path-like or Store, optional
        File in which finished batches are kept and from which they are reused. The result does not depend on it.
    runner : Runner, optional
        Replaces ``executor`` and ``store``.
    points : sequence of mapping, optional
        Parameter points to test instead of the declared ones.
    control : float, optional
        Negative control: relative shift of every prediction.
    draw : int, optional
        Number of further parameter points drawn from the domain of each claim.
    progress : callable or bool, optional
        Called with a :class:`Progress` at every step. By default a Jupyter notebook shows live progress; False
        disables this.
    stop : callable, optional
        Called without arguments after every batch; the verdicts so far are returned if it returns true, as on
        Ctrl-C.

    Returns
    -------
    Results
        One :class:`ClaimResult` per claim, in the given order. The result of a claim whose sampler fails has the
        error in ``failed``.

    Raises
    ------
    UnknownClaimError
        If no claim has a given id.
    ValueError, TypeError
        If an argument is not accepted.
    SamplerError
        If every claim fails.

    Notes
    -----
    Each claim is tested at its declared parameter points. Intervals are valid at every time the evidence is
    evaluated (anytime-valid), and cover all finite-size models that the claim admits and the data do not exclude;
    see the page docs/verdicts.md.

    Examples
    --------
    >>> from rmtsim import verify
    >>> (result,) = verify("dong.thm1.diagonal-limit", seed=1)
    >>> str(result.verdict)
    'CONFIRMED'
    """
    seed = validate.integer("seed", seed, minimum=0, maximum=2**128, meaning="root seed")
    level = validate.positive_number("level", level, meaning="family-wise error probability")
    if level >= 1:
        raise ValueError(f"level={level}: expected a number in (0, 1) (family-wise error probability)")
    if budget is not None:
        budget = validate.positive_number("budget", budget, meaning="nominal seconds")
    control = validate.finite_number("control", control, meaning="relative shift of the prediction")
    draw = validate.integer("draw", draw, minimum=0, maximum=10_000, meaning="points drawn from the domain")
    chosen = _claims(claims)
    tests = [_points(claim, points, draw, seed) for claim in chosen]
    shared = Budget(budget, budget) if budget is not None else None
    live: list[Live] = []
    for index, (claim, parameter_points) in enumerate(zip(chosen, tests, strict=True)):
        allowance = defaults.QUICK_SECONDS if quick else defaults.SECONDS
        funds = shared or Budget(allowance, allowance)
        share = budget / len(chosen) if budget is not None else allowance
        for parameters, drawn in parameter_points:
            setting = Setting(
                parameters,
                seed,
                # Bonferroni over claims, and over the points of a claim: any of them can refute it.
                level / len(chosen) / len(parameter_points),
                share / len(parameter_points),
                control,
                drawn,
                left=lambda funds=funds: funds.left,  # type: ignore[misc]
            )
            live.append(Live(claim, index, examine(claim, setting), funds, setting))
    settings = {"seed": seed, "level": level, "budget": budget, "quick": quick, "draw": draw}

    def result_of(index: int, interrupted: bool = False) -> ClaimResult:
        mine = [item for item in live if item.index == index]
        result = _result(chosen[index], mine, seed, control, level, len(chosen), interrupted)
        return replace(result, draw=draw, own_grid=points is None)

    def run_by(own: Runner) -> bool:
        def ended(index: int) -> ClaimResult:
            result = result_of(index)
            if own.keeping and not result.failed:
                from rmtsim.verdicts._records import to_record

                kept = {
                    "result": result.as_json(),
                    "record": to_record(result),
                    "settings": settings,
                    "twin": twin_statement(chosen[index]),
                }
                own.keep(chosen[index], kept)
            return result

        return drive(live, own, watcher, stop, ended)

    if progress is None or isinstance(progress, bool):
        progress = _notebook_progress() if progress is not False else None
    watcher = progress
    if runner is not None:
        interrupted = run_by(runner)
    else:
        with run_session(executor, store) as own:
            interrupted = run_by(own)
    results = Results(result_of(index, interrupted) for index in range(len(chosen)))
    if all(result.failed for result in results):
        # Nothing else to report: the caller should see the error itself.
        raise next(item.failure for item in live if item.failure is not None)
    return results


def _notebook_progress() -> Callable[[Progress], None] | None:
    """Display of progress in the notebook that runs this; None anywhere else."""
    if "IPython" not in sys.modules:
        return None
    from rmtsim.verdicts._notebook import notebook_progress

    return notebook_progress()


def _result(
    claim: Claim,
    mine: Sequence[Live],
    seed: int,
    control: float,
    level: float,
    family: int,
    interrupted: bool,
) -> ClaimResult:
    """The result of one claim, from its examinations."""
    failure = next((item.failure for item in mine if item.failure is not None), None)
    return ClaimResult(
        claim=claim.id,
        source=claim.source,
        kind=claim.kind,
        statement=claim.statement,
        size_name=claim.size_name,
        points=tuple(item.result for item in mine if item.result is not None),
        seed=seed,
        version=rmtsim.__version__,
        control=control,
        family_level=level,
        family_size=family,
        note=claim.note,
        standing=claim.standing,
        evidence=claim.evidence,
        form=claim.form,
        qualifier=claim.qualifier,
        declared_cause=claim.cause,
        credit=claim.credit,
        citation=claim.citation,
        chain=claim.chain,
        same_as=claim.same_as,
        correction="" if claim.correction is None else claim.correction.id,
        interrupted=interrupted,
        failed="" if failure is None else str(failure) or type(failure).__name__,
        declared=_declared(claim, mine, failed=failure is not None),
        seconds=sum(item.seconds for item in mine),
        batches=sum(item.batches for item in mine),
        reused=sum(item.reused for item in mine),
        target=_target(claim),
    )


def _target(claim: Claim) -> str:
    """How the command line calls the claim; empty for one that exists in memory only."""
    if claim.origin is not None:
        return f"{claim.origin}::{claim.id}"
    return claim.id if claim.paper in PAPERS else ""


def _declared(claim: Claim, mine: Sequence[Live], *, failed: bool) -> dict[str, Any]:
    point = mine[0].result.parameters if mine and mine[0].result else {}
    known = detectable_shift(claim)
    try:
        exponents = list(claim.at(point).exponents)
        sizes = claim.sizes[-1:] if claim.coupled else claim.sizes
        seconds = [float(claim.cost(point, size)) * claim.draws for size in sizes]
    except Exception:
        if not failed:
            raise
        exponents, seconds = [], []  # what was declared is what failed
    return {
        "sizes": list(claim.sizes),
        "exponents": exponents,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "seconds_per_replicate": seconds,
        "coupled": claim.coupled,
        "accuracy": claim.accuracy,
        "because": claim.because or None,
        "detectable": None if known is None else known.as_json(),
    }
