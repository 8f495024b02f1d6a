"""Valid arguments of the functions of `loglinear`, for the fuzz trials of tests/hostile."""

import numpy as np

from rmtsim.papers.loglinear.simulation.word_model import word_model
from tests.hostile.values import matrix, rng

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
WRITTEN = {
    "theory.anchors.anchor_error": _ATOMS,
    "theory.anchors.intercept_error": {key: _ATOMS[key] for key in ("rank",
    "deviation", "spread")},
    "theory.anchors.spherical_log_mean": _SPHERE,
    "theory.anchors.spherical_variance": _SPHERE,
    "theory.anchors.spherical_intercept_error": _SPHERE,
    "theory.anchors.spherical_anchor_error": _SPHERE | {"level": lambda: 1.0},
    "theory.anchors.gaussian_variance": {"deviation": lambda: 1.0, "length": lambda: 0.8},
    "theory.anchors.bulk_level": {
        "deviation": lambda: 1.0, "length": lambda: 0.8, "share": lambda: 0.1,
    },
    "theory.lowered_word.lowered_word_divergence": _RARE,
    "theory.lowered_word.lowered_word_bound": _RARE,
    "theory.transfer.tradeoff": _ROOM | {"bulk_error": lambda: 0.3},
    "theory.transfer.least_tradeoff": _ROOM,
    "theory.transfer.tradeoff_floor": _ROOM,
    "simulation.word_model.word_model": _LOGITS,
    "simulation.word_model.kl_divergence": _MODEL,
    "simulation.word_model.l1_distance": _MODEL,
    "simulation.word_model.shifted_student": {"teacher": _MODEL["teacher"], "shifts":
    lambda: np.zeros(5)},
    "simulation.misclassified.instances_from": {
        "points": lambda: matrix(3, 19), "words": lambda: 2, "largest_error": lambda: 0.1, "offset": lambda: None,
        "equal_bulk": lambda: False,
    },
    "simulation.misclassified.point_length": {"words": lambda: 2},
    "simulation.misclassified.draw_instances": {
        "count": lambda: 3, "words": lambda: 2, "rng": rng, "largest_error": lambda: 0.1, "spread": lambda: 1.0,
    },
    "simulation.adversary.maximise": {
        "objective": lambda: lambda points: -np.sum(points**2, axis=1), "dimension": lambda: 2, "rng": rng,
        "population": lambda: 6, "generations": lambda: 3, "spread": lambda: 1.0,
    },
    "simulation.anchors.draw_dictionary": {
        "kind": lambda: "cone", "words": lambda: 5, "dimension": lambda: 4, "rng": rng, "deviation": lambda: 1.0,
        "common": lambda: 2.0, "rank": lambda: 2, "freedom": lambda: 3.0,
    },
    "simulation.anchors.draw_contexts": {
        "count": lambda: 5, "dimension": lambda: 4, "rng": rng, "mean": lambda: 1.0, "deviation": lambda: 1.0,
    },
    "simulation.anchors.sphere_contexts": {
        "count": lambda: 5, "dimension": lambda: 4, "rng": rng, "length": lambda: 1.0,
    },
    "simulation.anchors.anchor_fit": {
        "contexts": lambda: matrix(5, 3), "log_partition": lambda: np.ones(5), "intercept": lambda: False,
    },
    "simulation.anchors.anchor_curve": {
        "model": lambda: word_model(matrix(5, 3), matrix(4, 3)), "removed": lambda: [0, 2], "intercept": lambda: False,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "adversary",
    "anchors",
    "misclassified",
    "word_model",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = (
    "simulation.anchors.load_embedding",  # files have a test of their own
    "simulation.anchors.fitted_error",
    "simulation.anchors.half_squared_difference",
    "simulation.word_model.checked_mask",
    "simulation.word_model.log_sum",
)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
