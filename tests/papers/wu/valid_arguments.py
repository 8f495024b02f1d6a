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
    "simulation.output_hessian.curvatures": {"confidence": lambda: np.full((4, 3), 1 / 3)},
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

EXCUSED = (
    # parts of two-layer experiments, which take what draw_responses returns
    "simulation.two_layer",
    "simulation.full_hessian.",
    "simulation.gauss_newton.",
    "simulation.known_averages.",
    "simulation.layer_hessian.",
    "simulation.network_batches.",
    "simulation.known_squares.",
    "simulation.later_layers.",
    "simulation.output_hessian.",
    "simulation.halves.",
    "simulation.eigenspaces.lanczos",
    "simulation.eigenspaces.corrected_overlap",
    "simulation.eigenspaces.overlap_of_halves",
    "simulation.eigenspaces.shared_energy",
    "simulation.eigenspaces.iterated_eigenspace",
    "simulation.eigenspaces.largest_eigenvalues",
    "simulation.activation_pairs.",
    "simulation.relu_network.respond",
    "simulation.relu_network.slice_of_inputs",
    # an iterator, which checks when it is asked for its first batch
    "simulation.relu_batches.draw_network_batches",
)  # fmt: skip
"""Functions whose callers check the arguments, or that have a test of their own."""
