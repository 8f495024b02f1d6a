"""Files that a claim depends on, packages by the distributions that provide them, and a living process."""

import importlib
import importlib.metadata
import os
import py_compile
import shutil
import sys
import textwrap
import types
from pathlib import Path

import pytest

import rmtsim
from rmtsim.claims import find
from rmtsim.claims._files import load_file
from rmtsim.runs._identity import sources
from rmtsim.runs._identity.code_version import code_version, forget_versions, is_as_loaded, version_of

CLAIM = """
{imports}
from rmtsim.claims import claim

SCALE = 1.0

@claim("my.mean", limit=0.0, tolerance=0.1, sizes=(10, 20, 40))
def mean(size, rng):
    return {value} * rng.standard_normal(size).mean()
"""


@pytest.fixture
def loaded(tmp_path):
    """Loads a file of one claim with these imports, as a new process would."""
    before = set(sys.modules)

    def forget():
        for name in set(sys.modules) - before:
            module = sys.modules[name]
            if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
                del sys.modules[name]
        importlib.invalidate_caches()
        forget_versions()

    def load(imports="", value="SCALE"):
        forget()
        file = tmp_path / "mine.py"
        file.write_text(CLAIM.format(imports=textwrap.dedent(imports), value=value))
        (claim,) = load_file(file)
        return claim

    yield load
    forget()


def again(claim):
    forget_versions()
    return code_version(claim)


# ---- Packages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("package", "distribution"),
    [("PIL", "pillow"), ("yaml", "pyyaml"), ("dateutil", "python-dateutil"), ("mpmath", "mpmath")],
)
def test_the_version_of_a_package_is_that_of_its_distribution(loaded, monkeypatch, package, distribution):
    pytest.importorskip(package)
    before = code_version(loaded(f"import {package}"))
    found = importlib.metadata.distribution

    def newer(name):
        known = found(name)
        if name != distribution:
            return known
        return types.SimpleNamespace(version="99.0", requires=known.requires)

    monkeypatch.setattr(importlib.metadata, "distribution", newer)
    assert code_version(loaded(f"import {package}")) != before


def test_no_version_is_empty():
    installed = [
        name
        for name in ("sklearn", "PIL", "yaml", "dateutil", "pandas", "rich")
        if name in sources._providers()
    ]
    assert installed
    versions = sources.versions_of(installed)
    assert len(versions) >= len(installed)
    assert all(version[:1].isdigit() for version in versions.values())


def test_packages_that_a_package_requires_count():
    assert {"pandas", "numpy", "python-dateutil"} <= sources.versions_of(["pandas"]).keys()


def test_a_package_without_a_distribution_is_named():
    assert sources.versions_of(["no_such_package"]) == {"no_such_package": "unknown"}


# ---- Modules -----------------------------------------------------------------------------------------------------


def test_a_module_without_source_counts_by_its_file(loaded, tmp_path):
    def write(value):
        source = tmp_path / "source.py"
        source.write_text(f"FACTOR = {value}\n")
        py_compile.compile(str(source), cfile=str(tmp_path / "hidden.pyc"), doraise=True)
        source.unlink()

    write(1)
    before = code_version(loaded("import hidden", "hidden.FACTOR"))
    assert code_version(loaded("import hidden", "hidden.FACTOR")) == before
    write(2)
    assert code_version(loaded("import hidden", "hidden.FACTOR")) != before


def test_a_compiled_module_counts_by_its_file(loaded, tmp_path):
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    library = Path(importlib.import_module("numpy._core._multiarray_tests").__file__)
    file = tmp_path / f"_multiarray_tests{suffix}"
    shutil.copy(library, file)
    found = sources.imported_from(["_multiarray_tests"], (), str(tmp_path))
    assert list(found.files) == [file.name]


def test_modules_of_packages_and_relative_imports_are_followed(loaded, tmp_path):
    package = tmp_path / "parts"
    (package / "inner").mkdir(parents=True)
    files = {
        package / "__init__.py": "",
        package / "top.py": "from . import side\nfrom .inner.deep import VALUE\n",
        package / "side.py": "x = 1\n",
        package / "inner" / "__init__.py": "",
        package / "inner" / "deep.py": "from ..side import x\nVALUE = 1\n",
    }
    for file, text in files.items():
        file.write_text(text)
    before = code_version(loaded("import parts.top"))
    for file, text in files.items():
        file.write_text(text + "# edited\n")
        after = code_version(loaded("import parts.top"))
        assert after != before, file
        before = after


def test_a_module_that_is_imported_inside_a_function_counts(loaded, tmp_path):
    (tmp_path / "late.py").write_text("x = 1\n")
    text = "def f():\n    import late\n    return late.x\n"
    before = code_version(loaded(text, "f()"))
    (tmp_path / "late.py").write_text("x = 2\n")
    assert code_version(loaded(text, "f()")) != before


def test_edits_that_keep_size_and_time_are_seen(loaded, tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text("x = 1\n")
    os.utime(helper, ns=(10**18, 10**18))
    before = code_version(loaded("import helper", "helper.x"))
    helper.write_text("x = 2\n")
    os.utime(helper, ns=(10**18, 10**18))
    assert code_version(loaded("import helper", "helper.x")) != before


def test_the_folder_of_the_file_does_not_count(loaded, tmp_path):
    imports = "from pathlib import Path\nHERE = Path(__file__).parent\nNAME = __file__\n"
    value = "(len(str(HERE)) > 0) * len(NAME[:0] + 'x')"
    before = code_version(loaded(imports, value))
    other = tmp_path / "elsewhere" / "mine.py"
    other.parent.mkdir()
    shutil.copy(tmp_path / "mine.py", other)
    assert code_version(load_file(other)[0]) == before


# ---- rmtsim ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("laws/_marchenko_pastur.py", True),
        ("_internal/randomness.py", True),
        ("networks/new_file.py", True),
        ("claims/_samplers.py", True),
        ("runs/_work.py", True),
        ("papers/dong/simulation/linear_blocks.py", True),
        ("papers/dong/theory/new.py", True),
        ("papers/li/__init__.py", False),
        ("papers/dong/errata.md", False),
        ("verdicts/_driver.py", False),
        ("cli/_verify.py", False),
    ],
)
def test_which_files_of_the_package_count(monkeypatch, tmp_path, file, counts):
    root = Path(rmtsim.__file__).parent
    shutil.copytree(root, tmp_path / "rmtsim", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", str(tmp_path / "rmtsim"))

    def digests():
        sources.shared_digest.cache_clear()
        sources.folder_digest.cache_clear()
        return sources.shared_digest(), sources.folder_digest(str(tmp_path / "rmtsim" / "papers" / "dong"))

    before = digests()
    path = tmp_path / "rmtsim" / file
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"#")
    after = digests()
    sources.shared_digest.cache_clear()
    sources.folder_digest.cache_clear()
    assert (after != before) is counts


def test_a_claim_of_a_paper_counts_with_its_paper():
    version = version_of(find("dong.thm1.diagonal"))
    assert version.modules == version.defining == ()
    assert len(version.text) == 20


# ---- A living process --------------------------------------------------------------------------------------------


def test_a_changed_global_counts(loaded):
    claim = loaded()
    before = code_version(claim)
    assert is_as_loaded(claim)
    claim.measured.__globals__["SCALE"] = 2.0
    assert code_version(claim) == before  # during a run nothing is read again
    assert again(claim) != before
    assert not is_as_loaded(claim)


def test_a_reloaded_helper_counts(loaded, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / "helper.py"
    helper.write_text("def f():\n    return 1\n")
    claim = loaded("import helper", "helper.f()")
    before = code_version(claim)
    helper.write_text("def f():\n    return 22\n")
    edited = again(claim)
    importlib.reload(sys.modules["helper"])
    assert len({before, edited, again(claim)}) == 3


def test_a_patched_helper_counts(loaded, tmp_path):
    (tmp_path / "helper.py").write_text("def f():\n    return 1\n")
    claim = loaded("from helper import f", "f()")
    before = code_version(claim)
    claim.measured.__globals__["f"] = lambda: 2
    assert again(claim) != before
