"""Validation of the arguments of the functions in this folder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array


def checked_dictionary(name: str, value: Any) -> Array:
    """``value`` as a d × p matrix of finite numbers without a zero column.

    >>> checked_dictionary("dictionary", [[1.0, 0.0]])
    Traceback (most recent call last):
        ...
    ValueError: dictionary: column 1 is zero; expected atoms that are not
    """
    array = np.ascontiguousarray(
        validate.real_array(name, value, meaning="a dictionary, one atom per column")
    )
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} of shape {array.shape}: expected a d × p matrix, one atom per column")
    _usual(name, array)
    zero = np.flatnonzero(~array.any(axis=0))
    if zero.size:
        raise ValueError(f"{name}: column {zero[0]} is zero; expected atoms that are not")
    return array


def checked_sparsity(sparsity: Any, atoms: int) -> int:
    """k, from 1 to the number of atoms.

    >>> checked_sparsity(5, 3)
    Traceback (most recent call last):
        ...
    ValueError: sparsity=5: expected an integer in [1, 3] (number k of atoms in a code)
    """
    return validate.integer("sparsity", sparsity, maximum=atoms, meaning="number k of atoms in a code")


def checked_measurements(value: Any, dimension: int, name: str = "measurements") -> Array:
    """``value`` as rows of finite numbers, one measurement each; a single one may be a list.

    >>> checked_measurements([1.0, 2.0], 2).shape
    (1, 2)
    """
    array = np.atleast_2d(validate.real_array(name, value, meaning="one measurement y per row"))
    if array.ndim != 2 or array.shape[1] != dimension or not array.size:
        raise ValueError(
            f"{name} of shape {array.shape}: expected rows of {dimension} numbers, as many as the "
            "dictionary has rows"
        )
    _usual(name, array)
    return np.ascontiguousarray(array)


def _usual(name: str, array: Array) -> None:
    """Squares of entries are formed everywhere: they must neither overflow nor all vanish."""
    largest = float(np.abs(array).max())
    if largest > 1e100 or 0 < largest < 1e-100:
        raise ValueError(
            f"{name}: largest entry {largest:.3g}; expected numbers between 1e-100 and 1e100 in size"
        )


def checked_mask(value: Any, dimension: int) -> NDArray[np.int64]:
    """The unmasked coordinates M that are decoded from: some, and not all, of d; distinct.

    >>> checked_mask([], 4)
    Traceback (most recent call last):
        ...
    ValueError: mask of size 0: expected 1 to 3 distinct coordinates out of 4 (M, which codes are decoded from)
    """
    meaning = "(M, which codes are decoded from)"
    expected = f"expected 1 to {dimension - 1} distinct coordinates out of {dimension} {meaning}"
    entries = validate.sequence("mask", value, meaning="coordinates in M")
    if not 1 <= len(entries) < dimension:
        raise ValueError(f"mask of size {len(entries)}: {expected}")
    members = [
        validate.integer("mask", each, minimum=0, maximum=dimension - 1, meaning="a coordinate in M")
        for each in entries
    ]
    if len(set(members)) < len(members):
        raise ValueError(f"mask={validate.shown(members)}: {expected}")
    return np.array(sorted(members), dtype=np.int64)


def checked_noise(noise: Any) -> float:
    """σ ≥ 0.

    >>> checked_noise(-1.0)
    Traceback (most recent call last):
        ...
    ValueError: noise=-1.0: expected a finite number >= 0 (standard deviation σ of the noise)
    """
    number = validate.finite_number("noise", noise, meaning="standard deviation σ of the noise")
    if number < 0:
        raise ValueError(f"noise={number}: expected a finite number >= 0 (standard deviation σ of the noise)")
    return number
