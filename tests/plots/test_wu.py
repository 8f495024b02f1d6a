"""Every figure of the wu studies draws from rows of the shape its study writes."""

import numpy as np

from rmtsim.plots import wu
from rmtsim.plots.style import save


def _written(figure, tmp_path):
    path = tmp_path / "figure.png"
    save(figure, path)
    return path.stat().st_size > 5000


def test_width_figure(tmp_path):
    names = ("S1 S2", "S1 rows", "S1 activation", "V1 V2", "M gap", "H gap")
    rows = [
        {"width": n, "classes": c}
        | {f"{name} {part}": 1 / n for name in names for part in ("low", "median", "high", "mean")}
        for n in (10, 20)
        for c in (3, 4)
    ]
    # The gap of H is left out where it costs too much, and means above one have no logarithm of one minus them.
    rows[-1] |= {f"H gap {part}": None for part in ("low", "median", "high", "mean")} | {"V1 V2 mean": 1.01}
    assert _written(wu.width(rows, 0.829, alpha=0.3), tmp_path)


def test_spectrum_correspondence_and_models_figures(tmp_path):
    assert _written(wu.spectrum({"M": [3.0, 2.0, 0.1], "H": [3.0, 2.0, 0.1]}, 2), tmp_path)
    assert _written(wu.correspondence({name: np.eye(4).tolist() for name in "abcd"}), tmp_path)
    rows = [
        {"k": k, "rectified": k / 9, "rectified error": 0.01, "centred": 0.1, "centred error": 0.01}
        for k in range(1, 9)
    ]
    assert _written(wu.models(rows, 4), tmp_path)


def test_digits_and_bound_figures(tmp_path):
    stage = {"true eigenvalues": [2.0, 1.0], "kronecker eigenvalues": [2.1, 0.9], "overlap": [1.0, 0.9]}
    forms = {"row span of W": {"initialisation": 0.8, "minimum": 0.9}}
    data = {"classes": 3, "initialisation": stage, "minimum": stage, "closed forms": forms}
    assert _written(wu.digits(data), tmp_path)
    row = {"seed": 0, "test": 0.05}
    row |= {f"{n} {key}": 0.2 for n in ("base", "approximate", "iterative") for key in ("bound", "train")}
    deviations = {name: np.linspace(0.1, 1, 60).tolist() for name in ("approximate", "iterative")}
    assert _written(wu.bounds([row], deviations), tmp_path)
