"""Section 2.2, appendices C and D: a kernel is constant for linear models, and nearly so where the Hessian is small."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rmtsim.claims import Bound, Corrected, Erratum, Identity, Parameter, Plan, claim
from rmtsim.networks import Architecture, Network, dense, fully_connected
from rmtsim.papers.liu.statements.comparison import relative_gap
from rmtsim.papers.liu.statements.parameters import ACTIVATION, SMOOTH, WIDTHS

Array = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_PLACES, _MASSES = (_NODES + 1) / 2, _WEIGHTS / 2
"""Gauss–Legendre on [0, 1], for means along a segment."""


# ---- Proposition 2.2 ----


@claim(
    "liu.prop2.2",
    at="Proposition 2.2, linear ⇒ constant kernel",
    standing="lemma",
    printed="A model that is linear in its parameters has a constant tangent kernel; tested: relative change of K "
    "of a network of which only the output weights are parameters, between two random points.",
    states=Identity(within=1e-12),
    over=(ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "gelu"}),
    plan=WIDTHS.but(sizes=(3, 12), cost=4e-4),
)
def change_of_a_linear_kernel(size: int, rng: Generator, activation: str) -> float:
    """‖K(w) - K(w')‖/‖K(w)‖ of the features of a random network under a trained linear map."""
    drawn = fully_connected((2, size, size), activation).sample(rng)
    features = drawn.output(rng.standard_normal((4, 2)))
    model = Architecture((dense(size, 1),))
    first, second = model.sample(rng), model.sample(rng)
    return relative_gap(second.tangent_kernel(features), first.tangent_kernel(features))


@claim(
    "liu.prop2.2.converse",
    at="Proposition 2.2, constant kernel ⇒ linear",
    standing="lemma",
    printed="A model that is not linear in its parameters, everywhere on R^p, has a kernel that is not constant; "
    "tested: the relative change of K(x, x) of a non-linear network over 16 random points is ≥ 10⁻⁶ (evidence, no "
    "proof: the statement is about all models).",
    states=Bound(1e-6, ">=", within=1e-12),
    over=(ACTIVATION,),
    points=({"activation": "tanh"}, {"activation": "gelu"}),
    plan=WIDTHS.but(sizes=(1, 3, 9), cost=1.6e-3),
)
def change_of_a_nonlinear_kernel(size: int, rng: Generator, activation: str) -> float:
    """(max - min)/max of K(x, x) over random parameters."""
    architecture = fully_connected((2, size, 1), activation, parametrisation="ntk")
    x = rng.standard_normal((1, 2))
    values = [float(architecture.sample(rng).tangent_kernel(x)[0, 0]) for _ in range(16)]
    return (max(values) - min(values)) / max(values)


def _affine(size: int, rng: Generator) -> tuple[Array, Array, float]:
    """Gradient of a linear f, a step v - w₀ in its level set, and a time t."""
    gradient = rng.standard_normal(size) * np.exp(rng.standard_normal())
    step = rng.standard_normal(size)
    step -= gradient * (gradient @ step) / (gradient @ gradient)
    return gradient, step, float(3 * rng.standard_normal())


@claim(
    "liu.prop2.2.display",
    at="appendix C, the inequality after eq. (53)",
    printed="If ‖∇f‖ ≡ c and f(v) = f(w₀), then c⁴t² ≤ ‖v - w₀‖² + t² + 2t⟨v - w₀, ∇f(w₀)⟩ for all t; tested on "
    "linear f: left side minus right side over their sum is ≤ 0.",
    corrected="If ‖∇f‖ ≡ c and f(v) = f(w₀), then c²t² ≤ ‖v - w₀‖² + c²t² - 2t⟨v - w₀, ∇f(w₀)⟩ for all t.",
    states=Bound(0.0),
    plan=Plan(sizes=(2, 5), size_name="number of parameters", cost=3e-5),
    erratum=Erratum(
        cause="the gradient's norm c is taken for one",
        note="|∫⟨∇f, c'⟩| ≤ c∫‖c'‖ loses its factor c, and ‖t∇f‖² = c²t² becomes t²; the sign of the last term is "
        "reversed, which is harmless since t takes both signs.",
        credit="For c = 1, to which f/c reduces every case, the display and the conclusion (53) stand.",
    ),
)
def display_excess(size: int, rng: Generator, form: str) -> float:
    """(left - right)/(left + right)."""
    gradient, step, t = _affine(size, rng)
    c = float(np.linalg.norm(gradient))
    length, inner = float(step @ step), float(step @ gradient)
    if form == "printed":
        left, right = c**4 * t**2, length + t**2 + 2 * t * inner
    else:
        left, right = c**2 * t**2, length + c**2 * t**2 - 2 * t * inner
    return (left - right) / (left + abs(right))


@claim(
    "liu.sec1.linear",
    at="Section 1, “Our first observation”",
    standing="remark",
    printed="f has a constant tangent kernel if and only if f(w, x) = wᵀφ(x) for some φ; tested on models wᵀφ(x) + "
    "g(x) with g not trained, whose kernel is constant: the relative error of f(2w, x) = 2f(w, x).",
    corrected="f has a constant tangent kernel if and only if f(w, x) = wᵀφ(x) + g(x); tested: the relative error "
    "of f(2w, x) - f(w, x) = f(w, x) - f(0, x).",
    states=Identity(within=1e-12),
    plan=WIDTHS.but(sizes=(3, 12), cost=3e-4),
    erratum=Erratum(
        cause="linear is said where affine is meant (a convention)",
        note="f(w, x) = wᵀφ(x) + g(x) has a constant kernel too; nothing in the paper needs g = 0.",
        credit="“Linear” for affine is common usage, and Proposition 2.2 and its proof work with either reading: "
        "only the display lacks g(x).",
    ),
)
def homogeneity_error(size: int, rng: Generator, form: str) -> float:
    """Relative error of f(2w) = 2f(w), or of f(2w) - f(w) = f(w) - f(0), with an offset that is not trained."""
    model = Architecture((dense(size, 1),)).sample(rng)
    features, offset = rng.standard_normal((1, size)), float(rng.standard_normal())
    once, twice, never = (
        float(model.with_parameters(k * model.parameters).output(features)[0, 0]) + offset for k in (1, 2, 0)
    )
    error = twice - 2 * once if form == "printed" else (twice - once) - (once - never)
    return abs(error) / (abs(twice) + abs(once) + abs(offset))


# ---- Proposition 2.3 ----

SCALE = Parameter("radius", "distance of w from w₀", default=1.0, open_below=True, draw_range=(0.1, 3.0))


def _line(size: int, rng: Generator, activation: str, radius: float) -> tuple[Network, Array, Array]:
    """A random network, a step of length ``radius`` and two inputs."""
    widths = (2, *[size] * int(rng.integers(1, 3)), 1)
    skips = bool(rng.integers(2))
    network = fully_connected(widths, activation, parametrisation="ntk", skips=skips).sample(rng)
    step = rng.standard_normal(network.parameters.size)
    return network, step * (radius / np.linalg.norm(step)), rng.standard_normal((2, 2))


def _along(network: Network, step: Array) -> list[Network]:
    return [network.with_parameters(network.parameters + s * step) for s in _PLACES]


@claim(
    "liu.prop2.3",
    at="Proposition 2.3, eq. (7), with the constants of appendix D",
    standing="lemma",
    printed="|K(w) - K(w₀)| ≤ εR(‖∇f(w₀; x)‖ + ‖∇f(w; z)‖) if ‖H‖ ≤ ε; tested: quotient ≤ 1 with ε replaced by the "
    "mean of ‖H‖ along the segment, which is smaller.",
    states=Bound(1.0),
    over=(ACTIVATION, SCALE),
    points=({"activation": "tanh", "radius": 1.0}, {"activation": "sin", "radius": 3.0}),
    plan=WIDTHS.but(sizes=(2, 4), cost=lambda size: 7e-3 + 5e-4 * size),
)
def kernel_quotient(size: int, rng: Generator, activation: str, radius: float) -> float:
    """|ΔK| over the bound."""
    network, step, x = _line(size, rng, activation, radius)
    moved = network.with_parameters(network.parameters + step)
    one, other = x[:1], x[1:]
    change = float(moved.tangent_kernel(one, other)[0, 0] - network.tangent_kernel(one, other)[0, 0])
    mean = [
        float(_MASSES @ [np.linalg.norm(each.hessian(point), 2) for each in _along(network, step)])
        for point in (one, other)
    ]
    bound = radius * (
        mean[0] * np.linalg.norm(moved.gradient(other)) + mean[1] * np.linalg.norm(network.gradient(one))
    )
    return abs(change) / float(bound)


def _lengths(network: Network, x: Array, step: Array) -> tuple[float, Array]:
    """‖Δ∇f‖ between the ends of a segment, and ‖H(ξ)δ‖ along it."""
    moved = network.with_parameters(network.parameters + step)
    change = float(np.linalg.norm(moved.gradient(x) - network.gradient(x)))
    lengths = [np.linalg.norm(each.hessian_product(x, None, step)) for each in _along(network, step)]
    return change, np.array(lengths)


def arc_quotient(size: int, rng: Generator, radius: float) -> float:
    """‖Δ∇f‖ over ∫‖H(s)δ‖ds of a random network."""
    network, step, x = _line(size, rng, SMOOTH[int(rng.integers(len(SMOOTH)))], radius)
    change, lengths = _lengths(network, x[:1], step)
    return change / float(_MASSES @ lengths)


@claim(
    "liu.eq57",
    at="eq. (57), the equality",
    printed="‖∇f(w) - ∇f(w₀)‖ = ‖H(ξ)(w - w₀)‖ for some ξ between w₀ and w; tested on a network of two neurons "
    "sin(wx), sin(wx + π/2) with output weights 0 and a common step in w, where ‖H(ξ)(w - w₀)‖ is the same for all "
    "ξ: the quotient is ≥ 1.",
    corrected=Corrected(
        "‖∇f(w) - ∇f(w₀)‖ ≤ ∫₀¹ ‖H(w₀ + s(w - w₀))(w - w₀)‖ ds ≤ sup‖H(ξ)‖R; tested on random "
        "networks: the quotient is ≤ 1.",
        measured=arc_quotient,
        states=Bound(1.0),
    ),
    states=Bound(1.0, ">="),
    over=(SCALE,),
    points=({"radius": 1.0}, {"radius": 3.0}),
    plan=Plan(sizes=(2, 3), size_name="neurons (more of them stand still)", cost=2e-3),
    erratum=Erratum(
        cause="the mean value theorem is used with equality for a vector",
        note="Along the segment ∇f may turn: a chord is shorter than the arc. Only ‖∇f(w) - ∇f(w₀)‖ ≤ "
        "sup‖H(ξ)(w - w₀)‖ holds.",
        credit="The inequality that follows, with the supremum of ‖H‖ over the ball, and Proposition 2.3 stand.",
    ),
)
def chord_quotient(size: int, rng: Generator, radius: float) -> float:
    """‖Δ∇f‖ over the smallest ‖H(ξ)δ‖ along the segment."""
    layers = (dense(1, size, "sin", bias=True), dense(size, 1))
    network = Architecture(layers).sample(rng)
    hidden = np.zeros(3 * size)
    hidden[:2] = rng.standard_normal()
    hidden[size : size + 2] = 0.0, np.pi / 2
    step = np.zeros(3 * size)
    step[:2] = radius
    change, lengths = _lengths(network.with_parameters(hidden), np.array([[1.0]]), step)
    return change / float(min(lengths))
