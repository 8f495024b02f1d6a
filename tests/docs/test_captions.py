"""Every figure of the documents has a caption with its sizes, and every colour of a figure comes from one palette."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from site_pages.captions import CAPTIONS, COMMANDS  # noqa: E402

from rmtsim.claims._registry import find  # noqa: E402
from rmtsim.cli._studies import study_names  # noqa: E402


def test_every_figure_has_a_caption_and_every_caption_a_figure():
    figures = {path.stem for path in (ROOT / "docs" / "figures").glob("*.png")}
    assert set(CAPTIONS) == figures
    assert set(COMMANDS) <= figures


def test_commands_name_studies_scripts_or_claims():
    for command in COMMANDS.values():
        place = command.split()
        if place[:2] == ["rmtsim", "verify"]:
            assert find(place[2])
            continue
        if place[0] == "rmtsim":
            assert place[2] in study_names(), command
        else:
            script = place[2].replace(".", "/") if place[1] == "-m" else place[1]
            assert (ROOT / script).exists(), command


def test_figures_take_their_colours_from_the_palette():
    for path in [*(ROOT / "studies").rglob("*.py"), *(ROOT / "rmtsim" / "plots").glob("*.py")]:
        if path.name != "_style.py":
            text = path.read_text(encoding="utf-8")
            assert not re.findall(r'"#[0-9a-fA-F]{6}"|"tab:|cmap="', text), path
