"""Every compiled kernel is compared with plain NumPy by a test in the folder that mirrors its own.

A test module imports the kernel by name, or lists it in `KERNELS = {kernel: test}` if only a wrapper calls it.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PACKAGE = TESTS.parent / "rmtsim"
PLACES = {
    PACKAGE / "_kernels": TESTS / "kernels",
    PACKAGE / "curvature": TESTS / "curvature",
    **{
        folder: TESTS / folder.parent.relative_to(PACKAGE)
        for folder in sorted((PACKAGE / "papers").glob("*/simulation/kernels"))
    },
}
"""Folders with kernels and the folders of their tests."""


def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def _kernels(folder):
    for path in sorted(folder.glob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in _tree(path).body:
            compiled = isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list)
            if compiled and not node.name.startswith("_"):
                yield module, node.name


def _compared(path):
    """Kernels that a test module imports, as (module, name), and those that it lists, as names."""
    tree = _tree(path)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    found = {(node.module, alias.name) for node in imports for alias in node.names}
    tests = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "KERNELS":
            listed = ast.literal_eval(node.value)
            assert set(listed.values()) <= tests, f"{path}: KERNELS names a test that is not there"
            found |= set(listed)
    return found


FOUND = [(folder, *kernel) for folder in PLACES for kernel in _kernels(folder)]


def test_kernels_are_found():
    assert {"kth_largest", "linear_energies", "matching_pursuit"} <= {name for *_, name in FOUND}


@pytest.mark.thorough
@pytest.mark.parametrize(("folder", "module", "name"), FOUND, ids=[name for *_, name in FOUND])
def test_every_kernel_is_compared_with_numpy(folder, module, name):
    compared = set().union(*(_compared(path) for path in PLACES[folder].rglob("test_*.py")))
    assert {name, (module, name)} & compared, f"{module}.{name}: no test in {PLACES[folder]} compares it"
