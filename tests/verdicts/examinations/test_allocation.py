"""Designs that extrapolate best, against a numerical optimum over all designs."""

import numpy as np
import pytest
from scipy import optimize

from rmtsim.verdicts._examinations.allocation import extrapolating_splits

SIZES = (20, 40, 80, 160, 320)


def _variance(shares, costs, spreads, powers):
    """Of the least-squares limit at unit cost, all sizes used."""
    x = SIZES[0] / np.array(SIZES, dtype=float)
    columns = np.stack([np.ones(5), *(x**p for p in powers)], axis=1)
    information = (columns * (shares / costs / spreads**2)[:, None]).T @ columns
    return np.linalg.inv(information)[0, 0]


@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize(("exponent", "second", "row"), [(0.5, 1.0, 0), (1.0, 2.0, 1)])
def test_no_design_extrapolates_better(exponent, second, row, decay):
    costs = np.array(SIZES) / 20.0
    spreads = (np.array(SIZES) / 20.0) ** -decay
    shares = extrapolating_splits(SIZES, costs, spreads, (exponent,))[row]
    assert shares.sum() == pytest.approx(1)
    mine = _variance(np.maximum(shares, 1e-12), costs, spreads, (exponent, second))

    def objective(logits):
        weights = np.exp(logits - logits.max())
        return np.log(_variance(weights / weights.sum(), costs, spreads, (exponent, second)))

    found = min(
        optimize.minimize(objective, start, method="Nelder-Mead", options={"maxiter": 4000}).fun
        for start in (np.zeros(5), np.log(shares + 1e-2))
    )
    assert mine <= np.exp(found) * (1 + 1e-6)
    # A little of it moved to where the optimum has none costs something.
    assert _variance(0.9 * shares + 0.02, costs, spreads, (exponent, second)) > mine


def test_units_do_not_matter():
    costs, spreads = np.array(SIZES) * 1.0, np.linspace(1, 2, 5)
    mine = extrapolating_splits(SIZES, costs, spreads, (0.5, 1.0))
    other = extrapolating_splits(tuple(1000 * n for n in SIZES), 7 * costs, 3 * spreads, (0.5, 1.0))
    np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)
