"""The pytest plugin: options, the flakiness budget of a session, claims as tests, a keyed generator.

The module is imported in every pytest session of an environment that has rmtsim, so it loads nothing heavy.
"""

from __future__ import annotations

import dataclasses
import secrets
import sys
from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import numpy as np

    from rmtsim.claims import Claim
    from rmtsim.testing._shares import Plan

_PROPERTY = "rmtsim: "
"""Beginning of the names of JUnit properties that hold verdicts."""

_OPTIONS = {
    "flakiness": "probability that a session of true claims fails by chance (default 1e-6)",
    "tests": "number of tests that share the flakiness budget (default: all collected, at least 1024)",
    "seed": "root seed, a whole number or 'random' (default 0)",
    "budget": "factor of the budget of every assertion (default 1)",
    "inconclusive": "'fail' or 'warn': what assert_confirmed does if the budget does not decide (default fail)",
}
_PLAN = pytest.StashKey["Plan"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Command-line options, each also an ini option with underscores."""
    group = parser.getgroup("rmtsim", "claims about random quantities (rmtsim)")
    for name, words in _OPTIONS.items():
        choices = {"choices": ("fail", "warn")} if name == "inconclusive" else {}
        group.addoption(f"--rmtsim-{name}", default=None, help=words, **choices)
        parser.addini(f"rmtsim_{name}", words)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and draw a random seed before workers of pytest-xdist copy the options."""
    config.addinivalue_line(
        "markers",
        "rmtsim(budget=None, inconclusive=None): nominal seconds of each claim of a test, and whether an undecided "
        "claim is a failure ('fail') or a warning ('warn')",
    )
    if _option(config, "seed", "0") == "random":
        config.option.rmtsim_seed = str(secrets.randbits(64))
    config.stash[_PLAN] = _plan(config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the tests before -k, -m and others deselect some, so that a selected test keeps its level."""
    from rmtsim.testing._shares import SHARES

    if not _option(config, "tests", ""):
        config.stash[_PLAN] = dataclasses.replace(config.stash[_PLAN], tests=max(len(items), SHARES))


def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> list[ClaimItem] | None:
    """Claims of a test module become tests; a refuted statement is followed by its correction."""
    model = sys.modules.get("rmtsim.claims._model")
    if model is None or not isinstance(collector, pytest.Module):
        return None
    obj, marks = _unmarked(obj)
    members = obj if isinstance(obj, tuple) and obj else (obj,)
    if not all(isinstance(each, model.Claim) for each in members) or _imported(
        collector.obj, obj, members[0]
    ):
        return None
    found = [each for member in members for each in (member, member.correction) if each is not None]
    items = [ClaimItem.from_parent(collector, name=each.id, claim=each) for each in found]
    for item in items:
        for mark in (*marks, *getattr(item.claim.measured, "pytestmark", ())):
            item.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
    return items


def _unmarked(obj: Any) -> tuple[Any, list[pytest.MarkDecorator]]:
    """A claim without the markers above its ``@claim``.

    Pytest attaches a marker to functions and classes only; for a claim it returns a marker whose last argument is
    the claim.
    """
    marks = []
    while isinstance(obj, pytest.MarkDecorator) and obj.args:
        marks.append(getattr(pytest.mark, obj.name).with_args(*obj.args[:-1], **obj.kwargs))
        obj = obj.args[-1]
    return obj, marks


def _imported(module: Any, obj: Any, member: Any) -> bool:
    """Whether a claim belongs to another module, which defines the function and holds the claim."""
    home = getattr(member.measured, "__module__", None)
    if home in (None, module.__name__):
        return False
    return any(value is obj for value in vars(sys.modules.get(home, object)).values())


class ClaimItem(pytest.Item):
    """A claim as a test: confirmed, or refuted if the declaration holds a correction."""

    def __init__(self, *, claim: Claim, **options: Any) -> None:
        super().__init__(**options)
        self.claim = claim

    def runtest(self) -> None:
        """Verify the claim."""
        from rmtsim.testing._assertions import ClaimFailedError, assert_confirmed, examine
        from rmtsim.verdicts import Verdict

        if self.claim.correction is None:
            assert_confirmed(self.claim)
            return
        result, _ = examine(self.claim, None, None, None, {})
        if result.verdict is not Verdict.REFUTED:
            words = f"{result.claim} has a correction, and is not refuted as printed."
            raise ClaimFailedError(f"{words}\n\n{result.explain()}", result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reasoning alone, without a traceback through this plugin."""
        from rmtsim.testing._assertions import ClaimFailedError

        if isinstance(excinfo.value, ClaimFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """File, line and name for reports."""
        code = getattr(self.claim.measured, "__code__", None)
        return self.path, code.co_firstlineno - 1 if code else None, self.claim.id


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give the test its share of the flakiness budget."""
    from rmtsim.testing._shares import Share, current

    marker = item.get_closest_marker("rmtsim")
    given = dict(marker.kwargs) if marker else {}
    share = Share(
        item.nodeid,
        item.config.stash[_PLAN],
        budget=given.pop("budget", None),
        inconclusive=given.pop("inconclusive", None),
        record=lambda claim, words: item.user_properties.append((f"{_PROPERTY}{claim}", words)),
    )
    if given or (marker and marker.args):
        raise pytest.UsageError(f"{item.nodeid}: marker rmtsim accepts budget= and inconclusive= only")
    current.append(share)
    try:
        return (yield)
    finally:
        current.remove(share)


@pytest.fixture
def rmtsim_rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random generator whose stream depends on the name of the test and on ``--rmtsim-seed`` only."""
    from rmtsim._internal.randomness import stream

    return stream(request.config.stash[_PLAN].seed, f"pytest:{request.node.nodeid}", {}, 0, 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Count the verdicts; nothing is printed if no claim was tested."""
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, ())]
    words = [
        str(value)
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if str(name).startswith(_PROPERTY)
    ]
    if not words:
        return
    counts = Counter(word.partition(" ")[0] for word in words)
    smallest = min(float(word.rpartition(" ")[2]) for word in words)
    plan = config.stash[_PLAN]
    terminalreporter.write_line(
        f"rmtsim: {', '.join(f'{count} {verdict}' for verdict, count in sorted(counts.items()))}; "
        f"flakiness budget {plan.flakiness:g}, smallest level {smallest:.3g}, seed {plan.seed}"
    )


def _option(config: pytest.Config, name: str, default: str) -> str:
    value = config.getoption(f"rmtsim_{name}", default=None)
    return str(value if value is not None else config.getini(f"rmtsim_{name}") or default)


def _plan(config: pytest.Config) -> Plan:
    """Options of the session."""
    from rmtsim.testing._shares import FLAKINESS, Plan

    kinds = {
        "flakiness": (float, str(FLAKINESS)),
        "tests": (int, "1"),
        "seed": (int, "0"),
        "budget": (float, "1"),
    }
    values: dict[str, Any] = {"inconclusive": _option(config, "inconclusive", "fail")}
    for name, (kind, default) in kinds.items():
        text = _option(config, name, default)
        try:
            values[name] = kind(text)
        except ValueError:
            raise pytest.UsageError(f"--rmtsim-{name}={text}: expected a number ({_OPTIONS[name]})") from None
    try:
        return Plan(**values)
    except ValueError as error:
        raise pytest.UsageError(f"--rmtsim-{error}") from None
