"""Block energies from probes: exact where they should be, unbiased with true standard errors elsewhere."""

import numpy as np
import pytest

from rmtsim.hessians import block_energies, hessian

RNG = np.random.default_rng(1)
SIZE = 1200
GROUPS = {
    "a": np.arange(0, 500),
    "b": np.arange(500, 900),
    "c": np.arange(900, 905),
    "d": np.arange(905, SIZE),
}


def _matrix():
    """Low rank and a bulk: variances of probes differ much between groups."""
    factor = RNG.standard_normal((SIZE, 6)) * np.array([4.0, 2.0, 1.0, 1.0, 0.5, 0.5])
    noise = RNG.standard_normal((SIZE, SIZE)) * 0.2
    return factor @ factor.T + noise + noise.T


MATRIX = _matrix()
TRUE = np.array([[np.square(MATRIX[np.ix_(a, b)]).sum() for b in GROUPS.values()] for a in GROUPS.values()])


def test_unbiased_with_true_standard_errors():
    operator = hessian(MATRIX)
    found = [
        block_energies(operator, GROUPS, tolerance=None, probes=12, rng=np.random.default_rng(seed))
        for seed in range(60)
    ]
    values = np.stack([f.energies for f in found])
    claimed = np.sqrt(np.mean([np.square(f.errors) for f in found], axis=0))
    spread = values.std(axis=0, ddof=1)
    assert (np.abs(values.mean(axis=0) - TRUE) <= 4 * spread / np.sqrt(60) + 1e-9 * TRUE).all()
    assert found[0].errors[2, 2] == 0.0, "a group of 5 parameters is exact"
    estimated = claimed > 1e-9 * TRUE
    assert estimated.sum() >= 9
    np.testing.assert_allclose(claimed[estimated] / spread[estimated], 1.0, atol=0.35)
    ratio = (TRUE.sum() - np.trace(TRUE)) / 3 / np.trace(TRUE)
    covered = [f.ratio.low <= ratio <= f.ratio.high for f in found]
    assert sum(covered) >= 50, "95 % of 60, less three and a half standard deviations"


def test_probes_are_added_until_every_ratio_is_known():
    operator = hessian(MATRIX)
    found = block_energies(operator, GROUPS, tolerance=0.1)
    own = np.sqrt(np.diag(TRUE))
    assert found.reached
    error = np.abs(found.ratios / (TRUE / np.outer(own, own)) - 1)
    assert error.max() < 0.15
    short = block_energies(operator, GROUPS, tolerance=0.001, most_products=100)
    assert not short.reached
    assert "NOT REACHED" in str(short)
    exact = block_energies(operator, GROUPS, tolerance=1e-6)
    np.testing.assert_allclose(exact.energies, TRUE, rtol=1e-10)
    assert exact.products <= SIZE


def test_same_seed_same_result_and_more_groups_than_parameters_of_one():
    operator = hessian(MATRIX)
    one, two = (
        block_energies(operator, GROUPS, tolerance=None, rng=np.random.default_rng(3)) for _ in range(2)
    )
    assert (one.energies == two.energies).all()
    with pytest.raises(ValueError, match="most_products=3: the first round needs 35"):
        block_energies(operator, GROUPS, most_products=3)


def test_overlapping_and_zero_blocks():
    operator = hessian(np.diag([2.0, 0.0, 3.0]))
    found = block_energies(operator, [[0, 1], [1], [1, 2]])
    np.testing.assert_allclose(found.energies, np.diag([4.0, 0.0, 9.0]), rtol=1e-14)
    assert np.isfinite(found.ratios).all()
    assert found.ratio.value == 0.0
    assert block_energies(operator, [[1]]).ratio is None
    figure = found.plot()
    assert figure.axes


def test_population_energies_are_unbiased():
    """Batches H + Δ_b: the mean over batches overestimates squared norms, pairs of batches do not."""
    rng = np.random.default_rng(2)
    size, batches = 30, 12
    groups = [np.arange(10), np.arange(10, 30)]
    base = np.zeros((size, size))
    base[:10, :10], base[10:, 10:] = np.eye(10), 0.5 * np.eye(20)
    true = np.array([[10.0, 0.0], [0.0, 5.0]])
    inside = total = 0
    means = []
    for _ in range(60):
        noise = rng.standard_normal((batches, size, size)) * 0.3
        parts = base + noise + noise.transpose(0, 2, 1)
        operator = hessian([lambda v, m=m: m @ v for m in parts], size=size)
        found = block_energies(operator, groups)
        means.append(found.population)
        assert found.energies[0, 1] > 1.0, "of the data set: inflated"
        error = found.population_errors
        inside += int((np.abs(found.population - true) <= 2.26 * error)[np.triu_indices(2)].sum())
        total += 3
    spread = np.std(means, axis=0, ddof=1) / np.sqrt(60)
    assert (np.abs(np.mean(means, axis=0) - true) <= 4 * spread).all()
    assert inside / total > 0.9
