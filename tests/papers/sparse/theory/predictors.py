"""Arguments for the predictors of `sparse`, read by tests/papers/test_every_predictor_takes_arrays.py."""

from tests.papers.whole import Whole

MASKED = {"seen": Whole([[1.0, 0.2], [0.0, 1.0]]), "hidden": Whole([[0.3, 1.0]])}

EXAMPLES = {
    "masking.bayes_risk": MASKED | {"noise": [0.5, 1.0], "signal": [1.0, 2.0]},
    "masking.coherence_probability": {"dimension": [50, 90], "atoms": [20, 30], "level": [0.5, 1.0]},
    "masking.excess_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "masking.least_squares_risk": MASKED | {"noise": [0.5, 1.0]},
    "masking.missed_energy_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "masking.misplaced_noise_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "masking.missed_support_amplitude": {"atoms": [5, 9], "sparsity": [1, 2]},
    "masking.ridge_risk": MASKED | {"noise": [0.5, 1.0], "signal": [1.0, 2.0], "penalty": [0.0, 1.0]},
    "order_statistics.gain_of_more_atoms": {"atoms": [5, 9], "sparsity": [1, 2]},
    "order_statistics.largest_moment": {"count": [5, 9], "power": [1, 2]},
    "order_statistics.largest_square_bound": {"count": [5, 9]},
    "order_statistics.net_gain": {"atoms": [5, 9], "step": [0.5, 1.0]},
    "order_statistics.top_squares": {"count": [5, 9], "first": [1, 2], "last": [3, 4]},
    "order_statistics.top_squares_limit": {"share": [0.1, 1.0]},
    "order_statistics.two_column_gain": {"atoms": [5, 9], "sparsity": [1, 2]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
