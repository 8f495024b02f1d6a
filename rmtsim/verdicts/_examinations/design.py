"""The design of one run, made from declared costs alone, and what passes between an examination and its driver."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims._model import Claim, Parameters
from rmtsim.runs._work import BatchKey
from rmtsim.verdicts._evidence.sequences import FIRST_LOOK, stage_widths
from rmtsim.verdicts._results import PointResult

BATCH_SECONDS = 0.1
"""Nominal length of a batch: short enough to spread over workers, long enough to hide their overhead."""

SHORTEST_BATCH = 0.01
"""Nominal length of a batch at least, where costs were measured: calling a sampler takes up to some milliseconds."""

LARGEST_BATCH = 4096
LARGEST_MEASURED = 2**18
"""Replicates of a batch at most: of declared costs, and of measured ones, which are known to be that small."""

FEWEST = 12
"""Replicates below which a standard deviation says little."""


@frozen
class Design:
    """Sizes that the budget covers, with costs, batch lengths, first counts and mixture widths."""

    sizes: tuple[int, ...]
    costs: tuple[float, ...]
    batches: tuple[int, ...]
    """Replicates per batch: depends on claim and size only, so stored batches can be reused by every later run."""
    first: tuple[int, ...]
    """Batches of the first round."""
    widths: NDArray[np.float64]
    dropped: tuple[int, ...] = ()
    """Declared sizes that the budget does not cover."""

    def cost(self, batches: NDArray[np.int_]) -> float:
        """Nominal seconds of that many batches per size."""
        return float(sum(b * r * c for b, r, c in zip(batches, self.batches, self.costs, strict=True)))


def batch_length(cost: float, *, measured: bool = False) -> int:
    """Replicates of a batch at this cost each: a power of two, about a tenth of a second.

    A batch of cheap replicates is shorter, but where the cost was ``measured`` no shorter than a hundredth of a second.

    >>> batch_length(1e-4), batch_length(2.0), batch_length(1e-7), batch_length(1e-7, measured=True)
    (512, 1, 4096, 65536)
    """
    if cost >= BATCH_SECONDS:
        return 1
    usual = min(LARGEST_BATCH, _power_of_two(BATCH_SECONDS / cost))
    return max(usual, min(LARGEST_MEASURED, _power_of_two(SHORTEST_BATCH / cost))) if measured else usual


def _power_of_two(number: float) -> int:
    """The largest power of two that is not larger; one at least."""
    return 1 << max(0, math.floor(math.log2(number)))


def price(claim: Claim, parameters: Parameters, size: int) -> float:
    """Nominal seconds of a replicate, checked."""
    cost = float(claim.cost(parameters, size)) * claim.draws
    if not (math.isfinite(cost) and cost > 0):
        raise ValueError(f"{claim.id}: cost at size {size} is {cost}; expected seconds > 0")
    return cost


FIRST_ROUND = 0.5
"""The first round may take this share of the allowance at most, as long as two batches per size fit in."""


def _affordable(first: list[int], costs: list[float], allowance: float) -> list[int]:
    """Numbers of batches in the first round, reduced to what the allowance affords; two at least.

    >>> _affordable([12, 12], [1.0, 1.0], 10.0), _affordable([12, 12], [1.0, 1.0], 100.0)
    ([2, 2], [12, 12])
    """
    total = sum(number * cost for number, cost in zip(first, costs, strict=True))
    share = FIRST_ROUND * allowance / total
    return first if share >= 1 else [max(2, math.floor(share * number)) for number in first]


def make_design(claim: Claim, setting: Setting) -> Design:
    """For one parameter point."""
    allowance = setting.allowance
    costs = {size: price(claim, setting.parameters, size) for size in claim.sizes}
    # A size whose fewest replicates would eat a third of everything is out of reach. Two sizes stay, unless measured
    # costs say that two batches at each of them take longer than the allowance.
    fixed = 1 if setting.measured and 2 * sum(costs[size] for size in claim.sizes[:2]) > allowance else 2
    kept = tuple(
        size for rank, size in enumerate(claim.sizes) if rank < fixed or FEWEST * costs[size] <= allowance / 3
    )
    batches = tuple(batch_length(costs[size], measured=setting.measured) for size in kept)
    first, last, widths = [], [], []
    for size, length in zip(kept, batches, strict=True):
        # Rare values are found most cheaply at the smallest size and then count at all sizes. Fewer replicates than
        # the first evaluation needs are useless.
        first_in_reach = size == kept[0] and FIRST_LOOK * costs[size] <= allowance / 10
        parts = 1 if first_in_reach else len(kept)
        share = allowance / (10 * parts) / costs[size]
        count = max(FEWEST, min(FIRST_LOOK, share))
        # At least two batches: dependence within a batch is detected by comparing batches.
        first.append(max(2, math.ceil(count / length)))
        last.append(max(count, allowance / (2 * costs[size])))
    starts = [number * length for number, length in zip(first, batches, strict=True)]
    stages = max(len(stage_widths(start, math.ceil(end))) for start, end in zip(starts, last, strict=True))
    for start in starts:
        widths.append(start / 3 * 4.0 ** np.arange(stages))
    first = _affordable(
        first, [length * costs[size] for size, length in zip(kept, batches, strict=True)], allowance
    )
    dropped = tuple(size for size in claim.sizes if size not in kept)
    return Design(
        kept,
        tuple(costs[size] for size in kept),
        batches,
        tuple(first),
        np.array(widths).T,
        dropped,
    )


@frozen
class Request:
    """Batches wanted, their nominal cost, and the nominal seconds until a verdict is expected."""

    keys: tuple[BatchKey, ...]
    cost: float
    outlook: float = 0.0
    interval: tuple[float, float] | None = None
    """Current interval, for the display of progress."""


@frozen
class Setting:
    """The input of an examination: point, seed, level, allowance."""

    parameters: dict[str, Any]
    seed: int
    level: float
    allowance: float
    drawn: bool = False
    measured: bool = False
    """Whether the costs of the claim were measured."""
    left: Callable[[], float] = lambda: math.inf
    """Nominal seconds that are left; the last round uses all of them."""


Examination = Generator[Request, "list[NDArray[np.float64]] | None", PointResult]


def keys_for(
    claim: Claim, setting: Setting, size: int, start: int, number: int, length: int
) -> list[BatchKey]:
    """Names of ``number`` batches from number ``start`` on."""
    point = tuple(sorted(setting.parameters.items()))
    return [BatchKey(claim, point, size, start + step, length, setting.seed) for step in range(number)]
