"""Helpers that every part of the package uses: validation, streams, caches, compiled functions, safe text."""

from __future__ import annotations

import unicodedata


def plain(text: object) -> str:
    r"""``text`` with control characters and changes of direction written as escapes; line ends stay.

    Texts of stores, claims and other programs may contain escape sequences that would control the terminal.

    >>> plain("a\x1b[2Jb\n")
    'a\\x1b[2Jb\n'
    """
    return "".join(
        letter
        if letter == "\n" or letter.isprintable() or unicodedata.category(letter) == "Zs"
        else letter.encode("unicode_escape", errors="backslashreplace").decode("ascii")
        for letter in str(text)
    )
