"""Closed forms beside mpmath, direct integration and draws."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from rmtsim.papers.sparse import theory as sparse
from rmtsim.papers.sparse.theory.masking import misplaced_noise_amplitude


@pytest.mark.parametrize(("count", "power"), [(1, 3), (2, 1), (7, 2), (300, 3)])
def test_largest_moment(count, power):
    with mpmath.workdps(30):
        exact = mpmath.quad(
            lambda x: x**power * count * mpmath.erf(x / mpmath.sqrt(2)) ** (count - 1) * mpmath.sqrt(2 / mpmath.pi)
            * mpmath.exp(-(x**2) / 2),
            [0, 1, 2, 3, 4, 6, 10],
        )  # fmt: skip
    assert sparse.largest_moment(count, power) == pytest.approx(float(exact), rel=1e-12)


def test_ranked_squares():
    assert sparse.top_squares(9, 1, 1) == pytest.approx(sparse.largest_moment(9, 2), rel=1e-12)
    draws = np.sort(np.random.default_rng(0).standard_normal((40_000, 12)) ** 2, axis=1)[:, ::-1]
    for first, last in ((1, 2), (3, 6)):
        sums = draws[:, first - 1 : last].sum(axis=1)
        error = 4 * sums.std() / math.sqrt(sums.size)
        assert abs(sums.mean() - sparse.top_squares(12, first, last)) < error
        assert abs(sums.mean() - 1.03 * sparse.top_squares(12, first, last)) > error  # a mutation is noticed
    assert sparse.gain_of_more_atoms(12, 3) == sparse.top_squares(9, 1, 3)


@pytest.mark.parametrize("share", [0.5, 0.1, 1e-3])
def test_top_squares_limit(share):
    with mpmath.workdps(30):
        edge = mpmath.findroot(lambda q: mpmath.erfc(q / mpmath.sqrt(2)) - share, 1.5)
        mean = mpmath.quad(
            lambda x: x**2 * mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(x**2) / 2), [edge, edge + 3, 20]
        )
    assert sparse.top_squares_limit(share) == pytest.approx(float(mean / share), rel=1e-10)


@pytest.mark.parametrize("step", [0.3, 1.5, 4.0])
def test_net_gain(step):
    draws = np.abs(np.random.default_rng(1).standard_normal((100_000, 3))).max(axis=1)
    distance = np.abs((draws / step - 0.5) - np.round(draws / step - 0.5)) * step
    gains = draws**2 - distance**2
    assert abs(gains.mean() - sparse.net_gain(4, step)) < 4 * gains.std() / math.sqrt(gains.size)


def test_two_columns():
    g = np.random.default_rng(2).standard_normal(200_000)
    c = math.sqrt(2 / math.pi)
    gains = 2 * c * np.abs(g) - c**2
    both = 0.5 * gains + 0.5 * np.maximum(gains, 0) / 2
    assert abs(both.mean() - sparse.two_column_gain(5, 2)) < 4 * both.std() / math.sqrt(g.size)


def test_risks():
    rng = np.random.default_rng(3)
    seen, hidden = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))
    noise, signal = 0.6, 1.3
    # the covariance of the conditional law, independently
    whole = signal**2 * seen @ seen.T + noise**2 * np.eye(5)
    across = signal**2 * hidden @ seen.T
    exact = np.trace(signal**2 * hidden @ hidden.T - across @ np.linalg.solve(whole, across.T))
    assert sparse.bayes_risk(seen, hidden, noise, signal) == pytest.approx(exact, rel=1e-10)
    best = min((sparse.ridge_risk(seen, hidden, noise, signal, x), x) for x in np.linspace(0, 1, 401))
    assert best[1] == pytest.approx((noise / signal) ** 2, abs=0.01)
    assert sparse.ridge_risk(seen, hidden, noise, signal, 0.0) == pytest.approx(
        sparse.least_squares_risk(seen, hidden, noise)
    )


def test_coherence_probability():
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(400):
        matrix = rng.standard_normal((30, 40))
        matrix /= np.linalg.norm(matrix, axis=0)
        hits += np.abs(matrix.T @ matrix - np.eye(40)).max() <= 0.6
    assert abs(hits / 400 - sparse.coherence_probability(30, 40, 0.6)) < 4 * 0.5 / 20
    assert sparse.coherence_probability(30, 40, 1.0) == 1.0


@pytest.mark.parametrize(("d", "p", "level"), [(7, 3, 0.5), (30, 40, 0.6)])
def test_coherence_is_a_count_of_pairs_times_the_tail_of_one(d, p, level):
    """⟨u, v⟩ has the density ∝ (1 - t²)^((d-3)/2)."""
    tail, whole = (
        quad(lambda t: (1 - t * t) ** ((d - 3) / 2), low, 1, epsabs=1e-14)[0] for low in (level, 0.0)
    )
    wanted = -sum(tail / whole for i in range(p) for j in range(i))
    assert math.log(sparse.coherence_probability(d, p, level)) == pytest.approx(wanted, rel=1e-9)


def test_bound_of_the_largest_square_is_that_of_its_proof():
    """E max ≤ log(n E e^{t g²})/t with E e^{t g²} = (1 - 2t)^{-1/2} at t = 1/3."""
    t = 1 / 3
    for count in (2, 50):
        wanted = math.log(count * (1 - 2 * t) ** -0.5) / t
        assert sparse.largest_square_bound(count) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sparse.largest_moment(0, 1), "count=0"),
        (lambda: sparse.top_squares(3, 4, 4), "first=4"),
        (lambda: sparse.gain_of_more_atoms(4, 3), "sparsity=3"),
        (lambda: sparse.top_squares_limit(1.5), "share=1.5"),
        (lambda: sparse.net_gain(1, 0.5), "atoms=1"),
        (lambda: sparse.net_gain(4, 1e-9), "step=1e-09"),
        (lambda: sparse.ridge_risk(np.eye(2), np.eye(2), 1.0, 1.0, -1.0), "penalty=-1.0"),
        (lambda: sparse.missed_support_amplitude(3, 3), "sparsity=3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_noise_of_a_misplaced_atom_is_an_integral():
    # m the larger of two |g|: density 2·2φ(x)·erf(x/√2).
    def density(x):
        return 4 * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * math.erf(x / math.sqrt(2))

    mean = quad(lambda x: (x + x**3) * density(x), 0, 12)[0]
    assert misplaced_noise_amplitude(3, 1) == pytest.approx(math.sqrt(2 / math.pi) * mean, rel=1e-9)
