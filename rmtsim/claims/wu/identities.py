"""Claims of ``wu`` that are algebra or exact integrals: eqs. (4), (36), (90), (172)–(186), Lemma B.24, definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.legacy import Claim, register
from rmtsim.claims.model import Parameter, Parameters, Tolerance
from rmtsim.claims.wu.common import ALPHA, CLASSES

_SMALL_CLASSES = Parameter(
    "classes", "number of classes c", default=3, integer=True, lowest=2, highest=10, draw_range=(2, 5)
)


def _closed_form_error(activation: str) -> Callable[..., NDArray[np.float64]]:
    """Largest relative error of the printed Hessians against differences of the loss, over random entries."""

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.two_layer_loss import BLOCKS, closed_form, differentiated
        from rmtsim.sampling.relu_network import draw_inputs, draw_network, respond

        classes = int(parameters["classes"])
        errors = np.empty(replicates)
        for index in range(replicates):
            network = draw_network(size, parameters["alpha"], classes, rng)
            inputs = draw_inputs(2, network.first.shape[1], rng)
            # An input of zeros only (probability 2^-d) sits on every kink of the loss: no second derivative there.
            while (inputs.max(axis=1) == 0).any():
                inputs = draw_inputs(2, network.first.shape[1], rng)
            response = respond(network, inputs)
            labels = rng.integers(classes, size=2)
            worst = 0.0
            for block in BLOCKS:
                formula = closed_form(network, response, block, activation)
                rows = rng.integers(formula.shape[0], size=3)
                columns = rng.integers(formula.shape[0], size=3)
                truth = differentiated(network, response, labels, block, rows, columns)
                scale = max(float(np.abs(formula).max()), 1e-3)  # all units may be off
                worst = max(worst, float(np.abs(formula[np.ix_(rows, columns)] - truth).max()) / scale)
            errors[index] = worst
        return errors

    return sample


def _identity(name: str, equation: str, statement: str, activation: str, **more: Any) -> None:
    register(
        Claim(
            id=f"wu.{name}",
            paper="wu",
            equation=equation,
            statement=statement,
            kind="identity",
            parameters=(ALPHA, _SMALL_CLASSES),
            grid=({"alpha": 0.3, "classes": 3},),
            sizes=(3,) if more.get("quick") is False else (3, 4),
            size_name="width",
            sample=_closed_form_error(activation),
            predict=lambda parameters: 0.0,
            tolerance=Tolerance(absolute=1e-12),
            cost=lambda parameters, size: 8e-3 * parameters["classes"] * size,
            **more,
        )
    )


_identity(
    "eq4",
    "eq. (4) and the displays after eq. (38)",
    "The Hessians of the mean cross-entropy are M^(1) = E[DWᵀAWD], H^(1) = E[DWᵀAWD ⊗ xxᵀ], M^(2) = E[A] and "
    "H^(2) = E[A ⊗ yyᵀ], with D the activations of the ReLU, y = D W^(1)x.",
    "pre",
    note="Read with D = diag 1[u ≥ 0] as in appendix B.2.2; see wu.eq4.literal.",
)
_identity(
    "eq4.literal",
    "section 4, definition of D; eq. (38)",
    "The same with D = diag(1[y ≥ 0]) as printed, y the hidden output after the ReLU.",
    "post",
    quick=False,
    note="y = σ(u) ≥ 0 always, so the printed D is the identity: it has to be 1[u ≥ 0], u = W^(1)x.",
)
_identity(
    "eq4.literal/corrected",
    "section 4, definition of D; eq. (38)",
    "The same with D = diag(1[u ≥ 0]), u = W^(1)x.",
    "pre",
    quick=False,
    note="y = σ(u) ≥ 0 always, so the printed D is the identity.",
)


def _moments() -> tuple[float, float, float, float]:
    """E x, E x², E x³, E x⁴ of max(g, 0) by quadrature of the density."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, w = 6.5 * (nodes + 1), 6.5 * weights
    density = np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)
    first, second, third, fourth = (float((w * density) @ x**k) for k in (1, 2, 3, 4))
    return first, second, third, fourth


def _exact(
    name: str,
    equation: str,
    statement: str,
    value: Callable[[Parameters, int], float],
    predict: Callable[[Parameters], float],
    tolerance: Tolerance,
    *,
    sizes: tuple[int, ...] = (8, 16, 32, 64),
    grid: tuple[Parameters, ...] = ({"alpha": 0.3}, {"alpha": 0.6}),
    **more: Any,
) -> None:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return np.full(replicates, value(parameters, size))

    more.setdefault("kind", "limit")
    register(
        Claim(
            id=f"wu.{name}",
            paper="wu",
            equation=equation,
            statement=statement,
            parameters=(ALPHA, CLASSES),
            grid=grid,
            sizes=sizes,
            size_name="width",
            sample=sample,
            exact=1e-11,
            predict=predict,
            tolerance=tolerance,
            exponents=more.pop("exponents", (0.5, 1.0)),
            cost=lambda parameters, size: 2e-3,
            **more,
        )
    )


def _autocorrelation(parameters: Parameters, size: int) -> NDArray[np.float64]:
    from rmtsim.sampling.relu_network import input_dimension

    d = input_dimension(size, parameters["alpha"])
    mean, square, _, _ = _moments()
    matrix = np.full((d, d), mean**2)
    np.fill_diagonal(matrix, square)
    return matrix


def _spectrum_error(parameters: Parameters, size: int) -> float:
    matrix = _autocorrelation(parameters, size)
    d = matrix.shape[0]
    values = np.linalg.eigvalsh(matrix / d)[::-1]
    bulk = (math.pi - 1) / (2 * math.pi * d)
    stated = np.full(d, bulk)
    stated[0] += 1 / (2 * math.pi)
    vector = np.full(d, 1 / math.sqrt(d))
    residual = np.abs(matrix @ vector / d - stated[0] * vector).max()
    return float(max(np.abs(values - stated).max(), residual) / stated[0])


_exact(
    "lemmaB.24",
    "Lemma B.24",
    "λ₁(E[xxᵀ]/d) = 1/(2π) + (π-1)/(2πd) with eigenvector 1/√d, all others (π-1)/(2πd): relative error.",
    _spectrum_error,
    lambda parameters: 0.0,
    Tolerance(absolute=1e-10),
    kind="identity",
)


def _constant(value: float) -> Callable[[Parameters], float]:
    return lambda parameters: value


def _energy_excess(parameters: Parameters, size: int) -> float:
    matrix = _autocorrelation(parameters, size)
    d = matrix.shape[0]
    return float((np.sum(matrix**2) - d**2 / (4 * math.pi**2)) / d)


for _name, _statement, _value in (
    (
        "eq186",
        "‖E[xxᵀ]‖²_F = d²/(4π²) + d(π-1)/(2π): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π-1)/(2π).",
        (math.pi - 1) / (2 * math.pi),
    ),
    (
        "eq186/corrected",
        "‖E[xxᵀ]‖²_F = d²/(4π²) + d(π²-1)/(4π²): (‖E[xxᵀ]‖²_F - d²/(4π²))/d = (π²-1)/(4π²).",
        (math.pi**2 - 1) / (4 * math.pi**2),
    ),
):
    _exact(
        _name,
        "eq. (186)",
        _statement,
        _energy_excess,
        _constant(_value),
        Tolerance(relative=1e-8),
        quick=False,
        note="A diagonal entry is 1/2, so d of them exceed 1/(4π²) each by 1/4 - 1/(4π²); eq. (173) has a third value.",
    )
_exact(
    "eq183",
    "eq. (183)",
    "1ᵀE[xxᵀ]1 = d²/(2π) + d(π-1)/(2π): (1ᵀE[xxᵀ]1 - d²/(2π))/d = (π-1)/(2π).",
    lambda parameters, size: float(
        (
            _autocorrelation(parameters, size).sum()
            - len(_autocorrelation(parameters, size)) ** 2 / (2 * math.pi)
        )
        / len(_autocorrelation(parameters, size))
    ),
    lambda parameters: (math.pi - 1) / (2 * math.pi),
    Tolerance(relative=1e-8),
    quick=False,
)


def _central_fourth() -> float:
    """E(x - Ex)⁴ of max(g, 0)."""
    m1, m2, m3, m4 = _moments()
    return m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


_CORE = (6 * math.pi**2 - 10 * math.pi - 3) / (4 * math.pi**2)
_exact(
    "eq80",
    "eq. (80)",
    "E(x - Ex)⁴ = (6π² - 10π - 3)/(4π²) for x = max(g, 0), g standard normal.",
    lambda parameters, size: _central_fourth(),
    lambda parameters: _CORE,
    Tolerance(relative=1e-9),
    quick=False,
)
for _suffix, _statement, _value in (
    ("", "(6π² - 10π - 3)(π-1)/(8π³)", _CORE * (math.pi - 1) / (2 * math.pi)),
    ("/corrected", "(6π² - 10π - 3)(π-1)²/(16π⁴)", _CORE * ((math.pi - 1) / (2 * math.pi)) ** 2),
):
    _exact(
        f"eq90{_suffix}",
        "eq. (90)",
        f"E(y - Ey)⁴ = {_statement} for y the rectified N(0, (π-1)/(2π)).",
        lambda parameters, size: _central_fourth() * ((math.pi - 1) / (2 * math.pi)) ** 2,
        _constant(_value),
        Tolerance(relative=1e-9),
        quick=False,
        note="A fourth moment scales with the square of the variance; the printed value scales with the variance.",
    )


def _rectified_mass(sign: float) -> Callable[[Parameters, int], float]:
    """Total mass of the density of eq. (36) at μ = 1/2, σ = 1: point mass Φ(sign·μ/σ) plus the positive part."""

    def value(parameters: Parameters, size: int) -> float:
        from scipy.special import ndtr

        mean = 0.5
        nodes, weights = np.polynomial.legendre.leggauss(200)
        x, w = 6.5 * (nodes + 1), 6.5 * weights
        density = np.exp(-0.5 * (x - mean) ** 2) / math.sqrt(2 * math.pi)
        return float(ndtr(sign * mean) + w @ density)

    return value


_exact(
    "eq36",
    "eq. (36)",
    "The rectified Gaussian has point mass Φ(μ/σ) at zero: the stated density has mass one (μ = 1/2, σ = 1).",
    _rectified_mass(1.0),
    lambda parameters: 1.0,
    Tolerance(relative=1e-9),
    quick=False,
    note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ); only μ = 0 is used in the paper.",
)
_exact(
    "eq36/corrected",
    "eq. (36)",
    "The rectified Gaussian has point mass Φ(-μ/σ) at zero: the stated density has mass one (μ = 1/2, σ = 1).",
    _rectified_mass(-1.0),
    lambda parameters: 1.0,
    Tolerance(relative=1e-9),
    quick=False,
    note="The mass at zero is P(N(μ, σ²) ≤ 0) = Φ(-μ/σ).",
)


def _matricization_error(stride: str) -> Callable[[Parameters, int], float]:
    """Whether Mat(u ⊗ v) = uvᵀ (m × n) with entry (i, j) taken at (i-1)·stride + j."""

    def value(parameters: Parameters, size: int) -> float:
        m, n = size, size + 3
        u, v = np.arange(1.0, m + 1), np.arange(1.0, n + 1)
        flat = np.kron(u, v)
        step = m if stride == "m" else n
        index = np.arange(m)[:, None] * step + np.arange(n)
        return float(np.abs(flat[index] - np.outer(u, v)).max() / np.outer(u, v).max())

    return value


for _suffix, _stride, _text in (("", "m", "(i-1)m + j"), ("/corrected", "n", "(i-1)n + j")):
    _exact(
        f"def2.2{_suffix}",
        "Definition 2.2",
        f"Mat(h)_ij = h_k with k = {_text} for an m × n matrix makes Mat(u ⊗ v) = uvᵀ (section 3.2).",
        _matricization_error(_stride),
        lambda parameters: 0.0,
        Tolerance(absolute=1e-12),
        kind="identity",
        quick=False,
        note="A row of an m × n matrix has n entries, so the stride is n.",
    )


def _input_gap(parameters: Parameters, size: int) -> float:
    values = np.linalg.eigvalsh(_autocorrelation(parameters, size))
    return float(values[-2] / values[-1])


_exact(
    "sec3.1",
    "section 3.1",
    "The autocorrelation E[xxᵀ] of non-negative inputs is near rank one: λ₂/λ₁ → 0.",
    _input_gap,
    lambda parameters: 0.0,
    Tolerance(absolute=0.01),
    exponents=(1.0,),
)


def _centred_gap(parameters: Parameters, size: int) -> float:
    matrix = _autocorrelation(parameters, size)
    values = np.linalg.eigvalsh(matrix - _moments()[0] ** 2)
    return float(values[-2] / values[-1])


_exact(
    "sec3.1.centred",
    "sections 3.1 and G.4",
    "For centred inputs E[xxᵀ] is not near rank one: λ₂/λ₁ = 1 (the covariance is a multiple of I).",
    _centred_gap,
    lambda parameters: 1.0,
    Tolerance(relative=1e-8),
)
