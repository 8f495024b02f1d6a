"""Results to make pages of: real ones of every kind of figure, and copies of them with any text and number."""

import dataclasses
import functools

from rmtsim import verify
from rmtsim.verdicts._collection import to_record
from rmtsim.verdicts._results import Verdict

NAMES = (
    "dong.thm1.diagonal-limit",  # computed, a limit
    "dong.eq3",  # simulated, an identity that fails
    "dong.eq3/corrected",
    "dong.thm2.output-ce-diagonal",  # computed, refuted, with its correction
    "dong.thm2.output-ce-diagonal/corrected",
    "li.lemmaD.3",
    "liu.eq13.norm",  # a bound, refuted; its correction is not run
    "li.thm2.c.two-block",  # simulated, a rate
    "li.lemmaF.2",  # simulated, a limit
)


@functools.cache
def real():
    """One small run, in one family."""
    return verify(list(NAMES), budget=4.0)


def one(name="dong.thm1.diagonal-limit"):
    return next(result for result in real() if result.claim == name)


def many(count):
    """``count`` results with names of their own, for sizes and times; verdicts and papers in turn."""
    patterns = real()
    return [
        dataclasses.replace(
            patterns[number % len(patterns)], claim=f"{patterns[number % len(patterns)].claim}.{number}"
        )
        for number in range(count)
    ]


def with_verdict(result, verdict):
    return dataclasses.replace(
        result, points=tuple(dataclasses.replace(point, verdict=Verdict(verdict)) for point in result.points)
    )


def kept(result, **more):
    """What a store keeps of a result."""
    return {"result": result.as_json(), "record": to_record(result), "settings": {}, "command": "", **more}
