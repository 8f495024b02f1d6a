"""Ladders of large sizes within 8 GB: memory and time beside predicted powers, and what single precision costs.

    python -m benchmarks.large [--rungs 4] [--part dong|classes|wu|li] [--record]

Every rung runs in a process of its own, whose data may take 8 GB. ``dong``: Theorem 1 at d = N, C = 10, in single
precision, whose error is measured against double precision on the same draws at the smaller rungs; ``classes``: the
same at d = N = 500 with growing C; ``wu``: M and M* of a network of width n on 1000 inputs; ``li``: Lanczos
quadrature of the Hessian of a hinge network. ``--record`` keeps the results for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
import threadpoolctl

from benchmarks.measure import exponent
from benchmarks.page import record

MEMORY = 8 * 10**9

LADDERS = {
    "dong": ("d = N", (1250, 2500, 5000, 10_000), 3.0, 2.0, "Theorem 1 of `dong`, C = 10, single precision"),
    "classes": (
        "C",
        (12_500, 25_000, 50_000, 100_000),
        1.0,
        1.0,
        "Theorem 1 of `dong`, d = N = 500, single precision",
    ),
    "wu": ("n", (500, 1000, 2000, 4000), 2.3, 2.3, "M and M* of `wu`, α = 0.3, 1000 inputs"),
    "li": (
        "width",
        (88, 176, 352, 704),
        2.0,
        2.0,
        "Hessian density of `li`, 2 × 24 Lanczos steps on 200 samples",
    ),
}
"""Axis, sizes, exponents of time and of memory for large sizes, words."""


def theorem_1(size: int, classes: int) -> dict[str, Any]:
    """Mean energies over their limits; the error of single precision where double precision is cheap."""
    from rmtsim.curvature._linear_energies import sample_block_energies
    from rmtsim.papers.dong.theory.linear import diagonal_energy, offdiagonal_energy

    start = time.process_time()
    found = sample_block_energies(size, size, classes, np.random.default_rng(0), single=True)
    seconds = time.process_time() - start
    peak = _peak()
    one = found.mean_diagonal / size / diagonal_energy(1.0, classes)
    other = found.mean_offdiagonal / size / offdiagonal_energy(1.0, classes)
    words = f"‖H_ii‖²/d, ‖H_ij‖²/d over their limits: {one:.5f}, {other:.5f}"
    result: dict[str, Any] = {"seconds": seconds, "peak": peak, "evidence": words}
    if size * size * (size + 3 * classes) < 2e11:
        double = sample_block_energies(size, size, classes, np.random.default_rng(0))
        pairs = (
            (found.mean_diagonal, double.mean_diagonal),
            (found.mean_offdiagonal, double.mean_offdiagonal),
        )
        result["error"] = max(abs(one / two - 1) for one, two in pairs)
    return result


def output_hessians(width: int) -> dict[str, Any]:
    """Distance of M from the M* of independent activations."""
    from rmtsim.papers.wu.simulation.output_hessian import (
        independent_output_hessian,
        mean_curvature,
        output_hessian,
    )
    from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond

    start = time.process_time()
    rng = np.random.default_rng(0)
    network = draw_network(width, 0.3, 4, rng)
    response = respond(network, draw_inputs(1000, network.weights[0].shape[1], rng))
    weights = network.weights[-1]
    full = output_hessian(weights, response)
    star = independent_output_hessian(weights, response.active[0], mean_curvature(response))
    distance = float(np.linalg.norm(full - star) / np.linalg.norm(star))
    return {
        "seconds": time.process_time() - start,
        "peak": _peak(),
        "evidence": f"‖M − M*‖/‖M*‖ = {distance:.4f}",
    }


def hessian_density(width: int) -> dict[str, Any]:
    from rmtsim.networks import fully_connected, hessian_spectrum

    rng = np.random.default_rng(0)
    network = fully_connected((64, width, width, width, 1), "relu", gain=2.0, loss="hinge").sample(rng)
    x, y = rng.standard_normal((200, 64)), rng.choice([-1.0, 1.0], size=(200, 1))
    start = time.process_time()
    (found,) = hessian_spectrum(network, x, y, rng=rng, probes=2, steps=24, exact_up_to=0)
    seconds = time.process_time() - start
    moment = found.moment(2)
    words = (
        f"{network.parameters.size:,} parameters; tr H²/P = {moment.value:.3g} ± {moment.error:.1g}".replace(
            ",", " "
        )
    )
    return {"seconds": seconds, "peak": _peak(), "evidence": words}


def _peak() -> float:
    """Largest resident memory of this process so far, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def rung(name: str, size: int) -> dict[str, Any]:
    """One size in this process: processor seconds of one thread, and memory beyond that of the smallest problem."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with threadpoolctl.threadpool_limits(1):
        TASKS[name](min(20, size))  # imports and compiles
        before = _peak()
        found = TASKS[name](size)
    return {**found, "peak": found["peak"] - before, "process": found["peak"]}


TASKS = {
    "dong": lambda size: theorem_1(size, 10),
    "classes": lambda classes: theorem_1(500, classes),
    "wu": output_hessians,
    "li": hessian_density,
}


def climb(name: str, rungs: int) -> dict[str, Any]:
    """All rungs of a ladder and the fitted powers."""
    axis, sizes, time_power, memory_power, words = LADDERS[name]
    rows = []
    for size in sizes[:rungs]:
        command = [sys.executable, "-m", "benchmarks.large", "--rung", name, str(size)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        rows.append({"size": size, **json.loads(done.stdout.splitlines()[-1])})
        print(name, rows[-1], flush=True)
    fits = {}
    if len(rows) > 2:
        taken = [row["size"] for row in rows]
        fits = {key: exponent(taken, [row[key] for row in rows]) for key in ("seconds", "peak")}
    powers = {"seconds": time_power, "peak": memory_power}
    return {"name": name, "what": words, "axis": axis, "rows": rows, "fits": fits, "powers": powers}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rungs", type=int, default=4)
    parser.add_argument("--part", choices=tuple(LADDERS))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--rung", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rung:
        print(json.dumps(rung(options.rung[0], int(options.rung[1]))))
        return
    for name in LADDERS:
        if options.part in (None, name):
            found = climb(name, options.rungs)
            print(json.dumps(found["fits"]))
            if options.record:
                record("large", {name: found})


if __name__ == "__main__":
    main()
