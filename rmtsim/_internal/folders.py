"""Folders that only this user can write to.

Cached machine code is executed without further checks. A folder with a predictable name is therefore used only if it
belongs to this user, is not a symbolic link and is not writable by others, and if the same holds for its parents (the
rule of ssh for its keys). Otherwise a new folder is created.
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

_USER: int | None = os.getuid() if hasattr(os, "getuid") else None
"""Number of this user; None on Windows, where folders of a user's profile are private by default."""


def home_folder(variable: str, *below_home: str) -> Path | None:
    """Base folder according to the XDG specification.

    The value of the environment variable if it is an absolute path, otherwise a folder below the home folder; None if
    the user has no home folder.

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
    """Whether only this user (and root) can write to ``folder`` or replace it."""
    try:
        if stat.S_ISLNK(folder.lstat().st_mode):
            return False
        own = folder.resolve(strict=True)
        status = own.stat()
        if not stat.S_ISDIR(status.st_mode):
            return False
        if _USER is None:
            return _below_home(own)
        if status.st_uid != _USER or status.st_mode & 0o022:
            return False
        return all(_is_kept(parent.stat()) for parent in own.parents)
    except OSError:
        return False


def _below_home(folder: Path) -> bool:
    """Whether a folder lies in the user's profile, which other users of Windows cannot write to."""
    try:
        return folder.is_relative_to(Path.home().resolve())
    except RuntimeError:
        return False


def _is_kept(status: os.stat_result) -> bool:
    """Whether entries of a parent folder can be replaced by their owners only."""
    others_write = bool(status.st_mode & 0o022)
    return status.st_uid in (0, _USER) and (not others_write or bool(status.st_mode & stat.S_ISVTX))


def private_folder(*names: str) -> Path:
    """A folder that only this user can write to: in the user's cache, in the temporary directory, or a new one.

    >>> is_private(private_folder("doctest"))
    True
    """
    cache = home_folder("XDG_CACHE_HOME", ".cache")
    temporary = Path(tempfile.gettempdir()) / f"rmtsim-{'user' if _USER is None else _USER}"
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
    """Create ``folder`` and its parents, accessible to this user only."""
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        # Another process may create it at the same time; the caller checks the owner afterwards.
        with contextlib.suppress(FileExistsError):
            each.mkdir(mode=0o700)


@functools.cache
def fresh_folder() -> Path:
    """A new temporary folder of this process, removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="rmtsim-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
