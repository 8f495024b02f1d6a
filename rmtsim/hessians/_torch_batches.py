"""Batches of data for torch models: tensors, data sets, loaders, iterables, dictionaries."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Batches = int | tuple[int, ...]

_TARGETS = ("labels", "label", "targets", "target", "y")
"""Keys of a dictionary batch that hold the targets of a loss."""
_BATCHES = 10
"""Batches that tensors are cut into by default: enough to estimate the error of the data."""
LARGEST = 1024
"""Samples of such a batch at most, which bounds the memory of a product."""


def read_batches(data: Any, batch_size: int | None, torch: Any) -> tuple[list[Any], bool]:
    """All batches of ``data``, kept in memory so that every product sees the same ones; whether they were cut here.

    A tuple or a mapping of tensors with equally many rows is one data set, cut into batches; a ``Dataset`` is read
    through a ``DataLoader``; everything else is iterated once.
    """
    if isinstance(data, (tuple, Mapping)) and data and not isinstance(data, str):
        if isinstance(data, tuple) and _is_array(data[0], torch):
            data = tuple(np.asarray(p) if _is_numbers(p) else p for p in data)
        parts = list(data.values()) if isinstance(data, Mapping) else list(data)
        if all(_is_array(p, torch) for p in parts):
            return _cut(data, [len(p) if np.ndim(p) else 0 for p in parts], batch_size, torch), True
    if isinstance(data, torch.utils.data.IterableDataset):  # of samples, as a DataLoader reads it
        data = _Samples(data)
    if isinstance(data, torch.utils.data.DataLoader):
        found = _copied(data, torch)
    elif (
        hasattr(data, "__getitem__")
        and hasattr(data, "__len__")
        and not isinstance(data, (str, bytes, tuple, Mapping))
        and type(data) is not list
    ):
        if len(data) == 0:
            raise ValueError("data: no samples")
        size = batch_size or _default_size(len(data))
        found = list(torch.utils.data.DataLoader(data, batch_size=size))
    elif type(data) is list:
        found = [
            map_tensors(batch, lambda t: t.copy() if isinstance(t, np.ndarray) else t, torch)
            for batch in data
        ]
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping)):
        found = _copied(data, torch)
    else:
        raise TypeError(
            f"data={type(data).__name__}: expected (inputs, targets), a DataLoader, a Dataset or an iterable of batches"
        )
    if not found:
        raise ValueError("data: no batches (an iterator that is used up?)")
    return found, False


def _copied(batches: Iterable[Any], torch: Any) -> list[Any]:
    """Copies of all batches, because some iterators write every batch to the same memory."""

    def copied(tensor: Any) -> Any:
        return _own(tensor) if isinstance(tensor, np.ndarray) else tensor.clone()

    return [map_tensors(batch, copied, torch) for batch in batches]


def _own(values: Any) -> Any:
    """A copy of an array; the same tensor."""
    return np.array(values, order="C") if isinstance(values, np.ndarray) else values


class _Samples(list[Any]):
    """Samples of a data set without random access."""


def join(batches: list[Any], torch: Any) -> Any:
    """Batches that were cut from one data set, put together again."""
    first = batches[0]
    if isinstance(first, Mapping):
        return {key: torch.cat([b[key] for b in batches]) for key in first}
    return tuple(torch.cat([b[k] for b in batches]) for k in range(len(first)))


def _is_array(value: Any, torch: Any) -> bool:
    return isinstance(value, (torch.Tensor, np.ndarray))


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, (int, float)) for v in value)


def _default_size(samples: int) -> int:
    return max(1, min(LARGEST, math.ceil(samples / _BATCHES)))


def _cut(data: Any, lengths: list[int], batch_size: int | None, torch: Any) -> list[Any]:
    if len(set(lengths)) != 1:
        raise ValueError(
            f"data: inputs and targets have {' and '.join(map(str, lengths))} rows; expected equally many"
        )
    samples = lengths[0]
    if samples == 0:
        raise ValueError("data: no samples")
    size = batch_size or _default_size(samples)
    # Tensors may change later, which products follow; arrays are copied.
    tensors = map_tensors(
        data, lambda t: torch.as_tensor(np.array(t, order="C") if isinstance(t, np.ndarray) else t), torch
    )
    return [
        map_tensors(tensors, lambda t, first=first: t[first : first + size], torch)  # type: ignore[misc]
        for first in range(0, samples, size)
    ]


def map_tensors(batch: Any, function: Callable[[Any], Any], torch: Any) -> Any:
    """``function`` of every tensor in a nested batch; NumPy arrays count as tensors."""
    if _is_array(batch, torch):
        return function(batch)
    if isinstance(batch, Mapping):
        return {key: map_tensors(value, function, torch) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(map_tensors(value, function, torch) for value in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(map_tensors(value, function, torch) for value in batch)
    return batch


def count_samples(batch: Any, torch: Any) -> int:
    """Rows of the first tensor of a batch."""
    found: list[int] = []

    def note(tensor: Any) -> Any:
        if np.ndim(tensor):
            found.append(len(tensor))
        return tensor

    map_tensors(batch, note, torch)
    return found[0] if found else 1


@contextlib.contextmanager
def naming(index: Batches) -> Iterator[None]:
    """Errors of the user's model or loss in one sentence that names the batch."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError, IndexError, AttributeError, KeyError) as error:
        raise ValueError(_failed(index, error)) from error


def _failed(index: Batches, error: Exception) -> str:
    return (
        f"model or loss: evaluating batch {shown(index)} raised {type(error).__name__}: {first_line(error)}"
    )


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].strip()


def separated(batch: Any, index: Batches) -> tuple[Sequence[Any], dict[str, Any], Any]:
    """Positional and named arguments of the model in a batch, and the targets of the loss."""
    if isinstance(batch, Mapping):
        keys = [key for key in batch if key in _TARGETS]
        if len(keys) != 1:
            raise ValueError(
                f"data: batch {shown(index)} is a dictionary with the keys {', '.join(map(str, batch))}; expected "
                f"exactly one of {', '.join(_TARGETS)} for the targets, or objective(model, batch)"
            )
        return (), {key: value for key, value in batch.items() if key != keys[0]}, batch[keys[0]]
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise ValueError(
            f"data: batch {shown(index)} is a {type(batch).__name__}; expected (inputs, targets), a dictionary "
            "or objective(model, batch); one data set is a tuple (inputs, targets), not a list"
        )
    return batch[:-1], {}, batch[-1]


def own_loss(result: Any) -> Any:
    """The loss in the result of a model that computes it: an entry or attribute ``loss``, or the first of a tuple."""
    if isinstance(result, Mapping) and "loss" in result:
        return result["loss"]
    if isinstance(result, (tuple, list)) and not hasattr(result, "loss"):
        return result[0] if result else None
    return getattr(result, "loss", result)


def logits(result: Any) -> Any:
    """What a loss compares with the targets: an entry or attribute ``logits``, or the result itself."""
    if isinstance(result, Mapping) and "logits" in result:
        return result["logits"]
    return getattr(result, "logits", result)


def shown(index: Batches) -> str:
    if isinstance(index, int) or len(index) == 1:
        return str(index if isinstance(index, int) else index[0])
    return f"{index[0]} to {index[-1]}"


def listed(batch: Any) -> Any:
    return batch if isinstance(batch, (tuple, list)) else (batch,)


def uneven_average(loss: Any, batches: list[Any], torch: Any) -> str:
    """Why a mean loss of several batches is not that of all samples together; empty if it is."""
    if getattr(loss, "reduction", "") != "mean":
        return ""
    name = type(loss).__name__
    if getattr(loss, "weight", None) is not None and name in ("CrossEntropyLoss", "NLLLoss"):
        return f"{name} with weight= divides by the weights of the samples in a batch"
    ignored = getattr(loss, "ignore_index", None)
    for index, batch in enumerate(batches) if ignored is not None else ():
        targets = separated(batch, index)[2]
        if _is_array(targets, torch) and bool((torch.as_tensor(targets) == ignored).any()):
            return f"{name} divides by the number of targets in a batch that are not ignored"
    return ""
