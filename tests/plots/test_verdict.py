"""The figure behind a verdict shows what the verdict used: values, interval, prediction, tolerance."""

import tomllib
from fnmatch import fnmatchcase
from types import SimpleNamespace

import numpy as np
import pytest

from rmtsim.claims import all_claims, claim
from rmtsim.claims._papers import PAPERS
from rmtsim.plots._verdict import quantity_symbol, verdict_figure
from rmtsim.verdicts import verify
from tests.verdicts.synthetic import synthetic


@pytest.fixture(scope="module")
def result():
    return verify(synthetic(), seed=1)[0]


def _labels(legend):
    return [text.get_text() for text in legend.get_texts()]


def test_a_limit(result):
    figure = verdict_figure(result)
    (ax,) = figure.axes
    point = result.deciding
    assert figure.get_suptitle() == "synthetic: own claim, simulated"
    assert ax.get_title(loc="left").startswith("CONFIRMED")
    assert ax.get_xlabel() == "size"
    measured, interval = ax.containers
    shown = measured.lines[0].get_xydata()
    assert shown[:, 0].tolist() == list(point.sizes)
    assert shown[:, 1].tolist() == list(point.values)
    bars = measured.lines[2][0].get_segments()
    assert [bar[1, 1] - bar[0, 1] for bar in bars] == pytest.approx([4 * error for error in point.errors])
    assert np.array(interval.lines[2][0].get_segments())[0, :, 1].tolist() == pytest.approx(point.interval)
    assert 1.0 in [line.get_ydata()[0] for line in ax.get_lines()]
    for label in (
        r"prediction $\pm$ tolerance",
        "admissible models",
        r"simulated $\pm 2$ s.e.",
        "interval for the limit",
    ):
        assert label in _labels(figure.legends[0])


@pytest.mark.thorough
def test_a_rate():
    @claim("one.over.n", rate=1.0, tolerance=0.1, sizes=(10, 20, 40, 80), cost=1e-4)
    def decaying(size, rng):
        return 1 / size + 0.1 / size * rng.standard_normal()

    (rate,) = verify(decaying, seed=1)
    (ax,) = verdict_figure(rate).axes
    assert (ax.get_yscale(), ax.get_ylabel()) == ("log", f"|{quantity_symbol(rate)}|")
    np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), np.abs(rate.deciding.values))
    low, high = rate.deciding.interval
    assert f"exponent in [{low:.3g}, {high:.3g}]" in _labels(ax.get_legend())


def test_long_names_are_wrapped_and_no_panel_is_left_without_its_parameters():
    (result,) = verify("dong.thm1.diagonal-limit")
    figure = verdict_figure(result)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert all("gamma = " in title and "CONFIRMED" in title for title in titles)
    figure.canvas.draw()
    width = figure.bbox.width
    for ax in figure.axes:
        assert ax._left_title.get_window_extent().x1 <= width  # nothing is cut off at the right


def test_a_computed_limit_shows_no_standard_errors():
    (result,) = verify("dong.thm1.diagonal-limit")
    figure = verdict_figure(result)
    ax = figure.axes[0]
    assert "theorem (printed), computed" in figure.get_suptitle()
    labels = _labels(figure.legends[0])
    assert "computed" in labels
    assert not any("s.e." in label for label in labels)
    (dots,) = [line for line in ax.get_lines() if line.get_label() == "computed"]
    assert list(dots.get_ydata()) == list(result.deciding.values)


def test_an_identity_shows_its_largest_errors():
    (identity,) = verify(synthetic(kind="identity", noise=0.0, amplitude=0.0, limit=0.0))
    (ax,) = verdict_figure(identity).axes
    assert ax.get_ylabel() == "relative error"
    (allowed,) = [line for line in ax.get_lines() if line.get_label() == "allowed"]
    assert set(allowed.get_ydata()) == {identity.deciding.tolerance}


def test_statements_of_papers_have_named_axes():
    claims, unnamed = all_claims(), []
    for each in claims:
        result = SimpleNamespace(claim=each.id, kind=each.kind, statement=each.statement)
        if quantity_symbol(result).startswith("quantity of"):
            unnamed.append(each.id)
    assert len(unnamed) <= len(claims) / 100, unnamed


def test_declared_names_of_quantities_belong_to_statements_and_fit_an_axis():
    known = [each.id for each in all_claims()]
    for key in PAPERS:
        path = PAPERS[key].file("recipes.toml")
        declared = (
            {} if path is None else tomllib.loads(path.read_text(encoding="utf-8")).get("quantities", {})
        )
        for name, patterns in declared.items():
            assert len(name) <= 46, name
            assert all(any(fnmatchcase(each, pattern) for each in known) for pattern in patterns), patterns
