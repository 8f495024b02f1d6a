"""Theorem 1 of `dong`: what is printed is refuted, what is corrected is confirmed, and what is shifted is not."""

import pytest

from rmtsim.verdicts import verify

POINT = [{"gamma": 0.6, "classes": 6}]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["diagonal", "offdiagonal"])
def test_norm_without_its_square_is_refuted_and_with_it_confirmed(name):
    printed, corrected = verify(
        [f"dong.thm1.{name}", f"dong.thm1.{name}/corrected"], points=POINT, budget=40, seed=3
    )
    assert str(printed.verdict) == "REFUTED"
    assert str(corrected.verdict) == "CONFIRMED"
    assert printed.note == corrected.note != ""


def test_ratio_of_blocks():
    assert str(verify("dong.thm1.ratio", points=POINT, budget=20)[0].verdict) == "CONFIRMED"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["diagonal-limit", "offdiagonal-limit", "ratio-rate"])
@pytest.mark.parametrize("gamma", [0.03, 0.8, 40.0])
def test_class_limits(name, gamma):
    assert str(verify(f"dong.thm1.{name}", points=[{"gamma": gamma}])[0].verdict) == "CONFIRMED"
    # Half a per cent is five tolerances: the negative control.
    shifted = verify(f"dong.thm1.{name}", points=[{"gamma": gamma}], control=0.005)[0]
    assert str(shifted.verdict) == "REFUTED"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["diagonal/corrected", "offdiagonal/corrected", "ratio"])
@pytest.mark.parametrize("control", [-0.05, 0.05])
def test_five_per_cent_off_is_not_confirmed(name, control):
    result = verify(f"dong.thm1.{name}", points=POINT, budget=15, control=control)[0]
    assert str(result.verdict) == "REFUTED"


def test_identity_and_its_negative_control():
    assert str(verify("dong.eq5", quick=True)[0].verdict) == "CONFIRMED"
    assert str(verify("dong.eq5", quick=True, control=0.05)[0].verdict) != "CONFIRMED"
