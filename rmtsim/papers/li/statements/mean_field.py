"""Claims of `li` on second moments at initialisation: Lemma F.1 with its recursions, F.2.1, the regimes of section 5.2.

Networks are drawn in batches; the loss is one of the paper's class L₀ with slope ±1, such as the absolute loss, so
that every draw counts.
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.claims import Corrected, Limit, Parameter, Plan, Rate, claim
from rmtsim.papers.li.simulation.relu_moments import draw_relu_batches
from rmtsim.papers.li.statements.parameters import depth, positive_factor

FACTOR = positive_factor(
    "c, n times the variance of a weight", default=1.0, highest=16.0, draw_range=(0.5, 4.0)
)
LAYERS = depth(default=4, highest=24, draw_range=(2, 6))
POINTS = ({"factor": 0.5, "layers": 3}, {"factor": 2.0, "layers": 4})


def cost(size: int, layers: int = 4) -> float:
    """Nominal seconds of one network with its gradient."""
    return 1e-5 + 1.4e-8 * layers * size**2


WIDTHS = Plan(sizes=(24, 48, 96), size_name="n", cost=cost)
"""At depth L squared norms vary by about exp(5L/n) - 1: the means of narrower networks converge slowly."""
EXACT = WIDTHS.but(
    exponents=(1.0,), because="the stated value holds at every width: there is no correction at all"
)


# ---- Lemma F.1 ---------------------------------------------------------------------------------------------------


def _squares(size: int, rng: np.random.Generator, networks: int, layers: int, factor: float) -> Array:
    """‖∇l‖² of that many networks, for |l'| = 1."""
    batches = draw_relu_batches(size, layers, factor, networks, rng)
    return np.concatenate([each.gradient_squares().sum(axis=1) for each in batches])


@claim(
    "li.lemmaF.1",
    corrected=Corrected(states=Limit(1.0, within=0.05), plan=EXACT),
    states=Rate(-2.0, "Theta", within=0.25),
    over=(FACTOR, LAYERS),
    points=POINTS,
    plan=WIDTHS,
)
def gradient_in_width(
    size: int, rng: np.random.Generator, replicates: int, form: str, factor: float, layers: int
) -> Array:
    """‖∇l‖² over the stated powers of L and c; corrected: over its stated value."""
    powers = layers * (factor / 2) ** layers
    stated = powers if form == "printed" else layers * size * (factor / 2) ** (layers - 1)
    return _squares(size, rng, replicates, layers, factor) / stated


WIDTH = Parameter("width", "n", 96, integer=True, lowest=2, highest=512, draw_range=(80, 128))


@claim(
    "li.lemmaF.1.depth",
    states=Rate(-1.0, "Theta", within=0.15),
    over=(FACTOR, WIDTH),
    points=({"factor": 0.5}, {"factor": 1.0}, {"factor": 2.0}),
    plan=WIDTHS.but(
        sizes=(2, 3, 5, 8), size_name="L", exponents=(1.0,), cost=lambda size, width: cost(width, size)
    ),
)
def gradient_in_depth(
    size: int, rng: np.random.Generator, replicates: int, factor: float, width: int
) -> Array:
    """‖∇l‖²/(n (c/2)^L)."""
    return _squares(width, rng, replicates, size, factor) / (width * (factor / 2) ** size)


@claim(
    "li.lemmaF.1.formula", states=Limit(1.0, within=0.05), over=(FACTOR, LAYERS), points=POINTS, plan=EXACT
)
def gradient_over_display(
    size: int, rng: np.random.Generator, replicates: int, form: str, factor: float, layers: int
) -> Array:
    """‖∇‖² over the display with Var[δy^L] = c/n; corrected: with E[h²] = ½ for E²[h]."""
    printed = layers * size**2 * (factor / 2) ** (layers - 2) * 0.25 * (factor / size)
    stated = printed if form == "printed" else layers * size * (factor / 2) ** (layers - 1)
    return _squares(size, rng, replicates, layers, factor) / stated


# ---- Forward and backward recursions -----------------------------------------------------------------------------


def _activations(size: int, rng: np.random.Generator, networks: int, factor: float, layers: int) -> Array:
    """y_L of that many networks with L ReLU layers, over (c/2)^{L/2}."""
    batches = draw_relu_batches(size, layers + 1, factor, networks, rng)
    return np.concatenate([each.activations()[-1] for each in batches]) / float((factor / 2) ** (layers / 2))


INPUTS = 8
"""Inputs of a network whose squared activations are averaged: drawing weights costs more than using them."""


def second_moment(size: int, rng: np.random.Generator, replicates: int, factor: float, layers: int) -> Array:
    """Mean of (y_i^L)² over units and eight inputs of a network, over (c/2)^L."""
    found = []
    for batch in draw_relu_batches(size, layers + 1, factor, replicates, rng):
        values = rng.standard_normal((len(batch.inputs), size, INPUTS))
        for layer in range(layers):
            values = np.maximum(batch.weights[:, layer] @ values, 0.0)
        found.append(np.square(values).mean(axis=(1, 2)))
    return np.concatenate(found) / float((factor / 2) ** layers)


@claim(
    "li.F.1.forward",
    corrected=Corrected(
        measured=second_moment, plan=EXACT.but(cost=lambda size, layers: 2 * cost(size, layers))
    ),
    states=Limit(1.0, within=0.05),
    over=(FACTOR, LAYERS),
    points=POINTS,
    plan=EXACT.but(cost=lambda size, layers: 2 * cost(size, layers)),
)
def activation_variance(
    size: int, rng: np.random.Generator, replicates: int, factor: float, layers: int
) -> Array:
    """An unbiased estimate of Var[y_i^L]/(c/2)^L."""
    first, second = np.split(_activations(size, rng, 2 * replicates, factor, layers), 2)
    return np.asarray(np.square(first - second).mean(axis=1) / 2)


@claim(
    "li.F.1.backward",
    corrected=Corrected(points=POINTS),
    states=Limit(1.0, within=0.05),
    over=(FACTOR, LAYERS),
    points=({"factor": 0.5, "layers": 3}, {"factor": 1.0, "layers": 4}),
    plan=EXACT,
)
def input_gradient(
    size: int, rng: np.random.Generator, replicates: int, form: str, factor: float, layers: int
) -> Array:
    """Mean of (δy_i^1)², the gradient with respect to the input, over its stated value; Var[δy^L] = c/n."""
    batches = draw_relu_batches(size, layers, factor, replicates, rng)
    found = [np.square(each.backward(each.activations())[0]).mean(axis=1) for each in batches]
    steps = layers if form == "printed" else layers - 1
    return np.concatenate(found) * size / factor / (factor / 2) ** steps


# ---- Hessian entries ---------------------------------------------------------------------------------------------

DEEP = depth(default=5, lowest=4, highest=12, draw_range=(4, 7))


def _middle(
    size: int, rng: np.random.Generator, networks: int, layers: int, factor: float
) -> tuple[Array, Array]:
    """Mean squares of the entries of w̃ for p = 1, q = L - 1, and of those of H_pq."""
    paths, entries = [], []
    for each in draw_relu_batches(size, layers, factor, networks, rng):
        paths.append(each.path_squares())
        # H_pq has the entries gradient_d · path_cb · x_a: the mean of their squares is a product of three means.
        gradient = each.backward(each.activations())[-1]
        entries.append(paths[-1] * np.square(gradient).mean(axis=1) * np.square(each.inputs).mean(axis=1))
    return np.concatenate(paths), np.concatenate(entries)


PATHS = EXACT.but(
    sizes=(4, 12, 36), cost=lambda size, layers: 1e-5 + 2e-8 * layers * size**2 + 1.2e-9 * layers * size**3
)
PATH_POINTS = ({"factor": 0.5, "layers": 4}, {"factor": 1.0, "layers": 5}, {"factor": 2.0, "layers": 5})


@claim("li.F.2.1.middle", states=Limit(1.0, within=0.05), over=(FACTOR, DEEP), points=PATH_POINTS, plan=PATHS)
def middle_variance(
    size: int, rng: np.random.Generator, replicates: int, factor: float, layers: int
) -> Array:
    """Mean square of the middle factor over its stated variance."""
    stated = (factor / 2) ** (layers - 4) * factor / (4 * size)
    return _middle(size, rng, replicates, layers, factor)[0] / stated


@claim(
    "li.F.2.1",
    corrected=Corrected(points=PATH_POINTS),
    states=Limit(1.0, within=0.1),
    over=(FACTOR, DEEP),
    points=PATH_POINTS[:2],
    plan=PATHS,
)
def entry_variance(
    size: int, rng: np.random.Generator, replicates: int, form: str, factor: float, layers: int
) -> Array:
    """Mean square of an entry over its stated variance."""
    printed = (factor / 2) ** (layers - 2) * factor / (4 * size**2)
    stated = printed if form == "printed" else 0.5 * (factor / 2) ** (layers - 2) / size**2
    return _middle(size, rng, replicates, layers, factor)[1] / stated


def gate_mean_square(size: int, rng: np.random.Generator, replicates: int) -> Array:
    """E[h²] over units."""
    w, x = rng.standard_normal((replicates, size, size)), rng.standard_normal((replicates, size, 1))
    return np.asarray((w @ x > 0).mean(axis=(1, 2)))


@claim(
    "li.F.2.1.gates",
    corrected=Corrected(measured=gate_mean_square),
    states=Limit(0.5, within=0.02),
    plan=EXACT.but(sizes=(8, 16, 32), support=(0.0, 1.0), cost=lambda size: 1e-5 + 2e-8 * size**2),
)
def gate_variance(size: int, rng: np.random.Generator, replicates: int) -> Array:
    """Half the squared difference of the gates of two independent networks."""
    w, x = rng.standard_normal((2, replicates, size, size)), rng.standard_normal((2, replicates, size, 1))
    first, second = (w @ x > 0).astype(float)
    return np.asarray(np.square(first - second).mean(axis=(1, 2)) / 2)


# ---- Which c is stable? ------------------------------------------------------------------------------------------


@claim(
    "li.sec5.2.regimes",
    states=Limit(1.0, within=0.1),
    over=(LAYERS,),
    points=({"layers": 4}, {"layers": 8}),
    plan=EXACT.but(sizes=(48, 96, 192)),
)
def gradient_per_layer(size: int, rng: np.random.Generator, replicates: int, form: str, layers: int) -> Array:
    """‖∇T‖²/(L ‖x‖²) at the c that is called stable: 1 where a network neither loses nor gains."""
    batches = draw_relu_batches(size, layers, 1.0 if form == "printed" else 2.0, replicates, rng)
    return np.concatenate(
        [
            each.gradient_squares().sum(axis=1) / (layers * np.square(each.inputs).sum(axis=1))
            for each in batches
        ]
    )
