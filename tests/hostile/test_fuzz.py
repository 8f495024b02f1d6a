"""Seeded hostile inputs over public functions and commands: 0 tracebacks, 0 hangs, 0 silent NaN, every error named."""

import pytest

from tests.hostile import fuzz_commands, fuzz_functions
from tests.hostile.public import NOT_CALLED, calls, public_names


def test_every_public_name_is_covered():
    """A new public function gets valid arguments in public.py or objects.py, or a reason."""
    assert not calls()[1]
    assert set(NOT_CALLED) <= {name for name, _ in public_names()}


@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_valid_arguments_are_accepted(share):
    """Of every fifth call, and of all (slow)."""
    known = calls()[0][::share]
    refused = {
        call.name: problem
        for call in known
        if (
            problem := fuzz_functions.try_once(
                call, {name: make() for name, make in call.arguments.items()}, ()
            )
        )
    }
    assert not refused


def test_functions():
    assert fuzz_functions.run(200) == []


def test_commands():
    assert fuzz_commands.run(80) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_thousand_functions(seed):
    assert fuzz_functions.run(1000, seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_thousand_commands(seed):
    assert fuzz_commands.run(1000, seed) == []
