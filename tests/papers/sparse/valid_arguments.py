"""Valid arguments of the functions of `sparse`, for the fuzz trials of tests/hostile."""

import numpy as np

from tests.hostile.values import matrix, rng

_D = {"dictionary": lambda: matrix(4, 5) + np.eye(4, 5), "sparsity": lambda: 2}
_Y = _D | {"measurements": lambda: matrix(3, 4)}
_P = {"atoms": lambda: 6, "sparsity": lambda: 2}
_BLOCKS = {"seen": lambda: matrix(4, 2), "hidden": lambda: matrix(3, 2)}
_RISK = _BLOCKS | {"noise": lambda: 0.5, "signal": lambda: 1.0}
WRITTEN = {
    "simulation.decoding.best_codes": _Y,
    "simulation.decoding.explained_energy": _Y,
    "simulation.decoding.orthogonal_matching_pursuit": _Y,
    "simulation.draws.draw_codes": {
        "count": lambda: 3, "atoms": lambda: 5, "sparsity": lambda: 2, "rng": rng, "magnitudes": lambda: "equal",
    },
    "simulation.draws.draw_dictionary": {"dimension": lambda: 4, "atoms": lambda: 5, "rng": rng},
    "simulation.draws.draw_measurements": {
        "dictionary": lambda: matrix(4, 5), "codes": lambda: matrix(3, 5), "noise": lambda: 0.5, "rng": rng,
    },
    "simulation.draws.normalised": {"dictionary": lambda: matrix(4, 5)},
    "simulation.estimators.least_squares_estimate": _BLOCKS | {"observed": lambda: matrix(3, 4)},
    "simulation.estimators.ridge_estimate": _BLOCKS | {
        "observed": lambda: matrix(3, 4), "penalty": lambda: 0.3,
    },
    "simulation.isometry.incoherence": {"dictionary": lambda: matrix(4, 5)},
    "simulation.isometry.isometry_constant": _D,
    "simulation.isometry.isometry_bounds": {"dictionary": lambda: np.eye(4), "sparsity":
    lambda: 2},
    "simulation.losses.masked_loss": _Y | {"mask": lambda: [0, 1, 3]},
    "simulation.losses.masked_losses": _Y | {"mask": lambda: [0, 1, 3]},
    "simulation.losses.recovery_error": {"truth": lambda: matrix(4, 5), "learned": lambda:
    matrix(4, 6)},
    "simulation.losses.sparse_losses": _Y,
    "simulation.over_realised.directions_of_pairs": {
        "dictionary": lambda: matrix(4, 3), "spacing": lambda: 0.5,
    },
    "simulation.over_realised.lattice_net": {
        "dictionary": lambda: matrix(4, 3), "radius": lambda: 1.0, "resolution": lambda: 0.3,
    },
    "simulation.over_realised.two_columns_each": {
        "dictionary": lambda: matrix(4, 3), "angle": lambda: 0.2,
    },
    "simulation.training.initial_dictionary": {
        "truth": lambda: matrix(4, 3), "samples": lambda: matrix(5, 4), "atoms": lambda: 4, "kind": lambda: "local",
    },
    "simulation.training.train": {
        "measurements": lambda: matrix(6, 4), "start": lambda: matrix(4, 5), "sparsity": lambda: 2,
        "epochs": lambda: 1, "rng": rng, "visible": lambda: 3, "batch": lambda: 3, "rate": lambda: 0.01,
        "progress": lambda: None,
    },
    "theory.order_statistics.gain_of_more_atoms": _P,
    "theory.order_statistics.net_gain": {"atoms": lambda: 4, "step": lambda: 0.5},
    "theory.order_statistics.top_squares": {
        "count": lambda: 5, "first": lambda: 1, "last": lambda: 2,
    },
    "theory.order_statistics.top_squares_limit": {"share": lambda: 0.2},
    "theory.order_statistics.two_column_gain": _P,
    "theory.masking.ridge_risk": _RISK | {"penalty": lambda: 0.3},
    "theory.masking.bayes_risk": _RISK,
    "theory.masking.least_squares_risk": _BLOCKS | {"noise": lambda: 0.5},
    "theory.masking.misplaced_noise_amplitude": _P,
    "theory.masking.missed_support_amplitude": _P,
    "theory.masking.missed_energy_amplitude": _P,
    "theory.masking.excess_amplitude": _P,
    "theory.masking.coherence_probability": {
        "dimension": lambda: 8, "atoms": lambda: 5, "level": lambda: 0.5,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "decoding",
    "draws",
    "estimators",
    "isometry",
    "losses",
    "over_realised",
    "training",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = ("simulation.decoding.check_supports", "simulation.decoding.pursue")
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
