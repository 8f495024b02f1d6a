"""A paper of another distribution is found, listed, verified and reported as a built-in one."""

import json
import sys
import warnings

import pytest

import rmtsim
from rmtsim.claims import Paper, _registry, all_claims, find
from rmtsim.claims._papers import PAPERS, Papers
from rmtsim.cli import main
from rmtsim.errors import PaperError, PaperWarning, UnknownClaimError
from rmtsim.papers import ORDER
from tests.claims.installed import MEANS, Site


@pytest.fixture
def site(tmp_path, monkeypatch):
    place = Site(tmp_path / "site")
    place.folder.mkdir()
    monkeypatch.syspath_prepend(str(place.folder))
    _registry.reset()
    yield place
    place.forget()
    monkeypatch.undo()
    _registry.reset()


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_a_paper_is_a_checked_value():
    given = {"key": "k", "package": "p", "authors": "A", "title": "T"}
    assert Paper(**given, quick=["k.a", "k.b"]).headlines == ("k.a", "k.b")
    assert Paper(**given, venue="V", year="2026", arxiv="2601.00001", also="B").citation == (
        "A: T. V, 2026, arXiv:2601.00001; also B"
    )
    for wrong, match in (
        ({"key": "a.b"}, "key='a.b'"),
        ({"key": "user"}, "key='user'"),
        ({"arxiv": "arXiv:2601.00001"}, "arxiv='arXiv"),
        ({"quick": ["k.a"], "headlines": ["k.b"]}, "'k.b' is not in quick"),
    ):
        with pytest.raises(ValueError, match=match):
            Paper(**given | wrong)
    for wrong, match in (({"title": 3}, "title=3"), ({"quick": "k.a"}, "quick='k.a'")):
        with pytest.raises(TypeError, match=match):
            Paper(**given | wrong)


def test_built_in_papers_need_no_metadata(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    assert tuple(Papers()) == ORDER
    assert Papers()["li"].key == "li"


def test_metadata_and_folders_name_the_same_papers():
    tomllib = pytest.importorskip("tomllib")
    from pathlib import Path

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["project"]["entry-points"]["rmtsim.claims"]
    assert tuple(entries) == ORDER
    assert all(value == f"rmtsim.papers.{key}:PAPER" for key, value in entries.items())


def test_outside_papers_follow_and_are_not_imported_by_looking(site):
    site.paper("mine")
    assert [*PAPERS] == [*ORDER, "mine"]
    assert "mine" in PAPERS
    assert find("dong.eq5").paper == "dong"
    assert site.imported() == []
    assert PAPERS["mine"].citation == "A. Author: On means. 2026, arXiv:2601.00001"
    assert [name for name in site.imported() if "statements" in name] == []


def test_one_module_is_imported_for_one_claim(site):
    site.paper("mine")
    assert find("mine.mean/corrected").statement == "It tends to 1."
    assert "mine_paper.statements.means" in sys.modules
    assert "mine_paper.statements.others" not in sys.modules
    assert [claim.id for claim in all_claims("mine")] == [
        "mine.mean",
        "mine.mean/corrected",
        "mine.sum.exact",
    ]
    assert {(claim.paper, claim.citation) for claim in all_claims("mine")} == {
        ("mine", PAPERS["mine"].citation)
    }


def test_commands_know_it(site, capsys):
    site.paper("mine")
    for words, expected in (
        (["claims", "--paper", "mine"], ["mine.mean", "mine.mean/corrected", "mine.sum.exact"]),
        (["claims", "mine"], ["mine.mean", "mine.mean/corrected", "mine.sum.exact"]),
        (["claims", "mine.sum"], ["mine.sum.exact"]),
    ):
        assert main(words) == 0
        assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == expected
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    assert "mine" in capsys.readouterr().out
    assert main(["completion", "bash"]) == 0
    out = capsys.readouterr().out
    assert "mine.mean/corrected" in out
    assert "textbook mine" in out
    assert main(["claims", "mine.meen"]) == 2
    assert "did you mean mine.mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["mine"],
            {"mine.mean": "REFUTED", "mine.mean/corrected": "CONFIRMED", "mine.sum.exact": "CONFIRMED"},
        ),
        (["--quick", "--paper", "mine"], {"mine.mean": "REFUTED", "mine.mean/corrected": "CONFIRMED"}),
        (["--quick", "mine"], {"mine.mean": "REFUTED", "mine.mean/corrected": "CONFIRMED"}),
    ],
)
def test_it_is_verified(site, capsys, words, expected):
    site.paper("mine")
    assert main(["verify", *words, "--json"]) == 0
    assert {row["claim"]: row["verdict"] for row in json.loads(capsys.readouterr().out)} == expected


def test_it_is_in_the_quick_set_of_all_papers(site):
    site.paper("mine")
    assert [claim.id for claim in all_claims() if claim.quick and claim.paper not in ORDER] == [
        "mine.mean",
        "mine.mean/corrected",
    ]


def test_next_lines_are_commands_and_name_its_errata(site, capsys):
    site.paper("mine")
    assert main(["verify", "mine.mean"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    page = (
        site.folder / "mine_paper" / "errata.md"
    )  # a path that can be opened, wherever the package is installed
    assert (
        last == f"next: the corrected statement: rmtsim verify mine.mean/corrected (what went wrong: {page})"
    )


def test_it_is_in_the_report_with_citation_and_errata(site, tmp_path, capsys):
    site.paper("mine")
    page = tmp_path / "page.html"
    assert main(["verify", "mine", "dong.thm1.diagonal-limit", "--report", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "is printed with twice its scale" in text
    assert "A. Author: On means. 2026, arXiv:2601.00001" in text
    assert "in [0.25, 1.125]; seed 7, 1.5 nominal seconds" in text
    assert text.index('id="c-dong.thm1.diagonal-limit"') < text.index('id="c-mine.mean"')


def _listed(capsys):
    """Papers of `rmtsim claims`, and what it says on standard error."""
    assert main(["claims"]) == 0
    out, err = capsys.readouterr()
    return dict.fromkeys(line.partition(".")[0] for line in out.splitlines()), err.splitlines()


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"__init__": "import no_such_module_here\n"}, "No module named 'no_such_module_here'"),
        ({"__init__": "import sys\nsys.exit(3)\n"}, "SystemExit: 3"),
        ({"__init__": "PAPER = 3\n"}, "3: expected a Paper, a module with claims"),
        ({"__init__": "OTHER = 3\n"}, "has no attribute 'PAPER'"),
        ({"statements_means": "1 / 0\n"}, "ZeroDivisionError"),
        ({"statements_means": "def\n"}, "SyntaxError"),
        ({"statements_others": MEANS.replace("{key}", "mine")}, "mine.mean.*declared already"),
        ({"statements_others": MEANS.replace("{key}", "yours")}, r"starts with mine\."),
    ],
)
def test_a_broken_paper_is_reported_and_left_out(site, capsys, changed, match):
    site.paper("mine", **changed)
    site.paper("sound")
    papers, warned = _listed(capsys)
    assert [*papers] == [*ORDER, "sound"]
    (line,) = warned
    assert line.startswith("rmtsim: warning: paper mine (mine_paper:PAPER of mine-paper): ")
    assert main(["verify", "sound.sum.exact"]) == 0
    assert capsys.readouterr().err == ""
    for words in (["claims", "--paper", "mine"], ["verify", "mine"], ["verify", "mine.mean"]):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert error.startswith("rmtsim: error: paper mine")
        assert len(error.splitlines()) == 1
    with pytest.raises(PaperError, match=match):
        all_claims("mine")


def test_python_warns_about_a_broken_paper_once(site):
    site.paper("mine", __init__="1 / 0\n")
    with pytest.warns(PaperWarning, match="paper mine .*ZeroDivisionError.*; left out"):
        assert {claim.paper for claim in all_claims()} == set(ORDER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_claims()


def test_reports_and_completion_go_on_without_a_broken_paper(site, capsys, tmp_path):
    site.paper("gone")
    page = tmp_path / "page.html"
    assert main(["verify", "gone.mean", "dong.thm1.diagonal-limit"]) == 0
    site.forget()
    (site.folder / "gone_paper" / "__init__.py").write_text("1 / 0  # since yesterday\n")
    _registry.reset()
    capsys.readouterr()
    assert main(["report", "--out", str(page)]) == 0
    assert "rmtsim: warning: paper gone" in capsys.readouterr().err
    assert "c-gone.mean" in page.read_text(encoding="utf-8")
    _registry.reset()
    assert main(["completion", "zsh"]) == 0
    out, err = capsys.readouterr()
    assert "dong.eq5" in out
    assert len(err.splitlines()) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["{", "[]", '{"claims": {"mine.mean": 3}}'])
def test_a_file_of_records_that_cannot_be_read_is_reported(site, tmp_path, capsys, text):
    site.paper("mine")
    (site.folder / "mine_paper" / "verdicts.json").write_text(text)
    assert main(["verify", "mine.mean", "--quick", "--report", str(tmp_path / "page.html")]) == 0
    err = capsys.readouterr().err
    assert "rmtsim: warning: paper mine (mine_paper:PAPER of mine-paper): verdicts.json is not used" in err


def test_a_key_of_a_built_in_paper_is_refused(site, capsys):
    site.paper("dong")
    papers, (line,) = _listed(capsys)
    assert [*papers] == [*ORDER]
    assert "dong is the key of a built-in paper" in line
    assert find("dong.eq5").citation.startswith("Zhaorui Dong")


def test_two_papers_of_one_key_are_both_refused(site, capsys):
    site.paper("mine")
    site.install("copy", {"mine": "copy_paper:PAPER"}, {})
    papers, (line,) = _listed(capsys)
    assert "mine" not in papers
    assert "has the same key; uninstall one of them" in line
    assert main(["verify", "mine"]) == 2


def test_a_key_that_is_no_key_is_refused(site, capsys):
    site.install("odd", {"a.b": "odd:PAPER"}, {})
    _, (line,) = _listed(capsys)
    assert "key='a.b'" in line


def test_an_entry_and_its_paper_have_one_key(site):
    site.install("odd", {"other": "mine_paper:PAPER"}, {})
    site.paper("mine")
    with pytest.raises(PaperError, match="the key 'mine'"):
        all_claims("other")


LOOSE = """
from rmtsim import claim

@claim("goe.one", limit=0.5, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,))
def one(size, rng):
    return rng.random(size).mean()

@claim("goe.two", limit=0.6, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,))
def two(size, rng):
    return rng.random(size).mean()

BOTH = [one, two]
"""


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("loose", ["goe.one", "goe.two"]),
        ("loose:BOTH", ["goe.one", "goe.two"]),
        ("loose:two", ["goe.two"]),
    ],
)
def test_an_entry_may_name_a_module_a_claim_or_a_list(site, capsys, value, ids):
    site.install("loose", {"demo": value}, {"loose.py": LOOSE})
    assert [claim.id for claim in all_claims("demo")] == ids
    assert find("goe.two").paper == "demo"
    assert main(["verify", "goe", "--json"]) == 0
    assert [row["claim"] for row in json.loads(capsys.readouterr().out)] == ids
    assert main(["verify", "goe.two"]) == 0
    out = capsys.readouterr().out
    assert "next: the reasoning: rmtsim verify goe.two --explain" in out


def test_a_claim_of_two_papers_is_left_out_of_the_second(site, capsys):
    site.install("loose", {"demo": "loose", "twice": "loose:BOTH"}, {"loose.py": LOOSE})
    _, (line,) = _listed(capsys)
    assert "paper twice" in line
    assert "another paper declares 'goe.one' too" in line
    assert [claim.paper for claim in all_claims() if claim.id == "goe.one"] == ["demo"]


def test_unknown_names_suggest_near_ones(site):
    site.paper("mine")
    with pytest.raises(UnknownClaimError, match=r"did you mean mine\.mean"):
        find("mine.meam")
    with pytest.raises(ValueError, match="did you mean mine"):
        all_claims("min")
    assert rmtsim.Paper is Paper


@pytest.mark.parametrize("key", ORDER)
def test_aliases_are_former_ids_of_claims(key):
    ids = {claim.id for claim in all_claims(key)}
    for former, current in PAPERS[key].aliases.items():
        assert former not in ids
        assert find(former) is find(current)
        assert [claim.id for claim in _registry.select(former)] == [current]


def test_aliases_belong_to_the_paper():
    given = {"key": "k", "package": "p", "authors": "A", "title": "T"}
    with pytest.raises(ValueError, match=r"aliases: 'other\.a': expected ids that start with k\."):
        Paper(**given, aliases={"other.a": "k.a"})
    with pytest.raises(TypeError, match="aliases="):
        Paper(**given, aliases=["k.a"])
    assert len({Paper(**given), Paper(**given, aliases={"k.a": "k.b"})}) == 2
