"""Block norms of the linear softmax model and the exact g functions, each beside the obvious alternative."""

from __future__ import annotations

import numpy as np
import torch
from common import report, seconds

from rmtsim.curvature import _linear_energies as linear
from rmtsim.curvature._linear_model import sample_linear
from rmtsim.papers.dong.theory import linear as theory


def against_autodiff() -> dict[str, object]:
    model = sample_linear(64, 64, 40, np.random.default_rng(0))
    inputs, labels = torch.from_numpy(model.inputs), torch.arange(64) % 40

    def loss(weights: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(inputs @ weights.T, labels)

    def autodiff() -> np.ndarray:
        hessian = torch.func.hessian(loss)(torch.from_numpy(model.weights))
        return hessian.pow(2).sum(dim=(1, 3)).sqrt().numpy()

    assert np.allclose(autodiff(), linear.block_norms(model), rtol=1e-8)
    ours = seconds(lambda: linear.block_norms(model), repeats=10)
    theirs = seconds(autodiff, repeats=1)
    return _row("all block norms, N = d = 64, C = 40", "torch.func.hessian", ours, theirs)


def against_blocks() -> dict[str, object]:
    size = classes = 1000
    model = sample_linear(size, size, classes, np.random.default_rng(0))
    p = linear.probabilities(model)
    ours = seconds(lambda: linear.linear_block_energies(model))
    # C²/2 blocks would take minutes; a sample of them, scaled, says how many.
    pairs = [(i, i + 1) for i in range(0, 40, 2)]

    def blocks() -> float:
        total = 0.0
        for i, j in pairs:
            block = (model.inputs.T * (-p[:, i] * p[:, j])) @ model.inputs / size
            total += float((block**2).sum())
        return total

    assert np.isclose(blocks(), (linear.block_norms(model, pairs) ** 2).sum())
    theirs = seconds(blocks) / len(pairs) * (classes * (classes + 1) / 2)
    return _row(
        "block energies, N = d = C = 1000", f"NumPy blocks ({len(pairs)} timed, scaled to all)", ours, theirs
    )


def against_monte_carlo() -> dict[str, object]:
    classes, draws, gamma = 1000, 10**6, 1.0
    exact = theory.diagonal_energy(gamma, classes), theory.offdiagonal_energy(gamma, classes)
    ours = seconds(
        lambda: (theory.diagonal_energy(gamma, classes), theory.offdiagonal_energy(gamma, classes))
    )
    estimates = []

    def monte_carlo() -> None:
        rng = np.random.default_rng(len(estimates))
        sums = np.zeros(4)
        for _ in range(draws // 10_000):
            weights = np.exp(rng.standard_normal((10_000, classes)))
            p = weights[:, :2] / weights.sum(axis=1, keepdims=True)
            first, second = p[:, 0] * (1 - p[:, 0]), p[:, 0] * p[:, 1]
            sums += [(first**2).sum(), first.sum(), (second**2).sum(), second.sum()]
        a, b, c, d = sums / draws
        estimates.append((gamma * a + b**2, gamma * c + d**2))

    theirs = seconds(monte_carlo, repeats=1)
    error = max(abs(value / truth - 1) for row in estimates for value, truth in zip(row, exact, strict=True))
    identity = abs(
        classes * (classes - 1) * theory.softmax_moment((1, 1), classes)
        + classes * theory.softmax_moment((2,), classes)
        - 1
    )
    row = _row("g_ii and g_ij at C = 1000", "10⁶ Monte Carlo draws", ours, theirs)
    return row | {"our error": max(identity, 1e-16), "their error": error}


def _row(what: str, alternative: str, ours: float, theirs: float) -> dict[str, object]:
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim, s": ours,
        "alternative, s": theirs,
        "ratio": theirs / ours,
        "our error": "",
        "their error": "",
    }


if __name__ == "__main__":
    report("Linear softmax model", [against_autodiff(), against_blocks(), against_monte_carlo()])
