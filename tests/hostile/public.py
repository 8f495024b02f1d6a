"""Public functions with arguments they accept: the table that the fuzz trials start from.

Every function and class of the packages below whose name has no underscore in front (or is in the ``__all__`` of its
module), with valid arguments found by the names of their parameters; what needs more than names is written out, here or
in objects.py (methods, and functions of objects). Inner parts of solvers, which their callers have checked for, are
left out by name. ``uncovered`` lists public names (docs/api.md) that no call tries, so that a new public function is
fuzzed, or named in ``NOT_CALLED`` with the reason.
"""

import dataclasses
import functools
import importlib
import importlib.util
import inspect
import pkgutil
from functools import partial

import numpy as np

from rmtsim import laws
from rmtsim.claims._declare import claim as declare
from rmtsim.claims._model import Parameter, Tolerance
from rmtsim.claims._papers import PAPERS
from rmtsim.laws import dyson, self_energy
from rmtsim.networks._architecture import fully_connected
from rmtsim.spectra import random_matrix
from rmtsim.verdicts import verify
from rmtsim.verdicts._models.analysis import analyse_sequence
from rmtsim.verdicts._models.richardson import extrapolate
from tests.hostile.objects import LAWS, Call, object_calls
from tests.hostile.values import matrix, model, network, rng, symmetric

PAPERS_TABLES = {
    key: importlib.import_module(f"tests.papers.{key}.valid_arguments")
    for key, paper in PAPERS.items()
    if (paper.folder / "theory").is_dir()
}
"""Each paper's own table of arguments, and the modules of its simulation that check them."""
PACKAGES = [
    *(f"rmtsim.{name}" for name in ("laws", "networks", "curvature", "ensembles", "spectra", "matrix_free")),
    *(f"rmtsim.papers.{key}.theory" for key in PAPERS_TABLES),
    *(
        f"rmtsim.papers.{key}.simulation.{name}"
        for key, table in PAPERS_TABLES.items()
        for name in table.CHECKED
    ),
]


PUBLIC = [
    f"rmtsim.{name}"
    for name in (
        "claims", "verdicts", "estimators", "laws", "laws.self_energy", "laws.dyson", "spectra", "ensembles",
        "networks", "curvature", "matrix_free", "hessians", "testing", "report",
    )
]  # fmt: skip
"""Packages of docs/api.md whose names are tried; strategies are tried by Hypothesis."""

VALID = {
    "alpha": lambda: 0.5, "atoms": lambda: [1.0, 3.0], "centred": lambda: False, "classes": lambda: 3,
    "columns": lambda: 4, "correlation": lambda: 0.5, "count": lambda: 3, "coupling": lambda: 0.3,
    "depth": lambda: 2, "diagonal": lambda: True, "dimension": lambda: 4, "eigenvalues": lambda: np.arange(5.0),
    "epsilon": lambda: 0.1, "exponents": lambda: (1, 1), "factor": lambda: 2.0, "floor": lambda: 0.2,
    "gamma": lambda: 0.7, "hidden": lambda: 3, "i": lambda: 0, "inputs": lambda: 4, "j": lambda: 1,
    "layer": lambda: 1, "layers": lambda: 2, "logits": lambda: matrix(3, 4), "matrices": lambda: [symmetric()],
    "model": model, "n": lambda: 6, "networks": lambda: 2, "pairs": lambda: 4, "power": lambda: 1,
    "profile": lambda: np.ones((4, 4)), "ratio": lambda: 0.5, "rng": rng, "rows": lambda: 4, "samples": lambda: 5,
    "scale": lambda: 1.0, "second": lambda: 0.1, "across": lambda: 0.2, "separation": lambda: 1.4,
    "shift": lambda: 0.0, "single": lambda: False, "size": lambda: 8, "transpose": lambda: False,
    "values": lambda: [0.5, 1.0], "variance": lambda: 1.0, "entry_variance": lambda: 1.0, "weights": lambda: None,
    "width": lambda: 0.3,
    "seed": lambda: 3, "mean": lambda: 0.0, "left": lambda: np.eye(4), "right": lambda: None,
    "features": lambda: 0.5, "linear": lambda: 1.0, "nonlinear": lambda: 1.0, "shares": lambda: None,
    "cumulants": lambda: [0.0, 1.0, 0.5], "beta": lambda: 1, "units": lambda: 5, "law": lambda: "gaussian",
    "labels": lambda: "random", "loss": lambda: "ce", "source": lambda: symmetric(), "spike": lambda: 3.0,
    "limit": lambda: 24, "inner": lambda: True, "k": lambda: 2, "step": lambda: 0.3, "steps": lambda: 5,
    "noise": lambda: 0.5, "threshold": lambda: 40.0, "time": lambda: 2.0, "order": lambda: 2, "rate": lambda: 0.2,
    "epochs": lambda: 1.0, "training": lambda: 3, "validation": lambda: 3, "tasks": lambda: 2,
    "rates": lambda: np.array([0.1, 0.2]), "truncation": lambda: 40.0, "coordinates": lambda: np.ones(5),
    "largest_factor": lambda: 2.0, "digits": lambda: "float32", "design": lambda: matrix(6, 4),
    "truth": lambda: np.ones(4), "replicates": lambda: 2, "gain": lambda: 1.0,
    "first": lambda: laws.Semicircle(), "dtype": lambda: np.float64, "widths": lambda: [4, 5, 1],
    "activation": lambda: "tanh", "parametrisation": lambda: "fan_in", "biases": lambda: False,
    "bias_deviation": lambda: 0.0, "skips": lambda: False, "output": lambda: "identity", "outputs": lambda: 3,
    "filter": lambda: 3, "deviation": lambda: 1.0, "radius": lambda: 2.0, "degree": lambda: 3,
    "jump": lambda: 0.5, "spikes": lambda: (), "special": lambda: False, "bias": lambda: False, "skip": lambda: False,
}  # fmt: skip
"""A valid value for a parameter of this name, wherever it stands."""

WIDTH = {"width": lambda: 6}  # of a network, not of a band
_DATA = {"network": network, "inputs": lambda: matrix(6, 4), "targets": lambda: matrix(6, 3)}
WRITTEN = {
    "rmtsim.ensembles._wishart.weighted_wishart": {
        "dimension": lambda: 4, "weights": lambda: [1.0, -0.5, 2.0], "rng": rng,
    },
    "rmtsim.spectra._random_matrix.random_matrix": {
        "law": lambda: laws.Semicircle(), "n": lambda: 6, "rng": rng,
    },
    "rmtsim.spectra._gaussian_matrix.gaussian_matrix": {
        "self_energy": lambda: self_energy.Wigner(4), "rng": rng, "copies": lambda: 2,
    },
    "rmtsim.curvature._linear_energies.block_norms": {"model": model, "pairs": lambda: [(0, 1), (1, 1)]},
    "rmtsim.curvature._linear_model.LinearModel": {"inputs": lambda: matrix(6, 4), "weights": lambda: matrix(3, 4)},
    "rmtsim.ensembles._tridiagonal.tridiagonal_form": {"matrix": symmetric},
    "rmtsim.laws._affine.AffineLaw": {
        "law": laws.Semicircle, "scale": lambda: 2.0, "shift": lambda: 1.0,
    },
    "rmtsim.laws.dyson._network_kernels.conjugate_kernel": {
        "inputs": lambda: 0.8, "widths": lambda: [1.5, 0.5], "linear": lambda: 0.6,
    },
    "rmtsim.laws.dyson._network_kernels.tangent_kernel": {
        "inputs": lambda: 0.8, "widths": lambda: [1.5, 0.5], "linear": lambda: 0.6, "slope": lambda: 1.2,
    },
    "rmtsim.ensembles._jacobi.jacobi": {"first": lambda: 5, "second": lambda: 6},
    "rmtsim.ensembles._jacobi.jacobi_tridiagonal": {"first": lambda: 5, "second": lambda: 6},
    "rmtsim.ensembles._tridiagonal.Tridiagonal": {
        "diagonal": lambda: np.ones(3), "off_diagonal": lambda: np.ones(2),
    },
    "rmtsim.matrix_free._operators.operator_spectrum": {
        "operator": symmetric, "probes": lambda: 3, "steps": lambda: 3, "exact_up_to": lambda: 2,
        "name": lambda: "mine",
    },
    "rmtsim.matrix_free._operators.operator_extremes": {
        "operator": symmetric, "count": lambda: 1, "which": lambda: "top", "tolerance": lambda: 1e-8,
    },
    "rmtsim.matrix_free._trace.operator_trace": {
        "operator": lambda: symmetric(12), "method": lambda: "xtrace", "products": lambda: 8,
    },
    "rmtsim.laws._free.transforms.r_transform": {"law": laws.Semicircle, "g": lambda: 0.3},
    "rmtsim.laws._free.transforms.s_transform": {"law": lambda: laws.MarchenkoPastur(0.5), "u": lambda: -0.3},
    "rmtsim.spectra._shrinkage.shrink_covariance": {"data": lambda: matrix(40, 6), "centre": lambda: True},
    "rmtsim.laws._tracy_widom.TracyWidom": {
        "beta": lambda: 1, "k": lambda: 2, "convention": lambda: "tracy-widom",
    },
    "rmtsim.laws._hard_edge.HardEdge": {"beta": lambda: 1, "excess": lambda: 1, "k": lambda: 2},
    "rmtsim.laws._condition_number.ConditionNumber": {"beta": lambda: 1, "excess": lambda: 1},
    "rmtsim.laws._deformed_circular.DeformedCircular": {
        "mean": lambda: [0.5, -1.0, 1j], "entry_variance": lambda: 2.0, "weights": lambda: [0.25, 0.25, 0.5],
    },
    "rmtsim.laws._profile_circular.ProfileCircular": {
        "variances": lambda: [[2.0, 1.0], [0.5, 1.0]], "weights": lambda: [0.25, 0.75],
    },
    "rmtsim.laws._single_ring.SingleRing": {"squares": lambda: laws.MarchenkoPastur(0.5)},
    "rmtsim.laws.dyson._polynomial.semicircular": {"name": lambda: "x", "variance": lambda: 1.0},
    "rmtsim.laws.dyson._polynomial.gaussian": {
        "name": lambda: "g", "rows": lambda: 1.0, "columns": lambda: 2.0,
    },
    "rmtsim.laws.dyson._polynomial.diagonal": {
        "name": lambda: "d", "values": lambda: [1.0, -1.0], "shares": lambda: [0.5, 0.5], "side": lambda: 1.0,
    },
    "rmtsim.laws.dyson._polynomial.polynomial_law": {"polynomial": lambda: dyson.semicircular("x") ** 2},
    "rmtsim.laws._wachter.Wachter": {"first": lambda: 2.0, "second": lambda: 3.0},
    "rmtsim.laws.dyson._law.MatrixDyson": {
        "mean": lambda: np.zeros(4), "self_energy": lambda: self_energy.Wigner(4), "size": lambda: None,
    },
    "rmtsim.laws.dyson._conditions.comparability": {"source": lambda: self_energy.Wigner(4)},
    "rmtsim.laws.dyson._conditions.covariance_norms": {"source": lambda: self_energy.Wigner(4), "limit": lambda: 24},
    "rmtsim.laws.dyson._conditions.mean_condition": {"source": lambda: np.stack([symmetric()] * 3)},
    "rmtsim.laws.dyson._conditions.support_bound": {
        "mean": lambda: np.zeros((4, 4)), "self_energy": lambda: self_energy.Wigner(4),
    },
    "rmtsim.laws.self_energy._gaussian.FromSamples": {"matrices": lambda: np.stack([symmetric(), np.eye(4)])},
    "rmtsim.laws._population.population": {"atoms": lambda: [1.0, 2.0], "weights": lambda: [0.5, 0.5]},
    "rmtsim.laws._edge_scaling.wigner_edge": {"n": lambda: 50, "beta": lambda: 1, "variance": lambda: 1.0},
    "rmtsim.laws._free.compression.free_compression": {
        "law": lambda: laws.MarchenkoPastur(0.5), "share": lambda: 0.3,
    },
    "rmtsim.laws._free.convolution.free_product": {
        "first": lambda: laws.MarchenkoPastur(0.5), "second": lambda: laws.MarchenkoPastur(0.3),
    },
    "rmtsim.laws._free.convolution.free_sum": {
        "first": laws.Semicircle, "second": lambda: laws.MarchenkoPastur(0.3),
    },
    "rmtsim.spectra._population.deconvolve": {
        "source": lambda: np.linspace(0.5, 2.0, 40), "samples": lambda: 120, "outliers": lambda: 0, "beta": lambda: 1,
        "level": lambda: 0.05, "name": lambda: "mine",
    },
    "rmtsim.laws._spiked_covariance.SpikedCovariance": {
        "ratio": lambda: 0.5, "spikes": lambda: [9.0], "entry_variance": lambda: 1.0, "population": lambda: [1.0, 2.0],
        "weights": lambda: [0.5, 0.5],
    },
    "rmtsim.spectra._make.spectrum": {
        "source": lambda: matrix(40, 20), "samples": lambda: 40, "dimension": lambda: None, "kind": lambda: "auto",
        "centre": lambda: True, "population": lambda: [1.0, 1.5], "beta": lambda: 1, "level": lambda: 0.05,
        "name": lambda: "mine",
    },
    "rmtsim.spectra._model.model_spectrum": {
        "source": lambda: {"layer": matrix(40, 20)}, "level": lambda: 0.05, "name": lambda: "mine",
        "progress": lambda: None,
    },
    "rmtsim.spectra._tail.power_tail": {"eigenvalues": lambda: np.arange(1.0, 60.0)},
    "rmtsim.networks._activations.activation": {"name": lambda: "leaky_relu"},
    "rmtsim.networks._losses.loss": {"name": lambda: "square", "factor": lambda: 0.5},
    "rmtsim.curvature._block_energies.block_energies": {
        "model": network, "inputs": lambda: matrix(6, 4), "targets": lambda: matrix(6, 3), "layers": lambda: [1],
        "pairs": lambda: True,
    },
    "rmtsim.networks._spectrum.hessian_extremes": {
        **_DATA, "rng": rng, "count": lambda: 1, "which": lambda: "modulus", "tolerance": lambda: 1e-8,
        "layer": lambda: 1,
    },
    "rmtsim.networks._spectrum.hessian_spectrum": {
        **_DATA, "per": lambda: "layer", "rng": rng, "probes": lambda: 3, "steps": lambda: 5,
        "exact_up_to": lambda: 3000,
    },
    "rmtsim.networks._own.network_from_arrays": {
        "weights": lambda: [matrix(5, 4), matrix(3, 5)], "biases": lambda: [np.ones(5), np.ones(3)],
        "activation": lambda: "tanh", "loss": lambda: "square",
    },
    "rmtsim.networks._network.Network": {
        "architecture": lambda: fully_connected([2, 3, 1]), "parameters": lambda: np.ones(9),
    },
    "rmtsim.networks._one_input.one_input_hessian": {
        "network": lambda: fully_connected([3, 5, 1], "tanh").sample(rng()), "x": lambda: np.ones(3),
        "targets": lambda: None,
    },
}  # fmt: skip


NOT_CALLED = {
    "search": "tests/verdicts/test_search.py calls it: a search takes seconds whatever its arguments",
    # abstract classes
    "SpectralLaw": "abstract", "SelfEnergy": "abstract",
    # results, made by functions that are tried
    "Claim": "made by claim", "Results": "made by verify", "Verdict": "an enumeration",
    # parts of a declaration, which `claim` checks when it is made (tests/claims)
    "Corrected": "checked by claim", "Option": "checked by claim", "Paper": "checked when a paper is loaded",
    "claim": "tried as `claim` with the options of one kind", "with_companions": "called by samplers",
    # tests of their own
    "from_torch": "needs PyTorch", "kronecker_decoupling": "needs PyTorch", "norm_against_width": "needs PyTorch",
    "anticommutator": "no arguments",
    **dict.fromkeys(("Polynomial", "diagonal", "gaussian", "polynomial_law", "semicircular"), "not tried yet"),
}  # fmt: skip
"""Public names without a call, and why."""

EXCUSED = (
    # Inner parts, called by the methods of laws and by spectrum; those are tried (objects.py).
    "rmtsim.laws._expectation.",
    "rmtsim.laws._distribution.",
    "rmtsim.laws._drawing.",
    "rmtsim.laws._fitting.",
    "rmtsim.laws._noise.",
    "rmtsim.laws._square_root.",
    "rmtsim.spectra._masses.",
    "rmtsim.spectra._entries.",
    "rmtsim.spectra._shrinkage.shrunken_eigenvalues",
    "rmtsim.laws._airy_counts.",
    "rmtsim.laws._airy_diffusion.",
    "rmtsim.laws._airy_tails.",
    "rmtsim.laws.dyson._polynomial.Polynomial",  # made by its variables and operators
    # inner parts of solvers, called by laws that have checked everything
    "rmtsim.laws.dyson._continuation.",
    "rmtsim.laws.dyson._iterate.",
    "rmtsim.laws.dyson._krylov.",
    "rmtsim.laws.dyson._problem.",
    "rmtsim.laws.dyson._quadrature.",
    "rmtsim.laws.dyson._support.",
    "rmtsim.laws.dyson._values.",
    "rmtsim.laws._inverse_map.",
    "rmtsim.laws._critical.",
    "rmtsim.ensembles._entries.",
    "rmtsim.laws._roots.",
    "rmtsim.spectra._shrinkage.Shrinkage",
    "rmtsim.laws._base.",
    "rmtsim.laws._edges.",
    "rmtsim.laws._painleve.",
    "rmtsim.laws._spikes.",
    "rmtsim.laws.self_energy._base.",
    "rmtsim.laws.self_energy._function.",
    "rmtsim.laws._population.of_",
    "rmtsim.laws.self_energy._block.",
    "rmtsim.laws._population.Population",
    "rmtsim.laws._free.bands.",
    "rmtsim.laws._free.parts.",
    "rmtsim.laws._free.shifts.",
    "rmtsim.laws._free.subordination.",
    "rmtsim.laws._noise.law.",
    "rmtsim.laws._piecewise.",
    "rmtsim.laws.dyson._axis.",
    "rmtsim.laws.dyson._conditions.spread_intervals",
    "rmtsim.laws.dyson._edge.",
    "rmtsim.laws.dyson._kernels.",
    "rmtsim.laws.dyson._merge.",
    "rmtsim.laws.dyson._structure.",
    "rmtsim.laws._kernels.",
    "rmtsim.laws._free_cumulants.exact_moment",
    # inner parts of spectra, reached through `spectrum` and `model_spectrum`; files have a fuzz test of their own
    "rmtsim.spectra._bulk.",
    "rmtsim.spectra._chebyshev.",
    "rmtsim.spectra._outliers.",
    "rmtsim.spectra._populated.",
    "rmtsim.spectra._estimated.",
    "rmtsim.spectra._operator_spectrum.",
    "rmtsim.spectra._population_fit.",
    "rmtsim.spectra._reading.",
    "rmtsim.spectra._words.",
    "rmtsim.spectra._page.",
    "rmtsim.spectra._weights.",
    "rmtsim.spectra._safetensors.",
    "rmtsim.spectra._fitted.",
    "rmtsim.spectra._model.cells",
    "rmtsim.spectra._population.made",
    # inner parts of the network engine, reached through a network's methods, which check
    "rmtsim.networks._dense_hessian.",
    "rmtsim.networks._block_norms.",
    "rmtsim.matrix_free._lanczos.",
    "rmtsim.matrix_free._batched_lanczos.",
    "rmtsim.matrix_free._estimates.",
    "rmtsim.matrix_free._operators.read_operator",
    "rmtsim.networks._passes.",
    "rmtsim.networks._products.",
    "rmtsim.networks._softmax.",
    "rmtsim.networks._one_input.OneInputHessian",
    "rmtsim.networks._tangent_kernel.",
    "rmtsim.networks._unit_motions.",
    "rmtsim.networks._torch_import.",
    "rmtsim.networks._energies.layer_energies",  # called by block_energies
    "rmtsim.networks._architecture.Architecture",  # of layers that were checked
    "rmtsim.networks._network.representable",
    "rmtsim.curvature._differentiation.",
)  # fmt: skip


for key, table in PAPERS_TABLES.items():
    VALID |= getattr(table, "VALID", {})
    WRITTEN |= {f"rmtsim.papers.{key}.{name}": arguments for name, arguments in table.WRITTEN.items()}
    EXCUSED += tuple(f"rmtsim.papers.{key}.{name}" for name in table.EXCUSED)


def public_names():
    """Public functions and classes: name and object."""
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                yield name, thing


def _functions():
    for package in PACKAGES:
        root = importlib.import_module(package)
        inside = pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.")
        for found in [package, *(each.name for each in inside)]:
            module = importlib.import_module(found)
            names = sorted(name for name in vars(module) if not name.startswith("_"))
            for name in getattr(module, "__all__", names):
                thing = getattr(module, name)
                if callable(thing) and getattr(thing, "__module__", "") == module.__name__:
                    yield f"{module.__name__}.{name}", thing


def _is_record(thing):
    """A result (a dataclass that checks nothing, because only its maker creates one) or an error."""
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return True
    return dataclasses.is_dataclass(thing) and not hasattr(thing, "__post_init__")


def _arguments(name, thing):
    if name in WRITTEN:
        return WRITTEN[name]
    names = [
        each.name
        for each in inspect.signature(thing).parameters.values()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    table = (
        {**VALID, **WIDTH}
        if ("relu_network" in name or "weights" in name or "last_layers" in name)
        else VALID
    )
    if not all(each in table for each in names):
        return None
    return {each: table[each] for each in names}


def _sample(size, rng):
    return rng.normal()


def _declared(**options):
    return declare("fuzz.claim", _sample, **options)


def _extra():
    """Calls beside the packages: methods of laws, claims, verdicts."""
    for name, law in LAWS.items():
        if isinstance(law, laws.SpectralLaw):
            yield Call(f"{name}.matrix", partial(random_matrix, law), {"n": lambda: 4, "rng": rng})
    yield Call("Tolerance", Tolerance, {"absolute": lambda: 0.1, "relative": lambda: 0.0})
    yield Call(
        "Parameter",
        Parameter,
        {
            "name": lambda: "gamma", "meaning": lambda: "a ratio", "default": lambda: 1.0, "lowest": lambda: 0.0,
            "highest": lambda: 2.0, "draw_range": lambda: (0.5, 1.0), "assumption": lambda: "",
        },
    )  # fmt: skip
    yield Call(
        "claim",
        _declared,
        {
            "limit": lambda: 0.0, "tolerance": lambda: 0.1, "sizes": lambda: (10, 20, 40), "exponents": lambda: (1.0,),
            "support": lambda: (-9.0, 9.0), "grid": lambda: ({},), "cost": lambda: 1e-6, "memory": lambda: 0.0,
            "statement": lambda: "x → 0", "source": lambda: "eq. (1)", "size_name": lambda: "n",
            "note": lambda: "", "revision": lambda: 1, "standing": lambda: "equation",
        },
    )  # fmt: skip
    made = declare("fuzz.verified", _sample, limit=0.0, tolerance=0.5, sizes=(10, 20, 40), cost=1e-4)
    yield Call(
        "verify",
        partial(verify, made),
        {
            "seed": lambda: 0, "level": lambda: 0.05, "budget": lambda: 0.05,
            "draw": lambda: 0, "executor": lambda: None, "store": lambda: None,
        },
    )  # fmt: skip
    numbers = {
        "sizes": lambda: (10, 20, 40, 80), "values": lambda: (1.1, 1.05, 1.025, 1.0125),
        "errors": lambda: (0.01, 0.01, 0.01, 0.01), "exponents": lambda: (1.0,),
    }  # fmt: skip
    made = network()
    for method in ("output", "gradient", "hessian", "hessian_product"):
        arguments = {"inputs": lambda: matrix(6, 4)}
        if method != "output":
            arguments["targets"] = lambda: matrix(6, 3)
        if method == "hessian_product":
            arguments["vector"] = lambda: np.ones(network().parameters.size)
        yield Call(f"Network.{method}", getattr(made, method), arguments)
    yield Call("analyse_sequence", analyse_sequence, numbers)
    yield Call("extrapolate", extrapolate, numbers)


@functools.cache
def calls():
    """Every call of the table whose valid arguments are accepted, and the names of those without an entry."""
    found = []
    for name, thing in _functions():
        # A public thing is never excused: EXCUSED names modules, whose other parts are private.
        if _is_record(thing) or (name.startswith(EXCUSED) and thing not in _public()):
            continue
        arguments = _arguments(name, thing)
        if arguments is not None and inspect.signature(thing).parameters:
            found.append(Call(name, thing, dict(arguments), (thing,)))
    found += [*_extra(), *object_calls()]
    tried = {
        id(each) for call in found for each in (*call.tries, getattr(call.function, "func", call.function))
    }
    uncovered = [
        name
        for name, thing in public_names()
        if id(thing) not in tried and not _is_record(thing) and name not in NOT_CALLED and _possible(thing)
    ]
    return found, uncovered


@functools.cache
def _public():
    return {thing for _, thing in public_names() if thing.__hash__ is not None}


def _possible(thing):
    """Whether what this needs is installed."""
    return (
        not thing.__module__.startswith("rmtsim.estimators.")
        or importlib.util.find_spec("sklearn") is not None
    )
