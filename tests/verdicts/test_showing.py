"""Results in Python and in a notebook: one screen of text, escaped HTML, frames, figures, the next step."""

import builtins
import dataclasses

import numpy as np
import pytest

import rmtsim
from rmtsim import Claim, Results, claim, predict, verify
from rmtsim.errors import SamplerError
from rmtsim.verdicts._driver import Progress
from rmtsim.verdicts._notebook import _Shown
from tests.verdicts.synthetic import synthetic


@pytest.fixture(scope="module")
def results():
    return verify(synthetic(), seed=1)


def test_results_are_a_list_that_shows_itself(results):
    assert isinstance(results, Results)
    assert isinstance(results, list)
    (result,) = results
    assert repr(result).startswith("<ClaimResult synthetic")
    assert len(str(result).splitlines()) <= 24
    assert "next: " in str(result)
    assert "sharp" in str(results)
    assert result.next_step == results.next_step == "the reasoning: result.explain()"
    assert result.explain() in results.explain()
    assert len(result.plot().axes) == 1


def test_html_has_a_figure_and_nothing_can_inject_markup(results):
    evil = dataclasses.replace(
        results[0],
        statement="<script>alert(1)</script>",
        claim='"><img src=x onerror=alert(1)>',
        size_name='"x',
    )
    for text in (evil._repr_html_(), Results([evil, evil])._repr_html_()):
        assert "<script" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;" in text
    assert 'src="data:image/png;base64,' in evil._repr_html_()


def test_a_frame_has_a_row_per_point():
    pytest.importorskip("pandas")
    frame = verify("dong.thm1.diagonal-limit").to_frame()
    assert list(frame["verdict"]) == ["CONFIRMED"] * len(rmtsim.find("dong.thm1.diagonal-limit").grid)
    assert {"gamma", "predicted", "estimate", "low", "high"} <= set(frame)


def test_without_pandas_a_frame_says_what_to_install(results, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"rmtsim\[notebook\]"):
        results.to_frame()


def test_predict_gives_the_stated_number():
    assert predict("dong.thm1.diagonal-limit", gamma=1.0) == pytest.approx(np.e + 1, rel=1e-12)
    assert predict(rmtsim.find("dong.thm1.diagonal-limit"), gamma=2.0) == pytest.approx(2 * np.e + 1)
    with pytest.raises(ValueError, match="did you mean"):
        predict("dong.thm1.diagonal-limt")


def _own(function, sizes=(16, 32, 64), **options):
    return claim("mine", limit=0.0, tolerance=0.05, sizes=sizes, exponents=(1,), cost=1e-4, **options)(
        function
    )


def test_a_declared_claim_can_be_called():
    mine = _own(lambda size, rng: rng.standard_normal(size).mean())
    assert isinstance(mine, Claim)
    expected = np.random.default_rng(0).standard_normal(40).mean()
    assert mine(40, np.random.default_rng(0)) == expected


def _goe(size, rng):
    a = rng.standard_normal((size, size))
    return (a + a.T) / np.sqrt(2 * size)


@pytest.mark.parametrize(
    "function",
    [
        lambda size, rng: np.linalg.eigvalsh(_goe(size, rng)),
        lambda size, rng: np.linalg.eigvalsh(_goe(size, rng))[::-1],
        lambda size, rng: rng.permutation(np.linalg.eigvalsh(_goe(size, rng))),
        lambda size, rng: np.linalg.eigvalsh(_goe(size, rng))[-4:],
        lambda size, rng: np.linalg.svd(_goe(size, rng), compute_uv=False)[:2],
    ],
    ids=["spectrum", "falling", "unsorted", "top four", "top two"],
)
def test_a_spectrum_in_place_of_replicates_is_refused(function):
    """Cut to the number of replicates, the first of these was REFUTED at -0.03 where 0 is true."""
    with pytest.raises(SamplerError, match="are no replicates"):
        verify(_own(function), budget=1)


@pytest.mark.parametrize(
    "function",
    [
        lambda size, rng: rng.standard_normal((64, size)).mean(axis=1),
        lambda size, rng: rng.integers(0, 2, 32) - 0.5,
        lambda size, rng: np.zeros(64),
    ],
    ids=["64 means, also at size 64", "coins", "constants"],
)
def test_independent_replicates_are_not(function):
    (result,) = verify(_own(function), budget=0.5)
    assert not result.failed


def test_randomness_from_other_sources_is_reported():
    def mean(size, rng):
        return np.random.default_rng().standard_normal(size).mean()

    with pytest.raises(SamplerError, match="with the same seed, gave other values"):
        verify(_own(mean), budget=1)


def test_notebook_progress_escapes_and_tells_intervals(results):
    class Handle:
        shown: list = []  # noqa: RUF012

        def update(self, content):
            self.shown.append(content)

    class Display:
        HTML = staticmethod(str)

        @staticmethod
        def display(content, display_id):
            return Handle()

    shown = _Shown(Display)
    shown(Progress("<b>", 0.5, 0, 2, interval=(1.9, 2.1)))
    shown(Progress("<b>", 1.0, 2, 2, "CONFIRMED", result=results[0]))
    assert "&lt;b&gt;  2.00 in [1.90, 2.10]" in Handle.shown[0]
    assert "CONFIRMED     &lt;b&gt;" in Handle.shown[1]
