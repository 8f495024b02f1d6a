import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.curvature import _linear_energies as linear
from rmtsim.curvature._differentiation import hessian_by_differences
from rmtsim.curvature._linear_model import LinearModel, sample_linear
from rmtsim.errors import MemoryLimitError
from rmtsim.networks import _block_norms as gram
from rmtsim.testing.strategies import seeds
from tests import naive

EPS = np.finfo(float).eps
shapes = st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(2, 6))


def _model(shape, seed):
    return sample_linear(*shape, np.random.default_rng(seed))


def _loss(model, labels):
    """`dong` eq. (4) as printed, in mpmath."""
    dimension = model.inputs.shape[1]

    def loss(theta):
        total = mpmath.mpf(0)
        for x, label in zip(model.inputs, labels, strict=True):
            logits = [
                mpmath.fsum(theta[c * dimension + k] * mpmath.mpf(float(x[k])) for k in range(dimension))
                for c in range(len(model.weights))
            ]
            total += mpmath.log(mpmath.exp(logits[label]) / mpmath.fsum(map(mpmath.exp, logits)))
        return -total / len(model.inputs)

    return loss


def test_blocks_are_the_hessian_of_the_printed_loss():
    model = _model((2, 3, 3), 5)
    hessian = hessian_by_differences(_loss(model, [0, 2, 1]), model.weights)
    for i in range(3):
        for j in range(3):
            truth = hessian[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
            assert np.abs(linear.block(model, i, j) - truth).max() < 20 * EPS * np.abs(hessian).max()


@given(shapes, seeds())
def test_block_matches_naive_loop(shape, seed):
    model = _model(shape, seed)
    for i, j in ((0, 0), (0, 1), (1, 0)):
        expected = naive.linear_block(model.inputs, model.weights, i, j)
        np.testing.assert_allclose(linear.block(model, i, j), expected, rtol=1e-10, atol=1e-14)


@given(shapes, seeds())
def test_norms_and_energies_match_blocks(shape, seed):
    model = _model(shape, seed)
    classes = shape[2]
    norms = np.array(
        [[np.linalg.norm(linear.block(model, i, j)) for j in range(classes)] for i in range(classes)]
    )
    np.testing.assert_allclose(linear.block_norms(model), norms, rtol=1e-9)
    np.testing.assert_allclose(
        linear.block_norms(model, [(0, 1), (1, 1)]), [norms[0, 1], norms[1, 1]], rtol=1e-9
    )
    energies = linear.linear_block_energies(model)
    np.testing.assert_allclose(energies.diagonal, np.diag(norms) ** 2, rtol=1e-9)
    off = (norms**2).sum() - (np.diag(norms) ** 2).sum()
    assert np.isclose(energies.offdiagonal, off, rtol=1e-9)
    covariance = model.inputs.T @ model.inputs / len(model.inputs)
    assert np.isclose(energies.data, np.linalg.norm(covariance) ** 2, rtol=1e-9)
    logits = model.inputs @ model.weights.T
    assert np.isclose(energies.logit_variance, logits.var(axis=1).mean(), rtol=1e-9)


@given(shapes, seeds())
def test_rows_of_blocks_sum_to_zero(shape, seed):
    # Adding one vector to all class weights leaves the loss unchanged, so Σ_j H_ij = 0.
    model = _model(shape, seed)
    blocks = [linear.block(model, 0, j) for j in range(shape[2])]
    assert np.abs(sum(blocks)).max() <= 1e-12 * max(np.abs(block).max() for block in blocks)


def test_chunking_does_not_change_energies(monkeypatch):
    model = _model((5, 40, 30), 3)
    whole = linear.linear_block_energies(model)
    monkeypatch.setattr(linear, "CHUNK", 200)
    monkeypatch.setattr(gram, "GRAM_CHUNK", 200)
    pieces = linear.linear_block_energies(model)
    np.testing.assert_allclose(pieces.diagonal, whole.diagonal, rtol=1e-12)
    assert np.isclose(pieces.offdiagonal, whole.offdiagonal, rtol=1e-12)
    streamed = linear.sample_block_energies(5, 40, 30, np.random.default_rng(3))
    np.testing.assert_allclose(streamed.diagonal, whole.diagonal, rtol=1e-12)


@pytest.mark.parametrize("shape", [(7, 64, 5), (9, 65, 4), (20, 300, 3), (5, 129, 40)])
@pytest.mark.parametrize("chunk", [2**22, 2**12, 1000])
def test_whole_matrices_and_bands_of_one_triangle_give_all_blocks(shape, chunk, monkeypatch):
    model = _model(shape, 3)
    norms = np.square(linear.block_norms(model))
    monkeypatch.setattr(linear, "CHUNK", chunk)
    found = linear.linear_block_energies(model)
    assert np.allclose(found.diagonal, np.diag(norms), rtol=1e-12)
    assert np.isclose(found.offdiagonal, norms.sum() - np.trace(norms), rtol=1e-10)
    inputs = model.inputs
    assert np.isclose(found.data, np.square(inputs.T @ inputs / len(inputs)).sum(), rtol=1e-12)
    logits = inputs @ model.weights.T
    assert np.isclose(found.logit_variance, logits.var(axis=1).mean(), rtol=1e-10)


def test_single_precision_is_that_of_single_precision():
    one, two = (
        linear.sample_block_energies(30, 200, 12, np.random.default_rng(5), single=single)
        for single in (True, False)
    )
    for name in ("diagonal", "offdiagonal", "data", "logit_variance"):
        error = np.max(np.abs(getattr(one, name) / getattr(two, name) - 1))
        assert 0 < error < 1e-5, name


def test_extreme_weights_neither_overflow_nor_return_nan():
    model = LinearModel(np.eye(3), 1e4 * np.arange(12.0).reshape(4, 3))
    assert np.isfinite(linear.block_norms(model)).all()


def test_eigenvalues_of_the_spectra_have_one_sign():
    model = _model((6, 20, 4), 1)
    assert (linear.block_eigenvalues(model, 0, 0) > 0).all()
    assert (linear.block_eigenvalues(model, 0, 1) < 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dimension": 0}, "dimension=0"),
        ({"samples": -3}, "samples=-3"),
        ({"classes": 1}, "classes=1"),
        ({"classes": True}, "classes=True"),
        ({"samples": 2.5}, "samples=2.5"),
        ({"dimension": 10**15}, "dimension=1000000000000000"),
        ({"dimension": float("nan")}, "dimension=nan"),
        ({"rng": -1}, "rng=-1"),
    ],
)
@pytest.mark.parametrize("function", [sample_linear, linear.sample_block_energies])
def test_bad_sizes(function, change, message):
    arguments = {"dimension": 3, "samples": 4, "classes": 5, "rng": np.random.default_rng(0)} | change
    with pytest.raises((ValueError, TypeError), match=message):
        function(**arguments)


@pytest.mark.parametrize("function", [sample_linear, linear.sample_block_energies])
def test_too_large_for_memory_is_refused_with_an_estimate(function):
    with pytest.raises(MemoryLimitError, match=r"would need about [\d.e+]+ GiB"):
        function(10**6, 10**6, 10**6, np.random.default_rng(0))


def test_bad_block_index():
    with pytest.raises(ValueError, match="j=4"):
        linear.block(_model((2, 3, 4), 0), 0, 4)
