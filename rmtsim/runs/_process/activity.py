"""What this process is computing, for a process that watches over it and reports its unexpected end."""

from __future__ import annotations

import mmap

_SIZE = 4096
_DONE = b"d"


class Board:
    """A few lines of memory that a process shares with the process that watches it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def write(self, text: str) -> None:
        """Replace what is being done."""
        content = text.encode("utf-8", "replace")[: _SIZE - 5]
        self._memory[1 : 5 + len(content)] = len(content).to_bytes(4, "little") + content

    def read(self) -> str:
        """What is being done; empty if it is nothing in particular."""
        length = int.from_bytes(self._memory[1:5], "little")
        return self._memory[5 : 5 + length].decode("utf-8", "replace")

    def sign_off(self, code: int) -> None:
        """The work has ended properly, with this exit code."""
        self._memory[0:1] = _DONE
        self.write(str(code))

    def exit_code(self) -> int | None:
        """The exit code, if the work has ended properly."""
        return int(self.read()) if self._memory[0:1] == _DONE else None


_BOARD: Board | None = None


def share(board: Board | None) -> None:
    """Use ``board`` from now on."""
    global _BOARD
    _BOARD = board


def current_board() -> Board | None:
    """The board of this process, if somebody watches it."""
    return _BOARD


def begin(text: str) -> None:
    """Say what is being done from now on."""
    if _BOARD is not None:
        _BOARD.write(text)


def end() -> None:
    """It is done."""
    begin("")
