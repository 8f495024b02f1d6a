"""Dictionaries and sparse codes: draw, decode, measure losses, train; the simulation side of a claim.

A dictionary is a d × p matrix whose columns are atoms; measurements and codes are rows: y = Az + ε for each.
"""

from rmtsim.papers.sparse.simulation.decoding import (
    Pursuit,
    best_codes,
    explained_energy,
    orthogonal_matching_pursuit,
)
from rmtsim.papers.sparse.simulation.draws import (
    draw_codes,
    draw_dictionary,
    draw_measurements,
    draw_orthonormal,
    normalised,
)
from rmtsim.papers.sparse.simulation.estimators import least_squares_estimate, ridge_estimate
from rmtsim.papers.sparse.simulation.isometry import incoherence, isometry_bounds, isometry_constant
from rmtsim.papers.sparse.simulation.losses import masked_loss, masked_losses, recovery_error, sparse_losses
from rmtsim.papers.sparse.simulation.over_realised import directions_of_pairs, lattice_net, two_columns_each
from rmtsim.papers.sparse.simulation.problems import (
    balanced,
    draw_near_isometry,
    equiangular_pursuit,
    gains,
    pursued,
)
from rmtsim.papers.sparse.simulation.training import Training, initial_dictionary, train

__all__ = [
    "Pursuit",
    "Training",
    "balanced",
    "best_codes",
    "directions_of_pairs",
    "draw_codes",
    "draw_dictionary",
    "draw_measurements",
    "draw_near_isometry",
    "draw_orthonormal",
    "equiangular_pursuit",
    "explained_energy",
    "gains",
    "incoherence",
    "initial_dictionary",
    "isometry_bounds",
    "isometry_constant",
    "lattice_net",
    "least_squares_estimate",
    "masked_loss",
    "masked_losses",
    "normalised",
    "orthogonal_matching_pursuit",
    "pursued",
    "recovery_error",
    "ridge_estimate",
    "sparse_losses",
    "train",
    "two_columns_each",
]
