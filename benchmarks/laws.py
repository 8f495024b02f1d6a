"""Spectral laws beside scikit-rmt, freealg and a plain damped fixed point.

Peers pin other versions of NumPy, so each lives in an environment of its own, named by the variables
RMTSIM_SCIKIT_RMT and RMTSIM_FREEALG (paths of Python interpreters); a peer that is not named is left out.
"""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np

from benchmarks.common import report, seconds
from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur
from rmtsim.laws._kernels import upper_sums

RATIO, ATOMS = 10.0, [1.0, 3.0, 7.0]
PATIENCE = 90
"""Seconds after which a peer counts as not finishing."""

_TIMING = """
import json, sys, time
import numpy as np
task = json.load(sys.stdin)
def best(function, repeats):
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result
"""

_SCIKIT_PPF = (
    _TIMING
    + """
from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution
q = np.array(task["q"])
elapsed, values = best(lambda: MarchenkoPasturDistribution(ratio=task["ratio"]).ppf(q), 2)
print(json.dumps([elapsed, np.asarray(values).tolist()]))
"""
)

_FREEALG_MP = (
    _TIMING
    + """
from freealg.distributions import MarchenkoPastur
x = np.array(task["x"])
elapsed, values = best(lambda: [MarchenkoPastur(task["ratio"]).density(x) for _ in range(100)][0], 20)
print(json.dumps([elapsed / 100, values.tolist()]))
"""
)

_FREEALG_DENSITY = (
    _TIMING
    + """
from freealg.distributions import CompoundFreePoisson
x = np.array(task["x"])
def density():
    law = CompoundFreePoisson(t=task["t"], w=task["w"], lam=task["lam"])
    return law.density(x, eta=task["eta"])
elapsed, values = best(density, task["repeats"])
print(json.dumps([elapsed, values.tolist()]))
"""
)


def peer(variable: str, code: str, task: dict[str, object]) -> tuple[float, np.ndarray] | None:
    """Time and values from the peer's own interpreter; infinite time if it fails or exceeds the time limit."""
    python = os.environ.get(variable)
    if python is None:
        return None
    try:
        result = subprocess.run(
            [python, "-c", code],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return float("inf"), np.empty(0)
    elapsed, values = json.loads(result.stdout.splitlines()[-1])
    return elapsed, np.array(values)


def row(what: str, alternative: str, ours: float, theirs: float, target: str, note: str) -> dict[str, object]:
    shown = f"no answer in {PATIENCE} s" if np.isinf(theirs) else f"{theirs * 1e3:.3g} ms"
    ratio = f"> {PATIENCE / ours:.2g}" if np.isinf(theirs) else f"{theirs / ours:.3g}"
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim": f"{ours * 1e3:.3g} ms",
        "alternative time": shown,
        "ratio": ratio,
        "target": target,
        "note": note,
    }


def quantiles() -> list[dict[str, object]]:
    q = np.linspace(0.001, 0.999, 200)
    answer = peer("RMTSIM_SCIKIT_RMT", _SCIKIT_PPF, {"q": q.tolist(), "ratio": 0.5})
    if answer is None:
        return []
    theirs, values = answer
    many = np.linspace(0.001, 0.999, 20_000)
    ours = seconds(lambda: MarchenkoPastur(0.5).ppf(many)) / many.size * q.size
    same = seconds(lambda: MarchenkoPastur(0.5).ppf(q), repeats=10)
    note = ""
    if values.size:
        note = f"largest difference {np.abs(MarchenkoPastur(0.5).ppf(q) - values).max():.1e}"
    return [
        row("MP ppf, per 200 points, in a batch of 20 000", "scikit-rmt", ours, theirs, "≥ 500", note),
        row("MP ppf, one batch of 200 points", "scikit-rmt", same, theirs, "", note),
    ]


def closed_form() -> list[dict[str, object]]:
    x = np.linspace(0.1, 2.9, 1000)
    answer = peer("RMTSIM_FREEALG", _FREEALG_MP, {"x": x.tolist(), "ratio": 0.5})
    if answer is None:
        return []
    theirs, values = answer
    ours = seconds(lambda: [MarchenkoPastur(0.5).density(x) for _ in range(100)], repeats=20) / 100
    law = MarchenkoPastur(0.5)
    again = seconds(lambda: [law.density(x) for _ in range(100)], repeats=20) / 100
    note = f"largest difference {np.abs(law.density(x) - values).max():.1e}" if values.size else ""
    return [
        row("MP construction and density, 1000 points", "freealg", ours, theirs, "≥ 1", note),
        row("MP density, 1000 points, law at hand", "freealg", again, theirs, "≥ 1", note),
    ]


def newton_sums() -> list[dict[str, object]]:
    """The four sums of a Newton step for 64 points, compiled beside the same sums in NumPy."""
    rows = []
    for count in (300, 3000):
        rng = np.random.default_rng(3)
        gap = np.sort(rng.uniform(-1, 1, count)) - 1.7
        mass = rng.dirichlet(np.ones(count))
        w = rng.uniform(0.1, 1, 64) + 1j * rng.uniform(0.01, 1, 64)
        scratch = np.empty((3, count))

        def compiled(gap=gap, mass=mass, w=w, scratch=scratch) -> None:
            for point in w:
                upper_sums(gap, mass, point.real, point.imag, *scratch)

        def plain(gap=gap, mass=mass, w=w) -> None:
            distance = gap + w.real[:, None]
            height = w.imag[:, None]
            inverse = 1 / (distance * distance + height * height)
            first = mass * inverse
            first.sum(axis=1)
            np.einsum("ij,ij->i", first, distance)
            inverse *= height
            np.einsum("ij,ij->i", first, distance * inverse)
            np.einsum("ij,ij->i", first, inverse * height)

        rows.append(
            row(
                f"sums of a Newton step, {count} atoms, 64 points",
                "NumPy",
                seconds(compiled, repeats=20),
                seconds(plain, repeats=20),
                "≥ 1.5",
                "",
            )
        )
    return rows


def inside(law: GeneralizedMarchenkoPastur, count: int) -> np.ndarray:
    share = count // len(law.support)
    return np.concatenate([np.linspace(lower, upper, share + 2)[1:-1] for lower, upper in law.support])


def against_freealg() -> list[dict[str, object]]:
    rows = []
    rng = np.random.default_rng(0)
    cases = [
        ("density, 3 atoms, 1000 points", RATIO, np.array(ATOMS), "≥ 10"),
        ("density, 30 atoms, 1000 points", 0.5, rng.uniform(1, 3, 30), ""),
        ("density, 300 atoms, 1000 points", 0.5, rng.uniform(1, 3, 300), "finishes"),
        ("density, 3000 atoms, 1000 points", 0.5, rng.uniform(1, 3, 3000), "finishes"),
    ]
    for what, ratio, atoms, target in cases:
        law = GeneralizedMarchenkoPastur(ratio, atoms)
        x = inside(law, 1000)
        exact = law.density(x)

        def ours(ratio: float = ratio, atoms: np.ndarray = atoms, x: np.ndarray = x) -> np.ndarray:
            return GeneralizedMarchenkoPastur(ratio, atoms).density(x)

        # The same law as a compound free Poisson law: rate 1/ratio, jumps ratio·t. On the real axis (eta
        # = 0) it is as accurate as ours where it is right at all.
        task = {
            "t": (ratio * atoms).tolist(),
            "w": np.full(atoms.size, 1 / atoms.size).tolist(),
            "lam": 1 / ratio,
            "x": x.tolist(),
            "eta": 0.0,
            "repeats": 3 if atoms.size < 10 else 1,
        }
        answer = peer("RMTSIM_FREEALG", _FREEALG_DENSITY, task)
        if answer is None:
            return []
        theirs, values = answer
        note = (
            ""
            if not values.size
            else f"its largest error {np.abs(values - exact).max() / exact.max():.1e} of the peak"
        )
        rows.append(row(what, "freealg, eta = 0", seconds(ours, repeats=7), theirs, target, note))
    return rows


def fixed_point(
    ratio: float, atoms: np.ndarray, x: np.ndarray, height: float, tolerance: float
) -> np.ndarray:
    """s ← (s + 1/(mean t/(1 + ratio·s·t) - z))/2 at z = x + i·height until the steps are small."""
    z = x + 1j * height
    s = -1 / z
    for _ in range(100_000):
        new = 0.5 * (s + 1 / ((atoms / (1 + ratio * s[:, None] * atoms)).mean(axis=1) - z))
        if np.abs(new - s).max() <= tolerance * np.abs(s).max():
            break
        s = new
    return s.imag / np.pi


def against_fixed_point() -> list[dict[str, object]]:
    rows = []
    rng = np.random.default_rng(1)
    for count, atoms in ((3, np.array(ATOMS)), (300, rng.uniform(1, 3, 300))):
        ratio = RATIO if count == 3 else 0.5
        law = GeneralizedMarchenkoPastur(ratio, atoms)
        x = inside(law, 1000)
        exact = law.density(x)
        height = 1e-4 * (law.support[-1][1] - law.support[0][0])
        ours = seconds(
            lambda ratio=ratio, atoms=atoms, x=x: GeneralizedMarchenkoPastur(ratio, atoms).density(x),
            repeats=7,
        )
        theirs = seconds(
            lambda ratio=ratio, atoms=atoms, x=x, height=height: fixed_point(ratio, atoms, x, height, 1e-9),
            repeats=1,
        )
        error = np.abs(fixed_point(ratio, atoms, x, height, 1e-9) - exact).max() / exact.max()
        note = f"its largest error {error:.1e} of the peak"
        what = f"density, {count} atoms, 1000 points"
        rows.append(row(what, "damped fixed point, height 1e-4 of the support", ours, theirs, "≥ 20", note))
    return rows


def large() -> list[dict[str, object]]:
    rng = np.random.default_rng(2)
    rows = []
    for count, target in ((300, "< 200 ms"), (10_000, "< 3 s")):
        for name, atoms in (
            ("uniform(-1, 2)", rng.uniform(-1, 2, count)),
            ("exponential", rng.exponential(1, count)),
        ):
            x = inside(GeneralizedMarchenkoPastur(0.5, atoms), 1000)
            elapsed = seconds(
                lambda atoms=atoms, x=x: GeneralizedMarchenkoPastur(0.5, atoms).density(x), repeats=2
            )
            rows.append(
                {
                    "what": f"construction and density, {count} atoms {name}, {x.size} points",
                    "alternative": "",
                    "rmtsim": f"{elapsed * 1e3:.3g} ms",
                    "alternative time": "",
                    "ratio": "",
                    "target": target,
                    "note": "",
                }
            )
    return rows


if __name__ == "__main__":
    rows = [
        *quantiles(),
        *closed_form(),
        *newton_sums(),
        *against_freealg(),
        *against_fixed_point(),
        *large(),
    ]
    report("Spectral laws", rows)
