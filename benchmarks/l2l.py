"""Learned step sizes: compiled descent beside NumPy, spectrum beside steps on the data, accuracy beside quadrature."""

from __future__ import annotations

import math
import warnings

import mpmath
import numpy as np
from common import report, seconds
from scipy.integrate import quad

from rmtsim.papers.l2l import theory as l2l
from rmtsim.papers.l2l.simulation.kernels.least_squares import truncated_descent
from rmtsim.papers.l2l.simulation.least_squares import (
    SpectralTask,
    descend,
    descend_stochastically,
    draw_spectral_task,
    draw_task,
    spectral_descent,
)


def _row(what: str, alternative: str, ours: float, theirs: float) -> dict[str, object]:
    return {"what": what, "beside": alternative, "ours": ours, "theirs": theirs, "ratio": theirs / ours}


def descent_with_truncation() -> dict[str, object]:
    """25 step sizes, 40 steps, all norms checked."""
    task = draw_spectral_task(250, 1000, 1.0, np.random.default_rng(0))
    rates = np.geomspace(1e-6, 1, 25)
    weights, stopped_at = np.empty((25, task.values.size)), np.empty(25, dtype=np.int64)

    def numpy_twin() -> np.ndarray:
        power = np.ones((25, task.values.size))
        factor = 1 - rates[:, None] * task.values
        stopped = np.zeros(25, dtype=bool)
        result = np.zeros_like(power)
        for _ in range(40):
            power[~stopped] *= factor[~stopped]
            result = (1 - power) * task.fitted
            stopped |= np.einsum("gi,gi->g", result, result) >= 1600
        return result

    ours = seconds(
        lambda: truncated_descent(task.values, task.fitted, rates, 40, 40.0, weights, stopped_at), repeats=20
    )
    return _row(
        "25 step sizes × 40 steps, n₁ = 250, with truncation (s)",
        "NumPy",
        ours,
        seconds(numpy_twin, repeats=20),
    )


def stochastic_descent() -> dict[str, object]:
    task = draw_task(100, 200, 1.0, np.random.default_rng(0))
    order = np.random.default_rng(1).integers(100, size=20_000)

    def numpy_twin() -> np.ndarray:
        weights = np.zeros(200)
        for i in order:
            x = task.design[i]
            weights -= 1e-3 * (x @ weights - task.labels[i]) * x
        return weights

    ours = seconds(lambda: descend_stochastically(task, 1e-3, 20_000, np.random.default_rng(1)))
    return _row("20 000 steps of SGD, d = 200 (s)", "NumPy", ours, seconds(numpy_twin))


def spectrum() -> dict[str, object]:
    """One task of Figure 5.2, all 25 step sizes: eigenvalues once, or 25 times 40 steps on the data."""
    rng = np.random.default_rng(0)
    task = draw_task(500, 1000, 1.0, rng)
    rates = np.geomspace(1e-6, 1, 25)
    ours = seconds(lambda: spectral_descent(SpectralTask.of(task, task.truth), rates, 40))
    theirs = seconds(lambda: [descend(task, float(rate), 40) for rate in rates], repeats=1)
    return _row("one task, n = 500, d = 1000, 25 step sizes (s)", "steps on the data", ours, theirs)


def accuracy() -> list[dict[str, object]]:
    """expected_error against scipy.integrate.quad on the density; relative difference from 50 digits."""
    rows: list[dict[str, object]] = []
    for step, steps, noise, ratio in (
        (0.1, 40, 1.0, 2.0),
        (0.3, 100_000, 1.0, 1.0),
        (0.2, 100_000, 1.0, 4.0),
    ):
        low, high = (1 - math.sqrt(ratio)) ** 2, (1 + math.sqrt(ratio)) ** 2

        def integrand(
            x: float, step=step, steps=steps, noise=noise, ratio=ratio, low=low, high=high
        ) -> float:
            p = (1 - step * x) ** steps
            density = math.sqrt((x - low) * (high - x)) / (2 * math.pi * ratio * x)
            return (p * p + noise**2 * ratio * (1 - p) ** 2 / x) * density

        def plain(integrand=integrand, low=low, high=high, ratio=ratio) -> float:
            return quad(integrand, low + 1e-300, high, limit=500)[0] + max(0.0, 1 - 1 / ratio)

        with mpmath.workdps(50):
            root = mpmath.sqrt(mpmath.mpf(ratio))
            eta = mpmath.mpf(step)

            def exact(phi, root=root, eta=eta, steps=steps, noise=noise, ratio=ratio):
                x = (1 - root) ** 2 + 4 * root * mpmath.sin(phi / 2) ** 2
                p = (1 - eta * x) ** steps
                weight = 2 / mpmath.pi * mpmath.sin(phi) ** 2 / x
                return (p * p + mpmath.mpf(noise) ** 2 * ratio * (1 - p) ** 2 / x) * weight

            knots = [0, *(mpmath.pi * mpmath.mpf(2) ** -k for k in range(20, -1, -1))]
            mirrored = sorted({*knots, *(mpmath.pi - knot for knot in knots)})
            true = mpmath.quad(exact, mirrored) + max(0, 1 - 1 / mpmath.mpf(ratio))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = float(abs(plain() / true - 1))
            slow = seconds(plain)
        ours = float(abs(l2l.expected_error(step, steps, noise, ratio) / true - 1))
        fast = seconds(lambda s=step, t=steps, n=noise, r=ratio: l2l.expected_error(s, t, n, r), repeats=20)
        point = f"η = {step}, t = {steps}, d/n = {ratio}"
        rows.append(_row(f"relative error, {point}", "scipy quad", ours, theirs))
        rows.append(_row(f"seconds, {point}", "scipy quad", fast, slow))
    return rows


if __name__ == "__main__":
    report("Learned step sizes", [descent_with_truncation(), stochastic_descent(), spectrum(), *accuracy()])
