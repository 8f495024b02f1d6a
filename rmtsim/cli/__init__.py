"""The command line: parse, call, print. One module per command; ``print`` lives in this package alone."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import rmtsim
from rmtsim.errors import ExecutorError, RunError, StoreFullError

__all__ = ["main"]

_COMMANDS = (
    "rmtsim.cli.claims",
    "rmtsim.cli.predict",
    "rmtsim.cli.verify",
    "rmtsim.cli.runs",
    "rmtsim.cli.law",
)
"""Each offers ``add_parser(subparsers)``, which sets ``run`` (arguments -> exit code) as the parser's default."""

_EPILOG = """\
start here:
  rmtsim claims                      what is stated, where, and what kind of statement it is
  rmtsim verify --quick              a verdict on every claim of the quick set
  rmtsim verify dong.thm1.diagonal   one claim, with error bars
  rmtsim law mp --ratio 0.5 --plot mp.png   a spectral law, drawn
  rmtsim COMMAND --help              options and examples of a command

exit codes: 0 the run completed (whatever the verdicts), 1 it could not be completed, 2 bad usage
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other error is told; ``--help`` has the rest."""

    def error(self, message: str) -> NoReturn:
        line = " ".join(message.split())
        self.exit(2, f"rmtsim: error: {line} (`{self.prog} --help` tells more)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rmtsim",
        description="Simulate random-matrix models of neural networks and verify theorems about them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rmtsim {rmtsim.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        importlib.import_module(name).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Errors are one line on standard error.

    >>> main(["predict", "dong.thm1.diagonal-limit", "--set", "gamma=1"])
    dong.thm1.diagonal-limit  gamma=1.0  3.718281828459045
    0
    """
    arguments = _parser().parse_args(argv)
    arguments.command_line = list(sys.argv[1:] if argv is None else argv)
    try:
        return int(arguments.run(arguments))
    except (ValueError, TypeError) as error:
        return _fail(error, 2)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python must not complain about it when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _fail(f"{name}{error.strerror or error}", 2)
    except RunError as error:
        return _fail(error, 1 if isinstance(error, StoreFullError | ExecutorError) else 2)
    except ArithmeticError as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)


def _fail(reason: object, code: int) -> int:
    line = " ".join(str(reason).split())
    print(f"rmtsim: error: {line}", file=sys.stderr)
    return code
