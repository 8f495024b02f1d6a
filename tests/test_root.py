"""Lazy packages: names load on first use, ``dir`` shows public names only, a command loads what it needs."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rmtsim

ROOT = Path(rmtsim.__file__).parent
LAZY = sorted(
    ".".join(("rmtsim", *stub.relative_to(ROOT).parent.parts)) for stub in ROOT.rglob("__init__.pyi")
)


@pytest.mark.parametrize("name", LAZY)
def test_every_exported_name_loads(name):
    package = importlib.import_module(name)
    assert len(package.__all__) == len(set(package.__all__)) > 0
    for public in package.__all__:
        assert getattr(package, public) is not None
    assert sorted(package.__all__) == sorted(dir(package))
    assert not [public for public in dir(package) if public.startswith("_") and public != "__version__"]


@pytest.mark.parametrize("name", LAZY)
def test_stubs_re_export_what_they_import(name):
    stub = Path(importlib.import_module(name).__file__).with_suffix(".pyi")
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            # Type checkers treat ``import x as x`` in a stub as a re-export, and a plain import as private.
            assert node.level == 0
            assert all(alias.asname == alias.name for alias in node.names)
        else:
            assert isinstance(node, ast.AnnAssign)


@pytest.mark.parametrize("name", LAZY)
def test_unknown_name(name):
    package = importlib.import_module(name)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nonsense'"):
        _ = package.nonsense


def _modules_after(code, **environment):
    """Modules of rmtsim that a fresh interpreter has loaded after ``code``."""
    code += "\nimport sys\nprint(*(name for name in sys.modules if name.partition('.')[0] == 'rmtsim'), sep='\\n')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return {line for line in result.stdout.splitlines() if line.partition(".")[0] == "rmtsim"}


@pytest.mark.thorough
def test_eager_import_loads_everything():
    loaded = _modules_after("import rmtsim", EAGER_IMPORT="1")
    assert {"rmtsim.laws._wachter", "rmtsim.verdicts._api", "rmtsim.claims._registry"} <= loaded
    assert not {"rmtsim.laws", "rmtsim.verdicts"} & _modules_after("import rmtsim", EAGER_IMPORT="")


STORED = ["verify", "dong.thm1.diagonal", "--store", "results.sqlite"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "most"),
    [
        (["--version"], 8),
        (["spectrum", "eigenvalues.npy", "--samples", "200"], 46),
        (["spectrum", "eigenvalues.npy"], 46),
        (["spectrum", "data.npy"], 50),
        (["spectrum", "heavy.npy"], 50),
        (["spectrum", "symmetric.npy"], 50),
        (["law", "semicircle"], 25),
        (["predict", "dong.thm1.diagonal-limit"], 36),
        (["claims", "dong.thm1.diagonal"], 50),
        (["verify", "dong.thm1.diagonal", "--no-store"], 86),
        (STORED, 90),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_a_command_loads_what_it_needs(command, most, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 50))
    np.save(tmp_path / "data.npy", rows)
    np.save(tmp_path / "heavy.npy", rng.standard_t(3, (200, 50)))
    np.save(tmp_path / "symmetric.npy", rows[:50] + rows[:50].T)
    np.save(tmp_path / "eigenvalues.npy", np.linalg.eigvalsh(rows.T @ rows / 200))
    code = (
        f"import os; os.chdir({str(tmp_path)!r})\n"
        f"from rmtsim.cli import main\n"
        f"try: main({command!r})\n"
        f"except SystemExit: pass"
    )
    if command is STORED:
        _modules_after(code)  # fills the store, so that the second run replays a stored batch
    loaded = _modules_after(code)
    assert len(loaded) <= most, sorted(loaded)
    if command[0] in ("spectrum", "law"):
        assert not any(
            name.startswith(("rmtsim.claims", "rmtsim.papers", "rmtsim.verdicts")) for name in loaded
        )
