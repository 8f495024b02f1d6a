"""What a torch model must not be or do, and whether it has changed."""

from __future__ import annotations

import operator
import zlib
from collections.abc import Iterable
from typing import Any


def digest(tensors: Iterable[Any], torch: Any) -> list[int]:
    """A checksum of every tensor: it changes with its values and their order, however they were changed."""
    found = []
    for each in tensors:
        tensor = torch.as_tensor(each).detach()
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        tensor = tensor.cpu().resolve_conj().resolve_neg().contiguous()
        if tensor.dtype == torch.bfloat16:
            tensor = tensor.view(torch.int16)
        found.append(zlib.crc32(tensor.numpy()))
    return found


class Watched:
    """Modules and parameters of a model, to notice that one was replaced, added, removed or frozen.

    It compares the entries of each module, which takes less time than to collect all parameters again.
    """

    def __init__(self, model: Any) -> None:
        modules = list(model.modules())
        self._kept = [(each, tuple(each.values())) for m in modules for each in (m._parameters, m._modules)]
        self._buffers = [m._buffers for m in modules if m._buffers]
        self._flags = [(p, p.requires_grad) for p in model.parameters()]
        self._modules = modules
        self._modes = self.modes()

    def same(self) -> bool:
        """Whether nothing was replaced."""
        return all(
            len(now) == len(then) and all(map(operator.is_, now.values(), then)) for now, then in self._kept
        ) and all(p.requires_grad == flag for p, flag in self._flags)

    def buffers(self) -> list[Any]:
        """Tensors that are no parameters."""
        return [b for each in self._buffers for b in each.values() if b is not None]

    def modes(self) -> list[bool]:
        """Which modules are in training mode."""
        return [m.training for m in self._modules]

    def modes_changed(self) -> bool:
        """Whether a module was put into training or evaluation mode."""
        return self._modes != self.modes()


def ends_in_error(gradient: Any) -> bool:
    """Whether a second derivative would go through an operation that has none and that autograd takes for zero."""
    return bool({"Error", "DelayedError"} & _operations(gradient))


def reentrant(loss: Any) -> bool:
    """Whether a part of the loss is checkpointed so that its second derivatives are lost without an error."""
    return "CheckpointFunctionBackward" in _operations([loss])


def _operations(tensors: Any) -> set[str]:
    """Names of all operations in the graphs of tensors."""
    waiting = [t.grad_fn for t in tensors if t is not None and t.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        following = {each for each, _ in waiting.pop().next_functions if each is not None} - seen
        seen |= following
        waiting += following
    return {node.name().rpartition("::")[2] for node in seen}


def inference(tensor: Any) -> bool:
    """Whether a tensor was made in inference mode, where it has no version."""
    return bool(getattr(tensor, "is_inference", bool)())


def refuse_training_mode(model: Any, torch: Any) -> None:
    nn = torch.nn.modules
    for name, module in model.named_modules():
        if not module.training:
            continue
        if isinstance(module, nn.dropout._DropoutNd) and module.p > 0:
            reason = "the loss is random"
        elif isinstance(module, nn.batchnorm._BatchNorm):
            reason = "the loss of a sample depends on the other samples of its batch"
        else:
            continue
        raise ValueError(
            f"model: layer {name or 'itself'!r} ({type(module).__name__}) is in training mode, so {reason}; call "
            "model.eval() first"
        )


def refuse_parameters(model: Any, named: list[tuple[str, Any]], torch: Any) -> None:
    """Parameters without values, and layers that write to their parameters."""
    for name, parameter in named:
        if isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin):
            raise ValueError(f"model: parameter {name!r} has no shape yet; evaluate the model once before")
        if parameter.device.type == "meta":
            raise ValueError(f"model: parameter {name!r} is on the device meta, without values")
    for name, module in model.named_modules():
        if getattr(module, "max_norm", None) is not None:
            raise ValueError(
                f"model: layer {name or 'itself'!r} ({type(module).__name__}) has max_norm, so that every evaluation "
                "changes its weight; set max_norm=None"
            )
