"""Typesetting keeps every letter, makes no markup of any text, and reads formulas as their authors mean them."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmtsim.claims import all_claims
from rmtsim.report._typeset import LONGEST, typeset
from tests.report.reading import Page

SIGNS = "_^{}()[]√/|‖²⁻ᵀ₁γΣE a1x-−·→<>&\"'½*"


def letters(text):
    """What must survive: everything but the signs of scripts and brackets; a superscript may change places with a
    subscript."""
    return sorted(re.sub(r"[\s_^{}()/−-]", "", unicodedata.normalize("NFKC", text)))


def _check(text):
    shown = Page(str(typeset(text)))
    assert not shown.faults
    assert {name for name, _ in shown.tags} <= {"i", "sub", "sup", "span"}
    assert letters(shown.text) == letters(text)


@given(st.text(alphabet=SIGNS, max_size=40))
def test_any_text_keeps_its_letters_and_makes_no_tags(text):
    _check(text)


def test_every_statement_keeps_its_letters():
    for claim in all_claims():
        _check("\n".join((claim.statement, claim.note, claim.because, claim.cause, claim.credit)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_11²", '<i>a</i><span class="ss"><sup>2</sup><sub>11</sub></span>'),
        ("W^(2)_ij", '<i>W</i><span class="ss"><sup>(2)</sup><sub><i>ij</i></sub></span>'),
        ("d^(-1/2)", "<i>d</i><sup>−1/2</sup>"),
        ("N^-1/2", "<i>N</i><sup>−1/2</sup>"),
        ("λ_max", "<i>λ</i><sub>max</sub>"),
        ("x_{n-1}", "<i>x</i><sub><i>n</i>−1</sub>"),
        ("C⁻²", "<i>C</i><sup>−2</sup>"),
        ("cross-entropy", "cross-entropy"),
        ("off-diagonal (24)/(25)", "off-diagonal (24)/(25)"),
        ("liu_bottleneck.py", "liu_bottleneck.py"),
        ("a block's norm", "a block&#x27;s norm"),
        ("E[ξ] and P(x)", "E[<i>ξ</i>] and P(<i>x</i>)"),
        ("Lemma B.1, x in B.", "Lemma B.1, <i>x</i> in <i>B</i>."),
        ("p(1-p)", "<i>p</i>(1−<i>p</i>)"),
    ],
)
def test_readings(text, expected):
    assert typeset(text) == expected


def test_a_fraction_is_stacked_only_where_it_has_one_reading():
    assert 'class="frac"' in typeset("= (1 + 2γ)/(4m²) as C → ∞")
    assert 'class="frac"' in typeset("(1 + 2γ)/m²")
    # The argument of a function, a power of the denominator, a product after it: all stay on the line.
    for text in ("g(γ, C)/(C-1)", "(1+γ)/(4m)²", "(1+γ)/4m", "(1+γ)/b(c)", "γ(m-1)²/(2m)"):
        assert 'class="frac"' not in typeset(text)
    assert Page(str(typeset("(1 + 2γ)/(4m²)"))).text == "(1 + 2γ)/(4m2)"  # heard and copied with its brackets
    assert Page(str(typeset("√(m/(m-2)) + 1"))).text == "√(m/(m−2)) + 1"


@pytest.mark.parametrize(
    "text", ["(" * 2900, "_{" * 1400, "x^{" * 900, "√(" * 1400, "a" * LONGEST + "_b", "_" * 2999]
)
def test_hostile_lengths_end(text):
    assert letters(Page(str(typeset(text))).text) == letters(text)
