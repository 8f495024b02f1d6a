"""Arguments for the predictors of `dong`, read by tests/papers/test_every_predictor_takes_arrays.py."""

from tests.papers.whole import Whole

NOT_ELEMENTWISE = {
    "curvature_population.hidden_population": "answers a law as atoms",
    "curvature_population.linear_population": "answers a law as atoms",
    "relu_pairs.quadrant_points": "points",
    "relu_pairs.squared_overlap_average": "averages a function that is given",
    "relu_pairs.tilted_neurons": "points",
    "softmax_overlap.curvature_product": "takes the geometry of one pair of inputs",
    "softmax_overlap.probability_products": "takes the geometry of one pair of inputs",
}
"""Public functions that do not predict numbers from numbers, and why."""

EXAMPLES = {
    "fan_out.first_layer_diagonal": {"gamma": [0.5, 2.0], "hidden": 3, "width": [4, 9], "classes": [2, 5]},
    "fan_out.first_layer_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 3, "width": [4, 9], "classes": [2, 5]},
    "hidden_finite.hidden_ce_diagonal": {"gamma": [0.5, 2.0], "hidden": 5, "classes": 10**5},
    "hidden_finite.hidden_ce_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 5, "classes": 10**5},
    "hidden_finite.hidden_mse_diagonal": {
        "gamma": [0.5, 2.0], "hidden": [3, 4], "classes": 7, "factor": [1.0, 2.0],
    },
    "hidden_finite.hidden_mse_offdiagonal": {
        "gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7], "factor": [1.0, 2.0],
    },
    "hidden_finite.output_ce_diagonal": {"hidden": 5, "classes": [10**5, 2 * 10**5]},
    "hidden_finite.output_ce_offdiagonal": {"hidden": 5, "classes": [10**5, 2 * 10**5]},
    "hidden_finite.printed_hidden_ce_diagonal": {"gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7]},
    "hidden_finite.printed_hidden_ce_offdiagonal": {"gamma": [0.5, 2.0], "hidden": 3, "classes": [2, 7]},
    "hidden_given_output.hidden_energy_given_output": {
        "output": Whole([[1.0, 0.5], [0.0, 1.0], [2.0, 0.3]]), "gamma": [0.5, 2.0], "diagonal": [True, False],
    },
    "hidden_limits.constants": {"hidden": [3, 8]},
    "hidden_limits.hidden_ce_diagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "hidden_limits.hidden_ce_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "hidden_limits.hidden_mse_diagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8], "factor": [1.0, 2.0]},
    "hidden_limits.hidden_mse_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8], "factor": [1.0, 2.0]},
    "hidden_limits.output_ce_diagonal_limit": {"hidden": [3, 8]},
    "hidden_limits.output_ce_offdiagonal_limit": {"hidden": [3, 8]},
    "hidden_limits.printed_constants": {"hidden": [3, 8]},
    "hidden_limits.printed_hidden_ce_offdiagonal_limit": {"gamma": [0.5, 2.0], "hidden": [3, 8]},
    "hidden_limits.printed_output_ce_diagonal_limit": {"hidden": [3, 8]},
    "hidden_limits.printed_output_ce_offdiagonal_limit": {"hidden": [3, 8]},
    "linear.diagonal_energy": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "linear.diagonal_limit": {"gamma": [0.5, 2.0]},
    "linear.offdiagonal_energy": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "linear.offdiagonal_limit": {"gamma": [0.5, 2.0]},
    "linear.ratio": {"gamma": [0.5, 2.0], "classes": [2, 7]},
    "linear.ratio_limit": {"gamma": [0.5, 2.0]},
    "orthant.orthant_moment": {"power": [0, 2], "coupling": [-0.3, 0.5]},
    "orthant.relu_exponential": {"coupling": [-0.3, 0.5]},
    "relu_gates.gated_pair_moment": {"dimension": [2, 5], "diagonal": [True, False]},
    "softmax_curvature.curvature_means": {"hidden": [3, 5], "classes": [2, 7]},
    "softmax_curvature.curvature_moments": {"variance": [0.5, 1.0], "classes": [2, 7]},
    "softmax_curvature.curvature_second_moments": {"hidden": [3, 5], "classes": 7},
    "softmax_moments.softmax_moment": {"exponents": Whole((2, 1)), "classes": [2, 7], "scale": [0.5, 1.0]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
