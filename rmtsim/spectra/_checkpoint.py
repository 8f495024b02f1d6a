"""A reader of the weights in PyTorch's zip files (.pt, .pth) that executes nothing in them and needs no PyTorch.

The file is a zip archive: ``data.pkl`` is a pickle of the object that was saved, with references to storages, and
``data/0``, ``data/1``, … are the raw numbers. The pickle is read by an unpickler that accepts dictionaries, tensors
and parameters and no other class, so that a file cannot call any function.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim._internal.files import open_regular

_STORAGES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": "<u2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "|b1",
    "ComplexFloatStorage": "<c8",
    "ComplexDoubleStorage": "<c16",
}
_DEEPEST = 20
"""Dictionaries and lists inside each other."""


@frozen
class _Storage:
    """Raw numbers of the archive: PyTorch's name of their type and their bytes."""

    kind: str
    raw: bytes


class _StorageKind(str):
    """Name of a type of storage."""


def read_checkpoint(path: str | os.PathLike[str]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Read the tensors of a file that ``torch.save`` has written.

    Parameters
    ----------
    path : str or path-like
        The file. Nothing in it is executed, and PyTorch is not needed.

    Returns
    -------
    iterator of (str, ndarray)
        Names, joined by dots where dictionaries lie in each other, and arrays; bfloat16 is returned as float32.

    Raises
    ------
    ValueError
        If the file is damaged, of the format before PyTorch 1.6, or has objects other than tensors, numbers, text,
        lists and dictionaries, for example a whole module; the message names the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "model.pt"
    ...     with zipfile.ZipFile(file, "w") as archive:
    ...         archive.writestr("model/data.pkl", pickle.dumps({"epoch": 3}))
    ...     list(read_checkpoint(file))
    []
    """
    path = Path(path)
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
            raise _refused(
                path, f"is no zip archive ({_line(error)}); save it again with PyTorch 1.6 or later"
            ) from None
        with archive:
            yield from _flat("", _unpickled(path, archive, size), 0, path)


def _unpickled(path: Path, archive: zipfile.ZipFile, size: int) -> Any:
    entries = {entry.filename: entry for entry in archive.infolist()}
    pickles = [name for name in entries if name == "data.pkl" or name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise _refused(path, f"has {len(pickles)} entries data.pkl instead of one")
    # PyTorch does not compress; a file that unpacks to more than its size was not written by it.
    if sum(entry.file_size for entry in entries.values()) > 2 * size + 10_000:
        raise _refused(path, "unpacks to more than twice its size")
    validate.memory(3.0 * size, f"the tensors of {path}")
    prefix = pickles[0][: -len("data.pkl")]
    try:
        order = archive.read(prefix + "byteorder") if prefix + "byteorder" in entries else b"little"
        if order.strip() != b"little":
            raise ValueError("its numbers are not little-endian")
        return _Unpickler(archive, prefix, archive.read(pickles[0])).load()
    except Exception as error:  # whatever a damaged pickle can raise
        raise _refused(path, f"cannot be read ({_line(error)})") from None


class _Unpickler(pickle.Unpickler):
    """Builds dictionaries, tensors and plain values; every other name in the file is refused."""

    def __init__(self, archive: zipfile.ZipFile, prefix: str, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8")
        self._archive, self._prefix = archive, prefix
        self._storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_tensor"):
            return _tensor
        if module == "torch._utils" and name == "_rebuild_parameter":
            return _parameter
        if module == "torch" and name in _STORAGES:
            return _StorageKind(name)
        if (module, name) == ("torch", "Size"):
            return tuple
        raise ValueError(
            f"it needs the class or function {module}.{name}; save the weights alone, "
            "torch.save(model.state_dict(), file)"
        )

    def persistent_load(self, pid: Any) -> _Storage:
        what, kind, key = pid[0], pid[1], pid[2]
        if what != "storage" or not isinstance(kind, _StorageKind) or not isinstance(key, str):
            raise ValueError("a reference is not to a storage")
        if key not in self._storages:
            self._storages[key] = _Storage(str(kind), self._archive.read(f"{self._prefix}data/{key}"))
        stored = self._storages[key]
        return stored if stored.kind == kind else _Storage(str(kind), stored.raw)


def _tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_: Any) -> NDArray[Any]:
    """The numbers of a storage from ``offset`` on, in steps of ``stride``; all of them must lie inside it."""
    if not isinstance(storage, _Storage) or not all(
        isinstance(number, int) and 0 <= number < 2**48 for number in (offset, *shape, *stride)
    ):
        raise ValueError("a tensor has no valid storage, shape and stride")
    numbers = np.frombuffer(storage.raw, dtype=_STORAGES[storage.kind])
    if len(shape) != len(stride) or len(shape) > 8:
        raise ValueError("a tensor has as many strides as axes, at most eight")
    if 0 in shape:
        return np.zeros(shape)
    if offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True)) >= numbers.size:
        raise ValueError("a tensor reaches beyond its storage")
    view = np.lib.stride_tricks.as_strided(
        numbers[offset:], shape, [step * numbers.itemsize for step in stride], writeable=False
    )
    if view.size > max(numbers.size, 1000):
        raise ValueError("a tensor repeats its storage")
    if storage.kind == "BFloat16Storage":
        return np.asarray((view.astype(np.uint32) << 16).view(np.float32))
    return np.array(view)


def _parameter(data: Any, *_: Any) -> Any:
    return data


def _flat(name: str, value: Any, depth: int, path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    if depth > _DEEPEST:
        raise _refused(path, f"has more than {_DEEPEST} dictionaries inside each other")
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, (Mapping, list, tuple)):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in items:
            yield from _flat(f"{name}.{key}" if name else str(key), item, depth + 1, path)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _refused(path: Path, why: str) -> ValueError:
    return ValueError(f"{path}: not a file of weights by PyTorch that can be read: it {why}")
