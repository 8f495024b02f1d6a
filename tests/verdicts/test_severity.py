"""Severity of confirmed statements: what the same evidence would have refuted, and grades by fixed rules."""

import dataclasses
import json
import math

import pytest

from rmtsim import verify
from rmtsim.claims import claim, find
from rmtsim.claims._model import Tolerance
from rmtsim.cli import main
from rmtsim.verdicts import Verdict
from rmtsim.verdicts._question import decide
from rmtsim.verdicts._severity import (
    Grade,
    first_refuted,
    from_json,
    record_words,
    severity,
    severity_words,
)
from rmtsim.verdicts._words.explain import explain


def _claim(**options):
    options = {"tolerance": 0.05, "sizes": (10, 20, 40), **options}
    return claim("some.claim", cost=1e-6, **options)(lambda size, rng: rng.random())


@pytest.mark.parametrize("relative", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("interval", [(1.9, 2.1), (-2.1, -1.9), (-0.01, 0.02)])
@pytest.mark.parametrize("above", [True, False])
def test_the_nearest_refuted_number_is_that_of_the_decision_rule(relative, interval, above):
    tolerance = Tolerance(absolute=0.01, relative=relative)
    edge = first_refuted(interval[1] if above else interval[0], tolerance, above=above)
    step = 1e-6 if above else -1e-6
    assert decide(interval, edge + step, tolerance.width(edge + step)) is Verdict.REFUTED
    assert decide(interval, edge - step, tolerance.width(edge - step)) is not Verdict.REFUTED


def test_a_moved_constant_changes_the_severity_of_a_limit():
    here, there = (severity(_claim(limit=stated), {}, (1.99, 2.01)) for stated in (2.0, 2.03))
    assert here.above == pytest.approx(0.06) == here.below
    assert there.above == pytest.approx(0.03)
    assert there.below == pytest.approx(0.09)
    assert here.grade is Grade.SHARP


def test_a_tolerance_of_half_the_value_is_weak():
    assert severity(_claim(limit=2.0, tolerance=1.0), {}, (1.9, 2.1)).grade is Grade.WEAK


def test_a_bound_of_zero_is_compared_with_the_size_of_the_values():
    zero = _claim(bound=0.0)
    near, far = (
        severity(zero, {}, (-gap, 0.0), values=(-gap,), sizes=(10,), spread=1.0) for gap in (0.08, 0.5)
    )
    assert (near.grade, far.grade) == (Grade.SHARP, Grade.WEAK)
    assert severity(zero, {}, (-0.5, 0.0)).grade is None
    assert severity_words(near) == "0.08 to spare (8 % of the usual size)"

    @claim("some.negative", bound=0.0, tolerance=1e-9, sizes=(5, 10), cost=1e-6)
    def negative(size, rng):
        return -1.0 - rng.random() / 10

    (found,) = verify(negative, budget=2)
    assert found.grade is Grade.WEAK
    assert found.severity.relative == pytest.approx(1 / 1.05, rel=0.01)


def test_the_scale_of_zero_is_that_of_the_values():
    zero = _claim(limit=0.0)
    assert severity(zero, {}, (-0.01, 0.01), values=(1.0, 0.5, 0.2), sizes=(10, 20, 40)).grade is Grade.SHARP
    assert severity(zero, {}, (-0.01, 0.01), spread=0.1).grade is Grade.WEAK
    assert severity(zero, {}, (-0.01, 0.01)).grade is None


def test_rates_say_which_exponents_they_do_not_exclude():
    wide = severity(_claim(rate=0.5, relation="O", tolerance=0.16), {}, (0.345, 0.355))
    assert wide.grade is Grade.WEAK
    assert wide.unexcluded == pytest.approx(0.34)
    assert severity(_claim(rate=0.5, relation="O"), {}, (0.48, 0.52)).grade is Grade.SHARP
    faster = severity(_claim(rate=0.5, relation="O"), {}, (0.98, 1.02))
    assert faster.grade is Grade.WEAK
    assert faster.above == pytest.approx(0.57)
    two_sided = severity(_claim(rate=0.5, relation="Theta"), {}, (0.48, 0.51))
    assert (two_sided.above, two_sided.below) == (pytest.approx(0.06), pytest.approx(0.07))


def test_law_probability_and_identity():
    law = severity(_claim(law=0.0, tolerance=0.02), {}, (0.0, 0.01))
    assert (law.above, law.grade) == (pytest.approx(0.03), Grade.SHARP)
    sure = severity(_claim(probability=1.0), {}, (0.98, 1.0))
    assert (sure.below, sure.grade) == (pytest.approx(0.07), Grade.SHARP)
    assert severity(_claim(probability=1.0, tolerance=0.3), {}, (0.9, 1.0)).grade is Grade.WEAK
    identity = severity(_claim(identity=True, tolerance=1e-9), {}, (0.0, 1e-15))
    assert (identity.above, identity.grade) == (pytest.approx(1e-8), Grade.SHARP)


def _bound(values, *, tolerance=1e-9, **options):
    return severity(_claim(tolerance=tolerance, **options), {}, (0.0, 1.0), values=values, sizes=(10, 20, 40))


def test_bounds_have_a_factor_to_spare():
    near = _bound((0.2, 0.5, 0.4), bound=1.0)
    assert (near.relative, near.passes, near.grade) == (2.0, 0.5, Grade.SHARP)
    assert _bound((0.2, 0.5, 0.4), bound=2.0).relative == 4.0
    assert _bound((0.79, 0.5, 0.4), bound=300.0).grade is Grade.WEAK
    assert _bound((20.0, 30.0, 40.0), bound=1.0, sense=">=").grade is Grade.WEAK
    assert _bound((2.0, 3.0, 4.0), bound=1.0, sense=">=").relative == 2.0
    assert _bound((-2.9, -1.0, 1.0), bound=-3.0, sense=">=").relative == pytest.approx(3 / 2.9)
    assert _bound((0.0, 0.0, 0.0), bound=0.0).grade is Grade.SHARP


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ((0.0, 0.0, 0.0), {"bound": 1.0}),
        ((0.5, 0.1, 0.2), {"bound": -1.0, "sense": ">="}),
        ((), {"bound": 1.0, "of": "probability", "tolerance": 0.01}),
        ((), {"bound": 0.0, "of": "probability", "sense": ">=", "tolerance": 0.01}),
        ((0.5, 0.1, 0.2), {"bound": 1.0, "support": (0.0, 1.0), "of": "mean", "tolerance": 0.01}),
        ((), {"limit": 0.5, "support": (0.0, 1.0), "tolerance": 0.6}),
        ((), {"probability": 0.5, "tolerance": 0.5}),
        ((), {"rate": -1.0, "relation": "O", "support": (0.0, 1.0)}),
    ],
)
def test_what_nothing_could_refute_is_untested(values, options):
    assert _bound(values, **options).untested


def test_untested_is_a_verdict():
    @claim("some.zero", bound=1.0, tolerance=1e-9, sizes=(5, 10), cost=1e-6)
    def zero(size, rng):
        return 0.0 * rng.random()

    @claim("some.half", limit=0.5, tolerance=0.05, sizes=(5, 10, 20), exponents=(1.0,), cost=1e-6)
    def half(size, rng):
        return rng.random(size).mean()

    untested, confirmed = verify([zero, half], budget=2)
    assert untested.verdict is Verdict.UNTESTED
    assert "zero in every draw" in untested.explain()
    assert untested.as_json()["severity"]["untested"]
    assert confirmed.verdict is Verdict.CONFIRMED
    assert confirmed.grade is Grade.SHARP
    assert math.isclose(confirmed.as_json()["severity"]["relative"], confirmed.severity.relative)


def test_the_recorded_verdict_is_shown_before_and_with_a_run(capsys):
    name = "dong.thm1.ratio-rate"
    words = record_words(find(name))
    assert words.startswith("CONFIRMED, sharp, refutes ")
    (result,) = verify(name)
    assert f"recorded verdict: {words}" in explain(result)
    assert main(["claims", name, "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert shown["recorded"] == words
    assert main(["claims", name]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for phrase in ("parameter gamma", "sizes", "finite-size exponents", "tolerance", "recorded verdict"):
        assert phrase in text


def test_a_weak_confirmation_has_a_reason():
    loose = dataclasses.replace(_claim(bound=300.0), weak="the proof is generous")
    (result,) = verify(loose, budget=1)
    assert result.grade is Grade.WEAK
    assert result.why_weak == result.as_json()["why_weak"] == "the proof is generous"
    assert "Weak because: the proof is generous" in explain(result)
    (result,) = verify(_claim(bound=300.0), budget=1)
    assert "factor 10" in result.why_weak
    (result,) = verify(_claim(bound=1.5), budget=1)
    assert result.why_weak == ""


def test_a_claim_of_ones_own_has_no_record():
    assert record_words(_claim(limit=2.0)) == ""


def test_severity_of_a_record_is_read_back():
    for found in (_bound((-1.0, -2.0, -3.0), bound=1.0), severity(_claim(limit=2.0), {}, (1.99, 2.01))):
        assert from_json(found.as_json()) == found


def test_a_name_and_another_paper_leave_nothing(capsys):
    assert main(["claims", "dong.thm1.ratio", "--paper", "dong"]) == 0
    assert main(["claims", "dong.thm1.ratio", "--paper", "wu"]) == 2
    assert "--paper wu" in capsys.readouterr().err
