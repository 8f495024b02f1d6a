"""Twins of the statements of Appendix F and Section 5.2 about gradients and blocks of networks drawn at random."""

import numpy as np

from tests.papers.twinning import twin

from ._models_a import backward, draw_data, draw_network, forward, hessian, slopes

BATCH = 500
"""Networks per call."""
LAYERS = [(6, {"factor": 0.5, "layers": 3}), (9, {"factor": 2.0, "layers": 4})]
MIDDLE = [(5, {"factor": 0.5, "layers": 4}), (7, {"factor": 2.0, "layers": 5})]


def chain(n, layers, factor, rng):
    """One input for each of the networks: weights, α, activations, gates and derivatives in the pre-activations."""
    weights, alpha = draw_network(n, layers, rng, factor, (BATCH,))
    x = rng.normal(size=(BATCH, 1, n))
    acts, gates, _ = forward(weights, alpha, x)
    return weights, alpha, acts, gates, backward(weights, alpha, gates)


def squares(a):
    return (a**2).sum(axis=(-2, -1))


def gradient_square(n, layers, factor, rng):
    _, _, acts, _, b = chain(n, layers, factor, rng)
    return sum(squares(b[p]) * squares(acts[p - 1]) for p in range(1, layers)) + squares(acts[-1]), squares(
        acts[0]
    )


@twin(
    {
        "li.lemmaF.1": {"form": "power"},
        "li.lemmaF.1/corrected": {"form": "exact"},
        "li.lemmaF.1.formula": {"form": "quarter"},
        "li.lemmaF.1.formula/corrected": {"form": "half"},
    },
    LAYERS,
    replicates=8000,
)
def gradient(size, rng, form, factor, layers):
    found, n, half = gradient_square(size, layers, factor, rng)[0], size, factor / 2
    if form == "power":
        return found / (layers * half**layers)
    if form == "exact":
        return found / (layers * n * half ** (layers - 1))
    share = 0.25 if form == "quarter" else 0.5
    return found / (layers * n**2 * half ** (layers - 2) * share * factor / n)


@twin(
    "li.lemmaF.1.depth", [(3, {"factor": 0.5, "width": 6}), (4, {"factor": 2.0, "width": 9})], replicates=8000
)
def depth(size, rng, factor, width):
    return gradient_square(width, size, factor, rng)[0] / (width * (factor / 2) ** size)


@twin(
    {"li.sec5.2.regimes": {"factor": 1.0}, "li.sec5.2.regimes/corrected": {"factor": 2.0}},
    [(6, {"layers": 3}), (9, {"layers": 5})],
    replicates=8000,
)
def regimes(size, rng, factor, layers):
    found, length = gradient_square(size, layers, factor, rng)
    return found / (layers * length)


def last_activation(n, layers, factor, inputs, rng):
    weights, alpha = draw_network(n, layers + 1, rng, factor, (BATCH,))
    return forward(weights, alpha, rng.normal(size=(BATCH, inputs, n)))[0][-1]


@twin("li.F.1.forward", LAYERS, replicates=8000)
def forward_variance(size, rng, factor, layers):
    one, two = (last_activation(size, layers, factor, 1, rng) for _ in range(2))
    return ((one - two) ** 2 / 2).mean(axis=(-2, -1)) / (factor / 2) ** layers


@twin("li.F.1.forward/corrected", LAYERS, replicates=6000)
def forward_square(size, rng, factor, layers):
    return (last_activation(size, layers, factor, 8, rng) ** 2).mean(axis=(-2, -1)) / (factor / 2) ** layers


@twin(
    {"li.F.1.backward": {"power": 0}, "li.F.1.backward/corrected": {"power": 1}},
    LAYERS,
    replicates=8000,
)
def backward_square(size, rng, power, factor, layers):
    weights, _, _, _, b = chain(size, layers, factor, rng)
    delta = b[1] @ weights[0]
    return (delta**2).mean(axis=(-2, -1)) / (factor / size * (factor / 2) ** (layers - power))


def middle_factor(weights, gates):
    """w̃ = D_(L-2) W_(L-2) D_(L-3) ⋯ W_2 D_1."""
    found = gates[1][:, 0, :, None] * np.eye(gates[1].shape[-1])
    for level in range(2, len(weights)):
        found = gates[level][:, 0, :, None] * (weights[level - 1] @ found)
    return found


@twin("li.F.2.1.middle", MIDDLE, replicates=8000)
def middle(size, rng, factor, layers):
    weights, _, _, gates, _ = chain(size, layers, factor, rng)
    stated = (factor / 2) ** (layers - 4) * factor / (4 * size)
    return (middle_factor(weights, gates) ** 2).mean(axis=(-2, -1)) / stated


@twin({"li.F.2.1": {"corrected": False}, "li.F.2.1/corrected": {"corrected": True}}, MIDDLE, replicates=10000)
def block(size, rng, corrected, factor, layers):
    weights, alpha, acts, gates, _ = chain(size, layers, factor, rng)
    found = (
        (acts[0] ** 2).mean(axis=(-2, -1))
        * (middle_factor(weights, gates) ** 2).mean(axis=(-2, -1))
        * ((gates[-1][:, 0] * alpha) ** 2).mean(axis=-1)
    )
    power = (factor / 2) ** (layers - 2)
    return found / (0.5 * power / size**2 if corrected else power * factor / (4 * size**2))


def first_gates(n, rng):
    return (rng.normal(size=(BATCH, n, n)) @ rng.normal(size=(BATCH, n, 1)) > 0).astype(float)


@twin(
    {"li.F.2.1.gates": {"pairs": True}, "li.F.2.1.gates/corrected": {"pairs": False}},
    [(4, {}), (8, {})],
    replicates=2000,
)
def gate(size, rng, pairs):
    h = first_gates(size, rng)
    found = (h - first_gates(size, rng)) ** 2 / 2 if pairs else h**2
    return found.mean(axis=(-2, -1))


@twin(
    {
        "li.propF.1": {"m": 6, "corrected": False},
        "li.propF.1/corrected": {"m": 6, "corrected": True},
        "li.corF.1": {"m": 1, "corrected": False},
        "li.corF.1/corrected": {"m": 1, "corrected": True},
    },
    [(3, {"layers": 3, "factor": 16.0}), (4, {"layers": 4, "factor": 0.0625})],
    replicates=1500,
    # The corrected identities are exact up to rounding.
    accuracy=1e-12,
)
def scaled(size, rng, m, corrected, layers, factor):
    weights, alpha = draw_network(size, layers, rng)
    x, y = draw_data(size, m, rng)
    root = np.sqrt(factor)
    grown = [root * w for w in weights], root * alpha
    acts, gates, output = forward(*grown, x)
    found = hessian(*grown, acts, gates, slopes(output, y) / m)
    acts, gates, output = forward(weights, alpha, x)
    c = slopes(factor ** (layers / 2) * output if corrected else output, y) / m
    stated = factor ** (layers / 2 - 1) * hessian(weights, alpha, acts, gates, c)
    largest = max(np.abs(found).max(), np.abs(stated).max())
    return np.abs(found - stated).max() / largest if largest > 0 else 0.0
