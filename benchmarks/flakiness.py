"""How often sessions of true claims fail by chance: failures against the flakiness budget, at a raised budget.

    python benchmarks/flakiness.py --sessions 10000 --flakiness 0.2
    python benchmarks/flakiness.py --sessions 100 --control 0.5

Each session has its own seed and asserts two of four true statements (all six pairs in turn) through rmtsim.testing, as
the pytest plugin does: one share of the budget per test. The stated tolerance is so narrow that no statement is
confirmed before the budget ends, which gives a wrong refutation the most chances. The budget allows two looks at the
evidence.

What a verdict shows besides its decision (e-values, the band of the figure, the budget that would decide) takes most of
the time and is left out; the first ``--whole`` sessions are run with it as well, and must agree. ``--control`` moves
every statement by this much, so that each is false.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import itertools
import json
import sys
import time
from collections.abc import Iterator
from unittest import mock

from scipy import stats

from rmtsim.testing import ClaimFailedError, assert_not_refuted
from rmtsim.testing._shares import Plan, Share, current
from rmtsim.verdicts._examinations import conclude

COMMON = {"tolerance": 1e-9, "exponents": (1.0,), "because": "made that way", "budget": 0.04, "cost": 1e-6}


def exponential(size, rng, replicates):
    """Skewed, mean one."""
    return rng.exponential(size=replicates)


def normal(size, rng, replicates):
    """With a correction of order 1/size."""
    return 1 / size + rng.standard_normal(replicates)


def coin(size, rng, replicates):
    """Two values."""
    return rng.integers(0, 2, replicates).astype(float)


def uniform(size, rng, replicates):
    """Bounded."""
    return rng.random(replicates)


SUITE = [
    (exponential, {"limit": 1.0, "sizes": (1, 1000, 1_000_000)}),
    (normal, {"limit": 0.0, "sizes": (8, 16, 32)}),
    (coin, {"limit": 0.5, "sizes": (1, 1000, 1_000_000), "support": (0.0, 1.0)}),
    (uniform, {"limit": 0.5, "sizes": (1, 1000, 1_000_000)}),
]
PAIRS = tuple(itertools.combinations(SUITE, 2))


@contextlib.contextmanager
def decisions_only() -> Iterator[None]:
    """Leave out what a result holds beside its decision; the decision is made before any of it."""
    with (
        mock.patch.object(conclude, "_lacking", return_value=((), None)),
        mock.patch.object(conclude, "e_value", return_value=None),
        mock.patch.object(conclude, "model_band", return_value=()),
    ):
        yield


def session(seed: int, flakiness: float, control: float) -> dict[str, tuple[str, int]]:
    """Verdict and number of looks for each statement of one session."""
    suite = PAIRS[seed % len(PAIRS)]
    plan = Plan(flakiness=flakiness, tests=len(suite), seed=seed)
    found = {}
    for function, stated in suite:
        current.append(Share(f"flakiness.{function.__name__}", plan))
        try:
            result = assert_not_refuted(function, **COMMON, **stated | {"limit": stated["limit"] + control})
        except ClaimFailedError as failure:
            result = failure.result
        finally:
            current.pop()
        found[function.__name__] = (str(result.verdict), result.deciding.looks)
    return found


def main() -> None:
    """Run the sessions and print counts with an exact interval."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--flakiness", type=float, default=0.2)
    parser.add_argument("--control", type=float, default=0.0, help="move every stated value by this much")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--whole", type=int, default=50, help="sessions that are repeated with full results")
    arguments = parser.parse_args()
    started, failed, looks = time.process_time(), 0, 0
    names: dict[str, int] = {}
    for done in range(arguments.sessions):
        options = (arguments.first + done, arguments.flakiness, arguments.control)
        with decisions_only():
            found = session(*options)
        if done < arguments.whole and session(*options) != found:
            sys.exit(f"seed {options[0]}: the verdict depends on what is shown beside it")
        refuted = [name for name, (verdict, _) in found.items() if verdict == "REFUTED"]
        failed += bool(refuted)
        looks += sum(count for _, count in found.values())
        for name in refuted:
            names[name] = names.get(name, 0) + 1
        if (done + 1) % 500 == 0:
            print(json.dumps({"sessions": done + 1, "failed": failed}), flush=True)
    low, high = stats.binomtest(failed, arguments.sessions).proportion_ci(0.99, method="exact")
    print(
        json.dumps(
            {
                "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
                "command": " ".join(["benchmarks/flakiness.py", *sys.argv[1:]]),
                "sessions": arguments.sessions,
                "failed": failed,
                "rate": failed / arguments.sessions,
                "interval_99": [round(low, 5), round(high, 5)],
                "promised": arguments.flakiness,
                "looks_per_statement": looks / (2 * arguments.sessions),
                "by_statement": names,
                "core_seconds": round(time.process_time() - started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
