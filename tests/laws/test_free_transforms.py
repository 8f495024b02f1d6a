"""R- and S-transforms: closed forms, additivity, multiplicativity, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim.laws import (
    Arcsine,
    Discrete,
    MarchenkoPastur,
    Semicircle,
    SpikedCovariance,
    free_poisson,
    r_transform,
    s_transform,
)

quick = settings(derandomize=True, deadline=None, max_examples=25)


@quick
@given(st.floats(0.1, 5), st.floats(0.05, 0.9))
def test_closed_forms(variance, part):
    edge = 1 / np.sqrt(variance)  # G at the semicircle's edge
    for g in (part * edge, -part * edge):
        assert r_transform(Semicircle(variance), g) == pytest.approx(variance * g, rel=1e-9, abs=1e-12)
    law = free_poisson(variance, 0.7)
    g = -part
    assert r_transform(law, g) == pytest.approx(variance * 0.7 / (1 - 0.7 * g), rel=1e-9)
    u = -part * min(1.0, variance)
    assert s_transform(law, u) == pytest.approx(1 / (0.7 * (variance + u)), rel=1e-9)
    # a coin ±1: R = (√(1 + 4g²) - 1)/(2g)
    coin = Discrete([-1.0, 1.0])
    g = 3 * part
    assert r_transform(coin, g) == pytest.approx((np.sqrt(1 + 4 * g**2) - 1) / (2 * g), rel=1e-9)


def test_sums_add_and_products_multiply():
    # two coins make the arcsine law, a population seen through samples is Marchenko–Pastur ⊠ population
    coin = Discrete([-1.0, 1.0])
    g = np.array([-0.9, -0.1, 0.0, 0.2, 2.0])
    np.testing.assert_allclose(r_transform(Arcsine(2.0), g), 2 * r_transform(coin, g), rtol=1e-9, atol=1e-14)
    u = np.array([-0.7, -0.2, 0.0])
    seen = SpikedCovariance(0.5, (), 1.0, [1.0, 3.0], [0.5, 0.5])
    product = s_transform(MarchenkoPastur(0.5), u) * s_transform(Discrete([1.0, 3.0]), u)
    np.testing.assert_allclose(s_transform(seen, u), product, rtol=1e-8)
    assert r_transform(MarchenkoPastur(0.5), 0.0) == 1.0
    assert s_transform(MarchenkoPastur(0.3, 2.0), 0.0) == 0.5


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: r_transform(Semicircle(), 1.5), "g=1.5"),
        (lambda: s_transform(Semicircle(), -0.1), "support begins at -2"),
        (lambda: s_transform(MarchenkoPastur(2.0), -0.6), r"u=-0.6"),
    ],
)
def test_refusals(make, named):
    with pytest.raises(ValueError, match=named):
        make()
    with pytest.raises(TypeError, match="law="):
        r_transform(3.0, 0.1)
