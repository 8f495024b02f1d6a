"""Appendix F: the lemmas behind Lemma 3.1, with their constants (c₀ = 3, as Lemma F.1 gives it)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.declare import correction
from rmtsim.claims.liu.layer_norms import layer_norms
from rmtsim.claims.liu.one_hidden_layer import SLACK
from rmtsim.claims.liu.parameters import ACTIVATION, CONSTANTS, RADIUS, SMOOTH, statement
from rmtsim.claims.liu.wide_networks import INPUT, on_the_sphere, order, wide
from rmtsim.claims.model import Parameter, Tolerance
from rmtsim.networks import Network, fully_connected
from rmtsim.predict import liu as theory

Array = NDArray[np.float64]
LENGTH = Parameter(
    "length", "C_x: the size of the entries of x", default=1.0, open_below=True, draw_range=(0.05, 2.0)
)
DEPTH = 3
"""Hidden layers of the networks here."""
_POINTS = (
    {"activation": 0, "length": 1.0, "radius": 1.0},
    {"activation": 1, "length": 0.1, "radius": 1.0},
)
_ALL = (ACTIVATION, LENGTH, RADIUS)
bounded = partial(
    statement,
    theory_in_sampler=CONSTANTS,
    standing="equation",
    bound=1.0,
    tolerance=SLACK,
    parameters=_ALL,
    grid=_POINTS,
    sizes=(4, 8),
    cost=1.5e-3,
)


class Draw:
    """A network at W₀ and at W in the ball, its c₀ (the smallest that Assumption F.1 allows), its input."""

    def __init__(self, size: int, rng: np.random.Generator, activation: int, length: float, radius: float):
        self.size, self.radius, self.length = size, radius, length
        self.start = wide(size, rng, activation, DEPTH)
        self.point = on_the_sphere(self.start, rng, radius)
        self.x = length * rng.choice((-1.0, 1.0), (1, 3))
        self.constant = max(np.linalg.norm(w, 2) for w in self.start.weights) / np.sqrt(size)
        self.growth = self.constant + radius / np.sqrt(size)
        self.lipschitz = theory.lipschitz_constant(SMOOTH[activation])
        self.curvature = theory.curvature_bound(SMOOTH[activation])
        self.offset = abs(float(theory.derivative(SMOOTH[activation], [0.0])[0]))

    def activation_bound(self, layer: int, *, corrected: bool) -> float:
        """Right side of eq. (66); corrected, σ(0) stands in every one of the m entries."""
        product = self.lipschitz * self.growth
        offset = self.offset * (np.sqrt(self.size) if corrected else 1.0)
        return float(product**layer * np.sqrt(self.size) * self.length) + offset * sum(  # type: ignore[no-any-return]
            product**i for i in range(layer)
        )


@statement(
    "liu.lemmaF.1",
    source="Lemma F.1, eq. (64)",
    standing="lemma",
    statement="‖W₀‖ ≤ 3√m with probability at least 1 - 2e^{-m/2}, W₀ m × m Gaussian; tested: the probability "
    "tends to 1.",
    probability=1.0,
    tolerance=0.03,
    sizes=(4, 8, 16),
    exponents=(1.0,),
    because="the probability is 1 - e^{-cm}: no power of 1/m at all",
    cost=lambda size: 2e-5 + 3e-7 * size**2,
)
def norm_event(size: int, rng: np.random.Generator, replicates: int) -> Array:
    """Whether ‖W₀‖ ≤ 3√m."""
    norms = np.linalg.norm(rng.standard_normal((replicates, size, size)), 2, axis=(1, 2))
    return np.asarray(norms <= 3 * np.sqrt(size), dtype=np.float64)


@bounded(
    "liu.lemmaF.2",
    source="Lemma F.2, eq. (65)",
    standing="lemma",
    statement="‖W_l‖ ≤ c₀√m + R for all l in the ball; tested: quotient ≤ 1.",
)
def weight_quotient(
    size: int, rng: np.random.Generator, activation: int, length: float, radius: float
) -> float:
    """Largest ‖W_l‖ over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    return float(max(np.linalg.norm(w, 2) for w in draw.point.weights) / (draw.growth * np.sqrt(size)))


_OFFSET = "σ(0) is counted once, not in each of the m neurons"
_OFFSET_NOTE = (
    "‖σ(z)‖ ≤ L_σ‖z‖ + ‖σ(0)·1‖ = L_σ‖z‖ + √m|σ(0)|: eq. (66) lacks the √m, and (71), (77) and the bound of the "
    "mixed "
    "tensor drop σ(0) altogether. Sigmoid, the paper's own example, has σ(0) = 1/2."
)
_OFFSET_CREDIT = "All orders in m stand; for σ(0) = 0 (tanh) the displays hold as printed."


@bounded(
    "liu.lemmaF.3",
    source="Lemma F.3, eq. (66)",
    standing="lemma",
    statement="‖α_l‖ ≤ L^l (c₀ + R/√m)^l √m C_x + Σ_{i≤l} L^{i-1}(c₀ + R/√m)^{i-1} σ(0) for all hidden layers; "
    "tested: quotient ≤ 1.",
    cause=_OFFSET,
    note=_OFFSET_NOTE,
    credit=_OFFSET_CREDIT,
    corrected=correction(
        "liu.lemmaF.3/corrected",
        statement="‖α_l‖ ≤ L^l (c₀ + R/√m)^l √m C_x + √m|σ(0)| Σ_{i≤l} L^{i-1}(c₀ + R/√m)^{i-1}.",
        measured=lambda size, rng, activation, length, radius: activation_quotient(  # type: ignore[has-type]
            size, rng, activation, length, radius, corrected=True
        ),
    ),
)
def activation_quotient(
    size: int,
    rng: np.random.Generator,
    activation: int,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest ‖α_l‖ over its bound."""
    draw = Draw(size, rng, activation, length, radius)
    return max(
        layer.activation / draw.activation_bound(k, corrected=corrected)
        for k, layer in enumerate(layer_norms(draw.point, draw.x), start=1)
    )


@bounded(
    "liu.eq71",
    source="eq. (71)",
    statement="‖∂α_l/∂W_l‖ ≤ L^l (c₀ + R)^{l-1} C_x for l ≥ 2; tested: quotient ≤ 1.",
    cause=_OFFSET,
    note=_OFFSET_NOTE,
    credit=_OFFSET_CREDIT,
    corrected=correction(
        "liu.eq71/corrected",
        statement="‖∂α_l/∂W_l‖ ≤ L B_{l-1}/√m, B_l the corrected bound of ‖α_l‖.",
        measured=lambda size, rng, activation, length, radius: weight_derivative(  # type: ignore[has-type]
            size, rng, activation, length, radius, corrected=True
        ),
    ),
)
def weight_derivative(
    size: int,
    rng: np.random.Generator,
    activation: int,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest ‖∂α_l/∂W_l‖ over its bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        stated = draw.lipschitz**k * (draw.constant + radius) ** (k - 1) * length
        right = draw.lipschitz * draw.activation_bound(k - 1, corrected=True) / np.sqrt(size)
        found.append(layer.in_weights / (right if corrected else stated))
    return float(max(found))


@bounded(
    "liu.eq76",
    source="eq. (76)",
    statement="‖∂²α_l/∂α²‖_{2,2,1} ≤ β (c₀ + R/√m)² for l ≥ 2; tested: quotient ≤ 1.",
)
def curvature_in_inputs(
    size: int, rng: np.random.Generator, activation: int, length: float, radius: float
) -> float:
    """Largest norm over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    largest = max(layer.inputs_inputs for layer in layer_norms(draw.point, draw.x)[1:])
    return float(largest / (draw.curvature * draw.growth**2))


@bounded(
    "liu.eq77",
    source="eq. (77)",
    statement="‖∂²α_l/∂W_l²‖_{2,2,1} ≤ β L^{2l-2} (c₀ + R/√m)^{2l-2} C_x² for l ≥ 2; tested: quotient ≤ 1.",
    cause=_OFFSET,
    note=_OFFSET_NOTE,
    credit=_OFFSET_CREDIT,
    corrected=correction(
        "liu.eq77/corrected",
        statement="‖∂²α_l/∂W_l²‖_{2,2,1} ≤ β B_{l-1}²/m, B_l the corrected bound of ‖α_l‖.",
        measured=lambda size, rng, activation, length, radius: curvature_in_weights(  # type: ignore[has-type]
            size, rng, activation, length, radius, corrected=True
        ),
    ),
)
def curvature_in_weights(
    size: int,
    rng: np.random.Generator,
    activation: int,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest norm over the bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        stated = (draw.lipschitz * draw.growth) ** (2 * k - 2) * length**2
        right = draw.activation_bound(k - 1, corrected=True) ** 2 / size
        found.append(layer.weights_weights / (draw.curvature * (right if corrected else stated)))
    return float(max(found))


@bounded(
    "liu.eq78",
    source="eq. (78)",
    statement="‖∂²α₁/∂W₁²‖_{2,2,1} ≤ β C_x²; tested: quotient ≤ 1.",
)
def curvature_of_first_layer(
    size: int, rng: np.random.Generator, activation: int, length: float, radius: float
) -> float:
    """The norm over the bound."""
    draw = Draw(size, rng, activation, length, radius)
    return layer_norms(draw.point, draw.x)[0].weights_weights / (draw.curvature * length**2)


_PRODUCT = "a term of the product rule is lost"
_PRODUCT_NOTE = (
    "∂α_i/∂W_kk' = m^{-1/2} σ'(α̃_i) α_k' 1_{i=k} depends on α_k' itself: its derivative has the second term "
    "m^{-1/2} σ'(α̃_i) 1_{i=k} 1_{j=k'}. A deep linear network has only that term."
)
_PRODUCT_CREDIT = (
    "The lost term has (2,2,1)-norm at most L_σ, so the tensor is still O(1) and Lemma 3.1 stands."
)


@statement(
    "liu.eq74",
    source="eq. (74)",
    statement="∂²α_i/∂α_j∂W_kk' = (1/m) σ''(α̃_i) W_ij α_k' 1_{i=k}; tested against differences of the first "
    "derivatives: relative error.",
    identity=True,
    tolerance=Tolerance(absolute=1e-7),
    parameters=(ACTIVATION,),
    grid=({"activation": 0},),
    sizes=(2, 4),
    cost=4e-4,
    cause=_PRODUCT,
    note=_PRODUCT_NOTE,
    credit=_PRODUCT_CREDIT,
    corrected=correction(
        "liu.eq74/corrected",
        statement="∂²α_i/∂α_j∂W_kk' = (1/m) σ''(α̃_i) W_ij α_k' 1_{i=k} + m^{-1/2} σ'(α̃_i) 1_{i=k} 1_{j=k'}.",
        measured=lambda size, rng, activation: mixed_error(size, rng, activation, corrected=True),  # type: ignore[has-type]
    ),
)
def mixed_error(size: int, rng: np.random.Generator, activation: int, *, corrected: bool = False) -> float:
    """Largest error over the largest entry; the truth by central differences of the engine's Jacobian in α."""
    layer = fully_connected((size, size), (), output=SMOOTH[activation], parametrisation="ntk").sample(rng)
    weight, alpha, h = layer.weights[0], rng.standard_normal(size), 1e-5
    steps = h * np.eye(size)
    truth = np.stack(
        [(layer.jacobian([alpha + e])[0] - layer.jacobian([alpha - e])[0]) / (2 * h) for e in steps],
        axis=1,
    )
    z = weight @ alpha / np.sqrt(size)
    sigma = layer.architecture.layers[0].activation
    eye = np.eye(size)
    stated = np.einsum("i,ij,l,ik->ijkl", sigma.derivative(z, 2), weight, alpha, eye) / size
    if corrected:
        stated = stated + np.einsum("i,ik,jl->ijkl", sigma.derivative(z, 1), eye, eye) / np.sqrt(size)
    stated = stated.reshape(size, size, -1)
    return float(np.abs(stated - truth).max() / np.abs(truth).max())


@bounded(
    "liu.sec-f3.mixed",
    source="appendix F.3, the bound of the mixed tensor",
    statement="‖∂²α_l/∂α∂W‖_{2,2,1} ≤ (β/2)(c₀ + R/√m)² + (β/2) L^{2l-2}(c₀ + R/√m)^{2l-2} C_x² for l ≥ 2; "
    "tested: quotient ≤ 1.",
    cause=_PRODUCT,
    note=_PRODUCT_NOTE,
    credit=_PRODUCT_CREDIT,
    grid=({"activation": 1, "length": 0.1, "radius": 0.0},),
    corrected=correction(
        "liu.sec-f3.mixed/corrected",
        statement="‖∂²α_l/∂α∂W‖_{2,2,1} ≤ L + (β/2)(c₀ + R/√m)² + (β/2) B_{l-1}²/m, B_l the corrected bound of "
        "‖α_l‖.",
        measured=lambda size, rng, activation, length, radius: mixed_quotient(  # type: ignore[has-type]
            size, rng, activation, length, radius, corrected=True
        ),
    ),
)
def mixed_quotient(
    size: int,
    rng: np.random.Generator,
    activation: int,
    length: float,
    radius: float,
    *,
    corrected: bool = False,
) -> float:
    """Largest norm of the whole mixed tensor over the bound, l ≥ 2."""
    draw = Draw(size, rng, activation, length, radius)
    found = []
    for k, layer in enumerate(layer_norms(draw.point, draw.x)[1:], start=2):
        inner = (draw.lipschitz * draw.growth) ** (2 * k - 2) * length**2
        extra = 0.0
        if corrected:
            inner, extra = draw.activation_bound(k - 1, corrected=True) ** 2 / size, draw.lipschitz
        found.append(layer.mixed / (extra + draw.curvature / 2 * (draw.growth**2 + inner)))
    return float(max(found))


@bounded(
    "liu.lemmaF.5",
    source="Lemma F.5, eq. (80)",
    standing="lemma",
    statement="‖b_l‖ ≤ L^{L-l} (c₀ + R/√m)^{L-l+1} in the ball, b_l = ∂f/∂α_l; tested: quotient ≤ 1.",
)
def gradient_quotient(
    size: int, rng: np.random.Generator, activation: int, length: float, radius: float
) -> float:
    """Largest ‖b_l‖ over its bound."""
    draw = Draw(size, rng, activation, length, radius)
    return max(  # type: ignore[no-any-return]
        layer.gradient / (draw.lipschitz ** (DEPTH - k) * draw.growth ** (DEPTH - k + 1))
        for k, layer in enumerate(layer_norms(draw.point, draw.x), start=1)
    )


@statement(
    "liu.lemmaF.4",
    theory_in_sampler=CONSTANTS,
    source="Lemma F.4, with the ln m + |σ(0)| of its proof",
    standing="lemma",
    statement="|α_i| ≤ ln m + |σ(0)| with probability at least 1 - 2e^{-c ln² m}, any layer, at W₀; tested: the "
    "probability tends to 1.",
    probability=1.0,
    tolerance=0.03,
    parameters=(ACTIVATION,),
    grid=({"activation": 3},),
    sizes=(16, 32, 64),
    exponents=(1.0,),
    because="the probability of the complement falls faster than every power of 1/m",
    cost=lambda size: 4e-4 + 2e-7 * size**2,
)
def activation_event(size: int, rng: np.random.Generator, activation: int) -> float:
    """Whether one neuron, of a random layer, keeps within the bound."""
    passed = wide(size, rng, activation, DEPTH).forward(INPUT)
    layer = int(rng.integers(DEPTH))
    value = float(theory.derivative(SMOOTH[activation], passed.before[layer][0, 0]))
    return float(abs(value) <= np.log(size) + abs(float(theory.derivative(SMOOTH[activation], 0.0))))


@order(
    "liu.lemmaF.6",
    source="Lemma F.6",
    standing="lemma",
    statement="‖b_l‖_∞ = Õ(1/√m) at W₀; tested: the largest over the layers, over ln m, is O(m^-1/2).",
    rate=0.5,
    parameters=(ACTIVATION,),
    grid=({"activation": 0},),
    cost=lambda size: 3e-4 + 3e-8 * size**2,
)
def largest_entry(size: int, rng: np.random.Generator, activation: int) -> float:
    """max_l ‖b_l‖_∞/ln m."""
    gradients = wide(size, rng, activation, DEPTH).activation_gradients(INPUT)[:-1]
    return float(max(np.abs(each).max() for each in gradients) / np.log(size))


@statement(
    "liu.lemmaF.6.step",
    theory_in_sampler=CONSTANTS,
    source="appendix I.7, the bound of the first term by a Gaussian variable",
    standing="equation",
    qualifier="we use a Gaussian random variable to bound it",
    statement="Read draw by draw: |Σ_k W_ki σ'(z_k) b_k| ≤ L_σ|Σ_k W_ki b_k|, z_k without its i-th summand; tested: "
    "the excess of the left over the right, over "
    "L_σ‖b‖, is ≤ 0.",
    bound=0.0,
    tolerance=SLACK,
    parameters=(ACTIVATION,),
    grid=({"activation": 0},),
    sizes=(4, 16),
    cost=5e-5,
    cause="a factor is pulled out of a sum of terms of both signs",
    note="|Σ c_k y_k| ≤ max|c_k| |Σ y_k| fails when the y_k change sign. Given the other weights the sum is "
    "Gaussian with a variance of at most "
    "L_σ²‖b‖², which is all that the tail bound after it needs.",
    credit="Read in law, as a bound of the tail, which is all that the next line uses, it is right; Lemma F.6 stands.",
    corrected=correction(
        "liu.lemmaF.6.step/corrected",
        statement="Given the other weights, Σ_k W_ki σ'(z_k) b_k is Gaussian of variance Σ σ'(z_k)² b_k² ≤ "
        "L_σ²‖b‖²; tested: the excess of the "
        "variance over the bound, relative to it, is ≤ 0.",
        measured=lambda size, rng, activation: sign_excess(size, rng, activation, corrected=True),  # type: ignore[has-type]
    ),
)
def sign_excess(size: int, rng: np.random.Generator, activation: int, *, corrected: bool = False) -> float:
    """(left - right)/(L_σ‖b‖), or of the variances."""
    column, z, b = rng.standard_normal((3, size))
    slopes = theory.derivative(SMOOTH[activation], z, 1)
    limit = theory.lipschitz_constant(SMOOTH[activation])
    if corrected:
        return float(((slopes * b) ** 2).sum() / (limit * np.linalg.norm(b)) ** 2 - 1)
    return float((abs(column @ (slopes * b)) - limit * abs(column @ b)) / (limit * np.linalg.norm(b)))


# ---- F.4: how far b moves in the ball ----


@order(
    "liu.eq82",
    source="eq. (82)",
    standing="lemma",
    statement="‖b_l(W) - b_l(W₀)‖ = Õ(1/√m) for all l; tested: the largest over the layers, over ln m, is "
    "O(m^-1/2) at distance R along the "
    "gradient of f.",
    rate=0.5,
    parameters=(ACTIVATION, RADIUS),
    grid=({"activation": 0, "radius": 1.0},),
    cost=lambda size: 1e-3 + 1e-7 * size**2,
)
def gradient_shift(size: int, rng: np.random.Generator, activation: int, radius: float) -> float:
    """max_l ‖Δb_l‖/ln m."""
    start = wide(size, rng, activation, DEPTH)
    gradient = start.gradient(INPUT)
    moved = start.with_parameters(start.parameters + radius * gradient / np.linalg.norm(gradient))
    pairs = zip(start.activation_gradients(INPUT)[:-1], moved.activation_gradients(INPUT)[:-1], strict=True)
    return float(max(np.linalg.norm(b - a) for a, b in pairs) / np.log(size))


def _before(network: Network, x: Array) -> list[Array]:
    return [z[0] for z in network.forward(x).before[:-1]]


@statement(
    "liu.eq85",
    source="before eq. (85), the first layer",
    standing="equation",
    statement="‖α̃₁(W) - α̃₁(W₀)‖ ≤ (R/√d) C_x; tested with all of the step R in W₁ along x: quotient ≤ 1.",
    bound=1.0,
    tolerance=SLACK,
    parameters=(LENGTH, RADIUS),
    grid=({"length": 1.0, "radius": 1.0},),
    sizes=(4, 8),
    cost=4e-4,
    cause="‖x‖ ≤ √d C_x loses its √d",
    note="‖(W - W₀)x‖/√d ≤ R‖x‖/√d ≤ R C_x.",
    credit="Eq. (67) has ‖x‖ ≤ √d C_x; d is fixed, so (85) is O(1) all the same.",
    corrected=correction(
        "liu.eq85/corrected",
        statement="‖α̃₁(W) - α̃₁(W₀)‖ ≤ R C_x.",
        measured=lambda size, rng, length, radius: first_shift(size, rng, length, radius, corrected=True),  # type: ignore[has-type]
    ),
)
def first_shift(
    size: int, rng: np.random.Generator, length: float, radius: float, *, corrected: bool = False
) -> float:
    """‖Δα̃₁‖ over the bound, d = 3."""
    start = wide(size, rng, 0, 2)
    x = length * rng.choice((-1.0, 1.0), (1, 3))
    step = np.outer(rng.standard_normal(size), x[0])
    parameters = np.array(start.parameters)
    parameters[: 3 * size] += (radius * step / np.linalg.norm(step)).ravel()
    change = np.linalg.norm(_before(start.with_parameters(parameters), x)[0] - _before(start, x)[0])
    return float(change / (radius * length / (1.0 if corrected else np.sqrt(3))))


@bounded(
    "liu.eq86",
    source="eq. (86)",
    statement="‖(Σ'_l - Σ'_{0,l}) b_{0,l}‖ ≤ ‖b_{0,l}‖_∞ β ‖α̃_l(W) - α̃_l(W₀)‖; tested: quotient ≤ 1 for all "
    "layers.",
)
def slope_shift(size: int, rng: np.random.Generator, activation: int, length: float, radius: float) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, activation, length, radius)
    gradients = draw.start.activation_gradients(draw.x)
    found = []
    for k, (a, b) in enumerate(zip(_before(draw.start, draw.x), _before(draw.point, draw.x), strict=True)):
        sigma = draw.start.architecture.layers[k].activation
        left = np.linalg.norm((sigma.derivative(b, 1) - sigma.derivative(a, 1)) * gradients[k][0, 0])
        right = np.abs(gradients[k]).max() * draw.curvature * np.linalg.norm(b - a)
        found.append(left / right if right else 0.0)
    return float(max(found))


@bounded(
    "liu.eq87",
    source="eq. (87), with the constants before its last equality",
    statement="‖Δb_{l-1}‖ ≤ m^{-1/2} R L^{L-l+1}(c₀ + R/√m)^{L-l+1} + c₀‖ΔΣ' b_{0,l}‖ + c₀L‖Δb_l‖; tested: "
    "quotient ≤ 1 for all layers.",
)
def induction_step(
    size: int, rng: np.random.Generator, activation: int, length: float, radius: float
) -> float:
    """Largest quotient over the layers."""
    draw = Draw(size, rng, activation, length, radius)
    old, new = (each.activation_gradients(draw.x) for each in (draw.start, draw.point))
    before, after = _before(draw.start, draw.x), _before(draw.point, draw.x)
    found = []
    for k in range(2, DEPTH + 1):
        sigma = draw.start.architecture.layers[k - 1].activation
        change = sigma.derivative(after[k - 1], 1) - sigma.derivative(before[k - 1], 1)
        power = DEPTH - k + 1
        right = (
            radius * (draw.lipschitz * draw.growth) ** power / np.sqrt(size)
            + draw.constant * np.linalg.norm(change * old[k - 1][0, 0])
            + draw.constant * draw.lipschitz * np.linalg.norm(new[k - 1] - old[k - 1])
        )
        found.append(np.linalg.norm(new[k - 2] - old[k - 2]) / right if right else 0.0)
    return float(max(found))
