"""Calls of public classes and functions that take objects: valid arguments by call.

Numbers of repetitions are left alone where a large one is a valid request that takes its time.
"""

import contextlib
import dataclasses
import functools
import importlib.util

import numpy as np

from rmtsim import claims, curvature, estimators, hessians, laws, report, spectra, testing
from rmtsim.claims import claim as declare
from rmtsim.laws import self_energy
from rmtsim.networks import Architecture, fully_connected
from rmtsim.verdicts import verify
from tests.hostile.values import matrix, rng, symmetric


@dataclasses.dataclass(frozen=True)
class Call:
    """A callable with a valid argument for each of its parameters, and the public names that it tries."""

    name: str
    function: object
    arguments: dict
    tries: tuple = ()


LAWS = {
    "MarchenkoPastur": laws.MarchenkoPastur(0.5),
    "Semicircle": laws.Semicircle(),
    "GeneralizedMarchenkoPastur": laws.GeneralizedMarchenkoPastur(0.5, [1.0, 3.0]),
    "AffineLaw": laws.Semicircle().scaled(2.0).shifted(1.0),
    "SpikedCovariance": laws.SpikedCovariance(0.5, [9.0], population=[1.0, 3.0]),
    "MatrixDyson": laws.MatrixDyson(0.0, self_energy.Wigner(4)),
    "Arcsine": laws.Arcsine(),
    "KestenMcKay": laws.KestenMcKay(3),
    "Wachter": laws.Wachter(2.0, 3.0),
    "StructuredNoise": laws.StructuredNoise(0.5, [1.0, 2.0], [1.0, 3.0]),
    "ProfileNoise": laws.ProfileNoise([[1.0, 0.5], [0.5, 2.0]], [[1.0, 0.0], [0.5, 1.0]]),
    "HardEdge": laws.HardEdge(),
    "LawArray": laws.MarchenkoPastur([0.5, 2.0]),
}
_POINTS = {"x": lambda: np.linspace(-1.0, 2.0, 3)}
METHODS = {
    **dict.fromkeys(("density", "pdf", "cdf", "sf", "logpdf", "logcdf", "logsf"), _POINTS),
    "ppf": {"q": lambda: 0.3},
    "isf": {"q": lambda: 0.3},
    "moment": {"order": lambda: 3},
    "interval": {"confidence": lambda: 0.9},
    "stats": {"moments": lambda: "mv"},
    "stieltjes": {"z": lambda: 0.3 + 0.5j},
    "expect": {
        "func": lambda: None, "lb": lambda: 0.2, "ub": lambda: 2.0, "conditional": lambda: False,
    },
    "rvs": {"size": lambda: 3, "rng": rng},
    "fit": {"data": lambda: np.linspace(0.2, 2.5, 20)},
}  # fmt: skip


FITTED = ("MarchenkoPastur", "Semicircle")
LONG = {("HardEdge", "stats"), ("HardEdge", "expect")}
"""Methods that integrate a law whose cdf is a determinant: right, and seconds of processor time a call."""


def _of_laws():
    for name, law in LAWS.items():
        for method, arguments in METHODS.items():
            # A law without this method (no Stieltjes transform, no estimate of its parameters) has no call.
            if hasattr(law, method) and not (
                method == "fit" and name not in ("MarchenkoPastur", "Semicircle")
            ):
                yield Call(f"{name}.{method}", getattr(law, method), arguments)
    yield Call(
        "LawArray", laws.LawArray, {"laws": lambda: [laws.Semicircle(), laws.Arcsine()]}, (laws.LawArray,)
    )
    edge = {"beta": lambda: 1, "excess": lambda: 0}
    yield Call("ConditionNumber", laws.ConditionNumber, edge, (laws.ConditionNumber,))
    yield Call(
        "TracyWidom",
        laws.TracyWidom,
        {"beta": lambda: 2, "k": lambda: 1, "convention": lambda: None},
        (laws.TracyWidom,),
    )
    yield Call("HardEdge", laws.HardEdge, {"beta": lambda: 1, "excess": lambda: 0}, (laws.HardEdge,))
    yield Call(
        "StructuredNoise",
        laws.StructuredNoise,
        {
            "ratio": lambda: 0.5, "rows": lambda: [1.0, 2.0], "columns": lambda: [1.0, 3.0],
            "row_weights": lambda: [0.5, 0.5], "column_weights": lambda: [0.5, 0.5],
        },
        (laws.StructuredNoise,),
    )  # fmt: skip
    yield Call(
        "stationary_spectrum",
        laws.stationary_spectrum,
        {"ar": lambda: [0.5], "ma": lambda: [0.2], "variance": lambda: 1.0, "nodes": lambda: 20},
        (laws.stationary_spectrum,),
    )
    yield Call(
        "stationary_spectrum",
        laws.stationary_spectrum,
        {"autocovariance": lambda: [1.0, 0.3], "nodes": lambda: 20},
    )
    yield Call(
        "Block",
        self_energy.Block,
        {
            "hermitian": lambda: [symmetric(2)], "general": lambda: [matrix(2, 2)], "weights": lambda: [0.5, 0.5],
            "spectral": lambda: None,
        },
        (self_energy.Block,),
    )  # fmt: skip
    yield Call(
        "FromFunction",
        lambda function, size: laws.MatrixDyson(0.0, self_energy.FromFunction(function, size)).density(0.1),
        {"function": lambda: lambda m: np.trace(m) / 3 * np.eye(3), "size": lambda: 3},
        (self_energy.FromFunction,),
    )


@functools.cache
def _spectrum():
    return spectra.spectrum(matrix(40, 20))


@functools.cache
def _empirical():
    return spectra.empirical(np.linspace(0.1, 2.9, 30))


def _of_spectra():
    yield Call(
        "Spectrum.density", _spectrum().density, {"x": lambda: np.linspace(0, 3, 4), "width": lambda: 0.3}
    )
    repeated = spectra.spectrum(np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 5.0]))
    yield Call("masses.density", repeated.density, {"x": lambda: np.linspace(0, 3, 4), "width": lambda: 0.3})
    law = laws.MarchenkoPastur(0.5)
    empirical = _empirical()
    yield Call("EmpiricalSpectrum.cdf", empirical.cdf, _POINTS)
    yield Call("EmpiricalSpectrum.moment", empirical.moment, {"k": lambda: 2})
    for method in ("kolmogorov", "wasserstein"):
        yield Call(f"EmpiricalSpectrum.{method}", getattr(empirical, method), {"law": lambda: law})


def _of_networks():
    made = fully_connected([2, 3, 1])
    yield Call(
        "Architecture",
        Architecture,
        {"layers": lambda: made.layers, "positions": lambda: 1, "loss": lambda: made.loss},
        (Architecture,),
    )
    yield Call(
        "hessian_by_differences",
        curvature.hessian_by_differences,
        {
            "loss": lambda: lambda point: point[0] ** 2 * point[1], "point": lambda: [1.0, 2.0], "rows": lambda: [0],
            "columns": lambda: [0, 1],
        },
        (curvature.hessian_by_differences,),
    )  # fmt: skip


@functools.cache
def _operator():
    return hessians.hessian(symmetric(6))


def _of_hessians():
    yield Call(
        "hessian",
        lambda **given: hessians.hessian(**given).product(np.ones(6)),
        {
            "source": lambda: symmetric(6), "loss": lambda: None, "data": lambda: None, "matrix": lambda: "hessian",
            "dtype": lambda: "model", "batch_size": lambda: None, "size": lambda: None,
        },
        (hessians.hessian, hessians.HessianOperator),
    )  # fmt: skip
    yield Call("HessianOperator.product", _operator().product, {"vectors": lambda: np.ones(6)})
    common = {"operator": _operator, "rng": rng}
    for function, arguments in (
        (hessians.trace, {"group": lambda: None, "products": lambda: 6, "data_error": lambda: False}),
        (
            hessians.extreme_eigenvalues,
            {
                "count": lambda: 2,
                "which": lambda: "top",
                "population": lambda: False,
                "tolerance": lambda: 1e-6,
            },
        ),
        (hessians.spectra, {"groups": lambda: "model", "exact_up_to": lambda: 500}),
        (
            hessians.block_energies,
            {"groups": lambda: "layer", "tolerance": lambda: 0.5, "data_error": lambda: False},
        ),
        (hessians.examine, {"groups": lambda: "layer", "title": lambda: "Hessian", "tolerance": lambda: 0.5}),
    ):
        yield Call(f"hessians.{function.__name__}", function, {**common, **arguments}, (function,))


def _fitted(kind, then):
    def call(X, **options):
        made = kind(**options).fit(X)
        return getattr(made, then)(X) if then else made.covariance_

    return call


def _of_estimators():
    if importlib.util.find_spec("sklearn") is None:
        return
    data = {"X": lambda: matrix(30, 6)}
    for kind, then, options in (
        (estimators.NonlinearShrinkage, "", {"loss": lambda: "stein", "folds": lambda: 3}),
        (estimators.MarchenkoPasturWhitener, "transform", {"folds": lambda: 3}),
        (estimators.SingularValueDenoiser, "transform", {"loss": lambda: "frobenius", "sigma": lambda: None}),
        (
            estimators.TestedPCA,
            "transform",
            {"level": lambda: 0.05, "least": lambda: 1, "test": lambda: "tracy-widom"},
        ),
    ):
        # scikit-learn calls the data "array" in some messages.
        yield Call(f"estimators.{kind.__name__} array", _fitted(kind, then), {**data, **options}, (kind,))


def _of_claims():
    # An unknown id is named as "claim=".
    yield Call(
        "find claim", lambda name: claims.find(name), {"name": lambda: "dong.thm1.diagonal"}, (claims.find,)
    )
    yield Call("all_claims", claims.all_claims, {"paper": lambda: "dong"}, (claims.all_claims,))
    yield Call(
        "predict claim",
        lambda name, gamma: claims.predict(name, gamma=gamma),
        {"name": lambda: "dong.thm1.diagonal", "gamma": lambda: 1.0},
        (claims.predict,),
    )
    yield Call(
        "Choice",
        claims.Choice,
        {
            "name": lambda: "kind", "options": lambda: ["a", "b"], "meaning": lambda: "a kind", "default": lambda: "a",
            "codes": lambda: [0, 1], "assumption": lambda: "",
        },
        (claims.Choice,),
    )  # fmt: skip
    ratio = claims.Parameter("gamma", "a ratio", 1.0, lowest=0.0)
    yield Call(
        "Grid",
        claims.Grid,
        {"parameters": lambda: [ratio], "points": lambda: [{"gamma": 2.0}]},
        (claims.Grid,),
    )
    yield Call(
        "kolmogorov_distance",
        claims.kolmogorov_distance,
        {"values": lambda: np.linspace(-1.5, 1.5, 9), "law": laws.Semicircle},
        (claims.kolmogorov_distance,),
    )


def _sample(size, rng, replicates):
    return rng.normal(size=replicates)


@functools.cache
def _result():
    made = declare("fuzz.reported", _sample, limit=0.0, tolerance=0.5, sizes=(10, 20, 40), cost=1e-6)
    return verify(made, budget=0.01)


def _of_testing():
    common = {"tolerance": lambda: 0.5, "level": lambda: 0.01, "budget": lambda: 0.02}
    limit = {"sizes": lambda: (8, 16, 32), "exponents": lambda: (1.0,)}

    def whatever_the_verdict(function, **options):
        def call(**arguments):
            with contextlib.suppress(testing.ClaimFailedError):
                return function(cost=1e-6, **options, **arguments)

        return call

    yield Call(
        "assert_limit",
        whatever_the_verdict(testing.assert_limit),
        {"sampler": lambda: _sample, "value": lambda: 0.0, **common, **limit},
        (testing.assert_limit,),
    )
    yield Call(
        "assert_mean",
        whatever_the_verdict(testing.assert_mean),
        {"function": lambda: lambda rng: rng.normal(), "value": lambda: 0.0, **common},
        (testing.assert_mean,),
    )
    for function in (testing.assert_confirmed, testing.assert_not_refuted):
        yield Call(
            function.__name__,
            whatever_the_verdict(function),
            {"subject": lambda: _sample, "limit": lambda: 0.0, **common, **limit},
            (function,),
        )
    yield Call(
        "check_law",
        testing.check_law,
        {
            "law": laws.Semicircle, "support": lambda: [(-2.0, 2.0)], "atoms": lambda: (), "tolerance": lambda: 1e-4,
            "name": lambda: "mine",
        },
        (testing.check_law,),
    )  # fmt: skip
    for function, named, tried in (
        (testing.check_trace_estimator, "estimator", lambda a, rng: 3.0),
        (testing.check_spectrum_estimator, "estimator", lambda a, rng: ([1.0], [1.0])),
        (testing.check_rank_test, "rank", lambda data: 0),
    ):
        yield Call(
            function.__name__,
            functools.partial(function, repeats=4),
            {named: lambda tried=tried: tried, "seed": lambda: 3, "name": lambda: "mine"},
            (function,),
        )
    yield Call(
        "check_hessian_product",
        testing.check_hessian_product,
        {"product": lambda: lambda case, vectors: vectors, "tolerance": lambda: 1e-8, "seed": lambda: 3},
        (testing.check_hessian_product,),
    )


def _of_report():
    for function in (
        report.badge_json, report.bibtex, report.csv_table, report.junit, report.latex_table, report.markdown_table,
        report.entries_of_results,
    ):  # fmt: skip
        yield Call(f"report.{function.__name__}", function, {"results": _result}, (function,))
    yield Call("report.sentence", report.sentence, {"result": lambda: _result()[0]}, (report.sentence,))
    yield Call(
        "report.report_page",
        report.report_page,
        {"contents": lambda: report.entries_of_results(_result())},
        (report.report_page,),
    )


def object_calls():
    """All of them."""
    for part in (
        _of_laws, _of_spectra, _of_networks, _of_hessians, _of_estimators, _of_claims, _of_testing, _of_report,
    ):  # fmt: skip
        yield from part()
