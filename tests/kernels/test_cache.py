"""The kernel cache may be missing, unwritable or damaged: kernels are then compiled again, and the run continues."""

import os
import subprocess
import sys

import pytest

CODE = """
import numpy as np
from rmtsim._kernels.softmax import softmax_columns
out = np.zeros((3, 2))
softmax_columns(out)
print(round(out.sum(), 9))
"""


def run(**environment):
    places = ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    clean = {key: value for key, value in os.environ.items() if key not in places}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **environment},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "2.0"


@pytest.mark.thorough
def test_a_damaged_cache_is_compiled_anew(tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    run(**cache)
    files = [path for path in tmp_path.rglob("*.nb?") if path.suffix in (".nbi", ".nbc")]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        path.write_bytes(path.read_bytes()[:40])
    run(**cache)
    for path in tmp_path.rglob("*.nbi"):
        path.write_bytes(b"\\x80\\x04garbage")
    run(**cache)


@pytest.mark.thorough
def test_a_changed_callee_is_compiled_into_its_caller(tmp_path):
    """Numba looks at the caller's own file alone."""
    inner = "from rmtsim._internal.jit import kernel\n\n@kernel\ndef inner(x):\n    return x + {}\n"
    outer = (
        "from inner import inner\nfrom rmtsim._internal.jit import kernel\n\n"
        "@kernel\ndef outer(x):\n    return inner(x)\n"
    )
    (tmp_path / "outer.py").write_text(outer)
    clean = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    for number in (1, 2):
        (tmp_path / "inner.py").write_text(inner.format(number))
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import outer; print(outer.outer(40))"],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**clean, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        )
        assert int(done.stdout) == 40 + number
        assert list((tmp_path / "cache").rglob("outer*.nbc"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "home", [{"HOME": "/nonexistent"}, {"HOME": "/proc"}], ids=["no such home", "unwritable home"]
)
def test_without_a_usable_home_kernels_still_compile(home, tmp_path):
    run(TMPDIR=str(tmp_path), **home)


@pytest.mark.thorough
def test_processes_that_need_a_kernel_at_once_compile_it_once(tmp_path):
    source = (
        "from rmtsim._internal import jit\n\n@jit.kernel\ndef double(x):\n    return 2 * x\n\n"
        "print(double(21), sum(double.stats.cache_misses.values()))\n"
    )
    (tmp_path / "doubling.py").write_text(source)
    clean = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    together = [
        subprocess.Popen(
            [sys.executable, "-B", "doubling.py"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**clean, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        )
        for _ in range(2)
    ]
    printed = sorted(each.communicate()[0].split() for each in together)
    assert printed == [["42", "0"], ["42", "1"]]


def test_a_stopped_process_does_not_hold_up_others(tmp_path, monkeypatch):
    from rmtsim._internal import jit

    monkeypatch.setattr(jit, "_FOLDER", tmp_path)
    monkeypatch.setattr(jit, "_PATIENCE", 0.05)
    with open(tmp_path / "compile-x.lock", "w") as other:
        jit._LOCK(other)
        with jit._alone("compile-x"), jit._alone("compile-x"):  # a kernel that calls itself
            pass
    assert not jit._COMPILING
