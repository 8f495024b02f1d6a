"""Valid arguments of the functions of `li`, for the fuzz trials of tests/hostile."""

import numpy as np

from rmtsim.papers.li.simulation.hinge_training import hinge_problem, train_hinge
from tests.hostile.values import matrix, rng

WRITTEN = {
    "simulation.hinge_kinks.gate_distance": {
        "network": lambda: hinge_problem(4, 3, 1, rng())[0], "inputs": lambda: matrix(6, 4),
    },
    "simulation.hinge_kinks.clarke_slope": {
        "network": lambda: hinge_problem(2, 2, 1, rng())[0], "inputs": lambda: matrix(3, 2),
        "labels": lambda: np.array([[1.0], [-1.0], [1.0]]), "rng": rng, "radius": lambda: 1e-6, "points": lambda: 5,
    },
    "simulation.hinge_kinks.descend_to_kink": {
        "end": lambda: train_hinge(2, 2, 3, rng(), 1, steps=3)[0], "rng": rng, "walks": lambda: 1,
    },
    "simulation.hinge_training.dead_samples": {
        "network": lambda: hinge_problem(4, 3, 1, rng())[0], "inputs": lambda: matrix(6, 4),
    },
    "simulation.hinge_training.train_hinge": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 4, "rng": rng, "replicates": lambda: 2,
        "step": lambda: 0.1, "steps": lambda: 5,
    },
    "simulation.hinge_training.stationary_without_output": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 8, "rng": rng,
    },
    "simulation.hinge_training.hinge_problem": {
        "width": lambda: 2, "layers": lambda: 3, "samples": lambda: 4, "rng": rng,
    },
    "theory.mean_field.activation_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "theory.mean_field.gradient_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "theory.mean_field.hessian_energies": {"widths": lambda: (3, 4), "factor": lambda: 2.0},
    "theory.mean_field.entry_variance": {
        "width": lambda: 6, "layers": lambda: 5, "factor": lambda: 2.0, "input_variance": lambda: 1.0,
    },
    "theory.null_counts.correlation_p_values": {
        "correlations": lambda: [0.0, 0.5], "samples": lambda: 5,
    },
    "theory.null_counts.discoveries": {"p_values": lambda: [0.01, 0.5], "level": lambda: 0.05},
    "theory.null_counts.family_threshold": {
        "dimension": lambda: 4, "samples": lambda: 5, "level": lambda: 0.05,
    },
    "simulation.entry_statistics.varying": {"draws": lambda: matrix(6, 4)},
    "simulation.entry_statistics.standardised": {"draws": lambda: matrix(6, 4)},
    "simulation.entry_statistics.normalised_cumulants": {"draws": lambda: matrix(6, 4),
    "order": lambda: 3},
    "simulation.entry_statistics.nonzero_count": {
        "draws": lambda: matrix(6, 4), "order": lambda: 3, "threshold": lambda: 0.3, "ordered": lambda: True,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "ensembles",
    "entry_statistics",
    "hinge_kinks",
    "hinge_training",
    "relu_moments",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = ("simulation.entry_statistics.correlated_pairs",)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
