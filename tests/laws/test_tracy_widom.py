"""Tracy–Widom laws against 30-digit determinants, against each other, and against simulated edges."""

import functools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigvalsh_tridiagonal

from rmtsim.errors import ConvergenceError
from rmtsim.laws import TracyWidom, wigner_edge, wishart_edge
from rmtsim.laws import _painleve as painleve
from rmtsim.laws._airy_counts import counted_table, counts
from rmtsim.laws._airy_diffusion import diffused_tables
from rmtsim.laws._piecewise import evaluate


@functools.cache
def determinants(t):
    """det(1 ∓ V_t) with 30 digits: Gauss–Legendre quadrature of the Fredholm determinant (Bornemann)."""
    with mpmath.workdps(34):
        # The kernel oscillates on (0, -t): as many nodes as 30 digits of the smallest determinant need.
        reach = mpmath.mpf(16 + max(0, -t))
        x, w = _legendre(int(30 + 3 * max(0, -t)))
        x, w = [reach * (each + 1) / 2 for each in x], [reach * each / 2 for each in w]
        n = len(x)
        v = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(i + 1):
                v[i, j] = v[j, i] = mpmath.sqrt(w[i] * w[j]) * mpmath.airyai(x[i] + x[j] + mpmath.mpf(t))
        one = mpmath.eye(n)
        return mpmath.det(one - v), mpmath.det(one + v)


@functools.cache
def _legendre(n):
    nodes, weights = [], []
    for start in np.polynomial.legendre.leggauss(n)[0]:
        x = mpmath.findroot(lambda z: mpmath.legendre(n, z), mpmath.mpf(float(start)))
        slope = n * (x * mpmath.legendre(n, x) - mpmath.legendre(n - 1, x)) / (x**2 - 1)
        nodes.append(x)
        weights.append(2 / ((1 - x**2) * slope**2))
    return nodes, weights


def oracle(beta, x):
    minus, plus = determinants(x * math.sqrt(2) if beta == 4 else x)
    return {1: minus, 2: minus * plus, 4: (minus + plus) / 2}[beta]


@pytest.mark.thorough
@pytest.mark.parametrize(("beta", "x"), [(1, -4.5), (2, -4.5), (4, 0.3), (1, 0.3)])
def test_both_tails_have_thirteen_digits(beta, x):
    with mpmath.workdps(34):
        truth = oracle(beta, x)
        law = TracyWidom(beta)
        assert abs(law.cdf(x) / truth - 1) < 2e-13
        assert abs(law.sf(x) / (1 - truth) - 1) < 2e-13
        assert abs(law.logcdf(x) - mpmath.log(truth)) < 2e-13 * max(1, abs(mpmath.log(truth)))


@pytest.mark.slow
@pytest.mark.parametrize("beta", [1, 2, 4])
@pytest.mark.parametrize("x", [-8.0, -6.7, -3.0, -1.0, -0.7, 1.5, 3.0, 4.9])
def test_both_tails_on_a_wider_grid(beta, x):
    test_both_tails_have_thirteen_digits(beta, x)


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_density_is_the_derivative_and_has_mass_one(beta):
    law = TracyWidom(beta)
    x = np.linspace(-6, 9, 61)
    h = 1e-4
    slope = (law.cdf(x - 2 * h) - 8 * law.cdf(x - h) + 8 * law.cdf(x + h) - law.cdf(x + 2 * h)) / (12 * h)
    assert np.allclose(law.density(x), slope, rtol=1e-9, atol=1e-12)
    assert abs(law.moment(0) - 1) < 1e-13


@pytest.mark.parametrize(
    ("beta", "digits"),
    # Mean and variance as they are commonly quoted; not compared with a printed table here. The last digits of skewness
    # and kurtosis are this code's own, so they guard against changes only; the determinants above are the oracle.
    [
        (1, (-1.206533574582, 1.607781034581, 0.293464524086, 0.165242938455)),
        (2, (-1.771086807411, 0.813194792832, 0.224084203610, 0.093448087661)),
        (4, (-2.306884893241, 0.517723720772, 0.165509494352, 0.049195156594)),
    ],
)
def test_moments_keep_twelve_digits(beta, digits):
    law = TracyWidom(beta)
    assert np.allclose(law.stats("mvsk"), digits, rtol=0, atol=2e-12)


@given(st.sampled_from([1, 2, 4]), st.floats(-300, -1e-12))
def test_quantiles_invert_both_tails_down_to_1e_minus_300(beta, exponent):
    q = 10.0**exponent
    law = TracyWidom(beta)
    assert abs(law.logcdf(law.ppf(q)) - math.log(q)) < 1e-12 * max(1, abs(math.log(q)))
    assert abs(law.logsf(law.isf(q)) - math.log(q)) < 1e-12 * max(1, abs(math.log(q)))


@given(st.sampled_from([1, 2, 4]), st.floats(-120, 150))
def test_monotone_and_continuous_across_the_joins(beta, x):
    law = TracyWidom(beta)
    step = 1e-6
    below, here = law.logcdf(x - step), law.logcdf(x)
    assert here >= below - 1e-12 * max(1, abs(here))
    # no jump: the change over a step is the slope's
    assert here - below < 3 * step * (1 + x * x)


@pytest.mark.parametrize("t", [40.0, 60.0, 300.0])
@pytest.mark.parametrize("beta", [1, 2, 4])
def test_left_tail_follows_its_expansion(beta, t):
    # Baik, Buckingham, DiFranco 2008: log F₂ = -t³/12 - (log t)/8 + (log 2)/24 + ζ'(-1) + 3/(64t³) + O(t^-6), and the
    # integral ∫q = (√2/3)t^{3/2} + (log 2)/2 + O(t^{-3/2}) for the others.
    zeta = float(mpmath.zeta(-1, derivative=1))
    log_two = -(t**3) / 12 - math.log(t) / 8 + math.log(2) / 24 + zeta + 3 / (64 * t**3)
    first = math.sqrt(2) / 3 * t**1.5 + math.log(2) / 2
    truth = {
        1: 0.5 * log_two - 0.5 * first,
        2: log_two,
        4: 0.5 * log_two + 0.5 * first - math.log(2),
    }[beta]
    x = -t / math.sqrt(2) if beta == 4 else -t
    # Rounding of a logarithm of 2e6 takes the rest.
    assert abs(TracyWidom(beta).logcdf(x) - truth) < 2e-3 * (beta != 2) + 1e-8 + 1e-14 * t**3


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_right_tail_follows_its_leading_term(beta):
    # Borot and Nadal 2012: Γ(β/2)/((4β)^{β/2} 2π) y^{-3β/4} e^{-2βy^{3/2}/3}, y = 2^{-2/3}t for β = 4 and t otherwise.
    for t in (100.0, 1000.0):
        y = t / 2 ** (2 / 3) if beta == 4 else t
        constant = math.gamma(beta / 2) / ((4 * beta) ** (beta / 2) * 2 * math.pi)
        leading = math.log(constant) - 0.75 * beta * math.log(y) - 2 * beta / 3 * y**1.5
        found = TracyWidom(beta).logsf(t / math.sqrt(2) if beta == 4 else t)
        assert abs(found - leading) < 10 / t**1.5


@pytest.mark.parametrize("beta", [1, 2, 4])
def test_ends_and_shapes(beta):
    law = TracyWidom(beta)
    assert (law.cdf(-math.inf), law.cdf(math.inf), law.sf(math.inf)) == (0, 1, 0)
    assert law.logcdf(-math.inf) == -math.inf
    assert law.density([-500.0, 500.0]).tolist() == [0, 0]
    assert (law.ppf(0.0), law.isf(0.0)) == (-math.inf, math.inf)
    assert law.cdf(np.zeros((2, 3))).shape == (2, 3)
    assert isinstance(law.cdf(0), float)
    assert math.isnan(law.cdf(math.nan))
    with pytest.raises(ValueError, match=r"q=1.5: expected probabilities"):
        law.ppf(1.5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"beta": 0}, ValueError, "beta=0"),
        ({"beta": 1e9}, ValueError, r"expected a number in \[0.001, 100\]"),
        ({"beta": True}, TypeError, "beta=True"),
        ({"beta": "2"}, TypeError, "beta='2'"),
        ({"k": 0}, ValueError, "k=0"),
        ({"convention": "other"}, ValueError, "convention='other'"),
        ({"beta": 3, "convention": "tracy-widom"}, ValueError, "defined for beta = 1, 2 and 4"),
    ],
)
def test_other_parameters_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        TracyWidom(**options)


@pytest.mark.parametrize("t", [-9.0, -3.5, 0.5])
def test_counts_of_the_three_symmetries_are_related(t):
    # Forrester and Rains 2001: every second point of two superposed real processes is the complex process, and every
    # second point of the real process the quaternion one.
    one, two, four = (counts(t, beta, 40) for beta in (1, 2, 4))
    both = np.convolve(one, one)[:40]
    assert np.allclose(both[0::2] + both[1::2], two[:20], rtol=0, atol=2e-14)
    assert np.allclose(one[0:40:2] + one[1:40:2], four[:20], rtol=0, atol=2e-14)
    assert min(one.min(), two.min(), four.min()) > -1e-15


def test_second_eigenvalue_against_thirty_digits():
    # det(1 - (1 - ζ)K) with the Airy kernel itself; its slope at ζ = 0 is P(N = 1).
    t = -2.5
    with mpmath.workdps(30):
        x, w = _legendre(26)
        x, w = [t + mpmath.mpf(8) * (each + 1) for each in x], [mpmath.mpf(8) * each for each in w]
        ai, slope = [mpmath.airyai(each) for each in x], [mpmath.airyai(each, derivative=1) for each in x]
        n = len(x)
        kernel = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(n):
                value = (
                    slope[i] ** 2 - x[i] * ai[i] ** 2
                    if i == j
                    else (ai[i] * slope[j] - slope[i] * ai[j]) / (x[i] - x[j])
                )
                kernel[i, j] = mpmath.sqrt(w[i] * w[j]) * value
        rest = mpmath.eye(n) - kernel
        empty = mpmath.det(rest)
        inverse = mpmath.inverse(rest) * kernel
        truth = empty * (1 + sum(inverse[i, i] for i in range(n)))
    assert abs(TracyWidom(2, k=2).cdf(t) - truth) < 2e-13


def test_determinants_and_tails_agree_for_the_largest():
    x = np.linspace(-7, 5, 97)
    for beta in (1, 2, 4):
        table = counted_table(beta, 1)
        found = evaluate(table.ends, table.coefficients, x)
        exact = TracyWidom(beta, convention="determinant").cdf(x)
        assert np.abs(found - exact).max() < 1e-13


def test_the_diffusion_finds_the_complex_laws():
    tables = diffused_tables(2.0, 3)
    for k, table in enumerate(tables, 1):
        law = TracyWidom(2, k=k)
        x = np.linspace(table.ends[0], table.ends[-1], 301)
        assert np.abs(evaluate(table.ends, table.coefficients, x) - law.cdf(x)).max() < table.error
        assert np.abs(evaluate(table.ends, table.coefficients, x, derivative=True) - law.pdf(x)).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("beta", [1, 4])
def test_the_diffusion_finds_the_real_and_quaternion_laws(beta):
    for k, table in enumerate(diffused_tables(float(beta), 4), 1):
        law = TracyWidom(beta, k=k, convention="stochastic-airy")
        x = np.linspace(table.ends[0], table.ends[-1], 301)
        assert np.abs(evaluate(table.ends, table.coefficients, x) - law.cdf(x)).max() < table.error


def test_any_beta_has_the_methods_of_a_law():
    law = TracyWidom(3.0, k=2)
    assert law.error < 1e-8
    assert abs(law.moment(0) - 1) < 1e-9
    q = np.array([1e-6, 0.3, 0.999])
    assert np.allclose(law.cdf(law.ppf(q)), q, rtol=0, atol=1e-12)
    assert np.allclose(law.sf(law.isf(q)), q, rtol=0, atol=1e-12)
    # Between its neighbours, as the laws depend on β monotonically.
    means = [TracyWidom(beta, k=2, convention="stochastic-airy").mean() for beta in (2, 3.0, 4)]
    assert means[0] > means[1] > means[2]
    with pytest.raises(ConvergenceError, match="below the absolute accuracy"):
        law.ppf(1e-14)


def test_two_largest_eigenvalues_of_a_tridiagonal_model():
    # Dumitriu and Edelman's matrix for β = 3: means of the two largest within four standard errors and n^(-2/3)/4.
    rng = np.random.default_rng(3)
    n, beta, draws = 150, 3.0, 1500
    values = np.empty((draws, 2))
    for row in values:
        d = math.sqrt(2) * rng.standard_normal(n)
        e = np.sqrt(rng.chisquare(beta * np.arange(n - 1, 0, -1)))
        top = eigvalsh_tridiagonal(d, e, select="i", select_range=(n - 2, n - 1))[::-1] / math.sqrt(beta)
        row[:] = n ** (1 / 6) * (top - 2 * math.sqrt(n))
    for k in (1, 2):
        error = 4 * values[:, k - 1].std() / math.sqrt(draws)
        # The first correction moves the centre by (1 - 2/β)/2·n^(-1/3) (`wigner_edge` has it for β = 1).
        shift = 0.5 * (1 - 2 / beta) * n ** (-1 / 3)
        assert abs(values[:, k - 1].mean() - shift - TracyWidom(beta, k=k).mean()) < error + 0.25 * n ** (
            -2 / 3
        )


def test_a_moved_constant_would_be_noticed():
    # The certificate of the solver is the equation itself between its nodes: q scaled by 1.01 violates it.
    solution = painleve.hastings_mcleod()
    s = np.linspace(-40, 9, 500)
    q = 1.01 * evaluate(solution.ends, solution.values, s)
    second = 1.01 * evaluate(solution.ends, np.polynomial.chebyshev.chebder(solution.slopes, axis=1), s)
    assert solution.residual < 1e-13
    assert np.abs(second - s * q - 2 * q**3).max() > 1e-3


@pytest.mark.parametrize("beta", [1, 2])
@pytest.mark.parametrize("n", [12, 60])
def test_wigner_edge_is_second_order(beta, n):
    # Largest eigenvalue of the tridiagonal model: mean within four standard errors and a term of order n^(-2/3).
    rng = np.random.default_rng(n + beta)
    edge, law = wigner_edge(n, beta), TracyWidom(beta)
    values = np.empty(3000)
    for index in range(values.size):
        d = math.sqrt(2) * rng.standard_normal(n)
        e = np.sqrt(rng.chisquare(beta * np.arange(n - 1, 0, -1)))
        top = eigvalsh_tridiagonal(d, e, select="i", select_range=(n - 1, n - 1))[0]
        values[index] = edge.standardise(top / math.sqrt(beta * n))
    error = 4 * values.std() / math.sqrt(values.size)
    assert abs(values.mean() - law.mean()) < error + 0.25 * n ** (-2 / 3)


def test_wishart_edge_beats_the_first_order_constants():
    rng = np.random.default_rng(5)
    samples, dimension = 60, 25
    tops = np.array([np.linalg.norm(rng.standard_normal((dimension, samples)), 2) ** 2 for _ in range(2000)])
    law = TracyWidom(1)
    edge = wishart_edge(samples, dimension)
    a, b = math.sqrt(samples), math.sqrt(dimension)
    first = (tops - (a + b) ** 2) / ((a + b) * (1 / a + 1 / b) ** (1 / 3))
    second = (tops / samples - edge.centre) / edge.scale
    assert abs(second.mean() - law.mean()) < 0.3 * abs(first.mean() - law.mean())


def test_edges_check_their_input():
    with pytest.raises(ValueError, match="beta=4"):
        wigner_edge(10, 4)
    with pytest.raises(ValueError, match="samples=1"):
        wishart_edge(1, 10)


def test_tails_of_a_tabulated_law_add_up_to_one():
    law = TracyWidom(2, k=2)
    x = np.array([-6.0, -4.0, -2.5])
    np.testing.assert_allclose(law.cdf(x) + law.sf(x), 1.0, rtol=1e-14)
