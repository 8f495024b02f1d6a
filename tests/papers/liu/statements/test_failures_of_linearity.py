"""Sections 4 and 5: cheap verdicts are as known."""

import pytest

from rmtsim import verify
from rmtsim.claims import find


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("liu.eq27", "CONFIRMED"),
        ("liu.eq122", "REFUTED"),
        ("liu.eq122/corrected", "CONFIRMED"),
        ("liu.eq124", "REFUTED"),
        ("liu.eq124/corrected", "CONFIRMED"),
        ("liu.lemmaH.1", "REFUTED"),
        ("liu.lemmaH.1.fixed", "CONFIRMED"),
        ("liu.thm4.1", "REFUTED"),
        ("liu.sec4.always", "REFUTED"),
        ("liu.appH.activations", "REFUTED"),
        ("liu.appH.activations/corrected", "CONFIRMED"),
        ("liu.eq33", "REFUTED"),
        ("liu.eq109", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=3)[0].verdict) == verdict


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("liu.thm4.1/corrected", {"radius": -1.0}, "radius=-1.0"),
        ("liu.sec4.hessian", {"output": 9}, "output=9"),
        ("liu.sec4.change", {"label": 0.0}, "label=0.0"),
        ("liu.thm5.1", {"bend": 1.0}, "bend=1.0"),
        ("liu.eq33", {"delta": 0.5}, "delta=0.5"),
    ],
)
def test_bad_parameters_are_one_clear_line(name, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        find(name).prediction(changes)
    assert "\n" not in str(caught.value)


def test_lemma_h1_at_fixed_shifts_fails_with_a_larger_constant():
    """At δ = 0.45 the limit of the probability is P(|G| ≥ C₁δ³): 0.12 for the tested C₁ = 17, 0.04 for 22."""
    (found,) = verify("liu.lemmaH.1.fixed", points=[{"delta": 0.45, "constant": 22.0}], budget=3)
    assert str(found.verdict) == "REFUTED"
