"""The words of papers: ``statements.toml``."""

import tomllib
import warnings

import pytest

from rmtsim.claims import Corrected, Limit, Plan, _registry, all_claims, claim, find
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._texts import FILE, declared_ids, entries, words_of
from rmtsim.errors import PaperError, PaperWarning
from rmtsim.papers import ORDER
from tests.claims.installed import Site

BARE = """
from rmtsim.claims import Choice, Corrected, Limit, Plan, claim

PLAN = Plan(sizes=(10, 20, 40), exponents=(1.0,), because="shared", cost=1e-5)


@claim("mine.mean", states=Limit(2.0, within=0.02), plan=PLAN, corrected=Corrected(states=Limit(1.0, within=0.02)))
def mean(size, rng):
    return rng.exponential(size=size).mean()


@claim("mine.law.{kind}", states=Limit(2.0, within=0.02), over=[Choice("kind", {"a": 1.0, "b": 2.0})], plan=PLAN)
def scaled(size, rng, kind):
    return kind * rng.exponential(size=size).mean()
"""

WORDS = """
[passages]
slip = "scale doubled"

["mine.mean"]
at = "Theorem 1"
standing = "theorem"
printed = '''
The mean
  tends to 2.'''
because = "exact at every size"
corrected = "It tends to 1."
corrected_because = "exact"
corrected_note = ""
cause = "{slip}"
note = "The density has rate 1: {slip} and {unknown}."
credit = "(2) is right."

["mine.law.{kind}"]
at = "Theorem 2 ({kind})"
printed = "The mean of law {kind} tends to 2."

["mine.law.b"]
printed = "The mean of the last law tends to 2."
corrected = "It does."
"""


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


def install(site, words=WORDS, code=BARE):
    site.paper("mine", statements_means=code)
    (site.folder / "mine_paper" / FILE).write_text(words, encoding="utf-8")


@pytest.mark.parametrize("key", ORDER)
def test_every_declaration_has_words_and_all_words_a_declaration(key):
    paper = PAPERS[key]
    templates, members = set(declared_ids(paper)), {each.id for each in all_claims(key)}
    assert templates <= set(entries(paper)) <= templates | members


@pytest.mark.parametrize("key", ORDER)
def test_tables_read_one_by_one_are_those_of_the_whole_file(key):
    paper = PAPERS[key]
    whole = tomllib.loads(paper.file(FILE).read_text(encoding="utf-8"))
    whole.pop("passages", None)
    assert list(whole) == entries(paper)
    for name, table in whole.items():
        printed, corrected = words_of(paper, name)
        assert len(printed) + len(corrected) == len(table)


def test_words_fill_a_declaration(site):
    install(site)
    stated = find("mine.mean")
    assert (stated.equation, stated.standing, stated.cause) == ("Theorem 1", "theorem", "scale doubled")
    assert stated.statement == "The mean tends to 2."
    assert (stated.because, stated.credit) == ("exact at every size", "(2) is right.")
    assert stated.note == "The density has rate 1: scale doubled and {unknown}."
    right = stated.correction
    assert (right.statement, right.because, right.note) == ("It tends to 1.", "exact", "")
    assert right.sizes == stated.sizes


def test_a_family_has_the_words_of_its_template_and_members_their_own(site):
    install(site)
    first, last = find("mine.law.a"), find("mine.law.b")
    assert first.statement == "The mean of law a tends to 2."
    assert (first.equation, last.equation) == ("Theorem 2 (a)", "Theorem 2 (b)")
    assert first.correction is None
    assert last.statement == "The mean of the last law tends to 2."
    assert last.correction.statement == "It does."


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (("credit =", "merit ="), "mine.mean: unexpected 'merit'; expected at, "),
        (('at = "Theorem 1"', "at = 1"), "mine.mean: at=1: expected text"),
        (('at = "Theorem 1"', 'at = "Theorem 1'), "lines are counted from the header"),
        (('["mine.law.b"]', '["mine.mean"]'), "'mine.mean'] occurs twice"),
        (('standing = "theorem"', 'standing = "axiom"'), "standing='axiom'"),
        (('corrected = "It tends to 1."', ""), "has no statement"),
    ],
)
def test_faults_of_the_file_name_it_and_leave_the_paper_out(site, changed, reason):
    install(site, WORDS.replace(*changed))
    with pytest.raises(PaperError, match="paper mine") as caught:
        all_claims("mine")
    assert reason in str(caught.value)


def test_words_are_given_in_one_place(site):
    install(site, code=BARE.replace('"mine.mean",', '"mine.mean", printed="Two.",'))
    with pytest.raises(
        PaperError, match=r"statement is given twice, by the declaration and by statements\.toml"
    ):
        all_claims("mine")


def test_words_without_a_declaration_are_reported(site):
    install(site, WORDS + '\n["mine.lost"]\nat = "eq. (9)"\n')
    with pytest.warns(PaperWarning, match=r"statements\.toml has words for 'mine\.lost'"):
        all_claims("mine")


def test_a_claim_of_no_paper_keeps_its_words_in_the_declaration():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="has no statement"):
            claim(
                "mine.mean",
                lambda size, rng: 1.0,
                states=Limit(1.0, within=0.1),
                plan=Plan(sizes=(10, 20)),
                corrected=Corrected(states=Limit(2.0, within=0.1)),
            )
