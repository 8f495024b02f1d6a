"""Dictionaries and sparse codes: draw, decode, measure losses, train; the simulation side of a claim.

A dictionary is a d × p matrix whose columns are atoms; measurements and codes are rows: y = Az + ε for each.
"""

from rmtsim.dictionaries.decoding import Pursuit, best_codes, explained_energy, orthogonal_matching_pursuit
from rmtsim.dictionaries.draws import (
    draw_codes,
    draw_dictionary,
    draw_measurements,
    draw_orthonormal,
    normalised,
)
from rmtsim.dictionaries.estimators import least_squares_estimate, ridge_estimate
from rmtsim.dictionaries.isometry import incoherence, isometry_bounds, isometry_constant
from rmtsim.dictionaries.losses import masked_loss, masked_losses, recovery_error, sparse_losses
from rmtsim.dictionaries.over_realised import directions_of_pairs, lattice_net, two_columns_each
from rmtsim.dictionaries.training import Training, initial_dictionary, train

__all__ = [
    "Pursuit",
    "Training",
    "best_codes",
    "directions_of_pairs",
    "draw_codes",
    "draw_dictionary",
    "draw_measurements",
    "draw_orthonormal",
    "explained_energy",
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
    "recovery_error",
    "ridge_estimate",
    "sparse_losses",
    "train",
    "two_columns_each",
]
