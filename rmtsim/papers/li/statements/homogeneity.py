"""Claims of `li` on scaling the weights: Corollary F.1 and Proposition F.1.

A ReLU network without biases is homogeneous in each layer, so W → √d W multiplies T by d^{L/2} and ∂²T/∂W_p∂W_q by
d^{(L-2)/2}. The Hessian of the loss also has the slope l'(T, y), which the scaled output may change.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Identity, Parameter, Plan, claim
from rmtsim.networks import fully_connected
from rmtsim.networks._network import Network

_LAYERS = Parameter("layers", "L, the last one α", 4, integer=True, lowest=2, highest=10, draw_range=(2, 5))
_FACTOR = Parameter(
    "factor",
    "d, by which every variance is multiplied",
    4.0,
    open_below=True,
    highest=100.0,
    draw_range=(0.2, 9.0),
)
_SLOPE = "the slope l' of the loss is taken not to depend on c"
_NOTE = (
    "The proof keeps l'(Tx, y) as it was while T is multiplied by d^{L/2}: a hinge that was active can become flat, "
    "and the other way round. (c and d must be positive for √c to be a deviation.)"
)


def _instance(
    size: int, layers: int, samples: int, gain: float, rng: np.random.Generator
) -> tuple[Network, NDArray[np.float64], NDArray[np.float64]]:
    network = fully_connected((*(size,) * layers, 1), "relu", gain=gain, loss="hinge").sample(rng)
    return (
        network,
        rng.standard_normal((samples, size)),
        rng.choice([-1.0, 1.0], size=(samples, 1)),
    )


def _error(found: NDArray[np.float64], stated: NDArray[np.float64]) -> float:
    scale = max(float(np.abs(found).max()), float(np.abs(stated).max()))
    return float(np.abs(found - stated).max()) / scale if scale else 0.0


def _scaled(network: Network, factor: float) -> Network:
    return network.with_parameters(network.parameters * np.sqrt(factor))


def hessian_printed(size: int, rng: np.random.Generator, layers: int, factor: float, samples: int) -> float:
    """Relative error of H(dc) = d^{(L-2)/2} H(c), c = 2, for the hinge loss on some samples."""
    network, x, y = _instance(size, layers, samples, 2.0, rng)
    return _error(_scaled(network, factor).hessian(x, y), factor ** (layers / 2 - 1) * network.hessian(x, y))


def hessian_corrected(size: int, rng: np.random.Generator, layers: int, factor: float, samples: int) -> float:
    """The same with each sample's ∂²T weighted by its slope at the scaled output."""
    network, x, y = _instance(size, layers, samples, 2.0, rng)
    slopes = np.where(y * factor ** (layers / 2) * network.output(x) < 1, -y, 0.0)
    stated = factor ** (layers / 2 - 1) * network.with_loss("none").hessian(x, slopes)
    return _error(_scaled(network, factor).hessian(x, y), stated)


STATEMENT_PLAN = Plan(sizes=(3, 6), size_name="n", cost=4e-3)
STATEMENT_POINTS = ({"layers": 3, "factor": 4.0}, {"layers": 4, "factor": 0.25})
STATEMENT_CREDIT = (
    "Equation (5) has l' as a factor of every block. For the absolute loss far from its kink, and for the Hessian of "
    "T, the statement is right."
)

claim(
    "li.propF.1",
    partial(hessian_printed, samples=6),
    at="Proposition F.1",
    standing="lemma",
    printed="H(dc) = d^{(L-2)/2} H(c), all weights multiplied by √d; for the hinge loss (class L₀) on six samples, c = "
    "2.",
    corrected=Corrected(
        "H(dc) = d^{(L-2)/2} (1/m) Σ_i l'(d^{L/2} T(x_i), y_i) ∂²T(x_i), the ∂²T at c: equal to d^{(L-2)/2} H(c) where "
        "no sample changes its slope.",
        measured=partial(hessian_corrected, samples=6),
    ),
    states=Identity(within=1e-10),
    over=(_LAYERS, _FACTOR),
    points=STATEMENT_POINTS,
    plan=STATEMENT_PLAN,
    erratum=Erratum(cause=_SLOPE, note=_NOTE, credit=STATEMENT_CREDIT),
)

claim(
    "li.corF.1",
    partial(hessian_printed, samples=1),
    at="Corollary F.1, Corollary F.2",
    standing="lemma",
    printed="H(c) = c^{(L-2)/2} H(1); for the hinge loss on one sample, from c = 2 to factor·2.",
    corrected=Corrected(
        "For c > 0, ∂²T(c) = c^{(L-2)/2} ∂²T(1), and l'(T(c), y) in front of it at c; one sample.",
        measured=partial(hessian_corrected, samples=1),
    ),
    states=Identity(within=1e-10),
    over=(_LAYERS, _FACTOR),
    points=STATEMENT_POINTS,
    plan=STATEMENT_PLAN,
    erratum=Erratum(cause=_SLOPE, note=_NOTE, credit=STATEMENT_CREDIT),
)
