"""Arguments for the predictors of `wu`, read by tests/papers/test_every_predictor_takes_arrays.py."""

NOT_ELEMENTWISE = {
    "curvature.curvature_matrices": "points of a law",
    "curvature.outlier_eigenvalues": "points of a law",
}
"""Public functions that do not predict numbers from numbers, and why."""

EXAMPLES = {
    "curvature.curvature_norm": {"classes": [3]},
    "curvature.curvature_norm_slope": {"classes": [3]},
    "curvature.curvature_variance": {"classes": [3]},
    "curvature.printed_gap_bound": {"classes": [2, 3]},
    "limits.activation_second_moment": {"layer": [1, 3]},
    "limits.formula_error": {"depth": [4, 5], "layer": [1, 3]},
    "limits.layer_correlation": {"layer": [1, 3]},
    "limits.logit_energy_distance": {"classes": [2, 7]},
    "limits.projection_ratio": {"depth": [4, 5], "layer": [1, 3]},
    "limits.row_space_overlap": {"depth": [4, 5], "layer": [1, 3]},
    "limits.row_sum_probability": {"epsilon": [0.5, 1.0]},
    "limits.shared_mean_direction": {"depth": [2, 3]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
