"""Verification: which claims at which points, at which level and with which allowance; results by claim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rmtsim
from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.randomness import RandomSource, root_seed, stream
from rmtsim.claims._files import resolve
from rmtsim.claims._model import LEVEL, QUICK_SECONDS, SECONDS, Claim, Parameters
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._registry import all_claims, twin_statement
from rmtsim.runs._process import single_threaded_blas
from rmtsim.runs._session import run_session
from rmtsim.runs._work import Runner
from rmtsim.verdicts._collection import Results
from rmtsim.verdicts._driver import Budget, Live, Progress, drive
from rmtsim.verdicts._examinations.design import Examination, Setting
from rmtsim.verdicts._examinations.rounds import examine
from rmtsim.verdicts._results import ClaimResult
from rmtsim.verdicts._severity import graded, record_words

if TYPE_CHECKING:
    from rmtsim.runs._store.store import Store
    from rmtsim.verdicts._timing import RunPlan


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
    seed: RandomSource = 0,
    level: float = LEVEL,
    budget: float | None = None,
    quick: bool = False,
    executor: Any = None,
    store: str | Path | Store | None = None,
    runner: Runner | None = None,
    points: Sequence[Parameters] | None = None,
    draw: int = 0,
    progress: Callable[[Progress], None] | bool | None = None,
    stop: Callable[[], bool] | None = None,
    plan: str | Mapping[str, Sequence[int]] | RunPlan | None = None,
    planned: Callable[[RunPlan], None] | None = None,
    fdr: bool = False,
    rng: RandomSource = None,
) -> Results:
    """Test claims and return verdicts.

    Parameters
    ----------
    claims : Claim, str or iterable of these
        Claims or their ids.
    seed : int, optional
        Root seed of all random streams. Any other source that ``rng`` accepts gives an integer, which the results
        state; None takes one from the operating system.
    level : float, optional
        Family-wise error probability: an upper bound of the probability that any verdict other than INCONCLUSIVE is
        wrong.
    budget : float, optional
        Nominal seconds for all claims together, in units of the declared cost models and independent of the
        machine. By default each claim has a budget of its own.
    quick : bool, optional
        Whether to use small budgets. The other points of a claim are then abandoned once one of them refutes it.
    executor : int, concurrent.futures.Executor or dask.distributed.Client, optional
        Where batches are computed: in this process (default), in this many worker processes, or by the given
        executor. The result does not depend on it.
    store : str, path-like or Store, optional
        File in which finished batches are kept and from which they are reused. The result does not depend on it.
    runner : Runner, optional
        Replaces ``executor`` and ``store``.
    points : sequence of mapping, optional
        Parameter points to test instead of the declared ones.
    draw : int, optional
        Number of further parameter points drawn from the domain of each claim.
    progress : callable or bool, optional
        Called with a :class:`Progress` at every step. By default a Jupyter notebook shows live progress; False
        disables this.
    stop : callable, optional
        Called without arguments after every batch; the verdicts so far are returned if it returns true, as on
        Ctrl-C.
    plan : {"declared", "measured"}, str, mapping or RunPlan, optional
        The unit of the budget. By default ("declared") budgets are nominal seconds of the declared costs, and the
        result is the same on every machine. With "measured" a pilot times a few draws at each size and budgets are
        seconds of this machine; the result then has the measured steps in ``declared["plan"]``. Steps that are given
        back, as a mapping of ids to steps or as the text of a :class:`RunPlan`, repeat the run exactly.
    planned : callable, optional
        Called with the :class:`RunPlan` before the first batch.
    fdr : bool, optional
        Whether ``level`` is the false discovery rate: the expected share of wrong verdicts among the decided ones
        (e-BH). By default it is the family-wise error probability.
    rng : None, int, numpy.random.Generator, SeedSequence or BitGenerator, optional
        Another name of ``seed``; at most one of the two is given.

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
    if rng is not None and not (isinstance(seed, int) and seed == 0):
        raise TypeError("seed and rng are two names of one argument; expected one of them")
    if budget is not None:
        budget = validate.positive_number("budget", budget, meaning="nominal seconds")
    terms = _Terms(
        seed=root_seed("seed", seed) if rng is None else root_seed("rng", rng),
        level=_checked_level(level),
        budget=budget,
        quick=quick,
        draw=validate.integer(
            "draw", draw, minimum=0, maximum=10_000, meaning="points drawn from the domain"
        ),
        fdr=fdr,
    )
    run = _Run(_claims(claims), points, terms, plan)
    if progress is None or isinstance(progress, bool):
        progress = _notebook_progress() if progress is not False else None
    if runner is not None:
        results = run.results(runner, progress, stop, planned)
    else:
        with run_session(executor, store) as own:
            results = run.results(own, progress, stop, planned)
    if all(result.failed for result in results):
        # Nothing else to report: the caller should see the error itself.
        raise next(item.failure for item in run.live if item.failure is not None)
    return Results(results)


def _checked_level(level: float) -> float:
    level = validate.positive_number("level", level, meaning="family-wise error probability")
    if level >= 1:
        raise ValueError(f"level={level}: expected a number in (0, 1) (family-wise error probability)")
    return level


@frozen
class _Terms:
    """What the examinations of a run share."""

    seed: int
    level: float
    """Of all claims together."""
    budget: float | None
    quick: bool
    draw: int
    fdr: bool

    @property
    def allowance(self) -> float:
        """Nominal seconds of one claim, if the claims do not share a budget."""
        return QUICK_SECONDS if self.quick else SECONDS

    def share(self, claims: int) -> float:
        """Nominal seconds of one of so many claims."""
        return self.allowance if self.budget is None else self.budget / claims

    def settings(self) -> dict[str, Any]:
        """The terms as a store keeps them with a result."""
        kept = {name: getattr(self, name) for name in ("seed", "level", "budget", "quick", "draw")}
        return kept | ({"fdr": True} if self.fdr else {})


class _Run:
    """One call of :func:`verify`: its claims, their parameter points and their results."""

    def __init__(
        self, chosen: list[Claim], points: Sequence[Parameters] | None, terms: _Terms, plan: Any
    ) -> None:
        if plan is not None and not isinstance(plan, (str, Mapping)) and type(plan).__name__ != "RunPlan":
            raise TypeError(
                f"plan={plan!r}: expected 'declared', 'measured', or the plan of an earlier result"
            )
        self.chosen, self.terms = chosen, terms
        self.own_grid = points is None
        self.tests = [_points(claim, points, terms.draw, terms.seed) for claim in chosen]
        self.measuring = plan == "measured"
        self.given = {} if plan is None or plan in ("declared", "measured") else _given_plan(plan)
        if self.given and not any(claim.id in self.given for claim in chosen):
            raise ValueError(
                f"plan: none of the claims is named {next(iter(self.given))!r}; it is the plan of another run"
            )
        # A computed claim involves no randomness and spends no error level.
        self.family = max(1, sum(claim.accuracy is None for claim in chosen))
        self.live: list[Live] = []
        self.plans: dict[int, tuple[int, ...]] = {}

    def results(
        self,
        runner: Runner,
        watcher: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
        planned: Callable[[RunPlan], None] | None,
    ) -> list[ClaimResult]:
        """Run all examinations to their end; a result is kept as soon as it is known."""
        fdr = self.terms.fdr

        def ended(index: int) -> ClaimResult | None:
            if fdr:
                return None  # not known before all are
            result = self._result(index)
            self._keep(runner, index, result)
            return result

        self._fix_plans(runner, planned)
        timed = [_timed(claim, self.plans.get(index, ())) for index, claim in enumerate(self.chosen)]
        self.live.extend(_examinations(timed, self.tests, self.terms, self.family, self.plans))
        interrupted = drive(self.live, runner, watcher, stop, ended)
        found = [self._result(index, interrupted) for index in range(len(self.chosen))]
        if fdr:
            from rmtsim.verdicts._family import discoveries

            found = discoveries(found, self.terms.level)
            for index, result in enumerate(found):
                self._keep(runner, index, result)
        return found

    def _fix_plans(self, runner: Runner, planned: Callable[[RunPlan], None] | None) -> None:
        """Steps of the claims whose costs are measured or given, before anything else is drawn."""
        share = self.terms.share(len(self.chosen))
        for index, claim in enumerate(self.chosen):
            if self.measuring:
                point = self.tests[index][0][0]
                self.plans[index] = _measured(claim, point, share, runner, self.terms.seed)
            elif claim.id in self.given:
                self.plans[index] = _fitting(claim, self.given[claim.id])
        if planned is not None:
            from rmtsim.verdicts._timing import RunPlan, least_seconds

            kept = {self.chosen[index].id: steps for index, steps in self.plans.items() if steps}
            budget = self.terms.budget
            least = sum(
                least_seconds(self.chosen[index], steps, [point for point, _ in self.tests[index]])
                for index, steps in self.plans.items()
            )
            planned(RunPlan(kept, share * len(self.chosen) if budget is None else budget, least))

    def _result(self, index: int, interrupted: bool = False) -> ClaimResult:
        """The result of one claim, from its examinations."""
        mine = [item for item in self.live if item.index == index]
        result = _result(self.chosen[index], mine, self.terms, self.family, interrupted)
        if self.plans.get(index):
            result = replace(result, declared={**result.declared, "plan": list(self.plans[index])})
        return replace(result, draw=self.terms.draw, own_grid=self.own_grid)

    def _keep(self, runner: Runner, index: int, result: ClaimResult) -> None:
        """Store a result, if the runner has a store."""
        if not runner.keeping or result.failed:
            return
        from rmtsim.verdicts._collection import to_record

        claim = self.chosen[index]
        kept = {
            "result": result.as_json(),
            "record": to_record(result),
            "settings": self.terms.settings(),
            "twin": twin_statement(claim),
        }
        runner.keep(claim, kept)


def _level_of_one(level: float, family: int, *, fdr: bool) -> float:
    """The level at which each claim is examined."""
    if not fdr:
        return level / family
    from rmtsim.verdicts._family import HEADROOM

    return level / HEADROOM


def _given_plan(plan: Any) -> dict[str, tuple[int, ...]]:
    from rmtsim.verdicts._timing import read_plan

    return read_plan(plan)


def _fitting(claim: Claim, steps: tuple[int, ...]) -> tuple[int, ...]:
    if len(steps) != len(claim.sizes):
        raise ValueError(
            f"plan: {claim.id} has {len(claim.sizes)} sizes, and the plan {len(steps)} steps; expected one per size"
        )
    return steps


def _measured(
    claim: Claim, point: dict[str, Any], seconds: float, runner: Runner, seed: int
) -> tuple[int, ...]:
    """Steps of measured over declared costs."""
    from rmtsim.verdicts._timing import measured_steps, settled

    with single_threaded_blas():  # loaded before anything is timed
        pass
    found = measured_steps(claim, point, seconds, runner.timed, seed)
    return settled(found, runner.steps_before(claim)) if found else ()


def _timed(claim: Claim, steps: tuple[int, ...]) -> Claim:
    """The claim with the costs of the plan."""
    if not steps:
        return claim
    from rmtsim.verdicts._timing import with_steps

    return with_steps(claim, steps)


def _examinations(
    chosen: Sequence[Claim],
    tests: Sequence[list[tuple[dict[str, Any], bool]]],
    terms: _Terms,
    family: int,
    plans: Mapping[int, tuple[int, ...]],
) -> Iterator[Live]:
    """One examination per claim and point; ``plans`` has the steps of the claims whose costs were measured."""
    level = _level_of_one(terms.level, family, fdr=terms.fdr)
    shared = Budget(terms.budget, terms.budget) if terms.budget is not None else None
    share = terms.share(len(chosen))
    for index, (claim, parameter_points) in enumerate(zip(chosen, tests, strict=True)):
        funds = shared or Budget(terms.allowance, terms.allowance, until_refuted=terms.quick)
        for parameters, drawn in parameter_points:
            setting = Setting(
                parameters,
                terms.seed,
                # Bonferroni over claims, and over the points of a claim: any of them can refute it.
                level / len(parameter_points),
                share / len(parameter_points),
                drawn,
                measured=bool(plans.get(index)),
                left=lambda funds=funds: funds.left,  # type: ignore[misc]
            )
            yield Live(claim, index, _graded(claim, setting), funds, setting)


def _graded(claim: Claim, setting: Setting) -> Examination:
    """The examination of a point, whose result has its severity."""
    return graded(claim, (yield from examine(claim, setting)))


def _notebook_progress() -> Callable[[Progress], None] | None:
    """Display of progress in the notebook that runs this; None anywhere else."""
    if "IPython" not in sys.modules:
        return None
    from rmtsim.verdicts._notebook import notebook_progress

    return notebook_progress()


def _result(claim: Claim, mine: Sequence[Live], terms: _Terms, family: int, interrupted: bool) -> ClaimResult:
    """The result of one claim, from its examinations."""
    failure = next((item.failure for item in mine if item.failure is not None), None)
    return ClaimResult(
        claim=claim.id,
        source=claim.source,
        kind=claim.kind,
        statement=claim.statement,
        size_name=claim.size_name if claim.outer is None else claim.outer[0],
        points=tuple(item.result for item in mine if item.result is not None),
        seed=terms.seed,
        version=rmtsim.__version__,
        family_level=terms.level,
        family_size=family,
        note=claim.note,
        standing=claim.standing,
        evidence=claim.evidence,
        form=claim.form,
        qualifier=claim.qualifier,
        declared_cause=claim.cause,
        credit=claim.credit,
        weak=claim.weak,
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
    try:
        exponents = list(claim.at(point).exponents)
        sizes = claim.sizes[-1:] if claim.coupled else claim.sizes
        seconds = [float(claim.cost(point, size)) * claim.draws for size in sizes]
    except Exception:
        if not failed:
            raise
        exponents, seconds = [], []  # the declaration itself failed
    return {
        "sizes": list(claim.sizes),
        "size_name": claim.size_name,
        "outer": None if claim.outer is None else list(claim.outer[1]),
        "exponents": exponents,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "seconds_per_replicate": seconds,
        "coupled": claim.coupled,
        "accuracy": claim.accuracy,
        "because": claim.because or None,
        "recorded": record_words(claim) or None,
    }
