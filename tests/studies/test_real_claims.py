"""Measurements of studies/real_claims.py against dense matrices and plain loops."""

import importlib

import numpy as np
import pytest

pytest.importorskip("sklearn")
real = importlib.import_module("real_claims")


def _network(width, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(10, size=30)
    inputs = real.scaled(real.drawn(labels, rng) + real.images()[2])[:, 20:26]
    network = real.fully_connected((6, width, 10), gain=2.0, loss="cross_entropy").sample(rng)
    return network, inputs, labels


@pytest.mark.parametrize("seed", [0, 1])
def test_distance_and_overlap_are_those_of_the_dense_hessian(seed):
    network, inputs, labels = _network(5, seed)
    rows, output, autocorrelation = real.decoupled(network, inputs)
    hessian = network.hessian(inputs, labels)[:30, :30]
    product = np.kron(output, autocorrelation)
    distance = np.linalg.norm(hessian - product) / np.linalg.norm(hessian)
    assert real.decoupling_distance(rows, inputs, output, autocorrelation) == pytest.approx(
        distance, rel=1e-9
    )
    found, guess = (np.linalg.eigh(each)[1][:, -9:] for each in (hessian, product))
    overlap = np.square(found.T @ guess).sum() / 9
    assert real.leading_overlap(rows, inputs, output, autocorrelation) == pytest.approx(overlap, abs=1e-4)


def test_images_have_the_digits_that_are_asked_for():
    inputs, labels, mean = real.images()
    digits = np.array([3, 9, 0, 3])
    for digit, image in zip(digits, real.drawn(digits, np.random.default_rng(0)), strict=True):
        matches = np.flatnonzero(np.abs(inputs - mean - image).max(axis=1) < 1e-12)
        assert set(labels[matches]) == {digit}


def test_losses_are_those_of_forty_steps_of_gradient_descent(monkeypatch):
    seen = []
    monkeypatch.setattr(
        real, "drawn", lambda digits, rng, draw=real.drawn: seen.append(draw(digits, rng)) or seen[-1]
    )
    rng = np.random.default_rng(3)
    targets = []

    class Recorded:
        permutation, integers, random = rng.permutation, rng.integers, rng.random

        def standard_normal(self, count):
            targets.append(rng.standard_normal(count))
            return targets[-1]

    signs = []
    monkeypatch.setattr(
        Recorded,
        "integers",
        lambda self, most, size: signs.append(rng.integers(most, size=size)) or signs[-1],
    )
    found = real.losses(20, Recorded())
    sets = [(x, 2.0 * s - 1 + noise) for x, s, noise in zip(seen, signs, targets, strict=True)]
    x, y = sets[0]
    for which in (0, 20, 38):
        weights = np.zeros(x.shape[1])
        for _ in range(40):
            weights -= real.RATES[which] / np.linalg.norm(x.T @ x / 20, 2) * x.T @ (x @ weights - y) / 20
        expected = [np.square(a @ weights - b).mean() for a, b in sets]
        assert found[:, which] == pytest.approx(expected, rel=1e-8)


def test_skewness_is_that_of_the_eigenvalues(monkeypatch):
    seen = []
    monkeypatch.setattr(
        real.Network,
        "hessian",
        lambda self, x, y, hessian=real.Network.hessian: seen.append(hessian(self, x, y)) or seen[-1],
    )
    value = real.skewness(5, np.random.default_rng(0), 20)
    eigenvalues = np.linalg.eigvalsh(seen[0])
    assert value == pytest.approx(np.mean(eigenvalues**3) / np.mean(eigenvalues**2) ** 1.5, rel=1e-9)
    assert value != 0
