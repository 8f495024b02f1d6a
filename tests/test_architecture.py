"""Which part of the package may import which: checked for every module, including imports inside functions."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rmtsim
from rmtsim.claims import all_claims
from tests.reach import theory_reached

ROOT = Path(rmtsim.__file__).parent
THEORY = {"laws"}
SIMULATION = {"networks", "curvature", "matrix_free", "ensembles", "_kernels"}
ABOVE = {"claims", "verdicts", "runs", "testing", "plots", "report", "cli"}
MODULES = sorted([*ROOT.rglob("*.py"), *ROOT.rglob("*.pyi")])
REGISTRY = ROOT / "claims" / "_papers.py"
"""The only module of the core that makes names of papers' modules, from the keys of the registered papers."""

DRAWING = ROOT / "laws" / "_drawing.py"
"""The only module of the laws that imports figures, inside the function that draws a law."""

_MODULE_NAME = re.compile(r"rmtsim(\.\w+)+\.?")


@functools.cache
def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path):
    """Names of modules that ``path`` imports, at any depth, or writes as a string (tables of names that load late)."""
    tree = _tree(path)
    words = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import of {node.module or '.'}; write the full name"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Constant)
            and id(node) not in words
            and isinstance(node.value, str)
            and _MODULE_NAME.fullmatch(node.value)
        ):
            yield node.value.rstrip(".")


def _part(module):
    """Part of the package that a module belongs to: `laws`, `claims`, …, or `papers.KEY` and `papers.KEY.theory`."""
    pieces = module.split(".")
    if pieces[0] != "rmtsim":
        return ()
    return pieces[1:4] if pieces[1:2] == ["papers"] else pieces[1:2]


def _forbidden(path, module):
    """Why ``path`` may not import ``module``; empty if it may."""
    here, there = _part(".".join(("rmtsim", *path.relative_to(ROOT).with_suffix("").parts))), _part(module)
    if not there:
        return ""
    in_paper, of_paper = here[0] == "papers", there[0] == "papers"
    if of_paper and not in_paper and path != REGISTRY:
        return "the core imports no paper"
    if of_paper and in_paper and there[1:2] and here[1:2] != there[1:2]:
        return "a paper imports no other paper"
    theory = here[0] in THEORY or (in_paper and here[2:] == ["theory"])
    simulation = here[0] in SIMULATION or (in_paper and here[2:] == ["simulation"])
    if path == DRAWING and there[0] == "plots":
        return ""
    if (theory or simulation) and there[0] in ABOVE:
        return f"theory and simulation import no {there[0]}"
    if (theory or simulation) and of_paper and there[2:] not in ([], here[2:]):
        return "theory and simulation of a paper import only their own kind"
    if theory and there[0] in SIMULATION:
        return "theory imports no simulation"
    if simulation and there[0] in THEORY:
        return "simulation imports no theory"
    if there[0] == "cli" and here[0] != "cli" and path.name != "__main__.py":
        return "only cli imports cli"
    return ""


def test_imports():
    assert len(MODULES) > 100
    refused = {
        (str(path.relative_to(ROOT)), module): why
        for path in MODULES
        for module in _imports(path)
        if (why := _forbidden(path, module))
    }
    assert not refused


@pytest.mark.parametrize(
    ("path", "module", "allowed"),
    [
        ("papers/wu/theory/widths.py", "rmtsim.papers.wu.simulation.weights", False),
        ("papers/wu/simulation/weights.py", "rmtsim.papers.wu.theory", False),
        ("papers/wu/simulation/weights.py", "rmtsim.papers.wu.statements.parameters", False),
        ("papers/wu/simulation/kernels/arcsine.py", "rmtsim.laws", False),
        ("papers/wu/theory/widths.py", "rmtsim.ensembles", False),
        ("papers/wu/theory/widths.py", "rmtsim.claims._model", False),
        ("papers/wu/statements/layers.py", "rmtsim.papers.dong.theory.linear", False),
        ("papers/wu/statements/layers.py", "rmtsim.papers.wu.theory.widths", True),
        ("papers/wu/statements/layers.py", "rmtsim.papers.wu.simulation.weights", True),
        ("papers/wu/theory/widths.py", "rmtsim.laws", True),
        ("cli/_verify.py", "rmtsim.papers.dong.statements", False),
        ("__init__.py", "rmtsim.papers.dong.theory.linear", False),
        ("laws/_semicircle.py", "rmtsim._kernels.sturm", False),
        ("matrix_free/_trace.py", "rmtsim.laws", False),
        ("networks/_own.py", "rmtsim.verdicts", False),
        ("spectra/_model.py", "rmtsim.matrix_free", True),
    ],
)
def test_rules(path, module, allowed):
    assert (not _forbidden(ROOT / path, module)) == allowed


def test_names_in_tables_count_as_imports(tmp_path):
    module = tmp_path / "lazy.py"
    module.write_text('"""rmtsim.laws"""\n_HOMES = {"x": "rmtsim.papers.dong.theory", "y": "no module"}\n')
    assert list(_imports(module)) == ["rmtsim.papers.dong.theory"]


def _modules_outside(part):
    return [path for path in MODULES if path.relative_to(ROOT).parts[0] != part]


def test_only_plots_imports_matplotlib():
    named = {path: {module.split(".")[0] for module in _imports(path)} for path in _modules_outside("plots")}
    assert [path for path, modules in named.items() if "matplotlib" in modules] == []


def test_private_modules_have_no_list_of_public_names():
    private = [path for path in MODULES if path.name.startswith("_") and not path.name.startswith("__")]
    assert len(private) > 200
    assert not [
        path.name
        for path in private
        for node in _tree(path).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]


def test_only_cli_prints():
    def prints(path):
        return any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(_tree(path)))

    assert [path for path in _modules_outside("cli") if prints(path)] == []


@pytest.mark.thorough
def test_simulated_quantities_that_use_theory_say_why():
    # A computed quantity may be theory; a simulated one may not without a reason for the reader.
    wrong = {
        claim.id: (used, claim.theory_in_sampler)
        for claim in all_claims()
        if bool(used := sorted(theory_reached(claim.measured)) if claim.evidence == "simulated" else [])
        != bool(claim.theory_in_sampler)
    }
    assert not wrong


def test_theory_is_found_where_it_hides():
    from functools import partial

    from rmtsim.papers.dong.simulation.linear_blocks import draw_block_energies
    from rmtsim.papers.dong.statements.theorem_1 import ratio_of_limits
    from rmtsim.papers.li.statements.ensembles import WIGNER
    from rmtsim.papers.li.statements.theorems import distance_to_the_law, imbalance

    def through_a_cell(size, rng):
        return draw_block_energies(size, rng, 1, 1.0, ratio_of_limits(size, 1.0))

    assert theory_reached(partial(imbalance, ensemble=WIGNER)) == set()
    assert theory_reached(draw_block_energies) == set()
    assert theory_reached(partial(distance_to_the_law, ensemble=WIGNER))
    assert "rmtsim.papers.dong.theory.linear" in theory_reached(ratio_of_limits)
    assert theory_reached(through_a_cell)


def test_import_is_light():
    heavy = "numba", "matplotlib", "scipy", "mpmath", "dask", "rich"
    code = f"import rmtsim, sys; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
