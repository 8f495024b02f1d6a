"""The page: counts that a loop confirms, every part of a card, and no text that becomes markup."""

import base64
import dataclasses
import hashlib
import json
import math
import re

import pytest

from rmtsim.claims import all_claims, find
from rmtsim.claims._papers import PAPERS
from rmtsim.report import entries_of_results, report_page
from rmtsim.report._entries import checked_command, entries_of_store
from rmtsim.report._errata import errata_of
from rmtsim.runs._store.results import StoredResult, put_result
from rmtsim.runs._store.store import Store
from rmtsim.verdicts._collection import to_record
from rmtsim.verdicts._needs import Caution, Lack
from rmtsim.verdicts._results import Verdict
from rmtsim.verdicts._severity import Grade
from tests.report import made
from tests.report.reading import Page

EVIL = (
    "<script>window.pwned=1</script>",
    "\"><img src=x onerror='window.pwned=1'>",
    "'); window.pwned=1; ('",
    "</script><script>window.pwned=1</script>",
    "</style><svg onload=window.pwned=1>",
    "</td></tr></tbody></table><h1>all confirmed</h1>",
    "&lt;script&gt; &#60;b&#62; javascript:window.pwned=1",
    "x_{<b>}^{</sup>} √(<i>) (<u>)/(<s>)",
    "<!-- --!> ]]> ${7*7} {{7*7}}",
)


def page(results, **options):
    return Page(report_page(entries_of_results(results, **options)))


def tile(shown, name):
    return int(re.search(rf"(\d+){name}", shown.text).group(1))


@pytest.mark.thorough
def test_a_page_is_whole_and_its_policy_allows_only_its_own_script():
    text = report_page(entries_of_results(made.real(), command="rmtsim verify", settings={"seed": 0}))
    shown = Page(text)
    assert not shown.faults
    assert len(shown.scripts) == 2
    policy = next(attributes["content"] for _, attributes in shown.tags if "http-equiv" in attributes)
    for part in (*shown.scripts, re.search("<style>(.*?)</style>", text, re.S).group(1)):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "http:" not in text
    assert "https:" not in text


def test_counts_are_those_of_a_loop_and_follow_the_verdicts():
    results = list(made.real())
    for changed in (results, [made.with_verdict(results[0], "REFUTED"), *results[1:]]):
        shown = page(changed)
        printed = [each for each in changed if each.form == "printed"]
        for verdict, word in (
            ("CONFIRMED", "confirmed"),
            ("REFUTED", "refuted"),
            ("INCONCLUSIVE", "inconclusive"),
        ):
            assert tile(shown, word) == sum(str(each.verdict) == verdict for each in printed)
        assert tile(shown, "corrections") == len(changed) - len(printed)
        assert tile(shown, "simulated") == sum(each.evidence == "simulated" for each in changed)
    causes = {(each.source.split()[0], each.cause) for each in results if each.cause}
    assert f"from {len(causes)} causes" in page(results).text
    assert f"Refuted, by cause ({len(causes)})" in page(results).text


def test_a_card_has_everything():
    settings = {"seed": 0, "level": 0.05, "budget": 6.0, "quick": False, "draw": 0}
    results = made.real()
    shown = page(results, command="rmtsim verify --budget 6", settings=settings)
    for result in results:
        point = result.deciding
        for words in (result.claim, result.citation, result.digest, result.explain(), str(result.verdict)):
            assert words in shown.text
        for size, count in zip(point.sizes, point.replicates, strict=True):
            assert f"{size}" in shown.text
            assert result.evidence == "computed" or f"{count}" in shown.text
    for words in ("As printed", "Corrected", "Reasoning", "Erratum", "Error budget", "rmtsim verify --budget 6",
                  "numpy", "2/N in all four", "half-width due to chance", PAPERS["li"].citation):  # fmt: skip
        assert words in shown.text
    pictures = [attributes for name, attributes in shown.tags if name == "svg"]
    assert len(pictures) >= len(results)
    assert all(re.search("from .* at .*found", picture["aria-label"]) for picture in pictures)


def test_printed_and_corrected_stand_side_by_side_even_if_one_was_not_run():
    bound = made.one("liu.eq13.norm")
    shown = page([bound])
    assert "not in this report" in shown.text
    assert find("liu.eq13.norm/corrected").statement[-20:] in shown.text
    both = page([made.one("dong.eq3"), made.one("dong.eq3/corrected")])
    assert "not in this report" not in both.text
    assert [
        attributes["href"]
        for name, attributes in both.tags
        if name == "a" and attributes["href"].startswith("#c-")
    ]


def _evil(value, number, depth=0):
    """Every text of a record replaced, every key of its free parts too."""
    if isinstance(value, str):
        return value if value in KEPT else EVIL[number % len(EVIL)]
    if isinstance(value, list):
        return [_evil(each, number + place, depth + 1) for place, each in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: _evil(each, number + place, depth + 1) for place, (key, each) in enumerate(value.items())
        }
    return value


KEPT = {"CONFIRMED", "REFUTED", "INCONCLUSIVE", "printed", "corrected", "simulated", "computed", "inf", "-inf", "nan",
        "theorem", "lemma", "equation", "heuristic", "remark", "figure", "limit", "exponent",
        *map(str, Grade), *map(str, Lack), *map(str, Caution)}  # fmt: skip


@pytest.fixture
def hostile_store(tmp_path):
    """Rows with a right digest and evil text in every place."""
    path = tmp_path / "evil.sqlite"
    with Store(path) as store:
        for number, result in enumerate(made.real()):
            record = {**_evil(to_record(result), number), "claim": f"{EVIL[number % len(EVIL)]}{number}"}
            for point in record["points"]:
                point["parameters"] = {EVIL[0]: 1.0, **point["parameters"]}
            evil = EVIL[number % len(EVIL)]
            around = {"environment": {evil: evil, "a": ["\x1b[2J"]}, "settings": {"seed": evil, "draw": 3}}
            content = made.kept(result, record=record, command=f"rmtsim verify {evil!r}; rm -rf ~", **around)
            put_result(
                store,
                StoredResult(evil + str(number), "[]", "CONFIRMED", evil, 1e300, json.dumps(content)),
            )
    return path


def test_nothing_in_a_store_becomes_markup(hostile_store):
    with Store(hostile_store, read_only=True) as store:
        contents = entries_of_store(store)
    assert len(contents.entries) == len(made.real())
    shown = Page(report_page(contents))
    assert not shown.faults
    assert len(shown.scripts) == 2
    assert "<script>window.pwned=1</script>" in shown.text
    assert "\x1b" not in shown.text
    assert shown.text.count("Left out") == 0


@pytest.mark.parametrize(
    "change",
    [
        {"declared": {}},
        {"declared": {"sizes": "x", "exponents": [], "tolerance": 3, "seconds_per_replicate": None}},
        {"points": [{"parameters": {"gamma": ["<b>"]}}]},
        {"kind": 7},
        {"points": []},
    ],
    ids=str,
)
def test_a_record_of_strange_shape_is_left_out_and_reported(tmp_path, change):
    record = to_record(made.one())
    if change.get("points"):
        change = {"points": [{**record["points"][0], **change["points"][0]}]}
    with Store(tmp_path / "runs.sqlite") as store:
        for name, altered in (("good", {}), ("strange", change)):
            content = json.dumps(made.kept(made.one(), record={**record, "claim": name, **altered}))
            put_result(store, StoredResult(name, "[]", "CONFIRMED", "", 0.0, content))
        shown = Page(report_page(entries_of_store(store)))
    assert not shown.faults
    assert "Left out (1)strange" in shown.text
    assert "1 of" not in shown.text
    assert tile(shown, "statements as printed") == 1


NUMBERS = ("predicted", "estimate", "tolerance", "interval", "values", "errors", "curve", "statistical")


def _extreme(old, name, extreme):
    if name == "curve":
        return tuple((extreme,) * 4 for _ in old)
    return tuple(extreme for _ in old) if isinstance(old, tuple) else extreme


@pytest.mark.parametrize("extreme", [math.inf, math.nan, -1e308, 5e-324])
def test_extreme_numbers_draw_or_are_left_out(extreme):
    changed = []
    for result in made.real():
        point = result.points[0]
        for name in NUMBERS:
            new = dataclasses.replace(point, **{name: _extreme(getattr(point, name), name, extreme)})
            changed.append(dataclasses.replace(result, claim=f"{result.claim}.{name}", points=(new,)))
    shown = page(changed)
    assert not shown.faults
    places = {"d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "height"}
    drawn = {value for tag, attributes in shown.tags for key, value in attributes.items() if key in places}
    assert len(drawn) > 100
    assert not any("nan" in value or "inf" in value for value in drawn)


def test_strange_sizes_draw_or_are_left_out():
    for sizes in ((0,) * 8, (-1,) * 8, (2**129,) * 8, (7,) * 8):
        for result in made.real():
            points = tuple(
                dataclasses.replace(each, sizes=sizes[: len(each.sizes)]) for each in result.points
            )
            assert not page([dataclasses.replace(result, points=points)]).faults


def test_of_several_results_the_widest_represents_the_claim_and_the_others_are_listed(tmp_path):
    wide = made.one("liu.eq13.norm")
    narrow = made.with_verdict(dataclasses.replace(wide, points=wide.points[:1]), "CONFIRMED")
    with Store(tmp_path / "runs.sqlite") as store:
        for number, result in enumerate((wide, narrow)):
            row = StoredResult("x", str(number), "", "", float(number), json.dumps(made.kept(result)))
            put_result(store, row)
        (entry,) = entries_of_store(store).entries
    assert entry.result.points == wide.points
    assert entry.result.verdict is Verdict.REFUTED
    assert len(entry.others) == 1
    with Store(tmp_path / "runs.sqlite", read_only=True) as store:
        text = Page(report_page(entries_of_store(store))).text
    assert "Another result of this claim differs: ✓ confirmed" in text


def test_damaged_rows_are_reported(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        put_result(store, StoredResult("a", "[]", "CONFIRMED", "", 0.0, json.dumps(made.kept(made.one()))))
        store.execute("UPDATE results SET verdict = 'REFUTED'")
        contents = entries_of_store(store)
    assert contents.entries == ()
    assert contents.left_out == (("a", "its SHA-256 differs"),)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf ~",
        "rmtsim",
        "rmtsim report",
        "rmtsim verify 'open",
        "rmtsim verify\n rm",
        "x" * 9999,
        3,
        None,
        "a\x1bb",
    ],
)
def test_what_is_no_run_of_rmtsim_is_not_shown_as_one(text):
    assert checked_command(text) == ""


def test_a_command_is_quoted_word_by_word():
    assert checked_command("rmtsim verify $(rm x) `rm y` a>b") == "rmtsim verify '$(rm' 'x)' '`rm' 'y`' 'a>b'"


def test_every_correction_has_its_erratum_and_errata_are_well_formed():
    sections = set()
    for claim in all_claims():
        found = errata_of(claim.id)
        if claim.correction is not None or claim.form == "corrected":
            assert found, claim.id
        sections |= set(found)
    assert len(sections) > 20
    assert not any(Page(str(section)).faults for section in sections)
    assert errata_of("dong.nothing") == []
    assert errata_of("<b>.x") == []


def test_names_that_differ_in_signs_only_have_anchors_of_their_own():
    results = [dataclasses.replace(made.one(), claim=name) for name in ("a/b", "a b", "a_b", "a'b")]
    anchors = [
        attributes["id"] for name, attributes in page(results).tags if name == "tbody" and "id" in attributes
    ]
    assert len(set(anchors)) == 4
