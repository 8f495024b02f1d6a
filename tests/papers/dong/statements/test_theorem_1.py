"""Theorem 1 of `dong`: printed forms are refuted, corrected forms are confirmed, and shifted forms are not."""

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
    (result,) = verify(f"dong.thm1.{name}", points=[{"gamma": gamma}])
    assert result.severity.relative < 0.005


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["diagonal/corrected", "offdiagonal/corrected", "ratio"])
def test_five_per_cent_off_would_be_refuted(name):
    (result,) = verify(f"dong.thm1.{name}", points=POINT, budget=15)
    assert result.severity.relative < 0.05


def test_an_error_of_five_per_cent_of_an_identity_would_be_refuted():
    (result,) = verify("dong.eq5", quick=True)
    assert result.severity.relative < 0.05
