"""What people see: table, explanation, figure; and the schema that machines read."""

import dataclasses
import io
import json

import pytest
from rich.console import Console

from rmtsim import claim
from rmtsim.claims import all_claims
from rmtsim.verdicts import Verdict, verify
from rmtsim.verdicts._needs import TIMELY, Lack, Need
from rmtsim.verdicts._words.explain import explain
from rmtsim.verdicts._words.numbers import within
from rmtsim.verdicts._words.summary import Step, deciding_budget, next_lines, next_step, step_after, summary
from rmtsim.verdicts._words.table import verdict_table
from tests.verdicts.synthetic import synthetic


@pytest.fixture(scope="module")
def result():
    return verify(synthetic(), seed=1)[0]


def test_the_table_names_verdict_prediction_and_interval(result):
    console = Console(width=140, file=io.StringIO())
    console.print(verdict_table([result]))
    text = console.file.getvalue()
    assert all(word in text for word in ("synthetic", "CONFIRMED", "± 0.02", "10…160"))


@pytest.mark.parametrize("width", [60, 80, 100, 140, 170, 200])
def test_no_width_costs_digits(result, width):
    console = Console(width=width, file=io.StringIO())
    console.print(verdict_table([result], width))
    text = console.file.getvalue()
    point = result.deciding
    assert all(word in text for word in ("CONFIRMED", "1 ± 0.02", "10…160", "level"))
    assert within(point.estimate, point.interval) in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [60, 80, 120, 169, 170, 200])
def test_names_are_never_broken_and_statements_are_shown(width):
    results = verify(["dong.thm1.diagonal-limit", "dong.thm1.ratio-rate"])
    console = Console(width=width, file=io.StringIO())
    console.print(verdict_table(results, width, points=True), soft_wrap=True)
    text = console.file.getvalue()
    assert "dong.thm1.diagonal-limit.join" in text
    assert "lim C² g_ii(γ, C) = γe + 1" in text
    assert "theorem (printed), computed" in text
    assert text.count("CONFIRMED") == 2 + sum(len(result.points) for result in results)
    assert ("predicted " in text.splitlines()[0]) == (width >= 170)
    assert max(map(len, text.splitlines())) <= width


def test_table_and_json_agree_on_the_estimate(result):
    shown = verdict_table([result]).plain
    number = float(shown.partition("estimate ")[2].split()[0])
    low, high = result.as_json()["interval"]
    assert abs(number - result.as_json()["estimate"]) <= (high - low) / 100


def test_an_identity_shows_its_largest_error_and_a_bound_its_extreme_value():
    (identity,) = verify(synthetic(kind="identity", noise=0.0, amplitude=0.0, limit=0.25), budget=1)
    (bound,) = verify(synthetic(kind="bound", noise=0.0, amplitude=0.0, limit=0.25), budget=1e-3)
    console = Console(width=120, file=io.StringIO())
    console.print(verdict_table([identity, bound]))
    text = console.file.getvalue()
    assert "≤ 0.25" in text
    assert "more of one core" in bound.deciding.needs


def test_the_explanation_tells_what_was_declared_and_where_errors_come_from(result):
    text = explain(result)
    for phrase in (
        "Declared before the run",
        "sizes (size): 10, 20, 40, 80, 160",
        "Error level",
        "error budget: chance",
        "lies inside 1 ± 0.02 under every admissible",
        "e-values",
        "severity: sharp",
    ):
        assert phrase in text


def test_an_open_verdict_says_what_would_decide_it():
    (open_one,) = verify(synthetic(noise=3.0), seed=1, budget=0.5)
    assert open_one.verdict == "INCONCLUSIVE"
    assert "more of one core" in open_one.deciding.needs or "larger" in open_one.deciding.needs
    assert "What would decide it" in explain(open_one)


def test_json_holds_every_documented_field(result):
    report = json.loads(json.dumps(result.as_json(), allow_nan=False))
    fields = "claim source verdict predicted estimate interval level tolerance sizes replicates seconds seed version"
    assert set(fields.split()) <= set(report)
    assert report["schema"] == 3
    assert report["severity"]["above"] > report["tolerance"]


def test_a_shift_beyond_the_severity_is_refuted(result):
    (moved,) = verify(synthetic(limit=1.05), seed=1)
    assert result.deciding.severity.above < 0.05
    assert moved.verdict == "REFUTED"


def test_e_values_side_with_the_verdict(result):
    point = result.deciding
    assert point.e_value_for >= 1 / point.level * 0.5
    assert point.e_value <= 1


@pytest.mark.parametrize(
    ("interval", "text"),
    [((1.0, 1.0), "1"), ((float("-inf"), 2.0), "1 in [-inf, 2]"), ((0.9, 1.1), "1.00 in [0.90, 1.10]")],
)
def test_an_estimate_within_its_interval(interval, text):
    assert within(1.0, interval) == text


COMPUTED = "dong.thm1.diagonal-limit"
FORBIDDEN = ("replicate", "chance", "standard error", "s.e.", "looking", "random point", "draws", "at level")


@pytest.fixture(scope="module")
def computed():
    return verify(COMPUTED)[0]


def test_a_computed_statement_is_never_described_as_simulated(computed):
    text = explain(computed)
    assert "Evidence: computed" in text
    assert "no random numbers" in text
    assert "compared with simulation by dong.thm1.diagonal-limit.join" in text
    assert computed.as_json()["chain"] == ["dong.thm1.diagonal-limit.join"]
    assert not [word for word in FORBIDDEN if word in text]
    console = Console(width=140, file=io.StringIO())
    console.print(verdict_table([computed]))
    assert "theorem (printed), computed" in console.file.getvalue()
    report = computed.as_json()
    assert report["evidence"] == "computed"
    assert report["replicates"] is None
    assert all(point["standard_errors"] is None and point["replicates"] is None for point in report["points"])


def _told(value):
    """Every name in a report whose value is not null, and every text in it."""
    if isinstance(value, dict):
        return [name for name, each in value.items() if each is not None] + _told(list(value.values()))
    if isinstance(value, list):
        return [text for each in value for text in _told(each)]
    return [value] if isinstance(value, str) else []


@claim("own.bound", bound=1.0, tolerance=1e-12, sizes=(2, 4, 8), accuracy=1e-14)
def inverse(size):
    """1/n ≤ 1."""
    return 1 / size


@claim("own.bound.false", bound=0.3, tolerance=1e-12, sizes=(2, 4, 8), accuracy=1e-14)
def inverse_again(size):
    """1/n ≤ 0.3."""
    return 1 / size


IDENTITIES = [each.id for each in all_claims() if each.evidence == "computed" and each.kind == "identity"]


@pytest.mark.parametrize("name", [COMPUTED, "own.bound", "own.bound.false", *IDENTITIES])
def test_no_surface_tells_a_computed_statement_with_words_of_chance(name):
    own = {"own.bound": inverse, "own.bound.false": inverse_again}
    (result,) = verify(own.get(name, name), quick=True)
    result = dataclasses.replace(result, statement="")  # the paper may speak of chance
    report = result.as_json()
    told = [explain(result), str(result), *_told(report)]
    assert not [(word, text) for text in told for word in (*FORBIDDEN, "statistical") if word in text]
    assert report["level"] is None
    assert all(point["level"] is None for point in report["points"])
    assert result.rows()[0]["level"] is None
    assert "seconds_per_value" in report["declared"]


def test_a_computed_bound_is_tried_at_every_size():
    held, failed = verify([inverse, inverse_again])
    assert (held.verdict, failed.verdict) == ("CONFIRMED", "REFUTED")
    assert "No violation in 3 computed values" in held.deciding.reason


@pytest.mark.thorough
def test_json_says_what_a_statement_is():
    printed, corrected = verify(["dong.eq6", "dong.eq6/corrected"], quick=True)
    one, two = printed.as_json(), corrected.as_json()
    assert (one["standing"], one["form"], two["form"]) == ("heuristic", "printed", "corrected")
    assert one["verdict"] == "REFUTED"
    assert one["cause"]
    assert two["cause"] is None
    assert "≈" in one["qualifier"]
    assert one["citation"].startswith("Zhaorui Dong")


def test_heuristics_come_last_with_the_papers_own_word(computed):
    (heuristic,) = verify("dong.eq6", quick=True)
    console = Console(width=140, file=io.StringIO())
    console.print(verdict_table([heuristic, computed]))
    text = console.file.getvalue()
    assert text.index(COMPUTED) < text.index("dong.eq6")
    assert "heuristic “" in text
    assert heuristic.cause.split()[0] in text
    assert ("favour" in text) == bool(heuristic.credit)  # the words may be folded


def test_the_summary_counts_statements_and_causes(result):
    def of(claim, **fields):
        point = dataclasses.replace(result.points[0], verdict=Verdict(fields.pop("verdict", "REFUTED")))
        return dataclasses.replace(
            result, claim=claim, points=(point,), source=f"p {claim}", citation="A paper", **fields
        )

    lines = summary(
        [
            of("a", standing="theorem", declared_cause="one slip"),
            of("b", standing="lemma", declared_cause="one slip"),
            of("c", standing="heuristic", declared_cause="another"),
            of("d", standing="lemma", verdict="INCONCLUSIVE", evidence="computed"),
            of("e", standing="theorem", form="corrected", verdict="CONFIRMED"),
        ]
    ).splitlines()
    assert [line.split() for line in lines[:5]] == [
        ["sharp", "weak", "refuted", "inconclusive", "simulated", "computed"],
        ["theorems", "0", "0", "1", "0", "1", "0"],
        ["lemmas", "0", "0", "1", "1", "1", "1"],
        ["heuristics", "0", "0", "1", "0", "1", "0"],
        ["corrections", "1", "0", "0", "0", "1", "0"],
    ]
    assert (
        lines[5]
        == "3 statements refuted, from 2 causes; without heuristics 2 statements refuted, from 1 cause."
    )
    twice = [
        of("a", declared_cause="one slip"),
        dataclasses.replace(of("a", declared_cause="one slip"), claim="b"),
    ]
    assert summary(twice).endswith("\n1 statement refuted (by 2 claims), from 1 cause.")


def test_a_refutation_without_an_explanation_is_its_own_cause(result):
    point = dataclasses.replace(result.points[0], verdict=Verdict.REFUTED)
    refuted = dataclasses.replace(result, points=(point,))
    assert "1 statement refuted, from 1 cause (1 not explained)." in summary([refuted])


def test_a_statement_at_two_places_counts_once(result):
    point = dataclasses.replace(result.points[0], verdict=Verdict.REFUTED)
    one = dataclasses.replace(
        result, claim="p.one", source="p (1)", points=(point,), standing="lemma", citation="A paper"
    )
    two = dataclasses.replace(one, claim="p.two", source="p (2)", same_as="p.one")
    lines = summary([one, two]).splitlines()
    assert lines[1].split() == ["lemmas", "0", "0", "1", "0", "1", "0"]
    assert lines[2].startswith("1 statement refuted (by 2 claims), from")
    assert "the same statement as: p.one" in verdict_table([two]).plain


def test_the_next_step_is_the_exact_command(computed, result):
    refuted = dataclasses.replace(
        computed,
        points=(dataclasses.replace(computed.points[0], verdict=Verdict.REFUTED),),
        correction=f"{COMPUTED}/corrected",
    )
    command = f"the corrected statement: rmtsim verify {COMPUTED}/corrected "
    command += "(what went wrong: rmtsim/papers/dong/errata.md)"
    assert next_step(refuted) == command
    assert next_lines([refuted, computed]) == [command]
    right = dataclasses.replace(computed, claim=f"{COMPUTED}/corrected")
    (line,) = next_lines([refuted, right])
    assert line.startswith(f"the reasoning: rmtsim verify {COMPUTED} --set gamma=")
    assert line.endswith(" --explain (what went wrong: rmtsim/papers/dong/errata.md)")
    assert next_step(computed).endswith(f"rmtsim verify {COMPUTED} --explain")
    assert next_step(result) == "the reasoning: result.explain()"


def test_the_next_step_of_an_open_claim_is_a_budget():
    (open_one,) = verify(synthetic(noise=3.0), seed=1, budget=0.5)
    point = dataclasses.replace(open_one.deciding, more=60.0, more_range=(60.0, 60.0))
    foreseen = dataclasses.replace(open_one, points=(point,))
    budget = deciding_budget(foreseen)
    assert 2 * (point.nominal + point.more) <= budget <= 2.2 * (point.nominal + point.more)
    assert next_step(foreseen) == (
        f"to decide it (predicted budget): verify(claim, seed=1, budget={budget:g})"
    )


@pytest.mark.parametrize(
    ("more_range", "step", "words"),
    [
        ((10.0, 100.0), Step.BUDGET, "budget=110)"),
        ((10.0, 1000.0), Step.EXPLORE, "the deciding budget cannot be predicted yet"),
        ((10.0, float("inf")), Step.EXPLORE, "the deciding budget cannot be predicted yet"),
        ((1e6, 1e7), Step.REMEDY, "no practical budget decides it (12 days of one core)"),
        (
            (9e6, 9e6),
            Step.REMEDY,
            "it needs a sampler with less variance, larger sizes, or a wider tolerance",
        ),
    ],
)
def test_uncertain_predictions_and_those_beyond_a_day_are_not_named_as_a_budget(more_range, step, words):
    (open_one,) = verify(synthetic(noise=3.0), seed=1, budget=0.5)
    need = Need(lack=Lack.TIME, seconds=more_range[0], most=more_range[1])
    point = dataclasses.replace(open_one.deciding, more=more_range[0], more_range=more_range, lacks=(need,))
    result = dataclasses.replace(open_one, points=(point,))
    assert step_after(result)[0] is step
    assert words in next_step(result)


def test_too_few_replicates_are_sent_for_a_first_estimate():
    (starved,) = verify(synthetic(noise=3.0, cost=lambda parameters, size: 1.0), seed=1, budget=3)
    assert starved.deciding.lacks[-1].lack is Lack.ESTIMATE
    assert "more of one core" not in starved.deciding.needs
    step, budget = step_after(starved)
    assert step is Step.EXPLORE
    assert budget >= 5 * 96  # so many replicates at each of five sizes


def test_the_next_step_names_the_requested_points():
    name = "dong.eq3"
    (drawn,) = verify(name, draw=2, seed=4, budget=0.5)
    assert next_step(drawn).startswith(
        f"the corrected statement: rmtsim verify {name}/corrected --draw 2 --seed 4 ("
    )
    (chosen,) = verify(name, points=[{"classes": 3}], level=0.01, budget=0.5)
    assert f"rmtsim verify {name}/corrected --set classes=3 --level 0.01 (" in next_step(chosen)
    (limit,) = verify(COMPUTED, points=[{"gamma": 0.5}], draw=1)
    assert next_step(limit) == f"the reasoning: rmtsim verify {COMPUTED} --set gamma=0.5 --draw 1 --explain"
    (several,) = verify(COMPUTED, points=[{"gamma": 0.5}, {"gamma": 2.0}])
    assert next_step(several) == "the reasoning: result.explain()"
    (short,) = verify("dong.thm1.ratio", points=[{"gamma": 0.5, "classes": 5}, {"gamma": 1.0}], budget=0.05)
    assert deciding_budget(short) is None or "verify('dong.thm1.ratio', points=[{" in next_step(short)


def test_an_open_claim_without_a_forecast_gets_its_whole_allowance_first():
    (short,) = verify("dong.thm1.ratio", draw=1, budget=0.05)
    point = dataclasses.replace(short.points[0], lacks=(Need(lack=Lack.BUDGET),), more=None, nominal=0.0)
    unforeseen = dataclasses.replace(short, points=(point,))
    assert next_step(unforeseen).startswith(
        "the rest of its default budget (120 s, 0 s spent): rmtsim verify dong.thm1.ratio "
    )
    spent = dataclasses.replace(unforeseen, points=(dataclasses.replace(point, nominal=100.0),))
    assert next_step(spent).startswith("it needs a larger budget")
    # What counts is the kind of the need, whatever its words are.
    for lack in Lack:
        mine = dataclasses.replace(
            point, lacks=(Need(lack=lack, sizes=(8,), counts=(2,), number=3.0, text="a larger budget"),)
        )
        step, _ = step_after(dataclasses.replace(short, points=(mine,)))
        assert step is (
            Step.ALLOWANCE if lack in TIMELY else Step.EXPLORE if lack is Lack.ESTIMATE else Step.NEED
        )
        assert mine.needs


@pytest.mark.parametrize(("largest", "bound", "spare"), [(0.5, 100.0, 200.0), (0.5, 1.0, 2.0)])
def test_a_confirmed_bound_says_what_it_has_to_spare(largest, bound, spare):
    @claim("demo.spare", bound=bound, tolerance=1e-9, sizes=(2, 4), cost=1e-6)
    def values(size, rng):
        return largest * (1 - 0.01 * rng.random())

    (found,) = verify(values, budget=1, plan="declared")
    assert found.severity.relative == pytest.approx(spare, rel=0.011)
    assert found.as_json()["points"][0]["severity"]["relative"] == pytest.approx(spare, rel=0.011)
    assert "to spare (holds down to" in explain(found)
