"""Completion in installed shells: a key is typed into a real shell."""

import contextlib
import os
import pty
import select
import shutil
import signal
import time

import pytest

from rmtsim.cli import _parser, _with_subparsers, main

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='READY> '; source {script}"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='READY> '; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D",
    ),
    "tcsh": (["tcsh", "-f"], "set prompt='READY> '; source {script}"),
}

TYPED = (
    ("rmtsim ver", "rmtsim verify"),
    ("rmtsim verify dong.thm1.diagonal-l", "dong.thm1.diagonal-limit"),
    ("rmtsim verify --quick dong.eq3/c", "dong.eq3/corrected"),
    ("rmtsim verify --fail-on r", "--fail-on refuted"),
    ("rmtsim claims --paper textb", "--paper textbook"),
    ("rmtsim study dong_fig", "dong_figure"),
    ("rmtsim runs pr", "runs prune"),
)


@pytest.fixture(scope="module", params=START)
def shell(request, tmp_path_factory):
    """A shell's name and the folder with its script, under the name that zsh asks for."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed (Debian: apt-get install {request.param})")
    folder = tmp_path_factory.mktemp(request.param)
    with open(folder / "_rmtsim", "w") as file, contextlib.redirect_stdout(file):
        assert main(["completion", request.param]) == 0
    return request.param, folder


class Terminal:
    """A shell with a terminal of its own."""

    def __init__(self, words, folder):
        self.process, self.handle = pty.fork()
        if self.process == 0:  # pragma: no cover (the shell takes this process over)
            os.chdir(folder)
            os.execvpe(words[0], words, {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "vt100"})
        self.unread = ""

    def type(self, text):
        os.write(self.handle, text.encode())

    def read_until(self, wanted, seconds=60.0):
        """Reads up to ``wanted``; bells are not text."""
        end = time.monotonic() + seconds
        while wanted not in self.unread:
            assert time.monotonic() < end, (wanted, self.unread)
            if select.select([self.handle], [], [], 0.1)[0]:
                text = os.read(self.handle, 65536).decode(errors="replace")
                self.unread += text.replace("\x07", "")
        self.unread = self.unread.partition(wanted)[2]

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.handle)


def complete(shell, folder, cases):
    """Types each text and TAB into one session of the shell, until the terminal shows what is expected."""
    words, setup = START[shell]
    with contextlib.closing(Terminal(words, folder)) as terminal:
        begin = setup.format(script=folder / "_rmtsim", folder=folder)
        terminal.type(f"{begin}; echo go-`expr 1 + 1`\n")
        terminal.read_until("go-2")
        for text, expected in cases:
            terminal.read_until("READY> ")
            terminal.type(f"{text}\t")
            terminal.read_until(expected)
            terminal.type("\x15\n")  # the line is erased


def test_a_tab_completes_commands_options_claims_papers_and_studies(shell):
    complete(*shell, TYPED)


def test_a_file_of_own_claims_completes(shell):
    name, folder = shell
    if name == "tcsh":
        pytest.skip("tcsh completes one kind of thing at a place: names of claims")
    (folder / "my_claims.py").write_text("")
    complete(name, folder, [("rmtsim verify my_cl", "my_claims.py")])


def test_choices_of_options_are_sequences():
    """The oldest supported shtab reads the first choice by its position."""
    for parser in _with_subparsers(_parser(["completion", "zsh"])):
        for action in parser._actions:
            if action.option_strings and action.choices is not None:
                assert isinstance(action.choices, (tuple, list)), action.option_strings
