"""`dong` Theorem 2 on networks: (27)-(29) as d, N → ∞ at fixed C, Proposition 7 and Lemma 3.

Every sampler draws hidden and output weights and inputs; nothing of the theory enters. What the inputs add beyond W x
is averaged in closed form at the given d and N (:mod:`rmtsim.hessian.one_hidden_average`), so sizes in the thousands
cost no more than small ones. Expectations at finite d, N expand in powers of 1/d (gates and logits depend on W
only through W Wᵀ, a Wishart matrix), so finite-size fits use the exponent one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.dong.parameters import CLASSES, GAMMA, HIDDEN, finite_value, integer_parameter
from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameters, Sampler, Tolerance

_GRID: tuple[Parameters, ...] = (
    {"gamma": 0.1, "hidden": 5, "classes": 5},
    {"gamma": 1.0, "hidden": 8, "classes": 20},
    {"gamma": 5.0, "hidden": 12, "classes": 50},
)

_PAIRS = 32
"""Independent inputs per drawn W, each with its mirror image."""


def _draws(classes: int) -> int:
    """Output matrices V per drawn W: a replicate is the mean over that many networks."""
    return max(1, min(32, 2000 // classes))


def _networks(
    layer: Literal["hidden", "output"],
    loss: Literal["mse", "ce"],
    diagonal: bool,
    scale: Callable[[Parameters], float] = lambda parameters: 1.0,
) -> Sampler:
    """Sampler of scale × mean ‖block‖²_F (over d for the hidden layer) at min(d, N) = size."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.one_hidden_average import averaged_energies, hidden_kernel, output_kernel
        from rmtsim.sampling.pre_activations import sample_pre_activations
        from rmtsim.sampling.proportions import proportional_shape

        dimension, samples = proportional_shape(size, parameters["gamma"])
        hidden, classes = int(parameters["hidden"]), int(parameters["classes"])
        kernel_of = hidden_kernel if layer == "hidden" else output_kernel
        values = np.empty(replicates)
        for index in range(replicates):
            drawn = sample_pre_activations(dimension, hidden, _PAIRS, rng)
            outputs = rng.standard_normal((_draws(classes), classes, hidden)) / np.sqrt(hidden)
            energies = averaged_energies(drawn.values, kernel_of(drawn, samples), outputs, layer, loss)
            values[index] = energies[0 if diagonal else 1]
        factor = scale(parameters)
        return values * (factor / dimension if layer == "hidden" else factor)

    return sample


def _cost(layer: str, loss: str) -> Callable[[Parameters, int], float]:
    def cost(parameters: Parameters, size: int) -> float:
        # Iterated limits set the class count themselves.
        hidden, classes = parameters["hidden"], parameters.get("classes", 100)
        draws, pairs, inputs = _draws(classes), hidden * (hidden + 1) / 2, 2 * _PAIRS
        base = 2e-4 + draws * classes * hidden * (2e-8 + (5e-9 * hidden if layer == "hidden" else 0.0))
        if loss == "mse":
            return float(base)
        softmax = 1.6e-8 * draws * inputs * classes
        if layer == "hidden":
            products = draws * inputs * pairs * (2e-10 * (classes + inputs) + 4e-9)
        else:
            products = draws * inputs * (2e-10 * inputs * classes + 4e-9 * inputs)
        return float(base + softmax + products)

    return cost


def _network_claim(
    name: str,
    equation: str,
    statement: str,
    sample: Sampler,
    predict: Callable[[Parameters], float],
    *,
    cost: Callable[[Parameters, int], float],
    grid: tuple[Parameters, ...] = _GRID,
    outer: tuple[str, tuple[int, ...]] | None = None,
    quick: bool = False,
    note: str = "",
) -> object:
    """``quick`` is for claims that a few seconds decide; the others take ten or twenty."""
    return register(
        Claim(
            id=f"dong.{name}",
            paper="dong",
            equation=equation,
            statement=statement,
            kind="limit",
            parameters=(GAMMA, HIDDEN) if outer else (GAMMA, HIDDEN, CLASSES),
            grid=grid,
            sizes=(40, 160, 640, 2560),
            size_name="min(d, N)",
            sample=sample,
            predict=predict,
            tolerance=Tolerance(relative=0.05),
            exponents=(1.0,),
            outer=outer,
            cost=cost,
            quick=quick,
            revision=2,
            memory=lambda parameters, size: 3e7 + 1e3 * parameters.get("classes", 1),
            note=note,
        )
    )


def _theory(name: str) -> Callable[[Parameters], float]:
    """A finite-C function at the parameter point."""

    def predict(parameters: Parameters) -> float:
        hidden, classes = int(parameters["hidden"]), int(parameters["classes"])
        return finite_value(name, parameters["gamma"], hidden, classes)

    return predict


def _theory_prop7(diagonal: bool) -> Callable[[Parameters], float]:
    def predict(parameters: Parameters) -> float:
        from rmtsim.predict.dong import hidden_limits as limits

        function = limits.hidden_mse_diagonal_limit if diagonal else limits.hidden_mse_offdiagonal_limit
        return function(parameters["gamma"], int(parameters["hidden"]), factor=1.0)

    return predict


_JENSEN = (
    "(91) and (92) take the average over V of a square, (E[λ|V])², for the square of an "
    "average, (Eλ)²; (89) and (90), "
    "before that step, are right."
)
for _diagonal, _word, _sign in ((True, "diagonal", "ii"), (False, "offdiagonal", "ij")):
    _moment = "ξ" if _diagonal else "η"
    _number = "91" if _diagonal else "92"
    _network_claim(
        f"eq27.{_word}",
        f"eq. (27) with ({_number})",
        f"E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_{_sign}(γ, C) = γE[{_moment}²] + (E[{_moment}])² as d, N → ∞, d/N → γ.",
        _networks("hidden", "ce", _diagonal),
        _theory(f"printed_hidden_ce_{_word}"),
        cost=_cost("hidden", "ce"),
        note=_JENSEN,
    )
    _network_claim(
        f"eq27.{_word}/corrected",
        f"eq. (27) with ({_number})",
        f"E‖∂²ℓ_CE/∂w∂wᵀ‖²_F/d → h_{_sign}(γ, C) = γE[{_moment}²] + E[(E[{_moment}|V])²] as d, N → ∞, d/N → γ.",
        _networks("hidden", "ce", _diagonal),
        _theory(f"hidden_ce_{_word}"),
        cost=_cost("hidden", "ce"),
        note=_JENSEN,
    )

_WEIGHTS = (
    "The paper names the right-hand sides of (100) and (101) as u; they are the limits of "
    "‖L‖²/d and lack both the weights "
    "Σ_c v_ci v_cj and the factor 2 of the loss (7)."
)
for _diagonal, _word, _number in ((True, "diagonal", "100"), (False, "offdiagonal", "101")):
    _printed = (lambda p: (1 + 2 * p["gamma"]) / 4) if _diagonal else (lambda p: (1 + 4 * p["gamma"]) / 16)
    _network_claim(
        f"eq28.{_word}",
        f"eq. (28) with ({_number})",
        f"E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → {'(1 + 2γ)/4' if _diagonal else '(1 + 4γ)/16'} as d, N → ∞, d/N → γ.",
        _networks("hidden", "mse", _diagonal),
        _printed,
        cost=_cost("hidden", "mse"),
        quick=True,
        note=_WEIGHTS,
    )
    _network_claim(
        f"eq28.{_word}/corrected",
        f"eq. (28) with ({_number})",
        "E‖∂²ℓ_MSE/∂w∂wᵀ‖²_F/d → "
        + ("C(C+2)(1 + 2γ)/m²" if _diagonal else "C(1 + 4γ)/(4m²)")
        + " as d, N → ∞, d/N → γ.",
        _networks("hidden", "mse", _diagonal),
        _theory(f"hidden_mse_{_word}"),
        cost=_cost("hidden", "mse"),
        quick=True,
        note=_WEIGHTS,
    )
    _network_claim(
        f"prop7.{_word}",
        "Proposition 7, eq. (99)",
        "With K_ij = (Σ_c v_ci v_cj) L_ij, the expression (8): E‖K‖²_F/"
        + ("(C²d) → (1 + 2γ)/(4m²)" if _diagonal else "(Cd) → (1 + 4γ)/(16m²)")
        + " as d, N → ∞ and then C → ∞.",
        _networks(
            "hidden",
            "mse",
            _diagonal,
            (lambda p: 0.25 / p["classes"] ** 2) if _diagonal else (lambda p: 0.25 / p["classes"]),
        ),
        _theory_prop7(_diagonal),
        cost=_cost("hidden", "mse"),
        grid=tuple({"gamma": point["gamma"], "hidden": point["hidden"]} for point in _GRID),
        outer=("classes", (25, 100, 400)),
    )
    _network_claim(
        f"eq29.{_word}",
        "eq. (29), (107)",
        f"E‖∂²ℓ_CE/∂v_i∂v_{'i' if _diagonal else 'j'}ᵀ‖²_F → q_{'ii' if _diagonal else 'ij'}(C), "
        f"the average (107) over two "
        "independent Gaussian pre-activations, as d, N → ∞, d/N → γ.",
        _networks("output", "ce", _diagonal),
        _theory(f"output_ce_{_word}"),
        cost=_cost("output", "ce"),
    )

_DIMENSION = integer_parameter("dimension", default=3, lowest=1, draw_range=(2, 20))


def _gated_pairs(diagonal: bool) -> Sampler:
    """Σ_{n≠n'} λ_n λ_n' (x_n·x_n')²/(d N(N-1)): the off-diagonal part of ‖L_ij‖², N = size."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        dimension = int(parameters["dimension"])
        inputs = rng.standard_normal((replicates, size, dimension))
        weights = rng.standard_normal((replicates, dimension, 2))
        gates = inputs @ weights > 0
        active = gates[:, :, 0] if diagonal else gates[:, :, 0] & gates[:, :, 1]
        masked = inputs * active[:, :, None]
        gram = np.square(masked @ masked.transpose(0, 2, 1))
        total = gram.sum(axis=(1, 2)) - np.einsum("rnn->r", gram)
        return np.asarray(total / (dimension * size * (size - 1)))

    return sample


_COINS = (
    "For i ≠ j a sign flip of x_n turns both gates at once, so the product of gates is a fair "
    "coin where w_i·x_n and w_j·x_n "
    "have one sign and zero elsewhere: neither independent of X nor, with W shared by all "
    "samples, independent over n. "
    "Only the limit of the spectrum (Proposition 6) survives."
)


def _lemma3(
    name: str, statement: str, diagonal: bool, predict: Callable[[Parameters], float], note: str = ""
) -> None:
    register(
        Claim(
            id=f"dong.lemma3.{name}",
            paper="dong",
            equation="Lemma 3",
            statement=statement,
            kind="limit",
            parameters=(_DIMENSION,),
            grid=({"dimension": 1}, {"dimension": 2}, {"dimension": 5}),
            sizes=(4, 8, 16),
            size_name="N",
            sample=_gated_pairs(diagonal),
            predict=predict,
            tolerance=Tolerance(relative=0.03),
            exponents=(1.0,),
            cost=lambda parameters, size: 3e-8 * size * (1 + size / 8 + parameters["dimension"] / 2),
            note=note,
        )
    )


_lemma3(
    "diagonal",
    "L_ii has the law of (1/N)X̂Λ̂X̂ᵀ with independent fair coins Λ̂ at every d, N: hence "
    "E[λλ'(x·x')²]/d = 1/4 for n ≠ n'.",
    True,
    lambda p: 0.25,
)
_lemma3(
    "offdiagonal",
    "L_ij, i ≠ j, has the law of (1/N)X̂Λ̂X̂ᵀ with independent Ber(1/4) Λ̂ at every d, N: hence "
    "E[λλ'(x·x')²]/d = 1/16.",
    False,
    lambda p: 1 / 16,
    _COINS,
)


def _gated_theory(parameters: Parameters) -> float:
    from rmtsim.predict.relu_gates import gated_pair_moment

    return gated_pair_moment(int(parameters["dimension"]), diagonal=False)


_lemma3(
    "offdiagonal/corrected",
    "For i ≠ j, with θ the angle of w_i and w_j: E[λλ'(x·x')²]/d = E[(π-θ)²]/(4π²) + E[sin²θ]/(2π²d) at every d.",
    False,
    _gated_theory,
    _COINS,
)
