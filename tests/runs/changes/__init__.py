"""Kinds of change that make stored batches stale."""

from tests.runs.changes import (
    in_a_living_process,
    of_code,
    of_data,
    of_further_kinds,
    of_further_values,
    of_objects_in_memory,
    of_other_readers,
    of_the_environment,
    of_unseen_inputs,
)
from tests.runs.changes.base import C_READER, CODE, INPUT, REPLAY, write

__all__ = ["CHANGES", "CODE", "C_READER", "INPUT", "REPLAY", "write"]

CHANGES = [
    *of_code.CHANGES,
    *of_data.CHANGES,
    *of_unseen_inputs.CHANGES,
    *of_other_readers.CHANGES,
    *of_the_environment.CHANGES,
    *in_a_living_process.CHANGES,
    *of_objects_in_memory.CHANGES,
    *of_further_kinds.CHANGES,
    *of_further_values.CHANGES,
]
