"""The figure of a verdict as a small inline SVG: coloured by the page, readable in grey, with a text alternative.

It is written directly, because a page has hundreds of figures: each takes a few kilobytes and a fraction of a
millisecond, where matplotlib takes a tenth of a second. `rmtsim verify --figures` and ``result.plot()`` draw the same
things for print.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmtsim._internal.docstrings import frozen
from rmtsim.plots._symbols import quantity_symbol
from rmtsim.report._markup import Markup, joined, tag
from rmtsim.verdicts._results import ClaimResult, PointResult
from rmtsim.verdicts._words.numbers import estimate_words, parameter_words, predicted_words

_MOST = 4
"""Panels of one claim, the deciding point first."""
_WIDTH, _HEIGHT = 340, 214
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 328, 20, 176
_SMALLEST = 1e-18
"""Where an error of exactly zero is drawn on a logarithmic axis."""
_CURVE = 32
"""Points kept of a band."""
_BEYOND = 4.0
"""Models are drawn up to this many times the largest size."""
_FAR = 3.0
"""An interval this many times wider than everything else is cut off, with arrows."""


@frozen
class _Axis:
    """Data to one coordinate of the picture, cut off at its ends."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def __call__(self, value: float) -> str:
        place = math.log10(max(value, _SMALLEST)) if self.logarithmic else value
        share = (min(max(place, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{self.start + share * (self.end - self.start):.1f}"

    def outside(self, value: float) -> bool:
        place = math.log10(max(value, _SMALLEST)) if self.logarithmic else value
        return not self.low <= place <= self.high

    def ticks(self) -> list[float]:
        if not self.logarithmic:
            return _nice(self.low, self.high)
        first, last = math.ceil(self.low), math.floor(self.high)
        if last - first >= 1:
            step = max(1, math.ceil((last - first) / 4))
            return [10.0**power for power in range(first, last + 1, step)]
        return _nice(10**self.low, 10**self.high)


def _nice(low: float, high: float) -> list[float]:
    """Three to six round numbers between two ends."""
    raw = (high - low) / 4
    if not (raw > 0 and math.isfinite(raw)):
        return [low]
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * each for each in (1, 2, 5, 10) if unit * each >= raw)
    first = math.ceil(low / step)
    return [
        step * number for number in range(first, first + 8) if step * number <= high * (1 + 1e-12) + 1e-300
    ]


def _axis(
    values: Sequence[float], start: float, end: float, *, logarithmic: bool, room: float = 0.06
) -> _Axis | None:
    places = [math.log10(max(value, _SMALLEST)) if logarithmic else value for value in values]
    low, high = min(places), max(places)
    margin = room * (high - low) or (0.2 if logarithmic else 0.1 * abs(high) or 1.0)
    low, high = low - margin, high + margin
    if not (math.isfinite(high - low) and high > low):
        return None
    return _Axis(low, high, start, end, logarithmic)


def figures(result: ClaimResult) -> list[tuple[str, Markup]]:
    """(caption, picture) of the deciding parameter point and some more; empty where nothing can be drawn."""
    points = sorted(result.points, key=lambda point: point is not result.deciding)
    found = []
    for point in points[:_MOST]:
        picture = _panel(result, point)
        if picture is not None:
            name = parameter_words(point.parameters)
            found.append((f"{name}: {point.verdict}" if name else str(point.verdict), picture))
    return found


def in_words(result: ClaimResult, point: PointResult) -> str:
    """Text alternative of the figure."""
    name = parameter_words(point.parameters)
    pairs = _measured(point)
    ends = f"{pairs[0][1]:.5g} at {result.size_name} = {pairs[0][0]}"
    if len(pairs) > 1:
        ends += f" to {pairs[-1][1]:.5g} at {pairs[-1][0]}"
    compared = predicted_words(point)
    return (
        f"{result.claim}{f' at {name}' if name else ''}: values against {result.size_name}, from {ends}; "
        f"{f'predicted {point.quantity} {compared}; ' if compared else ''}found {estimate_words(point)}; "
        f"{point.verdict}."
    )


def _measured(point: PointResult) -> list[tuple[int, float, float]]:
    """(size, value, error) that can be drawn."""
    errors = point.errors if len(point.errors) == len(point.values) else (0.0,) * len(point.values)
    return [
        (size, value, error if math.isfinite(error) and error > 0 else 0.0)
        for size, value, error in zip(point.sizes, point.values, errors, strict=False)
        if size > 0 and math.isfinite(value)
    ]


def _panel(result: ClaimResult, point: PointResult) -> Markup | None:
    pairs = _measured(point)
    if not pairs:
        return None
    if point.quantity == "relative error":
        drawn = _errors(pairs, point)
    elif point.quantity == "exponent":
        drawn = _power(pairs, point)
    else:
        drawn = _limit(pairs, point)
    if drawn is None:
        return None
    x, y, parts, beyond = drawn
    marks = _marks(result, pairs, x, y)
    names = (result.size_name, _vertical(result, point))
    frame = _frame(x, y, names, [size for size, _, _ in pairs], beyond)
    return tag(
        "svg", frame, *parts, marks,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=in_words(result, point), class_="fig",
    )  # fmt: skip


def _vertical(result: ClaimResult, point: PointResult) -> str:
    """Name of the vertical axis."""
    if point.quantity in ("relative error", "extreme value"):
        return f"largest {point.quantity}" if point.quantity == "relative error" else "most extreme value"
    return quantity_symbol(result).replace(r"\$", "$")


_Drawn = tuple[_Axis, _Axis, list[Markup], bool]


def _sizes_axis(sizes: Sequence[float], end: float = _RIGHT) -> _Axis | None:
    return _axis(sizes, _LEFT, end, logarithmic=True, room=0.08)


def _limit(pairs: list[tuple[int, float, float]], point: PointResult) -> _Drawn | None:
    """Values, the admissible models' band, prediction ± tolerance, and the interval for the limit at the right."""
    predicted = point.predicted if point.predicted is not None and math.isfinite(point.predicted) else None
    tolerance = point.tolerance if math.isfinite(point.tolerance) else 0.0
    near = [value + sign * 2 * error for _, value, error in pairs for sign in (-1, 1)]
    if predicted is not None:
        near += [predicted - tolerance, predicted + tolerance]
    low, high = point.interval
    span = max(near) - min(near)
    reach = [
        end
        for end in point.interval
        if math.isfinite(end) and min(near) - _FAR * span <= end <= max(near) + _FAR * span
    ]
    has_limit = point.quantity != "extreme value" and not (math.isinf(low) and math.isinf(high))
    sizes = [float(size) for size, _, _ in pairs]
    curve = [
        row for row in point.curve if all(map(math.isfinite, row)) and 0 < row[0] <= _BEYOND * max(sizes)
    ]
    curve = curve[:: max(1, math.ceil(len(curve) / _CURVE))]
    y = _axis(near + (reach if has_limit else []), _BOTTOM, _TOP, logarithmic=False)
    x = _sizes_axis([*sizes, *(row[0] for row in curve)], _RIGHT - 34 if has_limit else _RIGHT)
    if x is None or y is None or math.isnan(low) or math.isnan(high):
        return None
    parts = []
    if predicted is not None:
        parts += _zone(y, predicted - tolerance, predicted + tolerance, predicted)
    if len(curve) > 1:
        band = [f"{x(row[0])},{y(row[3])}" for row in curve] + [
            f"{x(row[0])},{y(row[1])}" for row in reversed(curve)
        ]
        parts.append(tag("polygon", points=" ".join(band), class_="band"))
        parts.append(
            tag("polyline", points=" ".join(f"{x(row[0])},{y(row[2])}" for row in curve), class_="best")
        )
    if has_limit:
        parts.append(_bracket(y, low, high, _RIGHT - 12))
    return x, y, parts, has_limit


def _zone(y: _Axis, low: float, high: float, middle: float | None) -> list[Markup]:
    top, bottom = float(y(high)), float(y(low))
    parts = [
        tag(
            "rect",
            x=_LEFT,
            y=f"{top:.1f}",
            width=_RIGHT - _LEFT,
            height=f"{max(bottom - top, 1.0):.1f}",
            class_="zone",
        )
    ]
    if middle is not None:
        parts.append(tag("line", x1=_LEFT, x2=_RIGHT, y1=y(middle), y2=y(middle), class_="pred"))
    return parts


def _bracket(y: _Axis, low: float, high: float, place: float) -> Markup:
    """The interval for the limit; ends beyond the picture are arrows."""
    path = [f"M{place} {y(low)}V{y(high)}"]
    for end, sign in ((low, -1), (high, 1)):
        at = float(y(end))
        if y.outside(end):
            path.append(f"M{place - 4} {at + 5 * sign:.1f}L{place} {at:.1f}L{place + 4} {at + 5 * sign:.1f}")
        else:
            path.append(f"M{place - 5} {at:.1f}H{place + 5}")
    return tag("path", d="".join(path), class_="interval")


def _power(pairs: list[tuple[int, float, float]], point: PointResult) -> _Drawn | None:
    """A decay on logarithmic axes: values, the stated power through the last one, and the wedge of the interval."""
    sizes = [float(size) for size, _, _ in pairs]
    values = [abs(value) for _, value, _ in pairs]
    if min(values) <= 0 or len(set(sizes)) < 2:
        return None
    last_size, last = sizes[-1], values[-1]
    first = min(sizes)

    def back(exponent: float) -> float:
        """The power through the last value, at the smallest size, kept drawable."""
        power = math.log10(last) + min(max(exponent, -30.0), 30.0) * (
            math.log10(last_size) - math.log10(first)
        )
        return float(10.0 ** min(max(power, -290.0), 290.0))

    stated = point.predicted if point.predicted is not None and math.isfinite(point.predicted) else None
    starts = [] if stated is None else [back(stated)]
    x = _sizes_axis(sizes)
    y = _axis([*values, *starts], _BOTTOM, _TOP, logarithmic=True)
    if x is None or y is None or last <= _SMALLEST:
        return None
    parts = []
    low, high = point.interval
    if math.isfinite(low) and math.isfinite(high):
        corner = f"{x(last_size)},{y(last)}"
        wedge = f"{x(first)},{y(back(low))} {x(first)},{y(back(high))} {corner}"
        parts.append(tag("polygon", points=wedge, class_="band"))
    if stated is not None:
        parts.append(tag("line", x1=x(first), y1=y(back(stated)), x2=x(last_size), y2=y(last), class_="pred"))
    return x, y, parts, False


def _errors(pairs: list[tuple[int, float, float]], point: PointResult) -> _Drawn | None:
    """Relative errors of an identity on a logarithmic axis, and the rounding that is allowed."""
    allowed = point.tolerance if math.isfinite(point.tolerance) and point.tolerance > 0 else _SMALLEST
    y = _axis([*(abs(value) for _, value, _ in pairs), allowed], _BOTTOM, _TOP, logarithmic=True)
    x = _sizes_axis([size for size, _, _ in pairs])
    if x is None or y is None:
        return None
    return x, y, _zone(y, 0.0, allowed, allowed), False


def _marks(result: ClaimResult, pairs: list[tuple[int, float, float]], x: _Axis, y: _Axis) -> Markup:
    parts = []
    for size, value, error in pairs:
        shown = abs(value) if y.logarithmic else value
        if result.evidence == "computed":
            parts.append(
                tag(
                    "rect",
                    x=float(x(size)) - 3,
                    y=f"{float(y(shown)) - 3:.1f}",
                    width=6,
                    height=6,
                    class_="dot",
                )
            )
            continue
        if error and not y.outside(shown):
            low = max(shown - 2 * error, _SMALLEST) if y.logarithmic else shown - 2 * error
            parts.append(tag("path", d=f"M{x(size)} {y(low)}V{y(shown + 2 * error)}", class_="bar"))
        parts.append(tag("circle", cx=x(size), cy=y(shown), r=3, class_="dot"))
    return joined(parts)


def _frame(x: _Axis, y: _Axis, names: tuple[str, str], sizes: Sequence[int], beyond: bool) -> Markup:
    parts = [tag("path", d=f"M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}", class_="axis")]
    for value in y.ticks():
        at = y(value)
        parts.append(tag("path", d=f"M{_LEFT} {at}H{_RIGHT}", class_="grid"))
        parts.append(tag("text", f"{value:.4g}", x=_LEFT - 5, y=f"{float(at) + 3.5:.1f}", class_="end"))
    last = -math.inf
    for size in sorted(set(sizes)):
        place = float(x(size))
        parts.append(tag("path", d=f"M{place} {_BOTTOM}v4", class_="axis"))
        words = str(size) if size < 100_000 else f"{float(size):.3g}"
        if place - last >= 6 * len(words) + 6:  # labels do not touch
            parts.append(tag("text", words, x=place, y=_BOTTOM + 15, class_="mid"))
            last = place
    horizontal, vertical = (name if len(name) <= 40 else f"{name[:39]}…" for name in names)
    parts.append(tag("text", vertical, x=4, y=11, class_="it"))
    parts.append(tag("text", horizontal, x=(_LEFT + _RIGHT) // 2, y=_HEIGHT - 6, class_="mid it"))
    if beyond:
        parts.append(tag("text", "limit", x=_RIGHT - 12, y=_BOTTOM + 15, class_="mid"))
    return joined(parts)
