"""Run the conformance checks of rmtsim.testing on other packages, as far as they are installed; print a Markdown table.

    python benchmarks/conformance.py            every package that can be imported
    python benchmarks/conformance.py --details  and every property with its numbers

Each package is used as its documentation shows, in double precision where it accepts that.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import warnings
from collections.abc import Iterator

import numpy as np

from rmtsim import spectrum
from rmtsim.laws import MarchenkoPastur, Semicircle
from rmtsim.matrix_free import operator_trace
from rmtsim.testing import (
    Conformance,
    check_hessian_product,
    check_law,
    check_rank_test,
    check_spectrum_estimator,
    check_trace_estimator,
)

Row = tuple[str, str, Conformance]


def rmtsim_rows() -> Iterator[Row]:
    yield "rmtsim", "law", check_law(MarchenkoPastur(0.5), name="MarchenkoPastur(0.5)")
    yield "rmtsim", "law", check_law(MarchenkoPastur(2.0), name="MarchenkoPastur(2)")
    yield "rmtsim", "law", check_law(Semicircle(), name="Semicircle()")
    yield (
        "rmtsim",
        "trace",
        check_trace_estimator(lambda a, rng: operator_trace(a, rng, products=20), name="operator_trace"),
    )
    yield (
        "rmtsim",
        "rank",
        check_rank_test(lambda data: len(spectrum(data).outliers), name="spectrum(data).outliers"),
    )


def skrmt_rows() -> Iterator[Row]:
    from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution, WignerSemicircleDistribution

    package = "scikit-rmt"
    for ratio in (0.5, 2.0):
        law = MarchenkoPasturDistribution(beta=1, ratio=ratio)
        edges = [((1 - ratio**0.5) ** 2, (1 + ratio**0.5) ** 2)]
        # Its law has no attribute for atoms; the true atom is given, so that only what it computes is checked.
        atoms = [(0.0, 1 - 1 / ratio)] if ratio > 1 else ()
        name = f"MarchenkoPasturDistribution(ratio={ratio:g})"
        yield package, "law", check_law(law, support=edges, atoms=atoms, name=name)
    law = WignerSemicircleDistribution(beta=1)
    yield (
        package,
        "law",
        check_law(law, support=[(-law.radius, law.radius)], name="WignerSemicircleDistribution()"),
    )


def freealg_rows() -> Iterator[Row]:
    from freealg.distributions import KestenMcKay, MarchenkoPastur, Wigner

    for name, law, edges, atoms in (
        ("MarchenkoPastur(0.5)", MarchenkoPastur(0.5), ((1 - 0.5**0.5) ** 2, (1 + 0.5**0.5) ** 2), ()),
        ("MarchenkoPastur(2)", MarchenkoPastur(2.0), ((1 - 2**0.5) ** 2, (1 + 2**0.5) ** 2), [(0.0, 0.5)]),
        ("Wigner(1)", Wigner(1.0), (-1.0, 1.0), ()),  # its parameter is the radius
        ("KestenMcKay(3)", KestenMcKay(3), (-2 * 2**0.5, 2 * 2**0.5), ()),
    ):

        class Adapter:
            """A law with a density; `moment` and `cdf` do not exist there."""

            def density(self, x, law=law):
                return law.density(np.asarray(x))

        yield "freealg", "law", check_law(Adapter(), support=[edges], atoms=atoms, name=name)


def _torch_seed(rng):
    import torch

    torch.manual_seed(int(rng.integers(2**62)))


def _tensor(operator):
    import torch

    return torch.from_numpy(operator @ np.eye(operator.shape[0]))


def _torch_case(case):
    """Module, loss and data of a Hessian case in double precision."""
    import torch

    names = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU, "identity": torch.nn.Identity}
    modules = []
    for k, w in enumerate(case.weights):
        linear = torch.nn.Linear(w.shape[1], w.shape[0], bias=False).double()
        linear.weight.data = torch.from_numpy(w.copy())
        modules += [linear] + ([names[case.activation]()] if k + 1 < len(case.weights) else [])
    outputs = case.targets.shape[1]
    if case.loss == "square":

        class Square(torch.nn.MSELoss):
            """Mean over samples of the sum over outputs."""

            def forward(self, f, y):
                return outputs * super().forward(f, y)

        loss, targets = Square(), torch.from_numpy(case.targets)
    else:
        loss, targets = torch.nn.CrossEntropyLoss(), torch.from_numpy(case.targets.argmax(axis=1))
    return torch.nn.Sequential(*modules), loss, (torch.from_numpy(case.inputs), targets)


def curvlinops_rows() -> Iterator[Row]:
    import curvlinops
    import torch

    for name in ("hutchinson_trace", "hutchpp_trace", "xtrace"):

        def trace(operator, rng, name=name):
            _torch_seed(rng)
            return float(getattr(curvlinops, name)(_tensor(operator), 18))

        yield "curvlinops", "trace", check_trace_estimator(trace, name=f"{name}, 18 products")

    def product(case, vectors):
        model, loss, data = _torch_case(case)
        if case.loss == "square":
            loss = torch.nn.MSELoss()  # it recognises losses by type; the factor is restored below
        operator = curvlinops.HessianLinearOperator(model, loss, list(model.parameters()), [data])
        factor = case.targets.shape[1] if case.loss == "square" else 1
        return [factor * part for part in operator @ [torch.from_numpy(v.copy()) for v in vectors]]

    yield "curvlinops", "Hessian", check_hessian_product(_detached(product), name="HessianLinearOperator")


def _detached(product):
    return lambda case, vectors: [part.detach().numpy() for part in product(case, vectors)]


def pyhessian_rows() -> Iterator[Row]:
    import torch
    from pyhessian import hessian, hessian_vector_product

    class Quadratic(torch.nn.Module):
        """A loss whose Hessian is a given matrix."""

        def __init__(self, matrix):
            super().__init__()
            self.matrix, self.w = matrix, torch.nn.Parameter(torch.zeros(len(matrix), dtype=torch.float64))

        def forward(self, inputs):
            return 0.5 * self.w @ (self.matrix @ self.w) * inputs.sum()

    def computer(operator):
        data = (torch.ones(1, dtype=torch.float64), torch.zeros(1))
        return hessian(Quadratic(_tensor(operator)), lambda output, target: output, data=data, cuda=False)

    def trace(operator, rng):
        _torch_seed(rng)
        return float(np.mean(computer(operator).trace()))

    def density(operator, rng):
        _torch_seed(rng)
        points, weights = computer(operator).density(iter=20, n_v=1)
        return points[0], weights[0]

    def product(case, vectors):
        model, loss, data = _torch_case(case)
        made = hessian(model, loss, data=data, cuda=False)
        return hessian_vector_product(made.gradsH, made.params, [torch.from_numpy(v.copy()) for v in vectors])

    yield "PyHessian", "trace", check_trace_estimator(trace, repeats=2000, name="hessian(...).trace()")
    yield (
        "PyHessian",
        "spectrum",
        check_spectrum_estimator(density, repeats=2000, name="hessian(...).density()"),
    )
    yield "PyHessian", "Hessian", check_hessian_product(_detached(product), name="hessian_vector_product")


def eigenthings_rows() -> Iterator[Row]:
    import hessian_eigenthings as things
    import torch

    def operator_of(operator):
        matrix = _tensor(operator)
        return things.LambdaOperator(lambda v: matrix @ v, len(matrix), dtype=torch.float64)

    for method in ("hutchinson", "hutch++"):

        def trace(operator, rng, method=method):
            seed = int(rng.integers(2**31))
            found = things.trace(operator_of(operator), num_matvecs=18, method=method, seed=seed)
            error = getattr(found, "stderr", None)
            return float(getattr(found, "estimate", getattr(found, "trace", np.nan))), error

        def alone(operator, rng, trace=trace):
            value, error = trace(operator, rng)
            return value if error is None else (value, error)

        yield (
            "hessian-eigenthings",
            "trace",
            check_trace_estimator(alone, name=f"trace, {method}, 18 products"),
        )

    def product(case, vectors):
        model, loss, data = _torch_case(case)
        made = things.HessianOperator(model, [data], things.supervised_loss(loss))
        flat = torch.from_numpy(np.concatenate([v.ravel() for v in vectors]))
        return [torch.from_numpy(part) for part in case.split(made.matvec(flat).detach().numpy())]

    yield "hessian-eigenthings", "Hessian", check_hessian_product(_detached(product), name="HessianOperator")


def sklearn_rows() -> Iterator[Row]:
    from sklearn.decomposition import PCA

    yield (
        "scikit-learn",
        "rank",
        check_rank_test(
            lambda data: PCA(n_components="mle").fit(data).n_components_, name='PCA(n_components="mle")'
        ),
    )


PACKAGES = {
    "rmtsim": ("rmtsim", rmtsim_rows),
    "scikit-rmt": ("skrmt.ensemble", skrmt_rows),
    "freealg": ("freealg", freealg_rows),
    "curvlinops-for-pytorch": ("curvlinops", curvlinops_rows),
    "PyHessian": ("pyhessian", pyhessian_rows),
    "hessian-eigenthings": ("hessian_eigenthings", eigenthings_rows),
    "scikit-learn": ("sklearn", sklearn_rows),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--details", action="store_true", help="every property with its numbers")
    parser.add_argument("--only", choices=PACKAGES, action="append", help="one package (repeatable)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| package | version | checked | confirmed | refuted | open | not offered | refuted properties |")
    print("|---|---|---|---|---|---|---|---|")
    for distribution, (module, rows) in PACKAGES.items():
        if arguments.only and distribution not in arguments.only:
            continue
        try:
            importlib.import_module(module)
        except ImportError as error:
            print(f"| {distribution} | not run: {error} | | | | | | |", flush=True)
            continue
        try:
            version = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            version = "source"
        for _, kind, report in rows():
            verdicts = [check.verdict for check in report.checks]
            counts = [verdicts.count(word) for word in ("CONFIRMED", "REFUTED", "INCONCLUSIVE", None)]
            failed = "; ".join(f"{check.name}: {check.words}" for check in report.failed)
            cells = [distribution, version, f"{kind}: `{report.name}`", *map(str, counts), failed or "none"]
            print(f"| {' | '.join(cells)} |", flush=True)
            if arguments.details:
                print(report, flush=True)


if __name__ == "__main__":
    main()
