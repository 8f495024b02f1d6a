"""Which stored batches are computed again before the stored batches of a claim are reused.

The version of the code and the recorded inputs show most reasons for which a batch is stale. Computing some batches
again detects the others: a clock, a library file, the output of another program.
"""

from __future__ import annotations

import collections
import hashlib
import inspect
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim.runs._identity.code_version import version_of
from rmtsim.runs._work import BatchKey, Outcome

_SHARE, _SECONDS = 0.04, 0.02
"""Nominal cost of replays at a parameter point: at most this share of what is stored there, or so many seconds."""
_WHOLE_SHARE, _WHOLE_SECONDS = 0.2, 2.0
"""The same for claims outside of rmtsim, up to which whole batches are computed and not one replicate of them."""


@frozen
class Check:
    """How much is replayed."""

    batches: float | None = None
    """Stored batches of every size that are computed again, without a limit of cost; ``math.inf`` for all of them.
    By default it is one of every size for claims outside of rmtsim, which may read data and use libraries
    unknown to rmtsim, and one of every size within a limit of cost for the others. 0 limits the cost for all."""
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(8))
    """Changes the choice; by default a new random value in every run."""


@frozen
class Replay:
    """A stored batch that is computed again.

    ``key`` may ask for fewer replicates than the stored batch has: a sampler that measures one replicate after the
    other returns the first values of the batch.
    """

    stored: BatchKey
    key: BatchKey

    @property
    def is_whole(self) -> bool:
        """Whether all replicates are computed."""
        return self.key.replicates == self.stored.replicates

    @property
    def whole(self) -> Replay:
        """The same with all replicates."""
        return Replay(self.stored, self.stored)


@dataclass
class Trust:
    """Whether the stored batches of one claim may be reused, and those that wait until replays confirm them."""

    points: set[tuple[Any, ...]] = field(default_factory=set)
    """Parameter points (with seeds) whose replays have been chosen."""
    outstanding: int = 0
    held: list[tuple[int, Outcome]] = field(default_factory=list)
    """Numbers and values of stored batches that were requested meanwhile."""
    released: bool = False
    """Whether stored batches have been used in this run."""
    fault: Outcome | Exception | None = None
    """Outcome of a replay without values."""
    differs: str = ""
    """Name of a batch that gave other values when it was computed again."""


def chosen(stored: Sequence[BatchKey], check: Check) -> list[Replay]:
    """Stored batches of a parameter point that are computed again, at least one, in order of increasing cost."""
    by_size: dict[int, list[BatchKey]] = collections.defaultdict(list)
    for key in stored:
        by_size[key.size].append(key)
    wanted = check.batches or 1
    found = []
    for keys in by_size.values():
        ordered = sorted(keys, key=lambda key: _rank(key, check.salt))
        found += ordered[: len(ordered) if math.isinf(wanted) else int(wanted)]
    if check.batches:
        return [Replay(key, key) for key in found]
    total = math.fsum(key.nominal_seconds for key in stored)
    replays = sorted(
        (_short(key) for key in found), key=lambda each: (each.key.nominal_seconds, each.key.size)
    )
    if check.batches is None and version_of(stored[0].claim).modules:  # outside of rmtsim
        return _lengthened(max(_WHOLE_SECONDS, _WHOLE_SHARE * total), replays)
    return _within(max(_SECONDS, _SHARE * total), replays)


def _rank(key: BatchKey, salt: bytes) -> bytes:
    return hashlib.sha256(salt + f"{key.size},{key.batch},{key.replicates}".encode()).digest()


def _lengthened(limit: float, replays: Sequence[Replay]) -> list[Replay]:
    """All of them, with all replicates as far as the cost stays within the limit."""
    spent = math.fsum(replay.key.nominal_seconds for replay in replays)
    found = []
    for replay in replays:
        spent += replay.stored.nominal_seconds - replay.key.nominal_seconds
        found.append(replay.whole if spent <= limit else replay)
    return found


def _within(limit: float, replays: Sequence[Replay]) -> list[Replay]:
    found = list(replays[:1])
    spent = replays[0].key.nominal_seconds
    for replay in replays[1:]:
        spent += replay.key.nominal_seconds
        if spent > limit:
            break
        found.append(replay)
    return found


def _short(key: BatchKey) -> Replay:
    """One replicate of a batch, where the sampler measures one after the other; else the whole batch."""
    function = key.claim.measured
    if function is None or "replicates" in inspect.signature(function).parameters:
        return Replay(key, key)
    fewest = len(key.claim.sizes) if key.claim.coupled else 1
    return Replay(key, replace(key, replicates=min(fewest, key.replicates)))
