"""What ``converged`` and an error estimate mean, over families with known answers."""

import mpmath
import numpy as np
import pytest

from rmtsim.errors import ConvergenceError
from rmtsim.laws import MarchenkoPastur, MatrixDyson, Semicircle
from rmtsim.laws.dyson import wishart
from rmtsim.laws.self_energy import GaussianSum, VarianceProfile, Wigner
from rmtsim.spectra import gaussian_matrix
from tests.law_oracle import polynomial_roots


@pytest.mark.parametrize("method", ["anderson", "fixed-point"])
@pytest.mark.parametrize("x", [2.1, 3.0, -5.0])
@pytest.mark.parametrize("height", [1e-10, 1e-12, 1e-14])
def test_a_start_beside_the_wrong_root_is_not_converged(method, x, height):
    # m and 1/m solve the equation outside the semicircle; from the wrong one the residual is at rounding.
    wrong = (-x - np.sign(x) * np.sqrt(x * x - 4)) / 2
    law = MatrixDyson(0.0, Wigner(1))
    solution = law.solve(complex(x, height), method=method, start=[[wrong + 1e-13j]])
    exact = Semicircle().stieltjes(complex(x, height))
    assert abs(solution.matrix[0] / exact - 1) <= 2 * solution.error + 1e-15
    assert solution.error < 1e-6
    assert solution.iterations > 5


def random_problem(rng):
    n = int(rng.integers(1, 5))
    mean = np.diag(rng.uniform(-2, 2, n) if rng.random() < 0.7 else rng.choice([-1e5, 1e5], n))
    kind = rng.integers(3)
    if kind == 0:
        energy = Wigner(n, rng.uniform(0.1, 2))
    elif kind == 1:
        profile = rng.random((n, n))
        energy = VarianceProfile((profile + profile.T) / n)
    else:
        raw = rng.standard_normal((3, n, n))
        energy = GaussianSum((raw + raw.transpose(0, 2, 1)) / np.sqrt(6 * n))
    law = MatrixDyson(mean, energy)
    near = mean[0, 0] + rng.uniform(-3, 3)
    return law, complex(near, 10.0 ** rng.uniform(-14, -2))


def exact_solution(law, z):
    """Forty-digit M by Newton on the packed unknowns from the solver's own M: only the root nearest to it matters."""
    n = law.size
    mean = law._full_mean
    with mpmath.workdps(40):
        m = mpmath.matrix(law.solve(z).full().tolist())
        for _ in range(120):
            if isinstance(law.self_energy, GaussianSum):
                total = mpmath.zeros(n)
                for item in law.self_energy.matrices:
                    b = mpmath.matrix(item.tolist())
                    total += b * m * b
            else:
                profile = law.self_energy.diagonal
                total = mpmath.zeros(n)
                for i in range(n):
                    total[i, i] = mpmath.fsum(mpmath.mpf(profile[i, j]) * m[j, j] for j in range(n))
            step = (mpmath.matrix(mean.tolist()) - z * mpmath.eye(n) - total) ** -1 - m
            m = m + step / 2
            if mpmath.mnorm(step, "f") < mpmath.mpf(10) ** -25 * mpmath.mnorm(m, "f"):
                return np.array(m.tolist(), dtype=complex)
    return None


def test_every_method_bounds_its_error():
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(20):
        law, z = random_problem(rng)
        reference = law.solve(z)
        exact = exact_solution(law, z) if law.size <= 2 else None
        for method in ("newton", "anderson", "fixed-point"):
            try:
                solution = (
                    reference if method == "newton" else law.solve(z, method=method, max_iterations=2000)
                )
            except ConvergenceError:
                continue  # slow iterations may say that they did not finish
            assert solution.residual <= 1e-10
            assert solution.error <= 1e-6
            assert solution.condition >= 1
            truth, slack = (reference.full(), 2 * reference.error) if exact is None else (exact, 0.0)
            size = np.linalg.norm(truth)
            assert np.linalg.norm(solution.full() - truth) / size <= 2 * solution.error + slack + 1e-15
            compared += 1
    assert compared > 45


def cubic_density(a, v, x):
    """Density for A = ±a and Wigner noise of variance v, from the cubic in sixty digits."""
    with mpmath.workdps(60):
        x, a, v = mpmath.mpf(x), mpmath.mpf(a), mpmath.mpf(v)
        roots = polynomial_roots([v**2, 2 * v * x, x * x - a * a + v, x], maxsteps=500, extraprec=600)
        height = max(mpmath.im(root) for root in roots)
        return float(height / mpmath.pi) if height > mpmath.mpf(10) ** -40 else 0.0


def estimates(rng):
    """Laws with closed forms at points 1e-16 to 1e-1 from their edges or cusp: boundary values beside the truth."""
    distance = 10.0 ** rng.uniform(-16, -1, 5) * rng.choice([-1, 1], 5)
    variance = 10.0 ** rng.uniform(-2, 2)
    closed = Semicircle(variance)
    x = closed.support[0][1] * np.append(1 + distance, rng.uniform(-1, 1))
    yield MatrixDyson(0.0, Wigner(2, variance)), x, closed.density(x)
    ratio = 10.0 ** rng.uniform(-2, 2)
    closed = MarchenkoPastur(ratio)
    x = np.concatenate([end * (1 + distance) for end in closed.support[0]])
    yield wishart(ratio), x, closed.density(x)
    variance = 1 + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-9, -1)
    x = distance
    truth = np.array([cubic_density(1.0, variance, point) for point in x])
    yield MatrixDyson(np.diag([-1.0, 1.0]), Wigner(2, variance)), x, truth


def check_estimates(seed, rounds):
    rng = np.random.default_rng(seed)
    useful = 0
    for _ in range(rounds):
        for law, x, truth in estimates(rng):
            for point, exact in zip(x, truth, strict=True):
                value = law.boundary(point)
                assert abs(value.density - exact) <= value.error + 1e-15 * exact, (law, point)
                useful += bool(value.error < 1e-6)
    return useful


@pytest.mark.thorough
def test_error_estimates_hold_at_edges_and_cusps():
    # An estimate of infinity would hold as well: most of them have to say something.
    assert check_estimates(1, 4) > 0.8 * 4 * 21


@pytest.mark.slow
def test_error_estimates_hold_everywhere():
    assert check_estimates(2, 250) > 0.8 * 250 * 21


def test_the_reported_point_outside_an_edge():
    law = MatrixDyson(np.diag([-1.0, 1.0]), Wigner(2, 1.0))
    for x in (1 + 1e-9, -(1 + 1e-9), 2.598076211353316):
        value = law.boundary(x)
        assert abs(value.density - cubic_density(1.0, 1.0, x)) <= value.error + 1e-15


def test_sampling_error_of_an_estimated_covariance():
    rng = np.random.default_rng(5)
    from rmtsim.laws.self_energy import FromSamples

    observed = [gaussian_matrix(Wigner(6), rng) for _ in range(60)]
    energy = FromSamples(observed)
    error = MatrixDyson(0.0, energy).sampling_error([0.0, 1.0], groups=6)
    assert (error.standard_error > 0).all()
    # The bias is of order 1/K: with four times as many samples it is far smaller than the whole density.
    assert (np.abs(error.bias) < 0.5 * error.density).all()
    closed = Semicircle().density(np.array([0.0, 1.0]))
    assert (np.abs(error.density - error.bias - closed) < 5 * error.standard_error).all()
    with pytest.raises(TypeError, match="FromSamples"):
        MatrixDyson(0.0, Wigner(2)).sampling_error(0.0)
    with pytest.raises(ValueError, match="groups"):
        MatrixDyson(0.0, energy).sampling_error(0.0, groups=1)
