"""A random two-layer network: cheap algebra against matrices, corrected overlaps, limits that are reached."""

import numpy as np
import pytest

from rmtsim.papers.wu.simulation.eigenspaces import overlap
from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.simulation.layer_hessian import layer_overlap
from rmtsim.papers.wu.simulation.two_layer import draw_instance
from rmtsim.papers.wu.simulation.two_layer_stack import draw_networks
from rmtsim.papers.wu.statements.output_norms import distance_to_fair_coins
from rmtsim.papers.wu.statements.output_spaces import formula_error, norm_over_core
from rmtsim.papers.wu.theory import limits


def test_projections_and_energies_are_those_of_the_matrices():
    instance = draw_instance(40, 0.4, 3, 24, np.random.default_rng(2))
    w = instance.weights
    for cheap, matrices in (
        (instance.projected_output, instance.output),
        (instance.projected_independent, instance.independent),
    ):
        for small, large in zip(cheap, matrices, strict=True):
            assert np.allclose(small, w @ large @ w.T, rtol=1e-11, atol=1e-15)
    assert instance.output_energy == pytest.approx(product(instance.output), rel=1e-11)


@pytest.mark.parametrize(("width", "classes", "narrow"), [(100, 3, True), (120, 4, True), (40, 3, False)])
def test_square_roots_of_few_rows_give_what_the_matrices_give(width, classes, narrow):
    instance = draw_instance(width, 0.4, classes, 24, np.random.default_rng(3))
    assert instance.narrow == narrow
    assert instance.independent_energy == pytest.approx(product(instance.independent), rel=1e-11)
    for root, matrix in zip(instance.independent_roots, instance.independent, strict=True):
        assert np.allclose(root.T @ root, matrix, rtol=1e-11, atol=1e-15)
    for spaces, matrices in (
        (instance.output_space, instance.output),
        (instance.independent_space, instance.independent),
    ):
        for space, matrix in zip(spaces, matrices, strict=True):
            dense = np.linalg.eigh(matrix)[1][:, 1 - classes :]
            assert overlap(space, dense) == pytest.approx(1, abs=1e-9)
    for space, matrix in zip(instance.output_spaces, instance.output, strict=True):
        assert space.values == pytest.approx(np.linalg.eigvalsh(matrix)[::-1][: classes - 1], rel=1e-9)


@pytest.mark.thorough
def test_distances_that_are_multiplied_out_are_those_of_the_matrices():
    instance = draw_instance(40, 0.4, 3, 24, np.random.default_rng(4))
    stack = draw_networks(40, 0.4, 3, 24, 1, np.random.default_rng(4))
    w = instance.weights
    cores = [w.T @ curvature @ w for curvature in instance.curvature]
    coins = [m - core / 4 for m, core in zip(instance.output, cores, strict=True)]
    assert distance_to_fair_coins(stack) == pytest.approx(np.sqrt(product(tuple(coins))), rel=1e-10)
    formulas = [(core + np.diag(np.diag(core))) / 4 for core in cores[::-1]]
    errors = [m - formula for m, formula in zip(instance.independent, formulas, strict=True)]
    wanted = np.sqrt(product(tuple(errors)) / product(instance.independent))
    assert formula_error(stack) == pytest.approx(wanted, rel=1e-10)
    assert norm_over_core(stack) == pytest.approx(
        np.sqrt(product(instance.independent) / product(tuple(cores))), rel=1e-10
    )


@pytest.mark.parametrize("classes", [2, 6])
def test_few_inputs_never_look_like_a_refutation(classes):
    """48 inputs bias plain overlaps low by several per cent; the corrected ones stay within Theorem 4.1's tolerance.

    Twelve networks of width 256, α = 0.3: the mean deficit of the true overlap is below 0.002 there.
    """
    rng = np.random.default_rng(5)
    plain, corrected = [], []
    for _ in range(12):
        instance = draw_instance(256, 0.3, classes, 48, rng)
        first, second = instance.layer_spaces
        plain.append(layer_overlap(first, second))
        corrected.append(instance.layer_overlap())
    assert np.mean(plain) < 0.95
    assert np.mean(corrected) == pytest.approx(1, abs=0.005)


def test_statistics_are_near_their_limits():
    """Fixed seed, width 400: three standard deviations (measured over seeds) around the predicted limits."""
    instance = draw_instance(400, 0.4, 4, 200, np.random.default_rng(2))
    assert instance.corrected(instance.output_space, instance.independent_space) == pytest.approx(
        1, abs=0.003
    )
    assert instance.corrected(instance.independent_space, (instance.rows, instance.rows)) == pytest.approx(
        limits.row_space_overlap(), abs=0.04
    )
    assert instance.layer_overlap() == pytest.approx(1, abs=0.01)
    assert instance.output_gap() < 0.1
