"""`dong` Lemmas 1 and 2: replacing the inputs inside the weights by an independent copy changes little.

The quantity is the mean square of the difference of two Stieltjes transforms. Both are smooth functions of Gaussian
data and of N weights that are independent given W, so the mean square is a/N + b/N² + …: a rate of one for the
square is the stated N^-1/2 for the difference, and its corrections are relative powers of 1/N.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import GAMMA, HIDDEN, SMALL_CLASSES, fixed_output
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance

Curvature = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Inputs → weights of the block, one a sample."""


def _resolvent_gap(layer: Literal["linear", "hidden"], diagonal: bool) -> Sampler:
    """|s_H(z) - s_H̃(z)|²/C² at z = i/C, H̃ with the diagonal of an independent copy of the inputs."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.proportions import proportional_shape

        dimension, samples = proportional_shape(size, parameters["gamma"])
        classes, hidden = int(parameters["classes"]), int(parameters.get("hidden", 0))
        z = 1j / classes
        values = np.empty(replicates)
        for index in range(replicates):
            inputs, copy = rng.standard_normal((2, samples, dimension))
            if layer == "linear":
                weights = rng.standard_normal((classes, dimension)) / math.sqrt(dimension)
                curvature = _linear_curvature(weights, diagonal)
            else:
                first = rng.standard_normal((hidden, dimension)) / math.sqrt(dimension)
                curvature = _hidden_curvature(first, fixed_output(classes, hidden), diagonal)
            transforms = [
                np.mean(1 / (np.linalg.eigvalsh(inputs.T @ (inputs * curvature(x)[:, None]) / samples) - z))
                for x in (inputs, copy)
            ]
            values[index] = abs((transforms[0] - transforms[1]) / classes) ** 2
        return values

    return sample


def _linear_curvature(weights: NDArray[np.float64], diagonal: bool) -> Curvature:
    from rmtsim.hessian.linear import softmax

    def curvature(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        p = softmax(np.asarray(inputs @ weights.T))
        return np.asarray(p[:, 0] * (1 - p[:, 0]) if diagonal else -p[:, 0] * p[:, 1])

    return curvature


def _hidden_curvature(first: NDArray[np.float64], output: NDArray[np.float64], diagonal: bool) -> Curvature:
    from rmtsim.hessian.one_hidden import forward
    from rmtsim.sampling.one_hidden import OneHiddenNetwork

    def curvature(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        targets = np.zeros((len(inputs), len(output)))
        state = forward(OneHiddenNetwork(inputs, first, output, targets), "ce")
        return np.asarray(state.hidden_curvatures[:, 0 if diagonal else 1])

    return curvature


def _lemma(number: int, name: str, equation: str, layer: Literal["linear", "hidden"], diagonal: bool) -> None:
    what = f"{'H' if layer == 'linear' else 'G'}_{'ii' if diagonal else 'ij'}"
    register(
        Claim(
            id=f"dong.lemma{number}.{name}",
            paper="dong",
            equation=f"Lemma {number}, eq. ({equation})",
            statement=f"The Stieltjes transforms of {what} and of its decoupled copy differ by O(N^-1/2): the "
            f"mean square of the difference is O(1/N) (at z = i/C, times 1/C).",
            kind="rate",
            exponent=1.0,
            relation="O",
            parameters=(GAMMA, SMALL_CLASSES) if layer == "linear" else (GAMMA, HIDDEN, SMALL_CLASSES),
            grid=({"gamma": 1.0},),
            sizes=(10, 30, 90, 270),
            size_name="min(d, N)",
            sample=_resolvent_gap(layer, diagonal),
            predict=None,
            tolerance=Tolerance(absolute=0.2),
            exponents=(1.0,),
            cost=lambda parameters, size: (
                (2e-4 if layer == "linear" else 4e-4)
                + 5e-8 * size**2 * max(parameters["gamma"], 1 / parameters["gamma"])
                + 1e-9 * size**3 * max(parameters["gamma"] ** 3, 1 / parameters["gamma"])
            ),
            quick=False,
            revision=2,
        )
    )


_lemma(1, "rate", "43", "linear", True)
_lemma(1, "rate-offdiagonal", "44", "linear", False)
_lemma(2, "rate", "70", "hidden", True)
_lemma(2, "rate-offdiagonal", "71", "hidden", False)
