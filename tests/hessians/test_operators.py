"""Operators from functions, matrices, SciPy and rmtsim's networks; groups; invalid arguments."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

from rmtsim.hessians import HessianOperator, hessian
from rmtsim.networks import fully_connected

RNG = np.random.default_rng(5)
HALF = RNG.standard_normal((12, 12))
MATRIX = HALF + HALF.T
VECTORS = RNG.standard_normal((3, 12))


class Convertible:
    """As curvlinops operators do, hands out a SciPy operator."""

    def to_scipy(self):
        return aslinearoperator(MATRIX.astype(np.float32))


@pytest.mark.parametrize(
    ("source", "size", "accuracy"),
    [
        (MATRIX, None, 1e-14),
        (csr_array(MATRIX), None, 1e-14),
        (aslinearoperator(MATRIX), None, 1e-14),
        (lambda v: MATRIX @ v, 12, 1e-14),
        ([lambda v: 2 * MATRIX @ v, lambda v: 0 * v], 12, 1e-14),
        (Convertible(), None, 1e-6),
    ],
    ids=["matrix", "sparse", "operator", "function", "batches", "curvlinops"],
)
def test_products(source, size, accuracy):
    operator = hessian(source, size=size)
    np.testing.assert_allclose(operator.product(VECTORS), VECTORS @ MATRIX, rtol=0, atol=30 * accuracy)
    np.testing.assert_allclose(operator @ VECTORS.T, MATRIX @ VECTORS.T, rtol=0, atol=30 * accuracy)
    found = operator.eigenvalues(2)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(MATRIX)[::-1][:2], rtol=30 * accuracy)
    assert hessian(operator).size == 12


@pytest.mark.parametrize("matrix", ["hessian", "gauss-newton"])
def test_network(matrix):
    network = fully_connected((5, 4, 3), "tanh", loss="cross_entropy").sample(RNG)
    x, labels = RNG.standard_normal((33, 5)), np.arange(33) % 3
    operator = hessian(network, data=(x, labels), matrix=matrix)
    v = RNG.standard_normal(operator.size)
    product = network.hessian_product if matrix == "hessian" else network.gauss_newton_product
    np.testing.assert_allclose(operator.product(v), product(x, labels, v), rtol=0, atol=1e-13)
    folds = operator.fold_products(v)
    np.testing.assert_allclose(operator.fold_weights @ folds, product(x, labels, v), rtol=0, atol=1e-13)
    assert [g.name for g in operator.groups("layer")] == ["layer 1", "layer 2"]
    neurons = operator.groups("neuron", of="layer 2*")
    assert [g.size for g in neurons] == [4] * 3
    assert neurons[0].indices[0] == 20
    assert [g.name for g in operator.groups("class")] == ["class 0", "class 1", "class 2"]
    assert operator.indices("layer 2.weight", rows=[1], columns=[0, 3]).tolist() == [24, 27]


def test_formed_matrices_give_the_same_products():
    network = fully_connected((4, 3, 2), "tanh", loss="cross_entropy").sample(RNG)
    operator = hessian(network, data=(RNG.standard_normal((20, 4)), np.arange(20) % 2))
    v = RNG.standard_normal((2, operator.size))
    before = operator.product(v), operator.fold_products(v), operator.product_on(np.array([1, 3]), v)
    operator.prepared()
    after = operator.product(v), operator.fold_products(v), operator.product_on(np.array([1, 3]), v)
    for one, two in zip(before, after, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hessian(np.triu(np.ones((3, 3)))), "differ by .* symmetric"),
        (lambda: hessian(np.ones((2, 3))), "expected a square"),
        (lambda: hessian(lambda v: v), "size: a function"),
        (lambda: hessian(lambda v: v[:2], size=3), r"returned shape \(2,\); expected \(3,\)"),
        (lambda: hessian(lambda v: v * np.nan, size=3), "not finite"),
        (lambda: hessian(lambda v: v * 1j, size=3), "returned complex128; expected real numbers"),
        (lambda: hessian("model"), "source=str: expected"),
        (lambda: hessian(np.eye(2), loss=abs), "only for a torch model"),
        (lambda: hessian(np.eye(2), data=[1]), "only for a torch model or a Network"),
        (lambda: hessian(np.eye(2), matrix="fisher"), "matrix='fisher'"),
        (lambda: hessian(np.eye(2)).blocks([[0, 0]]), "contains an index twice"),
        (lambda: hessian(np.eye(2)).blocks({"a": [2]}), "outside 0 … 1"),
        (lambda: hessian(np.eye(2)).blocks("neurons"), "per='neurons'"),
        (lambda: hessian(np.eye(2)).groups("head"), "no torch.nn.MultiheadAttention"),
        (lambda: hessian(np.eye(2)).groups(of="x*"), "no parameter matches"),
        (lambda: hessian(np.eye(2)).product([1.0]), r"shape \(1,\): expected"),
        (lambda: hessian(np.eye(2)).indices("x"), "no such parameter"),
    ],
)
def test_refusals(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_repr_names_source_and_sizes():
    assert "12 parameters; one batch" in repr(hessian(MATRIX))
    assert isinstance(hessian(MATRIX), HessianOperator)


def test_matrices_at_the_ends_of_the_range():
    diagonal = np.diag(np.arange(1.0, 5.0))
    for scale in (1e-300, 1e-200, 1e200, 1e300):
        operator = hessian(scale * diagonal)
        np.testing.assert_allclose(operator.eigenvalues(1).values, [4 * scale], rtol=1e-12)
        np.testing.assert_allclose(operator.trace().value, 10 * scale, rtol=1e-12)
    with pytest.raises(ValueError, match="exceed the range of float64"):
        hessian(1e200 * diagonal).blocks([[0], [1]])


@pytest.mark.parametrize("which", ["top", "bottom"])
def test_ends_at_zero_of_large_semidefinite_operators(which):
    """Many equal eigenvalues at zero, as a Gauss–Newton matrix has, are found and not refused."""
    sign = 1.0 if which == "bottom" else -1.0
    diagonal = sign * np.concatenate([np.linspace(0.01, 3.0, 300), np.zeros(900)])
    calls = 0

    def product(v):
        nonlocal calls
        calls += 1
        return diagonal * v

    found = hessian(product, size=1200).eigenvalues(3, which=which)
    assert np.abs(found.values).max() < 1e-4 * 3
    assert found.residuals.max() < 1e-4 * 3
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-8)
    assert calls < 5000
