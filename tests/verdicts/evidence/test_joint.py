"""The joint e-process of coupled sizes and its ellipsoid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.verdicts._evidence.joint import JointEvidence, JointMoments, joint_bound
from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._evidence.sequences import joint_axes, stage_widths

LEVEL = 0.05
SIZES = (16, 32, 64, 128)


def log_e_process(count, sizes, distance, width):
    """log E at D = ``distance`` with one mixture width."""
    ratio = width / (count + width)
    growth = math.log1p(count * distance) - math.log1p(count * ratio * distance)
    return 0.5 * sizes * math.log(ratio) + 0.5 * count * growth


def test_one_size_is_the_plain_t_mixture():
    widths = np.array([40.0, 160.0])
    for count in (30, 300, 3000):
        deviation = 1.7
        bound = joint_bound(count, 1, LEVEL, widths)
        radius = math.sqrt(bound * deviation**2 * (count - 1))
        (plain,) = joint_axes([count], [deviation], [0.0], LEVEL, widths[:, None])
        if count < 640:  # the single size is charged for the skewness it cannot show
            z = radius / deviation * math.sqrt(count)
            plain /= 1 + 2 * math.sqrt(6 / count) * (2 * z**2 + 1) / (6 * math.sqrt(count) * z)
        assert radius == pytest.approx(plain, rel=1e-9)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(
    count=st.integers(20, 10**6),
    sizes=st.integers(1, 6),
    level=st.floats(1e-6, 0.3),
    share=st.floats(0.01, 2.0),
)
def test_the_bound_is_where_the_e_process_crosses(count, sizes, level, share):
    width = share * count
    bound = joint_bound(count, sizes, level, np.array([width]))
    if math.isfinite(bound):
        assert log_e_process(count, sizes, bound, width) == pytest.approx(math.log(1 / level), rel=1e-6)
    else:
        assert log_e_process(count, sizes, 1e300, width) <= math.log(1 / level) * (1 + 1e-9)


def test_the_e_process_is_the_ratio_of_two_evidences():
    """Against the marginal densities themselves: flat over covariances, |Σ|^-(K+1)/2, and N(0, Σ/ρ) for the shift."""
    rng = np.random.default_rng(0)
    rows, width = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 3)) + 0.1, 13.0
    n, mean = len(rows), rows.mean(axis=0)
    scatter = (rows - mean).T @ (rows - mean)
    about_zero = scatter + n * np.outer(mean, mean)
    about_mixture = scatter + n * width / (n + width) * np.outer(mean, mean)
    log_ratio = n / 2 * (np.linalg.slogdet(about_zero)[1] - np.linalg.slogdet(about_mixture)[1])
    log_ratio += 3 / 2 * math.log(width / (n + width))
    distance = mean @ np.linalg.solve(scatter, mean)
    assert log_e_process(n, 3, distance, width) == pytest.approx(log_ratio)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 100))
def test_joint_moments_do_not_depend_on_the_split(lengths, seed):
    rng = np.random.default_rng(seed)
    batches = [rng.exponential(size=(length, 3)) for length in lengths]
    folded = JointMoments.empty(3)
    for batch in batches:
        folded = folded.updated(batch)
    whole = JointMoments.empty(3).updated(np.concatenate(batches))
    single = Moments().updated(np.concatenate(batches)[:, 1])
    assert folded.count == whole.count
    np.testing.assert_allclose(folded.mean, whole.mean, atol=1e-12)
    np.testing.assert_allclose(folded.scatter, whole.scatter, atol=1e-9)
    np.testing.assert_allclose(folded.third, whole.third, atol=1e-8)
    assert folded.third[1, 1, 1] == pytest.approx(single.third, abs=1e-8)


def test_no_combination_is_more_skewed_than_the_joint_skewness():
    rng = np.random.default_rng(1)
    rows = rng.exponential(size=(500, 3)) @ rng.standard_normal((3, 3))
    top = JointMoments.empty(3).updated(rows).skewness
    for _ in range(50):
        assert abs(Moments().updated(rows @ rng.standard_normal(3)).skewness) <= top * (1 + 1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("normal", lambda rng, n: rng.standard_normal((n, 3))),
        ("lognormal", lambda rng, n: rng.lognormal(size=(n, 3)) - math.exp(0.5)),
        ("pareto", lambda rng, n: rng.pareto(3.0, (n, 3)) - 0.5),
    ],
)
def test_the_joint_set_under_peeking(name, draw):
    """Looks after every 64 replicates, sizes correlated at 0.9 and more; the truth is zero."""
    rng = np.random.default_rng(2)
    mixing = np.array([[1.0, 0.0, 0.0], [1.0, 0.4, 0.0], [1.0, 0.3, 0.2]])
    first, last, misses = 256, 2048, 0
    widths = stage_widths(first, last)
    for _ in range(100):
        rows = draw(rng, last) @ mixing.T
        evidence, missed = JointEvidence((1, 2, 3), (1.0,) * 3, widths), False
        for start in range(0, last, 64):
            evidence.add(rows[start : start + 64].ravel())
            if evidence.moments.count >= first:
                means = evidence.mean_set(LEVEL)
                if means.correlation is None:  # skewed and too few: nothing is bounded
                    continue
                turned = np.linalg.solve(np.linalg.cholesky(means.correlation), means.values / means.axes)
                missed |= bool(turned @ turned > 1)
        misses += missed
    # 10 or more of 100 would have probability 0.03 at a miss rate of five per cent.
    assert misses <= 9
