import numpy as np
import pytest

from rmtsim.claims.controls import with_controls
from rmtsim.claims.registry import find
from rmtsim.errors import SamplerError


def _skewed(parameters, size, rng, replicates):
    x = rng.exponential(size=(replicates, 1))
    return np.hstack([x**2 + 0.1 * rng.standard_normal((replicates, 1)), x])


def test_variance_falls_and_the_mean_stays():
    quiet = with_controls(_skewed, lambda parameters, size: [1.0], pilot_size=3)
    rng = np.random.default_rng(0)
    plain = _skewed({}, 1, rng, 200_000)[:, 0]
    values = np.concatenate([quiet({}, 1, rng, 4) for _ in range(50_000)])
    assert values.std() < 0.6 * plain.std()
    # E X² = 2 for a unit exponential; four standard errors.
    assert abs(values.mean() - 2) < 4 * values.std() / np.sqrt(values.size)


def test_batches_do_not_depend_on_what_was_asked_before():
    first = with_controls(_skewed, lambda parameters, size: [1.0], pilot_size=3)
    second = with_controls(_skewed, lambda parameters, size: [1.0], pilot_size=3)
    second({"other": 1}, 9, np.random.default_rng(5), 7)
    a, b = (s({"g": 0.5}, 2, np.random.default_rng(1), 6) for s in (first, second))
    assert (a == b).all()


def test_wrong_shape_is_named():
    sample = with_controls(
        lambda parameters, size, rng, replicates: np.ones((replicates, 3)), lambda p, n: [0.0], 2
    )
    with pytest.raises(SamplerError, match=r"expected \(64, 2\)"):
        sample({}, 1, np.random.default_rng(0), 5)


@pytest.mark.parametrize("point", [{"gamma": 0.2, "classes": 2}, {"gamma": 2.0, "classes": 12}])
def test_known_means_of_the_controls_of_theorem_one(point):
    from rmtsim.claims.dong_linear import _control_means, _energy_table

    claim = find("dong.thm1.diagonal/corrected")
    parameters = claim.point(point)
    table = _energy_table(lambda diagonal, offdiagonal, dimension: diagonal)(
        parameters, 20, np.random.default_rng(2), 1500
    )
    errors = table[:, 1:].std(axis=0) / np.sqrt(1500)
    assert (np.abs(table[:, 1:].mean(axis=0) - _control_means(parameters, 20)) < 4 * errors).all()
