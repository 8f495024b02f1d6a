"""Figures of the wu studies show the rows that they are given, under the labels that a reader needs."""

import importlib

import numpy as np
import pytest


@pytest.fixture(scope="module")
def wu():
    return importlib.import_module("wu_figures")


def _labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_width_figure(wu):
    names = ("S1 S2", "S1 rows", "S1 activation", "V1 V2", "M gap", "H gap")
    rows = [
        {"width": n, "classes": c}
        | {f"{name} {part}": 1 / n for name in names for part in ("low", "median", "high", "mean")}
        for n in (10, 20)
        for c in (3, 4)
    ]
    # The gap of H is left out where it costs too much, and means above one have no logarithm of one minus them.
    rows[-1] |= {f"H gap {part}": None for part in ("low", "median", "high", "mean")} | {"V1 V2 mean": 1.01}
    left, middle, right = wu.width(rows, 0.829, alpha=0.3).axes
    deficits = {line.get_label(): line for line in left.get_lines()}
    assert deficits["M and M*"].get_ydata().tolist() == [0.9, 0.95]
    assert min(line.get_ydata().min() for line in left.get_lines()) > 0
    assert _labels(middle) == ["c = 3", "c = 4"]
    assert 0.829 in [line.get_ydata()[0] for line in middle.get_lines()]
    layer = [line for line in right.get_lines() if line.get_marker() == "s"]
    assert [list(line.get_xdata()) for line in layer] == [[10, 20], [10]]


def test_spectrum_correspondence_and_models_figures(wu):
    output, layer = wu.spectrum({"M": [3.0, 2.0, 0.1], "H": [3.0, 2.0, 0.1]}, 2).axes
    assert (output.get_title(), layer.get_title()) == ("M", "H")
    assert [list(line.get_ydata()) for line in output.get_lines()] == [[3.0, 2.0], [0.1]]
    law = {"M": {"low": [2.5, 1.5], "median": [3.0, 2.0], "high": [3.5, 2.5]}}
    drawn, plain = wu.spectrum({"M": [3.0, 2.0, 0.1], "H": [3.0, 2.0, 0.1]}, 2, law).axes
    assert list(drawn.containers[0].lines[0].get_ydata()) == [3.0, 2.0]
    assert not plain.containers
    maps = wu.correspondence({name: np.eye(4).tolist() for name in "abcd"}).axes
    assert [ax.get_title() for ax in maps[:4]] == list("abcd")
    np.testing.assert_array_equal(maps[0].get_images()[0].get_array(), np.eye(4))
    rows = [
        {"k": k, "rectified": k / 9, "rectified error": 0.01, "centred": 0.1, "centred error": 0.01}
        for k in range(1, 9)
    ]
    (ax,) = wu.models(rows, 4).axes
    assert _labels(ax) == ["rectified inputs", "centred inputs", "k/m (Theorem G.1)"]
    assert ax.get_lines()[0].get_ydata().tolist() == [row["rectified"] for row in rows]
    assert ax.get_lines()[2].get_ydata().tolist() == [0.25, 0.5, 0.75, 1.0]


def test_digits_and_bound_figures(wu):
    stage = {"true eigenvalues": [2.0, 1.0], "kronecker eigenvalues": [2.1, 0.9], "overlap": [1.0, 0.9]}
    forms = {"row span of W": {"initialisation": 0.8, "minimum": 0.9}}
    data = {"classes": 3, "initialisation": stage, "minimum": stage, "closed forms": forms}
    left, middle, right = wu.digits(data).axes
    assert list(left.get_lines()[0].get_ydata()) == [1.0, 0.5]
    assert list(middle.get_lines()[0].get_ydata()) == [1.0, 0.9]
    assert [bar.get_height() for bar in right.patches] == [0.8, 0.9]
    row = {"seed": 0, "test": 0.05}
    row |= {f"{n} {key}": 0.2 for n in ("base", "approximate", "iterative") for key in ("bound", "train")}
    deviations = {name: np.linspace(0.1, 1, 60).tolist() for name in ("approximate", "iterative")}
    left, right = wu.bounds([row], deviations).axes
    assert [bar.get_height() for bar in left.patches] == [0.2] * 3
    assert "test error of the network" in _labels(left)
    assert list(right.get_lines()[0].get_ydata()) == deviations["approximate"]


def test_figures_of_trained_networks():
    figures = importlib.import_module("wu_trained_figures")
    entry = {"loss": 1.0, "test error": 0.5, "262": 0.9, "263": 1.1, "decoupling": [0.1, 0.2, 0.3]}
    entry |= {"inputs": [4.0, 1.0], "outputs": [3.0, 2.0, 0.1]}
    stage = {key: [1.0, 0.5] for key in ("eigenvalues", "kronecker", "overlap", "singular share")}
    ends = {"first": stage, "second": stage}
    run = {"path": [entry | {"step": 0}, entry | {"step": 20}], "initialisation": ends, "minimum": ends}
    data = {"classes": 3, "runs": [run, run]}
    axes = figures.training(data).axes
    assert [line.get_ydata()[0] for line in axes[3].get_lines()] == [0.1, 0.2, 0.3]
    colours = [line.get_color() for line in axes[2].get_lines()]
    assert colours[0] == colours[1] != colours[2]
    assert [ax.texts[0].get_text() for ax in axes] == [f"({word})" for word in "abcdef"]
    assert _labels(figures.at_ends(data).axes[1]) == ["untrained", "trained"]
    curve = {"overlaps": [[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]], "factors": [0.5, 0.7], "output": 2}
    curves = dict.fromkeys(("first", "second", "output"), curve)
    spectra = {name: {"H": [[1.0, 0.5]], "M": [[1.0, 0.4]]} for name in ("initialisation", "random labels")}
    spectra["true labels"] = spectra["initialisation"]
    data = {"curves": {"initialisation": curves, "true labels": curves}, "spectra": spectra, "classes": 3}
    data["losses"] = {name: [0.1, 0.2] for name in spectra}
    first, _, output, *_ = figures.pairs(data).axes
    assert first.get_lines()[0].get_ydata().tolist() == pytest.approx([0.2, 0.3, 0.4])
    assert first.get_lines()[1].get_ydata().tolist() == pytest.approx([0.3, 0.6])
    assert output.get_lines()[1].get_ydata().tolist() == pytest.approx([0.6, 0.6])
    assert [ax.get_title().split(":")[0] for ax in figures.labels(data).axes] == list(spectra)


def test_layers_of_a_deeper_network_are_those_of_the_engine():
    """Gradient and layer Hessians of the studies against the network engine."""
    layers = importlib.import_module("digits_layers")
    from rmtsim.networks import network_from_arrays

    rng = np.random.default_rng(0)
    weights = layers.initial((7, 5, 4, 3), rng)
    inputs, labels = rng.random((12, 7)), rng.integers(0, 3, 12)
    network = network_from_arrays(weights, activation="relu", loss="cross_entropy")
    gradient = np.concatenate([part.ravel() for part in layers.gradient(weights, inputs, labels)[1]])
    np.testing.assert_allclose(gradient, network.gradient(inputs, labels), atol=1e-14)
    size = network.parameters.size
    dense = np.stack([network.gauss_newton_product(inputs, labels, row) for row in np.eye(size)])
    end = np.cumsum([0, *(matrix.size for matrix in weights)])
    found = layers.layers(weights, inputs)
    for k, layer in enumerate(found):
        block = dense[end[k] : end[k + 1], end[k] : end[k + 1]]
        np.testing.assert_allclose(layer.hessian, block, atol=1e-14)
        values = layer.kronecker(3)[0]
        product = np.kron(layer.output, layer.autocorrelation)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(product)[::-1][:3], atol=1e-14)
        error = np.abs(np.linalg.eigvalsh(product - block)).max() / np.linalg.eigvalsh(block)[-1]
        assert layer.decoupling_error == pytest.approx(error, rel=1e-3)
    share, ratio = layers.full_hessian(weights, found, inputs, labels)
    assert 0 < share <= 1
    assert ratio > 0
