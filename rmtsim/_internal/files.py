"""Reading of files named by a user: regular files of a bounded size only, and errors that name the file."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

_VARIABLE = "RMTSIM_LARGEST_FILE"
_LARGEST = 16 * 2**30


def largest_file() -> int:
    """Size in bytes beyond which a file is refused: 16 GiB, or what the variable RMTSIM_LARGEST_FILE says.

    >>> largest_file() == 16 * 2**30
    True
    """
    text = os.environ.get(_VARIABLE, "")
    if not text:
        return _LARGEST
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 2.0**63:
        raise ValueError(f"{_VARIABLE}={text}: expected a number of bytes, for instance 2e11")
    return int(number)


@contextlib.contextmanager
def open_regular(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to read bytes; a pipe, a device or a file that is too large is refused.

    Raises
    ------
    ValueError
        If it is no regular file, or larger than :func:`largest_file`.
    OSError
        If it cannot be opened or read; the error has the file's name.
    """
    name = os.fspath(path)
    try:
        # Without O_NONBLOCK, opening a pipe waits for a writer.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            _check(name, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        with open(descriptor, "rb") as file:
            yield file
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, name) from error
        raise


def _check(name: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, a socket or a device"
        raise ValueError(f"{name}: expected a regular file, and this is {kind}")
    most = largest_file()
    if status.st_size > most:
        raise ValueError(
            f"{name}: {status.st_size / 2**30:.1f} GiB, and files of up to {most / 2**30:.3g} GiB are read; "
            f"set {_VARIABLE} to a larger number of bytes"
        )


def read_text(path: str | os.PathLike[str]) -> str:
    """Contents of a text file in UTF-8; what is not is refused with the file's name."""
    with open_regular(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)}: not text in UTF-8 ({error.reason} at byte {error.start})"
        ) from None
