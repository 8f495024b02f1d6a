"""Hessian and Gauss–Newton products of any torch model by automatic differentiation, batch by batch."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.threads import ThreadChoice, TorchThreads
from rmtsim.hessians._operator import ParameterSlot
from rmtsim.hessians._torch_batches import LARGEST, count_samples, join, map_tensors, read_batches

Batches = int | tuple[int, ...]

_TARGETS = ("labels", "label", "targets", "target", "y")
"""Keys of a dictionary batch that hold the targets of a loss."""
_BATCHED = 20_000
"""Parameters up to which many vectors go through one backward pass."""
_TOGETHER = 32
"""Vectors of one such pass."""
_DIGESTED = 2**18
"""Numbers of a tensor that are digested together."""
_SAME = 1e3
"""Two evaluations agree if their gradients differ by at most this many units of rounding."""


class TorchSource:
    """One matrix per batch: second derivatives of the batch's loss, or its Gauss–Newton part."""

    def __init__(
        self,
        model: Any,
        loss: Callable[..., Any] | None,
        data: Any,
        *,
        objective: Callable[[Any, Any], Any] | None,
        gauss_newton: bool,
        dtype: str,
        batch_size: int | None,
        reduction: str,
    ) -> None:
        import torch

        self._torch = torch
        self._threads = ThreadChoice(TorchThreads(torch))
        original = model
        parameters = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        if not parameters:
            raise ValueError("model: no parameters that require a gradient")
        _refuse_training_mode(model, torch)
        _refuse_parameters(model, parameters, torch)
        if dtype == "float64" and any(p.dtype != torch.float64 for _, p in parameters):
            try:
                model = copy.deepcopy(model).double()
            except RuntimeError as error:
                raise ValueError(
                    f"model: it cannot be copied for dtype='float64' ({_first_line(error)}); convert the model itself "
                    "(model.double())"
                ) from error
            if isinstance(loss, torch.nn.Module):
                loss = copy.deepcopy(loss).double()
        self._model, self._loss_function, self._objective = model, loss, objective
        # Sparse gradients cannot be differentiated again.
        self._sparse = [m for m in model.modules() if getattr(m, "sparse", None) is True]
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        self._parameters = [p for _, p in named]
        kinds = {p.dtype for p in self._parameters}
        for kind in kinds:
            if kind not in (torch.float32, torch.float64):
                converts = " (dtype='float64' converts)" if kind.is_floating_point else ""
                raise TypeError(f"model: parameters of {kind}; expected float32 or float64{converts}")
        self._dtype = torch.float64 if kinds == {torch.float64} else torch.float32
        self.precision = float(torch.finfo(self._dtype).eps)
        self.slots = _slots(model, named, torch)
        self.size = sum(slot.size for slot in self.slots)
        self._device = self._parameters[0].device
        self._digest = _digest(self._parameters, torch)
        self._batches, cut = read_batches(data, batch_size, torch)
        # Batches that were cut here are evaluated together; the user's batches are kept, since they limit the memory.
        self._together = LARGEST if cut and batch_size is None and objective is None else 0
        self._batched = True
        self._kept: tuple[Batches, list[Any], list[Any], list[int]] | None = None
        self._keep = False
        self.batches = len(self._batches)
        self.samples: tuple[int, ...] | None = tuple(count_samples(b, torch) for b in self._batches)
        if 0 in self.samples:
            raise ValueError(f"data: batch {self.samples.index(0)} has no samples")
        self._gauss_newton = gauss_newton
        self._sum = _reduction(loss, reduction) == "sum"
        self.scale = float(sum(self.samples)) if self._sum else 1.0
        kind_name = "Gauss–Newton matrix" if gauss_newton else "Hessian"
        loss_name = (
            type(loss).__name__ if isinstance(loss, torch.nn.Module) else getattr(loss, "__name__", "own")
        )
        self.description = f"{kind_name} of {type(original).__name__}, {loss_name} loss"
        self.classes: int | None = None
        self._check(original if model is not original else None)

    def _check(self, original: Any) -> None:
        """Evaluate the first batch twice; refuse a loss that is not finite, detached, random or of another model."""
        torch = self._torch
        with self._settings():
            loss, output = self._evaluate_unchanged()
            if output is not None and torch.is_tensor(output) and output.ndim > 1:
                self.classes = int(output.shape[-1])
            if not loss.requires_grad:
                raise ValueError(
                    "loss: it does not depend on the model's parameters by differentiable operations (detached, "
                    "computed under torch.no_grad(), or of another model)"
                )
            if original is not None:
                old = [p for p in original.parameters() if p.requires_grad]
                if any(
                    g is not None
                    for g in torch.autograd.grad(loss, old, allow_unused=True, retain_graph=True)
                ):
                    raise ValueError(
                        "loss: it uses the parameters of the model directly, so a copy in float64 cannot replace them; "
                        "convert the model itself (model.double()) or write objective(model, batch)"
                    )
            gradient = torch.autograd.grad(loss, self._parameters, create_graph=True, allow_unused=True)
            if _ends_in_error(gradient):
                raise ValueError(
                    "model: PyTorch cannot differentiate it twice (an operation is marked once_differentiable)"
                )
            first = self._flat(gradient)
            del gradient
            again = self._flat(torch.autograd.grad(self._evaluate(0)[0], self._parameters, allow_unused=True))
        scale = float(np.linalg.norm(first))
        if float(np.linalg.norm(first - again)) > _SAME * self.precision * max(scale, 1e-300):
            raise ValueError(
                "model: two evaluations of the first batch give different gradients, so the loss is random (a layer "
                "draws random numbers or changes with every evaluation); make it deterministic, for instance by "
                "model.eval()"
            )

    def _evaluate_unchanged(self) -> tuple[Any, Any]:
        """Loss and output of the first batch; a model whose buffers an evaluation changes is refused and restored."""
        torch = self._torch
        buffers = dict(self._model.named_buffers())
        copies = {name: buffer.detach().clone() for name, buffer in buffers.items()}
        found = self._evaluate(0)
        for name, buffer in self._model.named_buffers():
            if name not in copies or _digest([buffer], torch) != _digest([copies[name]], torch):
                with torch.no_grad():
                    for old, copied in copies.items():
                        buffers[old].copy_(copied)
                raise ValueError(
                    f"model: an evaluation changes its buffer {name!r}, so that products would depend on how many were "
                    "made before; call model.eval() first"
                )
        return found

    @contextlib.contextmanager
    def _settings(self) -> Iterator[None]:
        """Operations that can be differentiated twice, gradients on."""
        torch = self._torch
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
            attention = getattr(torch.nn, "attention", None)
            if attention is not None:
                stack.enter_context(attention.sdpa_kernel(attention.SDPBackend.MATH))
            if self._device.type == "cuda":
                stack.enter_context(torch.backends.cudnn.flags(enabled=False))
            for module in self._sparse:
                module.sparse = False
            try:
                yield
            finally:
                for module in self._sparse:
                    module.sparse = True

    def _evaluate(self, index: Batches) -> tuple[Any, Any]:
        """Loss of a batch and the model's output (None if unknown)."""
        batch = self._batch(index)
        output = None
        separate = self._objective is None and self._loss_function is not None
        inputs, named, targets = _separated(batch, index) if separate else ((), {}, None)
        with _naming(index):
            if self._objective is not None:
                loss = self._objective(self._model, batch)
            elif self._loss_function is None:
                result = self._model(**batch) if isinstance(batch, Mapping) else self._model(*_listed(batch))
                loss = _own_loss(result)
            else:
                output = _logits(self._model(*inputs, **named))
                loss = self._loss_of(output, targets)
        self._check_loss(loss, index)
        return loss, output

    def _loss_of(self, output: Any, targets: Any) -> Any:
        if isinstance(self._loss_function, self._torch.nn.Module) and not self._torch.is_tensor(output):
            raise TypeError(
                f"the model returns a {type(output).__name__}, not a tensor; write objective(model, batch)"
            )
        return self._loss_function(output, targets)  # type: ignore[misc]

    def _check_loss(self, loss: Any, index: Batches) -> None:
        torch = self._torch
        if not torch.is_tensor(loss) or loss.numel() != 1:
            shape = tuple(loss.shape) if torch.is_tensor(loss) else type(loss).__name__
            raise ValueError(
                f"loss: batch {_shown(index)} gives {shape}; expected one number (reduction='mean' or 'sum')"
            )
        if loss.is_complex():
            raise ValueError(f"loss: batch {_shown(index)} gives {loss.dtype}; expected a real number")
        if not bool(torch.isfinite(loss)):
            raise ValueError(
                f"loss: {float(loss.detach())} on batch {_shown(index)}; expected a finite number"
            )

    def _batch(self, index: Batches) -> Any:
        torch = self._torch
        chosen = [self._batches[k] for k in ((index,) if isinstance(index, int) else index)]
        return map_tensors(chosen[0] if len(chosen) == 1 else join(chosen, torch), self._placed, torch)

    def _placed(self, tensor: Any) -> Any:
        torch = self._torch
        tensor = torch.as_tensor(tensor, device=self._device)
        if tensor.is_inference():
            tensor = tensor.clone()
        return tensor.to(self._dtype) if tensor.is_floating_point() else tensor

    def mean_product(self, batches: tuple[int, ...], vectors: Array) -> Array:
        """Product of the mean over some batches with vectors, one per row."""
        if self._digest != _digest(self._parameters, self._torch):
            raise ValueError("model: its parameters have changed since the operator was made; make a new one")
        rows = self._gauss_newton_rows if self._gauss_newton else self._hessian_rows
        assert self.samples is not None
        samples = self.samples
        whole = sum(samples[k] for k in batches)
        parts = self._joined(batches)
        self._keep = len(parts) == 1

        def product() -> Array:
            total: Array | None = None
            with self._settings():
                for part in parts:
                    count = sum(samples[k] for k in part)
                    found, share = rows(part, vectors), (1.0 if self._sum else count) / whole
                    if share != 1.0:
                        found *= share
                    total = found if total is None else np.add(total, found, out=total)
            assert total is not None
            return total

        try:
            return self._threads.call(float(whole) * vectors.size, product)
        except NotImplementedError as error:
            raise ValueError(f"model: PyTorch cannot differentiate it twice ({error})") from None

    def _joined(self, batches: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Batches in runs that are evaluated together."""
        assert self.samples is not None
        runs: list[tuple[int, ...]] = []
        size = 0
        for index in batches:
            size += self.samples[index]
            if runs and size <= self._together:
                runs[-1] += (index,)
            else:
                runs.append((index,))
                size = self.samples[index]
        return runs

    def _hessian_rows(self, index: Batches, vectors: Array) -> Array:
        torch = self._torch
        result = np.zeros(vectors.shape)
        grads, live = self._gradient(index)
        if not live:  # a loss that is linear in the parameters
            return result
        if self._batched and len(vectors) > 1 and self.size <= _BATCHED:
            try:
                return self._all_rows(grads, live, vectors)
            except NotImplementedError:
                raise
            except RuntimeError:  # an operation without a rule for many vectors
                self._batched = False
        for row, vector in enumerate(vectors):
            parts = self._split(vector)
            found = torch.autograd.grad(
                grads,
                self._parameters,
                [parts[k] for k in live],
                retain_graph=self._keep or row + 1 < len(vectors),
                allow_unused=True,
            )
            self._flat(found, result[row])
        return result

    def _gradient(self, index: Batches) -> tuple[list[Any], list[int]]:
        """Gradients that depend on the parameters, with their graph, and which parameters they belong to.

        The graph of the last batches is kept where a product needs only one, so that the next product is one backward
        pass.
        """
        state = self._state(index)
        if self._kept is not None and self._kept[:2] == (index, state):
            return self._kept[2:]
        self._kept = None
        loss, _ = self._evaluate(index)
        gradient = self._torch.autograd.grad(loss, self._parameters, create_graph=True, allow_unused=True)
        live = [k for k, g in enumerate(gradient) if g is not None and g.requires_grad]
        grads = [gradient[k] for k in live]
        if self._keep:
            self._kept = (index, state, grads, live)
        return grads, live

    def _state(self, index: Batches) -> list[Any]:
        """State that a graph depends on: versions of the parameters, and values of buffers, modes and data."""
        tensors = list(self._model.buffers())
        for k in (index,) if isinstance(index, int) else index:
            map_tensors(self._batches[k], tensors.append, self._torch)
        # PyTorch refuses a graph whose tensors were written to, even with the same values.
        versions = [
            getattr(each, "_version", 0) for each in (*self._parameters, *tensors) if not _inference(each)
        ]
        return [*_digest(tensors, self._torch), *versions, *(m.training for m in self._model.modules())]

    def _all_rows(self, grads: list[Any], live: list[int], vectors: Array) -> Array:
        """All vectors in one backward pass, for small models, whose products are dominated by overhead."""
        torch = self._torch
        result = np.zeros(vectors.shape)
        for first in range(0, len(vectors), _TOGETHER):
            now = slice(first, min(first + _TOGETHER, len(vectors)))
            flat = torch.as_tensor(vectors[now]).to(dtype=self._dtype, device=self._device)
            parts = [
                flat[:, s.start : s.start + s.size].reshape(-1, *s.shape).to(p.dtype)
                for s, p in zip(self.slots, self._parameters, strict=True)
            ]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # operations without such a rule are slow, but correct
                found = torch.autograd.grad(
                    grads,
                    self._parameters,
                    [parts[k] for k in live],
                    retain_graph=True,
                    allow_unused=True,
                    is_grads_batched=True,
                )
            for slot, part in zip(self.slots, found, strict=True):
                if part is not None:
                    result[now, slot.start : slot.start + slot.size] = part.detach().flatten(1).cpu().numpy()
        return result

    def _gauss_newton_rows(self, index: Batches, vectors: Array) -> Array:
        torch = self._torch
        result = np.zeros(vectors.shape)
        batch = self._batch(index)
        inputs, named, targets = _separated(batch, index)
        with _naming(index):
            output = _logits(self._model(*inputs, **named))
        if not torch.is_tensor(output):
            raise TypeError(
                f"model: its output is a {type(output).__name__}; the Gauss–Newton matrix needs a tensor"
            )
        outer = output.detach().requires_grad_(True)
        loss = self._loss_function(outer, targets)  # type: ignore[misc]
        self._check_loss(loss, index)
        slope = torch.autograd.grad(loss, outer, create_graph=True)[0]
        if not slope.requires_grad:
            return result
        dummy = torch.zeros_like(output, requires_grad=True)
        pulled = torch.autograd.grad(output, self._parameters, dummy, create_graph=True, allow_unused=True)
        live = [k for k, g in enumerate(pulled) if g is not None]
        for row, vector in enumerate(vectors):
            parts = self._split(vector)
            tangent = torch.autograd.grad(
                [pulled[k] for k in live], dummy, [parts[k] for k in live], retain_graph=True
            )[0]
            bent = torch.autograd.grad(slope, outer, tangent, retain_graph=True)[0]
            found = torch.autograd.grad(output, self._parameters, bent, retain_graph=True, allow_unused=True)
            self._flat(found, result[row])
        return result

    def layer_factors(self, name: str, batches: tuple[int, ...]) -> tuple[Array, Array]:
        """E[M] and E[xxᵀ] of a dense layer over some batches: the Hessian in its output, and what it reads."""
        torch = self._torch
        layer = dict(self._model.named_modules()).get(name)
        if not isinstance(layer, torch.nn.Linear):
            raise ValueError(f"layer={name!r}: expected a torch.nn.Linear, not {type(layer).__name__}")
        assert self.samples is not None
        whole = sum(self.samples[k] for k in batches)
        curvature, inputs = np.zeros((layer.out_features,) * 2), np.zeros((layer.in_features,) * 2)
        seen: list[tuple[Any, Any]] = []

        def catch(module: Any, given: Any, output: Any) -> Any:
            z = output.detach().requires_grad_(True)
            seen.append((given[0].detach(), z))
            return z

        hook = layer.register_forward_hook(catch)
        try:
            with self._settings():
                for part in self._joined(batches):
                    seen.clear()
                    loss, _ = self._evaluate(part)
                    count = sum(self.samples[k] for k in part)
                    if len(seen) != 1 or seen[0][1].ndim != 2 or len(seen[0][1]) != count:
                        raise ValueError(
                            f"layer={name!r}: it does not read one row per sample, so E[M] ⊗ E[xxᵀ] does not apply"
                        )
                    x, z = seen[0]
                    share = (1.0 if self._sum else count) / whole
                    inputs += (x.T @ x).double().cpu().numpy() / whole
                    slope = torch.autograd.grad(loss, z, create_graph=True)[0]
                    if not slope.requires_grad:
                        continue
                    for unit in range(layer.out_features):
                        turn = torch.zeros_like(z)
                        turn[:, unit] = 1.0
                        bent = torch.autograd.grad(slope, z, turn, retain_graph=True)[0]
                        curvature[:, unit] += share * bent.sum(dim=0).double().cpu().numpy()
        finally:
            hook.remove()
        return self.scale * curvature, inputs

    def parts(self) -> tuple[Any, Any, list[Any]]:
        """Model, loss and batches."""
        return self._model, self._loss_function, self._batches

    def _split(self, vector: Array) -> list[Any]:
        flat: Any = self._torch.as_tensor(vector).to(dtype=self._dtype, device=self._device)
        parts = flat.split([s.size for s in self.slots])
        return [part.view(p.shape).to(p.dtype) for part, p in zip(parts, self._parameters, strict=True)]

    def _flat(self, parts: Any, out: Array | None = None) -> Array:
        result = np.zeros(self.size) if out is None else out
        for slot, part in zip(self.slots, parts, strict=True):
            if part is not None:
                result[slot.start : slot.start + slot.size] = part.detach().reshape(-1).cpu().numpy()
        return result


def _digest(tensors: list[Any], torch: Any) -> list[int]:
    """Two numbers per tensor that change with its values and their order, however they were changed.

    Sums of the bits as integers: they do not depend on the order of summation, so not on the number of threads.
    """
    found = []
    with torch.no_grad():
        for each in tensors:
            flat = torch.as_tensor(each).detach()
            flat = (torch.view_as_real(flat) if flat.is_complex() else flat).reshape(-1)
            if flat.is_floating_point():
                flat = flat.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()])
            places = torch.arange(1, min(len(flat), _DIGESTED) + 1, device=flat.device)
            plain = ordered = 0
            for first in range(0, len(flat), _DIGESTED):
                part = flat[first : first + _DIGESTED].to(torch.int64)
                plain += int(part.sum())
                ordered += (first + 1) * int((part * places[: len(part)]).sum())
            found += [plain, ordered]
    return found


@contextlib.contextmanager
def _naming(index: Batches) -> Iterator[None]:
    """Errors of the user's model or loss in one sentence that names the batch."""
    try:
        yield
    except (ValueError, TypeError, RuntimeError, IndexError, AttributeError, KeyError) as error:
        raise ValueError(_failed(index, error)) from error


def _failed(index: Batches, error: Exception) -> str:
    return (
        f"model or loss: evaluating batch {_shown(index)} raised {type(error).__name__}: {_first_line(error)}"
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].strip()


def _separated(batch: Any, index: Batches) -> tuple[Sequence[Any], dict[str, Any], Any]:
    """Positional and named arguments of the model in a batch, and the targets of the loss."""
    if isinstance(batch, Mapping):
        keys = [key for key in batch if key in _TARGETS]
        if len(keys) != 1:
            raise ValueError(
                f"data: batch {_shown(index)} is a dictionary with the keys {', '.join(map(str, batch))}; expected "
                f"exactly one of {', '.join(_TARGETS)} for the targets, or objective(model, batch)"
            )
        return (), {key: value for key, value in batch.items() if key != keys[0]}, batch[keys[0]]
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise ValueError(
            f"data: batch {_shown(index)} is a {type(batch).__name__}; expected (inputs, targets), a dictionary "
            "or objective(model, batch); one data set is a tuple (inputs, targets), not a list"
        )
    return batch[:-1], {}, batch[-1]


def _own_loss(result: Any) -> Any:
    """The loss in the result of a model that computes it: an entry or attribute ``loss``, or the first of a tuple."""
    if isinstance(result, Mapping) and "loss" in result:
        return result["loss"]
    if isinstance(result, (tuple, list)) and not hasattr(result, "loss"):
        return result[0] if result else None
    return getattr(result, "loss", result)


def _logits(result: Any) -> Any:
    """The output that a loss compares with the targets: an entry or attribute ``logits``, or the result itself."""
    if isinstance(result, Mapping) and "logits" in result:
        return result["logits"]
    return getattr(result, "logits", result)


def _ends_in_error(gradient: Any) -> bool:
    """Whether a second derivative would go through an operation that has none and that autograd takes for zero."""
    waiting = [g.grad_fn for g in gradient if g is not None and g.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        if node.name().rpartition("::")[2] in ("Error", "DelayedError"):
            return True
        following = {each for each, _ in node.next_functions if each is not None} - seen
        seen |= following
        waiting += following
    return False


def _inference(tensor: Any) -> bool:
    """Whether a tensor was made in inference mode, where it has no version."""
    return bool(getattr(tensor, "is_inference", bool)())


def _shown(index: Batches) -> str:
    if isinstance(index, int) or len(index) == 1:
        return str(index if isinstance(index, int) else index[0])
    return f"{index[0]} to {index[-1]}"


def _listed(batch: Any) -> Any:
    return batch if isinstance(batch, (tuple, list)) else (batch,)


def _reduction(loss: Any, reduction: str) -> str:
    validate.choice("reduction", reduction, ("auto", "mean", "sum"))
    own = getattr(loss, "reduction", None)
    if reduction != "auto":
        return reduction
    return own if own in ("mean", "sum") else "mean"


def _refuse_training_mode(model: Any, torch: Any) -> None:
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


def _refuse_parameters(model: Any, named: list[tuple[str, Any]], torch: Any) -> None:
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


def _slots(model: Any, named: list[tuple[str, Any]], torch: Any) -> tuple[ParameterSlot, ...]:
    heads: dict[int, int] = {}
    for module in model.modules():
        if isinstance(module, torch.nn.MultiheadAttention):
            for name, parameter in module.named_parameters():
                if name in ("out_proj.bias", "bias_k", "bias_v"):
                    continue
                heads[id(parameter)] = module.num_heads
    found, start = [], 0
    for name, parameter in named:
        found.append(ParameterSlot(name, tuple(parameter.shape), start, heads.get(id(parameter), 0)))
        start += parameter.numel()
    return tuple(found)
