"""The benchmark page agrees with its data, and the tools that make it are right on known numbers."""

import json

import pytest

from benchmarks.__main__ import ROWS
from benchmarks.cluster import modelled
from benchmarks.measure import Row, Sides, chosen, exponent, in_turn, measure
from benchmarks.page import DATA, PAGES, filled, parts, ratio_of, rows_table


def test_pages_show_the_data():
    made = parts(ROWS, json.loads(DATA.read_text(encoding="utf-8")))
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    assert all(filled(text, made) == text for text in texts), "write them anew: python -m benchmarks --page"
    assert all(sum(f"<!-- data: {name} -->" in text for text in texts) == 1 for name in made)


def test_another_number_changes_the_page():
    data = json.loads(DATA.read_text(encoding="utf-8"))
    data["rows"][0]["one"]["rmtsim"][0] *= 2
    text = PAGES[0].read_text(encoding="utf-8")
    assert filled(text, parts(ROWS, data)) != text


def test_names_are_unique_and_every_result_belongs_to_a_row():
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert {one["name"] for one in json.loads(DATA.read_text(encoding="utf-8"))["rows"]} <= set(names)


def test_exponent_and_its_error():
    slope, error = exponent((1, 10, 100, 1000), (5.0, 1.0, 100.0, 10_000.0))
    assert (slope, error) == pytest.approx((2.0, 0.0), abs=1e-9)
    assert exponent((1, 2, 4), (1.0, 2.5, 4.0))[1] > 0.05


def test_sides_are_scaled_and_a_missing_peer_is_named():
    row = Row(
        "demo", "group", "what", lambda: Sides(lambda: sum(range(100)), 2.0, None, {"alternative": 3.0})
    )
    found = measure(row, 0.01)
    assert found["times"]["alternative"] == [6.0, 6.0]
    assert found["times"]["rmtsim"][0] > 0

    def absent():
        raise ImportError("no peer")

    assert measure(Row("demo", "group", "what", absent), 0.01) == {"name": "demo", "missing": "no peer"}
    assert chosen([row], "other", False) == []
    assert chosen([row], "dem", True) == [row]


def test_every_function_is_timed_after_a_call_that_does_not_count():
    calls = []
    found = in_turn({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 1e-4)
    assert set(found) == {"a", "b"}
    assert calls[:2] == ["a", "b"]
    assert calls.count("a") > 1


def test_ratios_are_those_of_the_clock():
    row = Row("demo", "group", "what", lambda: Sides(1.0), "other", "least")
    sides = {"rmtsim": [2.0, 9.0], "alternative": [5.0, 9.0], "floor": [0.1, 9.0]}
    data = {"rows": [{"name": "demo", "default": sides, "one": sides, "date": "2026-11-18"}]}
    assert (
        rows_table([row], data).splitlines()[-1]
        == "| what | other | 2 s; 2 s | 2.5; 2.5 | least | 20; 20 | 18 |"
    )
    assert ratio_of(123456) == "120 000"


def test_a_coordinator_limits_the_efficiency_of_many_workers():
    assert modelled(1.0, 0.25, 0.001, 100) == 0.8
    assert modelled(1.0, 0.25, 0.004, 1000) == 0.25
