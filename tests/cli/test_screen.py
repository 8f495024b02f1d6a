"""A quick set of many claims ends with one screen; ``-v`` prints the table of all claims."""

import re

import pytest

from rmtsim import verify
from rmtsim.cli import main
from rmtsim.verdicts._words.screen import screen

CHEAP = [
    "liu.eq36",
    "liu.eq37",
    "liu.eq38",
    "liu.eq38/corrected",
    "liu.eq38.ratio",
    "liu.eq59",
    "liu.eq61",
    "liu.eq52",
    "liu.eq70",
]


@pytest.fixture(scope="module")
def mixed():
    """Refuted statements with and without their corrections, and an INCONCLUSIVE claim."""
    return verify(["dong.eq1", "dong.eq5", "dong.eq6", "dong.eq6/corrected", "textbook.wigner"], budget=1)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("lines", [14, 40])
def test_it_has_at_most_so_many_lines_of_such_a_width(mixed, lines, width):
    shown = screen(mixed * 20, width, lines).plain.splitlines()
    assert len(shown) <= lines
    table = next(number for number, line in enumerate(shown) if "simulated  computed" in line)
    assert max(map(len, shown[:table])) <= width


def test_a_refuted_statement_is_shown_with_the_verdict_of_its_correction(mixed):
    lines = screen(mixed, 120, 40).plain.splitlines()
    by_claim = {name: line for line in lines for name in ("dong.eq1", "dong.eq6") if f" {name}" in line}
    verdicts = {result.claim: result for result in mixed}
    assert by_claim["dong.eq1"].endswith("correction not run")
    assert by_claim["dong.eq6"].endswith(f"corrected: {verdicts['dong.eq6/corrected'].verdict}")
    assert verdicts["dong.eq6"].cause in by_claim["dong.eq6"]


@pytest.mark.thorough
def test_the_command_prints_it_and_names_page_and_table(capsys, tmp_path):
    store = tmp_path / "runs.sqlite"
    words = ["verify", *CHEAP, "--quick", "--store", str(store), "--quiet"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 40
    page = tmp_path / "rmtsim-quick.html"
    assert f"page of all claims: {page}" in out
    assert "9 claims in " in out
    assert all(name in page.read_text(encoding="utf-8") for name in CHEAP)
    assert main([*words, "-v"]) == 0
    table = capsys.readouterr().out
    assert len(re.findall(r"(?m)^(CONFIRMED|REFUTED|INCONCLUSIVE)  ", table)) == len(CHEAP)
