"""How long a batch will take: the claim's own estimate, corrected by what its batches took so far."""

from __future__ import annotations

from collections.abc import Sequence

from rmtsim.runs._work import BatchKey

_MEMORY = 0.7
"""Weight of what was known before; the last few batches decide."""


class Costs:
    """Expected seconds per batch. They plan transport only; no result depends on them."""

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, int], float] = {}

    def seconds(self, key: BatchKey) -> float:
        """Expected seconds of a batch."""
        nominal = max(key.nominal_seconds, 1e-6)
        return nominal * self._ratios.get((key.claim.id, key.size), 1.0)

    def learn(self, key: BatchKey, seconds: float) -> None:
        """Take note of what a batch took."""
        name = (key.claim.id, key.size)
        ratio = seconds / max(key.nominal_seconds, 1e-6)
        known = self._ratios.get(name)
        self._ratios[name] = ratio if known is None else _MEMORY * known + (1 - _MEMORY) * ratio


def groups(expected: Sequence[float], *, target: float, workers: int) -> list[list[int]]:
    """Batches put together into messages of about ``target`` seconds, the longest messages first.

    With little work the messages are smaller, so that every worker gets a few and ends with the others.

    >>> groups([3.0, 0.4, 0.4, 0.4], target=1.0, workers=1)
    [[0], [1, 2], [3]]
    """
    total = sum(expected)
    room = min(target, total / (4 * max(workers, 1))) if total > 0 else target
    made: list[tuple[float, list[int]]] = []
    current: list[int] = []
    filled = 0.0
    for index in sorted(range(len(expected)), key=lambda each: (-expected[each], each)):
        if current and filled + expected[index] > room:
            made.append((filled, current))
            current, filled = [], 0.0
        current.append(index)
        filled += expected[index]
    if current:
        made.append((filled, current))
    return [members for _, members in sorted(made, key=lambda each: -each[0])]
