"""What the code of claims reads is noticed in the process that reads it, and comes back with the batch."""

import concurrent.futures
import ctypes.util
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._files import load_file
from rmtsim.errors import RunError
from rmtsim.runs._identity import inputs, sources
from rmtsim.runs._identity.code_version import forget_versions, inputs_of
from rmtsim.runs._identity.sources import contents_of
from rmtsim.runs._pools.futures import FuturesPool
from rmtsim.runs._pools.pool import SerialPool
from rmtsim.runs._pools.spawned import SpawnedPool
from rmtsim.runs._runner import StoredRunner
from rmtsim.runs._store.store import Store
from rmtsim.runs._work import BatchKey, measured_batch

FILE = """
import os, sys, tempfile
from pathlib import Path
import numpy as np
from rmtsim.claims import claim

HERE = Path(__file__).parent
{top}

@claim("my.claim", limit=0.0, tolerance=0.1, sizes=(4, 8, 16){options})
def measured(size, rng):
    {body}
    return rng.normal()
"""


@pytest.fixture
def loaded(tmp_path):
    def load(body="pass", top="", options=""):
        (tmp_path / "mine.py").write_text(FILE.format(body=body, top=top, options=options))
        (tmp_path / "data.txt").write_text("1.0")
        forget_versions()
        (claim,) = load_file(tmp_path / "mine.py")
        return claim

    yield load
    sys.modules.pop("rmtsim_user_mine", None)
    forget_versions()


def batches(claim, number=4):
    return [BatchKey(claim, (), 4, batch, 8, 0) for batch in range(number)]


def read_by(claim, pool):
    """Inputs of four batches that a pool computes."""
    try:
        return [arrival.content.inputs for arrival in pool.completed(batches(claim)) if arrival is not None]
    finally:
        pool.close()


@pytest.mark.parametrize("where", ["body", "top"])
def test_workers_send_back_what_they_noticed(loaded, tmp_path, where):
    claim = loaded(**{where: 'open(HERE / "data.txt").close(); os.environ.get("MY_VALUE")'})
    expected = (
        ("file", str(tmp_path / "data.txt"), inputs._file_digest(str(tmp_path / "data.txt"))),
        ("package", "numpy", contents_of("numpy")),
        ("variable", "MY_VALUE", "absent"),
    )
    assert read_by(claim, SerialPool()) == [expected] * 4
    assert read_by(claim, SpawnedPool(1)) == [expected] * 4
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        assert read_by(claim, FuturesPool(executor)) == [expected] * 4
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert read_by(claim, FuturesPool(executor)) == [expected] * 4


def test_what_installed_packages_read_when_they_are_imported_does_not_count(tmp_path):
    (tmp_path / "mine.py").write_text(
        FILE.format(body="pass", top="import matplotlib.pyplot, pandas", options="")
    )
    code = (
        "import sys; from rmtsim.claims._files import load_file\n"
        "from rmtsim.runs._identity.code_version import inputs_of\n"
        f"print(inputs_of(load_file({str(tmp_path / 'mine.py')!r})[0]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    ((kind, names, _),) = eval(done.stdout)
    assert kind == "package"
    assert {"matplotlib", "pandas"} <= set(names.split())


def _kinds(found):
    return {kind for kind, _, _ in found}


def test_files_that_the_code_writes_itself_are_no_inputs(loaded, tmp_path):
    body = 'path = HERE / f"{rng.random()}"; path.write_text("1.0"); path.read_text(); path.unlink()'
    assert _kinds(measured_batch(batches(loaded(body))[0]).inputs) == {"package"}
    body = "file = tempfile.NamedTemporaryFile(); file.write(b'1'); file.seek(0); file.read(); file.close()"
    found = measured_batch(batches(loaded(body))[0]).inputs
    assert "file" not in _kinds(found)


def test_samplers_of_rmtsim_read_nothing():
    for paper in ("dong", "li", "textbook"):
        for claim in all_claims(paper)[:10]:
            assert inputs_of(claim) == ()


def test_a_package_that_is_imported_by_a_made_up_name(loaded, monkeypatch):
    known = ("yaml", "jinja2", "click", "babel", "iniconfig", "execnet")
    unused = [each for each in known if each not in sys.modules and importlib.util.find_spec(each)]
    if not unused:
        pytest.skip("every small package that is installed has been imported")
    name = unused[0]
    claim = loaded(f"__import__({name[:2]!r} + {name[2:]!r})")
    first = measured_batch(batches(claim)[0]).inputs
    assert [(kind, found) for kind, found, _ in first] == [("package", " ".join(sorted((name, "numpy"))))]
    assert inputs.InputsNow().changed(first) == ""
    found = importlib.metadata.distribution
    monkeypatch.setattr(
        importlib.metadata,
        "distribution",
        lambda known: types.SimpleNamespace(
            version="99", requires=found(known).requires, read_text=lambda file: None
        ),
    )
    assert inputs.InputsNow().changed(first) == "", "what is installed is looked at once in a process"
    contents_of.cache_clear()
    assert inputs.InputsNow().changed(first).startswith("packages ")
    contents_of.cache_clear()


def test_what_compilers_and_the_import_of_rmtsim_read_does_not_count(tmp_path):
    """Else all batches would be stale after the next installation of any package."""
    (tmp_path / "mine.py").write_text(
        FILE.format(
            top="import numba\nfrom rmtsim.ensembles import gaussian\n@numba.njit\ndef f(x):\n    return x",
            body="f(gaussian(size, rng=rng)[0, 0])",
            options="",
        )
    )
    script = (
        "from rmtsim.claims._files import load_file\n"
        "from rmtsim.runs._work import BatchKey, measured_batch\n"
        f"(claim,) = load_file({str(tmp_path / 'mine.py')!r})\n"
        "print({kind for kind, _, _ in measured_batch(BatchKey(claim, (), 4, 0, 8, 0)).inputs})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert eval(done.stdout) == {"package"}


def test_a_package_installed_anew_in_the_same_version(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    info = folder / "made_up-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "made_up.py").write_text("VALUE = 1.0\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(folder)
    found = set()
    for digest in "ab":
        (info / "RECORD").write_text(f"made_up.py,sha256={digest},12\n../../bin/program,sha256=x,3\n")
        sources._providers.cache_clear()
        contents_of.cache_clear()
        found.add(contents_of("made_up"))
    assert len(found) == 2
    assert all(text.startswith("made-up 1.0 ") for text in found)
    sources._providers.cache_clear()
    contents_of.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="maps of a process")
def test_a_library_that_compiled_code_loads(loaded, tmp_path):
    library = ctypes.util.find_library("z") or ctypes.util.find_library("m")
    found = next(
        (
            place / library
            for place in map(Path, ("/lib/x86_64-linux-gnu", "/usr/lib", "/usr/lib64", "/lib"))
            if (place / library).exists()
        ),
        None,
    )
    if found is None:
        pytest.skip("no library to copy")
    own = tmp_path / "libmine.so"
    shutil.copy(found, own)
    # dlopen is called as compiled code calls it; Python does not see it.
    top = "import ctypes\ncall = ctypes.CDLL(None).dlopen\ncall.restype = ctypes.c_void_p"
    claim = loaded(f"call({str(own)!r}.encode(), 2)", top)
    assert ("file", str(own), inputs._file_digest(str(own))) in measured_batch(batches(claim)[0]).inputs


def test_declared_data_that_cannot_be_read_is_named(loaded, tmp_path):
    claim = loaded(options=', data=["data.txt"]')
    (tmp_path / "data.txt").unlink()
    forget_versions()
    with pytest.raises(
        RunError, match=r"my\.claim: data='data\.txt': .*data\.txt cannot be read \(No such file"
    ):
        inputs_of(claim)


def test_a_changed_input_is_named_in_one_line(loaded, tmp_path):
    claim = loaded('open(HERE / "data.txt").close()')
    with Store(tmp_path / "runs.sqlite") as store:
        assert len(list(StoredRunner(SerialPool(), store).run(batches(claim)))) == 4
        (tmp_path / "data.txt").write_text("2.0")
        runner = StoredRunner(SerialPool(), store)
        assert len(list(runner.run(batches(claim)))) == 4
        assert runner.tally.notices() == [
            f"4 stored batches were computed from what has changed since (file {tmp_path / 'data.txt'}) and were "
            "computed again"
        ]
        assert store.count() == 8  # those of the old data are valid again once it is back
        (tmp_path / "data.txt").write_text("1.0")
        runner = StoredRunner(SerialPool(), store)
        assert len(list(runner.run(batches(claim)))) == 4
        assert runner.tally.reused == 4


def test_a_file_that_changes_during_a_run_is_hashed_before_it_is_read(loaded, tmp_path):
    claim = loaded('(HERE / "data.txt").read_text(); (HERE / "other.txt").write_text("x")')
    first = measured_batch(batches(claim)[0]).inputs
    (tmp_path / "data.txt").write_text("2.0")
    second = measured_batch(batches(claim)[1]).inputs
    name = str(tmp_path / "data.txt")
    assert [each[1] for each in first].count(name) == 1
    assert [each[1] for each in second].count(
        name
    ) == 2  # it is unknown on which of the two the batch depends
    assert inputs.InputsNow().changed(second)


def test_the_hook_never_disturbs(loaded):
    """Paths that are no text, descriptors, closed files, errors inside the hook."""
    body = (
        "import io\n"
        "    for path in (b'\\xff\\xfe', 'x' * 5000, 'a\\0b', HERE):\n"
        "        try:\n            open(path)\n        except (OSError, ValueError):\n            pass\n"
        "    os.listdir(); os.listdir(b'.'); os.close(os.open('/dev/null', os.O_RDONLY)); open(0, closefd=False)"
    )
    assert len(measured_batch(batches(loaded(body))[0]).values) == 8
