"""One array from a file: .npy, .npz, .pt, .safetensors, or a table (.csv, .txt) with or without a header."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import plain
from rmtsim._internal.files import read_text
from rmtsim.spectra._weights import SUFFIXES, named_arrays

TABLES = (".csv", ".tsv", ".txt")
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "."})
_NAMED = 5
"""Names listed in a message."""


def read_file(path: Path) -> NDArray[Any]:
    """The array of a file that has one.

    Raises
    ------
    ValueError
        If the file is none of these, damaged, has text or missing entries, or several arrays; the message says what
        to do.
    """
    if path.suffix.lower() in TABLES:
        return _table(path)
    if path.suffix not in SUFFIXES or path.is_dir():
        accepted = ", ".join((*SUFFIXES, *TABLES))
        raise ValueError(f"{path}: expected a file that ends in one of {accepted}")
    arrays = [(name, np.asarray(array)) for name, array in named_arrays(path)]
    if len(arrays) == 1:
        return arrays[0][1]
    names = ", ".join(name for name, _ in arrays[:_NAMED]) + (", …" if len(arrays) > _NAMED else "")
    raise ValueError(
        f"{path}: {len(arrays)} arrays{f' ({names})' if arrays else ''}, expected one; rmtsim.model_spectrum "
        "analyses each"
    )


def _table(path: Path) -> NDArray[np.float64]:
    """Numbers in rows; a first line that has text is a header. One column or one row is a list of eigenvalues."""
    lines = [row for row in _rows(path) if row and any(cell.strip() for cell in row)]
    if not lines:
        raise ValueError(f"{path}: no numbers in this file")
    names = [f"column {k + 1}" for k in range(len(lines[0]))]
    if any(not _is_number(cell) and cell.strip().lower() not in _MISSING for cell in lines[0]):
        if len(lines) > 1 and len(lines[1]) == len(lines[0]) + 1:
            lines[0] = ["", *lines[0]]  # R writes no name above the names of the rows
        names = [plain(cell.strip()) or f"column {k + 1}" for k, cell in enumerate(lines[0])]
        lines = lines[1:]
    if not lines:
        raise ValueError(f"{path}: not a table of numbers (a header without rows)")
    for number, row in enumerate(lines, start=1):
        if len(row) != len(names):
            raise ValueError(f"{path}: row {number} has {len(row)} entries, and expected are {len(names)}")
    array = np.array([[_number(cell) for cell in row] for row in lines])
    _refuse_gaps(path, lines, array, names)
    return array.ravel() if 1 in array.shape else array


def _rows(path: Path) -> Iterator[list[str]]:
    text = read_text(path).removeprefix("\ufeff")
    kept = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    first = next((line for line in kept if line.strip()), "")
    separator = next((mark for mark in ("\t", ";", ",") if mark in first), None)
    if separator is None:
        return (line.split() for line in kept)
    return iter(csv.reader(kept, delimiter=separator, skipinitialspace=True))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _is_number(cell: str) -> bool:
    return not math.isnan(_number(cell))


def _refuse_gaps(path: Path, lines: list[list[str]], array: NDArray[np.float64], names: list[str]) -> None:
    """Refuse text, missing and infinite entries, naming columns and rows."""
    wrong = ~np.isfinite(array)
    if not wrong.any():
        return
    text = [
        name
        for k, name in enumerate(names)
        if any(wrong[i, k] and row[k].strip().lower() not in _MISSING for i, row in enumerate(lines))
    ]
    if text:
        listed = ", ".join(repr(name) for name in text[:_NAMED]) + (", …" if len(text) > _NAMED else "")
        raise ValueError(
            f"{path}: not a table of numbers ({listed}: text or infinite entries); expected numbers, so leave these "
            "columns out"
        )
    complete = int((~wrong.any(axis=1)).sum())
    raise ValueError(
        f"{path}: {int(wrong.sum())} of {array.size} entries are missing; expected all. Leave out incomplete rows "
        f"({complete} of {len(lines)} are complete) or columns"
    )
