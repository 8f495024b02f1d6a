"""The site builds offline, every internal link has a target, and the pages generated from the code agree with it."""

import subprocess
import sys
from pathlib import Path

import pytest

from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx", reason="the site needs the extra: pip install -e '.[docs]'")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "docs", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_every_page_is_there_and_fetches_nothing(site):
    for name in (
        "index",
        "start-here",
        "read-a-verdict",
        "glossary",
        "generated/gallery",
        "generated/reference/rmtsim.laws",
    ):
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert "<h1" in text
        assert not [
            part
            for part in text.split('"')
            if part.startswith(("http://", "https://")) and part.endswith(".js")
        ]


@pytest.mark.parametrize("key", PAPERS)
def test_a_papers_page_names_every_statement_and_its_citation(site, key):
    text = (site / "generated" / "papers" / f"{key}.html").read_text(encoding="utf-8")
    assert all(claim.id in text for claim in all_claims(key) if not claim.id.endswith("/corrected"))
    assert PAPERS[key].authors in text


@pytest.mark.parametrize(
    "key", [key for key, paper in PAPERS.items() if (paper.folder / "errata.md").exists()]
)
def test_errata_are_pages_and_links_to_them_lead_there(site, key):
    text = (site / "papers" / key / "errata.html").read_text(encoding="utf-8")
    written = (PAPERS[key].folder / "errata.md").read_text(encoding="utf-8")
    assert text.count("<h2>") == written.count("\n## ") > 0
    assert f'href="papers/{key}/errata.html"' in (site / "errata.html").read_text(encoding="utf-8")


def test_the_gallery_shows_every_figure(site):
    text = (site / "generated" / "gallery.html").read_text(encoding="utf-8")
    assert all(figure.stem in text for figure in (ROOT / "docs" / "figures").glob("*.png"))


def test_public_names_are_in_the_inventory_of_objects(site):
    from sphinx.util.inventory import InventoryFile

    found = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    assert "rmtsim.verify" in found["py:function"]
    assert "rmtsim.laws.MarchenkoPastur" in found["py:class"]


def test_a_papers_page_shows_predictions_beside_intervals_with_colours(site):
    text = (site / "generated" / "papers" / "dong.html").read_text(encoding="utf-8")
    assert 'class="REFUTED"' in text
    assert "predicted 0.016607 ± 0.00033" in text
    assert "arxiv.org/abs/2505.02809" in text


def test_formulas_in_running_text_are_typeset_and_code_is_not(site):
    text = (site / "papers" / "liu" / "errata.html").read_text(encoding="utf-8")
    assert "<sup>2</sup>" in text
    assert "liu.eq13/corrected" in text
    assert ".frac{" in (site / "_static" / "rmtsim.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["first-verdict", "own-claim"])
def test_notebooks_are_pages_with_their_outputs(site, name):
    text = (site / "generated" / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
    assert "CONFIRMED" in text
