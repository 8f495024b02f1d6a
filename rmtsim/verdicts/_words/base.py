"""The evidence base of a verdict in words: sizes declared, measured and with a vote, replicates, spread."""

from __future__ import annotations

from rmtsim.verdicts._results import ClaimResult, PointResult

_AT_EVERY_SIZE = ("identity", "bound")


def evidence_base(result: ClaimResult, point: PointResult) -> list[str]:
    """A few words each: which sizes count, how often the largest were drawn, and whether only the mean was tested.

    >>> from rmtsim import verify
    >>> (result,) = verify("dong.thm1.diagonal-limit")
    >>> evidence_base(result, result.points[0])
    []
    """
    if result.kind in _AT_EVERY_SIZE:
        return ["at these sizes only"] if point.sizes else []
    if result.evidence == "computed" or not point.deviations:
        return []
    parts = []
    declared, measured, votes = len(point.declared_sizes), len(point.sizes), len(point.voting)
    if declared and (measured < declared or votes < measured):
        parts.append(f"{declared} sizes declared, {measured} measured, {votes} with a vote")
    if len(point.replicates) > 1:
        parts.append(f"{point.replicates[-2]} and {point.replicates[-1]} replicates at the two largest sizes")
    spread = point.spread
    if result.kind == "limit" and point.quantity == "limit" and spread is not None:
        parts.append(f"mean only; standard deviation like size^{-spread:+.2f}")
    return parts
