"""Verdicts on `li`'s appendices E and F, and controls that must not pass."""

import pytest

from rmtsim.claims import find
from rmtsim.verdicts import verify


def verdict(name, **options):
    (result,) = verify([find(name)], **({"budget": 6.0} | options))
    return {point.verdict.name for point in result.points}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "li.propF.1",
        "li.corF.1",
        "li.sec5.2.bn",
        "li.sec5.2.bn.statistics",
        "li.sec5.1.coefficients",
        "li.appE.5.exponent",
        "li.alg1",
        "li.F.2.1.gates",
    ],
)
def test_printed_is_refuted_and_corrected_confirmed(name):
    assert verdict(name) == {"REFUTED"}
    assert verdict(f"{name}/corrected") == {"CONFIRMED"}


@pytest.mark.thorough
def test_the_power_of_the_width_is_refuted():
    assert verdict("li.lemmaF.1", budget=40.0) == {"REFUTED"}


def test_table_2_in_closed_form():
    assert verdict("li.table2.correlation") == {"CONFIRMED"}
    assert verdict("li.sec5.1.share") == {"UNTESTED"}


def test_the_skewnesses_of_table_2_are_too_many():
    assert verdict("li.table2.skewness") == {"REFUTED"}
