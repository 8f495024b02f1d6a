"""Coupled claims: the joint e-process, its ellipsoid, Richardson weights, and verdicts from shared randomness."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from rmtsim.claims import claim
from rmtsim.claims.files import load_file
from rmtsim.errors import SamplerError
from rmtsim.verdicts import verify
from rmtsim.verdicts.evidence.joint import JointEvidence, JointMoments, joint_bound, log_e_process
from rmtsim.verdicts.evidence.measured import MeanSet
from rmtsim.verdicts.evidence.moments import Moments
from rmtsim.verdicts.evidence.sequences import joint_axes, stage_widths
from rmtsim.verdicts.models.family import limit_family
from rmtsim.verdicts.models.projection import project_ellipsoid, richardson_weights

LEVEL = 0.05
SIZES = (16, 32, 64, 128)


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
                turned = np.linalg.solve(np.linalg.cholesky(means.correlation), means.values / means.axes)
                missed |= bool(turned @ turned > 1)
        misses += missed
    # 10 or more of 100 would have probability 0.03 at a miss rate of five per cent.
    assert misses <= 9


@pytest.fixture
def turned():
    values = 1 + 0.5 / np.array(SIZES) + 1e-4 * np.array([1, -2, 1, 0])
    axes = np.array([0.01, 0.008, 0.006, 0.005])
    steps = np.abs(np.subtract.outer(range(4), range(4)))
    return MeanSet(SIZES, values, axes=axes, correlation=0.9**steps)


def test_a_turned_ellipsoid_against_a_general_optimiser(turned):
    family = limit_family(SIZES, (0.5, 1.0))
    projection = project_ellipsoid(turned.values, turned.axes, family, turned.correlation)
    matrix = np.linalg.inv(turned.correlation * np.outer(turned.axes, turned.axes))
    members = np.flatnonzero(projection.admissible)[::9]
    assert len(members) > 2
    for member in members:
        form = family.forms[member, 0]

        def inside(unknowns, form=form):
            gap = turned.values - unknowns[0] - unknowns[1] * form
            return 1 - gap @ matrix @ gap

        for sign, found in ((1, projection.low), (-1, projection.high)):
            best = optimize.minimize(
                lambda unknowns, sign=sign: sign * unknowns[0],
                [1.0, 0.03],
                constraints=[{"type": "ineq", "fun": inside}],
                options={"ftol": 1e-14, "maxiter": 500},
            )
            assert best.x[0] == pytest.approx(found[member], abs=1e-5)


@pytest.mark.parametrize("coupled", [True, False])
def test_the_interval_is_that_of_the_richardson_combination(turned, coupled):
    """Weights kill the correction, keep the limit, give the centre; their noise is the half-width of a perfect fit."""
    correlation = turned.correlation if coupled else None
    family = limit_family(SIZES, (0.5, 1.0))
    projection = project_ellipsoid(turned.values, turned.axes, family, correlation)
    matrix = (np.eye(4) if correlation is None else correlation) * np.outer(turned.axes, turned.axes)
    for member in np.flatnonzero(projection.admissible)[::5]:
        weights = richardson_weights(turned.values, turned.axes, family, member, correlation)
        assert weights.sum() == pytest.approx(1)
        assert weights @ family.forms[member, 0] == pytest.approx(0, abs=1e-12)
        assert weights @ turned.values == pytest.approx(projection.centre[member])
        half = (projection.high[member] - projection.low[member]) / 2
        shrunk = math.sqrt(1 - projection.quality[member])
        assert half == pytest.approx(shrunk * math.sqrt(weights @ matrix @ weights))


def test_leaving_out_sizes_takes_the_block_of_the_matrix(turned):
    part = turned.since(1)
    np.testing.assert_array_equal(part.correlation, turned.correlation[1:, 1:])
    assert part.sizes == SIZES[1:]


def inverse_trace(x):
    gram = np.swapaxes(x, -1, -2) @ x / x.shape[-2]
    return np.trace(np.linalg.inv(gram), axis1=-2, axis2=-1) / 2


def nested(sizes, rng):
    x = rng.standard_normal((64, sizes[-1], 2))
    return np.stack([inverse_trace(x.reshape(64, -1, n, 2)).mean(axis=1) for n in sizes], axis=1)


def separate(size, rng):
    return inverse_trace(rng.standard_normal((64, size, 2)))


def _claims(limit=1.0, tolerance=0.02):
    stated = {"limit": limit, "tolerance": tolerance, "sizes": (32, 64, 128, 256), "exponents": (1.0,)}
    return (
        claim("inverse.nested", coupled=True, cost=2.56e-4, **stated)(nested),
        claim("inverse.separate", cost=lambda n: 1e-6 * n, **stated)(separate),
    )


def test_shared_randomness_narrows_the_interval():
    coupled, plain = (verify(item, budget=3, seed=1)[0].points[0] for item in _claims(tolerance=1e-9))
    assert coupled.nominal == pytest.approx(plain.nominal, rel=0.1)
    assert coupled.interval[0] < 1 < coupled.interval[1]
    assert plain.interval[1] - plain.interval[0] > 2 * (coupled.interval[1] - coupled.interval[0])


@pytest.mark.parametrize(("limit", "verdict"), [(1.0, "CONFIRMED"), (1.06, "REFUTED"), (0.94, "REFUTED")])
def test_coupled_verdicts(limit, verdict):
    (result,) = verify(_claims(limit)[0], budget=3)
    assert str(result.verdict) == verdict
    assert sum(result.deciding.weights) == pytest.approx(1)
    assert len(set(result.deciding.replicates)) == 1


def test_a_coupled_rate_with_an_amplitude():
    def gap(sizes, rng):
        noise = rng.standard_normal()
        return [3 / n * (1 + 1 / n) * (1 + 0.3 * noise + 0.03 * rng.standard_normal()) for n in sizes]

    stated = {
        "tolerance": 0.1,
        "sizes": (20, 40, 80, 160),
        "coupled": True,
        "cost": 1e-5,
        "exponents": (1.0,),
    }
    (amplitude,) = verify(claim("gap", rate=1.0, amplitude=3.0, **stated)(gap), budget=2)
    (exponent,) = verify(claim("gap", rate=1.0, **stated)(gap), budget=2)
    assert [str(result.verdict) for result in (amplitude, exponent)] == ["CONFIRMED"] * 2


FILE = """
import numpy as np
from rmtsim.claims import claim

@claim("nested.mean", limit=1.0, tolerance=0.01, sizes=(8, 16, 32), coupled=True, exponents=(1.0,), cost=1e-3)
def means(sizes, rng):
    x = rng.exponential(size=sizes[-1])
    return [np.mean(x.reshape(-1, n).mean(axis=1) ** 2) for n in sizes]
"""


def test_store_and_workers_give_the_same_bytes(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    (item,) = load_file(path)
    store = tmp_path / "runs.sqlite"
    plain, kept, reused, shared = (
        verify(item, budget=2, **options)[0].digest
        for options in ({}, {"store": store}, {"store": store}, {"executor": 2})
    )
    assert plain == kept == reused == shared


@pytest.mark.parametrize(
    ("returned", "match"),
    [
        (lambda sizes: [1.0, 2.0], r"shape \(2,\); expected 3 real numbers, one per size"),
        (lambda sizes: 1.0, r"shape \(\)"),
        (lambda sizes: [1.0, math.nan, 2.0], "returned nan"),
        (lambda sizes: None, "returned None"),
    ],
)
def test_what_a_coupled_function_returns_is_checked(returned, match):
    item = claim("bad", limit=1.0, tolerance=0.1, sizes=(8, 16, 32), coupled=True)(
        lambda sizes, rng: returned(sizes)
    )
    with pytest.raises(SamplerError, match=match):
        verify(item, budget=1)


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"limit": None, "probability": 1.0}, ValueError, "coupled=True belongs to a limit or a rate"),
        ({"support": (0.0, 1.0)}, ValueError, "leave one of them out"),
        ({"sizes": (8,)}, ValueError, "at least two sizes"),
    ],
)
def test_what_cannot_be_coupled_is_refused(changes, error, match):
    fields = {"limit": 1.0, "tolerance": 0.1, "sizes": (8, 16), "coupled": True, **changes}
    with pytest.raises(error, match=match):
        claim("bad", **fields)(nested)


def test_a_coupled_function_takes_sizes():
    with pytest.raises(TypeError, match=r"expected separate\(sizes, rng\)"):
        claim("bad", limit=1.0, tolerance=0.1, sizes=(8, 16), coupled=True)(separate)
