"""Output and layer Hessians of wu's networks, each beside the obvious alternative."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np
from common import report

from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian, layer_overlap
from rmtsim.papers.wu.simulation.output_hessian import (
    independent_output_hessian,
    mean_curvature,
    output_hessian,
)
from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond


def output_against_loop() -> list[dict[str, object]]:
    """M and M* for n = 400, c = 4, 4000 inputs, weights and inputs drawn beforehand as for the loop."""
    rng = np.random.default_rng(0)
    network = draw_network(400, 0.3, 4, rng)
    inputs = draw_inputs(4000, network.weights[0].shape[1], rng)
    weights = network.weights[-1]

    def ours() -> tuple[np.ndarray, np.ndarray]:
        response = respond(network, inputs)
        star = independent_output_hessian(weights, response.active[0], mean_curvature(response))
        return output_hessian(weights, response), star

    def loop() -> tuple[np.ndarray, np.ndarray]:
        total = np.zeros((400, 400))
        joint = np.zeros((400, 400))
        curvature = np.zeros((4, 4))
        for x in inputs:
            u = network.weights[0] @ x
            on = (u >= 0).astype(float)
            z = weights @ (u * on)
            p = np.exp(z - z.max())
            p /= p.sum()
            a = np.diag(p) - np.outer(p, p)
            g = weights * on
            total += g.T @ a @ g
            joint += np.outer(on, on)
            curvature += a
        count = len(inputs)
        return total / count, joint / count * (weights.T @ curvature @ weights / count)

    for fast, slow in zip(ours(), loop(), strict=True):
        assert np.allclose(fast, slow, rtol=1e-9, atol=1e-12)
    return [
        _row(
            "M and M*, n = 400, c = 4, 4000 inputs",
            "per-sample NumPy loop",
            both(ours, 3),
            both(loop, 1),
            "≥ 5×, < 1 s",
        )
    ]


def layer_without_forming() -> list[dict[str, object]]:
    rows = []
    for width, classes, count, target in ((400, 4, 2000, "< 60 s"), (1000, 10, 2000, "minutes")):
        rng = np.random.default_rng(0)
        start, cpu = time.perf_counter(), time.process_time()
        network = draw_network(width, 0.3, classes, rng)
        response = respond(network, draw_inputs(count, network.weights[0].shape[1], rng, single=True))
        spaces = [
            LayerHessian(network.weights[-1], half).top(classes - 1, extra=1) for half in response.halves()
        ]
        elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu
        dimension = width * network.weights[0].shape[1]
        rows.append(
            {
                "what": f"top {classes - 1} eigenspace of H^(1), n = {width}, α = 0.3, {count} inputs in two halves",
                "alternative": f"forming H: {8 * dimension**2 / 2**40:.0f} TiB",
                "rmtsim": f"{elapsed:.1f} s (CPU {cpu:.1f} s), residual {max(s.residual for s in spaces):.0e}, "
                "halves agree to "
                f"{layer_overlap(*spaces):.4f}, peak {_peak():.2f} GiB",
                "other": "impossible",
                "ratio": "",
                "target": target,
            }
        )
    return rows


def _peak() -> float:
    """GiB resident at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def both(function: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Best wall and CPU seconds after one warm-up call: on a shared machine the second says more."""
    function()
    best = (float("inf"), float("inf"))
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        function()
        best = min(best[0], time.perf_counter() - wall), min(best[1], time.process_time() - cpu)
    return best


def _row(
    what: str, alternative: str, ours: tuple[float, float], theirs: tuple[float, float], target: str
) -> dict[str, object]:
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim": f"{ours[0]:.2f} s (CPU {ours[1]:.2f} s)",
        "other": f"{theirs[0]:.2f} s (CPU {theirs[1]:.2f} s)",
        "ratio": f"{theirs[0] / ours[0]:.1f}× (CPU {theirs[1] / ours[1]:.1f}×)",
        "target": target,
    }


if __name__ == "__main__":
    report("wu", [*output_against_loop(), *layer_without_forming()])
