import pytest

import rmtsim


def test_every_exported_name_loads():
    assert set(rmtsim.__all__) == {*rmtsim._HOMES, "__version__", "predict"}
    for name in rmtsim.__all__:
        assert getattr(rmtsim, name) is not None
        assert name in dir(rmtsim)


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rmtsim.nonsense
