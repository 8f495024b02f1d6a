"""The density figure: the curve is the law's density, an atom its arrow and mass, the histogram a density."""

import numpy as np
import pytest

from rmtsim.laws import MarchenkoPastur, Semicircle
from rmtsim.plots._laws import density_figure
from rmtsim.plots._style import save


def test_the_curve_is_the_density():
    law = Semicircle(4.0)
    (ax,) = density_figure(law, "semicircle").axes
    x, y = ax.get_lines()[0].get_data()
    assert (x[0], x[-1]) == pytest.approx(law.support[0])
    np.testing.assert_array_equal(y, law.density(np.asarray(x)))
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("$x$", "density", "semicircle")
    assert ax.get_legend() is None


def test_an_atom_has_its_place_and_mass():
    (ax,) = density_figure(MarchenkoPastur(2.0)).axes
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "atom at 0, mass 0.5"
    assert [line.get_xdata()[0] for line in ax.get_lines()][1:] == [0.0, 0.0]


def test_the_histogram_is_a_density_of_the_whole_spectrum():
    eigenvalues = np.concatenate([np.zeros(50), np.linspace(0.2, 5.0, 50)])
    (ax,) = density_figure(MarchenkoPastur(2.0), eigenvalues=eigenvalues).axes
    (stairs,) = ax.patches
    heights, edges, _ = stairs.get_data()
    assert heights @ np.diff(edges) == pytest.approx(0.5)  # the other half is the atom
    assert "100 eigenvalues" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        save(density_figure(Semicircle()), tmp_path / f"{name}.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_eigenvalues_beyond_the_law_stay_in_the_picture():
    law = MarchenkoPastur(0.5)
    eigenvalues = np.concatenate([law.ppf((np.arange(100) + 0.5) / 100), [7.0, 9.0]])
    (ax,) = density_figure(law, eigenvalues=eigenvalues).axes
    assert ax.get_xlim()[1] > 9.0
    (marks,) = [line for line in ax.get_lines() if line.get_marker() == "v"]
    np.testing.assert_array_equal(marks.get_xdata(), [7.0, 9.0])
    (stairs,) = ax.patches
    assert stairs.get_data()[1][-1] < 4.0  # bins of the bulk alone
