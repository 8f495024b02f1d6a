"""Stochastic gradient descent: Theorems D.4.1, D.4.2 and their lemmas, with the constants of the limit."""

from __future__ import annotations

import math

import numpy as np

from rmtsim.claims import (
    Bound,
    Choice,
    Computed,
    Identity,
    Limit,
    Option,
    Parameter,
    Plan,
    Probability,
    Relative,
    claim,
)
from rmtsim.papers.l2l import theory
from rmtsim.papers.l2l.simulation.least_squares import (
    descend_stochastically,
    draw_spectral_task,
    draw_task,
    spectral_descent,
)
from rmtsim.papers.l2l.simulation.stochastic_paths import decrease_of_one_step, prescribed_design
from rmtsim.papers.l2l.statements.parameters import (
    AT_BEST_STEP,
    NOISE,
    POSITIVE_NOISE,
    RATIO,
    SCARCE,
    SCARCE_GRID,
    SCARCE_RATIOS,
    L,
    best_time,
    samples,
)

# ---- The limit of SGD ----

RATE = Parameter("rate", "limit of η·d", 0.2, open_below=True, highest=1.0, draw_range=(0.05, 0.4))
EPOCHS = Parameter("epochs", "limit of t/d", 1.0, open_below=True, highest=1000.0, draw_range=(0.5, 3.0))


@claim(
    "l2l.sgd.{quantity}",
    over=[
        Choice(
            "quantity",
            {
                "error": Option(
                    "error",
                    "E‖w_t - w*‖² of SGD tends to the error of gradient flow at γs plus the noise of SGD, which "
                    "solves a linear Volterra system on the spectrum",
                    states=Limit(
                        lambda rate, epochs, noise, ratio: theory.sgd_limit(rate, epochs, noise, ratio)[0],
                        within=Relative(0.02),
                    ),
                ),
                "loss": Option(
                    "loss",
                    "the expected training loss of SGD tends to half the solution of the same system",
                    states=Limit(
                        lambda rate, epochs, noise, ratio: theory.sgd_limit(rate, epochs, noise, ratio)[1],
                        within=Relative(0.03),
                    ),
                ),
            },
        ),
        RATE,
        EPOCHS,
        NOISE,
        RATIO,
    ],
    points=(
        {"rate": 0.2, "epochs": 1.0, "noise": 1.0, "ratio": 2.0},
        {"rate": 0.4, "epochs": 1.5, "noise": 0.5, "ratio": 4.0},
        {"rate": 0.3, "epochs": 2.0, "noise": 1.0, "ratio": 0.5},
    ),
    plan=Plan(
        sizes=(24, 48, 96, 192),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size, ratio, epochs: 1e-4 + size * size * (3e-8 / ratio + 3e-9 * epochs),
    ),
)
def sgd_quantity(
    size: int,
    rng: np.random.Generator,
    quantity: str,
    rate: float,
    epochs: float,
    noise: float,
    ratio: float,
) -> float:
    """‖w_t - w*‖² or the training loss at the end of one path on one task."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    weights, _, _ = descend_stochastically(task, rate / size, round(epochs * size), rng, truncation=None)
    return float(np.sum((weights - task.truth) ** 2)) if quantity == "error" else task.loss(weights)


@claim(
    "l2l.sgd.moments",
    states=Limit(1.0, within=0.02),
    over=(RATIO,),
    points=({"ratio": 2.0}, {"ratio": 0.5}),
    plan=Plan(sizes=(4, 8, 16), size_name="d", exponents=(1.0,), cost=lambda size: 1e-3 + 1e-4 * size),
)
def error_over_moment(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Average over 32 paths of ‖w_t - w*‖², over its exact mean on the same task."""
    task = draw_task(samples(size, ratio), size, 1.0, rng)
    step, steps = 0.4 / size, 2 * size
    exact = theory.sgd_moments(task.design, task.labels, task.truth, step, steps).error[-1]
    paths = (descend_stochastically(task, step, steps, rng, truncation=None)[0] for _ in range(32))
    return float(np.mean([np.sum((weights - task.truth) ** 2) for weights in paths])) / float(exact)


# ---- Theorem D.4.1 ----


@claim(
    "l2l.lemmaD.4.3.step",
    states=Bound(0.0, ">="),
    plan=Plan(sizes=(8, 32), size_name="d", cost=lambda size: 2e-4 + 2e-7 * size**2),
)
def excess_over_factor(size: int, rng: np.random.Generator, form: str) -> float:
    """(E‖v'‖² - (1 - ηL)‖v‖²)/(ηL‖v‖²), corrected with 2ηL, for v along the largest eigenvector.

    The eigenvalues are as the proof allows.
    """
    design, v = prescribed_design(size, rng, L)
    step = rng.uniform(0, 1) / (2 * L**3 * size)
    return (decrease_of_one_step(design, v, step) + (1.0 if form == "printed" else 2.0) * L) / L


@claim(
    "l2l.lemmaD.4.3.contraction",
    states=Bound(-1.0, likely=True),
    over=SCARCE_RATIOS,
    plan=Plan(sizes=(48, 96), size_name="d", cost=lambda size: 2e-4 + 4e-8 * size**2),
)
def contraction(size: int, rng: np.random.Generator, ratio: float) -> float:
    """2L(E‖v'‖² - ‖v‖²)/(η‖v‖²) for the v of a drawn task."""
    task = draw_task(samples(size, ratio), size, 1.0, rng)
    v = -np.asarray(np.linalg.lstsq(task.design, task.labels, rcond=None)[0], dtype=np.float64)
    return 2 * L * decrease_of_one_step(task.design, v, rng.uniform(0, 1) / (2 * L**3 * size))


@claim(
    "l2l.lemmaD.4.3",
    states=Bound(1 / (3 * L**2), ">="),
    over=(SCARCE,),
    points=({"ratio": 2.0},),
    plan=Plan(sizes=(6, 8), size_name="d", cost=lambda size: 1e-3 * (size / 8) ** 6 * 8),
)
def best_share(size: int, rng: np.random.Generator, ratio: float) -> float:
    """Best of 9 step sizes from 10⁻⁶ to 1 times the largest, over the largest."""
    task = draw_task(samples(size, ratio), size, 1.0, rng)
    steps = round(10 ** rng.uniform(5, 9)) * size
    shares = np.geomspace(1e-6, 1, 9)
    largest = 1 / (2 * L**3 * size)
    losses = [theory.sgd_training_loss(task.design, task.labels, share * largest, steps) for share in shares]
    # Ties (all losses zero to rounding) go to the larger step size.
    return float(shares[len(losses) - 1 - int(np.argmin(losses[::-1]))])


@claim(
    "l2l.lemmaD.4.4",
    states=Bound(1 / (128 * L), ">="),
    over=SCARCE_GRID,
    plan=Plan(
        sizes=(24, 96),
        size_name="d",
        cost=lambda size, ratio: 4e-4 + 2.5e-8 * size * size / ratio + 4e-9 * (size / ratio) ** 3,
    ),
)
def mean_path_error(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """‖E_SGD w_t - w*‖²/σ², which is gradient descent on the same task."""
    task = draw_spectral_task(samples(size, ratio), size, noise, rng)
    steps = math.ceil(6 * L**6 * math.log(2) * size)
    low, high = 1 / (6 * L**5 * size), 1 / (2 * L**3 * size)
    rate = np.array([low * (high / low) ** rng.random()])
    return float(spectral_descent(task, rate, steps, truncation=None).errors()[0]) / noise**2


# ---- Theorem D.4.2 ----


def long_training(size: int) -> int:
    """t = d² log² d, where Theorem D.4.2 begins."""
    return math.ceil(size**2 * math.log(size) ** 2)


@claim(
    "l2l.thmD.4.2",
    states=Limit(lambda ratio, noise: 1 - theory.validation_time(noise, ratio).value, within=0.02),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 2.0, "noise": 2.0}),
    plan=Plan(
        sizes=(8, 16, 32, 64),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size: 2e-4 + 1.6e-9 * size * long_training(size),
    ),
    evidence=AT_BEST_STEP,
)
def sgd_gain(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """1 - ‖w_t - w*‖² of one path of SGD with the thesis' truncation, at η = τ*/t."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    steps = long_training(size)
    rate = best_time(noise, ratio) / steps
    weights, stopped, _ = descend_stochastically(task, rate, steps, rng)
    if stopped:
        weights = 40 * noise * np.eye(size)[0]
    return 1 - float(np.sum((weights - task.truth) ** 2))


@claim(
    "l2l.lemmaD.4.14",
    states=Probability(1.0, within=0.02),
    over=(SCARCE, POSITIVE_NOISE),
    points=({"ratio": 4 / 3, "noise": 1.0},),
    plan=Plan(
        sizes=(8, 16, 32),
        size_name="d",
        exponents=(1.0,),
        cost=lambda size: 2e-4 + 1.6e-9 * size * long_training(size),
    ),
)
def is_not_truncated(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """Whether one path of SGD stays below 40σ."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    rate = 1 / (size**2 * math.log(size / 0.01) ** 2)
    return float(descend_stochastically(task, rate, long_training(size), rng)[1] == 0)


@claim(
    "l2l.lemmaD.4.13",
    states=Bound(1.0, likely=True),
    over=(SCARCE, Parameter("noise", "σ", 1.0, lowest=1.0, draw_range=(1.0, 5.0))),
    points=({"ratio": 4 / 3, "noise": 1.0}, {"ratio": 4.0, "noise": 3.0}),
    plan=Plan(sizes=(24, 96), size_name="d", cost=lambda size: 1e-3 + 4e-8 * size**2),
)
def noise_over_bound(size: int, rng: np.random.Generator, ratio: float, noise: float) -> float:
    """E‖n‖² over 4L³σ²d at w after a random number of steps at the largest admissible η."""
    task = draw_task(samples(size, ratio), size, noise, rng)
    weights, _, _ = descend_stochastically(
        task, 1 / (2 * L**3 * size), int(rng.integers(1, 1000)), rng, truncation=None
    )
    residual = task.design @ weights - task.labels
    norms = np.einsum("ij,ij->i", task.design, task.design)
    full = task.design.T @ residual / residual.size
    return float(np.mean(norms * residual**2) - full @ full) / (4 * L**3 * noise**2 * size)


@claim(
    "l2l.lemmaD.4.9.constant",
    states=Identity(within=1e-9),
    plan=Plan(sizes=(1,), size_name="-", cost=1e-6),
    evidence=Computed(1e-15),
)
def excess(size: int, form: str) -> float:
    """Relative excess of 2L² + 2·2L·3√L + 9L over 3L² (corrected: 4L²) at L = 100, zero if there is none."""
    factor = 3.0 if form == "printed" else 4.0
    return max(0.0, (2 * L**2 + 2 * 2 * L * 3 * math.sqrt(L) + 9 * L) / (factor * L**2) - 1)
