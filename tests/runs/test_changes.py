"""A trial: hundreds of kinds of change, each of which makes stored batches stale and must be noticed."""

import gc
import importlib
import linecache
import os
import sys
import warnings

import numpy as np
import pytest

from rmtsim.claims._files import load_file
from rmtsim.runs._identity import inputs
from rmtsim.runs._identity.code_version import forget_versions
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey, FailedBatch
from tests.runs.changes import C_READER, CHANGES, CODE, INPUT, REPLAY, write


class Process:
    """What a new process would see: modules of the folder are loaded again, nothing is known about them."""

    def __init__(self, folder):
        self.folder = folder
        self._before = set(sys.modules)

    def claim(self):
        self.forget()
        (claim,) = load_file(self.folder / "mine.py")
        return claim

    def forget(self):
        for name in set(sys.modules) - self._before:
            file = str(getattr(sys.modules[name], "__file__", "") or "")
            if file.startswith(str(self.folder)) or name in ("space", "plugs", "parts"):
                del sys.modules[name]
        for known in [name for name in sys.path_importer_cache if name.startswith(str(self.folder))]:
            del sys.path_importer_cache[known]
        importlib.invalidate_caches()
        linecache.clearcache()
        inputs._READS.clear()
        inputs._SAMPLED.clear()
        forget_versions()


@pytest.fixture(autouse=True, scope="module")
def _files_left_open():
    """Some kinds leave files open; they are collected here, not in a later test, which would fail by the warning."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def process(tmp_path, monkeypatch):
    monkeypatch.setenv("RMTSIM_TEST_VALUE", "1.0")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    mask, state, depth = os.umask(0o22), np.geterr(), sys.getrecursionlimit()
    printed = np.get_printoptions()
    os.umask(mask)
    made = Process(tmp_path)
    yield made
    os.umask(mask)
    np.seterr(**state)
    np.set_printoptions(**printed)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_default_dtype(torch.float32)
    if (pandas := sys.modules.get("pandas")) is not None:
        pandas.reset_option("display.precision")
    sys.setrecursionlimit(depth)
    made.forget()


def run(claim, store=None):
    forget_versions()
    runner = StoredRunner(SerialPool(), store)
    keys = [BatchKey(claim, (), size, batch, 8, 0) for batch in range(2) for size in claim.sizes]
    found = list(runner.run(keys))
    failed = [outcome.error for outcome in found if isinstance(outcome, FailedBatch)]
    if failed:
        raise failed[0]
    return np.concatenate(found).tobytes(), runner.tally


def test_the_trial_has_hundreds_of_kinds():
    names = [each.name for each in CHANGES]
    assert len(set(names)) == len(names) > 350


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change, id=change.name, marks=() if number % 4 == 0 else pytest.mark.thorough)
        for number, change in enumerate(CHANGES)
    ],
)
def test_every_change_is_noticed(process, monkeypatch, change):
    for package in change.packages:
        pytest.importorskip(package)
    folder = process.folder
    write(
        folder,
        {"c_reader.py": C_READER, **{name: text for name, text in change.files.items() if text is not None}},
    )
    (folder / "mine.py").write_text(change.text())
    claim = process.claim()
    with Store(folder.parent / f"{folder.name}.sqlite") as store:
        before, tally = run(claim, store)
        assert tally.computed == 6
        again, tally = run(claim if change.living else process.claim(), store)
        assert again == before
        assert tally.reused == 6, tally.notices()
        apply(change, folder, monkeypatch, claim)
        if not change.living:
            claim = process.claim()
        after, tally = run(claim, store)
        fresh, _ = run(claim)
    assert fresh != before, "this change changes nothing"
    assert after == fresh, "stale batches were reused"
    assert change.partly or tally.reused == 0
    assert how(tally) == change.noticed


def apply(change, folder, monkeypatch, claim):
    for name, content in change.after.items():
        if isinstance(content, tuple):
            old, new = content
            text = (folder / name).read_text()
            assert old in text
            (folder / name).write_text(text.replace(old, new))
        else:
            write(folder, {name: content})
    if change.action is not None:
        change.action(folder, monkeypatch, sys.modules[claim.measured.__module__])


def how(tally):
    """What noticed that batches were stale."""
    if tally.older:
        return CODE
    return INPUT if tally.changed else REPLAY if tally.discarded else "nothing"
