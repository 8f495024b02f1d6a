"""Results as a list that displays itself (what :func:`rmtsim.verify` returns), and conversion to and from plain data.

A record may come from an untrusted store: every field is checked for its type, texts and sequences are bounded, and
control characters are refused, so that a record becomes either a well-formed result or an error.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Union

from rmtsim.claims._model import check_text
from rmtsim.verdicts._needs import Lack, Need, Warned
from rmtsim.verdicts._results import ClaimResult, ModelRow, PointResult
from rmtsim.verdicts._severity import Severity


class Results(list[ClaimResult]):
    """Results of a run in the order of the claims: a list that displays itself.

    Parameters
    ----------
    iterable : iterable of ClaimResult, optional
        The results.

    Attributes
    ----------
    next_step : str
        What to do next, one line per suggestion.

    Examples
    --------
    >>> from rmtsim import verify
    >>> results = verify("dong.thm1.diagonal-limit")
    >>> print(str(results).splitlines()[0])
    CONFIRMED     dong.thm1.diagonal-limit  theorem (printed), computed
    >>> results.next_step
    'the reasoning: rmtsim verify dong.thm1.diagonal-limit --explain'
    """

    # Words and figures are imported where they are used: they load rich and matplotlib, which a run does not need.

    def __str__(self) -> str:
        """The table and the summary that the command line prints."""
        from rmtsim.verdicts._words.summary import summary
        from rmtsim.verdicts._words.table import verdict_table

        return f"{verdict_table(self, 100).plain}\n\n{summary(self)}" if self else "no results"

    def _repr_html_(self) -> str:
        from rmtsim.verdicts._words.html import result_html, results_html

        return result_html(self[0]) if len(self) == 1 else results_html(self)

    def explain(self) -> str:
        """Full reasoning of every result.

        Returns
        -------
        str
            Several paragraphs of text.
        """
        return "\n\n".join(result.explain() for result in self)

    def to_frame(self) -> Any:
        """Table of all claims and parameter points as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per claim and parameter point.

        Raises
        ------
        ImportError
            If pandas is not installed (extra ``notebook``).
        """
        return frame([row for result in self for row in result.rows()])

    @property
    def next_step(self) -> str:
        """What a reader would do next, one line each."""
        from rmtsim.verdicts._words.summary import next_lines

        return "\n".join(next_lines(self))


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame; an ImportError that says what to install where there is no pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install 'rmtsim[notebook]'"
        ) from None
    return pandas.DataFrame(rows)


LONGEST_TEXT = 20_000
LONGEST_SEQUENCE = 20_000
DEEPEST = 12
_OPEN_ENDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def to_record(result: ClaimResult) -> dict[str, Any]:
    """Every field of a result as JSON-able data; infinities are written as words.

    >>> from rmtsim import verify
    >>> (result,) = verify("dong.thm1.diagonal-limit")
    >>> from_record(to_record(result)) == result
    True
    """
    record: dict[str, Any] = _plain(result)
    record.pop("target")  # a path on the machine of the run, which is not part of the record
    return record


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def from_record(record: Mapping[str, Any]) -> ClaimResult:
    """The result of a record; a ValueError that names the field if the record cannot be one."""
    points = record.get("points")
    if isinstance(points, list):
        record = {**record, "points": [_with_lacks(point) for point in points]}
    found: ClaimResult = _built(ClaimResult, {**record, "target": ""}, "result")
    if not found.points:
        raise ValueError("result: points=[]: expected at least one parameter point")
    return found


def _with_lacks(point: Any) -> Any:
    """Convert a point of an older record: remove obsolete fields, and turn its needs into data."""
    if not isinstance(point, Mapping):
        return point
    kept = {name: value for name, value in point.items() if name not in ("needs", "detectable")}
    if "needs" not in point:
        return kept
    return {**kept, "lacks": [{"lack": Lack.OTHER.value, "text": point["needs"]}] if point["needs"] else []}


_Read = Callable[[Any, str], Any]
"""Function of a value and its place (for messages) that returns the value as a given type."""


def _built(kind: type, value: Any, place: str) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"{place}: expected an object, found {type(value).__name__}")
    readers = _readers(kind)
    unknown = [str(name) for name in value if name not in readers]
    if unknown:
        raise ValueError(f"{place}: {unknown[0][:40]!r}: no such field")
    try:
        return kind(**{name: readers[name](each, f"{place}: {name}") for name, each in value.items()})
    except TypeError as error:  # a field is missing
        raise ValueError(f"{place}: {error}") from None


@functools.cache
def _readers(kind: type) -> dict[str, _Read]:
    hints = typing.get_type_hints(kind)
    return {each.name: _reader(hints[each.name]) for each in dataclasses.fields(kind)}


def _reader(hint: Any) -> _Read:
    """The reader of fields of this type; cached, because a store has thousands of values."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        inner = _reader(next(each for each in arguments if each is not type(None)))
        return lambda value, place: None if value is None else inner(value, place)
    if origin is tuple:
        return _sequence(*arguments)
    if origin is typing.Literal:
        return functools.partial(_one_of, arguments)
    if origin is dict:
        return _free
    if hint in (ModelRow, Need, PointResult, Severity, Warned):
        return functools.partial(_built, hint)
    return functools.partial(_scalar, hint)


def _sequence(*hints: Any) -> _Read:
    members = [_reader(each) for each in hints if each is not Ellipsis]
    each, any_length = members[0], hints[-1] is Ellipsis

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > LONGEST_SEQUENCE:
            raise ValueError(f"{place}: expected a list of at most {LONGEST_SEQUENCE}")
        if any_length:
            return tuple([each(member, place) for member in value])
        if len(value) != len(members):
            raise ValueError(f"{place}: expected {len(members)} members, found {len(value)}")
        return tuple([own(member, place) for own, member in zip(members, value, strict=True)])

    return read


def _one_of(accepted: tuple[Any, ...], value: Any, place: str) -> Any:
    if value not in accepted:
        raise ValueError(f"{place}: expected one of {', '.join(map(str, accepted))}")
    return value


def _scalar(kind: Any, value: Any, place: str) -> Any:
    if kind is float:
        if type(value) is float:
            return value
        number = _OPEN_ENDS.get(value, value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise ValueError(f"{place}: expected a number, found {type(value).__name__}")
        return float(number)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is int and (isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**130):
        raise ValueError(f"{place}: expected an integer, found {type(value).__name__}")
    if kind is bool and not isinstance(value, bool):
        raise ValueError(f"{place}: expected true or false, found {type(value).__name__}")
    return _text(value, place) if kind is str else value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError(f"{place}: expected text of at most {LONGEST_TEXT} characters")
    check_text(place, value)
    return value


def _free(value: Any, place: str, depth: int = 0) -> Any:
    """A part that has no fixed shape (parameters, what was declared): plain data of bounded size."""
    if depth > DEEPEST:
        raise ValueError(f"{place}: nested too deeply")
    if isinstance(value, str):
        return _text(value, place)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, dict)) and len(value) <= LONGEST_SEQUENCE:
        if isinstance(value, list):
            return [_free(each, place, depth + 1) for each in value]
        return {_text(key, place): _free(each, place, depth + 1) for key, each in value.items()}
    raise ValueError(f"{place}: expected numbers, texts, lists and objects of bounded size")
