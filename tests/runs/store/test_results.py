"""Results kept for reports: the newest per claim and points, bounded, checked, never a source of verdicts."""

import dataclasses
import json
import math

import pytest

from rmtsim.cli import main
from rmtsim.runs._store.report import check, prune
from rmtsim.runs._store.results import LARGEST_CONTENT, StoredResult, keep_result, put_result, stored_results
from rmtsim.runs._store.salvage import salvage
from rmtsim.runs._store.store import Store
from rmtsim.verdicts import Verdict, verify
from rmtsim.verdicts._collection import from_record, to_record
from tests.verdicts.synthetic import synthetic

LIMIT = "dong.thm1.diagonal-limit"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


@pytest.fixture(scope="module")
def result():
    return verify(synthetic(), seed=1)[0]


def test_the_newest_result_of_a_claim_and_its_points_is_kept(path):
    for seed in (1, 2):
        verify(LIMIT, seed=seed, store=path)
    verify(LIMIT, store=path, points=[{"gamma": 0.7}], level=0.01, budget=3.0)
    with Store(path, read_only=True) as store:
        kept = list(stored_results(store))
    assert [json.loads(each.points)[0]["gamma"] for each in kept] == [
        0.7,
        kept[1].parsed["result"]["points"][0]["parameters"]["gamma"],
    ]
    newest = kept[0].parsed
    assert newest["settings"] == {"seed": 0, "level": 0.01, "budget": 3.0, "quick": False, "draw": 0}
    assert newest["environment"]["numpy"]
    assert kept[1].parsed["settings"]["seed"] == 2
    assert kept[1].parsed["result"]["verdict"] == kept[1].verdict == "CONFIRMED"


@pytest.mark.thorough
def test_a_kept_result_can_be_drawn_and_explained_again(path):
    (result,) = verify(synthetic(), seed=1, store=path)
    with Store(path, read_only=True) as store:
        (kept,) = stored_results(store)
    again = from_record(kept.parsed["record"])
    assert again == result
    assert again.points[0].curve
    assert again.as_json() == kept.parsed["result"] == result.as_json()


@pytest.mark.thorough
def test_an_interrupted_or_failed_claim_keeps_its_older_result(path):
    (first,) = verify(synthetic(), seed=1, store=path)
    verify(synthetic(), seed=2, store=path, stop=lambda: True)
    with Store(path, read_only=True) as store:
        (kept,) = stored_results(store)
    assert kept.parsed["result"]["digest"] == first.digest


@pytest.mark.thorough
def test_a_forged_result_changes_no_verdict_and_cannot_hide(path, capsys):
    (honest,) = verify(synthetic(), seed=1, store=path)
    with Store(path) as store:
        (kept,) = stored_results(store)
        put_result(store, dataclasses.replace(kept, verdict="REFUTED\x1b[2J", claim="evil\x1b]0;x\x07"))
        store.execute("UPDATE results SET verdict = 'REFUTED' WHERE claim = ?", kept.claim)
        assert len(list(stored_results(store))) == 1
        assert any("SHA-256" in problem for problem in check(store))
    (again,) = verify(synthetic(), seed=1, store=path)
    assert (again.digest, again.reused) == (honest.digest, again.batches)
    assert main(["runs", "--store", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_huge_rows_are_neither_kept_nor_read(path, result):
    huge = {"result": result.as_json(), "record": {"x": "y" * LARGEST_CONTENT}}
    with Store(path) as store:
        with pytest.raises(ValueError, match="characters"):
            keep_result(store, synthetic(), huge)
        put_result(store, StoredResult("a", "[]", "CONFIRMED", "", 0.0, "{}" + " " * LARGEST_CONTENT))
        assert not list(stored_results(store))
        prune(store, everything=True)
        assert store.query("SELECT count(*) FROM results") == [(0,)]


@pytest.mark.thorough
def test_results_are_kept_by_salvage_and_removed_by_prune(path, tmp_path):
    verify(synthetic(), seed=1, store=path)
    with Store(tmp_path / "new.sqlite") as sound:
        salvage(path, sound)
        (kept,) = stored_results(sound)
        with Store(path) as store:
            assert [kept] == list(stored_results(store))
        prune(sound, claim=kept.claim)
        assert not list(stored_results(sound))


def test_an_older_store_opened_read_only_has_none(path):
    with Store(path) as store:
        store.execute("DROP TABLE results")
        store.execute("PRAGMA user_version = 3")
    with Store(path, read_only=True) as store:
        assert not list(stored_results(store))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("verdict", "TRUE"), ("statement", 3), ("statement", "a\x1b[2J"), ("statement", "x" * 20_001), ("points", []),
        ("points", "abc"), ("seed", True), ("seed", 1.5), ("standing", "law"), ("interrupted", 1), ("nonsense", 1),
        ("declared", [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]), ("chain", [3]),
    ],
)  # fmt: skip
def test_a_record_of_anybodys_making_is_checked(result, field, value):
    record = to_record(result)
    (record["points"][0] if field == "verdict" else record)[field] = value
    with pytest.raises(ValueError, match=r"\w"):
        from_record(record)


def test_infinite_ends_are_kept(result):
    point = dataclasses.replace(
        result.points[0], interval=(-math.inf, math.inf), errors=(math.nan,), verdict=Verdict.INCONCLUSIVE
    )
    again = from_record(
        json.loads(json.dumps(to_record(dataclasses.replace(result, points=(point,))), allow_nan=False))
    )
    assert again.points[0].interval == (-math.inf, math.inf)
    assert math.isnan(again.points[0].errors[0])
