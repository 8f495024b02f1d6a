"""Complex eigenvalues of A + X: the circular law, total mass, independent differentiation, drawn matrices."""

import math

import mpmath
import numpy as np
import pytest
from scipy import optimize

from rmtsim.laws import Circular, DeformedCircular

NILPOTENT = np.array([[0, 2.0, 0], [0, 0, 1], [0, 0, 0]])


def square(reach, count):
    line = np.linspace(-reach, reach, count)
    return line + 1j * line[:, None], (line[1] - line[0]) ** 2


def test_a_multiple_of_one_moves_the_circular_law():
    z = np.array([0.0, 0.7j, -1.3, 2.0])
    assert DeformedCircular(0.5 - 1j, 4.0).pdf(z) == pytest.approx(
        Circular(entry_variance=4.0).pdf(z - 0.5 + 1j), rel=1e-13
    )


@pytest.mark.parametrize(
    ("mean", "variance", "reach", "count"),
    [([-1.2, 1.2], 1.0, 2.5, 401), ([0.0, 3.0, 3j], 0.5, 4.2, 501), (NILPOTENT, 0.5, 2.2, 61)],
)
def test_the_mass_is_one(mean, variance, reach, count):
    z, area = square(reach, count)
    assert DeformedCircular(mean, variance).pdf(z).sum() * area == pytest.approx(1, abs=0.01)


def test_a_diagonal_matrix_has_the_law_of_its_eigenvalues():
    values = np.array([0.3, -1, 1j])
    z = square(1.5, 7)[0]
    assert DeformedCircular(np.diag(values), 0.7).pdf(z) == pytest.approx(
        DeformedCircular(values, 0.7).pdf(z), abs=1e-13
    )


@pytest.mark.parametrize("point", [0.3 + 0.2j, -0.6j])
def test_the_density_is_a_derivative_of_the_transform(point):
    """∂/∂w̄ of tr(C*P) by differences of 40 digits, with the radius from the equation itself."""
    with mpmath.workdps(60):
        mean = mpmath.matrix(NILPOTENT.tolist())

        def transform(w):
            c = mpmath.diag([w] * 3) - mean
            product = c * c.H
            root = mpmath.findroot(
                lambda t: (
                    (mpmath.mpf(1) / 6)
                    * sum(((product + t * mpmath.eye(3)) ** -1)[i, i] for i in range(3)).real
                    - 1
                ),
                (mpmath.mpf(10) ** -9, mpmath.mpf(1)),
                solver="illinois",
                maxsteps=400,
            )
            return sum((c.H * (product + root * mpmath.eye(3)) ** -1)[i, i] for i in range(3)) / 3

        step, w = mpmath.mpf(10) ** -20, mpmath.mpmathify(point)
        along = (transform(w + step) - transform(w - step)) / (2 * step)
        across = (transform(w + 1j * step) - transform(w - 1j * step)) / (2 * step)
        expected = (along + 1j * across) / 2 / mpmath.pi
    assert DeformedCircular(NILPOTENT, 0.5).pdf(point) == pytest.approx(float(expected.real), rel=1e-12)


def test_eigenvalues_of_a_drawn_matrix():
    n, law = 600, DeformedCircular(NILPOTENT, 0.5)
    rng = np.random.default_rng(1)
    matrix = np.kron(np.eye(n // 3), NILPOTENT) + math.sqrt(0.5 / n) * rng.standard_normal((n, n))
    found = np.abs(np.linalg.eigvals(matrix))
    z, area = square(2.0, 101)
    density = law.pdf(z) * area
    for radius in (0.6, 0.9, 1.2):
        assert np.mean(found < radius) == pytest.approx(density[np.abs(z) < radius].sum(), abs=0.03)
    assert np.abs(found).max() < law.support[0]


def test_units_moments_and_the_support():
    law = DeformedCircular([1.0, 3.0])
    assert (law.mean(), law.moment(2)) == (2, 5)
    small = DeformedCircular([1e-9, 3e-9], 1e-18)
    assert small.pdf(1e-9) * 1e-18 == pytest.approx(law.pdf(1.0), rel=1e-12)
    edge = 1 + math.sqrt(0.5) * 0.999  # another atom at distance 2 adds a little
    assert DeformedCircular([1.0, 1e9]).inside([edge, 1 + math.sqrt(0.5) * 1.001]).tolist() == [True, False]
    assert law.logpdf(9.0) == -math.inf
    assert law.plot().get_xlabel() == "real part"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[1.0, 2.0]],), {}, "mean of shape"),
        (([],), {}, "mean of shape"),
        (([1.0],), {"entry_variance": 0.0}, "entry_variance=0"),
        (([1.0, 2.0],), {"weights": [0.5, 0.6]}, "weights"),
        ((NILPOTENT,), {"weights": [1.0, 0.0, 0.0]}, "weights"),
        (([1e200],), {}, "1e100"),
    ],
)
def test_what_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        DeformedCircular(*arguments, **options)


def test_the_boundary_solves_its_equation():
    """Inside is where the mean of 1/|z - a|² exceeds one; here left of the eigenvalues 0 and 3 of a rotated matrix."""
    rotation = np.array([[0.6, 0.8], [-0.8, 0.6]])
    law = DeformedCircular(rotation @ np.diag([0.0, 3.0]) @ rotation.T)
    end = optimize.brentq(lambda t: 0.5 * (t**-2 + (t + 3) ** -2) - 1, 0.1, 2.0)
    assert law.inside(np.array([-0.998 * end, -1.002 * end])).tolist() == [True, False]
