"""Stochastic gradient descent on least squares: exact second moments on one task, and their limit.

One sample per step, drawn uniformly with replacement (appendix D.4, without truncation). With v = w - w_ERM, residuals
ε of the empirical risk minimiser and H = XᵀX/n, first and second moments of v close:

    E v' = (I - ηH) E v,    M' = M - η(HM + MH) + (η²/n) Σᵢ sᵢ xᵢxᵢᵀ,    sᵢ = xᵢᵀMxᵢ - 2εᵢ xᵢᵀE v + εᵢ².
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from rmtsim._internal import validate
from rmtsim._internal.arrays import records_take_arrays, takes_arrays, tuples_take_arrays
from rmtsim._internal.docstrings import frozen
from rmtsim.papers.l2l.theory.errors import check_shape, flow_error
from rmtsim.papers.l2l.theory.spectrum import nodes

__all__ = ["SgdMoments", "sgd_limit", "sgd_moments", "sgd_training_loss"]


@frozen
class SgdMoments:
    """Expectations over the sampling of SGD on one task after every step, the first entry before any."""

    error: NDArray[np.float64]
    """E‖w_τ - w*‖²."""
    loss: NDArray[np.float64]
    """E (1/2n)‖Xw_τ - y‖²."""
    distance: NDArray[np.float64]
    """E‖w_τ - w_ERM‖²."""


def _task(design: Any, labels: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    x = validate.real_array("design", design, meaning="X, one sample per row")
    y = validate.real_array("labels", labels, meaning="y, one label per sample")
    if x.ndim != 2 or y.shape != x.shape[:1]:
        raise ValueError(f"labels of shape {y.shape}: expected one per row of design, shape {x.shape}")
    minimiser = np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], dtype=np.float64)
    return x, y, minimiser


@records_take_arrays(whole=("design", "labels", "truth", "steps"))
def sgd_moments(design: Any, labels: Any, truth: Any, step: float, steps: int) -> SgdMoments:
    """Exact expectations along SGD from zero on (1/2n)‖Xw - y‖²; d×d matrices, one update per step.

    >>> x = np.eye(2)
    >>> moments = sgd_moments(x, [1.0, 0.0], [1.0, 0.0], step=0.5, steps=1)  # half of the time half of the way
    >>> moments.error, moments.loss
    (array([1.   , 0.625]), array([0.25   , 0.15625]))
    """
    x, y, minimiser = _task(design, labels)
    w = validate.real_array("truth", truth, meaning="w*")
    if w.shape != minimiser.shape:
        raise ValueError(
            f"truth of shape {w.shape}: expected one number per column of design, {minimiser.shape}"
        )
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, meaning="number of steps of SGD")
    n = x.shape[0]
    h = x.T @ x / n
    rest = y - x @ minimiser
    mean = -minimiser
    moment = np.outer(mean, mean)
    gap = minimiser - w
    error, loss, distance = np.empty(steps + 1), np.empty(steps + 1), np.empty(steps + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for tau in range(steps + 1):
            distance[tau] = np.trace(moment)
            error[tau] = distance[tau] + 2 * mean @ gap + gap @ gap
            squares = np.einsum("ij,ij->i", x @ moment, x)
            loss[tau] = (squares.mean() + rest @ rest / n) / 2
            if tau == steps:
                break
            squares += -2 * rest * (x @ mean) + rest**2
            product = h @ moment
            moment = moment - step * (product + product.T) + (step * step / n) * (x.T * squares) @ x
            mean = mean - step * (h @ mean)
    if np.isnan([error, loss, distance]).any():
        raise ValueError(
            "design, labels, truth, step: the moments leave the range of doubles; expected smaller ones"
        )
    return SgdMoments(error, loss, distance)


@takes_arrays(whole=("design", "labels"))
def sgd_training_loss(design: Any, labels: Any, step: float, steps: int) -> float:
    """E (1/2n)‖Xw_t - y‖² after any number of steps on an interpolated task (n ≤ d), by powers of the moment map.

    The residuals r = Xw - y have second moment R' = R - (η/n)(KR + RK) + (η²/n) K diag(R) K, K = XXᵀ: a linear map on
    n² numbers, raised to the power t by squaring. Meant for small n and enormous t.

    >>> round(sgd_training_loss([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], step=0.5, steps=1), 12)
    0.15625
    """
    x, y, minimiser = _task(design, labels)
    n = x.shape[0]
    if np.abs(x @ minimiser - y).max() > 1e-9 * max(1.0, float(np.abs(y).max())):
        raise ValueError(f"design of shape {x.shape}: expected a task that can be interpolated (n <= d)")
    step = validate.finite_number("step", step, meaning="step size η")
    steps = validate.integer("steps", steps, maximum=10**18, meaning="number of steps of SGD")
    kernel = x @ x.T
    identity = np.eye(n)
    change = -(step / n) * (np.kron(kernel, identity) + np.kron(identity, kernel))
    for i in range(n):
        column = kernel[:, i]
        change[:, i * (n + 1)] += (step * step / n) * np.outer(column, column).ravel()
    result = _power(change, steps) @ np.outer(y, y).ravel()
    return float(result[:: n + 1].mean() / 2)


def _power(change: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """(I + change)^exponent: squares are kept as identity plus rest, so tiny changes keep their digits."""
    rest = np.zeros_like(change)
    square = change
    while exponent:
        if exponent & 1:
            rest = rest + square + rest @ square
        exponent >>= 1
        if exponent:
            square = 2 * square + square @ square
    return rest + np.eye(change.shape[0])


@tuples_take_arrays
def sgd_limit(rate: float, epochs: float, noise: float, ratio: float) -> tuple[float, float]:
    """Limits of E‖w_t - w*‖² and of the expected training loss as d → ∞ with η·d → rate, t/d → epochs.

    With m = λ·(second moment of v along an eigenvector)·d the moments obey, in the time s = t/d,
    m' = -2γλm + γ²λ²ψ with ψ = ∫ m dμ + σ²(1 - y)₊ and m(0) = λ + σ²y; noise of SGD adds ∫ δ dμ to the error of
    gradient flow, δ' = -2γλδ + γ²λψ, δ(0) = 0. A linear system, solved by one matrix exponential.

    >>> error, loss = sgd_limit(0.0, 1.0, 1.0, 2.0)
    >>> round(error, 9), round(loss, 9)
    (1.0, 1.0)
    >>> round(sgd_limit(0.2, 1.0, 1.0, 2.0)[0], 6)
    0.83627
    >>> errors, losses = sgd_limit([0.0, 0.2], 1.0, 1.0, 2.0)
    >>> errors.round(6)
    array([1.     , 0.83627])
    """
    rate = validate.finite_number("rate", rate, meaning="limit of η·d")
    epochs = validate.finite_number("epochs", epochs, meaning="limit of t/d")
    if rate < 0 or epochs < 0:
        wrong = "rate" if rate < 0 else "epochs"
        raise ValueError(f"{wrong}={min(rate, epochs)}: expected a finite number >= 0")
    if rate > 1e100:  # its square times squares of eigenvalues must stay in the range of doubles
        raise ValueError(f"rate={rate}: expected at most 1e100 (limit of η·d)")
    noise, ratio = check_shape(noise, ratio)
    law = nodes(ratio, rate * epochs, 1, order=6)
    values, count = law.values, law.values.size
    floor = noise * noise * max(0.0, 1 - ratio)
    # Unknowns m, δ and the constant one that carries the floor of the loss.
    system = np.zeros((2 * count + 1, 2 * count + 1))
    index = np.arange(count)
    system[:count, :count] = rate**2 * np.outer(values**2, law.weights)
    system[count:-1, :count] = rate**2 * np.outer(values, law.weights)
    system[:count, -1] = rate**2 * values**2 * floor
    system[count:-1, -1] = rate**2 * values * floor
    system[index, index] -= 2 * rate * values
    system[index + count, index + count] -= 2 * rate * values
    start = np.concatenate([values + noise * noise * ratio, np.zeros(count), [1.0]])
    end = expm(epochs * system) @ start
    error = flow_error(rate * epochs, noise, ratio) + law.integral(end[count:-1])
    loss = 0.5 * (law.integral(end[:count]) + floor)
    if not (math.isfinite(error) and math.isfinite(loss)):
        raise OverflowError(f"rate={rate}, epochs={epochs}: SGD diverges beyond the range of floats")
    return error, loss
