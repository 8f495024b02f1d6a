"""Groups of parameters: tensors, layers, neurons, attention heads, classes, and index sets of the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen

if TYPE_CHECKING:
    from rmtsim.hessians._operator import HessianOperator, ParameterSlot

KINDS = ("model", "parameter", "layer", "neuron", "head", "class")
_BIAS = {"weight": "bias", "in_proj_weight": "in_proj_bias"}
"""Names of a weight and of the bias that belongs to its rows."""


@frozen(eq=False)
class Group:
    """A named set of parameters.

    Examples
    --------
    >>> import numpy as np
    >>> Group("first three", np.arange(3)).size
    3
    """

    name: str
    """Name shown in tables and figures."""
    indices: NDArray[np.intp]
    """Distinct places in the parameter vector."""

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.indices.size)


def read_groups(operator: HessianOperator, groups: Any) -> tuple[Group, ...]:
    """Groups from a kind, a mapping of names to indices, or a sequence of groups or of index sets."""
    if isinstance(groups, str):
        return make_groups(operator, groups, None)
    items: Iterable[tuple[str, Any]]
    if isinstance(groups, Mapping):
        items = [(str(name), value) for name, value in groups.items()]
    else:
        listed = validate.sequence("groups", groups, meaning="a kind, groups or index sets")
        items = [
            (g.name, g.indices) if isinstance(g, Group) else (f"group {k}", g) for k, g in enumerate(listed)
        ]
    found = tuple(Group(name, _indices(name, value, operator.size)) for name, value in items)
    if not found:
        raise ValueError("groups: expected at least one group")
    return found


def _indices(name: str, value: Any, size: int) -> NDArray[np.intp]:
    if isinstance(value, slice):
        value = np.arange(size)[value]
    array = np.asarray(value)
    if array.dtype == np.bool_ and array.shape == (size,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"groups: {name!r} should be a non-empty list of integers, a slice or a mask of {size} flags"
        )
    if array.min() < 0 or array.max() >= size:
        raise ValueError(f"groups: {name!r} has indices outside 0 … {size - 1}")
    if np.unique(array).size != array.size:
        raise ValueError(f"groups: {name!r} contains an index twice")
    return array.astype(np.intp)


def make_groups(
    operator: HessianOperator, per: str, of: str | Sequence[str] | None = None
) -> tuple[Group, ...]:
    """Groups of one kind, in the order of the parameters."""
    per = validate.choice("per", per, KINDS)
    slots = tuple(s for s in operator.slots if s.size)
    if of is not None:
        patterns = [of] if isinstance(of, str) else list(of)
        slots = tuple(
            s for s in slots if any(fnmatchcase(s.name, p) or fnmatchcase(s.module, p) for p in patterns)
        )
        if not slots:
            names = ", ".join(s.name for s in operator.slots)
            raise ValueError(f"of={of!r}: no parameter matches (there are {names})")
    if per == "model":
        return (Group("model", np.concatenate([_all(s) for s in slots])),)
    if per == "parameter":
        return tuple(Group(s.name, _all(s)) for s in slots)
    if per == "layer":
        parts: dict[str, list[NDArray[np.intp]]] = {}
        for slot in slots:
            parts.setdefault(slot.module, []).append(_all(slot))
        return tuple(Group(name, np.concatenate(each)) for name, each in parts.items())
    if per == "neuron":
        return tuple(_neurons(slots))
    if per == "head":
        return _heads(slots)
    return _classes(slots, operator.classes)


def _all(slot: ParameterSlot) -> NDArray[np.intp]:
    return np.arange(slot.start, slot.start + slot.size, dtype=np.intp)


def _bias_of(slot: ParameterSlot, slots: Sequence[ParameterSlot]) -> ParameterSlot | None:
    module, _, last = slot.name.rpartition(".")
    wanted = _BIAS.get(last)
    name = f"{module}.{wanted}" if module else wanted
    return next((s for s in slots if s.name == name and s.shape == slot.shape[:1]), None)


def _neurons(slots: Sequence[ParameterSlot]) -> Iterable[Group]:
    """Rows of matrices and filters with their biases; other tensors as a whole."""
    biases = [_bias_of(s, slots) for s in slots if len(s.shape) > 1]
    taken = {b.name for b in biases if b is not None}
    for slot in slots:
        if len(slot.shape) < 2:
            if slot.name not in taken:
                yield Group(slot.name, _all(slot))
            continue
        yield from _rows(slot, _bias_of(slot, slots))


def _rows(slot: ParameterSlot, bias: ParameterSlot | None) -> Iterable[Group]:
    table = _all(slot).reshape(slot.shape[0], -1)
    for row, indices in enumerate(table):
        both = indices if bias is None else np.append(indices, bias.start + row)
        yield Group(f"{slot.module}[{row}]", both)


def _heads(slots: Sequence[ParameterSlot]) -> tuple[Group, ...]:
    found: dict[tuple[str, int], list[NDArray[np.intp]]] = {}
    for slot in slots:
        if not slot.heads:
            continue
        table = _all(slot).reshape(slot.shape)
        last = slot.name.rpartition(".")[2]
        owner = slot.module.removesuffix(".out_proj")
        for head in range(slot.heads):
            if slot.name.endswith("out_proj.weight"):
                part = np.split(table, slot.heads, axis=1)[head]
            elif last.startswith("in_proj"):
                part = np.stack([np.split(t, slot.heads)[head] for t in np.split(table, 3)])
            else:
                part = np.split(table, slot.heads)[head]
            found.setdefault((owner, head), []).append(part.ravel())
    if not found:
        raise ValueError(
            "per='head': no torch.nn.MultiheadAttention found; name the heads yourself, for instance "
            "{'head 0': operator.indices('attention.q.weight', rows=range(16))}"
        )
    return tuple(Group(f"{owner} head {head}", np.concatenate(p)) for (owner, head), p in found.items())


def _classes(slots: Sequence[ParameterSlot], classes: int | None) -> tuple[Group, ...]:
    for slot in reversed(slots):
        if len(slot.shape) > 1 and (classes is None or slot.shape[0] == classes):
            return tuple(
                Group(f"class {row}", group.indices)
                for row, group in enumerate(_rows(slot, _bias_of(slot, slots)))
            )
    raise ValueError(f"per='class': no weight has one row per output ({classes} outputs)")
