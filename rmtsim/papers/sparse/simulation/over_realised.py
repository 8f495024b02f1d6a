"""Over-realised dictionaries with a smaller loss than the true one: nets of pairs, and two columns per atom."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim.papers.sparse.simulation.checks import checked_dictionary

_MOST = 4_000_000
"""Columns beyond which a net is refused."""


def _plane(first: Array, second: Array) -> Array:
    """An orthonormal basis of the plane of two atoms, the first of them its first vector."""
    rest = second - (first @ second) * first
    return np.column_stack([first, rest / np.linalg.norm(rest)])


def _pairs(dictionary: Any) -> tuple[Array, list[tuple[int, int]]]:
    matrix = checked_dictionary("dictionary", dictionary)
    if matrix.shape[1] < 2:
        raise ValueError(f"dictionary of shape {matrix.shape}: expected at least two atoms to pair")
    return matrix / np.linalg.norm(matrix, axis=0), list(combinations(range(matrix.shape[1]), 2))


def lattice_net(dictionary: Any, radius: float, resolution: float) -> Array:
    """The proof's B: for every pair of atoms a square lattice that is an ε-net of the disc of that radius, (A.8).

    The lattice has the side ε√2 and its points are shifted by half a side in both directions, so that no column comes
    nearer than ε/√2 or so to the line of the pair's first atom.

    >>> net = lattice_net(np.eye(2), 1.0, 0.5)
    >>> bool(np.linalg.norm(net, axis=0).max() <= 1.0), net.shape
    (True, (2, 4))
    """
    matrix, pairs = _pairs(dictionary)
    radius = validate.positive_number("radius", radius, meaning="radius of the discs")
    resolution = validate.positive_number("resolution", resolution, meaning="ε of the net")
    side = resolution * math.sqrt(2)
    across = radius / side
    if not across < 1e6 or len(pairs) * math.pi * across**2 > _MOST:
        raise ValueError(
            f"resolution={resolution}: a disc of radius={radius} over {len(pairs)} pairs; expected a net of at most "
            f"{_MOST} columns"
        )
    ticks = side * (np.arange(-math.ceil(radius / side), math.ceil(radius / side)) + 0.5)
    points = np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)
    points = points[(points**2).sum(axis=1) <= radius**2]
    if not len(points):
        raise ValueError(
            f"resolution={resolution}: expected at most the radius {radius}, or the net is empty"
        )
    return np.hstack([_plane(matrix[:, i], matrix[:, j]) @ points.T for i, j in pairs])


def directions_of_pairs(dictionary: Any, spacing: float) -> Array:
    """Unit columns in the plane of every pair of atoms, at most ``spacing`` radians apart, none nearer than half of it
    to an atom of the pair.

    Codes scale columns freely, so directions are all that a net needs. The two arcs between the lines of the pair's
    atoms are divided evenly, the first and last column half a part away from them.

    >>> directions_of_pairs(np.eye(2), math.pi / 4).shape
    (2, 4)
    """
    matrix, pairs = _pairs(dictionary)
    spacing = validate.positive_number("spacing", spacing, meaning="angle between neighbours")
    expected = len(pairs) * (math.pi / spacing + 2)
    if expected > _MOST:
        raise ValueError(f"spacing={spacing}: about {expected:.3g} columns; expected at most {_MOST}")
    columns = []
    for i, j in pairs:
        plane = _plane(matrix[:, i], matrix[:, j])
        between = math.atan2(float(plane[:, 1] @ matrix[:, j]), float(plane[:, 0] @ matrix[:, j]))
        for start, length in ((0.0, between), (between, math.pi - between)):
            parts = max(1, math.ceil(length / spacing - 1e-9))
            angles = start + length * (np.arange(parts) + 0.5) / parts
            columns.append(plane @ np.vstack([np.cos(angles), np.sin(angles)]))
    return np.hstack(columns)


def two_columns_each(dictionary: Any, angle: float) -> Array:
    """For every atom A_i the two unit columns cos φ A_i ± sin φ v_i, v_i towards the next atom: 2p columns in all.

    v_i is the part of A_{i+1} orthogonal to A_i (cyclically), normalised. The loss is then smaller than that of the
    truth by a share of the noise if φ is about the noise over the signal (docs/papers/sparse/index.md).

    >>> two_columns_each(np.eye(3), 0.1).shape
    (3, 6)
    """
    matrix, _ = _pairs(dictionary)
    angle = validate.positive_number("angle", angle, meaning="φ in radians")
    atoms = matrix.shape[1]
    columns = []
    for i in range(atoms):
        plane = _plane(matrix[:, i], matrix[:, (i + 1) % atoms])
        turned = plane * np.array([math.cos(angle), math.sin(angle)])
        columns += [turned[:, 0] + turned[:, 1], turned[:, 0] - turned[:, 1]]
    return np.column_stack(columns)
