"""Files that this process holds: mapped into its memory, or open for reading."""

from __future__ import annotations

import os
import re
import stat
import sys

from rmtsim.runs._identity.sources import is_installed

SYSTEM = ("/proc/", "/sys/", "/dev/")
_LIBRARIES = ("/usr/", "/lib", "/memfd:", "/SYSV", sys.base_prefix, sys.prefix)
_LEFT_OUT = (" (deleted)", ".nbi", ".nbc")
"""Endings of names: the last two are files in which numba keeps compiled functions."""


def held_files() -> set[str]:
    """Names of regular files that are mapped or open for reading, outside of Python and its packages.

    It is empty on systems that do not report them in ``/proc``.

    >>> os.__file__ in held_files()
    False
    """
    return {
        name
        for name in (*_mapped(), *_open())
        if not name.startswith((*SYSTEM, *_LIBRARIES))
        and not is_installed(name)
        and not name.endswith(_LEFT_OUT)
    }


_MAPPED = re.compile(rb"^[^ ]+ (?!.w.s)[^/\n]*(/.*)$", re.MULTILINE)
"""Name of the file of a line, unless it is a shared writable map, which is not an input: the store of batches has one.

One search through the whole text, because this runs after every batch and libraries have hundreds of lines."""


def _mapped() -> set[str]:
    try:
        with open("/proc/self/maps", "rb") as lines:
            return {os.fsdecode(name) for name in set(_MAPPED.findall(lines.read()))}
    except OSError:
        return set()


def _open() -> set[str]:
    found = set()
    try:
        for number in os.listdir("/proc/self/fd"):
            try:
                name = os.readlink(f"/proc/self/fd/{number}")
                if name.startswith("/") and stat.S_ISREG(os.fstat(int(number)).st_mode) and _is_read(number):
                    found.add(name)
            except OSError:
                continue  # closed meanwhile
    except OSError:
        return set()
    return found


def _is_read(number: str) -> bool:
    """Whether a descriptor is for reading alone; the store of batches is open for writing."""
    with open(f"/proc/self/fdinfo/{number}", encoding="ascii") as lines:
        flags = next(line for line in lines if line.startswith("flags:"))
    return int(flags.split()[1], 8) & (os.O_WRONLY | os.O_RDWR) == 0
