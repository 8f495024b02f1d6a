"""Statements in Unicode, typeset: scripts, roots and fractions as HTML that needs no font and no program.

Only what has one reading is changed. ``(1 + 2γ)/(4m²)`` becomes a stacked fraction; ``γ(m-1)²/(2m)`` stays on its line,
because its numerator is ambiguous. Every letter of the text is kept: nothing is interpreted as markup.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from rmtsim.report._markup import Markup, escaped, joined, tag

LONGEST = 3000
"""Characters that are typeset; a longer text is shown as it is."""
_DEEPEST = 6

_CLOSERS = {"(": ")", "{": "}", "[": "]"}
_PROSE = re.compile(r"(?:[A-Za-z]{3,}[ ,;:.]+)+")
"""Words that can be no variable and carry no script: taken in one piece."""
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SUBSCRIPT = re.compile(r"[^\W_]+")
_SUPERSCRIPT = re.compile(r"[-−+]\d+(?:\.\d+)?(?:/\d+)?|[^\W_]+|[*∞]")
_POWER = re.compile(r"[-−+]?\d+(?:\.\d+)?(?:/\d+)?")
_AFTER_FRACTION = set(" ,.;:)]}|⟩‖→\n")
_ARTICLES = {"a", "A", "I"}
_OPERATORS = {"E", "P"}
"""Upright before a bracket: expectation and probability."""

_UNSEEN_OPEN, _UNSEEN_BAR, _UNSEEN_CLOSE = (tag("span", words, class_="vh") for words in ("(", ")/(", ")"))


def _is_raised(letter: str) -> bool:
    return unicodedata.decomposition(letter).startswith("<super>")


def _is_lowered(letter: str) -> bool:
    return unicodedata.decomposition(letter).startswith("<sub>")


@functools.lru_cache(maxsize=4096)  # a statement occurs in its row, in its card and in that of its twin
def typeset(text: str) -> Markup:
    """A text with its formulas.

    >>> typeset("‖H‖²_F → x^{m-1}")
    '‖<i>H</i>‖<span class="ss"><sup>2</sup><sub><i>F</i></sub></span> → <i>x</i><sup><i>m</i>−1</sup>'
    """
    if len(text) > LONGEST:
        return escaped(text)
    return _Reader(text).read(0, len(text), 0, formula=False)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.match = _matching(text)

    def read(self, start: int, end: int, depth: int, *, formula: bool) -> Markup:
        """The part from ``start`` to ``end``; in a ``formula`` every hyphen is a minus and every word a product."""
        if depth > _DEEPEST:
            return escaped(self.text[start:end])
        parts: list[Markup] = []
        place = start
        while place < end:
            prose = _PROSE.match(self.text, place, end)
            if prose is not None:
                parts.append(escaped(prose.group()))
                place = prose.end()
                continue
            made = self._fraction(place, start, end, depth)
            if made is None:
                made = self._unit(place, start, end, depth, formula)
            piece, place = made
            parts.append(piece)
        return joined(parts)

    def _unit(self, place: int, start: int, end: int, depth: int, formula: bool) -> tuple[Markup, int]:
        """One base with its scripts."""
        letter = self.text[place]
        if letter == "√":
            root = self._root(place, end, depth)
            if root is not None:
                return root
        word = _WORD.match(self.text, place, end)
        if word is not None and not (_is_raised(letter) or _is_lowered(letter)):
            stop = next(
                (
                    at
                    for at in range(place, word.end())
                    if _is_raised(self.text[at]) or _is_lowered(self.text[at])
                ),
                word.end(),
            )
            scripts, after = self._scripts(stop, end, depth, self.text[place:stop])
            piece = self._word(place, stop, end, formula, bool(scripts))
            return joined([piece, scripts]), after
        number = _NUMBER.match(self.text, place, end)
        if number is not None and letter.isascii():
            scripts, after = self._scripts(number.end(), end, depth, "1")
            return joined([escaped(number.group()), scripts]), after
        if letter == "-" and self._is_minus(place, start, end, formula):
            return escaped("−"), place + 1
        if letter.isspace() or letter in "_^":
            return escaped(letter), place + 1
        if _is_raised(letter) or _is_lowered(letter):
            return self._scripts(place, end, depth, "1")
        scripts, after = self._scripts(place + 1, end, depth, letter)
        return joined([escaped(letter), scripts]), after

    def _word(self, place: int, stop: int, end: int, formula: bool, scripted: bool) -> Markup:
        word = self.text[place:stop]
        genitive = (
            word == "s" and self.text[max(place - 1, 0)] in "'’" and self.text[max(place - 2, 0)].isalpha()
        )
        if genitive or not self._is_variable(word, stop, end, formula, scripted):
            return escaped(word)
        # In γE[ξ²] the expectation stays upright.
        return joined(
            escaped(part) if part in _OPERATORS else tag("i", part)
            for part in re.split("([EP])", word)
            if part
        )

    def _is_variable(self, word: str, stop: int, end: int, formula: bool, scripted: bool) -> bool:
        after = self.text[stop : stop + 2] if stop < end else ""
        if word in _OPERATORS and after[:1] in ("[", "(", "‖", "|"):
            return False
        if word.isascii() and word.isupper() and after[:1] == "." and after[1:].isdigit():
            return False  # Lemma B.1
        if len(word) == 1 and "Α" <= word <= "Ω":
            return False
        if len(word) == 1:
            article = (
                word in _ARTICLES
                and after[:1] == " "
                and after[1:].isalpha()
                and not scripted
                and not formula
            )
            single = article and _WORD.match(self.text, stop + 1, end)
            return not (single and len(single.group()) > 1)
        greek = any("Ͱ" <= letter <= "Ͽ" for letter in word)
        return (len(word) <= 2 and (scripted or greek or formula)) or (greek and len(word) <= 3)

    def _is_minus(self, place: int, start: int, end: int, formula: bool) -> bool:
        """Between two things that can be subtracted, or a sign; never inside a word such as cross-entropy."""
        if formula:
            return True
        before = self.text[place - 1] if place > start else " "
        left = before in ")]}‖| (=[,/" or not before.isascii() or self._alone(place - 1, start)
        word = _WORD.match(self.text, place + 1, end)
        follows = self.text[place + 1] if place + 1 < end else " "
        right = len(word.group()) <= 2 if word else follows.isdigit() or follows in " (√|‖∞[{"
        return left and right

    def _alone(self, place: int, start: int) -> bool:
        """Whether a digit, or a letter that is no end of a longer word, stands here."""
        letter = self.text[place]
        before = self.text[place - 1] if place > start else " "
        return letter.isdigit() or (letter.isalpha() and not before.isalpha())

    def _root(self, place: int, end: int, depth: int) -> tuple[Markup, int] | None:
        after = place + 1
        if after >= end:
            return None
        if self.text[after] == "(" and self.match.get(after, end) < end:
            inside = self.read(after + 1, self.match[after], depth + 1, formula=True)
            after = self.match[after] + 1
        else:
            atom = self._atom(after, end, depth)
            if atom is None:
                return None
            inside, after = atom
        radicand = tag("span", inside, class_="radicand")
        return tag("span", "√", _UNSEEN_OPEN, radicand, _UNSEEN_CLOSE, class_="root"), after

    def _atom(self, place: int, end: int, depth: int) -> tuple[Markup, int] | None:
        """A number or one letter, with scripts."""
        number = _NUMBER.match(self.text, place, end)
        if number is not None:
            scripts, after = self._scripts(number.end(), end, depth, "1")
            return joined([escaped(number.group()), scripts]), after
        letter = self.text[place : min(place + 1, end)]
        if not letter.isalpha() or _is_raised(letter) or _is_lowered(letter):
            return None
        scripts, after = self._scripts(place + 1, end, depth, letter)
        return joined([tag("i", letter), scripts]), after

    def _fraction(self, place: int, start: int, end: int, depth: int) -> tuple[Markup, int] | None:
        """``(…)/(…)`` or ``(…)/atom`` where the bracket is no argument and nothing more hangs on the denominator."""
        close = self.match.get(place, end) if self.text[place] == "(" else end
        if close + 2 >= end or self.text[close + 1] != "/":
            return None
        before = self.text[place - 1] if place > start else " "
        if not (before.isspace() or before in "([{=·→"):
            return None
        if self.text[place + 1 : close].isdigit():  # the number of an equation
            return None
        below = close + 2
        if self.text[below] == "(":
            stop = self.match.get(below, end)
            if stop >= end:
                return None
            lower, after = self.read(below + 1, stop, depth + 1, formula=True), stop + 1
        else:
            atom = self._atom(below, end, depth)
            if atom is None:
                return None
            lower, after = atom
        if after < end and self.text[after] not in _AFTER_FRACTION:
            return None
        upper = self.read(place + 1, close, depth + 1, formula=True)
        # The fraction bar is also present as text, for screen readers and for copying.
        parts = (_UNSEEN_OPEN, tag("span", upper), _UNSEEN_BAR, tag("span", lower), _UNSEEN_CLOSE)
        return tag("span", *parts, class_="frac"), after

    def _scripts(self, place: int, end: int, depth: int, base: str) -> tuple[Markup, int]:
        """Everything raised and lowered that hangs on ``base``, and where it ends."""
        raised: list[Markup] = []
        lowered: list[Markup] = []
        while place < end:
            letter = self.text[place]
            if _is_raised(letter) or _is_lowered(letter):
                same = _is_raised if _is_raised(letter) else _is_lowered
                stop = place
                while stop < end and same(self.text[stop]):
                    stop += 1
                plain = unicodedata.normalize("NFKC", self.text[place:stop])
                (raised if same is _is_raised else lowered).append(escaped(plain))
                place = stop
                continue
            found = self._script(place, end, depth, base) if letter in "_^" else None
            if found is None:
                break
            piece, place = found
            (raised if letter == "^" else lowered).append(piece)
        up, down = tag("sup", *raised) if raised else "", tag("sub", *lowered) if lowered else ""
        return (tag("span", up, down, class_="ss") if up and down else joined([up, down])), place

    def _script(self, place: int, end: int, depth: int, base: str) -> tuple[Markup, int] | None:
        after = place + 1
        opener = self.text[after] if after < end else ""
        close = self.match.get(after, end)
        if opener == "{" and close < end:
            return self.read(after + 1, close, depth + 1, formula=True), close + 1
        if self.text[place] == "^" and opener == "(" and close < end:
            inside = self.text[after + 1 : close]
            bare = _POWER.fullmatch(inside) is not None and not inside.isdigit()
            begin, stop = (
                (after + 1, close) if bare else (after, close + 1)
            )  # W^(2) is a layer, d^(-1/2) a power
            return self.read(begin, stop, depth + 1, formula=True), close + 1
        pattern = _SUPERSCRIPT if self.text[place] == "^" else _SUBSCRIPT
        found = pattern.match(self.text, after, end)
        if found is None:
            return None
        # Unicode's own scripts end the run: a_11² has the subscript 11.
        stop = next(
            (
                at
                for at in range(after, found.end())
                if _is_raised(self.text[at]) or _is_lowered(self.text[at])
            ),
            found.end(),
        )
        word = self.text[after:stop]
        if not word or (len(base) > 2 and len(word) > 2 and base.islower() and word.islower()):
            return None  # a name such as liu_bottleneck
        if word.isalpha():
            return (tag("i", word) if len(word) <= 2 else escaped(word)), stop
        return self.read(after, stop, depth + 1, formula=True), stop


def _matching(text: str) -> dict[int, int]:
    """Where each opening bracket is closed, in one pass; what does not fit has no entry."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for place, letter in enumerate(text):
        if letter in _CLOSERS:
            waiting.append(place)
        elif letter in _CLOSERS.values():
            if waiting and _CLOSERS[text[waiting[-1]]] == letter:
                found[waiting.pop()] = place
            else:
                waiting.clear()
    return found
