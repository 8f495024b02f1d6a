"""Valid arguments of the functions of `dong`, for the fuzz trials of tests/hostile."""

import functools

import numpy as np

from rmtsim.papers.dong.simulation import one_hidden_hessian as one_hidden
from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks
from tests.hostile.values import matrix, rng


@functools.cache
def state():
    return one_hidden.forward(sample_one_hidden(4, 6, 2, 3, rng()), "ce")


VALID = {"state": state}
"""By the name of a parameter, wherever it stands."""

WRITTEN = {
    "simulation.one_hidden_hessian.forward": {
        "network": lambda: sample_one_hidden(4, 6, 2, 3, rng()), "loss": lambda: "mse",
    },
    "simulation.stated_losses.linear_square_loss": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: matrix(3, 2),
    },
    "simulation.stated_losses.linear_cross_entropy": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: np.eye(3)[:, :2],
    },
    "simulation.stated_losses.network_square_loss": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: matrix(3, 2), "hidden": lambda: 2,
    },
    "simulation.stated_losses.network_cross_entropy": {
        "inputs": lambda: matrix(3, 2), "targets": lambda: np.eye(3)[:, :2], "hidden": lambda: 2,
    },
    "simulation.stated_losses.binary_cross_entropy": {
        "x": lambda: np.ones(2), "output": lambda: np.ones(2), "label": lambda: 1,
    },
    "simulation.one_hidden_batches.train_together": {
        "networks": lambda: [sample_one_hidden(4, 6, 2, 3, rng())], "loss": lambda: "mse", "steps": lambda: 2,
        "rate": lambda: 0.1, "checks": lambda: (0, 2),
    },
    "simulation.one_hidden_stack.draw_stacks": {
        "dimension": lambda: 4, "samples": lambda: 6, "hidden": lambda: 2, "classes": lambda: 3, "networks": lambda: 3,
        "rng": rng, "accepted": lambda: None,
    },
    "simulation.one_hidden_stack_hessian.hidden_square_energies": {
        "stack": lambda: next(draw_stacks(4, 6, 2, 3, 2, rng())),
    },
    "simulation.one_hidden.OneHiddenNetwork": {
        "inputs": lambda: matrix(6, 4), "hidden": lambda: matrix(2, 4), "output": lambda: matrix(3, 2),
        "targets": lambda: matrix(6, 3),
    },
    "theory.curvature_population.hidden_population": {
        "output": lambda: matrix(3, 2), "diagonal": lambda: True, "atoms": lambda: 64,
    },
    "theory.hidden_given_output.hidden_energy_given_output": {
        "output": lambda: matrix(3, 2), "gamma": lambda: 1.0, "diagonal": lambda: True,
    },
    "theory.curvature_population.linear_population": {
        "classes": lambda: 3, "diagonal": lambda: True, "atoms": lambda: 64,
    },
    "simulation.pre_activations.sample_pre_activations": {
        "dimension": lambda: 4, "hidden": lambda: 3, "pairs": lambda: 5, "rng": rng, "spread": lambda: 1.0,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "linear_average",
    "one_hidden",
    "one_hidden_batches",
    "one_hidden_full",
    "one_hidden_hessian",
    "one_hidden_norms",
    "one_hidden_stack",
    "one_hidden_stack_hessian",
    "pre_activations",
    "stated_losses",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = (
    "theory.relu_pairs.",  # inner parts of predictors, which check
    "theory.softmax_overlap.",
    "simulation.one_hidden_hessian.check_",
    "simulation.one_hidden_stack.NetworkStack",  # arrays that draw_stacks has drawn
)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
