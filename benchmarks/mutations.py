"""Mutation trial: is a wrong constant in a closed form noticed by a test, or by a verdict?

    PYTHONPATH=. python benchmarks/mutations.py list                        constants that would be tried
    PYTHONPATH=. python benchmarks/mutations.py run trial.json              one constant of every function, resumable
    PYTHONPATH=. python benchmarks/mutations.py run trial.json --all        every constant (hours)
    PYTHONPATH=. python benchmarks/mutations.py verdicts trial.json --verdicts results.json
    PYTHONPATH=. python benchmarks/mutations.py table trial.json            what docs/calibration.md shows

Every function of rmtsim/predict and rmtsim/laws with a number in its arithmetic is tried: the number is multiplied by
1.03 in the code of the function itself, so that everything that uses it, on both sides of a comparison, uses the wrong
one. A process of its own then runs the tests of the module and its docstrings' examples, then those of its folder,
up to the first failure. For rmtsim/predict the verdicts are asked as well: no simulated quantity uses theory, so
intervals that were recorded with the right constants (`rmtsim verify … --json`, given as --verdicts) are compared with
the predictions of the wrong ones.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import json
import os
import signal
import sys
import time
import types
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FACTOR = 1.03
FOLDERS = ("predict", "laws")
SOLVERS = ("rmtsim.laws.dyson", "rmtsim.laws.inverse_map", "rmtsim.laws.roots")
"""Iterations, not closed forms: their answers carry the residual of the equation they solve."""
RANGES = {"_grid", "_log_grid", "_logit_grid", "_transforms", "_integrand", "_nodes", "_radii", "_points"}
"""Where a quadrature begins and ends: what lies beyond is below 1e-8 by design; a few per cent change no digit."""
_COUNTS = {"range", "arange", "linspace", "zeros", "ones", "empty", "full", "leggauss", "reshape", "integer", "round",
           "moveaxis", "transpose", "swapaxes", "sobol_points", "_gaussian_points", "standard_normal", "polygamma",
           "orthant_moment", "softmax_moment", "_falling", "_fair_coins", "comb", "default_rng", "eye"}  # fmt: skip
"""Calls whose numbers count something, or name one of several cases."""
_SAFEGUARDS = {"errstate", "clip", "allclose", "isclose", "positive_number", "finite_number", "minimum", "maximum",
               "max", "min", "nan_to_num", "lru_cache", "quad", "brentq", "ldexp"}  # fmt: skip
"""Calls whose numbers guard the arithmetic or steer an algorithm."""


@dataclass(frozen=True)
class Constant:
    """One number in the arithmetic of one function."""

    module: str
    function: str
    line: int
    column: int
    value: float
    expression: str

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}:{self.line}:{self.column}"


class _Finder(ast.NodeVisitor):
    """Numbers in arithmetic: not indices, counts, comparisons, guards, defaults, keywords."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.Constant, ast.expr]] = []
        self._within: list[ast.expr] = []

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._within.append(node)
        self.generic_visit(node)
        self._within.pop()

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _COUNTS | _SAFEGUARDS:
            return
        self._within.append(node)
        for argument in node.args:
            self.visit(argument)
        self._within.pop()
        self.visit(node.func)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        return

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        return

    def visit_Raise(self, node: ast.Raise) -> None:
        return

    def visit_Constant(self, node: ast.Constant) -> None:
        arithmetic = any(isinstance(each, ast.BinOp) for each in self._within)
        call = self._within and isinstance(self._within[-1], ast.Call)
        elementary = call and ast.unparse(self._within[-1].func).split(".")[0] in (
            "math",
            "np",
            "mpmath",
            "special",
        )
        if type(node.value) in (int, float) and node.value and (arithmetic or elementary):
            self.found.append((node, self._within[0]))


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    yield f"{node.name}.{item.name}", item


def constants(folder: str, every: bool) -> list[Constant]:
    """The numbers to try in ``folder`` of the package: one a function (the first of what it returns), or every one."""
    chosen = []
    for path in sorted((ROOT / "rmtsim" / folder).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if module.startswith(SOLVERS):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            # Public numbers of a module: what everybody who imports them shares.
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                value = vars(importlib.import_module(module)).get(name)
                if isinstance(value, float) and not name.startswith("_") and "TOLERANCE" not in name:
                    chosen.append(Constant(module, name, node.lineno, -1, value, ast.unparse(node)[:80]))
        for name, function in _functions(tree):
            if name in RANGES:
                continue
            finder = _Finder()
            for statement in function.body:
                finder.visit(statement)
            numbers = finder.found
            if not every and numbers:
                returned = _Finder()
                for statement in ast.walk(function):
                    if isinstance(statement, ast.Return) and statement.value is not None:
                        returned.visit(statement)
                numbers = (returned.found or numbers)[:1]
            chosen += [
                Constant(
                    module, name, node.lineno, node.col_offset, float(node.value), ast.unparse(within)[:80]
                )
                for node, within in numbers
            ]
    return chosen


def _code(constant: Constant) -> types.CodeType:
    """The function's code with the wrong number."""
    path = ROOT / Path(*constant.module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hits = 0
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and (node.lineno, node.col_offset) == (constant.line, constant.column)
            and node.value == constant.value
        ):
            node.value = FACTOR * constant.value
            hits += 1
    assert hits == 1, constant
    code = compile(tree, str(path), "exec")
    for part in constant.function.split("."):
        code = next(
            each for each in code.co_consts if isinstance(each, types.CodeType) and each.co_name == part
        )
    return code


def _function(constant: Constant) -> types.FunctionType:
    """The function object that everybody who imported it shares, without its caches and wrappers."""
    found: Any = importlib.import_module(constant.module)
    for part in constant.function.split("."):
        found = vars(found)[part]
    if isinstance(found, functools.cached_property):
        found = found.func
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def mutate(constant: Constant) -> None:
    """Put the wrong number into this process."""
    if constant.column < 0:
        right = vars(importlib.import_module(constant.module))[constant.function]
        for module in list(sys.modules.values()):
            for name, value in list(vars(module).items()) if isinstance(module, types.ModuleType) else ():
                if value is right:
                    setattr(module, name, FACTOR * right)
        return
    _function(constant).__code__ = _code(constant)


def _tests(constant: Constant) -> list[list[str]]:
    """Test paths in the order in which they are asked: the module's own, then those of its folder and users."""
    parts = constant.module.split(".")[1:]
    source = ROOT / Path(*constant.module.split(".")).with_suffix(".py")
    folder = ROOT / "tests" / Path(*parts[:-1])
    own = [str(source)]
    own += [str(path) for path in (folder / f"test_{parts[-1]}.py",) if path.exists()]
    near = [str(folder)] if folder.exists() else []
    wide = [str(ROOT / "tests" / parts[0])]
    if parts[0] == "laws" and "dyson" not in parts and "self_energy" not in parts:
        # The equation's solver has tests of its own, long ones, that no elementary law enters.
        near = [
            str(path)
            for path in sorted((ROOT / "tests" / "laws").glob("test_*.py"))
            if "dyson" not in path.name
        ]
        wide = near
    return [own, near, wide]


class _FirstFailure:
    def __init__(self) -> None:
        self.test = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.test:
            self.test = f"{report.nodeid} (import)"


def _failing_test(constant: Constant) -> str:
    """The first test that fails with the wrong number, or an empty string."""
    import pytest

    asked: set[str] = set()
    for paths in _tests(constant):
        fresh = [path for path in paths if path not in asked]
        asked.update(fresh)
        if not fresh:
            continue
        watcher = _FirstFailure()
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--rootdir", str(ROOT)]
        pytest.main([*options, *fresh], plugins=[watcher])
        if watcher.test:
            return watcher.test
    return ""


def _changed_verdicts(recorded: list[dict[str, Any]]) -> list[str]:
    """Claims whose recorded interval no longer gives the recorded verdict with the predictions of this process."""
    from rmtsim.claims import find

    changed = []
    for result in recorded:
        claim = find(result["claim"])
        if (
            claim.evidence != "simulated"
            or claim.predict is None
            or claim.kind in ("law", "identity", "bound")
        ):
            continue
        for point in result["points"]:
            if point["verdict"] == "INCONCLUSIVE" or claim.outer is not None:
                continue
            try:
                predicted = claim.prediction(point["parameters"])
            except (ArithmeticError, ValueError, TypeError):
                changed.append(claim.id)
                break
            width = claim.tolerance.width(predicted)
            low, high = point["interval"]
            inside = predicted - width <= low and high <= predicted + width
            outside = high < predicted - width or low > predicted + width
            verdict = "CONFIRMED" if inside else "REFUTED" if outside else "INCONCLUSIVE"
            if verdict != point["verdict"]:
                changed.append(claim.id)
                break
    return changed


def _in_a_process(work: Any, seconds: float) -> dict[str, Any]:
    """What ``work()`` returns in a forked process, or that it took too long or died."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.alarm(int(seconds))
            os.write(write, json.dumps(work()).encode())
        except BaseException as error:
            os.write(write, json.dumps({"error": repr(error)}).encode())
        finally:
            os._exit(0)
    os.close(write)
    text = b""
    while piece := os.read(read, 65536):
        text += piece
    os.close(read)
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(text) if text else {"error": f"no answer within {seconds:g} s"}
    if "error" in found:
        # A trial that broke says nothing about the constant.
        raise RuntimeError(found["error"])
    return found


def trial(constant: Constant, seconds: float = 900.0) -> dict[str, Any]:
    """Who notices this constant."""

    def work() -> dict[str, Any]:
        mutate(constant)
        return {"test": _failing_test(constant)}

    start = time.monotonic()
    found = _in_a_process(work, seconds)
    return {**asdict(constant), **found, "seconds": round(time.monotonic() - start, 1)}


def _warm_up() -> None:
    """Load what every process needs once, without calling any theory (its caches would survive the fork)."""
    # Plugins of pytest are left out: it rewrites them when it starts.
    for name in (
        "numpy", "scipy.special", "scipy.stats", "scipy.integrate", "scipy.optimize", "mpmath", "matplotlib",
        "threadpoolctl", "pytest", "_pytest.doctest", "rmtsim.cli", "rmtsim.verdicts",
    ):  # fmt: skip
        importlib.import_module(name)
    from rmtsim.claims import all_claims

    all_claims()

    for folder in FOLDERS:
        for path in sorted((ROOT / "rmtsim" / folder).rglob("*.py")):
            importlib.import_module(
                ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            )


def run(arguments: argparse.Namespace) -> None:
    out = Path(arguments.file)
    done: dict[str, dict[str, Any]] = {}
    if out.exists():
        done = {entry["name"]: entry for entry in json.loads(out.read_text(encoding="utf-8"))}
    wanted = [each for folder in FOLDERS for each in constants(folder, arguments.all)]
    wanted = [each for each in wanted if not arguments.only or arguments.only in each.module]
    _warm_up()
    for constant in wanted:
        if constant.name in done:
            continue
        entry = trial(constant)
        done[constant.name] = {"name": constant.name, "claims": None, **entry}
        print(f"{constant.name}  {constant.expression[:50]}  ->  {entry['test'] or 'no test'}", flush=True)
        out.write_text(json.dumps(list(done.values()), indent=1, ensure_ascii=False), encoding="utf-8")


def verdicts(arguments: argparse.Namespace) -> None:
    """Fill in which recorded verdicts each constant of rmtsim/predict changes."""
    out = Path(arguments.file)
    entries = json.loads(out.read_text(encoding="utf-8"))
    recorded = [
        result for file in arguments.verdicts for result in json.loads(Path(file).read_text(encoding="utf-8"))
    ]
    _warm_up()
    for entry in entries:
        paper = "wu" if ".wu." in entry["module"] else "dong"
        if entry["claims"] is not None or not entry["module"].startswith("rmtsim.predict"):
            continue
        own = [result for result in recorded if result["claim"].startswith(f"{paper}.")]
        constant = Constant(*(entry[key] for key in Constant.__dataclass_fields__))

        def work(constant: Constant = constant, own: list[dict[str, Any]] = own) -> dict[str, Any]:
            mutate(constant)
            return {"claims": _changed_verdicts(own)}

        entry["claims"] = _in_a_process(work, 900.0).get("claims", [])
        print(f"{entry['name']}  ->  {entry['claims']}", flush=True)
        out.write_text(json.dumps(entries, indent=1, ensure_ascii=False), encoding="utf-8")


def table(arguments: argparse.Namespace) -> None:
    """Markdown: per module how many were tried and caught, and every one that was not."""
    entries = json.loads(Path(arguments.file).read_text(encoding="utf-8"))
    modules = dict.fromkeys(entry["module"] for entry in entries)
    print(
        "| module | constants tried | noticed by a test | by a verdict | by nobody |\n|---|---|---|---|---|"
    )
    for module in modules:
        own = [entry for entry in entries if entry["module"] == module]
        tests, claims = [bool(e["test"]) for e in own], [bool(e["claims"]) for e in own]
        nobody = sum(not (a or b) for a, b in zip(tests, claims, strict=True))
        print(
            f"| `{module.removeprefix('rmtsim.')}` | {len(own)} | {sum(tests)} | {sum(claims)} | {nobody} |"
        )
    print("\nNoticed by nobody:")
    for entry in entries:
        if not entry["test"] and not entry["claims"]:
            place = f"`{entry['module']}` `{entry['function']}`, line {entry['line']}"
            print(f"- {place}: {entry['value']:g} in `{entry['expression']}`")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("list", "run", "verdicts", "table"))
    parser.add_argument("file", nargs="?", default="mutations.json")
    parser.add_argument("--all", action="store_true", help="every constant, not one a function")
    parser.add_argument("--only", default="", help="modules whose name contains this")
    parser.add_argument("--verdicts", nargs="*", default=[], help="results of rmtsim verify --json")
    arguments = parser.parse_args()
    if arguments.action == "list":
        for folder in FOLDERS:
            for each in constants(folder, arguments.all):
                print(f"{each.name}  {each.value:g} in {each.expression}")
    else:
        {"run": run, "verdicts": verdicts, "table": table}[arguments.action](arguments)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
