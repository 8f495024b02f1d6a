"""Calibration trials of the verdict engine (docs/calibration.md records the output).

    PYTHONPATH=. python benchmarks/calibration.py synthetic [--claims 1000]
    PYTHONPATH=. python benchmarks/calibration.py wild [--runs 24]
    PYTHONPATH=. python benchmarks/calibration.py families [--runs 60]
    PYTHONPATH=. python benchmarks/calibration.py curves [--runs 60]
    PYTHONPATH=. python benchmarks/calibration.py coverage [--runs 150]
    PYTHONPATH=. python benchmarks/calibration.py advice [--claims 40]
    PYTHONPATH=. python benchmarks/calibration.py falsified [--budget 60]

Each part prints Markdown. Costs are nominal (declared cost model), so the figures do not depend on the machine. With
`--records FILE --seconds 200` a part stops after so long and goes on when it is run again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import math
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from pieces import Pieces
from scipy import stats

from rmtsim.claims import Claim
from rmtsim.claims._model import LEVEL
from rmtsim.verdicts import Verdict, verify
from rmtsim.verdicts._words.summary import Step, step_after
from tests.verdicts.calibration.curves import CURVES, VARIANTS, attempt, curve_claim
from tests.verdicts.calibration.families import ROWS as FAMILIES
from tests.verdicts.calibration.families import limit_of, measured_claim
from tests.verdicts.calibration.further import ROWS as FURTHER
from tests.verdicts.calibration.hostile import ROWS as HOSTILE
from tests.verdicts.calibration.mixed import ROWS as MIXED
from tests.verdicts.calibration.synthetic import coverage_claims, falsified
from tests.verdicts.calibration.trial import (
    EXPONENTS,
    NOISES,
    TrialRunner,
    fixed_size_cost,
    naive_verdict,
    synthetic_claims,
    try_engine,
    upper_limit,
)
from tests.verdicts.calibration.wild import cases, naive_verdict_on

ROWS = (*FAMILIES, *HOSTILE, *FURTHER, *MIXED)


def _trial(job: tuple[int, int, int, float]) -> tuple[str, float, str]:
    """Verdict and cost of the engine and verdict of a naive engine on the claim of this number."""
    number, count, seed, budget = job
    item = synthetic_claims(count, seed=seed)[number]
    result = try_engine(item, seed=seed, level=LEVEL, budget=budget)
    naive, _ = naive_verdict(item, seed=seed, level=LEVEL, budget=budget)
    return str(result.verdict), result.points[0].nominal, str(naive)


def _fixed(job: tuple[int, int, int]) -> float:
    number, count, seed = job
    return fixed_size_cost(synthetic_claims(count, seed=seed)[number], seed=seed, level=LEVEL)


def _pieces(arguments: argparse.Namespace) -> Pieces:
    return Pieces(arguments.records, arguments.seconds, arguments.processes)


def _covered(job: tuple[str, int, float]) -> tuple[bool, bool]:
    """Whether the interval holds the truth, and whether it bounds it at all."""
    kind, run, budget = job
    claim, truth = coverage_claims(run)[kind]
    (result,) = verify(claim, seed=run, level=LEVEL, budget=budget, runner=TrialRunner())
    low, high = result.points[0].interval
    return low <= truth <= high, bool(np.isfinite(high - low))


def synthetic(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    items = synthetic_claims(arguments.claims, seed=arguments.seed)
    pieces = _pieces(arguments)
    jobs = [(item.number, len(items), arguments.seed, arguments.budget) for item in items]
    answers = pieces.answers("synthetic", _trial, jobs)
    engine, naive = ([Verdict(answer[place]) for answer in answers] for place in (0, 2))
    costs = [answer[1] for answer in answers]
    print(f"{len(items)} claims, level {LEVEL}, budget {arguments.budget:g} nominal seconds each\n")
    print("| truth | claims | engine: right | wrong | INCONCLUSIVE | naive: right | wrong | INCONCLUSIVE |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in ("true", "false", "edge"):
        row = [kind, str(sum(item.kind == kind for item in items))]
        for verdicts in (engine, naive):
            mine = [
                (item, verdict) for item, verdict in zip(items, verdicts, strict=True) if item.kind == kind
            ]
            wrong = sum(item.wrong(verdict) for item, verdict in mine)
            undecided = sum(verdict is Verdict.INCONCLUSIVE for _, verdict in mine)
            row += [str(len(mine) - wrong - undecided), str(wrong), str(undecided)]
        print(f"| {' | '.join(row)} |")
    print()
    for name, verdicts in (("engine", engine), ("naive", naive)):
        wrong = sum(item.wrong(verdict) for item, verdict in zip(items, verdicts, strict=True))
        print(
            f"- {name}: {wrong} wrong of {len(items)}; upper 95 % limit of its error rate "
            f"{upper_limit(wrong, len(items)):.4f} (guaranteed {LEVEL})"
        )
    clear = [i for i, item in enumerate(items) if item.kind != "edge"]
    decided = np.mean([engine[i] is not Verdict.INCONCLUSIVE for i in clear])
    print(f"- decided rightly or wrongly when the bias is ≤ 1/4 or ≥ 2 tolerances: {decided:.1%}\n")
    print("| | wrong | right and decided | median nominal cost |")
    print("|---|---|---|---|")
    for label, chosen in [
        *((f"noise {noise}", [i for i in clear if items[i].noise == noise]) for noise in NOISES),
        *((f"exponent {p:.3g}", [i for i in clear if items[i].exponent == p]) for p in EXPONENTS),
    ]:
        wrong = sum(items[i].wrong(engine[i]) for i in chosen)
        right = np.mean(
            [not items[i].wrong(engine[i]) and engine[i] is not Verdict.INCONCLUSIVE for i in chosen]
        )
        print(f"| {label} | {wrong} | {right:.1%} | {np.median([costs[i] for i in chosen]):.0f} |")
    sample = clear[: arguments.fixed]
    plans = pieces.answers("fixed", _fixed, [(i, len(items), arguments.seed) for i in sample])
    ratios = [costs[i] / plan for i, plan in zip(sample, plans, strict=True)]
    quartiles = np.percentile(ratios, (25, 50, 75))
    print(
        f"\n- cost over that of a fixed-size test ({len(sample)} claims): median {quartiles[1]:.2f}, "
        f"quartiles {quartiles[0]:.2f} and {quartiles[2]:.2f}"
    )
    for part in (1.0, 2.5):
        within = [i for i, plan in zip(sample, plans, strict=True) if part * plan <= arguments.budget]
        right = sum(engine[i] is not Verdict.INCONCLUSIVE and not items[i].wrong(engine[i]) for i in within)
        share = "the budget" if part == 1 else f"1/{part:g} of the budget"
        print(
            f"- a fixed-size test decides {len(within)} of {len(sample)} within {share}; of these the engine {right}"
        )
    print(f"- wall time {time.perf_counter() - start:.0f} s")


def _wild(job: tuple[str, bool, int, float]) -> tuple[str, str]:
    name, true, seed, budget = job
    (case,) = [case for case in cases() if case.name == name]
    (result,) = verify(case.claim(true), seed=seed, level=LEVEL, budget=budget, runner=TrialRunner())
    return str(result.verdict), str(naive_verdict_on(case, true, seed=seed, level=LEVEL, budget=budget))


def wild(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    pieces, found = _pieces(arguments), cases()
    kinds = [kind for kind in dict.fromkeys(case.kind for case in found) if arguments.kind in (None, kind)]
    print(
        "| kind | case | runs, true | engine: CONFIRMED | REFUTED (wrong) | open | runs, false | CONFIRMED (wrong) | "
        "REFUTED | open | naive: wrong, true | wrong, false |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    )
    for kind in kinds:
        for case in found:
            if case.kind != kind:
                continue
            row, naive = [case.kind, case.name], []
            for true in (True, False):
                jobs = [(case.name, true, seed, arguments.budget) for seed in range(arguments.runs)]
                answers = pieces.answers("wild", _wild, jobs)
                counts = Counter(mine for mine, _ in answers)
                row += [
                    str(len(jobs)),
                    *(str(counts[name]) for name in ("CONFIRMED", "REFUTED", "INCONCLUSIVE")),
                ]
                wrong = "REFUTED" if true else "CONFIRMED"
                naive.append(str(sum(plain == wrong for _, plain in answers)))
            print(f"| {' | '.join(row + naive)} |", flush=True)
    print(f"\nwall time {time.perf_counter() - start:.0f} s")


def _family(job: tuple[int, int]) -> tuple[str, bool]:
    row, seed = ROWS[job[0]], job[1]
    (result,) = verify(
        row.make(seed), seed=seed, level=LEVEL, budget=row.budget, plan="declared", progress=False
    )
    return str(result.verdict), bool(result.deciding.warnings)


def families(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    pieces = _pieces(arguments)
    print("| family | claim | CONFIRMED | REFUTED | INCONCLUSIVE | wrong | of these warned |")
    print("|---|---|---|---|---|---|---|")
    undecided = []
    for number, row in enumerate(ROWS):
        if arguments.row and not re.search(arguments.row, row.name):
            continue
        jobs = [(number, arguments.seed + run) for run in range(arguments.runs)]
        answers = pieces.answers("families", _family, jobs)
        counts = Counter(verdict for verdict, _ in answers)
        if counts[str(Verdict.INCONCLUSIVE)] == len(jobs):
            undecided.append(row.name)
            continue
        wrong = [warned for verdict, warned in answers if verdict == str(row.wrong)]
        verdicts = [
            str(counts[str(each)]) for each in (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.INCONCLUSIVE)
        ]
        print(
            f"| {row.name} | {row.truth} | {' | '.join(verdicts)} | {len(wrong)} | {sum(wrong)} |", flush=True
        )
    print(f"\nINCONCLUSIVE in all {arguments.runs} runs: {'; '.join(undecided)}.")
    print(f"\nwall time {time.perf_counter() - start:.0f} s")


def _curve(job: tuple[str, str, int]) -> tuple[str, bool, bool, float] | None:
    found = attempt(*job)
    return None if found is None else (str(found.verdict), found.wrong, found.warned, found.cost)


def curves(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    pieces = _pieces(arguments)
    print(
        "| curve | true: runs | wrong | of these warned | right | off: runs | wrong | right "
        "| truncated: runs | wrong | right |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in CURVES:
        if arguments.row and not re.search(arguments.row, name):
            continue
        row = [name]
        for variant in VARIANTS:
            jobs = [(name, variant, arguments.seed + run) for run in range(arguments.runs)]
            answers = [found for found in pieces.answers("curves", _curve, jobs) if found is not None]
            wrong = sum(each[1] for each in answers)
            warned = [str(sum(each[1] and each[2] for each in answers))] if variant == "true" else []
            right = sum(each[0] != "INCONCLUSIVE" for each in answers) - wrong
            row += [str(len(answers)), str(wrong), *warned, str(right)]
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"\nwall time {time.perf_counter() - start:.0f} s")


def coverage(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    pieces = _pieces(arguments)
    print("| kind | runs | missed | upper 95 % limit | promised | bounded nothing |")
    print("|---|---|---|---|---|---|")
    for kind in coverage_claims():
        jobs = [(kind, run, arguments.budget) for run in range(arguments.runs)]
        answers = pieces.answers("coverage", _covered, jobs)
        missed = sum(not covered for covered, _ in answers)
        silent = sum(not bounded for _, bounded in answers)
        print(
            f"| {kind} | {arguments.runs} | {missed} | {upper_limit(missed, arguments.runs):.4f} | {LEVEL} | "
            f"{silent} |",
            flush=True,
        )
    print(f"\nwall time {time.perf_counter() - start:.0f} s")


def _rate(rng: np.random.Generator, true: bool) -> Claim:
    power, bend, noise = rng.uniform(0.4, 1.2), rng.uniform(-0.3, 0.5), math.exp(rng.uniform(-4, -1.5))
    stated = power + (0.0 if true else float(rng.choice([-1, 1]) * rng.uniform(0.06, 0.2)))
    return limit_of(
        lambda n: (40 / n) ** power * (1 + bend * 40 / n),
        None,
        noise,
        rate=stated,
        tolerance=0.03,
        exponents=(1.0,),
    )(0)


def _law(rng: np.random.Generator, true: bool) -> Claim:
    shift, tolerance = (0.0 if true else rng.uniform(0.15, 0.4)), math.exp(rng.uniform(-4.5, -3.5))

    def draws(size: int, rng: np.random.Generator, replicates: int) -> Any:
        return rng.standard_normal(replicates) + shift

    return measured_claim(draws, law=stats.norm(), tolerance=tolerance, exponents=(1.0,), cost=1e-5)


def _bounded(rng: np.random.Generator, true: bool) -> Claim:
    """A bound on a mean that lies below it by one to five tolerances, or above it by two to six."""
    away = -rng.uniform(1, 5) if true else rng.uniform(2, 6)
    noise = math.exp(rng.uniform(-2, 0))
    return limit_of(lambda n: 1 + 0.01 * away, None, noise, bound=1.0, of="mean", tolerance=0.01)(0)


_OTHER_KINDS = {"rate": _rate, "law of a drawn number": _law, "bound of a mean": _bounded}


def _advisable(kind: str, number: int, seed: int) -> Claim | None:
    """A claim for the trial of advice: one of the synthetic ones, or a curve of ``curves``; None on the edge."""
    if kind == "synthetic":
        item = synthetic_claims(number + 1, seed=seed)[number]
        return None if item.kind == "edge" else item.claim()
    if kind in _OTHER_KINDS:
        rng = np.random.default_rng([seed, number, *kind.encode()])
        return _OTHER_KINDS[kind](rng, number % 2 == 0)
    return curve_claim(kind, ("true", "off")[number % 2], 1000 * seed + number)[0]


def _advised(job: tuple[str, int, int, float, float]) -> dict[str, Any] | None:
    """What an open verdict advises at a small budget, and what three fresh runs need; None where there is no advice."""
    kind, number, seed, budget, whole = job
    claim = _advisable(kind, number, seed)
    if claim is None:
        return None

    def run(seed: int, budget: float) -> Any:
        (result,) = verify(claim, seed=seed, level=LEVEL, budget=budget, runner=TrialRunner(), progress=False)
        return result

    early = run(seed, budget)
    if early.verdict is not Verdict.INCONCLUSIVE:
        return None
    (point,) = early.points
    step, advised = step_after(early)
    late = [run(seed + fresh, whole) for fresh in (1, 2, 3)]
    needed = sorted(
        each.points[0].nominal if each.verdict is not Verdict.INCONCLUSIVE else math.inf for each in late
    )
    repeated = None
    if step is Step.BUDGET and advised is not None and advised <= whole:
        repeated = run(seed, advised).verdict is not Verdict.INCONCLUSIVE
    return {
        "step": str(step),
        "spent": point.nominal,
        "range": list(point.more_range)
        if point.more_range
        else None
        if point.more is None
        else [point.more] * 2,
        "lacks": [str(need.lack) for need in point.lacks],
        "needed": needed,
        "repeated": repeated,
    }


ADVICE = ("synthetic", "flat", "one declared power", "two declared powers", "flat, undeclared", *_OTHER_KINDS)
"""Kinds of claims whose advice is tried: limits with four declared exponents, one, one with its square, none; rates,
laws and bounds."""

_WITHIN = 2.0
"""Factor within which a figure is right."""


def advice(arguments: argparse.Namespace) -> None:
    """The time that INCONCLUSIVE verdicts predict, against what three fresh runs need (their median).

    A figure is right if what is needed lies within a factor two of it, a range if it contains what is needed. Both are
    totals: what was spent, and what is named beside it.
    """
    pieces = _pieces(arguments)
    print(
        "| claims | stopped at | open | undecided by the whole budget | name a figure | of these right | name a range "
        "| of these right | median width of the range | name no time | budgets tried | of these decided |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    totals: Counter[str] = Counter()
    for kind in ADVICE:
        if arguments.row and not re.search(arguments.row, kind):
            continue
        for stop in arguments.budgets:
            share = stop if kind == "synthetic" else stop / 30
            jobs = [
                (kind, n, arguments.seed, share, arguments.whole * share / stop)
                for n in range(arguments.claims)
            ]
            found = [each for each in pieces.answers("advice", _advised, jobs) if each is not None]
            row, widths = _advice_row(found)
            totals.update(row)
            width = f"{np.median(widths):.0f}" if widths else ""
            print(
                f"| {kind} | {share:g} | {row['open']} | {row['undecided']} | {row['figures']} "
                f"| {row['figures right']} | {row['ranges']} | {row['ranges right']} | {width} | {row['silent']} "
                f"| {row['tried']} | {row['decided']} |",
                flush=True,
            )
    named = totals["figures"] + totals["ranges"]
    right = totals["figures right"] + totals["ranges right"]
    print(f"\n- right: {right} of {named} ({right / max(1, named):.0%})")


def _advice_row(found: list[dict[str, Any]]) -> tuple[Counter[str], list[float]]:
    """Counts of one row, and the widths (upper over lower end) of its ranges."""
    row: Counter[str] = Counter(open=len(found))
    widths = []
    for each in found:
        needed, spent = each["needed"][1], each["spent"]
        row["tried"] += each["repeated"] is not None
        row["decided"] += bool(each["repeated"])
        if each["range"] is None or each["range"][0] is None:
            row["silent"] += 1
            continue
        low, high = (spent + (math.inf if end is None else end) for end in each["range"])
        if needed is None or not math.isfinite(needed):
            row["undecided"] += 1
        elif high <= low:
            row["figures"] += 1
            row["figures right"] += max(low / needed, needed / low) <= _WITHIN
        else:
            row["ranges"] += 1
            row["ranges right"] += low <= needed <= high
            if math.isfinite(high):
                widths.append(high / low)
    return row, widths


GROUPS = {
    "`dong`, Theorem 1": (
        "dong.thm1.diagonal/corrected",
        "dong.thm1.offdiagonal/corrected",
        "dong.thm1.ratio",
        "dong.thm1.diagonal-limit",
        "dong.thm1.offdiagonal-limit",
        "dong.thm1.ratio-rate",
    ),
    "`dong`, the rest": (
        "dong.thm2.hidden-ce-diagonal",
        "dong.thm2.hidden-ce-offdiagonal/corrected",
        "dong.thm2.output-ce-diagonal/corrected",
        "dong.thm2.hidden-mse-offdiagonal",
        "dong.eq34.output-ce",
        "dong.introduction.output-ce",
        "dong.prop7.diagonal",
        "dong.lemma3.diagonal",
        "dong.eq10/corrected",
    ),
    "`wu`": (
        "wu.lemmaB.1/corrected",
        "wu.lemmaB.9.second/corrected",
        "wu.lemmaB.10.variance/corrected",
        "wu.thm4.2.overlap",
        "wu.thm4.2.rowspace/corrected",
        "wu.thm4.1.overlap",
        "wu.corB.5/corrected",
        "wu.eq183",
        "wu.thmG.1",
    ),
    "`li`": (
        "li.lemmaF.2/corrected",
        "li.eq8/corrected",
        "li.thm2.c.wigner/corrected",
        "li.thm2.c.two-block/corrected",
        "li.thm2.c.banded/corrected",
        "li.thm2.c.separable/corrected",
        "li.thm2.c.deformed/corrected",
    ),
}
"""Claims to falsify, named before any run: from every paper, limits and rates, exact and random ones."""

QUOTAS = (14, 14, 12, 10)


def _versions(claims: list[Claim], quota: int) -> list[tuple[str, Claim]]:
    """``quota`` wrong versions spread over the claims: one of each in turn, starting with another kind each time."""
    queues = []
    for number, claim in enumerate(claims):
        versions = falsified(claim)
        if not versions:  # a limit of zero has no wrong constant
            continue
        queues.append(versions[number % len(versions) :] + versions[: number % len(versions)])
    turns = itertools.zip_longest(*queues)
    return [version for turn in turns for version in turn if version is not None][:quota]


def falsified_theorems(arguments: argparse.Namespace) -> None:
    from rmtsim.claims import find

    start = time.perf_counter()
    tally: Counter[tuple[str, str]] = Counter()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        store = arguments.store or f"{folder}/runs.sqlite"

        def decide(claim: Claim) -> tuple[Verdict, float]:
            point = [claim.grid[0]]
            (result,) = verify(claim, budget=arguments.budget, points=point, store=store)
            return result.verdict, sum(p.nominal for p in result.points)

        for (group, names), quota in zip(GROUPS.items(), QUOTAS, strict=True):
            true = []
            for name in names:
                verdict, _ = decide(find(name))
                print(f"{name}: {verdict}", file=sys.stderr, flush=True)
                # A claim that is not confirmed as stated has no true version to alter.
                if verdict is Verdict.CONFIRMED:
                    true.append(find(name))
            for label, claim in _versions(true, quota):
                verdict, cost = decide(claim)
                tally[group, str(verdict)] += 1
                rows.append(f"| {label} | {verdict} | {cost:.1f} |")
                print(rows[-1], file=sys.stderr, flush=True)
    print("| group | versions | REFUTED | INCONCLUSIVE | CONFIRMED |\n|---|---|---|---|---|")
    for group in GROUPS:
        counts = [tally[group, name] for name in ("REFUTED", "INCONCLUSIVE", "CONFIRMED")]
        print(f"| {group} | {sum(counts)} | {' | '.join(map(str, counts))} |")
    print("\n| falsified statement | verdict | nominal seconds |\n|---|---|---|")
    print("\n".join(rows))
    print(f"\n- wall time {time.perf_counter() - start:.0f} s")


def _in_pieces(part: argparse.ArgumentParser) -> None:
    part.add_argument("--processes", type=int, default=1)
    part.add_argument("--records", help="keep answers in this file and go on from there")
    part.add_argument("--seconds", type=float, default=1e9, help="stop after so long (with --records)")


def _put(page: Path, part: str, text: str) -> None:
    """Put a part's tables between its marks on a page."""
    begin, end = f"<!-- calibration: {part} -->\n", "<!-- end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    if not found or end not in rest:
        sys.exit(f"{page} has no place for this part: expected {begin.strip()} and {end}")
    lines = [line for line in text.strip().splitlines() if "wall time" not in line]
    page.write_text(
        before + begin + "\n".join(lines).strip() + "\n" + rest[rest.index(end) :], encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("synthetic")
    part.add_argument("--claims", type=int, default=1000)
    part.add_argument("--seed", type=int, default=20)
    part.add_argument("--budget", type=float, default=20000.0)
    part.add_argument("--fixed", type=int, default=1000, help="claims whose fixed-size cost is computed")
    _in_pieces(part)
    part.set_defaults(run=synthetic)
    part = parts.add_parser("wild")
    part.add_argument("--runs", type=int, default=16, help="seeds per case, true and false")
    part.add_argument("--budget", type=float, default=40.0)
    part.add_argument("--kind", help="one kind only: slow, second term, units, natural, noise")
    _in_pieces(part)
    part.set_defaults(run=wild)
    part = parts.add_parser("families")
    part.add_argument("--runs", type=int, default=60, help="seeds per family")
    part.add_argument("--seed", type=int, default=30_000, help="first seed")
    part.add_argument("--row", help="families whose name matches this expression")
    _in_pieces(part)
    part.set_defaults(run=families)
    part = parts.add_parser("curves")
    part.add_argument("--runs", type=int, default=60, help="seeds per curve and variant")
    part.add_argument("--seed", type=int, default=70_000, help="first seed")
    part.add_argument("--row", help="curves whose name matches this expression")
    _in_pieces(part)
    part.set_defaults(run=curves)
    part = parts.add_parser("coverage")
    part.add_argument("--runs", type=int, default=150, help="per kind of interval and law of noise")
    part.add_argument("--budget", type=float, default=20.0)
    _in_pieces(part)
    part.set_defaults(run=coverage)
    part = parts.add_parser("advice")
    part.add_argument("--claims", type=int, default=40)
    part.add_argument("--seed", type=int, default=4)
    part.add_argument("--budgets", type=float, nargs="+", default=[60.0, 300.0])
    part.add_argument("--row", help="kinds of claims whose name matches this expression")
    part.add_argument("--whole", type=float, default=20000.0, help="budget with which they are decided")
    _in_pieces(part)
    part.set_defaults(run=advice)
    part = parts.add_parser("falsified")
    part.add_argument("--budget", type=float, default=60.0)
    part.add_argument("--store", help="keep and reuse batches there")
    part.set_defaults(run=falsified_theorems)
    for part in parts.choices.values():
        part.add_argument("--into", type=Path, help="page of the documentation whose table is replaced")
    arguments = parser.parse_args()
    if arguments.into is None:
        arguments.run(arguments)
        return
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        arguments.run(arguments)
    _put(arguments.into, arguments.run.__name__, printed.getvalue())
    print(printed.getvalue())


if __name__ == "__main__":
    main()
