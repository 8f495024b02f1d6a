"""Folders for what this user's processes keep for each other: nobody else may have put anything there.

Compiled kernels are run as they are found, so a folder with a name that others can guess is used only if it is ours
alone: owned by this user, not a link, not writable by others, and below folders of which the same holds (as for the
keys of ssh). Otherwise a fresh one is made.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import tempfile
from pathlib import Path

__all__ = ["fresh_folder", "home_folder", "is_private", "private_folder"]


def home_folder(variable: str, *below_home: str) -> Path | None:
    """A base folder by the XDG rules: the variable's value if it is an absolute path, else below the home folder.

    None for a user without a home (no HOME, and unknown to the system).

    >>> import os
    >>> os.environ["XDG_DEMO"] = "/somewhere"
    >>> str(home_folder("XDG_DEMO", ".cache"))
    '/somewhere'
    """
    given = os.environ.get(variable, "")
    if os.path.isabs(given):
        return Path(given)
    try:
        return Path.home().joinpath(*below_home)
    except RuntimeError:
        return None


def is_private(folder: Path) -> bool:
    """Whether nobody but this user (and root) can have put anything into ``folder``, or can replace it."""
    try:
        if stat.S_ISLNK(folder.lstat().st_mode):
            return False
        own = folder.resolve(strict=True)
        status = own.stat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
            return False
        return all(_is_kept(parent.stat()) for parent in own.parents)
    except OSError:
        return False


def _is_kept(status: os.stat_result) -> bool:
    """Whether entries of a parent folder can be replaced only by their owners."""
    others_write = bool(status.st_mode & 0o022)
    return status.st_uid in (0, os.getuid()) and (not others_write or bool(status.st_mode & stat.S_ISVTX))


def private_folder(*names: str) -> Path:
    """A writable folder that is this user's alone: in the user's cache, else in the temporary directory, else fresh.

    >>> is_private(private_folder("doctest"))
    True
    """
    cache = home_folder("XDG_CACHE_HOME", ".cache")
    temporary = Path(tempfile.gettempdir()) / f"rmtsim-{os.getuid()}"
    for base in (*([cache / "rmtsim"] if cache is not None else []), temporary):
        folder = base.joinpath(*names)
        with contextlib.suppress(OSError):
            _make(folder)
            if is_private(folder) and is_private(base) and os.access(folder, os.W_OK | os.X_OK):
                return folder
    folder = fresh_folder().joinpath(*names)
    _make(folder)
    return folder


def _make(folder: Path) -> None:
    """``folder`` and its parents; those that are made here are for this user only."""
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        # Another process of ours may be faster; whose it is, is looked at afterwards.
        with contextlib.suppress(FileExistsError):
            each.mkdir(mode=0o700)


@functools.cache
def fresh_folder() -> Path:
    """A new folder of this process alone, removed when it ends."""
    folder = Path(tempfile.mkdtemp(prefix="rmtsim-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
