"""Hessian and Gauss–Newton products of any torch model by automatic differentiation, batch by batch."""

from __future__ import annotations

import contextlib
import copy
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.threads import TORCH_LARGE, ThreadChoice, TorchThreads
from rmtsim.hessians._operator import ParameterSlot
from rmtsim.hessians._torch_batches import (
    LARGEST,
    count_samples,
    first_line,
    join,
    listed,
    logits,
    map_tensors,
    naming,
    own_loss,
    read_batches,
    separated,
    shown,
    uneven_average,
)
from rmtsim.hessians._torch_checks import (
    Watched,
    digest,
    ends_in_error,
    inference,
    reentrant,
    refuse_parameters,
    refuse_training_mode,
)
from rmtsim.matrix_free._lanczos import length

Batches = int | tuple[int, ...]
T = TypeVar("T")

_BATCHED = 20_000
"""Parameters up to which many vectors go through one backward pass."""
_KEPT = 2**25
"""Numbers in the gradients of all graphs that are kept."""
_TOGETHER = 32
"""Vectors of one such pass."""
_SAME = 1e3
"""Two evaluations agree if their gradients differ by at most this many units of rounding."""


class TorchSource:
    """One matrix per batch: second derivatives of the batch's loss, or its Gauss–Newton part."""

    numpy = False

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
        self.threads = ThreadChoice(TorchThreads(torch), TORCH_LARGE)
        original = model
        parameters = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        if not parameters:
            raise ValueError("model: no parameters that require a gradient")
        refuse_training_mode(model, torch)
        refuse_parameters(model, parameters, torch)
        if dtype == "float64" and any(p.dtype != torch.float64 for _, p in parameters):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of copying a scripted module
                    model = copy.deepcopy(model).double()
            except RuntimeError as error:
                raise ValueError(
                    f"model: it cannot be copied for dtype='float64' ({first_line(error)}); convert the model itself "
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
        self._sizes = [slot.size for slot in self.slots]
        self.size = sum(self._sizes)
        self._device = self._parameters[0].device
        self._digest = digest(self._parameters, torch)
        self._watched = Watched(model)
        self._batches, cut = read_batches(data, batch_size, torch)
        # Batches that were cut here are evaluated together; the user's batches are kept, since they limit the memory.
        self._together = LARGEST if cut and batch_size is None and objective is None else 0
        self._batched = True
        self._kept: dict[Batches, tuple[list[Any], Any]] = {}
        self._keep = False
        self.batches = len(self._batches)
        self.samples: tuple[int, ...] | None = tuple(count_samples(b, torch) for b in self._batches)
        if 0 in self.samples:
            raise ValueError(f"data: batch {self.samples.index(0)} has no samples")
        self._gauss_newton = gauss_newton
        self._sum = _reduction(loss, reduction) == "sum"
        self.scale = float(sum(self.samples)) if self._sum else 1.0
        uneven = "" if cut or self.batches == 1 or self._sum else uneven_average(loss, self._batches, torch)
        if uneven:
            warnings.warn(
                f"loss: {uneven}, so that the mean over batches depends on how the data are cut; give the data as "
                "(inputs, targets), or the loss with reduction='sum'",
                stacklevel=3,
            )
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
        with self._gradients():
            loss, output = self._evaluate_unchanged()
            if output is not None and torch.is_tensor(output) and output.ndim > 1:
                self.classes = int(output.shape[-1])
            if not loss.requires_grad:
                raise ValueError(
                    "loss: it does not depend on the model's parameters by differentiable operations (detached, "
                    "computed under torch.no_grad(), or of another model)"
                )
            if reentrant(loss):
                raise ValueError(
                    "model: a part is checkpointed with use_reentrant=True, which loses second derivatives; use "
                    "checkpoint(…, use_reentrant=False)"
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
            if ends_in_error(gradient):
                raise ValueError(
                    "model: PyTorch cannot differentiate it twice (an operation is marked once_differentiable)"
                )
            first = self._flat(gradient)
            del gradient
            again = self._flat(torch.autograd.grad(self._evaluate(0)[0], self._parameters, allow_unused=True))
        scale = length(first)
        if length(first - again) > _SAME * self.precision * max(scale, 1e-300):
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
            if name not in copies or digest([buffer], torch) != digest([copies[name]], torch):
                with torch.no_grad():
                    for old, copied in copies.items():
                        buffers[old].copy_(copied)
                raise ValueError(
                    f"model: an evaluation changes its buffer {name!r}, so that products would depend on how many were "
                    "made before; call model.eval() first"
                )
        return found

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        """Operations that can be differentiated twice."""
        torch = self._torch
        with contextlib.ExitStack() as stack:
            # What torch.compile makes has no second derivatives.
            stance = getattr(torch.compiler, "set_stance", None) if "torch._dynamo" in sys.modules else None
            if stance is not None:
                stack.enter_context(stance("force_eager"))
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

    @contextlib.contextmanager
    def _gradients(self) -> Iterator[None]:
        """Gradients on, wherever the caller is."""
        with self._torch.inference_mode(False), self._torch.enable_grad():
            yield

    def _evaluate(self, index: Batches) -> tuple[Any, Any]:
        """Loss of a batch and the model's output (None if unknown)."""
        batch = self._batch(index)
        output = None
        separate = self._objective is None and self._loss_function is not None
        inputs, named, targets = separated(batch, index) if separate else ((), {}, None)
        with naming(index), self._recording():
            if self._objective is not None:
                loss = self._objective(self._model, batch)
            elif self._loss_function is None:
                try:
                    result = (
                        self._model(**batch) if isinstance(batch, Mapping) else self._model(*listed(batch))
                    )
                except TypeError as error:
                    raise TypeError(
                        f"{first_line(error)} (without loss=, the model reads all parts of a batch and returns "
                        "the loss)"
                    ) from error
                loss = own_loss(result)
            else:
                output = logits(self._model(*inputs, **named))
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
                f"loss: batch {shown(index)} gives {shape}; expected one number, as a tensor (reduction='mean' or "
                "'sum')"
            )
        if loss.is_complex():
            raise ValueError(f"loss: batch {shown(index)} gives {loss.dtype}; expected a real number")
        if not bool(torch.isfinite(loss)):
            raise ValueError(
                f"loss: {float(loss.detach())} on batch {shown(index)}; expected a finite number (NaN in the data? A "
                "mean over targets that are all ignored? reduction='sum' allows these)"
            )

    def _batch(self, index: Batches) -> Any:
        torch = self._torch
        chosen = [self._batches[k] for k in ((index,) if isinstance(index, int) else index)]
        return map_tensors(chosen[0] if len(chosen) == 1 else join(chosen, torch), self._placed, torch)

    def _placed(self, tensor: Any) -> Any:
        torch = self._torch
        if torch.is_tensor(tensor) and tensor.device.type == "meta":
            raise ValueError("data: a tensor is on the device meta, without values")
        tensor = torch.as_tensor(tensor, device=self._device)
        if tensor.is_inference():
            tensor = tensor.clone()
        return tensor.to(self._dtype) if tensor.is_floating_point() else tensor

    def mean_product(self, batches: tuple[int, ...], vectors: Array) -> Array:
        """Product of the mean over some batches with vectors, one per row."""
        if not self._watched.same() or self._digest != digest(self._parameters, self._torch):
            raise ValueError("model: its parameters have changed since the operator was made; make a new one")
        if self._watched.modes_changed():
            refuse_training_mode(self._model, self._torch)
        rows = self._gauss_newton_rows if self._gauss_newton else self._hessian_rows
        assert self.samples is not None
        samples = self.samples
        whole = sum(samples[k] for k in batches)
        parts = self._joined(batches)
        self._keep = len(parts) == 1

        def product() -> Array:
            total: Array | None = None
            with self._gradients():
                for part in parts:
                    count = sum(samples[k] for k in part)
                    found, share = rows(part, vectors), (1.0 if self._sum else count) / whole
                    if share != 1.0:
                        found *= share
                    total = found if total is None else np.add(total, found, out=total)
            assert total is not None
            return total

        try:
            return self.threads.call(float(whole) * vectors.shape[-1], product)
        except (NotImplementedError, RuntimeError) as error:
            if isinstance(error, NotImplementedError) or "is not implemented" in str(error):
                raise ValueError(
                    f"model: PyTorch cannot differentiate it twice ({first_line(error)})"
                ) from None
            raise

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
        grads, live = self._graph(index, self._gradient)
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
            # Parameters in which the vector is zero need no pass: those of other groups than a probe's.
            moved = [(g, parts[k]) for g, k in zip(grads, live, strict=True) if self._moves(vector, k)]
            if not moved:
                continue
            found = torch.autograd.grad(
                [g for g, _ in moved],
                self._parameters,
                [part for _, part in moved],
                retain_graph=self._keep or row + 1 < len(vectors),
                allow_unused=True,
            )
            self._flat(found, result[row])
        return result

    def _graph(self, index: Batches, make: Callable[[Batches], T]) -> T:
        """What ``make`` returns for a batch, with its graph.

        Graphs are kept where a product needs only one, so that the next product does not evaluate the model again:
        those of the last batches, as many as are evaluated together.
        """
        state = self._state(index)
        kept = self._kept.pop(index, None)
        if kept is not None and kept[0] == state:
            self._kept[index] = kept
            return kept[1]  # type: ignore[no-any-return]
        del kept
        self._forget(index)
        found = make(index)
        if self._keep:
            self._kept[index] = (state, found)
        return found

    def _gradient(self, index: Batches) -> tuple[list[Any], list[int]]:
        """Gradients that depend on the parameters, with their graph, and which parameters they belong to."""
        loss, _ = self._evaluate(index)
        gradient = self._torch.autograd.grad(loss, self._parameters, create_graph=True, allow_unused=True)
        live = [k for k, g in enumerate(gradient) if g is not None and g.requires_grad]
        return [gradient[k] for k in live], live

    def _forget(self, index: Batches) -> None:
        """Drop the oldest graphs, so that one more fits: as many samples as are evaluated together, few gradients."""
        assert self.samples is not None
        samples = self.samples

        def count(each: Batches) -> int:
            return sum(samples[k] for k in ((each,) if isinstance(each, int) else each))

        most = max(1, _KEPT // self.size)
        while self._kept and (
            len(self._kept) >= most or count(index) + sum(map(count, self._kept)) > self._together
        ):
            del self._kept[next(iter(self._kept))]

    def _state(self, index: Batches) -> list[Any]:
        """State that a graph depends on: versions of the parameters, and values of buffers, modes and data."""
        tensors = self._watched.buffers()
        for k in (index,) if isinstance(index, int) else index:
            map_tensors(self._batches[k], tensors.append, self._torch)
        # PyTorch refuses a graph whose tensors were written to, even with the same values.
        versions = [
            getattr(each, "_version", 0) for each in (*self._parameters, *tensors) if not inference(each)
        ]
        return [*digest(tensors, self._torch), *versions, *self._watched.modes()]

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
                    result[now, slot.start : slot.start + slot.size] = (
                        part.detach().reshape(len(flat), -1).cpu().numpy()
                    )
        return result

    def _gauss_newton_rows(self, index: Batches, vectors: Array) -> Array:
        torch = self._torch
        result = np.zeros(vectors.shape)
        parts_of = self._graph(index, self._model_and_loss)
        if parts_of is None:  # a loss that is linear in the output
            return result
        output, outer, slope, dummy, pulled, live = parts_of
        for row, vector in enumerate(vectors):
            parts = self._split(vector)
            tangent = torch.autograd.grad(pulled, dummy, [parts[k] for k in live], retain_graph=True)[0]
            bent = torch.autograd.grad(slope, outer, tangent, retain_graph=True)[0]
            found = torch.autograd.grad(output, self._parameters, bent, retain_graph=True, allow_unused=True)
            self._flat(found, result[row])
        return result

    def _model_and_loss(self, index: Batches) -> tuple[Any, Any, Any, Any, list[Any], list[int]] | None:
        """Graphs of the model and of the loss for products of Jᵀ L″ J; None for a loss that is linear in the output.

        The output; a copy of it, and the slope of the loss in the copy; a vector u = 0, Jᵀu, and the parameters that
        it belongs to: its derivative in u along a vector v is Jv.
        """
        torch = self._torch
        inputs, named, targets = separated(self._batch(index), index)
        with naming(index), self._recording():
            output = logits(self._model(*inputs, **named))
        if not torch.is_tensor(output):
            raise TypeError(
                f"model: its output is a {type(output).__name__}; the Gauss–Newton matrix needs a tensor"
            )
        outer = output.detach().requires_grad_(True)
        loss = self._loss_function(outer, targets)  # type: ignore[misc]
        self._check_loss(loss, index)
        slope = torch.autograd.grad(loss, outer, create_graph=True)[0]
        if not slope.requires_grad:
            return None
        dummy = torch.zeros_like(output, requires_grad=True)
        pulled = torch.autograd.grad(output, self._parameters, dummy, create_graph=True, allow_unused=True)
        live = [k for k, g in enumerate(pulled) if g is not None]
        return output, outer, slope, dummy, [pulled[k] for k in live], live

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
            with self._gradients():
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

    def _moves(self, vector: Array, number: int) -> bool:
        """Whether a vector has an entry that is not zero in a parameter."""
        slot = self.slots[number]
        part = vector[slot.start : slot.start + slot.size]
        return bool(part[:1].any()) or bool(part.any())

    def _split(self, vector: Array) -> list[Any]:
        given = vector if vector.flags.writeable else vector.copy()  # PyTorch warns of arrays that are not
        flat: Any = self._torch.as_tensor(given).to(dtype=self._dtype, device=self._device)
        return [
            part.view(p.shape).to(p.dtype)
            for part, p in zip(flat.split(self._sizes), self._parameters, strict=True)
        ]

    def _flat(self, parts: Any, out: Array | None = None) -> Array:
        result = np.zeros(self.size) if out is None else out
        whole: Any = self._torch.from_numpy(result)
        for place, part in zip(whole.split(self._sizes), parts, strict=True):
            if part is not None:
                place.copy_(part.detach().reshape(-1))
        return result


def _reduction(loss: Any, reduction: str) -> str:
    validate.choice("reduction", reduction, ("auto", "mean", "sum"))
    own = getattr(loss, "reduction", None)
    if reduction != "auto":
        return reduction
    return own if own in ("mean", "sum") else "mean"


def _slots(model: Any, named: list[tuple[str, Any]], torch: Any) -> tuple[ParameterSlot, ...]:
    heads: dict[int, int] = {}
    transposed: dict[int, int] = {}
    for module in model.modules():
        if isinstance(module, torch.nn.modules.conv._ConvTransposeNd):
            transposed |= {id(p): module.groups for p in module.parameters() if p.ndim > 2}
        if isinstance(module, torch.nn.MultiheadAttention):
            for name, parameter in module.named_parameters():
                if name in ("out_proj.bias", "bias_k", "bias_v"):
                    continue
                heads[id(parameter)] = module.num_heads
    found, start = [], 0
    for name, parameter in named:
        place = id(parameter)
        found.append(
            ParameterSlot(name, tuple(parameter.shape), start, heads.get(place, 0), transposed.get(place, 0))
        )
        start += parameter.numel()
    return tuple(found)
