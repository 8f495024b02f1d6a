"""Claims of `li` on the number of parameters N: section 4.1 with Figure 2b, and the two networks of appendix G."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rmtsim.claims import Computed, Identity, Plan, claim
from rmtsim.networks import fully_connected


@claim("li.size", states=Identity(within=1e-12), plan=Plan(sizes=(3, 10, 100), size_name="n", cost=1e-4))
def size_error(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of N = n⁴L; corrected: of N = (L − 1)n² + n."""
    layers = int(rng.integers(2, 11))
    parameters = fully_connected((size,) * layers + (1,), "relu", loss="hinge").parameters
    stated = size**4 * layers if form == "printed" else (layers - 1) * size**2 + size
    return abs(stated - parameters) / parameters


def parameters_of(
    channels: Sequence[int], kernel: int, side: int, hidden: Sequence[int], biased_output: bool
) -> int:
    """Weights and biases of convolutions (kernel × kernel) followed by full layers from a map of side × side."""
    convolutions = sum(kernel**2 * before * after + after for before, after in pairwise(channels))
    full = [channels[-1] * side**2, *hidden]
    dense = sum(before * after + after for before, after in pairwise(full))
    return convolutions + dense - (0 if biased_output else full[-1])


@claim(
    "li.size.lenet",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(6,), size_name="side of the map", cost=1e-5),
    evidence=Computed(1e-15),
)
def lenet_error(size: int) -> float:
    """Relative error of 1 232 768 for LeNet, with a ``size`` × ``size`` map before the full layers."""
    true = parameters_of((1, 32, 64), 5, size, (512, 1), biased_output=False)
    return abs(1_232_768 - true) / true


@claim(
    "li.size.vgg",
    states=Identity(within=1e-12),
    plan=Plan(sizes=(2,), size_name="side of the map", cost=1e-5),
    evidence=Computed(1e-15),
)
def vgg_error(size: int, form: str) -> float:
    """Relative error of the stated count for VGG, with a ``size`` × ``size`` map before the full layers."""
    channels = (3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512)
    true = parameters_of(channels, 3, size, (512, 1), biased_output=False)
    return abs((8_684_684 if form == "printed" else 8_684_864) - true) / true
