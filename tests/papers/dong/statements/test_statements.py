"""Claims of `dong`: every id the paper's statements need, predictions, verdicts of the fast ones, controls."""

from __future__ import annotations

import numpy as np
import pytest

from rmtsim.claims._registry import all_claims, find
from rmtsim.papers.dong.theory import hidden_limits as dong_hidden
from rmtsim.verdicts._api import verify

REFUTED = [
    "eq1",
    "eq3",
    "eq8",
    "eq9",
    "eq12",
    "eq6",
    "eq17",
    "eq10",
    "eq16",
    "eq19",
    "eq27.diagonal",
    "eq27.offdiagonal",
    "eq28.diagonal",
    "eq28.offdiagonal",
    "thm2.hidden-ce-offdiagonal",
    "thm2.output-ce-diagonal",
    "thm2.output-ce-offdiagonal",
    "lemma3.offdiagonal",
    "prop2.offdiagonal-law",
    "eq16.first",
    "eq12.residual",
    "eq21.residual",
    "eq21.stripes",
]
STANDING = [
    "thm2.hidden-mse-diagonal",
    "thm2.hidden-mse-offdiagonal",
    "appendix-a.fan-out",
    "eq5",
    "eq11",
    "eq14",
    "eq15",
    "eq18",
    "eq20",
    "eq21",
    "eq29.diagonal",
    "eq29.offdiagonal",
    "eq34.hidden-ce",
    "eq34.hidden-mse",
    "eq34.output-ce",
    "introduction.hidden-ce",
    "introduction.hidden-mse",
    "introduction.output-ce",
    "lemma1.rate",
    "lemma2.rate",
    "lemma3.diagonal",
    "prop2.diagonal-law",
    "prop4.diagonal-law",
    "prop4.offdiagonal-law",
    "prop6.diagonal-law",
    "prop6.offdiagonal-law",
    "prop7.diagonal",
    "prop7.offdiagonal",
    "thm2.hidden-ce-diagonal",
    "eq46",
    "eq87",
    "eq88",
    "eq89",
    "eq90",
    "sec7.2.3.diagonal-kk",
    "sec7.2.3.diagonal-kl",
    "sec7.2.3.offdiagonal-kk",
    "sec7.2.3.offdiagonal-kl",
    "prop1.positive",
    "prop1.indefinite",
    "prop3.lognormal.h1",
    "prop3.lognormal.h2",
    "eq21.contrast",
]


def names():
    return {claim.id for claim in all_claims("dong")}


def test_every_statement_is_there_and_every_refuted_one_has_its_correction():
    found = names()
    for name in REFUTED:
        assert {f"dong.{name}", f"dong.{name}/corrected"} <= found
        assert find(f"dong.{name}").note
    for name in STANDING:
        assert f"dong.{name}" in found
        assert f"dong.{name}/corrected" not in found


@pytest.mark.parametrize(
    "claim",
    [claim for claim in all_claims("dong") if claim.accuracy is None or "thm2" in claim.id],
    ids=lambda claim: claim.id,
)
def test_samples_are_finite_and_repeat(claim):
    parameters = claim.point(claim.grid[-1])
    # A coupled claim gives one value a size at each draw.
    size, count = (claim.sizes[-1], len(claim.sizes)) if claim.coupled else (claim.sizes[0], 2)
    if claim.outer is not None:
        parameters[claim.outer[0]] = claim.outer[1][0]
    first = claim.sample(parameters, size, np.random.default_rng(3), count)
    again = claim.sample(parameters, size, np.random.default_rng(3), count)
    assert first.shape == (count,)
    assert np.isfinite(first).all()
    assert (first == again).all()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["eq1", "eq3", "eq8", "eq9", "eq12"])
def test_lost_factors_are_refuted_and_their_corrections_hold(name):
    printed, corrected = verify([f"dong.{name}", f"dong.{name}/corrected"], quick=True)
    assert (str(printed.verdict), str(corrected.verdict)) == ("REFUTED", "CONFIRMED")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["eq11", "eq14", "eq15", "eq18", "eq21"])
def test_printed_hessians_that_hold(name):
    (result,) = verify(f"dong.{name}", quick=True)
    assert result.severity.relative < 0.03


@pytest.mark.parametrize("name", ["hidden-ce-offdiagonal", "output-ce-diagonal", "output-ce-offdiagonal"])
def test_limits_of_theorem_two(name):
    """One point here; the whole grid (m = 5, 8, 12; γ = 0.1, 1, 5) is what `rmtsim verify` runs."""
    point = [{"gamma": 0.3, "hidden": 7}]
    printed, corrected = verify([f"dong.thm2.{name}", f"dong.thm2.{name}/corrected"], points=point)
    assert (str(printed.verdict), str(corrected.verdict)) == ("REFUTED", "CONFIRMED")
    assert corrected.severity.relative < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [3, 4])
def test_heavy_tails_never_give_a_confident_wrong_answer(hidden):
    """At m = 3, 4 C·h_ij approaches its limit more slowly than any C we can reach can show."""
    (result,) = verify("dong.thm2.hidden-ce-offdiagonal/corrected", points=[{"gamma": 1.0, "hidden": hidden}])
    assert str(result.verdict) != "REFUTED"


def test_predictions_follow_the_parameters():
    assert find("dong.thm2.output-ce-diagonal").prediction({"hidden": 6}) == pytest.approx(
        dong_hidden.printed_output_ce_diagonal_limit(6)
    )
    assert find("dong.thm2.hidden-ce-offdiagonal/corrected").prediction({"hidden": 6, "gamma": 2.5}) == (
        pytest.approx(dong_hidden.hidden_ce_offdiagonal_limit(2.5, 6))
    )
    with pytest.raises(ValueError, match="hidden=2"):
        find("dong.thm2.output-ce-diagonal").prediction({"hidden": 2})
    with pytest.raises(ValueError, match="gamma=0"):
        find("dong.thm2.hidden-ce-diagonal").prediction({"gamma": 0})


@pytest.mark.parametrize("name", ["eq16", "eq19", "eq10", "lemma3.offdiagonal"])
def test_cheap_random_refutations(name):
    (result,) = verify(f"dong.{name}", quick=True)
    assert str(result.verdict) == "REFUTED"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REFUTED, *STANDING])
def test_full_verdicts(name):
    verdict = str(verify(f"dong.{name}")[0].verdict)
    assert verdict == ("REFUTED" if name in REFUTED else "CONFIRMED")
    if name in REFUTED:
        assert str(verify(f"dong.{name}/corrected")[0].verdict) == "CONFIRMED"


@pytest.mark.parametrize(("size", "replicates"), [(5, 7), (20_000, 3)])
def test_quotients_of_sixteen_are_those_of_the_drawn_weights(size, replicates):
    """Drawn in pieces, in one stream: the indicators are those of the weights drawn at once."""
    found = find("dong.eq16/corrected")(size, np.random.default_rng(3), replicates, hidden=8)
    v = np.random.default_rng(3).standard_normal((replicates, size, 2)) / np.sqrt(8)
    total = v.sum(axis=1)
    above = (v[:, :, 0] * v[:, :, 1]).sum(axis=1) - total[:, 0] * total[:, 1] / size
    below = np.square(v[:, :, 0]).sum(axis=1) - total[:, 0] ** 2 / size
    assert found.tolist() == (np.abs(above) < 0.1 * np.abs(below)).tolist()
