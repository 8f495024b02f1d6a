"""Laws of common ensembles: second moments by hand, and finite sizes that tend to the law of infinite matrices."""

import numpy as np
import pytest

from rmtsim.laws.dyson import ensembles


@pytest.mark.parametrize(
    ("name", "arguments", "second"),
    [
        ("wigner", {"variance": 2.0}, 2.0),
        ("two_block", {"across": 0.3}, (1 + 0.1 + 2 * 0.3) / 4),
        ("two_block", {"across": 0.3, "second": 0.5, "variance": 2.0}, 2 * (1 + 0.5 + 2 * 0.3) / 4),
        ("deformed", {"separation": 1.5, "variance": 2.0}, 2.25 + 2.0),
        ("separable", {"correlation": 0.6, "variance": 3.0}, 3.0),  # (tr L/n)² = 1
        ("rectangular", {"ratio": 0.5}, 2 * 0.5 / 1.5),
    ],
)
def test_second_moments(name, arguments, second):
    assert getattr(ensembles, name)(**arguments).moment(2) == pytest.approx(second, rel=1e-9)


def test_the_band_is_the_one_that_is_drawn():
    # ∫∫ floor + exp(−(x−y)²/2w²) dx dy = floor + w√(2π) erf(1/w√2) − 2w²(1 − exp(−1/2w²))
    from math import erf, exp, pi, sqrt

    w = 0.3
    expected = 0.2 + w * sqrt(2 * pi) * erf(1 / (w * sqrt(2))) - 2 * w**2 * (1 - exp(-1 / (2 * w**2)))
    assert ensembles.banded(w).moment(2) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("law", "value"),
    [
        (ensembles.wigner, 1.5),
        (ensembles.two_block, 0.2),
        (ensembles.banded, 0.2),
        (ensembles.separable, 0.5),
        (ensembles.deformed, 1.4),
        (ensembles.rectangular, 0.5),
    ],
)
def test_finite_sizes_tend_to_the_law(law, value):
    z = 0.4 + 0.5j
    gaps = [abs(law(value, size=n).stieltjes(z) - law(value).stieltjes(z)) for n in (10, 40)]
    assert gaps[1] <= max(gaps[0] / 2, 1e-9)
    assert np.isfinite(gaps).all()


def test_bad_parameters():
    with pytest.raises(ValueError, match="correlation=1"):
        ensembles.separable(1.0)
    with pytest.raises(ValueError, match="width"):
        ensembles.banded(0.0)
    with pytest.raises(ValueError, match="size=0"):
        ensembles.wigner(1.0, size=0)
