"""Every public function of `rmtsim.predict` answers arrays entry by entry: a new one that is not listed here fails."""

import dataclasses
import functools
import importlib
import inspect
import itertools
import pickle
import pkgutil

import numpy as np
import pytest
import rmtsim.predict

from rmtsim._internal.arrays import Records

NOT_ELEMENTWISE = {
    "arrays": "the decorators themselves",
    "curvature_population.hidden_population": "answers a law as atoms",
    "curvature_population.linear_population": "answers a law as atoms",
    "l2l.powers.powers": "powers at the nodes of a rule: takes the array of nodes",
    "l2l.spectrum.nodes": "answers a rule of integration",
    "liu.bent_output.sine_kernel": "answers a matrix",
    "quasi_random.sobol_points": "points",
    "quasi_random.seeded_points": "points",
    "relu_pairs.quadrant_points": "points",
    "relu_pairs.squared_overlap_average": "averages a function that is given",
    "relu_pairs.tilted_neurons": "points",
    "softmax_overlap.curvature_product": "takes the geometry of one pair of inputs",
    "softmax_overlap.probability_products": "takes the geometry of one pair of inputs",
    "wu.curvature.curvature_matrices": "points of a law",
    "wu.curvature.outlier_eigenvalues": "points of a law",
}
"""Public functions that are no predictor of numbers from numbers, and why; a whole module by its name."""


class Whole:
    """An argument that is an array by its meaning and enters every call as it is."""

    def __init__(self, value):
        self.value = value


SPECTRUM = {"eigenvalues": Whole([1.0, 4.0]), "coordinates": Whole([0.6, 0.8])}
TASK = {"design": Whole([[1.0, 0.0], [0.5, 1.0]]), "labels": Whole([1.0, 0.5])}
MASKED = {"seen": Whole([[1.0, 0.2], [0.0, 1.0]]), "hidden": Whole([[0.3, 1.0]])}
STEPS = {"step": [0.05, 0.4], "steps": [3, 40], "noise": [0.5, 2.0], "ratio": [0.5, 2.0]}
NAMES = ["tanh", "softplus"]

EXAMPLES = {
    "dong.fan_out.first_layer_diagonal": {"gamma": [0.5, 2.0], "hidden": 3, "width": [4, 9], "classes": [2, 5]},
    "dong.fan_out.first_layer_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 3, "width": [4, 9], "classes": [2, 5]},
    "dong.fan_out.fixed_classes_ratio": {"gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 5]},
    "dong.fan_out.growing_classes_ratio": {"gamma": [0.5, 2.0], "hidden": 3, "width": [4, 9]},
    "dong.hidden_finite.hidden_ce_diagonal": {"gamma": [0.5, 2.0], "hidden": 5, "classes": 10**5},
    "dong.hidden_finite.hidden_ce_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 5, "classes": 10**5},
    "dong.hidden_finite.hidden_mse_diagonal": {
        "gamma": [0.5, 2.0], "hidden": [3, 4], "classes": 7, "factor": [1.0, 2.0],
    },
    "dong.hidden_finite.hidden_mse_offdiagonal": {
        "gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7], "factor": [1.0, 2.0],
    },
    "dong.hidden_finite.output_ce_diagonal": {"hidden": 5, "classes": [10**5, 2 * 10**5]},
    "dong.hidden_finite.output_ce_offdiagonal": {"hidden": 5, "classes": [10**5, 2 * 10**5]},
    "dong.hidden_finite.printed_hidden_ce_diagonal": {"gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7]},
    "dong.hidden_finite.printed_hidden_ce_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7]},
    "dong.hidden_given_output.hidden_energy_given_output": {
        "output": Whole([[1.0, 0.5], [0.0, 1.0], [2.0, 0.3]]), "gamma": [0.5, 2.0], "diagonal": [True, False],
    },
    "dong.hidden_limits.constants": {"hidden": [3, 8]},
    "dong.hidden_limits.hidden_ce_diagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "dong.hidden_limits.hidden_ce_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "dong.hidden_limits.hidden_mse_diagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8], "factor": [1.0, 2.0]},
    "dong.hidden_limits.hidden_mse_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8], "factor": [1.0, 2.0]},
    "dong.hidden_limits.output_ce_diagonal_limit": {"hidden": [3, 8]},
    "dong.hidden_limits.output_ce_offdiagonal_limit": {"hidden": [3, 8]},
    "dong.hidden_limits.printed_constants": {"hidden": [3, 8]},
    "dong.hidden_limits.printed_hidden_ce_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "dong.hidden_limits.printed_output_ce_diagonal_limit": {"hidden": [3, 8]},
    "dong.hidden_limits.printed_output_ce_offdiagonal_limit": {"hidden": [3, 8]},
    "dong.linear.diagonal_energy": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "dong.linear.diagonal_limit": {"gamma": [0.5, 2.0]},
    "dong.linear.offdiagonal_energy": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "dong.linear.offdiagonal_limit": {"gamma": [0.5, 2.0]},
    "dong.linear.ratio": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "dong.linear.ratio_limit": {"gamma": [0.5, 2.0]},
    "l2l.divergence.critical_step": {"steps": [3, 9], "noise": [0.5, 2.0], "ratio": 2.0, "threshold": [20.0, 40.0]},
    "l2l.divergence.critical_step_limit": {"ratio": [0.5, 2.0]},
    "l2l.divergence.log_weight_norm": STEPS,
    "l2l.divergence.truncated_train_by_train": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0], "threshold": [20.0, 40.0]},
    "l2l.divergence.truncated_train_by_validation": {"noise": [0.5, 2.0], "ratio": 2.0, "threshold": [20.0, 40.0]},
    "l2l.errors.erm_error": {"noise": [0.5, 2.0], "ratio": [0.5, 1.0, 2.0]},
    "l2l.errors.expected_error": STEPS,
    "l2l.errors.flow_error": {"time": [0.5, 2.0], "noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "l2l.errors.log_expected_error": STEPS,
    "l2l.errors.ridge_error": {"noise": [0.0, 2.0], "ratio": [0.5, 2.0]},
    "l2l.finite.exact_erm_error": {"samples": [10, 40], "dimension": [20, 30], "noise": [0.0, 2.0]},
    "l2l.finite.exact_error": {
        "step": [0.1, 0.2], "steps": [1, 2], "noise": 0.5, "samples": [10, 40], "dimension": [20, 30],
    },
    "l2l.finite.wishart_moment": {"order": [-1, 3], "samples": [20, 40], "dimension": [4, 5]},
    "l2l.minimisers.train_step": {"steps": [3, 9], "noise": 0.5, "ratio": [0.5, 2.0]},
    "l2l.minimisers.train_step_limit": {"ratio": [0.5, 2.0]},
    "l2l.minimisers.validation_step": {"steps": [3, 9], "noise": 0.5, "ratio": [0.5, 2.0]},
    "l2l.minimisers.validation_time": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "l2l.objectives.log_training_excess": STEPS,
    "l2l.objectives.train_by_train": STEPS,
    "l2l.objectives.train_by_validation": STEPS,
    "l2l.objectives.training_floor": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "l2l.quadratic.best_step": SPECTRUM | {"steps": [3, 9]},
    "l2l.quadratic.log_meta_gradient": SPECTRUM | {"step": [0.1, 0.2], "steps": [3, 9]},
    "l2l.quadratic.meta_gradient_logarithm": SPECTRUM | {"step": [0.1, 0.2], "steps": [3, 9]},
    "l2l.quadratic.overflow_steps": {"largest_factor": [0.5, 5.7], "digits": ["float32", "float64"]},
    "l2l.rule.compare": {"samples": 40, "training": [10, 20], "dimension": 50, "noise": 0.5, "steps": [3, 9]},
    "l2l.rule.step_rule": {"samples": [10, 20], "dimension": 50, "noise": 0.5, "steps": [3, 9]},
    "l2l.sgd.sgd_limit": {"rate": [0.1, 0.2], "epochs": [0.5, 1.0], "noise": 0.5, "ratio": 2.0},
    "l2l.sgd.sgd_moments": TASK | {"truth": Whole([1.0, 0.0]), "step": [0.1, 0.2], "steps": Whole(3)},
    "l2l.sgd.sgd_training_loss": TASK | {"step": [0.1, 0.2], "steps": [3, 9]},
    "l2l.spectrum.edges": {"ratio": [0.5, 2.0]},
    "li.mean_field.activation_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "li.mean_field.entry_variance": {"width": [4, 8], "layers": [4, 5], "factor": 1.5, "input_variance": [1.0, 2.0]},
    "li.mean_field.gradient_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "li.mean_field.hessian_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "li.null_counts.correlation_p_values": {"correlations": [0.0, 0.5], "samples": [4, 9]},
    "li.null_counts.correlation_tail": {"threshold": [0.0, 0.5], "samples": [4, 9]},
    "li.null_counts.discoveries": {"p_values": Whole([0.001, 0.02, 0.9]), "level": [0.01, 0.05]},
    "li.null_counts.family_threshold": {"dimension": [5, 9], "samples": [40, 90], "level": [0.01, 0.05]},
    "li.null_counts.null_count": {"dimension": [5, 9], "samples": [40, 90], "threshold": [0.2, 0.4]},
    "li.null_counts.product_mean_tail": {"threshold": [0.2, 0.4], "samples": [4, 9]},
    "li.null_counts.threshold_for_count": {"dimension": [5, 9], "samples": [40, 90], "count": [10.0, 20.0]},
    "li.null_skewness.null_triples": {"dimension": [5, 9], "samples": [40, 90], "threshold": [0.2, 0.4]},
    "liu.bent_output.bent_kernel_change": {
        "bend": [0.2, 0.5],
        "inputs": Whole([1.0]),
        "targets": Whole([2.0]),
        "steps": [3, 8],
        "rate": [0.1, 0.3],
        "nodes": 12,
    },
    "liu.activations.curvature_bound": {"activation": NAMES},
    "liu.activations.derivative": {"activation": NAMES, "z": [-1.0, 0.3], "order": [0, 2]},
    "liu.activations.lipschitz_constant": {"activation": NAMES},
    "liu.bottleneck.block_norm_cdf": {"values": [-1.0, 0.5, 2.0], "x": [0.5, 1.0]},
    "liu.bottleneck.block_norm_mean": {"x": [0.5, 1.0]},
    "liu.bottleneck.bottleneck_kernel_change": {"label": [0.5, 1.0]},
    "liu.bottleneck.bottleneck_kernel_mean": {"x": [0.5, 1.0]},
    "liu.bottleneck.bottleneck_norm_cdf": {"values": [-1.0, 0.5, 2.0], "x": [0.5, 1.0]},
    "liu.bottleneck.bottleneck_norm_mean": {"x": [0.5, 1.0]},
    "liu.bottleneck.shifted_sum_floor": {"radius": [0.0, 0.5]},
    "liu.bottleneck.survival_in_ball": {"radius": [0.0, 0.5]},
    "liu.deep.logarithm_as_power": {"smallest": [16, 32], "largest": [256, 4096]},
    "liu.deep.logarithmic_constant": {"activation": NAMES, "depth": [1, 2], "variance": [0.5, 1.0]},
    "liu.deep.tangent_kernel_limit": {"activation": NAMES, "depth": [1, 2], "variance": [0.5, 1.0]},
    "liu.deep.wide_limit": {"activation": NAMES, "depth": Whole(2), "variance": [0.5, 1.0]},
    "liu.gaussian.expectation": {"function": np.square, "variance": [0.5, 2.0]},
    "liu.nonlinear_output.output_hessian_limit": {"activation": "tanh", "output": "sigmoid", "x": [0.5, 1.0]},
    "liu.nonlinear_output.output_kernel_change": {"activation": "tanh", "x": 1.0, "label": [0.5, 1.0]},
    "liu.nonlinear_output.output_kernel_limit": {"activation": "tanh", "output": NAMES, "x": 1.0},
    "liu.nonlinear_output.output_variance": {"activation": NAMES, "x": [0.5, 1.0]},
    "liu.one_hidden_layer.criterion_constant": {"activation": NAMES, "x": [0.5, 1.0]},
    "liu.one_hidden_layer.hessian_constant": {"activation": NAMES, "x": [0.5, 1.0]},
    "liu.one_hidden_layer.hessian_deficit_rate": {"activation": "tanh", "x": [0.5, 1.0]},
    "liu.one_hidden_layer.kernel_limit": {"activation": NAMES, "x": [0.5, 1.0]},
    "liu.one_hidden_layer.output_variance": {"activation": NAMES, "x": [0.5, 1.0]},
    "liu.one_hidden_layer.trained_hessian_exceedance": {"activation": "tanh", "x": [0.5, 1.0], "level": [1.0, 2.0]},
    "liu.one_hidden_layer.trained_hessian_median": {"activation": "tanh", "x": 1.0, "log_width": [5.0, 50.0]},
    "liu.one_hidden_layer.trained_hessian_quantile": {
        "activation": "tanh", "x": 1.0, "log_width": 7.0, "probability": [0.05, 0.5],
    },
    "loglinear.anchors.anchor_error": {
        "rank": [2, 8], "deviation": [0.5, 1.0], "mean": [0.0, 1.0], "spread": 0.5, "level": [0.0, 2.0],
    },
    "loglinear.anchors.bulk_level": {"deviation": [0.5, 1.0], "length": [1.0, 2.0], "share": [0.1, 0.5]},
    "loglinear.anchors.gaussian_variance": {"deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "loglinear.anchors.intercept_error": {"rank": [2, 8], "deviation": [0.5, 1.0], "spread": [0.5, 1.0]},
    "loglinear.anchors.spherical_anchor_error": {
        "dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0], "level": [0.0, 2.0],
    },
    "loglinear.anchors.spherical_log_mean": {"dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "loglinear.anchors.spherical_variance": {"dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "loglinear.lowered_word.lowered_word_bound": {"probability": [1e-6, 0.5], "shift": [1e-6, 2.0]},
    "loglinear.lowered_word.lowered_word_divergence": {"probability": [1e-6, 0.5], "shift": [1e-6, 2.0]},
    "loglinear.transfer.least_tradeoff": {"activity": [0.01, 0.5, 2.0], "room": [0.5, 1.0]},
    "loglinear.transfer.tradeoff": {"bulk_error": [0.0, 0.5], "activity": [0.5, 2.0], "room": [0.5, 1.0]},
    "loglinear.transfer.tradeoff_floor": {"activity": [0.01, 0.5, 2.0], "room": [0.5, 1.0]},
    "orthant.orthant_moment": {"power": [0, 2], "coupling": [-0.3, 0.5]},
    "orthant.relu_exponential": {"coupling": [-0.3, 0.5]},
    "relu_gates.gated_pair_moment": {"dimension": [2, 5], "diagonal": [True, False]},
    "softmax_curvature.curvature_means": {"hidden": [3, 5], "classes": [2, 7]},
    "softmax_curvature.curvature_moments": {"variance": [0.5, 1.0], "classes": [2, 7]},
    "softmax_curvature.curvature_second_moments": {"hidden": [3, 5], "classes": 7},
    "softmax_moments.softmax_moment": {"exponents": Whole((2, 1)), "classes": [2, 7], "scale": [0.5, 1.0]},
    "sparse.masking.bayes_risk": MASKED | {"noise": [0.5, 1.0], "signal": [1.0, 2.0]},
    "sparse.masking.coherence_probability": {"dimension": [50, 90], "atoms": [20, 30], "level": [0.5, 1.0]},
    "sparse.masking.excess_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "sparse.masking.least_squares_risk": MASKED | {"noise": [0.5, 1.0]},
    "sparse.masking.missed_energy_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "sparse.masking.missed_support_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "sparse.masking.ridge_risk": MASKED | {"noise": [0.5, 1.0], "signal": [1.0, 2.0], "penalty": [0.0, 1.0]},
    "sparse.order_statistics.gain_of_more_atoms": {"atoms": [5, 9], "sparsity": [1, 2]},
    "sparse.order_statistics.largest_moment": {"count": [5, 9], "power": [1, 2]},
    "sparse.order_statistics.largest_square_bound": {"count": [5, 9]},
    "sparse.order_statistics.net_gain": {"atoms": [5, 9], "step": [0.5, 1.0]},
    "sparse.order_statistics.top_squares": {"count": [5, 9], "first": [1, 2], "last": [3, 4]},
    "sparse.order_statistics.top_squares_limit": {"share": [0.1, 1.0]},
    "sparse.order_statistics.two_column_gain": {"atoms": [5, 9], "sparsity": [1, 2]},
    "wu.curvature.curvature_norm": {"classes": [3]},
    "wu.curvature.curvature_norm_slope": {"classes": [3]},
    "wu.curvature.curvature_variance": {"classes": [3]},
    "wu.curvature.printed_gap_bound": {"classes": [2, 3]},
    "wu.limits.activation_second_moment": {"layer": [1, 3]},
    "wu.limits.formula_error": {"depth": [4, 5], "layer": [1, 3]},
    "wu.limits.layer_correlation": {"layer": [1, 3]},
    "wu.limits.logit_energy_distance": {"classes": [2, 7]},
    "wu.limits.projection_ratio": {"depth": [4, 5], "layer": [1, 3]},
    "wu.limits.row_space_overlap": {"depth": [4, 5], "layer": [1, 3]},
    "wu.limits.row_sum_probability": {"epsilon": [0.5, 1.0]},
    "wu.limits.shared_mean_direction": {"depth": [2, 3]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""


@functools.cache
def predictors():
    """All public functions with a parameter, by module and name."""
    found = {}
    for module in pkgutil.walk_packages(rmtsim.predict.__path__, "rmtsim.predict."):
        members = importlib.import_module(module.name)
        for name in getattr(members, "__all__", ()):
            function = getattr(members, name)
            own = getattr(function, "__module__", None) == module.name and not inspect.isclass(function)
            if own and callable(function) and inspect.signature(function).parameters:
                found[f"{module.name.removeprefix('rmtsim.predict.')}.{name}"] = function
    return found


def test_every_public_function_is_listed():
    left = {
        name
        for name in predictors()
        if name not in NOT_ELEMENTWISE and name.partition(".")[0] not in NOT_ELEMENTWISE
    }
    assert left == set(EXAMPLES)
    assert set(NOT_ELEMENTWISE) - {"arrays"} <= set(predictors())


def numbers(answer):
    """An answer as a dictionary of arrays: of its fields, its places in a tuple, or itself."""
    if dataclasses.is_dataclass(answer):
        return {field.name: np.asarray(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    if isinstance(answer, tuple):
        return dict(enumerate(map(np.asarray, answer)))
    return {None: np.asarray(answer)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_arrays_are_answered_entry_by_entry(name):
    function, example = predictors()[name], EXAMPLES[name]
    lists = [key for key, value in example.items() if isinstance(value, list)]
    fixed = {
        key: value.value if isinstance(value, Whole) else value
        for key, value in example.items()
        if key not in lists
    }
    shape = tuple(len(example[key]) for key in lists)
    assert lists
    assert set(example) == set(inspect.signature(function).parameters)
    grids = {
        key: np.array(example[key]).reshape([-1 if k == axis else 1 for k in range(len(lists))])
        for axis, key in enumerate(lists)
    }
    found = function(**fixed, **grids)
    for index in itertools.product(*map(range, shape)):
        alone = function(**fixed, **{key: example[key][k] for key, k in zip(lists, index, strict=True)})
        for field, value in numbers(alone).items():
            whole = getattr(found, field) if isinstance(found, Records) else numbers(found)[field]
            assert whole.shape == shape + value.shape
            assert whole.dtype == (np.int64 if isinstance(alone, int) else np.float64)
            # An array in one call and its entries one by one may go through other roundings (SIMD), nothing more.
            np.testing.assert_allclose(whole[index], value, rtol=4e-15, atol=0)
        if isinstance(found, Records):
            assert type(found[index]) is type(alone)


def test_whole_arguments_are_told_by_position_too():
    ridge = predictors()["sparse.masking.ridge_risk"]
    found = ridge([[1.0]], [[1.0]], 0.5, [1.0, 2.0], penalty=1.0)
    assert found.tolist() == [ridge([[1.0]], [[1.0]], 0.5, signal, 1.0) for signal in (1.0, 2.0)]


def test_a_bad_entry_is_named_and_a_mask_refused():
    erm = predictors()["l2l.errors.erm_error"]
    with pytest.raises(ValueError, match=r"ratio=-2\.0"):
        erm(1.0, np.array([2.0, -2.0]))
    with pytest.raises(TypeError, match=r"ratio: .*masked"):
        erm(1.0, np.ma.masked_array([1.0, 2.0], [True, False]))
    with pytest.raises(ValueError, match=r"noise, ratio: expected numbers, or arrays that fit together"):
        erm([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="depth="):
        predictors()["liu.deep.wide_limit"]("tanh", [1, 2])


def test_a_number_in_an_array_without_axes_is_a_number():
    moment = predictors()["sparse.order_statistics.largest_moment"]
    assert moment(np.array(3), np.int64(2)) == moment(3, 2)
    assert isinstance(moment(np.array(3), 2), float)
    assert predictors()["l2l.errors.erm_error"](np.array(1.0), np.float64(2.0)) == 1.5


def test_records_are_copied_and_empty_arrays_stay_empty():
    step = predictors()["l2l.minimisers.train_step"]
    found = pickle.loads(pickle.dumps(step([3, 4], 1.0, 2.0)))
    assert found.place.tolist() == [step(3, 1.0, 2.0).place, step(4, 1.0, 2.0).place]
    assert step(np.empty((0, 2), dtype=int), 1.0, 2.0).place.shape == (0, 2)
    assert [each.shape for each in predictors()["l2l.spectrum.edges"]([])] == [(0,), (0,)]
