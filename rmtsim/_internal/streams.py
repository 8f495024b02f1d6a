"""Random streams: generators that are determined by what is computed.

A stream is keyed by root seed, claim, parameters, size and batch, so that results depend neither on the number of
workers nor on the order in which they finish.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.generators import FastNormals


def canonical(parameters: Mapping[str, Any]) -> str:
    """One text per parameter point: sorted keys, shortest exact decimal of every number.

    >>> canonical({"gamma": 0.5, "classes": 10})
    '{"classes":10,"gamma":0.5}'
    """
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), allow_nan=False)


def stream(
    seed: int, claim: str, parameters: Mapping[str, Any], size: int, batch: int
) -> np.random.Generator:
    """Generator for one batch of one claim at one parameter point and size.

    The key is hashed with SHA-256 into the entropy of a ``numpy.random.SeedSequence``, so different keys
    give independent streams and the same key gives the same stream everywhere.

    >>> a, b = (stream(0, "demo", {"gamma": 0.5}, 100, 3).standard_normal() for _ in range(2))
    >>> a == b
    True
    """
    seed = validate.integer("seed", seed, minimum=0, maximum=2**128, meaning="root seed")
    key = json.dumps([claim, canonical(parameters), int(size), int(batch)])
    words = np.frombuffer(hashlib.sha256(key.encode()).digest(), dtype="<u4")
    return FastNormals(np.random.PCG64DXSM(np.random.SeedSequence([seed, *(int(word) for word in words)])))
