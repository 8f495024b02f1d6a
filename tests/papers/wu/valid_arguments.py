"""Valid arguments of the functions of `wu`, for the fuzz trials of tests/hostile."""

import numpy as np

from tests.hostile.values import matrix, rng, symmetric


def _square(size=4, second=None):
    return {"first": lambda: np.linalg.qr(matrix(5, 2))[0], "second": lambda: np.linalg.qr(matrix(5, 2))[0]}


WRITTEN = {
    "simulation.eigenspaces.factored_eigenspace": {
        "rows": lambda: matrix(3, 5), "count": lambda: 2, "start": lambda: matrix(5, 2),
    },
    "simulation.eigenspaces.overlap": _square(),
    "simulation.eigenspaces.row_space": {"weights": lambda: matrix(2, 5)},
    "simulation.eigenspaces.top_eigenspace": {"matrix": symmetric, "count": lambda: 2,
    "extra": lambda: 0},
    "simulation.eigenspaces.top_eigenvalues": {"matrix": symmetric, "count": lambda: 2},
    "simulation.energy_distances.rectified_energy_distance": {
        "values": lambda: np.abs(matrix(4, 1))[:, 0], "variance": lambda: 1.0,
    },
    "simulation.energy_distances.logit_energy_distance": {
        "hidden": lambda: np.abs(matrix(4, 5)), "classes": lambda: 3, "variance": lambda: 1.0,
    },
    "simulation.last_layers.last_layers": {
        "hidden": lambda: matrix(4, 5), "classes": lambda: 3, "count": lambda: 2, "rng": rng,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "eigenspaces",
    "energy_distances",
    "last_layers",
    "relu_batches",
    "relu_network",
    "response_batches",
    "weights",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = (
    "simulation.eigenspaces.lanczos",
    "simulation.eigenspaces.corrected_overlap",
    "simulation.eigenspaces.overlap_of_halves",
    "simulation.eigenspaces.shared_energy",
    "simulation.eigenspaces.iterated_eigenspace",
    "simulation.eigenspaces.largest_eigenvalues",
    "simulation.relu_network.respond",
    "simulation.relu_network.slice_of_inputs",
    "simulation.relu_batches.draw_network_batches",
)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
