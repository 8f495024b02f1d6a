"""Arguments for the predictors of `loglinear`, read by tests/papers/test_every_predictor_takes_arrays.py."""

EXAMPLES = {
    "anchors.anchor_error": {
        "rank": [2, 8], "deviation": [0.5, 1.0], "mean": [0.0, 1.0], "spread": 0.5, "level": [0.0, 2.0],
    },
    "anchors.bulk_level": {"deviation": [0.5, 1.0], "length": [1.0, 2.0], "share": [0.1, 0.5]},
    "anchors.gaussian_variance": {"deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "anchors.intercept_error": {"rank": [2, 8], "deviation": [0.5, 1.0], "spread": [0.5, 1.0]},
    "anchors.spherical_anchor_error": {
        "dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0], "level": [0.0, 2.0],
    },
    "anchors.spherical_intercept_error": {"dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "anchors.spherical_log_mean": {"dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "anchors.spherical_variance": {"dimension": [3, 9], "deviation": [0.5, 1.0], "length": [1.0, 2.0]},
    "lowered_word.lowered_word_bound": {"probability": [1e-6, 0.5], "shift": [1e-6, 2.0]},
    "lowered_word.lowered_word_divergence": {"probability": [1e-6, 0.5], "shift": [1e-6, 2.0]},
    "transfer.least_tradeoff": {"activity": [0.01, 0.5, 2.0], "room": [0.5, 1.0]},
    "transfer.tradeoff": {"bulk_error": [0.0, 0.5], "activity": [0.5, 2.0], "room": [0.5, 1.0]},
    "transfer.tradeoff_floor": {"activity": [0.01, 0.5, 2.0], "room": [0.5, 1.0]},
}  # fmt: skip
"""Arguments of every predictor: a list gets an axis of its own, so that all lists are broadcast against each other."""
