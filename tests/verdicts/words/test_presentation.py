"""What people see: table, explanation, figure; and the schema that machines read."""

import io
import json

import pytest
from rich.console import Console

from rmtsim.verdicts import verify
from rmtsim.verdicts.words.explain import explain
from rmtsim.verdicts.words.table import plus_minus, verdict_table
from tests.verdicts.synthetic import synthetic


@pytest.fixture(scope="module")
def result():
    return verify(synthetic(), seed=1)[0]


def test_the_table_names_verdict_prediction_and_interval(result):
    console = Console(width=140, file=io.StringIO())
    console.print(verdict_table([result]))
    text = console.file.getvalue()
    assert all(word in text for word in ("synthetic", "CONFIRMED", "± 0.02", "10…160"))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_width_costs_digits(result, width):
    console = Console(width=width, file=io.StringIO())
    console.print(verdict_table([result], width))
    text = console.file.getvalue()
    numbers = plus_minus(result.deciding.interval).split(" ± ")
    assert all(word in text for word in ("CONFIRMED", "± 0.02", *numbers))
    assert ("10…160" in text) == (width >= 80)
    assert ("level" in text) == (width >= 100)


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
        "smallest shift",
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
    assert report["schema"] == 1
    assert report["detectable"] > report["tolerance"]


def test_a_control_shift_beyond_the_detectable_one_is_refuted(result):
    (moved,) = verify(synthetic(), seed=1, control=0.05)
    assert result.deciding.detectable < 0.05
    assert moved.verdict == "REFUTED"


def test_e_values_side_with_the_verdict(result):
    point = result.deciding
    assert point.e_value_for >= 1 / point.level * 0.5
    assert point.e_value <= 1


@pytest.mark.parametrize(
    ("interval", "text"),
    [((1.0, 1.0), "1"), ((float("-inf"), 2.0), "[-inf, 2]"), ((1.9, 2.1), "2.00 ± 0.10")],
)
def test_plus_minus(interval, text):
    assert plus_minus(interval) == text
