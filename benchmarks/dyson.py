"""The Matrix Dyson solver: evaluations of S beside the half-averaged fixed point, accuracy, and cost against size.

The alternative is the half-averaged fixed point. ``peer_density`` follows what free-matrix-laws does with it: one
height above the axis, a step below 1e-10 or 10 000 steps, and the last iterate returned either way. Run with two BLAS
threads for the figures of docs/benchmarks.md; the cost plot goes to docs/figures.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import common
import numpy as np

from rmtsim.errors import ConvergenceError
from rmtsim.laws import MatrixDyson, Semicircle
from rmtsim.laws._marchenko_pastur import MarchenkoPastur
from rmtsim.laws.dyson import random_features, wishart
from rmtsim.laws.self_energy import Block, GaussianSum, VarianceProfile, Wigner


def gaussian(n: int, count: int, seed: int = 0) -> GaussianSum:
    raw = np.random.default_rng(seed).standard_normal((count, n, n))
    return GaussianSum((raw + raw.transpose(0, 2, 1)) / np.sqrt(2 * count * n))


def profile(n: int) -> VarianceProfile:
    x = (np.arange(n) + 0.5) / n
    return VarianceProfile((0.2 + np.exp(-8 * (x[:, None] - x) ** 2) + 0.5 * np.outer(x, x)) / n)


def blocks(k: int) -> Block:
    raw = np.random.default_rng(1).standard_normal((4, k, k))
    return Block((raw + raw.transpose(0, 2, 1)) / np.sqrt(8 * k))


def evaluations() -> list[dict[str, Any]]:
    rows = []
    for name, law in (
        ("Wigner, A = 0", MatrixDyson(0.0, Wigner(10))),
        ("profile n = 100, A spread", MatrixDyson(np.diag(np.linspace(-1, 1, 100)), profile(100))),
        ("Gaussian sum n = 12, 12 matrices", MatrixDyson(np.diag(np.linspace(-1, 1, 12)), gaussian(12, 12))),
    ):
        z = complex(law.support[-1][1] - 1e-5, 1e-6)
        mine, theirs = law.solve(z), law.solve(z, method="fixed-point", max_iterations=200_000)
        mixed = law.solve(z, method="anderson", max_iterations=200_000)
        rows.append(
            {
                "S evaluations at Im z = 1e-6, 1e-5 inside the edge": name,
                "newton": mine.evaluations,
                "anderson": mixed.evaluations,
                "fixed point": theirs.evaluations,
                "ratio": theirs.evaluations / mine.evaluations,
                "residuals": f"{mine.residual:.0e}, {mixed.residual:.0e}, {theirs.residual:.0e}",
            }
        )
    return rows


def timings() -> list[dict[str, Any]]:
    rows = []
    for name, law, points, limit in (
        ("VarianceProfile n = 1000", MatrixDyson(0.0, profile(1000)), 400, 10),
        (
            "VarianceProfile n = 1000, A spread",
            MatrixDyson(np.diag(np.linspace(-1, 1, 1000)), profile(1000)),
            400,
            10,
        ),
        ("GaussianSum n = 60, 60 matrices", MatrixDyson(0.0, gaussian(60, 60)), 200, 20),
        (
            "GaussianSum n = 60, 60 matrices, A spread",
            MatrixDyson(np.diag(np.linspace(-1, 1, 60)), gaussian(60, 60)),
            200,
            20,
        ),
        ("Block k = 8, A spread", MatrixDyson(np.diag(np.linspace(-1, 1, 8)), blocks(8)), 1000, 1),
    ):
        x = np.linspace(*law.bound, points)  # type: ignore[misc]
        before = law._problem.evaluations
        start, busy = time.perf_counter(), time.process_time()
        values = law.boundary(x)
        rows.append(
            {
                "density": name,
                "points": points,
                "seconds": time.perf_counter() - start,
                "of all cores": time.process_time() - busy,
                "asked": limit,
                "S evaluations per point": (law._problem.evaluations - before) / points,
                "largest residual": float(values.residual.max()),
            }
        )
    return rows


def peer_density(law: MatrixDyson, x: np.ndarray, eta: float) -> np.ndarray:
    """The density as the peer computes it: the step size is its only test of convergence."""
    mean, one = law._full_mean, np.eye(law.size)
    carriers = getattr(law.self_energy, "spectral", range(law.size))
    weights = np.asarray(getattr(law.self_energy, "weights", np.ones(law.size)))
    projection = np.array([float(i in carriers) for i in range(law.size)])
    observer = projection * weights / np.sum(projection * weights)
    spectral = np.diag(projection)
    out = []
    for point in x:
        z = (point + 1j * eta) * spectral + 1e-6j * (one - spectral)
        state = 1j * one
        for _ in range(10_000):
            new = (state + np.linalg.inv(mean - z - law.self_energy(state))) / 2
            step = np.linalg.norm(new - state)
            state = new
            if step < 1e-10:
                break
        out.append(np.diag(state) @ observer)
    return np.imag(out) / np.pi


def accuracy() -> list[dict[str, Any]]:
    rows = []
    for name, law, truth in (
        ("semicircle", MatrixDyson(0.0, Wigner(2)), Semicircle()),
        ("Marchenko–Pastur 0.5 by 2×2 block", wishart(0.5), MarchenkoPastur(0.5)),
    ):
        (low, high) = truth.support[0]
        bulk = low + (high - low) * np.linspace(0.02, 0.98, 97)
        edge = np.array([low, high])
        exact = truth.density(bulk)
        smeared, few = [], bulk[::12]
        for eta in (1e-2, 1e-6):
            values = peer_density(law, np.concatenate([few, edge]), eta)
            smeared.append((np.abs(values[:-2] - exact[::12]).max(), values[-2:].max()))
        rows.append(
            {
                "law": name,
                "bulk error": float(np.abs(law.density(bulk) - exact).max()),
                "edge error": float(np.abs(law.density(edge)).max()),
                "mass − 1": float(sum(law._masses) + sum(m for _, m in law.atoms) - 1),
                "half-averaged, η = 1e-2: bulk, edge": f"{smeared[0][0]:.1e}, {smeared[0][1]:.1e}",
                "half-averaged, η = 1e-6: bulk, edge": f"{smeared[1][0]:.1e}, {smeared[1][1]:.1e}",
            }
        )
    return rows


def supports() -> list[dict[str, Any]]:
    """Seconds of one core for support, masses and the tables of the cdf."""
    rng = np.random.default_rng(2)
    spread = np.abs(np.subtract.outer(np.arange(200), np.arange(200)))
    raw = rng.standard_normal((8, 8))
    spike = np.ones((5000, 5000)) / 5000
    spike[0] *= 50
    spike[:, 0] *= 50
    corner = np.array([[float(i + j < 3) for j in range(3)] for i in range(3)])
    cases: list[tuple[str, Any]] = [
        ("Wigner, 2×2", lambda: MatrixDyson(0.0, Wigner(2))),
        ("A = ±1.5, 2×2", lambda: MatrixDyson(np.diag([-1.5, 1.5]), Wigner(2))),
        (
            "two weighted blocks",
            lambda: MatrixDyson(
                0.0, Block([np.diag([1.0, 0]), np.diag([0, 0.5])], [[[0, 1.0], [0, 0]]], weights=(0.3, 1.0))
            ),
        ),
        ("spike in a profile, n = 5000", lambda: MatrixDyson(0.0, VarianceProfile(spike))),
        ("band profile, n = 200", lambda: MatrixDyson(0.0, VarianceProfile((spread <= 20) / 41))),
        (
            "band profile, n = 200, A spread",
            lambda: MatrixDyson(np.diag(np.linspace(-1, 1, 200)), VarianceProfile((spread <= 20) / 41)),
        ),
        ("profile [[1, 1], [1, 0]]", lambda: MatrixDyson(0.0, VarianceProfile([[1.0, 1.0], [1.0, 0.0]]))),
        ("staircase, 3×3", lambda: MatrixDyson(0.0, VarianceProfile(corner))),
        ("sum of one matrix, n = 8", lambda: MatrixDyson(0.0, GaussianSum([raw + raw.T]))),
        ("means ±1e5", lambda: MatrixDyson(np.diag([-1e5, 1e5]), Wigner(2))),
        ("random features 0.8, 1.5", lambda: random_features(0.8, 1.5)),
        ("Wishart 1000", lambda: wishart(1000.0)),
        ("Wishart 1.001", lambda: wishart(1.001)),
        ("gap of 8e-10", lambda: MatrixDyson(np.diag([-1.0, 1.0]), Wigner(2, 1 - 1e-6))),
    ]
    rows = []
    for name, make in cases:
        start = time.process_time()
        law = make()
        edges = law.edges
        rows.append(
            {
                "support and masses": name,
                "core seconds": time.process_time() - start,
                "bands": len(edges) // 2,
                "kinds": ", ".join(dict.fromkeys(edge.kind for edge in edges)),
                "powers inside": ", ".join(sorted({f"{item.exponent:.3g}" for item in law.singularities})),
                "unaccounted mass": law.unaccounted_mass,
            }
        )
    return rows


def scaling() -> list[dict[str, Any]]:
    rows = []
    cases: list[tuple[str, Any]] = [("VarianceProfile", n) for n in (30, 100, 300, 1000)]
    cases += [("GaussianSum, n matrices", n) for n in (10, 20, 40, 60)]
    cases += [("Block", n) for n in (2, 4, 8, 16)]
    for kind, n in cases:
        energy = {"V": profile, "G": lambda n: gaussian(n, n), "B": blocks}[kind[0]](n)
        law = MatrixDyson(np.diag(np.linspace(-1, 1, n)), energy)
        x = np.linspace(*law.bound, 100)  # type: ignore[misc]
        start = time.process_time()
        law.density(x)
        rows.append({"kind": kind, "n": n, "per_point": (time.process_time() - start) / len(x)})
    return rows


def fixed_point_silence() -> str:
    """Error of the half-averaged iteration after 10 000 steps; this solver has a tolerance of 1e-10."""
    law = MatrixDyson(0.0, Wigner(4))
    try:
        law.solve(2 + 1e-9j, method="fixed-point", max_iterations=10_000)
    except ConvergenceError as error:
        return f"half-averaged fixed point at z = 2 + 1e-9i, 10 000 steps: residual {error.residual:.1e} (raised)"
    return "converged"


def cost_against_size(rows: list[dict[str, Any]]) -> Any:
    """Seconds per density point against n, one line per self-energy, with slopes n² and n³ to compare."""
    from rmtsim.plots._style import CYCLE, panels

    figure, (ax,) = panels(1, width=4.4, height=3.2)
    for marker, colour, kind in zip("os^Dv", CYCLE, dict.fromkeys(row["kind"] for row in rows), strict=False):
        mine = [row for row in rows if row["kind"] == kind]
        ax.plot(
            [row["n"] for row in mine],
            [row["per_point"] for row in mine],
            marker=marker,
            color=colour,
            markersize=4,
            label=kind,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("size $n$")
    ax.set_ylabel("core seconds per point of the density")
    ax.legend(fontsize=7, frameon=False)
    return figure


if __name__ == "__main__":
    for title, table in (
        ("evaluations", evaluations),
        ("supports", supports),
        ("timings", timings),
        ("accuracy", accuracy),
    ):
        common.report(f"Matrix Dyson equation: {title}", table())
        print()
    print(fixed_point_silence(), "\n")
    lines = scaling()
    common.report("Matrix Dyson equation: cost against size", lines)
    from rmtsim.plots._style import save

    save(cost_against_size(lines), Path(__file__).parent.parent / "docs" / "figures" / "dyson_cost.png")
