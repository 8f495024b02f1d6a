"""The index from ids to modules, read from the source, and what is imported for one claim."""

import json
import subprocess
import sys

import pytest

from rmtsim.claims import Paper, _texts, all_claims
from rmtsim.claims._files import declared_by
from rmtsim.claims._papers import PAPERS
from rmtsim.claims._registry import select
from rmtsim.errors import UnknownClaimError


@pytest.mark.thorough
@pytest.mark.parametrize("key", PAPERS)
def test_the_index_names_the_module_of_every_claim(key):
    for claim in all_claims(key):
        (module,) = _texts.modules_of(PAPERS[key], claim.id)
        assert claim.id in {each.id for each in declared_by(module)}


SOURCE = """
from rmtsim import claim, correction

OTHERS = ("key.in-a-tuple",)
NAME = "key.named"

@claim("key.plain", limit=1.0, same_as="key.other", chain=("key.simulated",))
def plain(size, rng): ...

claim("key.family.{ensemble}.{part}", plain, corrected=correction("key.family.{ensemble}.{part}/corrected"))
claim("else.where", plain)
claim(NAME, plain)
claim(f"key.{NAME}", plain)
"""


@pytest.fixture
def paper(tmp_path, monkeypatch):
    folder = tmp_path / "indexed_paper"
    (folder / "statements").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "statements" / "first.py").write_text(
        'claim("key.first")\nclaim("key.family.one.b")\nsame_as = "key.plain"\n'
    )
    (folder / "statements" / "second.py").write_text(SOURCE)
    (folder / "statements" / "broken.py").write_text('claim("key.broken"\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Paper(
        key="key", package="indexed_paper", authors="A", title="T", modules=["first", "second", "broken"]
    )
    sys.modules.pop("indexed_paper", None)


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("key.plain", ["second"]),
        ("key.plain/corrected", ["second"]),
        ("key.first", ["first"]),
        ("key.family.one.b", ["first"]),
        ("key.family.two-block.a", ["second"]),
        ("key.family.two-block.a/corrected", ["second"]),
        ("key.family.two.block.a", []),
        ("key.family.two-block", []),
        ("key.broken", ["broken"]),  # importing it says what is wrong
        ("key.other", []),
        ("key.simulated", []),
        ("key.in-a-tuple", []),
        ("key.named", []),
        ("else.where", []),
    ],
)
def test_a_literal_first_argument_declares_an_id(paper, name, modules):
    assert _texts.modules_of(paper, name) == [f"indexed_paper.statements.{each}" for each in modules]
    assert "indexed_paper.statements" not in sys.modules


@pytest.mark.parametrize(
    ("prefix", "modules"),
    [
        ("key", ["first", "second", "broken"]),
        ("key.family", ["first", "second"]),
        ("key.family.two-block", ["second"]),
        ("key.family.two-block.a", []),
        ("key.fam", []),
        ("key.plain", []),
    ],
)
def test_beginnings_of_ids_are_whole_parts(paper, prefix, modules):
    assert _texts.modules_below(paper, prefix) == [f"indexed_paper.statements.{each}" for each in modules]


def test_ids_are_listed_in_the_order_of_the_source(paper):
    assert _texts.declared_ids(paper) == [
        "key.first",
        "key.family.one.b",
        "key.plain",
        "key.family.{ensemble}.{part}",
        "key.broken",
    ]


@pytest.mark.parametrize("prefix", ["dong.thm1", "li.thm3", "wu.lemmaB", "l2l.thm5", "dong.eq34"])
def test_the_beginning_of_ids_selects_them_all(prefix):
    key = prefix.partition(".")[0]
    exact = [claim.id for claim in all_claims(key) if claim.id == prefix]
    below = [claim.id for claim in all_claims(key) if claim.id.startswith(f"{prefix}.")]
    assert below
    assert [claim.id for claim in select(prefix)] == (exact or below)


def test_no_claim_is_selected_by_part_of_a_word():
    with pytest.raises(UnknownClaimError, match=r"did you mean dong\.thm1"):
        select("dong.thm1.diagon")


def _modules_after(*words: str) -> list[str]:
    code = (
        "import json, sys\nfrom rmtsim.cli import main\n"
        f"main({list(words)!r})\n"
        "print(json.dumps([name for name in sys.modules if name.startswith('rmtsim')]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def test_verifying_one_claim_imports_one_statement_module():
    found = _modules_after("verify", "dong.eq11", "--no-store", "--quiet", "--budget", "0.1")
    statements = [name for name in found if ".statements." in name]
    assert "rmtsim.papers.dong.statements.identities" in statements
    assert len(statements) <= 4, "shared parameters and the like, no other statements"
    assert {name.split(".")[2] for name in found if name.startswith("rmtsim.papers.")} == {"dong"}


def test_help_and_listings_of_keys_import_no_paper():
    code = (
        "import sys\nfrom rmtsim.claims._papers import PAPERS\nprint(*PAPERS, 'dong' in PAPERS)\n"
        "print([name for name in sys.modules if name.startswith('rmtsim.papers.')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[1] == "[]"
