"""Groups of parameters: tensors, layers, neurons, attention heads, classes, and index sets of the user."""

from __future__ import annotations

from collections import Counter
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
_BIAS = {"in_proj_weight": "in_proj_bias"}
"""Names of weights but ``weight`` and of the bias that belongs to their rows."""
_WEIGHTS = ("weight", "weight_orig", "weight_g", "weight_v")
"""Names of weights and of the parts that normalised ones are made from."""


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


def _is_weight(slot: ParameterSlot) -> bool:
    """Whether a tensor is the weight of its module, or a part of it (weight and spectral normalisation)."""
    _, parametrised, part = slot.name.partition(".parametrizations.")
    last = slot.name.rpartition(".")[2]
    return part.startswith("weight.") if parametrised else last in _WEIGHTS


def _bias_of(slot: ParameterSlot, slots: Sequence[ParameterSlot], outputs: int) -> ParameterSlot | None:
    last = slot.name.rpartition(".")[2]
    wanted = "bias" if _is_weight(slot) else _BIAS.get(last)
    prefix = "" if slot.module == slot.name else f"{slot.module}."
    return next((s for s in slots if s.name == f"{prefix}{wanted}" and s.shape == (outputs,)), None)


def _neurons(slots: Sequence[ParameterSlot]) -> Iterable[Group]:
    """Weights of each output of a layer with its bias; tensors with one axis that are no biases as a whole."""
    layers: dict[str, list[ParameterSlot]] = {}
    for slot in slots:
        if len(slot.shape) > 1:
            layers.setdefault(slot.module if _is_weight(slot) else slot.name, []).append(slot)
    merged = {name for name, parts in layers.items() if len({len(_rows(p)) for p in parts}) == 1}
    found: dict[str, tuple[ParameterSlot, list[NDArray[np.intp]]]] = {}
    taken: set[str] = set()
    for name, parts in layers.items():
        for first, chosen in [(parts[0], parts)] if name in merged else [(part, [part]) for part in parts]:
            tables = [_rows(part) for part in chosen]
            bias = _bias_of(first, slots, len(tables[0])) if first is parts[0] else None
            if bias is not None:
                tables.append(_all(bias)[:, None])
                taken.add(bias.name)
            taken.update(part.name for part in chosen)
            found[first.name] = first, [np.concatenate(rows) for rows in zip(*tables, strict=True)]
    count = Counter(first.module for first, _ in found.values())
    for slot in slots:
        if slot.name in found:
            first, rows = found[slot.name]
            owner = first.module if count[first.module] == 1 else first.name
            yield from (Group(f"{owner}[{row}]", indices) for row, indices in enumerate(rows))
        elif slot.name not in taken:
            yield Group(slot.name, _all(slot))


def _rows(slot: ParameterSlot) -> NDArray[np.intp]:
    """Places of a weight, a row for each output."""
    if not slot.transposed:
        return _all(slot).reshape(slot.shape[0], -1)
    inputs, outputs = slot.shape[:2]
    table = _all(slot).reshape(slot.transposed, inputs // slot.transposed, outputs, -1)
    return table.transpose(0, 2, 1, 3).reshape(slot.transposed * outputs, -1)


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
        if len(slot.shape) > 1 and (classes is None or len(_rows(slot)) == classes):
            rows = [
                g.indices
                for g in _neurons([s for s in slots if s.module == slot.module])
                if g.name.endswith("]")
            ]
            rows = rows if len(rows) == len(_rows(slot)) else list(_rows(slot))
            return tuple(Group(f"class {row}", indices) for row, indices in enumerate(rows))
    raise ValueError(f"per='class': no weight has one row per output ({classes} outputs)")
