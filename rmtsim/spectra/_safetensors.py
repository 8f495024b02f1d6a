"""A small reader of the safetensors format: a JSON header, then raw numbers. Nothing in a file is ever executed.

Layout: eight bytes, little-endian, with the header's length; the header, an object from names to dtype, shape and
begin/end in what follows; the numbers. Inconsistent files are refused with one line that names the file.
"""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.files import open_regular

_LONGEST_HEADER = 100_000_000
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_OTHERS = {"I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}
_NARROW = {"F8_E4M3": 1, "F8_E5M2": 1}


def read_safetensors(path: str | os.PathLike[str]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Read the floating-point tensors of a safetensors file, one at a time.

    Parameters
    ----------
    path : str or path-like
        The file. Nothing in it is executed.

    Returns
    -------
    iterator of (str, ndarray)
        Names and arrays in the order of the file. bfloat16 is returned as float32; integers and booleans are left
        out.

    Raises
    ------
    ValueError
        If the file is damaged or not a safetensors file; the message names the file.

    Examples
    --------
    >>> import tempfile
    >>> header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "model.safetensors"
    ...     _ = file.write_bytes(len(header).to_bytes(8, "little") + header + np.float32([1, 2]).tobytes())
    ...     [(name, array.tolist()) for name, array in read_safetensors(file)]
    [('w', [1.0, 2.0])]
    """
    path = Path(path)
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        start, entries = _header(file.read(8), file, size, path)
        for name, dtype, shape, begin, end in entries:
            if dtype not in _DTYPES:
                continue
            file.seek(start + begin)
            raw = file.read(end - begin)
            if len(raw) != end - begin:
                raise _refused(path, f"ends within the tensor {_short(name)}")
            array = np.frombuffer(raw, dtype=_DTYPES[dtype])
            if dtype == "BF16":
                array = (array.astype(np.uint32) << 16).view(np.float32)
            yield name, array.reshape(shape)


def _header(
    first: bytes, file: Any, size: int, path: Path
) -> tuple[int, list[tuple[str, str, Any, int, int]]]:
    length = int.from_bytes(first, "little")
    if len(first) < 8 or not 2 <= length <= min(size - 8, _LONGEST_HEADER):
        raise _refused(path, f"says its header has {length} bytes, and the file has {size}")
    try:
        header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"has a header that is no JSON object ({str(error)[:80]})") from None
    if not isinstance(header, dict):
        raise _refused(path, "has a header that is no JSON object")
    header.pop("__metadata__", None)
    start = 8 + length
    entries = [_entry(name, value, size - start, path) for name, value in header.items()]
    spans = sorted((begin, end) for _, _, _, begin, end in entries if end > begin)
    if any(before[1] > after[0] for before, after in itertools.pairwise(spans)):
        raise _refused(path, "has tensors that overlap")
    return start, entries


def _entry(name: str, value: Any, room: int, path: Path) -> tuple[str, str, Any, int, int]:
    if not isinstance(value, dict) or not {"dtype", "shape", "data_offsets"} <= value.keys():
        raise _refused(path, f"has no dtype, shape and data_offsets for {_short(name)}")
    dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if (
        not _whole(shape)
        or not _whole(offsets)
        or len(offsets) != 2
        or not isinstance(dtype, str)
        or len(shape) > 8
    ):
        raise _refused(path, f"has no valid dtype, shape and data_offsets for {_short(name)}")
    sizes = {**{key: np.dtype(code).itemsize for key, code in _DTYPES.items()}, **_OTHERS, **_NARROW}
    if dtype not in sizes:
        raise _refused(path, f"has the unknown dtype {_short(dtype)} for {_short(name)}")
    begin, end = offsets
    if not begin <= end <= room or end - begin != math.prod(shape) * sizes[dtype]:
        raise _refused(path, f"has no room for {_short(name)} of shape {shape} between {begin} and {end}")
    return name, dtype, tuple(shape), begin, end


def _whole(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 2**48 for item in value
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:57] + "...")


def _refused(path: Path, why: str) -> ValueError:
    return ValueError(f"{path}: not a safetensors file that can be read: it {why}")
