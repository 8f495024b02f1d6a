"""Plain text as Markdown that shows exactly that text."""

from __future__ import annotations

import re

__all__ = ["cell", "escaped"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")


def escaped(text: str) -> str:
    """``text`` with everything escaped that Markdown would take for markup."""
    return _SPECIAL.sub(r"\\\1", text)


def cell(text: str) -> str:
    """The same on one line, for a table."""
    return escaped(" ".join(text.split()))
