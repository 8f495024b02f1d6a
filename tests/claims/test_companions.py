import numpy as np
import pytest

from rmtsim.claims._companions import with_companions
from rmtsim.claims._registry import find
from rmtsim.errors import SamplerError


def _skewed(size, rng, **parameters):
    x = rng.exponential()
    return x**2 + 0.1 * rng.standard_normal(), x


def _one(size, **parameters):
    return [1.0]


def test_variance_falls_and_the_mean_stays():
    quiet = with_companions(_skewed, _one, pilot_size=3)
    rng = np.random.default_rng(0)
    plain = np.array([_skewed(1, rng)[0] for _ in range(50_000)])
    values = np.concatenate([quiet(1, rng, 4) for _ in range(12_500)])
    assert values.std() < 0.6 * plain.std()
    # E X² = 2 for a unit exponential; four standard errors.
    assert abs(values.mean() - 2) < 4 * values.std() / np.sqrt(values.size)


def test_batches_do_not_depend_on_earlier_requests():
    first = with_companions(_skewed, _one, pilot_size=3)
    second = with_companions(_skewed, _one, pilot_size=3)
    second(9, np.random.default_rng(5), 7, other=1)
    a, b = (sample(2, np.random.default_rng(1), 6, g=0.5) for sample in (first, second))
    assert (a == b).all()


def test_wrong_shape_is_named():
    sample = with_companions(lambda size, rng: (1.0, 1.0, 1.0), lambda size: [0.0], 2)
    with pytest.raises(SamplerError, match=r"expected \(2,\)"):
        sample(1, np.random.default_rng(0), 5)


@pytest.mark.thorough
@pytest.mark.parametrize("point", [{"gamma": 0.2, "classes": 2}, {"gamma": 2.0, "classes": 12}])
def test_known_means_of_the_controls_of_theorem_one(point):
    from rmtsim.papers.dong.simulation.linear_blocks import companion_means, draw_block_energies

    parameters = find("dong.thm1.diagonal/corrected").point(point)
    rng = np.random.default_rng(2)
    companions = draw_block_energies(20, rng, 1500, **parameters).companions
    errors = companions.std(axis=0) / np.sqrt(1500)
    assert (np.abs(companions.mean(axis=0) - companion_means(20, **parameters)) < 4 * errors).all()
