"""Two independent models: the average over orders of the units."""

import itertools

import numpy as np
import pytest

from rmtsim.claims.wu import two_models
from rmtsim.hessian.eigenspaces import overlap


def test_average_over_orders_of_the_units_is_the_closed_form(monkeypatch):
    """Theorem G.1's claim averages over all permutations of one model's units: here all 120 of them."""
    rng = np.random.default_rng(4)
    spaces = [np.linalg.qr(rng.standard_normal((5, 2)))[0] for _ in range(2)]
    monkeypatch.setattr(two_models, "two_models", lambda *arguments: spaces)
    brute = np.mean(
        [overlap(spaces[0], spaces[1][list(order)]) for order in itertools.permutations(range(5))]
    )
    value = two_models.average_overlap_of_models(5, rng, alpha=0.3, classes=3, fraction=0.4)
    assert value == pytest.approx(brute * 5 / 2, rel=1e-12)
