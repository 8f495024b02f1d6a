import math

import numpy as np
import pytest

from rmtsim._internal import validate
from rmtsim.errors import MemoryLimitError


@pytest.mark.parametrize("value", [True, np.True_, 2.0, "3", None, 1j, math.nan])
def test_integer_refuses_other_types(value):
    with pytest.raises(TypeError, match=r"classes=.*expected an integer in \[2, 9\] \(number of classes\)"):
        validate.integer("classes", value, minimum=2, maximum=9, meaning="number of classes")


@pytest.mark.parametrize("value", [1, 10, -5, np.int64(1)])
def test_integer_refuses_out_of_range(value):
    with pytest.raises(ValueError, match=r"classes=-?\d+: expected an integer in \[2, 9\]"):
        validate.integer("classes", value, minimum=2, maximum=9)


@pytest.mark.parametrize("value", [0, -0.5, math.inf, -math.inf, math.nan, np.float64("nan")])
def test_positive_number_refuses(value):
    with pytest.raises(ValueError, match=r"ratio=.*expected a finite number"):
        validate.positive_number("ratio", value)


@pytest.mark.parametrize("value", [True, "1", None, 1j, [1.0]])
def test_positive_number_refuses_other_types(value):
    with pytest.raises(TypeError, match="ratio="):
        validate.positive_number("ratio", value)


def test_numpy_scalars_are_numbers():
    assert validate.integer("n", np.int32(4)) == 4
    assert validate.positive_number("x", np.float32(0.5)) == 0.5


def test_memory_names_need_and_limit():
    with pytest.raises(
        MemoryLimitError, match="a thing would need about 2 GiB of memory, and 1 GiB are available"
    ):
        validate.memory(2 * 2**30, "a thing", limit=2**30)
