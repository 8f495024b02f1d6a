"""A trial through the command line: `rmtsim verify` twice with one store and a change between, against `--no-store`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs.changes import C_READER, CHANGES, write

ROOT = Path(__file__).parents[2]
OF_THE_PROCESS = {"a limit of the process", "a setting of the interpreter", "NumPy's error state"}
"""Kinds that change this process alone, which is not the one of the command."""
KINDS = [
    each
    for each in CHANGES
    # Where a kind declares costs of its own, the budget of a command leaves out the size that it changes.
    if not (each.living or each.name in OF_THE_PROCESS or "cost=" in each.options)
]
SAMPLE = KINDS[::40]
CLAIM = """
import os, sys
from rmtsim.claims import claim
{top}
@claim("my.claim", limit=0.0, tolerance=0.1, sizes=(4, 8, 16), cost=1e-3)
def measured(size, rng):
    return rng.normal() + float({value})
"""
LIB = "lib/site-packages"


class Commands:
    """Runs commands in processes forked from one that has rmtsim loaded."""

    def __init__(self, folder):
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.runs.command_zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def verify(self, file, *options):
        mask = os.umask(0)
        os.umask(mask)
        out, errors = self._folder / "out", self._folder / "errors"
        order = {
            "words": ["verify", str(file), "--json", "--budget", "0.5", *options],
            "folder": os.getcwd(),
            "variables": dict(os.environ),
            "umask": mask,
            "out": str(out),
            "errors": str(errors),
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        assert code == 0, errors.read_text()
        return outcome(out.read_text()), errors.read_text()


def outcome(text):
    (result,) = json.loads(text)
    return result["digest"]


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    made = Commands(tmp_path_factory.mktemp("commands"))
    yield made
    made.close()


def trial(commands, change, folder, monkeypatch):
    """The two runs and the control; the same store without a change is reused."""
    for package in change.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("RMTSIM_TEST_VALUE", "1.0")
    monkeypatch.chdir(folder)
    mask = os.umask(0o22)
    write(
        folder,
        {"c_reader.py": C_READER, **{name: text for name, text in change.files.items() if text is not None}},
    )
    file = folder / "mine.py"
    file.write_text(change.text().replace("sizes=(4, 8, 16)", "sizes=(4, 8, 16), cost=1e-3"))
    kept = ("--store", str(folder.parent / f"{folder.name}.sqlite"))
    try:
        before, _ = commands.verify(file, *kept)
        apply(change, folder, monkeypatch)
        after, words = commands.verify(file, *kept)
        fresh, _ = commands.verify(file, "--no-store")
    finally:
        os.umask(mask)
    assert fresh != before, "this change changes nothing"
    assert after == fresh, "stale batches were reused"
    assert "computed again" in words or "were discarded" in words


def apply(change, folder, monkeypatch):
    for name, content in change.after.items():
        if isinstance(content, tuple):
            text = (folder / name).read_text()
            assert content[0] in text
            content = text.replace(*content)
        write(folder, {name: content})
    if change.action is not None:
        change.action(folder, monkeypatch, None)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("change", SAMPLE, ids=lambda change: change.name)
def test_a_sample_of_changes_between_two_commands(commands, tmp_path, monkeypatch, change):
    trial(commands, change, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("change", KINDS, ids=lambda change: change.name)
def test_every_change_between_two_commands(commands, tmp_path, monkeypatch, change):
    trial(commands, change, tmp_path, monkeypatch)


def test_the_trial_has_more_than_a_hundred_kinds():
    assert len(KINDS) > 150


# ---- What only a new interpreter sees ---------------------------------------------------------------------------


def typed(file, *options, words=(), **variables):
    """The command as a shell runs it."""
    done = subprocess.run(
        [*words, sys.executable, "-m", "rmtsim", "verify", str(file), "--json", "--budget", "0.5", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables},
        cwd=file.parent,
    )
    assert done.returncode == 0, done.stderr
    return outcome(done.stdout), done.stderr


NEW = {
    "the order of folders": (
        "helper.VALUE",
        "import helper",
        {"a/helper.py": "VALUE = 1.0", "b/helper.py": "VALUE = 7.0"},
        {},
        ("a:b", "b:a"),
    ),
    "a file that Python runs at its start": (
        "np.mean([1.0])",
        "import numpy as np",
        {"a/sitecustomize.py": "", "b/sitecustomize.py": "import numpy; numpy.mean = lambda x: 7.0"},
        {},
        ("a", "b"),
    ),
    "an installed package of the same version": (
        "helper.VALUE",
        "import helper",
        {
            f"{LIB}/helper.py": "VALUE = 1.0",
            f"{LIB}/helper-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n",
        },
        {f"{LIB}/helper.py": "VALUE = 7.0"},
        (LIB, LIB),
    ),
    "a function of an installed package of the same version": (
        "helper.f()",
        "import helper",
        {f"{LIB}/helper.py": "def f():\n    return 1.0"},
        {f"{LIB}/helper.py": "def f():\n    return 7.0"},
        (LIB, LIB),
    ),
    "a package installed anew in the same version, at one draw in ten": (
        "(helper.f() if rng.random() < 0.1 else 0.0)",
        "import helper",
        {
            f"{LIB}/helper.py": "def f():\n    return 1.0",
            f"{LIB}/helper-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n",
            f"{LIB}/helper-1.0.dist-info/RECORD": "helper.py,sha256=a,24\n",
        },
        {
            f"{LIB}/helper.py": "def f():\n    return 7.0",
            f"{LIB}/helper-1.0.dist-info/RECORD": "helper.py,sha256=b,24\n",
        },
        (LIB, LIB),
    ),
    "assertions that are left out": (
        "read()",
        "def read():\n    try:\n        assert False\n    except AssertionError:"
        "\n        return 1.0\n    return 7.0",
        {},
        {},
        ("", ""),
    ),
    "the order of a set": ("hash('a') % 1000", "", {}, {}, ("", "")),
    "an option of the command": ("7.0 if '--points' in sys.argv else 1.0", "", {}, {}, ("", "")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NEW)
def test_a_change_that_only_a_new_interpreter_sees(tmp_path, name):
    value, top, files, after, paths = NEW[name]
    write(tmp_path, {**files, "mine.py": CLAIM.format(top=top, value=value)})
    before, now = (
        os.pathsep.join(str(tmp_path / each) for each in path.split(":") if each) for path in paths
    )
    file, kept = tmp_path / "mine.py", ("--store", str(tmp_path / "runs.sqlite"))
    more = ("--points",) if "option" in name else ()
    later = {
        "PYTHONPATH": now,
        "PYTHONHASHSEED": "2",
        **({"PYTHONOPTIMIZE": "1"} if "assertions" in name else {}),
    }
    first, _ = typed(file, *kept, PYTHONPATH=before, PYTHONHASHSEED="1")
    write(tmp_path, after)
    second, _ = typed(file, *kept, *more, **later)
    fresh, _ = typed(file, "--no-store", *more, **later)
    assert second == fresh != first


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [
        {
            "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3"
        },
        {"OPENBLAS_CORETYPE": "Nehalem"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_other_instructions_are_another_environment(tmp_path, variables):
    """Batches of one set of instructions are not reused with another, although both run on this machine."""
    file, kept = tmp_path / "mine.py", ("--store", str(tmp_path / "runs.sqlite"))
    top = "import numpy as np\ndef f(n):\n    return np.sin(np.arange(n * n * 1.0)).sum() % 1"
    file.write_text(CLAIM.format(top=top, value="f(size)"))
    typed(file, *kept)
    _, words = typed(file, *kept, **variables)
    assert "another processor or other libraries" in words
    _, words = typed(file, *kept)
    assert "computed again" not in words
