"""A dated, hashed record of what claims declare before they are tested."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rmtsim import __version__
from rmtsim.claims._model import Claim

FORMAT = "rmtsim preregistration 1"


def declaration(claim: Claim) -> dict[str, Any]:
    """What a claim declares, as plain data."""
    points = [claim.point(values) for values in claim.grid]
    return {
        "id": claim.id,
        "statement": claim.statement,
        "source": claim.source,
        "kind": claim.kind,
        "form": claim.form,
        "evidence": claim.evidence,
        "predictions": [
            None if claim.predict is None else float(claim.prediction(point)) for point in points
        ],
        "points": points,
        "tolerance": {"absolute": claim.tolerance.absolute, "relative": claim.tolerance.relative},
        "sizes": list(claim.sizes),
        "exponents": [list(claim.at(point).exponents) for point in points],
        "exponents_declared": claim.exponents_declared,
        "because": claim.because,
        "exponent": claim.exponent,
        "relation": claim.relation if claim.kind == "rate" else None,
        "sense": claim.sense if claim.kind == "bound" else None,
        **({} if claim.of == "value" else {"of": claim.of}),
        **({} if claim.approached is None else {"limits": [claim.approached(point) for point in points]}),
        "support": None if claim.support is None else list(claim.support),
    }


def record(
    claims: Sequence[Claim], settings: Mapping[str, Any], files: Mapping[str, bytes]
) -> dict[str, Any]:
    """Declarations, settings of the run, digests of the files, the date, and a digest of all of it."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "rmtsim": __version__,
        "settings": dict(settings),
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "claims": [declaration(claim) for claim in claims],
    }
    return {**content, "sha256": digest(content)}


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of a record without its own digest.

    >>> digest({"a": 1}) == digest({"sha256": "x", "a": 1})
    True
    """
    kept = {name: value for name, value in content.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, allow_nan=False).encode()).hexdigest()


def read(text: str, name: str) -> dict[str, Any]:
    """A record from its text.

    Raises
    ------
    ValueError
        If the text is not a record, or was changed after it was written.
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{name}: not a record of `rmtsim preregister`")
    if found.get("sha256") != digest(found):
        raise ValueError(f"{name}: the record was changed after it was written (its SHA-256 does not match)")
    return found


def differences(kept: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between a record and the declarations and settings of a run, one line each."""
    lines = [
        f"{name}: recorded {kept['settings'].get(name)!r}, now {value!r}"
        for name, value in now["settings"].items()
        if kept["settings"].get(name) != value
    ]
    before = {each["id"]: each for each in kept["claims"]}
    for each in json.loads(json.dumps(now["claims"])):
        old = before.pop(each["id"], None)
        if old is None:
            lines.append(f"{each['id']}: not in the record")
            continue
        lines += [
            f"{each['id']}: {name}: recorded {old.get(name)!r}, now {value!r}"
            for name, value in each.items()
            if old.get(name) != value
        ]
    lines += [f"{name}: recorded, and not part of this run" for name in before]
    lines += [
        f"{name}: the file was changed after it was recorded"
        for name, value in now["files"].items()
        if kept["files"].get(name, value) != value
    ]
    return lines
