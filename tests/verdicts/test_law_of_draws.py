"""A law is compared with what the function returns, whatever the shape of the function."""

import numpy as np
import pytest
import scipy.stats

from rmtsim import claim, verify
from rmtsim.claims._samplers import squared_distance
from rmtsim.errors import SamplerError
from rmtsim.verdicts import Verdict

OPTIONS = {"tolerance": 0.03, "sizes": (10, 20, 40, 80), "cost": 1e-6, "exponents": (1.0,)}


def _normal(size, rng, replicates):
    return rng.standard_normal(replicates)


def _mean_of_exponentials(size, rng, replicates):
    return (rng.exponential(size=(replicates, size)).mean(axis=1) - 1) * np.sqrt(size)


def _poisson(size, rng, replicates):
    return rng.poisson(3.2, replicates).astype(float)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "law", "verdict"),
    [
        (_normal, scipy.stats.norm(), Verdict.CONFIRMED),
        (_normal, scipy.stats.norm.cdf, Verdict.CONFIRMED),
        (_normal, scipy.stats.norm(7, 3), Verdict.REFUTED),
        (_normal, scipy.stats.norm(0, 1.3), Verdict.REFUTED),
        (_mean_of_exponentials, scipy.stats.norm(), Verdict.CONFIRMED),
        (_mean_of_exponentials, scipy.stats.norm(0.2), Verdict.REFUTED),
        (_poisson, scipy.stats.poisson(3.2), Verdict.CONFIRMED),
        (_poisson, scipy.stats.poisson(2.8), Verdict.REFUTED),
    ],
)
def test_draws_of_a_number_are_compared_with_the_law(function, law, verdict):
    stated = claim("draws", function, law=law, **OPTIONS)
    (result,) = verify(stated, budget=20)
    assert result.verdict is verdict
    assert result.points[0].quantity == "squared distance"


@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_the_squared_distance_is_unbiased(shift):
    rng = np.random.default_rng(5)
    found = squared_distance(rng.standard_normal((40_000, 8)) + shift, scipy.stats.norm, rng)
    u = (np.arange(4000) + 0.5) / 4000
    exact = np.mean((scipy.stats.norm.cdf(scipy.stats.norm.ppf(u) - shift) - u) ** 2)
    assert abs(found.mean() - exact) < 4 * found.std() / np.sqrt(len(found))
    assert (shift == 0) == (exact < 1e-12)


def test_severity_is_a_distance():
    stated = claim("draws", _normal, law=scipy.stats.norm(), **OPTIONS)
    (result,) = verify(stated, budget=20)
    assert result.severity.above < 0.1
    far = claim("draws", _normal, law=scipy.stats.norm(0.7), **{**OPTIONS, "tolerance": 0.5})
    (result,) = verify(far, budget=20)
    assert result.severity.above > 0.7  # the truth is 0.205 away, and the tolerance is 0.5


def test_computed_numbers_are_compared_with_the_law():
    def nodes(size):
        return scipy.stats.norm.ppf((np.arange(size) + 0.5) / size)

    options = {**OPTIONS, "sizes": (20, 40, 80, 160), "accuracy": 1e-12}
    assert verify(claim("nodes", nodes, law=scipy.stats.norm(), **options))[0].verdict is Verdict.CONFIRMED
    assert verify(claim("nodes", nodes, law=scipy.stats.norm(0.3), **options))[0].verdict is Verdict.REFUTED

    def number(size):
        return 1 / size

    with pytest.raises(SamplerError, match="a law is compared with a sample"):
        verify(claim("number", number, law=scipy.stats.norm(7, 3), **options))


def test_a_replicate_costs_its_draws():
    stated = claim("draws", _normal, law=scipy.stats.norm(), **OPTIONS)
    plain = claim("plain", _normal, limit=0.0, **OPTIONS)
    assert stated.draws > 1
    (drawn,), (values,) = verify(stated, budget=1), verify(plain, budget=1)
    assert drawn.declared["seconds_per_replicate"] == [stated.draws * 1e-6] * 4
    assert values.declared["seconds_per_replicate"] == [1e-6] * 4
