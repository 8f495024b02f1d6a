"""Run every command of README.md, CONTRIBUTING.md and docs/ as a reader would: a fresh clone, a fresh environment.

    python docs/run_commands.py --list                      what would be run, and what is left out and why
    python docs/run_commands.py --out commands.md           run it and write the table of outcomes
    python docs/run_commands.py --only docs/laws.md         a page; README's first command makes the environment,
                                                            and --out replaces the rows of this page alone

Shell blocks run line by line under bash, in the order of the pages, in one clone with one home of its own. Blocks of
Python without prompts run as scripts; one that begins with ``# NAME.py`` is written to that file. Pages with prompts
run as doctests. Comments before a block say what is special about it:

    <!-- commands: skip, REASON -->            not run
    <!-- commands: before, SHELL COMMAND -->   a file the reader would have of his own is made first
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST = ("README.md", "docs/start-here.md", "docs/read-a-verdict.md")
"""Pages in the order in which they are read; the others follow by name."""
MADE = ("docs/generated", "docs/_build")
SHELL, PYTHON = ("bash", "sh"), ("python",)
LANGUAGES = (*SHELL, *PYTHON, "toml", "text", "json", "{toctree}")
"""What a block may be: without one of these names nobody knows whether it is to be run."""

_FENCE = re.compile(r"^```(\S*)\s*$")
_ROW = re.compile(r"^\| \S+\.md \| \d+ \|")
_MARK = re.compile(r"^<!-- commands: (skip|before), (.*) -->$")


@dataclasses.dataclass(frozen=True)
class Step:
    """Something a page asks its reader to do."""

    page: str
    line: int
    kind: str
    """shell, file (written, not run), script, doctest."""
    text: str
    skip: str = ""
    """Why it is not run."""

    @property
    def shown(self) -> str:
        """One line for a table."""
        if self.kind == "doctest":
            return f"{self.text} examples with prompts"
        lines = self.text.strip().splitlines()
        first = re.sub(r"\s+# .*", "", lines[0]) if self.kind == "shell" else lines[0]
        return first if len(lines) == 1 or self.kind == "shell" else f"{first} … ({len(lines)} lines)"


def pages(root: Path = ROOT) -> list[str]:
    """Pages with commands, README first.

    >>> pages()[0]
    'README.md'
    """
    found = ["README.md", "CONTRIBUTING.md"]
    found += sorted(path.relative_to(root).as_posix() for path in root.glob("docs/**/*.md"))
    found = [name for name in found if not name.startswith(MADE)]
    return [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]


def steps(page: str, text: str) -> Iterator[Step]:
    r"""What a page asks for, in its order.

    >>> list(steps("a.md", "```sh\nls  # files\npwd\n```\n"))[0].shown
    'ls'
    >>> list(steps("a.md", "<!-- commands: skip, too long -->\n```sh\nls\n```\n"))[0].skip
    'too long'
    """
    skip, before, inside = "", "", None
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if inside is None:
            mark = _MARK.match(line)
            if mark is not None:
                skip, before = (mark[2], before) if mark[1] == "skip" else (skip, mark[2])
            elif fence is not None:
                inside = (fence[1], number, [])
            elif line.strip() and not line.startswith("<!--"):
                skip, before = "", ""
        elif fence is not None:
            yield from _of_block(page, *inside, skip=skip, before=before)
            inside, skip, before = None, "", ""
        else:
            inside[2].append(line)
    prompts = len(re.findall(r"^\s*>>> ", text, flags=re.M))
    if prompts:
        yield Step(page, 1, "doctest", str(prompts))


def _of_block(
    page: str, language: str, line: int, body: list[str], *, skip: str, before: str
) -> Iterator[Step]:
    if language not in LANGUAGES:
        raise ValueError(f"{page}:{line}: a block of {language!r}; expected one of {', '.join(LANGUAGES)}")
    if language in SHELL:
        if before and not skip:
            yield Step(page, line, "shell", before)
        joined = "\n".join(body).replace("\\\n", " ")
        for offset, command in enumerate(joined.splitlines(), 1):
            if command.strip() and not command.lstrip().startswith("#"):
                yield Step(page, line + offset, "shell", command.strip(), skip)
    elif language in PYTHON and body and not any(each.lstrip().startswith(">>>") for each in body):
        kind = "file" if re.match(r"# \w+\.py$", body[0]) else "script"
        yield Step(page, line, kind, "\n".join(body) + "\n", skip)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a step went."""

    step: Step
    word: str
    seconds: float = 0.0
    said: str = ""


class Reader:
    """A reader with a clone, a home and an environment of his own."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.clone, home = folder / "rmtsim", folder / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.clone)], check=True)
        kept = ("LANG", "TMPDIR", "SSL_CERT_FILE")
        settings = {
            name: value for name, value in os.environ.items() if name in kept or name.startswith("PIP_")
        }
        python = Path(sys.executable).resolve().parent  # python3, where there is no environment yet
        path = f"{self.clone / '.venv' / 'bin'}:{python}:/usr/local/bin:/usr/bin:/bin"
        self.environment = {**settings, "HOME": str(home), "PATH": path, "PYTHONNOUSERSITE": "1"}
        self.limit = limit

    def does(self, step: Step) -> Outcome:
        """Take one step."""
        if step.skip:
            return Outcome(step, "skipped", said=step.skip)
        if step.kind == "file":
            name = step.text.split()[1]
            (self.clone / name).write_text(step.text, encoding="utf-8")
            return Outcome(step, "written", said=name)
        words = {
            "shell": ["bash", "-euo", "pipefail", "-c", step.text],
            "script": ["python", "-W", "error", "-c", step.text],
            "doctest": ["python", "-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", step.page],
        }[step.kind]
        started = time.monotonic()
        try:
            done = subprocess.run(
                words, cwd=self.clone, env=self.environment, timeout=self.limit, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome(step, "too long", self.limit, f"no end in {self.limit:.0f} s")
        seconds, lines = time.monotonic() - started, done.stdout.strip().splitlines()
        said = lines[-1] if lines else ""
        return Outcome(
            step, "ok" if done.returncode == 0 else f"failed ({done.returncode})", seconds, said[:200]
        )


def rows_of(outcomes: list[Outcome]) -> list[str]:
    """A row of the table for each outcome."""
    rows = []
    for each in outcomes:
        step = each.step
        command = step.shown.replace("|", "\\|")
        word = f"{each.word}: {each.said}" if each.word not in ("ok", "written") else each.word
        time_words = f"{each.seconds:.0f}" if each.seconds else ""
        page = step.page.removeprefix("docs/")
        cell = command if step.kind == "doctest" else f"`{command}`"
        rows.append(f"| {page} | {step.line} | {cell} | {word.replace('|', '/')} | {time_words} |")
    return rows


def other_rows(written: Path, pages_run: set[str]) -> list[str]:
    """Rows of pages that were not run this time, from a table written before."""
    if not written.exists():
        return []
    rows = [line for line in written.read_text(encoding="utf-8").splitlines() if _ROW.match(line)]
    return [row for row in rows if row.split("|")[1].strip() not in pages_run]


def table(rows: list[str]) -> str:
    """The outcomes as a page, in the order of the pages."""
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    order = {page.removeprefix("docs/"): place for place, page in enumerate(pages())}
    rows = sorted(rows, key=lambda row: order.get(row.split("|")[1].strip(), len(order)))
    words = [re.split(r"(?<!\\)\|", row)[4].strip() for row in rows]
    ran = [word for word in words if not word.startswith(("skipped", "written"))]
    there = {row.split("|")[1].strip() for row in rows}
    missing = [
        page
        for page in pages()
        if page.removeprefix("docs/") not in there
        and any(not step.skip for step in steps(page, (ROOT / page).read_text(encoding="utf-8")))
    ]
    when = datetime.datetime.now(datetime.UTC)
    lines = [
        "# Commands of these pages, as they were run",
        "",
        "`python docs/run_commands.py --out commands.md` takes every shell block, every script and every example "
        "with prompts from README, CONTRIBUTING and docs/ and does what it says, in a fresh clone with a fresh "
        f"environment. {when:%d %B %Y}, commit {commit}, Python {platform.python_version()} on {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores (load {os.getloadavg()[0]:.0f}; seconds are by the clock). "
        f"{ran.count('ok')} of {len(ran)} ended well; {sum(word.startswith('skipped') for word in words)} were left "
        "out, for the reason given." + (f" **Not run this time: {', '.join(missing)}.**" if missing else ""),
        "",
        "| page | line | command | outcome | s |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *rows]) + "\n"


def main(words: list[str] | None = None) -> int:
    """Read, run, report; 1 if a command failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="say what would be run")
    parser.add_argument("--only", action="append", metavar="PAGE", help="these pages alone")
    parser.add_argument("--limit", type=float, default=900.0, metavar="SECONDS", help="for one command")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="write the table there")
    arguments = parser.parse_args(words)
    chosen = [
        step
        for page in pages()
        if not arguments.only or page in (*arguments.only, *FIRST[:1])
        for step in steps(page, (ROOT / page).read_text(encoding="utf-8"))
    ]
    if arguments.only and "README.md" not in arguments.only:
        # README's first command makes the environment; its other commands are not asked for.
        mine = [step for step in chosen if step.page == "README.md"][:1]
        setup = dataclasses.replace(mine[0], text=mine[0].text.rpartition("&&")[0].strip())
        chosen = [setup, *(step for step in chosen if step.page != "README.md")]
    if arguments.list:
        for step in chosen:
            print(
                f"{step.page}:{step.line}\t{step.kind}\t{step.shown}"
                + (f"\t[{step.skip}]" if step.skip else "")
            )
        return 0
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(Path(folder), arguments.limit)
        outcomes = []
        for step in chosen:
            outcome = reader.does(step)
            outcomes.append(outcome)
            print(
                f"{outcome.word:<11} {outcome.seconds:6.1f} s  {step.page}:{step.line}  {step.shown}",
                flush=True,
            )
            if outcome.word.startswith(("failed", "too long")):
                print(f"            {outcome.said}", flush=True)
    if arguments.out is not None:
        run = {step.page.removeprefix("docs/") for step in chosen}
        if arguments.only and "README.md" not in arguments.only:
            run.discard("README.md")
            outcomes = outcomes[1:]
        kept = other_rows(arguments.out, run) if arguments.only else []
        arguments.out.write_text(table([*kept, *rows_of(outcomes)]), encoding="utf-8")
    return int(any(each.word.startswith(("failed", "too long")) for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
