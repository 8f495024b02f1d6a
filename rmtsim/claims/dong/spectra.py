"""Spectra of single blocks: `dong` Propositions 2, 4 and 6.

The distance to a law is taken where the paper takes it, between Stieltjes transforms: the mean of
(Im z)²|s_H(z) - s(z)|² over nine points z = μ + σ(t + i), t from -2 to 2, mean μ and deviation σ of the law, at
most π² times the squared Kolmogorov distance. Its expectation is a variance plus a squared bias, each a series in 1/N
(the weights of a block are N independent numbers given W, and the transform is a smooth function of them and of the
Gaussian inputs), so the exponent is one; a Kolmogorov distance has no such series.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import GAMMA, HIDDEN, SMALL_CLASSES, fixed_output
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameter, Parameters, Sampler, Tolerance

Draw = Callable[[Parameters, int, int, np.random.Generator], NDArray[np.float64]]
"""(parameters, dimension, samples, rng) → eigenvalues of one block."""

_PLACES = np.linspace(-2.0, 2.0, 9) + 1j
"""Points of the upper half-plane, in deviations of the law from its mean."""


_TOLERANCE = 0.02**2
"""A root mean square gap of two per cent, of a quantity that is at most one."""


def resolvent_points(law: Any) -> tuple[NDArray[np.complex128], NDArray[np.complex128], float]:
    """(z, s(z), σ): where the transforms are compared, the law's values there, and the height Im z."""
    mean = float(law.moment(1))
    deviation = float(np.sqrt(law.moment(2) - mean**2))
    points = np.asarray(mean + deviation * _PLACES, dtype=np.complex128)
    return points, np.asarray(law.stieltjes(points)), deviation


def _distance(draw: Draw, law: Callable[[Parameters], Any]) -> Sampler:
    """Mean of (Im z)²|s_H(z) - s(z)|² over the points of :func:`resolvent_points`."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.sampling.proportions import proportional_shape

        dimension, samples = proportional_shape(size, parameters["gamma"])
        points, stated, height = resolvent_points(law(parameters))
        values = np.empty(replicates)
        for index in range(replicates):
            eigenvalues = draw(parameters, dimension, samples, rng)
            gap = (1 / (eigenvalues[:, None] - points)).mean(axis=0) - stated
            values[index] = height**2 * np.mean(np.abs(gap) ** 2)
        return values

    return sample


def _law_claim(
    name: str,
    equation: str,
    statement: str,
    draw: Draw,
    law: Callable[[Parameters], Any],
    parameters: tuple[Parameter, ...],
    grid: tuple[Parameters, ...],
    *,
    overhead: float = 1e-4,
    cubic: float = 5e-10,
    quick: bool = False,
    note: str = "",
) -> None:
    register(
        Claim(
            id=f"dong.{name}",
            paper="dong",
            equation=equation,
            statement=statement,
            kind="law",
            parameters=parameters,
            grid=grid,
            sizes=(25, 50, 100, 200),
            size_name="min(d, N)",
            sample=_distance(draw, law),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=_TOLERANCE),
            exponents=(1.0,),
            cost=lambda parameters, size: (
                overhead
                + 4e-8 * size**2 * max(parameters["gamma"], 1 / parameters["gamma"])
                + cubic * size**3 * max(parameters["gamma"] ** 3, 1 / parameters["gamma"])
            ),
            quick=quick,
            revision=2,
            note=note,
        )
    )


def _gated_spectrum(diagonal: bool) -> Draw:
    def draw(
        parameters: Parameters, dimension: int, samples: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        inputs = rng.standard_normal((samples, dimension))
        gates = inputs @ rng.standard_normal((dimension, 1 if diagonal else 2)) > 0
        kept = inputs[gates.all(axis=1)]
        if len(kept) >= dimension:
            return np.asarray(np.linalg.eigvalsh(kept.T @ kept / samples))
        # Few open gates: the same eigenvalues from the smaller side, and zeros.
        return np.concatenate([np.linalg.eigvalsh(kept @ kept.T / samples), np.zeros(dimension - len(kept))])

    return draw


def _marchenko_pastur(factor: float) -> Callable[[Parameters], Any]:
    def law(parameters: Parameters) -> Any:
        from rmtsim.laws.marchenko_pastur import MarchenkoPastur

        return MarchenkoPastur(ratio=factor * parameters["gamma"], variance=1 / factor)

    return law


_GAMMA_GRID: tuple[Parameters, ...] = ({"gamma": 0.2}, {"gamma": 1.0})
_law_claim(
    "prop6.diagonal-law",
    "Proposition 6",
    "The spectrum of L_ii tends to MP(2γ, 1/2) as d, N → ∞, d/N → γ.",
    _gated_spectrum(True),
    _marchenko_pastur(2.0),
    (GAMMA,),
    _GAMMA_GRID,
)
_law_claim(
    "prop6.offdiagonal-law",
    "Proposition 6",
    "The spectrum of L_ij, i ≠ j, tends to MP(4γ, 1/4) as d, N → ∞, d/N → γ.",
    _gated_spectrum(False),
    _marchenko_pastur(4.0),
    (GAMMA,),
    _GAMMA_GRID,
)


def _linear_spectrum(diagonal: bool) -> Draw:
    def draw(
        parameters: Parameters, dimension: int, samples: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.linear import block_eigenvalues
        from rmtsim.sampling.linear import sample_linear

        model = sample_linear(dimension, samples, int(parameters["classes"]), rng)
        return block_eigenvalues(model, 0, 0 if diagonal else 1)

    return draw


@lru_cache(maxsize=64)
def _linear_law(gamma: float, classes: int, diagonal: bool, sign: int) -> Any:
    from rmtsim.laws.generalized_marchenko_pastur import GeneralizedMarchenkoPastur
    from rmtsim.predict.curvature_population import linear_population

    return GeneralizedMarchenkoPastur(gamma, sign * linear_population(classes, diagonal))


_SIGN = (
    "H_ij = -(1/N) Σ p_ni p_nj x_n x_nᵀ has no positive eigenvalue; the proof takes the "
    "population p_i p_j where the weights "
    "are -p_i p_j."
)
_CLASS_GRID: tuple[Parameters, ...] = ({"gamma": 0.5, "classes": 3}, {"gamma": 2.0, "classes": 10})
_law_claim(
    "prop2.diagonal-law",
    "Proposition 2, eq. (55)",
    "The spectrum of H_ii tends to the generalised Marchenko-Pastur law of the population p(1-p), d/N → γ, C fixed.",
    _linear_spectrum(True),
    lambda p: _linear_law(p["gamma"], int(p["classes"]), True, 1),
    (GAMMA, SMALL_CLASSES),
    _CLASS_GRID,
    overhead=2e-4,
)
_law_claim(
    "prop2.offdiagonal-law",
    "Proposition 2, eq. (56)",
    "The spectrum of H_ij, i ≠ j, tends to the generalised Marchenko-Pastur law of the "
    "population p_i p_j, d/N → γ, C fixed.",
    _linear_spectrum(False),
    lambda p: _linear_law(p["gamma"], int(p["classes"]), False, 1),
    (GAMMA, SMALL_CLASSES),
    _CLASS_GRID,
    overhead=2e-4,
    quick=True,
    note=_SIGN,
)
_law_claim(
    "prop2.offdiagonal-law/corrected",
    "Proposition 2, eq. (56)",
    "The spectrum of H_ij, i ≠ j, tends to the generalised Marchenko-Pastur law of the "
    "population -p_i p_j, d/N → γ, C fixed.",
    _linear_spectrum(False),
    lambda p: _linear_law(p["gamma"], int(p["classes"]), False, -1),
    (GAMMA, SMALL_CLASSES),
    _CLASS_GRID,
    overhead=2e-4,
    note=_SIGN,
)


def _hidden_spectrum(diagonal: bool) -> Draw:
    def draw(
        parameters: Parameters, dimension: int, samples: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.one_hidden import forward, hidden_block
        from rmtsim.sampling.one_hidden import OneHiddenNetwork

        classes, hidden = int(parameters["classes"]), int(parameters["hidden"])
        inputs = rng.standard_normal((samples, dimension))
        first = rng.standard_normal((hidden, dimension)) / np.sqrt(dimension)
        network = OneHiddenNetwork(inputs, first, fixed_output(classes, hidden), np.zeros((samples, classes)))
        return np.asarray(np.linalg.eigvalsh(hidden_block(forward(network, "ce"), 0, 0 if diagonal else 1)))

    return draw


@lru_cache(maxsize=64)
def _hidden_law(gamma: float, hidden: int, classes: int, diagonal: bool) -> Any:
    from rmtsim.laws.generalized_marchenko_pastur import GeneralizedMarchenkoPastur
    from rmtsim.predict.curvature_population import hidden_population

    return GeneralizedMarchenkoPastur(gamma, *hidden_population(fixed_output(classes, hidden), diagonal))


for _diagonal, _word, _symbol, _number in ((True, "diagonal", "ξ", "81"), (False, "offdiagonal", "η", "82")):
    _law_claim(
        f"prop4.{_word}-law",
        f"Proposition 4, eq. ({_number})",
        f"At a fixed V the spectrum of G_{'ii' if _diagonal else 'ij'} tends to the generalised "
        f"Marchenko-Pastur law of the "
        f"population {_symbol}_C(V), d/N → γ.",
        _hidden_spectrum(_diagonal),
        lambda p, diagonal=_diagonal: _hidden_law(  # type: ignore[misc]
            p["gamma"], int(p["hidden"]), int(p["classes"]), diagonal
        ),
        (GAMMA, HIDDEN, SMALL_CLASSES),
        ({"gamma": 0.5, "hidden": 5, "classes": 5}, {"gamma": 2.0, "hidden": 8, "classes": 10}),
        overhead=2e-4,
    )
