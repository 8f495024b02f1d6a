"""Arguments for the predictors of `l2l`, read by tests/papers/test_every_predictor_takes_arrays.py."""

from tests.papers.whole import Whole

SPECTRUM = {"eigenvalues": Whole([1.0, 4.0]), "coordinates": Whole([0.6, 0.8])}
TASK = {"design": Whole([[1.0, 0.0], [0.5, 1.0]]), "labels": Whole([1.0, 0.5])}
STEPS = {"step": [0.05, 0.4], "steps": [3, 40], "noise": [0.5, 2.0], "ratio": [0.5, 2.0]}

NOT_ELEMENTWISE = {
    "powers.powers": "powers at the nodes of a rule: takes the array of nodes",
    "spectrum.nodes": "answers a rule of integration",
}
"""Public functions that do not predict numbers from numbers, and why."""

EXAMPLES = {
    "divergence.critical_step": {"steps": [3, 9], "noise": [0.5, 2.0], "ratio": 2.0, "threshold": [20.0, 40.0]},
    "divergence.critical_step_limit": {"ratio": [0.5, 2.0]},
    "divergence.log_weight_norm": STEPS,
    "divergence.truncated_train_by_train": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0], "threshold": [20.0, 40.0]},
    "divergence.truncated_train_by_validation": {"noise": [0.5, 2.0], "ratio": 2.0, "threshold": [20.0, 40.0]},
    "errors.erm_error": {"noise": [0.5, 2.0], "ratio": [0.5, 1.0, 2.0]},
    "errors.expected_error": STEPS,
    "errors.flow_error": {"time": [0.5, 2.0], "noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "errors.log_expected_error": STEPS,
    "errors.ridge_error": {"noise": [0.0, 2.0], "ratio": [0.5, 2.0]},
    "finite.exact_erm_error": {"samples": [10, 40], "dimension": [20, 30], "noise": [0.0, 2.0]},
    "finite.exact_error": {
        "step": [0.1, 0.2], "steps": [1, 2], "noise": 0.5, "samples": [10, 40], "dimension": [20, 30],
    },
    "finite.wishart_moment": {"order": [-1, 3], "samples": [20, 40], "dimension": [4, 5]},
    "minimisers.train_step": {"steps": [3, 9], "noise": 0.5, "ratio": [0.5, 2.0]},
    "minimisers.train_step_limit": {"ratio": [0.5, 2.0]},
    "minimisers.validation_step": {"steps": [3, 9], "noise": 0.5, "ratio": [0.5, 2.0]},
    "minimisers.validation_time": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "objectives.log_training_excess": STEPS,
    "objectives.train_by_train": STEPS,
    "objectives.train_by_validation": STEPS,
    "objectives.training_floor": {"noise": [0.5, 2.0], "ratio": [0.5, 2.0]},
    "quadratic.best_step": SPECTRUM | {"steps": [3, 9]},
    "quadratic.log_meta_gradient": SPECTRUM | {"step": [0.1, 0.2], "steps": [3, 9]},
    "quadratic.meta_gradient_logarithm": SPECTRUM | {"step": [0.1, 0.2], "steps": [3, 9]},
    "quadratic.overflow_steps": {"largest_factor": [0.5, 5.7], "digits": ["float32", "float64"]},
    "rule.compare": {"samples": 40, "training": [10, 20], "dimension": 50, "noise": 0.5, "steps": [3, 9]},
    "rule.step_rule": {"samples": [10, 20], "dimension": 50, "noise": 0.5, "steps": [3, 9]},
    "sgd.sgd_limit": {"rate": [0.1, 0.2], "epochs": [0.5, 1.0], "noise": 0.5, "ratio": 2.0},
    "sgd.sgd_moments": TASK | {"truth": Whole([1.0, 0.0]), "step": [0.1, 0.2], "steps": Whole(3)},
    "sgd.sgd_training_loss": TASK | {"step": [0.1, 0.2], "steps": [3, 9]},
    "spectrum.edges": {"ratio": [0.5, 2.0]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
