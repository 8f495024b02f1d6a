"""Weight matrices of a model from a PyTorch module, a mapping, files of arrays or folders."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import plain, validate
from rmtsim._internal.files import open_regular

SUFFIXES = (".npy", ".npz", ".safetensors", ".pt", ".pth")


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
            raise ValueError(f"source={path}: no {', '.join(SUFFIXES)} file in this folder")
        for file in files:
            prefix = plain(file.relative_to(path).with_suffix("").as_posix())
            for name, array in _from_file(file):
                yield (f"{prefix}.{name}" if name and len(files) > 1 else name or prefix), array
        return
    if not path.exists():
        raise ValueError(f"source={path}: no such file or folder")
    if path.suffix not in SUFFIXES:
        raise ValueError(
            f"source={path}: expected a folder, or a file that ends in one of {', '.join(SUFFIXES)}"
        )
    for name, array in _from_file(path):
        yield name or plain(path.stem), array


def _from_file(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix == ".npy":
        yield "", read_array(path)
        return
    from rmtsim.spectra._checkpoint import read_checkpoint
    from rmtsim.spectra._safetensors import read_safetensors

    readers = {".npz": _read_archive, ".safetensors": read_safetensors}
    for name, array in readers.get(path.suffix, read_checkpoint)(path):
        yield plain(name), array


def read_array(path: Path) -> NDArray[Any]:
    """The array of an .npy file; objects, which could run code, are refused."""
    with open_regular(path) as file:
        return _array(file, str(path), "an .npy file of numbers")


def _read_archive(path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of an .npz file, one at a time."""
    with open_regular(path) as file:
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
            raise ValueError(f"{path}: not an .npz file of numbers ({_line(error)})") from None
        with archive:
            for entry in archive.infolist():
                validate.memory(2.0 * entry.file_size, f"{entry.filename} of {path}")
                try:
                    with archive.open(entry) as member:
                        array = _array(member, f"{path}, {plain(entry.filename)}", "an array of numbers")
                except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
                    raise ValueError(f"{path}: not an .npz file of numbers ({_line(error)})") from None
                yield entry.filename.removesuffix(".npy"), array


def _array(file: Any, name: str, expected: str) -> NDArray[Any]:
    try:
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
        raise ValueError(f"{name}: not {expected} ({_line(error)})") from None
    return np.asarray(array)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


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
