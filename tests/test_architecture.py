"""Theory and simulation never import each other, and heavy things stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rmtsim
from rmtsim.claims import all_claims
from tests.reach import theory_reached

ROOT = Path(rmtsim.__file__).parent
THEORY = {"laws", "predict"}
SIMULATION = {"sampling", "hessian", "kernels", "networks", "dictionaries", "matrix_free"}
MODULES = sorted(ROOT.rglob("*.py"))


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import hides the arrow"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _part(module):
    pieces = module.split(".")
    return pieces[1] if pieces[0] == "rmtsim" and len(pieces) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows(path):
    here = path.relative_to(ROOT).parts[0]
    parts = {_part(module) for module in _imports(path)}
    if here in THEORY:
        assert not parts & (SIMULATION | {"claims", "verdicts", "runs", "plots", "cli"})
    if here in SIMULATION:
        assert not parts & (THEORY | {"claims", "verdicts", "runs", "plots", "cli"})
    if here != "cli":
        assert "cli" not in parts or path.name == "__main__.py"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_plots_import_matplotlib(path):
    if path.relative_to(ROOT).parts[0] != "plots":
        assert not any(module.split(".")[0] == "matplotlib" for module in _imports(path))


@pytest.mark.parametrize(
    "claim",
    all_claims(),
    ids=lambda claim: claim.id,
)
def test_a_simulated_quantity_that_uses_theory_says_why(claim):
    used = sorted(theory_reached(claim.measured))
    if claim.evidence == "simulated":
        # A computed quantity (accuracy=) may be theory; a simulated one may not without a reason for the reader.
        assert bool(used) == bool(claim.theory_in_sampler), (
            f"{claim.id}: the measured function uses {', '.join(used) or 'no theory'}; theory_in_sampler says "
            f"{claim.theory_in_sampler or 'nothing'!r}"
        )
    else:
        assert not claim.theory_in_sampler


def test_theory_is_found_where_it_hides():
    from functools import partial

    from rmtsim.papers.dong.statements.theorem_1 import block_energies, scaled_diagonal_energy
    from rmtsim.papers.li.statements.ensembles import WIGNER
    from rmtsim.papers.li.statements.theorems import distance_to_the_law, imbalance

    def through_a_cell(size, rng):
        return block_energies(size, rng, 1, 1.0, scaled_diagonal_energy(size, 1.0))

    assert theory_reached(partial(imbalance, WIGNER)) == set()
    assert theory_reached(block_energies) == set()
    assert theory_reached(partial(distance_to_the_law, WIGNER))
    assert "rmtsim.papers.dong.theory.linear" in theory_reached(scaled_diagonal_energy)
    assert theory_reached(through_a_cell)


def test_import_is_light():
    heavy = "numba", "matplotlib", "scipy", "mpmath", "dask", "rich"
    code = f"import rmtsim, sys; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
