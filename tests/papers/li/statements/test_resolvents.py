"""Quantities taken from one eigendecomposition against matrices written out."""

import numpy as np
import pytest

from rmtsim.papers.li.simulation.network_hessians import drawn_hessian
from rmtsim.papers.li.statements import error_moments, local_laws, symmetry
from rmtsim.papers.li.statements.ensembles import TWO_BLOCK, WIGNER


def test_gaps_at_many_places_are_those_of_inverses():
    size, gamma = 6, 0.5
    found = local_laws.mean_gap(size, np.random.default_rng(3), 1, gamma)[0]
    matrix = TWO_BLOCK.draw(size, 0.2, np.random.default_rng(3))
    height = size ** (gamma - 1)
    half = np.diag((np.arange(size) < size // 2).astype(float))
    count = np.arange(1, size + 1)
    sines = np.sqrt(2 / (size + 1)) * np.sin(np.pi * np.outer(count, count) / (size + 1))
    np.testing.assert_allclose(sines @ sines, np.eye(size), atol=1e-12)
    values = []
    for place in local_laws.PLACES:
        z = complex(place, height)
        gap = np.linalg.inv(matrix - z * np.eye(size)) - np.diag(local_laws._stated_diagonal(size, z))
        values.append(max(abs(np.trace(b @ gap)) for b in (np.eye(size), half, sines)) * height)
    assert found == pytest.approx(np.mean(values), rel=1e-9)


@pytest.mark.parametrize("order", [1, 4])
def test_moments_of_the_error_are_those_of_the_matrix(order):
    size = 6
    found = error_moments.error_moment(size, np.random.default_rng(4), order, form="corrected")
    rng = np.random.default_rng(4)
    matrix = WIGNER.draw(size, 1.0, rng)
    chosen = rng.permuted(np.tile(np.arange(size) < size // 2, (local_laws.HALVES, 1)), axis=1)
    values = []
    for place in local_laws.PLACES:
        z = complex(place, 0.5)
        green = np.linalg.inv(matrix - z * np.eye(size))
        error = np.eye(size) + ((z + np.trace(green) / size) * np.eye(size) + green.T / size) @ green
        values += [abs(np.diag(error)[half].sum()) ** order for half in chosen]
    assert found == pytest.approx(np.mean(values), rel=1e-9)
    plain = error_moments.error_moment(size, np.random.default_rng(4), order, form="printed")
    assert plain == pytest.approx(size**order * found, rel=1e-12)


def test_the_fourth_moment_over_directions():
    size = 5
    second = error_moments.squared_green_entry.measured(size, np.random.default_rng(5))
    found = error_moments.fourth_moment_of_green.measured(size, np.random.default_rng(5))
    from rmtsim.ensembles._gaussian import gaussian_tridiagonal

    eigenvalues = gaussian_tridiagonal(size, np.random.default_rng(5), beta=1).eigenvalues()
    x = np.random.default_rng(6).standard_normal((200_000, size))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    green = 1 / (eigenvalues[:, None] - (local_laws.PLACES + 1j * size**-0.5))
    for moment, power in ((second, 2), (found, 4)):
        values = (np.abs(x**2 @ green) ** power).mean(axis=1)
        assert abs(moment - values.mean()) < 4 * values.std() / np.sqrt(len(values))


def test_the_bounded_skewness_is_that_of_the_eigenvalues():
    found = symmetry.bounded_skewness(3, np.random.default_rng(7), 4)
    rng, values = np.random.default_rng(7), []
    for _ in range(symmetry.GROUP):
        spectrum = np.linalg.eigvalsh(drawn_hessian(3, rng, 4))
        values.append(abs((spectrum**3).sum()) / np.sqrt((spectrum**2).sum() * (spectrum**4).sum()))
    assert found == pytest.approx(np.mean(values), rel=1e-9)
    assert 0 < found < 1
