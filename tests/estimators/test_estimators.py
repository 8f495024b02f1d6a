"""Estimators with scikit-learn's interface: its own checks, losses beside its estimators, pipelines and grid search."""

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rmtsim.estimators import MarchenkoPasturWhitener, NonlinearShrinkage, SingularValueDenoiser, TestedPCA
from rmtsim.estimators._denoiser import optimal_shrinkage

MODULES = ["", "._base", "._covariance", "._components", "._denoiser", "._whitener"]
ESTIMATORS = [NonlinearShrinkage(), TestedPCA(), SingularValueDenoiser(), MarchenkoPasturWhitener()]


@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(f"rmtsim.estimators{name}")).failed == 0


@pytest.mark.parametrize("samples", [20, 40, 160])
@pytest.mark.parametrize("kind", ["identity", "two", "spiked"])
def test_loss_beside_linear_shrinkage_and_sample(samples, kind):
    """40 features: the mean loss of 20 draws is at most that of the better one plus 5 %, or three standard errors."""
    variances = {
        "identity": np.ones(40),
        "two": np.repeat([1.0, 10.0], 20),
        "spiked": np.r_[np.full(3, 15.0), np.ones(37)],
    }[kind]
    losses = []
    for seed in range(20):
        data = np.random.default_rng([1, seed]).standard_normal((samples, 40)) * np.sqrt(variances)
        rest = data - data.mean(axis=0)
        matrices = (
            NonlinearShrinkage().fit(data).covariance_,
            LedoitWolf().fit(data).covariance_,
            rest.T @ rest / samples,
        )
        losses.append([np.linalg.norm(matrix - np.diag(variances)) ** 2 for matrix in matrices])
    own, linear, sample = np.array(losses).T
    best = linear if linear.mean() < sample.mean() else sample
    error = (own - best).std(ddof=1) / np.sqrt(20)
    assert own.mean() - best.mean() <= max(0.05 * best.mean(), 3 * error)


def test_number_of_components():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((200, 30)) + rng.standard_normal((200, 2)) @ rng.standard_normal((2, 30))
    found = TestedPCA().fit(data)
    assert found.rank_ == found.n_components_ == 2
    other = PCA(2).fit(data)
    np.testing.assert_allclose(np.abs(found.components_ @ other.components_.T), np.eye(2), atol=1e-8)
    np.testing.assert_allclose(found.explained_variance_, other.explained_variance_)
    np.testing.assert_allclose(
        found.inverse_transform(found.transform(data)), other.inverse_transform(other.transform(data))
    )


@pytest.mark.parametrize("loss", ["frobenius", "operator", "nuclear"])
def test_shrinkage_is_optimal(loss):
    """Among multiples of the shrunken singular value of one component, none is better by more than a few per cent."""
    rng = np.random.default_rng(1)
    shape = (150, 300)
    left, right = (
        v / np.linalg.norm(v) for v in (rng.standard_normal(shape[0]), rng.standard_normal(shape[1]))
    )
    signal = 2 * np.sqrt(shape[1]) * np.outer(left, right)
    u, values, v = np.linalg.svd(signal + rng.standard_normal(shape))
    value = optimal_shrinkage(values[:1] / np.sqrt(shape[1]), 0.5, loss)[0] * np.sqrt(shape[1])
    order = {"frobenius": "fro", "operator": 2, "nuclear": "nuc"}[loss]

    def error(factor):
        return np.linalg.norm(factor * value * np.outer(u[:, 0], v[0]) - signal, order)

    assert error(1.0) <= 1.05 * min(error(factor) for factor in np.linspace(0.5, 1.5, 41))
    assert optimal_shrinkage(np.array([1.0, 1.7]), 0.5, loss).tolist() == [0.0, 0.0]


def test_denoiser_map_gives_the_denoised_matrix():
    rng = np.random.default_rng(2)
    data = rng.standard_normal((60, 20)) + 2 * np.outer(rng.standard_normal(60), rng.standard_normal(20))
    found = SingularValueDenoiser().fit(data)
    u, _, v = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(
        found.transform(data), (u * found.shrunken_) @ v + data.mean(axis=0), atol=1e-9
    )
    assert found.sigma_ == pytest.approx(1.0, rel=0.1)


def test_pipeline_and_grid_search():
    rng = np.random.default_rng(3)
    data = rng.standard_normal((80, 12))
    target = data[:, 0] + 0.1 * rng.standard_normal(80)
    pipeline = make_pipeline(MarchenkoPasturWhitener(), SingularValueDenoiser(), LinearRegression())
    search = GridSearchCV(pipeline, {"singularvaluedenoiser__loss": ["frobenius", "operator"]}, cv=3)
    assert search.fit(data, target).best_params_
    assert (
        GridSearchCV(NonlinearShrinkage(), {"loss": ["frobenius", "stein"]}, cv=3).fit(data).best_score_ < 0
    )


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (NonlinearShrinkage(loss="other"), "loss='other'"),
        (NonlinearShrinkage(folds=1), "folds=1"),
        (SingularValueDenoiser(sigma=-1.0), "sigma"),
        (SingularValueDenoiser(loss="other"), "loss='other'"),
        (TestedPCA(least=-1), "least=-1"),
    ],
)
def test_bad_parameters(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.random.default_rng(0).standard_normal((30, 5)))


def test_the_page_on_real_data_runs(capsys):
    """Every block of docs/real-data.md, in order."""
    page = (Path(__file__).parents[2] / "docs" / "real-data.md").read_text(encoding="utf-8")
    space: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(block, space)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("None ")
    assert "2" in printed
    assert float(printed[-1]) > 0.95
