"""Text from elsewhere (stores, users' claims, messages of other programs), made safe for a terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["plain"]


def plain(text: object) -> str:
    r"""``text`` with everything a terminal would obey, or that turns its direction, written as an escape.

    Line ends stay. A store or a claim may come from anywhere, and an escape sequence in it could move the cursor, set
    the title or put words into the keyboard's buffer.

    >>> plain("a\x1b[2Jb\n")
    'a\\x1b[2Jb\n'
    """
    return "".join(
        letter
        if letter == "\n" or letter.isprintable() or unicodedata.category(letter) == "Zs"
        else _escaped(letter)
        for letter in str(text)
    )


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", errors="backslashreplace").decode("ascii")
