"""Public functions with arguments they accept: the table that the fuzz trials start from.

Every function and class in an ``__all__`` of the packages below, and the methods of laws, with valid arguments found by
the names of their parameters; what needs more than names is written out. Records that only hold results, and the inner
parts of solvers, which their callers have checked for, are left out by name: ``uncovered`` lists what has no entry, so
that a new public function is either fuzzed or excused.
"""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
from functools import partial

import numpy as np

from rmtsim import laws
from rmtsim.claims._declare import claim as declare
from rmtsim.claims._model import Parameter, Tolerance
from rmtsim.claims._papers import PAPERS
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.laws import self_energy
from rmtsim.networks._architecture import fully_connected
from rmtsim.papers.dong.simulation import one_hidden_hessian as one_hidden
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks
from rmtsim.papers.l2l.simulation.least_squares import draw_spectral_task, draw_task, spectral_descent
from rmtsim.papers.l2l.simulation.unrolled import draw_quadratic
from rmtsim.papers.li.simulation.hinge_training import hinge_problem, train_hinge
from rmtsim.papers.loglinear.simulation.word_model import word_model
from rmtsim.spectra import random_matrix
from rmtsim.verdicts import verify
from rmtsim.verdicts._models.analysis import analyse_sequence
from rmtsim.verdicts._models.richardson import extrapolate

PACKAGES = [
    *(f"rmtsim.{name}" for name in ("laws", "networks", "curvature", "ensembles", "spectra", "matrix_free")),
    *(
        f"rmtsim.papers.{key}.{part}"
        for key, paper in PAPERS.items()
        for part in ("theory", "simulation")
        if (paper.folder / part).is_dir()
    ),
]


def rng():
    return np.random.default_rng(7)


def matrix(rows=4, columns=4):
    return np.random.default_rng(rows + 10 * columns).standard_normal((rows, columns))


def symmetric(size=4):
    return matrix(size, size) + matrix(size, size).T


@functools.cache
def model():
    return sample_linear(4, 6, 3, rng())


@functools.cache
def state():
    return one_hidden.forward(sample_one_hidden(4, 6, 2, 3, rng()), "ce")


@functools.cache
def task():
    return draw_task(6, 4, 0.5, rng())


@functools.cache
def quadratic():
    return draw_quadratic(3, rng())


@functools.cache
def network():
    return fully_connected([4, 5, 3], "tanh", biases=True, loss="square").sample(rng())


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
    "shift": lambda: 0.0, "single": lambda: False, "size": lambda: 8, "state": state, "transpose": lambda: False,
    "values": lambda: [0.5, 1.0], "variance": lambda: 1.0, "weights": lambda: None, "width": lambda: 0.3,
    "seed": lambda: 3, "mean": lambda: 0.0, "left": lambda: np.eye(4), "right": lambda: None,
    "features": lambda: 0.5, "linear": lambda: 1.0, "nonlinear": lambda: 1.0, "shares": lambda: None,
    "cumulants": lambda: [0.0, 1.0, 0.5], "beta": lambda: 1, "units": lambda: 5, "law": lambda: "gaussian",
    "labels": lambda: "random", "loss": lambda: "ce", "source": lambda: symmetric(), "spike": lambda: 3.0,
    "limit": lambda: 24, "inner": lambda: True, "k": lambda: 2, "step": lambda: 0.3, "steps": lambda: 5,
    "noise": lambda: 0.5, "threshold": lambda: 40.0, "time": lambda: 2.0, "order": lambda: 2, "rate": lambda: 0.2,
    "epochs": lambda: 1.0, "training": lambda: 3, "validation": lambda: 3, "tasks": lambda: 2,
    "rates": lambda: np.array([0.1, 0.2]), "truncation": lambda: 40.0, "coordinates": lambda: np.ones(5),
    "largest_factor": lambda: 2.0, "digits": lambda: "float32", "design": lambda: matrix(6, 4),
    "truth": lambda: np.ones(4), "replicates": lambda: 2, "gain": lambda: 1.0, "task": task,
    "first": lambda: laws.Semicircle(), "problem": quadratic, "dtype": lambda: np.float64, "widths": lambda: [4, 5, 1],
    "activation": lambda: "tanh", "parametrisation": lambda: "fan_in", "biases": lambda: False,
    "bias_deviation": lambda: 0.0, "skips": lambda: False, "output": lambda: "identity", "outputs": lambda: 3,
    "filter": lambda: 3, "deviation": lambda: 1.0, "radius": lambda: 2.0, "degree": lambda: 3,
    "jump": lambda: 0.5, "spikes": lambda: (), "special": lambda: False, "bias": lambda: False, "skip": lambda: False,
}  # fmt: skip
"""A valid value for a parameter of this name, wherever it stands."""

WIDTH = {"width": lambda: 6}  # of a network, not of a band
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
}
METHODS = {
    "density": {"x": lambda: np.linspace(-1.0, 2.0, 3)},
    "cdf": {"x": lambda: np.linspace(-1.0, 2.0, 3)},
    "ppf": {"q": lambda: 0.3},
    "moment": {"k": lambda: 3},
    "stieltjes": {"z": lambda: 0.3 + 0.5j},
}


def _square(size=4, second=None):
    return {"first": lambda: np.linalg.qr(matrix(5, 2))[0], "second": lambda: np.linalg.qr(matrix(5, 2))[0]}


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
    "rmtsim.papers.wu.simulation.eigenspaces.factored_eigenspace": {
        "rows": lambda: matrix(3, 5), "count": lambda: 2, "start": lambda: matrix(5, 2),
    },
    "rmtsim.papers.wu.simulation.eigenspaces.overlap": _square(),
    "rmtsim.papers.wu.simulation.eigenspaces.row_space": {"weights": lambda: matrix(2, 5)},
    "rmtsim.papers.wu.simulation.eigenspaces.top_eigenspace": {"matrix": symmetric, "count": lambda: 2,
    "extra": lambda: 0},
    "rmtsim.papers.wu.simulation.eigenspaces.top_eigenvalues": {"matrix": symmetric, "count": lambda: 2},
    "rmtsim.curvature._linear_energies.block_norms": {"model": model, "pairs": lambda: [(0, 1), (1, 1)]},
    "rmtsim.papers.dong.simulation.one_hidden_hessian.forward": {
        "network": lambda: sample_one_hidden(4, 6, 2, 3, rng()), "loss": lambda: "mse",
    },
    "rmtsim.papers.wu.simulation.output_hessian.curvatures": {"confidence": lambda: np.full((4, 3), 1 / 3)},
    "rmtsim.papers.dong.simulation.stated_losses.linear_square_loss": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: matrix(3, 2),
    },
    "rmtsim.papers.dong.simulation.stated_losses.network_square_loss": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: matrix(3, 2), "hidden": lambda: 2,
    },
    "rmtsim.papers.dong.simulation.stated_losses.network_cross_entropy": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: np.eye(3)[:, :2], "hidden": lambda: 2,
    },
    "rmtsim.papers.dong.simulation.stated_losses.binary_cross_entropy": {
        "x": lambda: np.ones(2), "output": lambda: np.ones(2), "label": lambda: 1,
    },
    "rmtsim.papers.wu.simulation.energy_distances.rectified_energy_distance": {
        "values": lambda: np.abs(matrix(4, 1))[:, 0], "variance": lambda: 1.0,
    },
    "rmtsim.papers.wu.simulation.energy_distances.logit_energy_distance": {
        "hidden": lambda: np.abs(matrix(4, 5)), "classes": lambda: 3, "variance": lambda: 1.0,
    },
    "rmtsim.papers.li.simulation.hinge_kinks.gate_distance": {
        "network": lambda: hinge_problem(4, 3, 1, rng())[0], "inputs": lambda: matrix(6, 4),
    },
    "rmtsim.papers.li.simulation.hinge_kinks.clarke_slope": {
        "network": lambda: hinge_problem(2, 2, 1, rng())[0], "inputs": lambda: matrix(3, 2),
        "labels": lambda: np.array([[1.0], [-1.0], [1.0]]), "rng": rng, "radius": lambda: 1e-6, "points": lambda: 5,
    },
    "rmtsim.papers.li.simulation.hinge_kinks.descend_to_kink": {
        "end": lambda: train_hinge(2, 2, 3, rng(), 1, steps=3)[0], "rng": rng, "walks": lambda: 1,
    },
    "rmtsim.papers.liu.simulation.wide_convolutions.sample_convolutions": {
        "channels": lambda: (2, 5), "count": lambda: 2, "rng": rng, "image": lambda: np.ones((4, 2)),
        "sigma": lambda: "tanh", "filter_size": lambda: 3, "radius": lambda: 1.0,
    },
    "rmtsim.papers.liu.theory.bent_output.sine_kernel": {"inputs": lambda: np.array([0.8, 2.0])},
    "rmtsim.papers.liu.theory.bent_output.bent_kernel_change": {
        "bend": lambda: 0.5, "inputs": lambda: np.array([0.8, 2.0]), "targets": lambda: np.array([1.0, -1.0]),
        "steps": lambda: 3, "rate": lambda: 0.1, "nodes": lambda: 6,
    },
    "rmtsim.papers.li.simulation.hinge_training.dead_samples": {
        "network": lambda: hinge_problem(4, 3, 1, rng())[0], "inputs": lambda: matrix(6, 4),
    },
    "rmtsim.papers.li.simulation.hinge_training.train_hinge": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 4, "rng": rng, "replicates": lambda: 2,
        "step": lambda: 0.1, "steps": lambda: 5,
    },
    "rmtsim.papers.li.simulation.hinge_training.stationary_without_output": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 8, "rng": rng,
    },
    "rmtsim.papers.li.simulation.hinge_training.hinge_problem": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 4, "rng": rng,
    },
    "rmtsim.papers.wu.simulation.last_layers.last_layers": {
        "hidden": lambda: matrix(4, 5), "classes": lambda: 3, "count": lambda: 2, "rng": rng,
    },
    "rmtsim.curvature._linear_model.LinearModel": {"inputs": lambda: matrix(6, 4), "weights": lambda: matrix(3, 4)},
    "rmtsim.papers.dong.simulation.one_hidden_batches.train_together": {
        "networks": lambda: [sample_one_hidden(4, 6, 2, 3, rng())], "loss": lambda: "mse", "steps": lambda: 2,
        "rate": lambda: 0.1, "checks": lambda: (0, 2),
    },
    "rmtsim.ensembles._tridiagonal.tridiagonal_form": {"matrix": symmetric},
    "rmtsim.papers.dong.simulation.one_hidden_stack.draw_stacks": {
        "dimension": lambda: 4, "samples": lambda: 6, "hidden": lambda: 2, "classes": lambda: 3, "networks": lambda: 3,
        "rng": rng, "accepted": lambda: None,
    },
    "rmtsim.papers.dong.simulation.one_hidden_stack_hessian.hidden_square_energies": {
        "stack": lambda: next(draw_stacks(4, 6, 2, 3, 2, rng())),
    },
    "rmtsim.papers.dong.simulation.one_hidden.OneHiddenNetwork": {
        "inputs": lambda: matrix(6, 4), "hidden": lambda: matrix(2, 4), "output": lambda: matrix(3, 2),
        "targets": lambda: matrix(6, 3),
    },
    "rmtsim.laws._affine.AffineLaw": {
        "law": laws.Semicircle, "scale": lambda: 2.0, "shift": lambda: 1.0,
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
    "rmtsim.papers.dong.theory.curvature_population.hidden_population": {
        "output": lambda: matrix(3, 2), "diagonal": lambda: True, "atoms": lambda: 64,
    },
    "rmtsim.papers.dong.theory.hidden_given_output.hidden_energy_given_output": {
        "output": lambda: matrix(3, 2), "gamma": lambda: 1.0, "diagonal": lambda: True,
    },
    "rmtsim.papers.dong.theory.curvature_population.linear_population": {
        "classes": lambda: 3, "diagonal": lambda: True, "atoms": lambda: 64,
    },
    "rmtsim.papers.li.theory.mean_field.activation_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "rmtsim.papers.li.theory.mean_field.gradient_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "rmtsim.papers.li.theory.mean_field.hessian_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "rmtsim.papers.li.theory.mean_field.entry_variance": {
        "width": lambda: 6, "layers": lambda: 5, "factor": lambda: 2.0, "input_variance": lambda: 1.0,
    },
    "rmtsim.papers.li.theory.null_counts.correlation_p_values": {
        "correlations": lambda: [0.0, 0.5], "samples": lambda: 5,
    },
    "rmtsim.papers.li.theory.null_counts.discoveries": {"p_values": lambda: [0.01, 0.5], "level": lambda: 0.05},
    "rmtsim.papers.li.theory.null_counts.family_threshold": {
        "dimension": lambda: 4, "samples": lambda: 5, "level": lambda: 0.05,
    },
    "rmtsim.papers.li.simulation.entry_statistics.varying": {"draws": lambda: matrix(6, 4)},
    "rmtsim.papers.li.simulation.entry_statistics.standardised": {"draws": lambda: matrix(6, 4)},
    "rmtsim.papers.li.simulation.entry_statistics.normalised_cumulants": {"draws": lambda: matrix(6, 4),
    "order": lambda: 3},
    "rmtsim.papers.li.simulation.entry_statistics.nonzero_count": {
        "draws": lambda: matrix(6, 4), "order": lambda: 3, "threshold": lambda: 0.3, "ordered": lambda: True,
    },
    "rmtsim.laws._edge_scaling.wigner_edge": {"n": lambda: 50, "beta": lambda: 1, "variance": lambda: 1.0},
}  # fmt: skip

_SMOOTH = {"activation": lambda: "tanh", "x": lambda: 1.0}
WRITTEN |= {
    f"rmtsim.papers.liu.theory.one_hidden_layer.{name}": _SMOOTH
    for name in (
        "criterion_constant", "hessian_constant", "hessian_deficit_rate", "kernel_limit", "output_variance",
    )
} | {
    "rmtsim.papers.liu.theory.activations.derivative": {
        "activation": lambda: "tanh", "z": lambda: [0.0, 1.0], "order": lambda: 1,
    },
    "rmtsim.papers.liu.theory.gaussian.expectation": {"function": lambda: np.cos, "variance": lambda: 1.0},
    "rmtsim.papers.liu.theory.one_hidden_layer.trained_hessian_exceedance": {**_SMOOTH, "level": lambda: 1.0},
    "rmtsim.papers.liu.theory.one_hidden_layer.trained_hessian_median": {**_SMOOTH, "log_width": lambda: 5.0},
    "rmtsim.papers.liu.theory.one_hidden_layer.trained_hessian_quantile": {
        **_SMOOTH, "log_width": lambda: 5.0, "probability": lambda: 0.3,
    },
    "rmtsim.papers.liu.theory.deep.logarithm_as_power": {"smallest": lambda: 16.0, "largest": lambda: 256.0},
    "rmtsim.papers.liu.simulation.tensor_norm.tensor_norm_221": {
        "tensor": lambda: np.random.default_rng(0).standard_normal((2, 3, 4)), "exact_up_to": lambda: 10,
    },
}  # fmt: skip
_DATA = {"network": network, "inputs": lambda: matrix(6, 4), "targets": lambda: matrix(6, 3)}
_RUN = {"task": lambda: draw_spectral_task(6, 4, 0.5, rng()), "rates": lambda: np.array([0.1, 0.2])}
_OBJECTIVE = {
    "tasks": lambda: 2, "dimension": lambda: 4, "noise": lambda: 0.5, "rates": lambda: np.array([0.1, 0.2]),
    "steps": lambda: 3, "rng": rng, "truncation": lambda: 40.0,
}  # fmt: skip
WRITTEN |= {
    "rmtsim.laws._free.compression.free_compression": {
        "law": lambda: laws.MarchenkoPastur(0.5), "share": lambda: 0.3,
    },
    "rmtsim.laws._free.convolution.free_product": {
        "first": lambda: laws.MarchenkoPastur(0.5), "second": lambda: laws.MarchenkoPastur(0.3),
    },
    "rmtsim.laws._free.convolution.free_sum": {
        "first": laws.Semicircle, "second": lambda: laws.MarchenkoPastur(0.3),
    },
    "rmtsim.papers.l2l.theory.sgd.sgd_moments": {
        "design": lambda: matrix(6, 4), "labels": lambda: np.ones(6), "truth": lambda: np.ones(4),
        "step": lambda: 0.1, "steps": lambda: 3,
    },
    "rmtsim.papers.l2l.theory.sgd.sgd_training_loss": {
        "design": lambda: matrix(6, 4), "labels": lambda: np.ones(6), "step": lambda: 0.1, "steps": lambda: 3,
    },
    "rmtsim.papers.l2l.simulation.least_squares.spectral_descent": {**_RUN, "steps": lambda: 5, "truncation":
    lambda: 40.0},
    "rmtsim.papers.l2l.simulation.least_squares.validation_losses": {
        "descent": lambda: spectral_descent(draw_spectral_task(6, 4, 0.5, rng()), np.array([0.1]), 5),
        "samples": lambda: 3, "rng": rng,
    },
    "rmtsim.papers.l2l.simulation.task_batches.draw_tasks": {
        "spectra": lambda: 2, "each": lambda: 3, "samples": lambda: 6, "dimension": lambda: 4, "noise": lambda: 0.5,
        "rng": rng,
    },
    "rmtsim.papers.l2l.simulation.meta_objectives.sample_train_by_train": {
        **_OBJECTIVE, "samples": lambda: 6,
    },
    "rmtsim.papers.l2l.simulation.meta_objectives.sample_train_by_validation": {
        **_OBJECTIVE, "training": lambda: 6, "validation": lambda: 3,
    },
    "rmtsim.papers.dong.simulation.pre_activations.sample_pre_activations": {
        "dimension": lambda: 4, "hidden": lambda: 3, "pairs": lambda: 5, "rng": rng, "spread": lambda: 1.0,
    },
    "rmtsim.spectra._population.deconvolve": {
        "source": lambda: np.linspace(0.5, 2.0, 40), "samples": lambda: 120, "outliers": lambda: 0, "beta": lambda: 1,
        "level": lambda: 0.05, "name": lambda: "mine",
    },
    "rmtsim.papers.l2l.simulation.unrolled.meta_descent": {
        "gradient": lambda: abs, "start": lambda: 0.5, "iterations": lambda: 3, "rule": lambda: "plain",
        "rate": lambda: 0.1,
    },
    "rmtsim.laws._spiked_covariance.SpikedCovariance": {
        "ratio": lambda: 0.5, "spikes": lambda: [9.0], "variance": lambda: 1.0, "population": lambda: [1.0, 2.0],
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
}  # fmt: skip

_AT = {"x": lambda: 0.7}
_SHALLOW = _AT | {"activation": lambda: "tanh", "output": lambda: "softplus"}
_BATCH = {"parameters": lambda: np.random.default_rng(3).standard_normal((4, 2, 6))}
WRITTEN |= {
    **{
        f"rmtsim.papers.liu.theory.bottleneck.{name}": _AT
        for name in ("block_norm_mean", "bottleneck_norm_mean", "bottleneck_kernel_mean")
    },
    "rmtsim.papers.liu.theory.bottleneck.block_norm_cdf": _AT | {"values": lambda: [0.5, 1.0]},
    "rmtsim.papers.liu.theory.bottleneck.bottleneck_norm_cdf": _AT | {"values": lambda: [0.5, 1.0]},
    "rmtsim.papers.liu.theory.bottleneck.bottleneck_kernel_change": {"label": lambda: 1.0},
    "rmtsim.papers.liu.theory.bottleneck.survival_in_ball": {"radius": lambda: 0.5},
    "rmtsim.papers.liu.theory.bottleneck.shifted_sum_floor": {"radius": lambda: 0.5},
    **{
        f"rmtsim.papers.liu.theory.nonlinear_output.{name}": {key: _SHALLOW[key] for key in keys.split()}
        for name, keys in (
            ("output_variance", "activation x"),
            ("output_kernel_limit", "activation output x"),
            ("output_hessian_limit", "activation output x"),
        )
    },
    "rmtsim.papers.liu.theory.nonlinear_output.output_kernel_change": {
        "activation": lambda: "tanh", "x": lambda: 0.7, "label": lambda: 1.0,
    },
    "rmtsim.papers.liu.simulation.rank_one.rank_one_norms": {
        "diagonal": lambda: matrix(2, 4), "vector": lambda: matrix(2, 4), "weight": lambda: [0.5, -1.0],
    },
    "rmtsim.papers.liu.simulation.bottleneck.sample_bottlenecks": {"width": lambda: 6, "count": lambda: 2, "rng": rng},
    "rmtsim.papers.liu.simulation.bottleneck.bottleneck_gradients": _BATCH | _AT,
    "rmtsim.papers.liu.simulation.bottleneck.bottleneck_norms": _BATCH | _AT | {"blocks": lambda: 3},
    "rmtsim.papers.liu.simulation.bottleneck.stratified_bottlenecks": {
        "width": lambda: 6, "count": lambda: 2, "strata": lambda: 3, "rng": rng,
    },
    "rmtsim.papers.liu.simulation.bottleneck.distance_to_flat_point": _BATCH | _AT,
    "rmtsim.papers.liu.simulation.bottleneck.bottleneck_flow": _BATCH | {"label": lambda: 1.0},
    "rmtsim.papers.liu.simulation.wide_networks.in_portions": {"count": lambda: 3, "widths": lambda: (3, 5, 1)},
    "rmtsim.papers.liu.simulation.wide_networks.sample_wide": {
        "widths": lambda: (3, 5, 5, 1), "count": lambda: 2, "rng": rng, "x": lambda: np.ones(3),
        "sigma": lambda: "tanh", "skips": lambda: True,
    },
    "rmtsim.networks._one_input.one_input_hessian": {
        "network": lambda: fully_connected([3, 5, 1], "tanh").sample(rng()), "x": lambda: np.ones(3),
        "targets": lambda: None,
    },
}  # fmt: skip

_D = {"dictionary": lambda: matrix(4, 5) + np.eye(4, 5), "sparsity": lambda: 2}
_Y = _D | {"measurements": lambda: matrix(3, 4)}
_P = {"atoms": lambda: 6, "sparsity": lambda: 2}
_BLOCKS = {"seen": lambda: matrix(4, 2), "hidden": lambda: matrix(3, 2)}
_RISK = _BLOCKS | {"noise": lambda: 0.5, "signal": lambda: 1.0}
WRITTEN |= {
    "rmtsim.papers.sparse.simulation.decoding.best_codes": _Y,
    "rmtsim.papers.sparse.simulation.decoding.explained_energy": _Y,
    "rmtsim.papers.sparse.simulation.decoding.orthogonal_matching_pursuit": _Y,
    "rmtsim.papers.sparse.simulation.draws.draw_codes": {
        "count": lambda: 3, "atoms": lambda: 5, "sparsity": lambda: 2, "rng": rng, "magnitudes": lambda: "equal",
    },
    "rmtsim.papers.sparse.simulation.draws.draw_dictionary": {"dimension": lambda: 4, "atoms": lambda: 5, "rng": rng},
    "rmtsim.papers.sparse.simulation.draws.draw_measurements": {
        "dictionary": lambda: matrix(4, 5), "codes": lambda: matrix(3, 5), "noise": lambda: 0.5, "rng": rng,
    },
    "rmtsim.papers.sparse.simulation.draws.normalised": {"dictionary": lambda: matrix(4, 5)},
    "rmtsim.papers.sparse.simulation.estimators.least_squares_estimate": _BLOCKS | {"observed": lambda: matrix(3, 4)},
    "rmtsim.papers.sparse.simulation.estimators.ridge_estimate": _BLOCKS | {
        "observed": lambda: matrix(3, 4), "penalty": lambda: 0.3,
    },
    "rmtsim.papers.sparse.simulation.isometry.incoherence": {"dictionary": lambda: matrix(4, 5)},
    "rmtsim.papers.sparse.simulation.isometry.isometry_constant": _D,
    "rmtsim.papers.sparse.simulation.isometry.isometry_bounds": {"dictionary": lambda: np.eye(4), "sparsity":
    lambda: 2},
    "rmtsim.papers.sparse.simulation.losses.masked_loss": _Y | {"mask": lambda: [0, 1, 3]},
    "rmtsim.papers.sparse.simulation.losses.masked_losses": _Y | {"mask": lambda: [0, 1, 3]},
    "rmtsim.papers.sparse.simulation.losses.recovery_error": {"truth": lambda: matrix(4, 5), "learned": lambda:
    matrix(4, 6)},
    "rmtsim.papers.sparse.simulation.losses.sparse_losses": _Y,
    "rmtsim.papers.sparse.simulation.over_realised.directions_of_pairs": {
        "dictionary": lambda: matrix(4, 3), "spacing": lambda: 0.5,
    },
    "rmtsim.papers.sparse.simulation.over_realised.lattice_net": {
        "dictionary": lambda: matrix(4, 3), "radius": lambda: 1.0, "resolution": lambda: 0.3,
    },
    "rmtsim.papers.sparse.simulation.over_realised.two_columns_each": {
        "dictionary": lambda: matrix(4, 3), "angle": lambda: 0.2,
    },
    "rmtsim.papers.sparse.simulation.training.initial_dictionary": {
        "truth": lambda: matrix(4, 3), "samples": lambda: matrix(5, 4), "atoms": lambda: 4, "kind": lambda: "local",
    },
    "rmtsim.papers.sparse.simulation.training.train": {
        "measurements": lambda: matrix(6, 4), "start": lambda: matrix(4, 5), "sparsity": lambda: 2,
        "epochs": lambda: 1, "rng": rng, "visible": lambda: 3, "batch": lambda: 3, "rate": lambda: 0.01,
        "progress": lambda: None,
    },
    "rmtsim.papers.sparse.theory.order_statistics.gain_of_more_atoms": _P,
    "rmtsim.papers.sparse.theory.order_statistics.net_gain": {"atoms": lambda: 4, "step": lambda: 0.5},
    "rmtsim.papers.sparse.theory.order_statistics.top_squares": {
        "count": lambda: 5, "first": lambda: 1, "last": lambda: 2,
    },
    "rmtsim.papers.sparse.theory.order_statistics.top_squares_limit": {"share": lambda: 0.2},
    "rmtsim.papers.sparse.theory.order_statistics.two_column_gain": _P,
    "rmtsim.papers.sparse.theory.masking.ridge_risk": _RISK | {"penalty": lambda: 0.3},
    "rmtsim.papers.sparse.theory.masking.bayes_risk": _RISK,
    "rmtsim.papers.sparse.theory.masking.least_squares_risk": _BLOCKS | {"noise": lambda: 0.5},
    "rmtsim.papers.sparse.theory.masking.missed_support_amplitude": _P,
    "rmtsim.papers.sparse.theory.masking.missed_energy_amplitude": _P,
    "rmtsim.papers.sparse.theory.masking.excess_amplitude": _P,
    "rmtsim.papers.sparse.theory.masking.coherence_probability": {
        "dimension": lambda: 8, "atoms": lambda: 5, "level": lambda: 0.5,
    },
}  # fmt: skip

_LOGITS = {"dictionary": lambda: matrix(5, 3), "contexts": lambda: matrix(4, 3)}
_MODEL = {
    "teacher": lambda: word_model(matrix(5, 3), matrix(4, 3)),
    "student": lambda: word_model(matrix(5, 2), matrix(4, 2)),
}
_SPHERE = {"dimension": lambda: 6, "deviation": lambda: 1.0, "length": lambda: 0.8}
_ATOMS = {
    "rank": lambda: 3,
    "deviation": lambda: 1.0,
    "mean": lambda: 0.5,
    "spread": lambda: 0.3,
    "level": lambda: 1.0,
}
_RARE = {"probability": lambda: 0.1, "shift": lambda: 2.0}
_ROOM = {"activity": lambda: [0.5, 2.0], "room": lambda: 1.0}
WRITTEN |= {
    "rmtsim.papers.loglinear.theory.anchors.anchor_error": _ATOMS,
    "rmtsim.papers.loglinear.theory.anchors.intercept_error": {key: _ATOMS[key] for key in ("rank",
    "deviation", "spread")},
    "rmtsim.papers.loglinear.theory.anchors.spherical_log_mean": _SPHERE,
    "rmtsim.papers.loglinear.theory.anchors.spherical_variance": _SPHERE,
    "rmtsim.papers.loglinear.theory.anchors.spherical_anchor_error": _SPHERE | {"level": lambda: 1.0},
    "rmtsim.papers.loglinear.theory.anchors.gaussian_variance": {"deviation": lambda: 1.0, "length": lambda: 0.8},
    "rmtsim.papers.loglinear.theory.anchors.bulk_level": {
        "deviation": lambda: 1.0, "length": lambda: 0.8, "share": lambda: 0.1,
    },
    "rmtsim.papers.loglinear.theory.lowered_word.lowered_word_divergence": _RARE,
    "rmtsim.papers.loglinear.theory.lowered_word.lowered_word_bound": _RARE,
    "rmtsim.papers.loglinear.theory.transfer.tradeoff": _ROOM | {"bulk_error": lambda: 0.3},
    "rmtsim.papers.loglinear.theory.transfer.least_tradeoff": _ROOM,
    "rmtsim.papers.loglinear.theory.transfer.tradeoff_floor": _ROOM,
    "rmtsim.papers.loglinear.simulation.word_model.word_model": _LOGITS,
    "rmtsim.papers.loglinear.simulation.word_model.kl_divergence": _MODEL,
    "rmtsim.papers.loglinear.simulation.word_model.l1_distance": _MODEL,
    "rmtsim.papers.loglinear.simulation.word_model.shifted_student": {"teacher": _MODEL["teacher"], "shifts":
    lambda: np.zeros(5)},
    "rmtsim.papers.loglinear.simulation.misclassified.instances_from": {
        "points": lambda: matrix(3, 19), "words": lambda: 2, "largest_error": lambda: 0.1, "offset": lambda: None,
        "equal_bulk": lambda: False,
    },
    "rmtsim.papers.loglinear.simulation.misclassified.point_length": {"words": lambda: 2},
    "rmtsim.papers.loglinear.simulation.misclassified.draw_instances": {
        "count": lambda: 3, "words": lambda: 2, "rng": rng, "largest_error": lambda: 0.1, "spread": lambda: 1.0,
    },
    "rmtsim.papers.loglinear.simulation.adversary.maximise": {
        "objective": lambda: lambda points: -np.sum(points**2, axis=1), "dimension": lambda: 2, "rng": rng,
        "population": lambda: 6, "generations": lambda: 3, "spread": lambda: 1.0,
    },
    "rmtsim.papers.loglinear.simulation.anchors.draw_dictionary": {
        "kind": lambda: "cone", "words": lambda: 5, "dimension": lambda: 4, "rng": rng, "deviation": lambda: 1.0,
        "common": lambda: 2.0, "rank": lambda: 2, "freedom": lambda: 3.0,
    },
    "rmtsim.papers.loglinear.simulation.anchors.draw_contexts": {
        "count": lambda: 5, "dimension": lambda: 4, "rng": rng, "mean": lambda: 1.0, "deviation": lambda: 1.0,
    },
    "rmtsim.papers.loglinear.simulation.anchors.sphere_contexts": {
        "count": lambda: 5, "dimension": lambda: 4, "rng": rng, "length": lambda: 1.0,
    },
    "rmtsim.papers.loglinear.simulation.anchors.anchor_fit": {
        "contexts": lambda: matrix(5, 3), "log_partition": lambda: np.ones(5), "intercept": lambda: False,
    },
    "rmtsim.papers.loglinear.simulation.anchors.anchor_curve": {
        "model": lambda: word_model(matrix(5, 3), matrix(4, 3)), "removed": lambda: [0, 2], "intercept": lambda: False,
    },
}  # fmt: skip

EXCUSED = (
    # compiled loops, whose callers check the arguments
    "rmtsim.curvature._linear_kernel.",
    *(f"rmtsim.papers.{key}.simulation.kernels." for key in PAPERS),
    "rmtsim.papers.l2l.simulation.unrolled.backpropagate",  # shows what floats do: says that it may answer NaN
    "rmtsim.papers.loglinear.simulation.anchors.load_embedding",  # files have a test of their own

    # inner parts of solvers, called by laws that have checked everything
    "rmtsim.laws.dyson._continuation.", "rmtsim.laws.dyson._iterate.", "rmtsim.laws.dyson._krylov.",
    "rmtsim.laws.dyson._problem.", "rmtsim.laws.dyson._quadrature.", "rmtsim.laws.dyson._support.",
    "rmtsim.laws.dyson._values.", "rmtsim.laws._inverse_map.", "rmtsim.laws._critical.",
    "rmtsim.ensembles._entries.",
    "rmtsim.laws._roots.", "rmtsim.spectra._shrinkage.Shrinkage",
    "rmtsim.laws._base.", "rmtsim.laws._edges.", "rmtsim.laws._painleve.", "rmtsim.laws._spikes.",
    "rmtsim.laws.self_energy._base.", "rmtsim.laws.self_energy._function.", "rmtsim.laws._population.of_",
    "rmtsim.laws.self_energy._block.",
    "rmtsim.papers.dong.theory.relu_pairs.", "rmtsim.papers.dong.theory.softmax_overlap.",
    "rmtsim.laws._population.Population", "rmtsim.laws._free.bands.", "rmtsim.laws._free.parts.",
    "rmtsim.laws._free.shifts.", "rmtsim.laws._free.subordination.",
    "rmtsim.laws._piecewise.",
    "rmtsim.laws.dyson._axis.", "rmtsim.laws.dyson._conditions.spread_intervals", "rmtsim.laws.dyson._edge.",
    "rmtsim.laws.dyson._kernels.", "rmtsim.papers.l2l.simulation.least_squares.learned_share",
    "rmtsim.laws.dyson._merge.", "rmtsim.laws.dyson._structure.", "rmtsim.laws._kernels.",
    "rmtsim.laws._free_cumulants.exact_moment", "rmtsim.papers.l2l.theory.powers.",
    "rmtsim.papers.l2l.theory.spectrum.",
    # inner parts of spectra, reached through `spectrum` and `model_spectrum`; files have a fuzz test of their own
    "rmtsim.spectra._bulk.", "rmtsim.spectra._chebyshev.", "rmtsim.spectra._outliers.", "rmtsim.spectra._populated.",
    "rmtsim.spectra._estimated.", "rmtsim.spectra._operator_spectrum.", "rmtsim.spectra._population_fit.",
    "rmtsim.spectra._reading.", "rmtsim.spectra._words.", "rmtsim.spectra._page.", "rmtsim.spectra._weights.",
    "rmtsim.spectra._safetensors.", "rmtsim.spectra._fitted.",
    # inner parts of the network engine, reached through a network's methods, which check
    "rmtsim.networks._accumulate.", "rmtsim.networks._dense_hessian.", "rmtsim.networks._block_norms.",
    "rmtsim.matrix_free._lanczos.", "rmtsim.matrix_free._batched_lanczos.",
    "rmtsim.papers.liu.simulation.wide_networks.WideNetworks",
    "rmtsim.papers.liu.simulation.wide_convolutions.WideConvolutions",
    "rmtsim.matrix_free._estimates.", "rmtsim.matrix_free._operators.read_operator",
    "rmtsim.networks._passes.", "rmtsim.networks._products.", "rmtsim.networks._softmax.",
    "rmtsim.networks._one_input.OneInputHessian",
    "rmtsim.networks._tangent_kernel.", "rmtsim.networks._unit_motions.", "rmtsim.networks._torch_import.",
    "rmtsim.networks._architecture.Architecture",  # of layers that were checked
    "rmtsim.networks._network.representable",
    # parts of two-layer experiments, which take what draw_responses returns
    "rmtsim.papers.wu.simulation.two_layer", "rmtsim.papers.wu.simulation.full_hessian.",
    "rmtsim.papers.wu.simulation.gauss_newton.",
    "rmtsim.papers.wu.simulation.known_averages.", "rmtsim.papers.wu.simulation.layer_hessian.",
    "rmtsim.papers.wu.simulation.network_batches.",
    "rmtsim.papers.wu.simulation.known_squares.",
    "rmtsim.papers.wu.simulation.later_layers.", "rmtsim.papers.wu.simulation.output_hessian.",
    "rmtsim.papers.wu.simulation.halves.",
    "rmtsim.papers.wu.simulation.eigenspaces.lanczos",
    "rmtsim.papers.wu.simulation.eigenspaces.corrected_overlap", "rmtsim.curvature._differentiation.",
    "rmtsim.papers.wu.simulation.eigenspaces.overlap_of_halves",
    "rmtsim.papers.wu.simulation.eigenspaces.shared_energy",
    "rmtsim.papers.wu.simulation.eigenspaces.iterated_eigenspace",
    "rmtsim.papers.wu.simulation.eigenspaces.largest_eigenvalues",
    "rmtsim.papers.dong.simulation.one_hidden_average.", "rmtsim.papers.wu.simulation.activation_pairs.",
    "rmtsim.papers.wu.simulation.relu_network.respond", "rmtsim.papers.wu.simulation.relu_network.slice_of_inputs",
    # the border of rmtsim.papers.sparse.simulation itself, reached through what it guards
    "rmtsim.papers.sparse.simulation.checks.", "rmtsim.papers.sparse.simulation.decoding.check_supports",
    # an iterator, which checks when it is asked for its first batch
    "rmtsim.papers.wu.simulation.relu_batches.draw_network_batches",
    "rmtsim.papers.dong.simulation.one_hidden_stack.NetworkStack",  # arrays that draw_stacks has drawn
    # an iterator over a training, whose container of steps may be anything with "in"
    "rmtsim.papers.dong.simulation.one_hidden_training.",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Call:
    """A callable with a valid argument for each of its parameters."""

    name: str
    function: object
    arguments: dict


def _functions():
    for package in PACKAGES:
        root = importlib.import_module(package)
        inside = pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.")
        for found in [package, *(each.name for each in inside)]:
            module = importlib.import_module(found)
            for name in getattr(module, "__all__", ()):
                thing = getattr(module, name)
                if callable(thing) and getattr(thing, "__module__", "") == module.__name__:
                    yield f"{module.__name__}.{name}", thing


def _is_record(thing):
    """A result: a dataclass that checks nothing, because nobody but its maker makes one."""
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
    for law_name, law in LAWS.items():
        for method, arguments in METHODS.items():
            yield Call(f"{law_name}.{method}", getattr(law, method), arguments)
        yield Call(f"{law_name}.matrix", partial(random_matrix, law), {"n": lambda: 4, "rng": rng})
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
            "seed": lambda: 0, "level": lambda: 0.05, "budget": lambda: 0.05, "control": lambda: 0.0,
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
    found, uncovered = [], []
    for name, thing in _functions():
        if name.startswith(EXCUSED) or _is_record(thing):
            continue
        arguments = _arguments(name, thing)
        if arguments is None:
            uncovered.append(name)
        elif arguments or inspect.signature(thing).parameters:
            found.append(Call(name, thing, dict(arguments)))
    return [*found, *_extra()], uncovered
