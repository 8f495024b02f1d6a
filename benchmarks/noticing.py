"""Which test notices a wrong number: tests collected once, each trial in a forked process (for mutations.py)."""

from __future__ import annotations

import cProfile
import gc
import importlib
import json
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from mutants import (
    FOLDERS,
    MODULE,
    ROOT,
    Constant,
    constants,
    forget,
    modules,
    mutate,
    shared_function,
    used_at_import,
)

NEAR = {
    **{
        f"papers.{folder.parent.name}.theory": (str(folder), f"tests/papers/{folder.parent.name}/theory")
        for folder in (path.relative_to(ROOT) for path in FOLDERS)
        if folder.name == "theory"
    },
    "laws": ("rmtsim/laws", "tests/laws"),
}
"""Where the theory is tested."""
WIDE = ("rmtsim/claims", "rmtsim/papers", "rmtsim/spectra", "tests/spectra", "tests/claims", "tests/papers",
        "tests/cli/test_law.py")  # fmt: skip
"""Who uses it: asked about what those do not notice."""
SOLVED = ("dyson", "near_cusps")
"""Tests of the solver, long ones, that hardly any closed form enters; part of the wide ones."""
OPTIONS = (
    "-q", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header", "--rootdir", str(ROOT),
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # rmtsim is imported before pytest starts
)  # fmt: skip

NEVER = 1e9
"""Seconds of a test that cannot be asked."""
THOROUGH = 60.0
"""From here on --map tries tests again that were too long before."""

Reach = dict[str, tuple[float, list[str]]]
"""Seconds and functions of each test."""


def in_a_process(work: Callable[[], Any], seconds: float) -> Any:
    """What ``work()`` returns in a forked process; {"error": ...} if it broke, died or took too long."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.alarm(int(seconds))
            found = json.dumps(work()).encode()
        except BaseException as error:
            found = json.dumps({"error": repr(error)[:500]}).encode()
        with os.fdopen(write, "wb") as pipe:
            pipe.write(found)
        os._exit(0)
    os.close(write)
    text = b""
    while piece := os.read(read, 65536):
        text += piece
    os.close(read)
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": f"no answer within {seconds:g} s"}


def watched() -> dict[Any, str]:
    """Code of every function with numbers -> its name."""
    found = {}
    for each in constants(every=True):
        if each.column >= 0 and not each.function.endswith(MODULE):
            found[shared_function(each.module, each.function).__code__] = f"{each.module}:{each.function}"
    return found


def compiled_callees() -> dict[str, set[str]]:
    """Name of each compiled function of a watched module -> itself and all compiled functions that it runs."""
    own = {}
    for module, _ in modules():
        for name, value in vars(importlib.import_module(module)).items():
            if hasattr(value, "py_func") and value.py_func.__module__ == module:
                own[name] = (f"{module}:{name}", value.py_func.__code__.co_names)

    def all_of(name: str) -> set[str]:
        found = {own[name][0]}
        for used in own[name][1]:
            found |= all_of(used) if used in own and used != name else set()
        return found

    return {name: all_of(name) for name in own}


def _too_long(*_: Any) -> None:
    raise TimeoutError("longer than --map")


class Trial:
    """A pytest plugin: records which functions each test enters, then runs the tests on mutants."""

    def __init__(
        self,
        wanted: list[Constant],
        reach_file: Any,
        keep: Callable[[Constant, dict[str, Any]], None],
        longest: float,
        mapped: float,
    ):
        self.wanted, self.reach_file, self.keep = wanted, reach_file, keep
        self.longest, self.mapped = longest, mapped
        self.failure: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failure:
            last = [line for line in str(report.longreprtext).splitlines() if line.strip()][-3:]
            crash = getattr(getattr(report.longrepr, "reprcrash", None), "message", "") or " ".join(last)
            self.failure = {"test": report.nodeid, "how": crash[:160]}

    def pytest_runtestloop(self, session: Any) -> bool:
        if session.testsfailed:
            raise SystemExit("tests could not be collected")
        reach: Reach = {}
        if self.reach_file.exists():
            reach = json.loads(self.reach_file.read_text(encoding="utf-8"))
        self._map(session, reach)
        items = {item.nodeid: item for item in session.items}
        forget()  # finds the caches, once for all forks
        gc.collect()
        gc.freeze()
        functions = {name: set(found) for name, (_, found) in reach.items()}
        for constant in self.wanted:
            asked = [name for name in functions if name in items and self._reached(constant, functions[name])]
            asked.sort(key=lambda name: reach[name][0])
            start = time.monotonic()
            found = in_a_process(
                lambda c=constant, a=asked: self._ask(c, [items[n] for n in a], reach), 30 + 3 * self.longest
            )
            if "error" in found:
                late = found["error"].startswith("no answer")
                found = {"test": "(does not end)" if late else "", "how": found["error"], "asked": len(asked)}
            self.keep(constant, {**found, "seconds": round(time.monotonic() - start, 1)})
        return True

    def _reached(self, constant: Constant, functions: set[str]) -> bool:
        if constant.column < 0 or constant.function.endswith(MODULE) or used_at_import(constant):
            # Anything in its folder may use it.
            return any(name.startswith(constant.module.rsplit(".", 1)[0]) for name in functions)
        return f"{constant.module}:{constant.function}" in functions

    def _ask(self, constant: Constant, items: list[Any], reach: Reach) -> dict[str, Any]:
        mutate(constant)
        left, asked = self.longest, 0
        for item, following in zip(items, [*items[1:], None][: len(items)], strict=True):
            left -= reach[item.nodeid][0]
            if left < 0 and asked:
                break
            asked += 1
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failure:
                break
        return {"test": "", "how": "", **self.failure, "asked": asked, "reaching": len(items)}

    def _map(self, session: Any, reach: Reach) -> None:
        """Run every test as it is, once, and write down which functions it enters and how long it takes."""
        fresh = [
            item
            for item in session.items
            if item.nodeid not in reach or (reach[item.nodeid][0] >= NEVER and self.mapped >= THOROUGH)
        ]
        width = 40
        for start in range(0, len(fresh), width):
            part = fresh[start : start + width]
            found = in_a_process(lambda p=part: self._profile(p), 600)
            if "error" in found and len(part) > 1:
                found = {}
                for item in part:
                    one = in_a_process(lambda i=item: self._profile([i]), 200)
                    found |= one if "error" not in one else {item.nodeid: (NEVER, [])}
            reach |= {name: value for name, value in found.items() if name != "error"}
            self.reach_file.write_text(json.dumps(reach), encoding="utf-8")
            print(f"mapped {min(start + width, len(fresh))} of {len(fresh)} tests", flush=True)

    def _profile(self, items: list[Any]) -> Reach:
        signal.signal(signal.SIGPROF, _too_long)
        codes, callees = watched(), compiled_callees()
        found: Reach = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            forget()
            start = time.monotonic()
            profile = cProfile.Profile(builtins=False)
            signal.setitimer(signal.ITIMER_PROF, self.mapped)
            profile.enable()
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            profile.disable()
            signal.setitimer(signal.ITIMER_PROF, 0)
            entered = {entry.code for entry in profile.getstats()}
            functions = {codes[code] for code in entered if code in codes}
            # Compiled functions are not traced: they count as entered by any Python code that names them.
            for code in entered:
                for name in getattr(code, "co_names", ()):
                    functions |= callees.get(name, set())
            # A test that fails as it is, or takes too long, can notice nothing.
            seconds = time.monotonic() - start if not self.failure else NEVER
            self.failure = {}
            found[item.nodeid] = (round(seconds, 3), sorted(functions))
        return found


def run_trial(
    wanted: list[Constant],
    reach_file: Any,
    keep: Callable[[Constant, dict[str, Any]], None],
    wide: bool,
    longest: float,
    mapped: float,
    only: list[str],
) -> None:
    """Run the tests (``only`` these paths, if any) on each mutant, for at most ``longest`` seconds each."""
    folders = [
        name for name in NEAR if any(f"{each.module}.".startswith(f"rmtsim.{name}.") for each in wanted)
    ]
    paths = [path for name in folders for path in NEAR[name]] + [path for path in WIDE if wide]
    paths = only or paths
    left_out = [] if wide or only else [f"--ignore-glob=*{word}*" for word in SOLVED]
    pytest.main(
        [*OPTIONS, *left_out, *(str(ROOT / path) for path in paths)],
        plugins=[Trial(wanted, reach_file, keep, longest, mapped)],
    )
