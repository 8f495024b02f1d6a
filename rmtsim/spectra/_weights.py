"""Weight matrices from wherever a model is kept: a PyTorch module, a mapping, .npy and .safetensors files, folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.files import open_regular
from rmtsim._internal.text import plain
from rmtsim.spectra._safetensors import read_safetensors

__all__ = ["as_matrix", "named_arrays", "plain_array", "read_array"]

SUFFIXES = (".npy", ".safetensors")


def named_arrays(source: Any) -> Iterator[tuple[str, Any]]:
    """(name, array) for every parameter of the model, one at a time.

    >>> [name for name, _ in named_arrays({"a": np.eye(3)})]
    ['a']
    """
    if isinstance(source, (str, os.PathLike)):
        yield from _from_path(Path(source))
        return
    if hasattr(source, "named_parameters"):
        for name, parameter in source.named_parameters():
            yield plain(name), plain_array(parameter)
        return
    if isinstance(source, Mapping):
        for name, value in source.items():
            yield plain(name), plain_array(value)
        return
    raise TypeError(
        f"source={type(source).__name__}: expected a PyTorch module, a mapping from names to arrays, or the path of a "
        f"folder or file ({', '.join(SUFFIXES)})"
    )


def plain_array(value: Any) -> Any:
    """A tensor of PyTorch as an array; anything else as it is."""
    if not hasattr(value, "detach"):
        return value
    value = value.detach().cpu()
    # NumPy has no bfloat16; single precision holds it.
    return (value.float() if value.is_floating_point() and value.element_size() < 4 else value).numpy()


def _from_path(path: Path) -> Iterator[tuple[str, Any]]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        if not files:
            raise ValueError(f"source={path}: no {' or '.join(SUFFIXES)} file in this folder")
        for file in files:
            prefix = plain(file.relative_to(path).with_suffix("").as_posix())
            for name, array in _from_file(file):
                yield (f"{prefix}.{name}" if name and len(files) > 1 else name or prefix), array
        return
    if not path.exists():
        raise ValueError(f"source={path}: no such file or folder")
    if path.suffix not in SUFFIXES:
        raise ValueError(f"source={path}: expected a folder, or a file that ends in {' or '.join(SUFFIXES)}")
    for name, array in _from_file(path):
        yield name or plain(path.stem), array


def _from_file(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix == ".npy":
        yield "", read_array(path)
    else:
        for name, array in read_safetensors(path):
            yield plain(name), array


def read_array(path: Path) -> NDArray[Any]:
    """The array of an .npy file; objects, which could run code, are refused."""
    try:
        with open_regular(path) as file:
            array = np.lib.format.read_array(file, allow_pickle=False, max_header_size=10_000)
    except (
        ValueError,
        EOFError,
        SyntaxError,
        TypeError,
        MemoryError,
        OverflowError,
        RecursionError,
    ) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise ValueError(f"{path}: not an .npy file of numbers ({reason})") from None
    return np.asarray(array)


def as_matrix(array: Any) -> NDArray[np.float64] | str:
    """The matrix of a layer, its longer side first, or the reason why it has none.

    A convolution's weights (out, in, …) become out × (in·…): what each output unit reads.
    """
    array = np.asarray(array)
    if array.dtype.kind != "f":
        return f"{array.dtype} numbers"
    if array.ndim < 2:
        return "a vector, not a matrix"
    matrix = array.reshape(array.shape[0], -1).astype(np.float64)
    if not np.isfinite(matrix).all():
        return "has NaN or infinite entries"
    if not matrix.any():
        return "all zero"
    return matrix if matrix.shape[0] >= matrix.shape[1] else np.ascontiguousarray(matrix.T)
