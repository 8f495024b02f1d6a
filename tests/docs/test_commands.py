"""Commands of the pages: docs/run_commands.py runs all of them, and each is a command of rmtsim."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path

import pytest

from rmtsim import Paper, cli
from rmtsim.claims import _registry
from rmtsim.claims._files import is_file_target, resolve
from rmtsim.cli._new_paper import skeleton
from rmtsim.cli._options import selected
from rmtsim.cli._studies import study_names
from tests.claims.installed import Site

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("run_commands", ROOT / "docs" / "run_commands.py")
run_commands = importlib.util.module_from_spec(_SPEC)
sys.modules["run_commands"] = run_commands
_SPEC.loader.exec_module(run_commands)

PAGES = run_commands.pages()
PLACEHOLDER = re.compile(r"[A-Z]{3,}|[…\[\]|]|\bN\b")


def typed(page):
    """Commands of rmtsim on a page: in blocks, and in running text where nothing is to be filled in."""
    text = (ROOT / page).read_text(encoding="utf-8")
    shell = [step.text for step in run_commands.steps(page, text) if step.kind == "shell"]
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    inline = [each for each in re.findall(r"`(rmtsim [^`\n]+)`", outside) if not PLACEHOLDER.search(each)]
    for command in (*shell, *inline):
        for words in parts(command):
            if words[0].rpartition("/")[2] == "rmtsim":
                yield words[1:]


def parts(command):
    """The commands of a line, each as words, without where its output goes."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=";&|>")
    reader.whitespace_split = True
    found, kept = [[]], True
    for word in reader:
        if set(word) <= set(";&|"):
            found.append([])
            kept = True
        elif set(word) == {">"}:
            kept = False
        elif kept:
            found[-1].append(word)
    return [words for words in found if words]


@pytest.fixture
def _smith(tmp_path, monkeypatch):
    """The paper of docs/your-own-paper.md is installed."""
    place = Site(tmp_path)
    paper = Paper(key="smith", package="rmtsim_smith", authors="A. Smith, B. Jones", title="On Hessians")
    files = {
        name.removeprefix("src/"): text for name, text in skeleton(paper).items() if name.startswith("src/")
    }
    place.install("rmtsim-smith", {"smith": "rmtsim_smith:PAPER"}, files)
    monkeypatch.syspath_prepend(str(tmp_path))
    _registry.reset()
    yield
    place.forget()
    monkeypatch.undo()
    _registry.reset()


@pytest.mark.thorough
@pytest.mark.usefixtures("_smith")
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_understood(page):
    for words in typed(page):
        if len(words) == 1 and words[0] in cli._COMMANDS:
            continue  # a command by its name
        arguments = cli._parser(words).parse_args(words)
        if words[:1] == ["study"]:
            assert arguments.name in study_names(), words
        elif words[:1] in (["verify"], ["claims"]) and not any(map(is_file_target, arguments.claims)):
            assert selected(arguments), words
        elif words[:1] == ["predict"]:
            assert resolve(arguments.claim), words


@pytest.mark.parametrize("page", PAGES)
def test_no_command_escapes_and_whatever_is_not_run_says_why(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.findall(r"^ {4,}(?:rmtsim|python|pip) \S+", text, flags=re.M), "indented: fence it"
    assert all(len(step.skip) > 15 for step in run_commands.steps(page, text) if step.skip)


def test_a_block_without_a_language_is_refused():
    with pytest.raises(ValueError, match=r"a\.md:1: a block of ''; expected one of bash"):
        list(run_commands.steps("a.md", "```\nls\n```\n"))


def test_a_reader_follows_a_page(tmp_path):
    reader = run_commands.Reader(tmp_path, limit=20.0)
    page = (
        "```python\n# one.py\nprint(6 * 7)\n```\n```sh\npython3 one.py\nfalse\n```\n"
        "<!-- commands: skip, needs a cluster -->\n```sh\nsleep 60\n```\n"
    )
    outcomes = [reader.does(step) for step in run_commands.steps("a.md", page)]
    assert [each.word for each in outcomes] == ["written", "ok", "failed (1)", "skipped"]
    assert outcomes[1].said == "42"
    shown = run_commands.table(run_commands.rows_of(outcomes))
    assert "1 of 2 ended well; 1 were left out" in shown
    assert "| a.md | 11 | `sleep 60` | skipped: needs a cluster |  |" in shown
    reader.limit = 0.2
    assert reader.does(run_commands.Step("a.md", 1, "shell", "sleep 5")).word == "too long"


def test_a_table_keeps_the_rows_of_other_pages(tmp_path):
    def outcome(page, word):
        return run_commands.Outcome(run_commands.Step(page, 3, "shell", "a | b"), word, 2.0, "said")

    written = tmp_path / "commands.md"
    first = run_commands.rows_of([outcome("docs/laws.md", "failed (1)"), outcome("README.md", "ok")])
    written.write_text(run_commands.table(first), encoding="utf-8")
    assert "1 of 2 ended well" in written.read_text(encoding="utf-8")
    kept = run_commands.other_rows(written, {"laws.md"})
    again = run_commands.table([*kept, *run_commands.rows_of([outcome("docs/laws.md", "ok")])])
    assert "2 of 2 ended well" in again
    missing = again.partition("Not run this time: ")[2].partition(".**")[0].split(", ")
    assert "docs/papers/wu/measurement.md" in missing
    assert not {"README.md", "docs/laws.md"} & set(missing)
    assert again.index("| README.md | 3 |") < again.index("| laws.md | 3 | `a \\| b` | ok | 2 |")
