"""Construction of HTML: everything that is not markup made here is escaped."""

from __future__ import annotations

import functools
import html
import unicodedata
from collections.abc import Iterable

_VOID = {"br", "input", "meta"}


class Markup(str):
    """Text that is HTML already; only this module's functions make it, from escaped parts."""

    __slots__ = ()


def escaped(value: object) -> Markup:
    r"""Any text as HTML; control characters and changes of direction are written as escapes.

    >>> escaped('<b title="x">\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\u202e'
    """
    if isinstance(value, Markup):
        return value
    text = str(value)
    return _short(text) if len(text) <= _SHORT else _escaped(text)


_SHORT = 60
"""Length up to which escaped texts are cached; words and numbers are often repeated on a page."""


def _escaped(text: str) -> Markup:
    if not (text.isprintable() or text.replace("\n", "").isprintable()):
        text = "".join(_visible(letter) for letter in text)
    return Markup(html.escape(text, quote=True))


_short = functools.lru_cache(maxsize=20_000)(_escaped)


def _visible(letter: str) -> str:
    if letter == "\n" or letter.isprintable() or unicodedata.category(letter) == "Zs":
        return letter
    return letter.encode("unicode_escape", errors="backslashreplace").decode("ascii")


def joined(parts: Iterable[object], between: object = "") -> Markup:
    """Parts one after the other."""
    # Most parts are markup already: a page has a million of them.
    return Markup(escaped(between).join([part if type(part) is Markup else escaped(part) for part in parts]))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element; ``class_`` and ``aria_label`` become class and aria-label, None and False leave an attribute out.

    >>> tag("p", "a < b", tag("b", "c"), class_="note", hidden=False)
    '<p class="note">a &lt; b<b>c</b></p>'
    """
    words = ""
    for key, value in attributes.items():
        if value is not None and value is not False:
            words += _attribute(key) if value is True else f'{_attribute(key)}="{escaped(value)}"'
    if name in _VOID:
        return Markup(f"<{name}{words}>")
    return Markup(f"<{name}{words}>{joined(children)}</{name}>")


@functools.cache
def _attribute(key: str) -> str:
    return f" {key.rstrip('_').replace('_', '-')}"


def code(value: object) -> Markup:
    """A name, as typed."""
    return tag("code", value)
