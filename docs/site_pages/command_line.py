"""The command line: the help of every command, as a terminal of 100 columns shows it."""

from __future__ import annotations

import argparse
import os
from unittest import mock

from rmtsim.cli import _parser

__all__ = ["command_page"]


def command_page() -> str:
    """Help texts of ``rmtsim`` and of each of its commands."""
    with mock.patch.dict(os.environ, {"COLUMNS": "100"}):
        parser = _parser(["--help"])
        [commands] = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
        lines = ["# Command line", "", "```text", *parser.format_help().splitlines(), "```", ""]
        for name, command in commands.choices.items():
            lines += [f"## rmtsim {name}", "", "```text", *command.format_help().splitlines(), "```", ""]
    return "\n".join(lines)
