"""Figures 1(b), (c) and 3 of `li` on its LeNet (1 232 768 parameters) and its VGG (8 684 864), on other data.

MNIST and CIFAR10 are not at hand. The LeNet learns scikit-learn's digits (0–4 against 5–9) enlarged to 28 × 28, the
VGG to tell patches of 32 × 32 pixels of scikit-learn's two photographs apart. Losses, optimisers and rates are the
paper's, samples and epochs fewer, no dropout. Spectra by Lanczos quadrature, on 200 samples (LeNet) and 20 (VGG).
Finished parts are kept in li_paper_networks.runs.jsonl. Needs the extras "torch" and "studies".
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np
import resumable

from rmtsim._internal.randomness import stream
from rmtsim.hessians import hessian

NAME = "li_paper_networks"
FACTORS = (0.5, 1.0, 2.0)
CHANNELS = (64, 64, 128, 128, 256, 256, 256, 512, 512, 512)
POOLED = (2, 4, 7, 10)
"""Convolutions of the VGG that a pooling follows, counted from one."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scale", type=harness.positive_integer, default=1, help="divides all channels")
    parser.add_argument("--epochs", type=harness.positive_integer, default=10, help="of the LeNet")
    parser.add_argument("--vgg-epochs", type=harness.positive_integer, default=6)
    parser.add_argument("--samples", type=harness.positive_integer, default=1000, help="patches for the VGG")
    parser.add_argument("--few", type=harness.positive_integer, default=20, help="patches for H of the VGG")
    parser.add_argument("--lanczos", type=harness.positive_integer, default=128, help="steps for the LeNet")
    parser.add_argument("--steps", type=harness.positive_integer, default=100, help="of descent for each c")
    parser.add_argument(
        "--networks", type=harness.positive_integer, default=3, help="per c for gradient norms"
    )
    parser.add_argument("--seed", type=int, default=0)


def _normalise(x: Any) -> Any:
    """Mean zero and variance one per channel over the batch, without affine part."""
    axes = (0, 2, 3) if x.ndim == 4 else (0,)
    centred = x - x.mean(axes, keepdim=True)
    return centred / (centred.square().mean(axes, keepdim=True) + 1e-10).sqrt()


def lenet(scale: int) -> Any:
    """Table 3 of the paper; paddings 2 and 1 and a bias in every layer but the last give its number of parameters."""
    from torch import nn

    one, two, wide = 32 // scale, 64 // scale, 512 // scale
    model = nn.Sequential(
        nn.Conv2d(1, one, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(one, two, 5, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(36 * two, wide), nn.ReLU(), nn.Linear(wide, 1, bias=False),
    )  # fmt: skip
    for layer in model:
        if hasattr(layer, "weight"):
            reach = float(np.sqrt(3.0 / layer.weight[0].numel()))
            nn.init.uniform_(layer.weight, -reach, reach)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    return model


def vgg(scale: int, factor: float | None, normalised: bool) -> Any:
    """Appendix G.3; weights N(0, factor/inputs), or of standard deviation 10⁻⁴ without a factor."""
    import torch
    from torch import nn

    class Normalise(nn.Module):
        def forward(self, x: Any) -> Any:
            return _normalise(x)

    layers: list[Any] = []
    before = 3
    for index, channels in enumerate(CHANNELS, start=1):
        layers.append(nn.Conv2d(before, channels // scale, 3, padding=1))
        layers += [Normalise()] if normalised else []
        layers += [nn.ReLU()] + ([nn.MaxPool2d(2)] if index in POOLED else [])
        before = channels // scale
    layers += [nn.Flatten(), nn.Linear(4 * before, 512 // scale)]
    layers += [Normalise()] if normalised else []
    model = nn.Sequential(*layers, nn.ReLU(), nn.Linear(512 // scale, 1, bias=False))
    with torch.no_grad():
        for layer in model:
            if hasattr(layer, "weight"):
                inputs = layer.weight[0].numel()
                layer.weight.normal_(0.0, 1e-4 if factor is None else float(np.sqrt(factor / inputs)))
                if layer.bias is not None:
                    layer.bias.zero_()
    return model


def hinge(output: Any, labels: Any) -> Any:
    return (1 - labels * output).clamp(min=0).mean()


def enlarged_digits(rng: np.random.Generator) -> tuple[Any, ...]:
    """Training images (·, 1, 28, 28) of mean zero and variance one, labels ±1, then test ones."""
    import torch

    x, y, test, test_y = digits_network.load(True, rng)
    mean, deviation = x.mean(), x.std()

    def images(rows: Any) -> Any:
        small = torch.tensor((rows - mean) / deviation, dtype=torch.float32).reshape(-1, 1, 8, 8)
        return torch.nn.functional.interpolate(small, size=(28, 28), mode="bilinear", align_corners=False)

    def signs(labels: Any) -> Any:
        return torch.tensor(2.0 * labels[:, None] - 1, dtype=torch.float32)

    return images(x), signs(y), images(test), signs(test_y)


def patches(count: int, rng: np.random.Generator) -> tuple[Any, ...]:
    """Patches (·, 3, 32, 32) of two photographs, normalised per channel, with labels ±1; training from left halves."""
    import torch
    from sklearn.datasets import load_sample_images

    photographs = [np.asarray(image, dtype=np.float64) / 255 for image in load_sample_images().images]

    def drawn(number: int, side: int) -> tuple[Any, Any]:
        found, labels = [], []
        for index in range(number):
            image = photographs[index % 2]
            half = image.shape[1] // 2
            row = int(rng.integers(image.shape[0] - 32))
            column = int(rng.integers(half - 32)) + side * half
            found.append(image[row : row + 32, column : column + 32].transpose(2, 0, 1))
            labels.append(2.0 * (index % 2) - 1)
        return np.array(found), np.array(labels)[:, None]

    (x, y), (test, test_y) = drawn(count, 0), drawn(max(2, count // 5), 1)
    mean, deviation = x.mean((0, 2, 3), keepdims=True), x.std((0, 2, 3), keepdims=True)
    arrays = ((x - mean) / deviation, y, (test - mean) / deviation, test_y)
    return tuple(torch.tensor(each, dtype=torch.float32) for each in arrays)


def spectrum(model: Any, x: Any, y: Any, steps: int, seed: int) -> dict[str, Any]:
    """Quadrature nodes and weights of the Hessian on these samples, as one batch, and measures of symmetry."""
    operator = hessian(model, hinge, (x, y), batch_size=len(x))
    (found,) = operator.spectrum(probes=2, steps=steps, exact_up_to=0, rng=seed)
    energy = found.moment(2).value
    negative = found.average(lambda t: np.where(t < 0, t * t, 0.0))
    third = found.moment(3)
    return {
        "N": operator.size,
        "nodes": np.concatenate(found.nodes).tolist(),
        "weights": np.concatenate([rule / len(found.weights) for rule in found.weights]).tolist(),
        "lowest": found.range[0],
        "highest": found.range[1],
        "root mean square": energy**0.5,
        "negative energy": negative.value / energy if energy > 0 else 0.5,
        "negative energy error": negative.error / energy if energy > 0 else 0.0,
        "skewness": third.value / energy**1.5 if energy > 0 else 0.0,
        "skewness error": third.error / energy**1.5 if energy > 0 else 0.0,
    }


def train(
    model: Any, data: tuple[Any, ...], epochs: int, rates: Callable[[int], float], batch: int,
    stages: set[int], examine: Callable[[Any], dict[str, Any]], rng: np.random.Generator,
) -> dict[str, Any]:  # fmt: skip
    """Loss and accuracies after every epoch, and the spectrum at the stages."""
    import torch

    x, y, test, test_y = data
    optimiser = torch.optim.SGD(model.parameters(), lr=rates(0), momentum=0.9)
    curve, found = [], []
    for epoch in range(epochs + 1):
        with torch.no_grad():
            output = torch.cat([model(part) for part in x.split(200)])
            tested = torch.cat([model(part) for part in test.split(200)])
        curve.append(
            {
                "epoch": epoch,
                "loss": float(hinge(output, y)),
                "training accuracy": float((output * y > 0).float().mean()),
                "test accuracy": float((tested * test_y > 0).float().mean()),
            }
        )
        print(f"epoch {epoch}: loss {curve[-1]['loss']:.4f}", flush=True)
        if epoch in stages:
            found.append({"epoch": epoch, **examine(model)})
        for group in optimiser.param_groups:
            group["lr"] = rates(epoch)
        for part in np.array_split(rng.permutation(len(x)), max(1, len(x) // batch)):
            index = torch.tensor(part)
            optimiser.zero_grad()
            hinge(model(x[index]), y[index]).backward()
            optimiser.step()
    return {"curve": curve, "stages": found}


def descend(model: Any, x: Any, y: Any, steps: int, constant: float | None) -> dict[str, list[float]]:
    """Loss and step size of full gradient steps 0.01/‖∇R‖², until the loss exceeds 10¹⁶ or the gradient vanishes."""
    import torch

    parameters = list(model.parameters())
    losses: list[float] = []
    sizes: list[float] = []
    for _ in range(steps):
        loss = hinge(model(x), y)
        gradients = torch.autograd.grad(loss, parameters)
        length = float(sum(each.double().square().sum() for each in gradients))
        value = float(loss.detach())
        if not np.isfinite([length, value]).all() or value > 1e16 or length == 0:
            break
        losses.append(value)
        sizes.append(0.01 / length if constant is None else constant)
        with torch.no_grad():
            for each, gradient in zip(parameters, gradients, strict=True):
                each -= sizes[-1] * gradient
    return {"loss": losses, "step": sizes}


def gradient_norms(factor: float, x: Any, y: Any, scale: int, networks: int, seed: int) -> list[float]:
    import torch

    found = []
    for index in range(networks):
        torch.manual_seed(1000 * seed + index)
        model = vgg(scale, factor, False)
        gradients = torch.autograd.grad(hinge(model(x), y), list(model.parameters()))
        found.append(float(sum(each.double().square().sum() for each in gradients)))
    return found


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    import torch

    scale, seed = arguments.scale, arguments.seed
    store = resumable.FinishedRuns(arguments.out, NAME)
    rng = stream(seed, NAME, {}, scale, 0)
    digits, photographs = enlarged_digits(rng), patches(arguments.samples, rng)
    few = [each[: arguments.few] for each in photographs[:2]]
    shorter = max(2, arguments.lanczos // 2)
    common = {"scale": scale, "seed": seed, "lanczos": arguments.lanczos, "few": arguments.few}

    def small_network() -> dict[str, Any]:
        torch.manual_seed(seed)
        last = arguments.epochs
        rows = [each[:200] for each in digits[:2]]
        return train(
            lenet(scale), digits, last, lambda epoch: 0.01 if epoch < 6 else 0.001, 64,
            {0, 1, last // 2, last}, lambda model: spectrum(model, *rows, arguments.lanczos, seed),
            stream(seed, NAME, {}, scale, 1),
        )  # fmt: skip

    def large_network() -> dict[str, Any]:
        torch.manual_seed(seed)
        last = arguments.vgg_epochs
        return train(
            vgg(scale, None, True), photographs, last, lambda epoch: 0.05 if 3 * epoch < 2 * last else 0.005, 50,
            {0, last // 2, last}, lambda model: spectrum(model, *few, shorter, seed),
            stream(seed, NAME, {}, scale, 2),
        )  # fmt: skip

    def initial(factor: float) -> dict[str, Any]:
        torch.manual_seed(seed)
        return spectrum(vgg(scale, factor, False), *few, shorter, seed)

    def descent(factor: float, constant: float | None, normalised: bool) -> dict[str, Any]:
        torch.manual_seed(seed)
        return descend(vgg(scale, factor, normalised), *few, arguments.steps, constant)

    results = {
        "LeNet, digits": store.result({"part": "lenet", "epochs": arguments.epochs, **common}, small_network),
        "VGG, photographs": store.result(
            {"part": "vgg", "epochs": arguments.vgg_epochs, "samples": arguments.samples, **common},
            large_network,
        ),
    }
    spectra = {
        f"c = {factor:g}": store.result(
            {"part": "initial", "c": factor, "samples": arguments.samples, **common},
            lambda factor=factor: initial(factor),
        )
        for factor in FACTORS
    }
    rows = []
    for factor in np.geomspace(0.5, 4.0, 7):
        setting = {"part": "norms", "c": float(factor), "networks": arguments.networks}
        norms = store.result(
            {**setting, "samples": arguments.samples, **common},
            lambda factor=float(factor): gradient_norms(factor, *few, scale, arguments.networks, seed),
        )
        deviation = float(np.std(norms, ddof=1)) if len(norms) > 1 else 0.0
        rows.append({"factor": float(factor), "risk": float(np.mean(norms)), "risk deviation": deviation})
    kinds: dict[str, tuple[float, float | None, bool]] = {
        **{f"c = {factor:g}": (factor, None, False) for factor in FACTORS},
        "c = 2, step 0.1": (2.0, 0.1, False),
        "c = 2, normalised": (2.0, None, True),
    }
    runs = {}
    for name, kind in kinds.items():
        setting = {"part": "descent", "kind": name, "steps": arguments.steps, "samples": arguments.samples}
        runs[name] = store.result({**setting, **common}, lambda kind=kind: descent(*kind))
        print(f"{name}: {len(runs[name]['loss'])} steps", flush=True)
    return {"rows": rows, "results": results, "spectra": spectra, "runs": runs}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from li_figures import paper_networks

    from rmtsim.plots._style import save

    save(paper_networks(data), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
