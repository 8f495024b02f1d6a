"""Arguments for the predictors of `li`, read by tests/papers/test_every_predictor_takes_arrays.py."""

from tests.papers.whole import Whole

EXAMPLES = {
    "mean_field.activation_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "mean_field.entry_variance": {"width": [4, 8], "layers": [4, 5], "factor": 1.5, "input_variance": [1.0, 2.0]},
    "mean_field.gradient_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "mean_field.hessian_energies": {"widths": Whole((4, 4, 8)), "factor": [1.0, 2.0]},
    "null_counts.correlation_p_values": {"correlations": [0.0, 0.5], "samples": [4, 9]},
    "null_counts.correlation_tail": {"threshold": [0.0, 0.5], "samples": [4, 9]},
    "null_counts.discoveries": {"p_values": Whole([0.001, 0.02, 0.9]), "level": [0.01, 0.05]},
    "null_counts.family_threshold": {"dimension": [5, 9], "samples": [40, 90], "level": [0.01, 0.05]},
    "null_counts.null_count": {"dimension": [5, 9], "samples": [40, 90], "threshold": [0.2, 0.4]},
    "null_counts.product_mean_tail": {"threshold": [0.2, 0.4], "samples": [4, 9]},
    "null_counts.threshold_for_count": {"dimension": [5, 9], "samples": [40, 90], "count": [10.0, 20.0]},
    "null_skewness.null_triples": {"dimension": [5, 9], "samples": [40, 90], "threshold": [0.2, 0.4]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
