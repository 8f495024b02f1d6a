"""docs/errata and the registry tell the same story."""

import re
from pathlib import Path

from rmtsim.claims import all_claims
from rmtsim.claims.papers import PAPERS

FOLDER = Path(__file__).parents[2] / "docs" / "errata"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in sorted(FOLDER.glob("*.md")))
NAMES = {claim.id for claim in all_claims()}


def _named() -> set[str]:
    """Claims the page names, `dong.eq28.*` and ", `.18`" written out."""
    found: set[str] = set()
    last = ""
    for name in re.findall(rf"`((?:{'|'.join(PAPERS)})?\.[\w./*-]+)`", TEXT):
        last = name if not name.startswith(".") else f"{last.rpartition('.')[0]}{name}"
        pattern = re.compile(re.escape(last).replace(r"\*", r"[\w-]+") + "$")
        matching = {known for known in NAMES if pattern.match(known)}
        found |= matching or {last}
    return found


def test_every_claim_named_exists():
    assert _named() <= NAMES


def test_every_statement_with_a_correction_is_explained():
    refuted = {name.removesuffix("/corrected") for name in NAMES if name.endswith("/corrected")}
    assert refuted <= NAMES
    assert refuted - _named() == set()
