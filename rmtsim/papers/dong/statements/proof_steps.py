"""Steps of `dong`'s proofs and experiments that are algebra or inequalities: (36), (53), bounds in Lemmas 1, 2, B.2."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Bound, Computed, Corrected, Identity, Parameter, Plan, Rate, claim
from rmtsim.papers.dong.statements.parameters import integer_parameter

HIDDEN = integer_parameter("hidden", default=3, lowest=2, highest=30, draw_range=(2, 5))
CLASSES = integer_parameter("classes", default=3, lowest=2, highest=30, draw_range=(2, 5))

# ---- Around (36): a norm and a moment -------------------------------------------------------------------------------


@claim("dong.eq36.norm", states=Identity(), plan=Plan(sizes=(2, 4, 8), size_name="d", cost=4e-5))
def error_of_second_moment(size: int, rng: np.random.Generator, form: str) -> float:
    """Relative error of ‖A‖²_F, over d in the corrected form, as the second moment of the eigenvalues of A."""
    a = rng.standard_normal((size, size))
    a = a + a.T
    moment = float(np.mean(np.linalg.eigvalsh(a) ** 2))
    energy = float(np.sum(a**2)) / (1.0 if form == "printed" else size)
    return abs(energy - moment) / moment


# ---- (53): the derivative of the resolvent --------------------------------------------------------------------------

_STEP = 1e-30
"""Imaginary step of a derivative: the square of it vanishes beside every number that occurs."""


@claim(
    "dong.eq53",
    states=Identity(within=1e-10),
    over=(CLASSES,),
    points=({"classes": 2}, {"classes": 4}),
    plan=Plan(sizes=(3, 5), size_name="d", cost=lambda size: 1e-3 * size),
)
def error_of_stein_difference(size: int, rng: np.random.Generator, form: str, classes: int) -> float:
    """Largest relative error of (53) without its expectation, over all s, for n = l = i = 1 and a real z < 0.

    Both sides are analytic in z, so a z left of the spectrum serves as well as one of the upper half-plane, and
    derivatives by an imaginary step are exact to rounding.
    """
    samples, t, z = size + 2, float(rng.uniform(0.2, 0.8)), -0.5
    inputs, copy = rng.standard_normal((2, size, samples))
    weights = rng.standard_normal((classes, size)) / math.sqrt(size)

    def parts(x: NDArray[np.complex128], y: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], ...]:
        mixed = math.sqrt(t) * x + math.sqrt(1 - t) * y
        exponentials = np.exp(weights @ mixed)
        p = exponentials / exponentials.sum(axis=0)
        alpha = p[0] * (1 - p[0])
        resolvent = np.linalg.inv((x * alpha) @ x.T / samples - z * np.eye(size))
        return alpha, (1 - 2 * p[0]) * p[0] * (1 - p[0]), resolvent

    def f(x: NDArray[np.complex128], y: NDArray[np.complex128]) -> complex:
        _, b, resolvent = parts(x, y)
        return complex(x[:, 0] @ resolvent @ x[:, 0] * b[0])

    alpha, b, resolvent = (np.real(part) for part in parts(inputs.astype(complex), copy.astype(complex)))
    image = resolvent @ inputs[:, 0]
    quadratic = float(image @ inputs[:, 0])
    truth, stated = np.zeros(size), np.zeros(size)
    for s in range(size):
        step = np.zeros((size, samples), dtype=complex)
        step[s, 0] = 1j * _STEP
        by_copy, by_input = f(inputs + 0j, copy + step).imag / _STEP, f(inputs + step, copy + 0j).imag / _STEP
        truth[s] = by_copy / math.sqrt(1 - t) - by_input / math.sqrt(t)
        of_resolvent = (image[0] if s == 0 else 0.0) if form == "printed" else image[s]
        stated[s] = 2 / math.sqrt(t) * b[0] * (alpha[0] * of_resolvent * quadratic / samples - image[s])
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


# ---- Bounds in the proofs of Lemmas 1 and 2 -------------------------------------------------------------------------

HEIGHT = Parameter(
    "height",
    "ζ, the least imaginary part of z",
    default=0.1,
    open_below=True,
    highest=0.9,
    draw_range=(0.05, 0.5),
)


@claim(
    "dong.lemma1.resolvent",
    states=Bound(1.0),
    over=(HEIGHT,),
    points=({"height": 0.1}, {"height": 0.5}),
    plan=Plan(sizes=(4, 16), size_name="d", cost=lambda size: 1e-4 + 1e-7 * size**2),
)
def resolvent_over_bound(size: int, rng: np.random.Generator, form: str, height: float) -> float:
    """ζ‖𝒢‖², or ζ²‖𝒢‖² in the corrected form, at z = λ + iζ with λ an eigenvalue of a drawn H_11 (C = 3, N = d)."""
    inputs = rng.standard_normal((size, size))
    exponentials = np.exp(inputs.T @ rng.standard_normal((size, 3)) / math.sqrt(size))
    p = exponentials[:, 0] / exponentials.sum(axis=1)
    block = (inputs * (p * (1 - p))) @ inputs.T / size
    z = float(rng.choice(np.linalg.eigvalsh(block))) + 1j * height
    norm = float(np.linalg.norm(np.linalg.inv(block - z * np.eye(size)), 2))
    return height ** (1 if form == "printed" else 2) * norm**2


LARGEST = Parameter(
    "largest", "M_V, the largest |V_ki|", default=0.1, open_below=True, highest=10.0, draw_range=(0.05, 2.0)
)


@claim(
    "dong.lemma2.q-bound",
    states=Bound(1.0),
    over=(LARGEST, HIDDEN, CLASSES),
    points=({"largest": 0.05, "hidden": 3, "classes": 2},),
    plan=Plan(sizes=(1, 2), size_name="samples", cost=2e-4),
)
def q_over_bound(
    size: int, rng: np.random.Generator, form: str, largest: float, hidden: int, classes: int
) -> float:
    """Largest |Q_klhn| over k, l, h and `size` samples, over 3M_V⁴, or over 3M_V³ in the corrected form.

    V has entries ±M_V, and the pre-activations are so large that the softmax has no preference for 1/C.
    """
    output = largest * rng.choice([-1.0, 1.0], size=(classes, hidden))
    hidden_values = np.maximum(rng.standard_normal((size, hidden)), 0.0) / largest
    exponentials = np.exp(hidden_values @ output.T)
    p = exponentials / exponentials.sum(axis=1, keepdims=True)
    spread = output[:, 0] ** 2 - 2 * output[:, 0] * (p @ output[:, 0])[:, None]
    gates = hidden_values > 0
    shares = p[:, :, None] * (np.eye(classes) - p[:, None, :])
    q = np.abs(spread[:, :, None, None] * shares[..., None] * (gates[:, None, None, :] * output[None, None]))
    return float(q.max() / (3 * largest ** (4 if form == "printed" else 3)))


# ---- Section 7.2: where the integrals of (67) are finite ------------------------------------------------------------


@claim(
    "dong.sec7.2.finite",
    states=Rate(0.0, "O", within=0.05),
    corrected=Corrected(states=Rate(-1.0, "Theta", within=0.05)),
    plan=Plan(
        sizes=(64, 128, 256, 512),
        size_name="R",
        exponents=(1.0,),
        because="the band |x - y| = O(1) of the quadrant has the area √(2π)·R - 1 up to terms that fall like e^{-R²/2}",
        cost=1e-4,
    ),
    evidence=Computed(1e-9, chain=("dong.thm2.output-ce-offdiagonal.join",)),
)
def truncated_integral(size: int) -> float:
    """∫∫ exp(-(x-y)²/2) dx dy over [0, R]², the integral of b_2 at m = 2 cut at R."""
    # Inner integral over y - x; what is left is a function of the distance to the ends.
    r = float(size)
    return r * math.sqrt(2 * math.pi) * math.erf(r / math.sqrt(2)) - 2 * (1 - math.exp(-(r**2) / 2))


# ---- Section 3.2, first point: two classes --------------------------------------------------------------------------


@claim(
    "dong.sec3.2.binary",
    states=Identity(within=1e-11),
    over=(HIDDEN,),
    points=({"hidden": 2}, {"hidden": 3}),
    plan=Plan(sizes=(2, 3), size_name="d", cost=lambda size, hidden: 2e-3 * hidden * size**3),
)
def error_of_binary_factor(size: int, rng: np.random.Generator, hidden: int) -> float:
    """Error of (1/N) Σ p(1-p)(v_1i - v_2i)(v_1j - v_2j) 1(·)1(·) x xᵀ for both kinds of hidden blocks at C = 2."""
    from rmtsim.papers.dong.simulation.differentiated_blocks import differentiated_blocks
    from rmtsim.papers.dong.statements.identities import relative_error

    problem, blocks = differentiated_blocks(size, rng, hidden, 2, "hidden", "ce")
    first, output, inputs = problem.network.hidden, problem.network.output, problem.network.inputs
    pre = inputs @ first.T
    logits = np.maximum(pre, 0.0) @ output.T
    p = 1 / (1 + np.exp(logits[:, 1] - logits[:, 0]))
    pairs = []
    for i, j, truth in blocks:
        steps = (output[0, i] - output[1, i]) * (output[0, j] - output[1, j])
        weights = p * (1 - p) * steps * (pre[:, i] > 0) * (pre[:, j] > 0)
        pairs.append(((inputs.T * weights) @ inputs / len(inputs), truth))
    return relative_error(pairs)


# ---- Appendix B.2: how many clusters the data have ------------------------------------------------------------------


@claim(
    "dong.appendix-b.clusters",
    states=Identity(),
    plan=Plan(sizes=(500, 1000), size_name="C", cost=lambda size: 2e-5 * size),
)
def error_of_cluster_count(size: int, rng: np.random.Generator, form: str) -> float:
    """Largest relative difference of K, or C⌊K/C⌋, from the number of centres drawn for K = C, 3C/2, 2C, 5C/2."""
    worst = 0.0
    for wanted in (size, 3 * size // 2, 2 * size, 5 * size // 2):
        centres = [rng.standard_normal((wanted // size, 3)) for _ in range(size)]
        drawn = len(np.unique(np.concatenate(centres), axis=0))
        stated = wanted if form == "printed" else size * (wanted // size)
        worst = max(worst, abs(stated - drawn) / drawn)
    return worst
