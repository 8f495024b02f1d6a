"""Arguments for the predictors of `liu`, read by tests/papers/test_every_predictor_takes_arrays.py."""

import numpy as np

from tests.papers.whole import Whole

NAMES = ["tanh", "softplus"]

NOT_ELEMENTWISE = {
    "bent_output.sine_kernel": "answers a matrix",
}
"""Public functions that do not predict numbers from numbers, and why."""

EXAMPLES = {
    "bent_output.bent_kernel_change": {
        "bend": [0.2, 0.5],
        "inputs": Whole([1.0]),
        "targets": Whole([2.0]),
        "steps": [3, 8],
        "rate": [0.1, 0.3],
        "nodes": 12,
    },
    "activations.curvature_bound": {"activation": NAMES},
    "activations.derivative": {"activation": NAMES, "z": [-1.0, 0.3], "order": [0, 2]},
    "activations.lipschitz_constant": {"activation": NAMES},
    "bottleneck.block_norm_cdf": {"values": [-1.0, 0.5, 2.0], "x": [0.5, 1.0]},
    "bottleneck.block_norm_mean": {"x": [0.5, 1.0]},
    "bottleneck.bottleneck_kernel_change": {"label": [0.5, 1.0]},
    "bottleneck.bottleneck_kernel_mean": {"x": [0.5, 1.0]},
    "bottleneck.bottleneck_norm_cdf": {"values": [-1.0, 0.5, 2.0], "x": [0.5, 1.0]},
    "bottleneck.bottleneck_norm_mean": {"x": [0.5, 1.0]},
    "bottleneck.curvature_mean": {"alpha": [0.5, 1.0]},
    "bottleneck.shifted_sum_floor": {"radius": [0.0, 0.5]},
    "bottleneck.survival_in_ball": {"radius": [0.0, 0.5]},
    "deep.logarithm_as_power": {"smallest": [16, 32], "largest": [256, 4096]},
    "deep.logarithmic_constant": {"activation": NAMES, "depth": [1, 2], "variance": [0.5, 1.0]},
    "deep.tangent_kernel_limit": {"activation": NAMES, "depth": [1, 2], "variance": [0.5, 1.0]},
    "deep.wide_limit": {"activation": NAMES, "depth": Whole(2), "variance": [0.5, 1.0]},
    "gaussian.expectation": {"function": np.square, "variance": [0.5, 2.0]},
    "nonlinear_output.output_hessian_limit": {"activation": "tanh", "output": "sigmoid", "x": [0.5, 1.0]},
    "nonlinear_output.output_kernel_change": {"activation": "tanh", "x": 1.0, "label": [0.5, 1.0]},
    "nonlinear_output.output_kernel_limit": {"activation": "tanh", "output": NAMES, "x": 1.0},
    "nonlinear_output.output_variance": {"activation": NAMES, "x": [0.5, 1.0]},
    "one_hidden_layer.criterion_constant": {"activation": NAMES, "x": [0.5, 1.0]},
    "one_hidden_layer.hessian_constant": {"activation": NAMES, "x": [0.5, 1.0]},
    "one_hidden_layer.hessian_deficit_rate": {"activation": "tanh", "x": [0.5, 1.0]},
    "one_hidden_layer.kernel_limit": {"activation": NAMES, "x": [0.5, 1.0]},
    "one_hidden_layer.output_variance": {"activation": NAMES, "x": [0.5, 1.0]},
    "one_hidden_layer.trained_hessian_exceedance": {"activation": "tanh", "x": [0.5, 1.0], "level": [1.0, 2.0]},
    "one_hidden_layer.trained_hessian_median": {"activation": "tanh", "x": 1.0, "log_width": [5.0, 50.0]},
    "one_hidden_layer.trained_hessian_quantile": {
        "activation": "tanh", "x": 1.0, "log_width": 7.0, "probability": [0.05, 0.5],
    },
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
