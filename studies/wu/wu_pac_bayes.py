"""The PAC-Bayes bound of wu Theorem 6.1 on digits (0–4 against 5–9): posterior diagonal in two bases.

Q = N(w, diag s) in the standard basis ("base"), or diagonal in the eigenbasis of E[M] ⊗ E[xxᵀ] of each layer, taken
once at the trained weights ("approximate") or again every η steps ("iterative"); prior N(w₀, λI); w, s, λ minimise
cross-entropy + √(B_RE/2) by Algorithm 1 of appendix H: ς = log|w|, ϱ = -3 at the start, δ = 0.025, b = 100, c = 0.1,
η = 10, λ rounded to its grid at the end, δ' = 0.01.
What differs: 1437 digits of 8 × 8 pixels in place of MNIST, one hidden layer without biases, full batches, Adam in
place of SGD (so that thousands and not hundreds of thousands of steps do), and D_KL(Q‖P), which eq. (277) prints the
other way round. The bound holds with probability 1 - δ - δ' over data and Monte Carlo. Needs the extra "studies".
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import digits_network
import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.networks import network_from_arrays
from rmtsim.papers.wu.simulation.output_hessian import mean_curvature, output_hessian
from rmtsim.papers.wu.simulation.relu_network import respond

NAME = "wu_pac_bayes"
DELTA, DELTA_MONTE_CARLO, PRECISION, LARGEST_PRIOR = 0.025, 0.01, 100.0, 0.1


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=20)
    parser.add_argument(
        "--steps", type=harness.positive_integer, default=6000, help="steps of the bound's minimisation"
    )
    parser.add_argument(
        "--draws", type=harness.positive_integer, default=1000, help="posterior draws of the final bound"
    )
    parser.add_argument(
        "--interval", type=harness.positive_integer, default=10, help="η: steps between two changes of basis"
    )
    parser.add_argument("--seeds", type=harness.positive_integer, default=3)


def inverse_kl(rate: float, budget: float) -> float:
    """The largest q with kl(rate‖q) ≤ budget, by bisection."""

    def kl(q: float) -> float:
        total = 0.0
        for p, other in ((rate, q), (1 - rate, 1 - q)):
            if p > 0:
                total += p * math.log(p / other)
        return total

    low, high = rate, 1 - 1e-12
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(middle) <= budget else (low, middle)
    return high


class Posterior:
    """Mean, log deviations in a basis, log prior deviation."""

    def __init__(
        self, start: list[np.ndarray], mean: list[np.ndarray], bases: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        self.start, self.bases = start, bases
        self.mean = [m.copy() for m in mean]
        # Algorithm 1, lines 2 and 3; weights that happen to be near zero would start without any variance.
        self.log_deviation = [np.log(np.maximum(np.abs(m), 1e-3)) for m in mean]
        self.log_prior = np.array([-3.0])
        self.size = sum(m.size for m in mean)

    def to_basis(self, values: list[np.ndarray]) -> list[np.ndarray]:
        """Eq. (279)."""
        return [u.T @ v @ t for v, (u, t) in zip(values, self.bases, strict=True)]

    def to_standard(self, values: list[np.ndarray]) -> list[np.ndarray]:
        """Eq. (280)."""
        return [u @ v @ t.T for v, (u, t) in zip(values, self.bases, strict=True)]

    def sample(self, noise: list[np.ndarray]) -> list[np.ndarray]:
        """Weights drawn with this standard normal noise."""
        moves = self.to_standard([e * np.exp(s) for e, s in zip(noise, self.log_deviation, strict=True)])
        return [m + move for m, move in zip(self.mean, moves, strict=True)]

    def divergence(self) -> float:
        """D_KL(Q‖P) of two Gaussians; the prior is round, so the basis does not matter for the means."""
        prior = math.exp(2 * float(self.log_prior[0]))
        total = -self.size + self.size * 2 * float(self.log_prior[0])
        for m, m0, s in zip(self.mean, self.start, self.log_deviation, strict=True):
            total += float(((m - m0) ** 2).sum() / prior + np.exp(2 * s).sum() / prior - 2 * s.sum())
        return total / 2

    def penalty(self, count: int) -> float:
        """B_RE of eq. (277)."""
        prior = math.exp(2 * float(self.log_prior[0]))
        union = 2 * math.log(PRECISION * math.log(LARGEST_PRIOR / prior))
        return (self.divergence() + union + math.log(math.pi**2 * count / (6 * DELTA))) / (count - 1)

    def penalty_gradients(self, count: int) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
        """Gradients of √(B_RE/2)."""
        prior = math.exp(2 * float(self.log_prior[0]))
        scale = 1 / (4 * math.sqrt(self.penalty(count) / 2) * (count - 1))
        means = [scale * (m - m0) / prior for m, m0 in zip(self.mean, self.start, strict=True)]
        deviations = [scale * (np.exp(2 * s) / prior - 1) for s in self.log_deviation]
        energy = sum(float(((m - m0) ** 2).sum()) for m, m0 in zip(self.mean, self.start, strict=True))
        energy += sum(float(np.exp(2 * s).sum()) for s in self.log_deviation)
        union = -4 / math.log(LARGEST_PRIOR / prior)
        return means, deviations, scale * np.array([self.size - energy / prior + union])


def kronecker_bases(
    weights: list[np.ndarray], inputs: np.ndarray
) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[np.ndarray]]:
    """Eigenbases of E[M] and E[xxᵀ] per layer, and the products of eigenvalues in the same order."""
    response = respond(network_from_arrays(weights[:2], activation="relu", loss="cross_entropy"), inputs)
    bases, values = [], []
    for output, layer_input in (
        (output_hessian(weights[1], response), inputs),
        (mean_curvature(response), response.hidden[0]),
    ):
        left_values, left = np.linalg.eigh(output)
        right_values, right = np.linalg.eigh(layer_input.T @ layer_input / len(layer_input))
        bases.append((left, right))
        values.append(np.multiply.outer(left_values, right_values))
    return bases, values


def optimise(
    posterior: Posterior,
    inputs: np.ndarray,
    labels: np.ndarray,
    steps: int,
    rng: np.random.Generator,
    interval: int = 0,
) -> None:
    """Algorithm 1; bases are computed again at the posterior's mean every ``interval`` steps (0: never)."""
    count = len(labels)
    optimiser = digits_network.Adam(1e-2)
    values = [*posterior.mean, *posterior.log_deviation, posterior.log_prior]
    for step in range(steps):
        optimiser.rate = 1e-2 * 0.1 ** (2 * step / steps)
        if interval and step % interval == 0:
            posterior.bases = kronecker_bases(posterior.mean, inputs)[0]
        noise = [rng.standard_normal(m.shape) for m in posterior.mean]
        _, gradients = digits_network.loss_and_gradient(posterior.sample(noise), inputs, labels)
        means, deviations, prior = posterior.penalty_gradients(count)
        inside = posterior.to_basis(gradients)
        optimiser.update(
            values,
            [
                *[a + b for a, b in zip(means, gradients, strict=True)],
                *[
                    a + g * e * np.exp(s)
                    for a, g, e, s in zip(deviations, inside, noise, posterior.log_deviation, strict=True)
                ],
                prior,
            ],
        )
        # The prior variance has to stay below its largest admitted value.
        posterior.log_prior[0] = min(posterior.log_prior[0], 0.5 * math.log(LARGEST_PRIOR) - 0.02)


def bound(
    posterior: Posterior, inputs: np.ndarray, labels: np.ndarray, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    # λ = c e^{-j/b} with whole j: the grid the union bound is over.
    prior = math.exp(2 * float(posterior.log_prior[0]))
    posterior.log_prior[0] = 0.5 * (
        math.log(LARGEST_PRIOR) - round(PRECISION * math.log(LARGEST_PRIOR / prior)) / PRECISION
    )
    errors = [
        digits_network.error(
            posterior.sample([rng.standard_normal(m.shape) for m in posterior.mean]), inputs, labels
        )
        for _ in range(draws)
    ]
    train = float(np.mean(errors))
    certain = inverse_kl(train, math.log(2 / DELTA_MONTE_CARLO) / draws)
    return {
        "bound": inverse_kl(certain, posterior.penalty(len(labels))),
        "train": train,
        "KL": posterior.divergence(),
        "log prior": float(posterior.log_prior[0]),
    }


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    rows = []
    deviations: dict[str, list[float]] = {}
    for seed in range(arguments.seeds):
        rng = stream(seed, NAME, {}, arguments.width, 0)
        inputs, labels, test, test_labels = digits_network.load(True, rng)
        start = digits_network.initial(arguments.width, 2, rng)
        weights = [w.copy() for w in start]
        digits_network.train(weights, inputs, labels, 500)
        bases, values = kronecker_bases(weights, inputs)
        identity = [(np.eye(w.shape[0]), np.eye(w.shape[1])) for w in weights]
        row: dict[str, Any] = {"seed": seed, "test": digits_network.error(weights, test, test_labels)}
        for name, basis, interval in (
            ("base", identity, 0),
            ("approximate", bases, 0),
            ("iterative", bases, arguments.interval),
        ):
            posterior = Posterior(start, weights, basis)
            noise = stream(seed, f"{NAME}.noise", {}, 0, 0)
            optimise(posterior, inputs, labels, arguments.steps, noise, interval)
            result = bound(
                posterior, inputs, labels, arguments.draws, stream(seed, f"{NAME}.bound", {}, 0, 0)
            )
            row |= {f"{name} {key}": value for key, value in result.items()}
            if seed == 0 and name != "base":
                values = kronecker_bases(posterior.mean, inputs)[1] if interval else values
                order = np.argsort(values[0], axis=None)[::-1]
                deviations[name] = np.exp(posterior.log_deviation[0]).ravel()[order].tolist()
        rows.append(row)
        print(
            f"seed {seed}: "
            + ", ".join(
                f"{name} {row[f'{name} bound']:.4f} (KL {row[f'{name} KL']:.0f}, ϱ {row[f'{name} log prior']:.2f}, "
                f"error {row[f'{name} train']:.3f})"
                for name in ("base", "approximate", "iterative")
            )
            + f"; test error {row['test']:.3f}",
            flush=True,
        )
    return {"rows": rows, "deviations": deviations}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import bounds

    from rmtsim.plots._style import save

    save(bounds(data["rows"], data["deviations"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
