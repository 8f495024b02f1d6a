"""Spectra of single blocks: `dong` Propositions 2, 4 and 6."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong_parameters import GAMMA, HIDDEN, SMALL_CLASSES, fixed_output
from rmtsim.claims.model import Claim, Parameter, Parameters, Sampler, Tolerance
from rmtsim.claims.registry import register

Draw = Callable[[Parameters, int, int, np.random.Generator], NDArray[np.float64]]
"""(parameters, dimension, samples, rng) → eigenvalues of one block."""


def _distance(draw: Draw, law: Callable[[Parameters], Any]) -> Sampler:
    """Kolmogorov distance between the spectrum of a drawn block and the law."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.laws.empirical import empirical
        from rmtsim.sampling.shapes import proportional_shape

        dimension, samples = proportional_shape(size, parameters["gamma"])
        stated = law(parameters)
        return np.array(
            [
                empirical(draw(parameters, dimension, samples, rng)).kolmogorov(stated)
                for _ in range(replicates)
            ]
        )

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
    overhead: float = 8e-4,
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
            tolerance=Tolerance(absolute=0.02),
            exponents=(0.5, 1.0),
            cost=lambda parameters, size: (
                overhead * (1 + size / 50)
                + 1e-9 * size**3 * max(parameters["gamma"], 1 / parameters["gamma"])
            ),
            quick=quick,
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
        return np.asarray(np.linalg.eigvalsh(kept.T @ kept / samples))

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
    overhead=1e-2,
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
    overhead=1e-2,
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
    overhead=1e-2,
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
        overhead=1e-2,
    )
