"""How often sessions of true claims fail by chance: failures against the flakiness budget, at a raised budget.

    python benchmarks/flakiness.py --sessions 10000 --flakiness 0.2

Each session has its own seed and asserts four true statements through rmtsim.testing, as the pytest plugin does: one
share of the budget per test. The stated tolerance is so narrow that no statement is confirmed before the budget ends,
which gives a wrong refutation the most chances.
"""

from __future__ import annotations

import argparse
import json
import time

from scipy import stats

from rmtsim.testing import ClaimFailedError, assert_not_refuted
from rmtsim.testing._shares import Plan, Share, current

COMMON = {"tolerance": 1e-9, "exponents": (1.0,), "because": "made that way", "budget": 0.002, "cost": 1e-6}


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


def failures(seed: int, flakiness: float) -> list[str]:
    """Names of the statements that one session refutes."""
    plan = Plan(flakiness=flakiness, tests=len(SUITE), seed=seed)
    refuted = []
    for function, stated in SUITE:
        current.append(Share(f"flakiness.{function.__name__}", plan))
        try:
            assert_not_refuted(function, **COMMON, **stated)
        except ClaimFailedError:
            refuted.append(function.__name__)
        finally:
            current.pop()
    return refuted


def main() -> None:
    """Run the sessions and print counts with an exact interval."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--flakiness", type=float, default=0.2)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop early after this long")
    arguments = parser.parse_args()
    started, failed, done, names = time.monotonic(), 0, 0, {}
    for seed in range(arguments.first, arguments.first + arguments.sessions):
        if time.monotonic() - started > arguments.seconds:
            break
        found = failures(seed, arguments.flakiness)
        done, failed = done + 1, failed + bool(found)
        for name in found:
            names[name] = names.get(name, 0) + 1
        if done % 1000 == 0:
            print(json.dumps({"sessions": done, "failed": failed}), flush=True)
    low, high = stats.binomtest(failed, max(done, 1)).proportion_ci(0.99, method="exact")
    rate = {"rate": failed / max(done, 1), "interval_99": [round(low, 5), round(high, 5)]}
    print(
        json.dumps(
            {
                "sessions": done,
                "failed": failed,
                **rate,
                "promised": arguments.flakiness,
                "by_statement": names,
                "seconds": round(time.monotonic() - started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
