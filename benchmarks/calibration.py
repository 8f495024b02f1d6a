"""The verdict engine on trial (docs/calibration.md records the output).

    PYTHONPATH=. python benchmarks/calibration.py synthetic [--claims 1000]
    PYTHONPATH=. python benchmarks/calibration.py coverage [--runs 150]
    PYTHONPATH=. python benchmarks/calibration.py falsified [--budget 60]

Each part prints Markdown. Costs are nominal (declared cost model), so the figures do not depend on the machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import numpy as np

from rmtsim.claims import Claim
from rmtsim.verify import Verdict, verify
from rmtsim.verify.trial import (
    EXPONENTS,
    NOISES,
    TrialRunner,
    fixed_size_cost,
    naive_verdict,
    synthetic_claims,
    try_engine,
    upper_limit,
)
from rmtsim.verify.trial_claims import coverage_claims, falsified

LEVEL = 0.05


def synthetic(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    items = synthetic_claims(arguments.claims, seed=arguments.seed)
    engine, naive, costs = [], [], []
    for item in items:
        result = try_engine(item, seed=arguments.seed, level=LEVEL, budget=arguments.budget)
        engine.append(result.verdict)
        costs.append(result.points[0].nominal)
        naive.append(naive_verdict(item, seed=arguments.seed, level=LEVEL, budget=arguments.budget)[0])
        if item.number % 50 == 49:
            print(f"{item.number + 1} claims, {time.perf_counter() - start:.0f} s", file=sys.stderr)
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
            f"{upper_limit(wrong, len(items)):.4f} (promised {LEVEL})"
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
    ratios = [costs[i] / fixed_size_cost(items[i], seed=arguments.seed, level=LEVEL) for i in sample]
    quartiles = np.percentile(ratios, (25, 50, 75))
    print(
        f"\n- cost over that of a fixed-size test (first {len(sample)} claims): median {quartiles[1]:.2f}, "
        f"quartiles {quartiles[0]:.2f} and {quartiles[2]:.2f}"
    )
    print(f"- wall time {time.perf_counter() - start:.0f} s")


def coverage(arguments: argparse.Namespace) -> None:
    start = time.perf_counter()
    print("| kind | runs | missed | upper 95 % limit | promised |")
    print("|---|---|---|---|---|")
    for kind, (claim, truth) in coverage_claims().items():
        missed = 0
        for run in range(arguments.runs):
            (result,) = verify(claim, seed=run, level=LEVEL, budget=arguments.budget, runner=TrialRunner())
            low, high = result.points[0].interval
            missed += not low <= truth <= high
        print(
            f"| {kind} | {arguments.runs} | {missed} | {upper_limit(missed, arguments.runs):.4f} | {LEVEL} |",
            flush=True,
        )
    print(f"\nwall time {time.perf_counter() - start:.0f} s")


def falsified_theorems(arguments: argparse.Namespace) -> None:
    from rmtsim.claims import all_claims

    start = time.perf_counter()
    # Cheapest first, until there are enough; a statement that is not confirmed has no true version to falsify.
    claims = [claim for claim in all_claims(arguments.paper) if falsified(claim)]
    claims.sort(key=lambda claim: claim.cost(claim.point(claim.grid[0]), claim.sizes[-1]))
    versions: list[tuple[str, Claim]] = []
    used = 0
    for claim in claims:
        if len(versions) >= arguments.count:
            break
        (result,) = verify(claim, budget=arguments.budget, points=[claim.grid[0]])
        print(f"{claim.id}: {result.verdict}", file=sys.stderr, flush=True)
        if result.verdict is Verdict.CONFIRMED:
            versions += falsified(claim)
            used += 1
    versions = versions[: arguments.count]
    tally: Counter[str] = Counter()
    print(f"\n{len(versions)} falsified versions of {used} registered claims\n")
    print("| falsified statement | verdict | nominal seconds |")
    print("|---|---|---|")
    for label, claim in versions:
        (result,) = verify(claim, budget=arguments.budget, points=[claim.grid[0]])
        tally[str(result.verdict)] += 1
        print(f"| {label} | {result.verdict} | {sum(p.nominal for p in result.points):.1f} |", flush=True)
    total = sum(tally.values())
    print(
        "\n- " + ", ".join(f"{name}: {count} ({count / total:.0%})" for name, count in sorted(tally.items()))
    )
    print(f"- wall time {time.perf_counter() - start:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("synthetic")
    part.add_argument("--claims", type=int, default=1000)
    part.add_argument("--seed", type=int, default=20)
    part.add_argument("--budget", type=float, default=4000.0)
    part.add_argument("--fixed", type=int, default=200, help="claims whose fixed-size cost is computed")
    part.set_defaults(run=synthetic)
    part = parts.add_parser("coverage")
    part.add_argument("--runs", type=int, default=150, help="per kind; there are seven kinds")
    part.add_argument("--budget", type=float, default=20.0)
    part.set_defaults(run=coverage)
    part = parts.add_parser("falsified")
    part.add_argument("--budget", type=float, default=60.0)
    part.add_argument("--count", type=int, default=50)
    part.add_argument("--paper", help="only claims of this paper")
    part.set_defaults(run=falsified_theorems)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
