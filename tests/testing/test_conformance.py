"""Checks of other people's code: right code passes, and each planted mistake is found by its check."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from rmtsim import spectrum
from rmtsim.laws import MarchenkoPastur
from rmtsim.matrix_free import operator_trace
from rmtsim.testing import (
    check_hessian_product,
    check_law,
    check_rank_test,
    check_spectrum_estimator,
    check_trace_estimator,
)
from rmtsim.testing.strategies import laws


@given(laws(atoms=False))
@settings(max_examples=20)
def test_own_laws_pass(law):
    check_law(law, tolerance=1e-5).assert_passed()


def test_scipy_distributions_pass():
    for law in (stats.norm(2, 3), stats.beta(2, 3), stats.semicircular()):
        check_law(law).assert_passed()


class Wrong:
    """A Marchenko–Pastur law with one method replaced."""

    def __init__(self, **methods):
        law = MarchenkoPastur(0.5)
        self.support = law.support
        for name in ("density", "cdf", "ppf", "moment"):
            setattr(self, name, methods.get(name, getattr(law, name)))


@pytest.mark.parametrize(
    ("methods", "name"),
    [
        ({"density": lambda x: 1.01 * MarchenkoPastur(0.5).density(x)}, "mass is one"),
        ({"cdf": lambda x: MarchenkoPastur(0.5).cdf(x) ** 1.01}, "cdf is the integral of the density"),
        ({"cdf": lambda x: 0.99 * MarchenkoPastur(0.5).cdf(x)}, "cdf rises from 0 to 1"),
        ({"ppf": lambda q: MarchenkoPastur(0.5).ppf(q) + 1e-3}, "ppf inverts the cdf"),
        ({"moment": lambda k: 1.01 * MarchenkoPastur(0.5).moment(k)}, "moments are integrals of the density"),
    ],
)
def test_a_wrong_method_is_found(methods, name):
    assert name in [check.name for check in check_law(Wrong(**methods)).failed]


def test_a_missing_atom_is_found():
    law = MarchenkoPastur(2.0)
    check_law(law).assert_passed()
    assert check_law(law, atoms=()).failed[0].name == "mass is one"


def test_missing_methods_are_not_offered():
    class Bare:
        support = ((0.0, 1.0),)

        def cdf(self, x):
            return np.clip(x, 0, 1)

    report = check_law(Bare())
    assert report.passed
    assert [check.verdict for check in report.checks].count(None) == 5
    with pytest.raises(ValueError, match="support=None"):
        check_law(object())


def hutchinson(operator, rng, factor=1.0):
    values = [factor * (v @ (operator @ v)) for v in rng.choice([-1.0, 1.0], (8, operator.shape[0]))]
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(8)


def test_trace_estimators():
    check_trace_estimator(
        lambda operator, rng: operator_trace(operator, rng, products=20), repeats=1200
    ).assert_passed()
    check_trace_estimator(hutchinson, repeats=1200).assert_passed()


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda operator, rng: hutchinson(operator, rng, 1.1), "unbiased (identity)"),
        (
            lambda operator, rng: hutchinson(operator, np.random.default_rng()),
            "repeats with the same generator",
        ),
        (
            lambda operator, rng: (hutchinson(operator, rng)[0], 0.3 * hutchinson(operator, rng)[1]),
            "two standard errors contain the trace (two values)",
        ),
    ],
)
def test_wrong_trace_estimators(wrong, name):
    assert name in [check.name for check in check_trace_estimator(wrong, repeats=2000).failed]


def lanczos(operator, rng, steps=12, squared=True):
    v = rng.standard_normal(operator.shape[0])
    basis = [v / np.linalg.norm(v)]
    for _ in range(steps - 1):
        w = operator @ basis[-1]
        for _ in range(2):
            w = w - np.array(basis).T @ (np.array(basis) @ w)
        if np.linalg.norm(w) < 1e-9:
            break
        basis.append(w / np.linalg.norm(w))
    q = np.array(basis)
    values, vectors = np.linalg.eigh(q @ (operator @ q.T))
    weights = vectors[0] ** 2 if squared else np.abs(vectors[0]) / np.abs(vectors[0]).sum()
    return values, weights


def test_spectrum_estimators():
    check_spectrum_estimator(lanczos, repeats=1500).assert_passed()
    failed = [
        check.name
        for check in check_spectrum_estimator(
            lambda operator, rng: lanczos(operator, rng, squared=False), repeats=1000
        ).failed
    ]
    assert any(name.startswith("moment") for name in failed)
    outside = check_spectrum_estimator(
        lambda operator, rng: (np.array([100.0]), np.array([1.0])), repeats=100
    )
    assert any(check.name.startswith("points lie") for check in outside.failed)


def test_hessian_products():
    def gauss_newton(case, vectors):
        flat = np.concatenate([v.ravel() for v in vectors])
        return case.split(case.network.gauss_newton_product(case.inputs, case.targets, flat))

    failed = {check.name for check in check_hessian_product(gauss_newton).failed}
    assert "equals the Hessian (2 layers, tanh, square)" in failed
    assert "equals the Hessian (linear model, square)" not in failed

    def product(case, vectors):
        flat = np.concatenate([v.ravel() for v in vectors])
        return case.split(case.network.hessian_product(case.inputs, case.targets, flat))

    check_hessian_product(product).assert_passed()


def above_the_noise(data, unit=None):
    """Eigenvalues beyond the edge of white noise, whose variance is `unit` or estimated by the median eigenvalue."""
    samples, features = data.shape
    law = MarchenkoPastur(features / samples)
    values = np.linalg.eigvalsh(data.T @ data / samples)
    noise = unit or np.median(values) / law.ppf(0.5)
    return int((values > 1.2 * noise * law.support[-1][1]).sum())


def test_rank_tests():
    names = [check.name for check in check_rank_test(above_the_noise, repeats=60).failed]
    assert names == ["no component in noise of unequal variances"]
    known_units = check_rank_test(lambda data: above_the_noise(data, 1.0), repeats=60).failed
    assert [check.name for check in known_units if "1000" in check.name]
    always_three = check_rank_test(lambda data: 3, repeats=100)
    assert [check.name for check in always_three.failed] == [check.name for check in always_three.checks[:3]]


def test_own_rank_test():
    """Three components of 30: `spectrum` states a rank as long as the components are few."""
    report = check_rank_test(lambda data: len(spectrum(data).outliers), repeats=8, features=30, samples=100)
    names = [check.name for check in report.failed]
    assert "no component in Gaussian noise" not in names
    assert not [name for name in names if name.startswith("three")]
