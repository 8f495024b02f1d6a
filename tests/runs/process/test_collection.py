"""Python's garbage collection is suspended inside the context and restored afterwards."""

import gc

import pytest

from rmtsim.runs._process import without_collection


def fail_without_collection():
    with without_collection(), without_collection():
        assert not gc.isenabled()
        raise KeyError


@pytest.mark.parametrize("was_on", [True, False])
def test_afterwards_it_is_as_it_was(was_on):
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        with pytest.raises(KeyError):
            fail_without_collection()
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
