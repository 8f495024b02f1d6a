"""Systems without Unix's modules, functions, signals and files: by reading the source, and by running without them."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rmtsim

ROOT = Path(rmtsim.__file__).parent
UNIX_MODULES = {
    "fcntl", "resource", "pwd", "grp", "spwd", "termios", "tty", "pty", "posix", "syslog", "crypt",
}  # fmt: skip
UNIX_NAMES = {
    "os": {"fork", "forkpty", "getuid", "geteuid", "getgid", "killpg", "setsid", "getloadavg", "sysconf", "mkfifo",
           "sched_getaffinity", "wait", "WNOHANG", "fchmod", "register_at_fork", "setpgid", "getpgid", "O_NOFOLLOW"},
    "signal": {"SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGCHLD", "setitimer"},
}  # fmt: skip


def _parents(tree):
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _ancestors(node, parents):
    while node in parents:
        node = parents[node]
        yield node


def _guarded(node, parents):
    """Inside ``try`` with an ``except ImportError``, or under ``if TYPE_CHECKING``."""
    for above in _ancestors(node, parents):
        if isinstance(above, ast.Try) and any(
            "ImportError" in ast.dump(each.type) for each in above.handlers if each.type
        ):
            return True
        if isinstance(above, ast.With) and "ImportError" in ast.dump(above.items[0].context_expr):
            return True
        if isinstance(above, ast.If) and "TYPE_CHECKING" in ast.dump(above.test):
            return True
    return False


def unguarded(source):
    """Lines that fail on Windows: imports of Unix modules, and Unix names at the level of a module without hasattr."""
    tree = ast.parse(source)
    parents = _parents(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            if UNIX_MODULES & {name.partition(".")[0] for name in names} and not _guarded(node, parents):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr not in UNIX_NAMES.get(node.value.id, ()):
                continue
            above = list(_ancestors(node, parents))
            # A file asks once with hasattr; functions behind that question may use the name.
            if f"hasattr({node.value.id}, " in source and (
                any(isinstance(each, (ast.FunctionDef, ast.IfExp, ast.If)) for each in above)
            ):
                continue
            yield node.lineno, ast.unparse(node)


def test_the_reader_finds_what_it_looks_for():
    assert list(unguarded("import fcntl")) == [(1, "import fcntl")]
    assert list(unguarded("from resource import getrlimit"))
    assert not list(unguarded("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None"))
    assert list(unguarded("import os\nuser = os.getuid()"))
    assert list(unguarded("import os\ndef user():\n    return os.getuid()"))
    assert not list(unguarded("import os\nuser = os.getuid() if hasattr(os, 'getuid') else None"))


def test_no_module_needs_unix():
    found = {
        f"{path.relative_to(ROOT)}:{line}": words
        for path in sorted(ROOT.rglob("*.py"))
        for line, words in unguarded(path.read_text(encoding="utf-8"))
    }
    assert found == {}


def test_processes_are_spawned_never_forked():
    """Only the guard of the command line forks, before anything is loaded, and asks first whether it can."""
    forking = {
        str(path.relative_to(ROOT).as_posix())
        for path in ROOT.rglob("*.py")
        if any(
            word in path.read_text(encoding="utf-8")
            for word in ("os.fork", 'get_context("fork', "set_start_method")
        )
    }
    assert forking <= {"cli/_guard.py"}


HIDDEN = """
import builtins, io, os, signal, sys
import ctypes, importlib.metadata, multiprocessing.connection, sqlite3, subprocess, tempfile, threading
import numpy, scipy.linalg, scipy.optimize, scipy.special, scipy.sparse.linalg
import numba, mpmath, rich.console, threadpoolctl

MODULES, NAMES = {modules!r}, {names!r}
for name in MODULES:
    sys.modules.pop(name, None)

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MODULES:
            raise ImportError(f"no module named {{name}} on this system")

sys.meta_path.insert(0, Missing())
for module, names in NAMES.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
plain_open = io.open
def without_proc(file, *arguments, **options):
    # threadpoolctl looks there because this is Linux, and elsewhere on other systems.
    own = not sys._getframe(1).f_globals.get("__name__", "").startswith("threadpoolctl")
    if own and str(file).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(file)
    return plain_open(file, *arguments, **options)
builtins.open = io.open = without_proc
"""


def test_commands_without_unix(tmp_path):
    """Modules, functions and signals that Windows lacks are hidden, and /proc cannot be opened."""
    # On Linux the standard library itself needs two of them: posix, and SIGKILL to end a process.
    code = HIDDEN.format(
        modules=UNIX_MODULES - {"posix"},
        names={key: sorted(names - {"SIGKILL"}) for key, names in UNIX_NAMES.items()},
    )
    code += textwrap.dedent(
        """
        import importlib, pkgutil
        import rmtsim
        for found in pkgutil.walk_packages(rmtsim.__path__, "rmtsim."):
            if not found.name.startswith(("rmtsim.papers.", "rmtsim.testing", "rmtsim.__main__")):
                importlib.import_module(found.name)
        from rmtsim._internal.folders import private_folder
        from rmtsim.cli import main
        assert private_folder("try").is_dir()
        for words in (
            ["law", "mp", "--ratio", "0.5"],
            ["predict", "dong.thm1.diagonal-limit"],
            ["verify", "dong.eq3/corrected", "--workers", "1", "--store", "runs.sqlite", "--quiet", "--budget", "1"],
            ["runs", "--store", "runs.sqlite"],
            ["doctor", "--no-self-test"],
        ):
            assert main(words) == 0, words
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONWARNINGS": "error::DeprecationWarning:rmtsim",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "CONFIRMED" in done.stdout


USER = """
import numpy as np
from numpy.typing import NDArray

import rmtsim
from rmtsim.laws import LawArray, MarchenkoPastur, Semicircle, TracyWidom
from rmtsim.matrix_free import operator_trace
from rmtsim.spectra import random_matrix
from rmtsim.testing import assert_mean, check_rank_test

law = MarchenkoPastur(0.5, entry_variance=2.0)
density: float = law.pdf(1.0)
mean: float = law.mean()
ends: tuple[float, float] = law.support()
first: tuple[float, float] = law.support[0]
table: NDArray[np.float64] = LawArray.of(Semicircle, [1.0, 2.0]).pdf(0.5)
found: Semicircle = Semicircle.fit([1.0, -1.0])
results = rmtsim.verify("dong.eq3", budget=1.0, rng=3)
words: str = str(results[0].verdict)
tail: float = TracyWidom(2).sf(1.0)
matrix: NDArray[np.float64] | NDArray[np.complex128] = random_matrix(law, 5, 3)
trace: float = operator_trace(np.eye(3), np.random.SeedSequence(1)).value
spectrum = rmtsim.spectrum(np.ones((9, 3)), rng=None)
assert_mean(lambda rng: rng.random(), 0.5, tolerance=0.1, inconclusive="warn")
check_rank_test(lambda data: 0, rng=np.random.default_rng(2))
"""


@pytest.mark.slow
def test_types_as_a_user_sees_them(tmp_path):
    """mypy --strict on a program outside the package reads its types (py.typed), and finds a wrong one."""
    pytest.importorskip("mypy")
    for name, text, code in (("right.py", USER, 0), ("wrong.py", USER + "\nwrong: str = law.mean()\n", 1)):
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--strict",
                "--config-file=",
                "--follow-imports=silent",
                "--cache-dir",
                "cache",
                name,
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "missing library stubs or py.typed" not in done.stdout
