"""Correlations, co-skewness and co-kurtosis of entries against loops over all index tuples."""

import itertools

import numpy as np
import pytest

from rmtsim.papers.li.simulation.entry_statistics import (
    nonzero_count,
    normalised_cumulants,
    standardised,
    varying,
)


def _loop(draws, order):
    """Every joint cumulant, one tuple at a time."""
    x = (draws - draws.mean(axis=0)) / draws.std(axis=0)
    entries = x.shape[1]
    found = np.empty((entries,) * order)
    for place in itertools.product(range(entries), repeat=order):
        value = np.mean(np.prod([x[:, k] for k in place], axis=0))
        if order == 4:
            a, b, c, d = (x[:, k] for k in place)
            value -= (
                (a * b).mean() * (c * d).mean()
                + (a * c).mean() * (b * d).mean()
                + (a * d).mean() * (b * c).mean()
            )
        found[place] = value
    return found


@pytest.mark.parametrize(("order", "threshold"), [(2, 0.2), (3, 0.3), (4, 0.5)])
def test_cumulants_and_counts(order, threshold):
    draws = np.random.default_rng(order).exponential(size=(30, 5)) @ np.random.default_rng(9).standard_normal(
        (5, 5)
    )
    expected = _loop(draws, order)
    found = normalised_cumulants(draws, order)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    large = [place for place in itertools.product(range(5), repeat=order) if abs(expected[place]) > threshold]
    if order == 2:
        large = [place for place in large if place[0] != place[1]]
    assert nonzero_count(draws, order, threshold) == len(large) > 0
    assert nonzero_count(draws, order, threshold, ordered=False) == len(
        {tuple(sorted(place)) for place in large}
    )


def test_entries_that_do_not_move():
    draws = np.array([[1.0, 3.0, 1e-30], [2.0, 3.0, 2e-30], [4.0, 3.0, 0.0]])
    assert varying(draws).tolist() == [True, False, True]
    with pytest.raises(ValueError, match="entry 1 is the same"):
        standardised(draws)
    np.testing.assert_allclose(standardised(draws[:, [0, 2]]).std(axis=0), 1.0)
    with pytest.raises(ValueError, match="two rows"):
        varying(draws[:1])
    with pytest.raises(ValueError, match="order=5"):
        normalised_cumulants(draws[:, [0, 2]], 5)
