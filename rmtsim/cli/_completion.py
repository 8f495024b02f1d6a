"""``rmtsim completion``: a script that completes commands, options and names of claims in a shell.

Made by shtab rather than argcomplete: its script is static, so a TAB starts no Python (and rmtsim needs more than a
second to know all claims). The script contains the names of claims and studies; generate it again after an update.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from rmtsim.claims._papers import PAPERS
from rmtsim.cli._common import command

_HELP = """\
print a script that completes commands and names of claims in your shell

Print a completion script. It knows commands, options, claims and studies of this version.

once:
  rmtsim completion bash > ~/.local/share/bash-completion/completions/rmtsim
  rmtsim completion zsh > ~/.zfunc/_rmtsim       (with fpath+=~/.zfunc before compinit)
  rmtsim completion tcsh > ~/.rmtsim.completion  (and `source` it in ~/.tcshrc)
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "completion", _HELP)
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from rmtsim.claims._registry import all_claims
    from rmtsim.cli._studies import study_names

    claims = [claim.id for claim in all_claims() if _PLAIN.fullmatch(claim.id)]
    names = {"CLAIM": [*PAPERS, *claims], "NAME": study_names(), "KEY": list(PAPERS)}
    _mark(arguments.parser, names)
    preamble: Any = _preamble(names)  # by shell; its annotation knows one text only
    script = shtab.complete(arguments.parser, arguments.shell, preamble=preamble)
    # tcsh completes by position; only names of claims are valid at every position.
    print(script.replace("'p/*/()/'", f"'p/*/${_function('CLAIM')}/'"))
    return 0


_PLAIN = re.compile(r"[\w./+-]+")
"""Names that need no quoting in any shell; claims of other packages may have different names."""


def _function(kind: str) -> str:
    """The shell function (in tcsh: the variable) that holds names of one kind."""
    return f"_rmtsim_{kind.lower()}"


def _preamble(names: dict[str, list[str]]) -> dict[str, str]:
    """Shell functions that list names: of claims (and files, which can hold claims), of studies, of papers."""
    bash, zsh, tcsh = [], [], []
    for kind, each in names.items():
        words, name = " ".join(each), _function(kind)
        files = kind == "CLAIM"
        bash.append(f"{name}() {{ compgen -W '{words}' -- \"$1\"; {_BASH_FILES if files else ''}}}")
        zsh.append(f"{name}() {{ compadd -- {words}; {_ZSH_FILES if files else ''}}}")
        tcsh.append(f"set {name} = ({words})")
    return {"bash": "\n".join(bash), "zsh": "\n".join(zsh), "tcsh": "\n".join(tcsh)}


_BASH_FILES = "compgen -f -X '!*.py' -- \"$1\"; "
_ZSH_FILES = "_files -g '*.py'; "


def _mark(parser: argparse.ArgumentParser, names: dict[str, list[str]]) -> None:
    """Mark for shtab which arguments are names, and which are files or folders."""
    import shtab

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _mark(inner, names)
        elif action.metavar in names:
            function = _function(str(action.metavar))
            action.complete = {"bash": function, "zsh": function, "tcsh": f"${function}"}  # type: ignore[attr-defined]
        elif action.metavar in ("PATH", "FILE", "NEW"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in ("FOLDER", "DIR"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
