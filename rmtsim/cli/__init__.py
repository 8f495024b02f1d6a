"""The command line: parse, call, print. One module per command; only this package calls ``print``."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, TextIO

import rmtsim
from rmtsim._internal import plain
from rmtsim.cli._common import BAD_USAGE, FAILED, own_standard_output
from rmtsim.errors import MemoryLimitError, NotAStoreError, PaperWarning, RunError, StoreVersionError

__all__ = ["main"]

_COMMANDS = {
    "claims": "rmtsim.cli._claims",
    "predict": "rmtsim.cli._predict",
    "verify": "rmtsim.cli._verify",
    "report": "rmtsim.cli._report",
    "runs": "rmtsim.cli._runs",
    "law": "rmtsim.cli._law",
    "spectrum": "rmtsim.cli._spectrum",
    "hessian": "rmtsim.cli._hessian",
    "studies": "rmtsim.cli._studies",
    "study": "rmtsim.cli._studies",
    "new-paper": "rmtsim.cli._new_paper",
    "plan": "rmtsim.cli._plan",
    "search": "rmtsim.cli._search",
    "preregister": "rmtsim.cli._preregister",
    "capsule": "rmtsim.cli._capsule",
    "completion": "rmtsim.cli._completion",
    "doctor": "rmtsim.cli._doctor",
}
"""The module of each command: its ``add_parser`` sets ``run`` (arguments -> exit code) as the default of a parser."""

_RUN_CODE_OF_CLAIMS = ("claims", "predict", "report", "search", "study", "verify")

_EPILOG = """\
start here:
  rmtsim claims                      what is stated, where, and what kind of statement it is
  rmtsim verify --quick              a verdict on every claim of the quick set
  rmtsim verify dong.thm1.diagonal   one claim, with error bars
  rmtsim report                      a page of all verdicts so far, for a browser
  rmtsim law mp --ratio 0.5 --plot mp.png   a spectral law, drawn
  rmtsim spectrum eigs.npy --samples 900    the bulk and the outliers of your own spectrum
  rmtsim hessian model.py            the Hessian of your own model: blocks, eigenvalues, intervals, a page
  rmtsim doctor                      versions, libraries and a short self-test, for a bug report
  rmtsim COMMAND --help              options and examples of a command

exit codes: 0 the run completed (whatever the verdicts), 1 it could not be completed (memory, disk, workers, a locked
            or damaged store), 2 bad usage, 3 a verdict that --fail-on names, 130 interrupted (143 by SIGTERM)
"""

_GREETING = """rmtsim {version}: is this random-matrix theorem about neural networks true? Three things to try:

  rmtsim verify --quick --paper dong           verdicts on one paper, in under a minute
  rmtsim claims -k eigenvalue                  what is stated, by word
  rmtsim law mp --ratio 0.5 --plot mp.png      a spectral law, drawn

`rmtsim --help` shows every command.
"""


class _Parser(argparse.ArgumentParser):
    """Parser that reports an error in one line, as all other errors."""

    def error(self, message: str) -> NoReturn:
        line = " ".join(message.split())
        if line.startswith("unrecognized arguments: "):
            line += self._meant(line.split()[2])
        self.exit(2, f"rmtsim: error: {plain(line)} (see `{self.prog} --help`)\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As argparse does, with the nearest choice instead of all of them where one is near."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            near = difflib.get_close_matches(str(value), action.choices, n=1)
            hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(action.choices)}"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; {hint}")
        super()._check_value(action, value)

    def _meant(self, word: str) -> str:
        """A hint for an option that no command has."""
        options = [name for parser in _with_subparsers(self) for name in parser._option_string_actions]
        near = difflib.get_close_matches(word.partition("=")[0], options, n=1)
        return f"; did you mean {near[0]}?" if near and word.startswith("-") else ""


def _with_subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _with_subparsers(inner)


def _modules(words: Sequence[str]) -> list[str]:
    """Modules needed to parse the command line: that of one command alone, to start fast.

    >>> _modules(["report", "--out", "x.html"]), _modules([])
    (['rmtsim.cli._report'], [])
    """
    first = words[0] if words else "--version"
    if first == "--version":
        return []
    alone = first in _COMMANDS and first != "completion"  # completion scripts need all commands
    return [_COMMANDS[first]] if alone else list(dict.fromkeys(_COMMANDS.values()))


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rmtsim",
        description="Simulate random-matrix models of neural networks and verify theorems about them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rmtsim {rmtsim.__version__}")
    parser.set_defaults(run=_greet, parser=parser)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in _modules(words):
        importlib.import_module(name).add_parser(subparsers)
    return parser


def _greet(arguments: argparse.Namespace) -> int:
    print(_GREETING.format(version=rmtsim.__version__), end="")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Command and options; those of the process by default.

    Returns
    -------
    int
        Exit code. An error is one line on standard error.

    Examples
    --------
    >>> main(["predict", "dong.thm1.diagonal-limit", "--set", "gamma=1"])
    dong.thm1.diagonal-limit  gamma=1.0  3.718281828459045
    0
    """
    if argv is not None:
        return _main(list(argv))
    words = sys.argv[1:]

    if not words or words[0] not in _RUN_CODE_OF_CLAIMS:
        return _main(words)
    from rmtsim.cli._guard import guarded
    from rmtsim.runs._process import accept_termination

    def program() -> int:
        accept_termination()
        return _main(words)

    return guarded(program)


def _main(words: list[str]) -> int:
    try:
        _let_streams_write_anything()
        own, rest = words, []
        if (
            words[:1] == ["study"] and "--" in words
        ):  # what follows are options of the study, which argparse may lose
            own, rest = words[: words.index("--")], words[words.index("--") + 1 :]
        with _paper_warnings_in_one_line(), own_standard_output():
            arguments = _parser(words).parse_args(own)
            if rest:
                arguments.options = rest
            arguments.command_line = words
            code = _run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()  # flush now, while a full disk can still be reported
        return code
    except BrokenPipeError:
        # The reader (head, less) closed the pipe; Python must not print an error when it closes stdout.
        _discard(sys.stdout)
        return 0
    except (KeyboardInterrupt, Exception) as error:
        return _fail(*_told(error))


@contextlib.contextmanager
def _paper_warnings_in_one_line() -> Iterator[None]:
    """Print each warning about a paper that is left out as one line on standard error."""

    def show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
        if issubclass(category, PaperWarning):
            print(f"rmtsim: warning: {plain(' '.join(str(message).split()))}", file=sys.stderr)
        else:
            usual(message, category, *place, **options)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", PaperWarning)
        warnings.showwarning = show
        yield


def _run(arguments: argparse.Namespace) -> int:
    try:
        return int(arguments.run(arguments))
    except SystemExit as error:
        # Raised by foreign code, since commands return their codes; passed on, it would look like success.
        raise RunError(f"code of a claim or plug-in ended the program (sys.exit({error.code!r}))") from error
    except (KeyboardInterrupt, Exception):
        raise
    except BaseException as error:
        raise RunError(f"code of a claim or plug-in raised {type(error).__name__}({error})") from error


def _told(error: BaseException) -> tuple[object, int]:
    """Text of an error, and its exit code."""
    match error:
        case KeyboardInterrupt():
            from rmtsim.runs._process import exit_code

            return "interrupted", exit_code()
        case NotAStoreError() | StoreVersionError():
            return error, BAD_USAGE
        case RunError() | ArithmeticError():
            return error, FAILED
        case MemoryLimitError():
            return error, FAILED
        case MemoryError():
            words = str(error) or "the system gave none"
            return (
                f"not enough memory ({words}); ask for smaller sizes, or raise the limit (ulimit -v)",
                FAILED,
            )
        case RecursionError():
            return f"too deeply nested input ({error})", FAILED
        case ValueError() | TypeError():
            return error, BAD_USAGE
        case OSError():
            if error.errno == errno.ENOSPC and error.filename is None:
                _discard(sys.stdout)
                return "standard output cannot be written: no space left on device", FAILED
            name = f"{error.filename}: " if error.filename else ""
            return f"{name}{error.strerror or error}", FAILED
    if os.environ.get("RMTSIM_TRACEBACK"):
        traceback.print_exception(error)
    return (
        f"internal error: {type(error).__name__}: {error}; please report it, with what RMTSIM_TRACEBACK=1 shows "
        "before this line",
        FAILED,
    )


def _let_streams_write_anything() -> None:
    """Write characters that the encoding of a terminal lacks as escapes, so that output cannot fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard(stream: TextIO | None) -> None:
    """Discard the buffer of a closed stream, so that Python reports no error at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]


def _fail(reason: object, code: int) -> int:
    line = plain(" ".join(str(reason).split()))
    with contextlib.suppress(OSError):
        print(f"rmtsim: error: {line}", file=sys.stderr)
    return code
