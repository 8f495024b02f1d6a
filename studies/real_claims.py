"""The papers' headlines as claims about networks that are trained on scikit-learn's digits.

``rmtsim verify studies/real_claims.py``. A size is a number of classes, a width or a number of samples; a replicate
draws data from the 1797 images with replacement, initialises, trains and measures. docs/real-networks.md describes
the set-ups and the results. Needs the optional extra "studies".
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import softmax

from rmtsim import Corrected, claim
from rmtsim.claims import Bound, Choice, Limit, Option, Plan, Rate
from rmtsim.curvature import block_energies
from rmtsim.networks import Network, fully_connected

Array = NDArray[np.float64]
PIXELS = 64
STEPS = 100
"""Steps of Adam after which a network counts as trained."""
STAGE = Choice(
    "stage", {"start": Option(0, label="at initialisation"), "trained": Option(STEPS, label="after training")}
)


@functools.cache
def images() -> tuple[Array, NDArray[np.int_], Array]:
    """Images in [0, 1] as rows, their digits, and the mean image."""
    from sklearn.datasets import load_digits

    inputs, labels = load_digits(return_X_y=True)
    return inputs / 16.0, labels, inputs.mean(axis=0) / 16.0


def drawn(digits: NDArray[np.int_], rng: np.random.Generator) -> Array:
    """One centred image of each of the given digits, drawn with replacement."""
    inputs, labels, mean = images()
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(11))
    places = starts[digits] + (rng.random(digits.shape) * np.diff(starts)[digits]).astype(int)
    return inputs[order[places]] - mean


def scaled(inputs: Array) -> Array:
    """Inputs with mean square one."""
    return inputs / np.sqrt(np.square(inputs).mean())


def trained(network: Network, inputs: Array, targets: Any, steps: int, rate: float = 0.02) -> Network:
    """The network after full-batch steps of Adam (0.9, 0.999)."""
    values = network.parameters.copy()
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, steps + 1):
        gradient = network.with_parameters(values).gradient(inputs, targets)
        first += 0.1 * (gradient - first)
        second += 0.001 * (np.square(gradient) - second)
        move = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        values -= rate * move
    return network.with_parameters(values)


# dong: the Hessian of the output layer becomes block-diagonal as the number of classes grows.


def digit_pairs(classes: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int_]]:
    """Ten samples of each class: two images side by side, whose digits come from two sets of √classes digits."""
    side = round(np.sqrt(classes))
    labels = np.repeat(np.arange(classes), 10)
    left, right = rng.permutation(10)[labels // side], rng.permutation(10)[labels % side]
    return scaled(np.hstack([drawn(left, rng), drawn(right, rng)])), labels


def output_ratio(size: int, rng: np.random.Generator, stage: int) -> float:
    """Mean energy of off-diagonal over mean energy of diagonal output blocks of softmax regression."""
    inputs, labels = digit_pairs(size, rng)
    network = fully_connected((2 * PIXELS, size), loss="cross_entropy").sample(rng)
    (found,) = block_energies(trained(network, inputs, labels, stage), inputs, labels)
    return float(found.ratio)


CONFUSED = Corrected(
    "Softmax regression on C classes of digit pairs, after training: they decay like a power of C between 1 and 3/2.",
    states=Rate(1.25, within=0.25),
)
claim(
    "real.dong.ratio.{stage}",
    output_ratio,
    at="dong, Theorem 1, eq. (26)",
    standing="remark",
    printed="Softmax regression on C classes of digit pairs, {stage}: off-diagonal output blocks over diagonal ones, "
    "in squared norm, decay like 1/C².",
    states=Rate(2.0, within=0.2),
    over=[
        Choice(
            "stage",
            {
                "start": Option(0, label="at initialisation"),
                "trained": Option(STEPS, label="after training", corrected=CONFUSED),
            },
        )
    ],
    plan=Plan(
        sizes=(9, 16, 36, 64, 100),
        exponents=(0.5, 1.0),
        because="the two digits have √C values each: a series in C^(-1/2)",
        size_name="C",
        cost=lambda size, stage: 1e-3 + (1e-5 + 1e-7 * stage) * size**2,
    ),
)

# wu: the Hessian of a layer decouples into E[M] ⊗ E[xxᵀ], and their leading eigenspaces agree.


def decoupled(network: Network, inputs: Array) -> tuple[Array, Array, Array]:
    """Factors of the first layer's Hessian: S_n, E[M] and E[xxᵀ].

    With p the softmax output and S_n = diag(√p)(V − 1pᵀV) diag(z > 0), the Hessian is the mean over samples of
    S_nᵀS_n ⊗ x_n x_nᵀ, since second derivatives of ReLU vanish.
    """
    first, last = network.weights
    z = inputs @ first.T
    p = softmax(np.maximum(z, 0) @ last.T, axis=1)
    rows = np.sqrt(p)[:, :, None] * (last[None] - (p @ last)[:, None, :]) * (z > 0)[:, None, :]
    return rows, np.einsum("nca,ncb->ab", rows, rows) / len(inputs), inputs.T @ inputs / len(inputs)


def decoupling_distance(rows: Array, inputs: Array, output: Array, autocorrelation: Array) -> float:
    """‖H − E[M] ⊗ E[xxᵀ]‖_F/‖H‖_F; squared norms are sums over pairs of samples."""
    samples, classes, width = rows.shape
    flat = rows.reshape(samples * classes, width)
    pairs = np.square(flat @ flat.T).reshape(samples, classes, samples, classes).sum(axis=(1, 3))
    energy = float((np.square(inputs @ inputs.T) * pairs).sum()) / samples**2
    means = np.einsum("nca,ab,ncb->n", rows, output, rows)
    cross = float((means * np.einsum("ni,ij,nj->n", inputs, autocorrelation, inputs)).mean())
    product = float(np.square(output).sum() * np.square(autocorrelation).sum())
    return float(np.sqrt(max(energy - 2 * cross + product, 0.0) / energy))


def leading_overlap(
    rows: Array, inputs: Array, output: Array, autocorrelation: Array, count: int = 9
) -> float:
    """Share of the leading eigenspace of the Hessian that lies in that of the Kronecker product."""
    shape = (output.shape[0], autocorrelation.shape[0])

    def product(vector: Array) -> Array:
        along = inputs @ vector.reshape(shape).T
        back = np.einsum("ncm,nc->nm", rows, np.einsum("ncm,nm->nc", rows, along))
        return (back.T @ inputs).ravel() / len(inputs)

    operator = LinearOperator((shape[0] * shape[1],) * 2, matvec=product, dtype=float)
    _, found = eigsh(operator, k=count, which="LA", tol=1e-6, v0=np.ones(operator.shape[0]))
    (left, lefts), (right, rights) = np.linalg.eigh(output), np.linalg.eigh(autocorrelation)
    best = np.argsort(np.outer(left, right), axis=None)[::-1][:count]
    guess = [np.outer(lefts[:, k // shape[1]], rights[:, k % shape[1]]).ravel() for k in best]
    return float(np.square(np.array(guess) @ found).sum() / count)


def first_layer(size: int, rng: np.random.Generator, stage: int, measured: Callable[..., float]) -> float:
    """A quantity of the first layer's Hessian of a network on 200 digits."""
    labels = rng.integers(10, size=200)
    inputs = scaled(drawn(labels, rng) + images()[2])
    network = fully_connected((PIXELS, size, 10), gain=2.0, loss="cross_entropy").sample(rng)
    rows, output, autocorrelation = decoupled(trained(network, inputs, labels, stage), inputs)
    return measured(rows, inputs, output, autocorrelation)


MEANS = "smooth functions of means over the hidden units: a series in width^(-1/2)"
WIDTHS = Plan(
    sizes=(12, 24, 48, 96),
    exponents=(0.5, 1.0),
    because=MEANS,
    size_name="width",
    cost=lambda size, stage: 0.05 + 1e-3 * size,
)

claim(
    "real.wu.decoupling.{stage}",
    functools.partial(first_layer, measured=decoupling_distance),
    at="wu, Theorem 4.1",
    standing="remark",
    printed="A two-layer ReLU network on digits, {stage}: the relative distance of the first layer's Hessian to "
    "E[M] ⊗ E[xxᵀ] tends to zero as the width grows.",
    states=Limit(0.0, within=0.05),
    over=[STAGE],
    plan=WIDTHS,
)
claim(
    "real.wu.overlap.{stage}",
    functools.partial(first_layer, measured=leading_overlap),
    at="wu, Section 4",
    standing="remark",
    printed="A two-layer ReLU network on digits, {stage}: the nine leading eigenvectors of the first layer's Hessian "
    "lie on average by more than half in the leading space of E[M] ⊗ E[xxᵀ].",
    states=Bound(0.5, ">=", of="mean", within=0.01),
    over=[STAGE],
    plan=WIDTHS.but(support=(0.0, 1.0)),
)

# liu: the tangent kernel of a wide network stays constant in training if the output is linear.


def kernel_change(size: int, rng: np.random.Generator, output: str) -> float:
    """Relative change, in spectral norm, of the tangent kernel over 200 steps of gradient descent."""
    digits = rng.integers(10, size=40)
    inputs, targets = scaled(drawn(digits, rng)), np.where(digits >= 5, 0.9, -0.9)[:, None]
    network = fully_connected(
        (PIXELS, size, 1), "tanh", output=output, parametrisation="ntk", loss="square"
    ).sample(rng)
    start = network.tangent_kernel(inputs)
    step = 0.2 * len(digits) / np.linalg.norm(start, 2)
    values = network.parameters.copy()
    for _ in range(200):
        values -= step * network.with_parameters(values).gradient(inputs, targets)
    end = network.with_parameters(values).tangent_kernel(inputs)
    return float(np.linalg.norm(end - start, 2) / np.linalg.norm(start, 2))


KERNELS = Plan(
    sizes=(32, 64, 128, 256, 512),
    exponents=(0.5, 1.0),
    because=MEANS,
    size_name="width",
    cost=lambda size: 0.02 + 1e-4 * size,
)

claim(
    "real.liu.linear-output",
    functools.partial(kernel_change, output="identity"),
    at="liu, Theorem 3.2 with Proposition 2.3",
    standing="remark",
    printed="A network with one hidden layer of tanh and a linear output, trained on digits by gradient descent: the "
    "relative change of its tangent kernel is O(width^(-1/2)).",
    states=Rate(0.5, "O", within=0.05),
    plan=KERNELS,
)
claim(
    "real.liu.bounded-output",
    functools.partial(kernel_change, output="tanh"),
    at="liu, Section 4",
    standing="remark",
    printed="The same network with tanh behind its output: the mean relative change of its kernel is at least one half "
    "at every width.",
    states=Bound(0.5, ">=", of="mean", within=0.01),
    plan=KERNELS,
)

# li: with a hinge loss the spectrum of the Hessian is nearly symmetric about zero.


def skewness(size: int, rng: np.random.Generator, stage: int) -> float:
    """Third moment of the eigenvalues over the 3/2 power of the second."""
    digits = rng.integers(10, size=100)
    inputs = scaled(drawn(digits, rng)) @ rng.standard_normal((PIXELS, 8)) / np.sqrt(PIXELS)
    targets = np.where(digits >= 5, 1.0, -1.0)[:, None]
    network = fully_connected((8, size, size, 1), gain=2.0, loss="hinge").sample(rng)
    network = trained(network, inputs, targets, stage // 5, rate=0.01)
    hessian = network.hessian(inputs, targets)
    square = hessian @ hessian
    energy = np.trace(square)
    if energy == 0.0:
        return 0.0  # every sample is beyond the hinge: the Hessian is zero, and symmetric
    return float(np.vdot(square, hessian) / energy**1.5 * np.sqrt(len(hessian)))


claim(
    "real.li.skewness.{stage}",
    skewness,
    at="li, Theorem 3",
    standing="remark",
    printed="A ReLU network with two hidden layers and hinge loss on digits, {stage}: the skewness of the eigenvalues "
    "of its Hessian tends to zero as the width grows.",
    states=Limit(0.0, within=0.05),
    over=[STAGE],
    plan=Plan(
        sizes=(8, 12, 16, 24, 32),
        exponents=(1.0,),
        because="traces of products of layers with independent weights are series in 1/width at initialisation; "
        "assumed after training",
        size_name="width",
        cost=lambda size, stage: 3e-3 + 1e-4 * stage + 1.5e-9 * (8 * size + size**2 + size) ** 2.5,
    ),
)

# l2l: a step size that is tuned on training losses overfits where samples are few.

RATES = np.linspace(0.05, 1.95, 39)
"""Step sizes that are tried, in units of the inverse of the largest eigenvalue."""


def losses(samples: int, rng: np.random.Generator) -> Array:
    """Training, validation and test loss of 40 steps on one task, for every step size: two digits as ±1 with noise."""

    def draw(count: int) -> tuple[Array, Array]:
        signs = rng.integers(2, size=count)
        return drawn(pair[signs], rng), 2.0 * signs - 1 + rng.standard_normal(count)

    pair = rng.permutation(10)[:2]
    inputs, targets = draw(samples)
    values, vectors = np.linalg.eigh(inputs.T @ inputs / samples)
    values = np.maximum(values / values[-1], 1e-15)
    right = vectors.T @ (inputs.T @ targets / samples) / np.linalg.norm(inputs.T @ inputs / samples, 2)
    weights = vectors @ ((1 - (1 - np.outer(values, RATES)) ** 40) / values[:, None] * right[:, None])
    sets = ((inputs, targets), draw(200), draw(200))
    return np.array([np.square(x @ weights - y[:, None]).mean(axis=0) for x, y in sets])


def overfitting(size: int, rng: np.random.Generator) -> float:
    """Test loss with the step size of least training loss over that with the one of least validation loss, less one.

    Each step size is tuned on twenty tasks and tried on twenty others.
    """
    tuned = np.mean([losses(size, rng) for _ in range(20)], axis=0)
    tried = np.mean([losses(size, rng)[2] for _ in range(20)], axis=0)
    return float(tried[tuned[0].argmin()] / tried[tuned[1].argmin()] - 1)


def task_cost(size: int) -> float:
    return 0.05 + 1e-5 * size


claim(
    "real.l2l.few-samples",
    overfitting,
    at="l2l, Theorem 5.3.1",
    standing="remark",
    printed="Least squares on two digits with noise, fewer samples than pixels: the step size tuned on training losses "
    "has, in the mean, a test loss at least 5 % above the one tuned on validation losses.",
    states=Bound(0.05, ">=", of="mean", within=0.005),
    plan=Plan(sizes=(16, 24, 32, 48), size_name="samples", cost=task_cost),
)
claim(
    "real.l2l.many-samples",
    overfitting,
    at="l2l, Theorem 5.3.2",
    standing="remark",
    printed="The same tasks with at least four samples a pixel: the excess is, in the mean, at most 5 %.",
    states=Bound(0.05, "<=", of="mean", within=0.005),
    plan=Plan(sizes=(256, 512), size_name="samples", cost=task_cost),
)
