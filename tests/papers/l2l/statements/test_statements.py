"""Statements of l2l: every place of the chapter is declared, corrections name cause and step, verdicts are as known."""

import math

import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import all_claims, find
from rmtsim.papers.l2l.statements.nets import net_size
from rmtsim.papers.l2l.statements.step_sizes import minimiser

CLAIMS = {claim.id: claim for claim in all_claims("l2l")}
PLACES = (
    [f"Lemma 5.4.{k}" for k in range(3, 9)]
    + [
        f"Lemma D.2.{k}"
        for k in (3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)
    ]
    + [f"Lemma D.3.{k}" for k in (1, 2, 3, 4, 6, 7, 8, 9, 10)]
    + [f"Lemma D.4.{k}" for k in range(3, 15)]
    + [f"Lemma D.5.{k}" for k in range(1, 6)]
    + [
        "Theorem 5.3.1",
        "Theorem 5.3.2",
        "Corollary 5.3.3",
        "Claim 5.3.4",
        "Claim 5.3.5",
        "Claim 5.3.6",
        "Claim D.1.1",
        "Claim D.1.2",
        "Claim D.1.3",
    ]
    + [
        "Theorem 5.4.1",
        "Theorem 5.4.2",
        "Theorem D.2.1",
        "Theorem D.2.2",
        "Theorem D.4.1",
        "Theorem D.4.2",
        "footnote 2",
        "footnote 3",
        "footnote 4",
    ]
)
REFUTED = {name.removesuffix("/corrected") for name in CLAIMS if name.endswith("/corrected")}


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_declared(place):
    assert any(place in claim.equation for claim in CLAIMS.values())


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_samplers_give_finite_numbers_at_their_smallest_size(name):
    claim = CLAIMS[name]
    for point in claim.grid[:1]:
        values = claim.sample(claim.point(point), claim.sizes[0], np.random.default_rng(1), 2)
        assert np.isfinite(values).all()
        if claim.predict is not None:
            assert math.isfinite(claim.prediction(point))


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_refutations_name_cause_and_step(name):
    claim = CLAIMS[name]
    assert claim.cause
    assert claim.note
    assert CLAIMS[f"{name}/corrected"].form == "corrected"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("l2l.sec5.4.1.threshold", "REFUTED"),
        ("l2l.lemmaD.2.16", "REFUTED"),
        ("l2l.lemmaD.4.3.step", "REFUTED"),
        ("l2l.lemmaD.4.9.constant", "REFUTED"),
        ("l2l.lemmaD.4.9.constant/corrected", "CONFIRMED"),
        ("l2l.lemmaD.2.14.constant", "REFUTED"),
        ("l2l.lemmaD.2.14.constant/corrected", "CONFIRMED"),
        ("l2l.thm5.4.1.train-limit", "CONFIRMED"),
        ("l2l.lemmaD.3.1.decomposition", "CONFIRMED"),
        ("l2l.thm5.3.1.vanishing", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=3)[0].verdict) == verdict


def test_a_moved_prediction_is_noticed():
    """The error predicted for 5 % more noise variance does not pass for the simulated one."""
    claim = find("l2l.prediction.error")
    point = claim.point(claim.grid[1])
    values = np.concatenate([claim.sample(point, 192, np.random.default_rng(seed), 100) for seed in range(3)])
    right = claim.prediction(point)
    moved = claim.prediction(point | {"noise": point["noise"] * math.sqrt(1.05)})
    spread = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - right) < 4 * spread + 0.01 * right
    assert abs(values.mean() - moved) > 2 * spread


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("l2l.split", {"samples": 500, "training": 500}, "training=500"),
        ("l2l.split", {"samples": 500, "training": 900}, "training=900"),
        ("l2l.step-size", {"noise": -1.0}, "noise=-1.0"),
        ("l2l.step-size", {"steps": 0}, "steps=0"),
    ],
)
def test_bad_parameters_are_one_clear_line(name, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        find(name).prediction(changes)
    assert "\n" not in str(caught.value)


def test_minimiser_of_a_sampled_curve():
    rates = np.geomspace(0.01, 1, 25)
    assert minimiser(rates, np.log(rates / 0.1) ** 2) == pytest.approx(0.1, rel=1e-12)


def test_a_greedy_net_has_a_point_for_every_epsilon_of_the_way_down_and_up():
    values = np.array([1.0, 0.5, 0.05, 0.3, 0.62])
    # Down from 1 to 0.1 in nine steps, up from there to 0.6 in five.
    assert net_size(values, 0.1) == 1 + 9 + 5
    assert net_size(values[:1], 0.1) == 1
    assert net_size(values, 2.0) == 1


def test_little_noise_brings_truncation_back():
    """At σ = 0.02 weights of length one lie beyond 40σ: learned step sizes and errors then come task by task."""
    from rmtsim.papers.l2l.statements.step_sizes import learned_step, mean_error

    rng = np.random.default_rng(0)
    step = learned_step(12, rng, 2.0, 0.02, 10, validation=True)
    assert 0 < step < 1
    free = mean_error(12, np.random.default_rng(1), 2.0, 1.0, 10, 0.2)
    cut = mean_error(12, np.random.default_rng(1), 2.0, 0.01, 10, 0.2)
    assert free != cut
    # 40σ = 0.4: a truncated weight has that length, so no error can be below (1 - 0.4)²
    assert cut >= 0.36
