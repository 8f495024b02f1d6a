"""Tracy–Widom, free convolution and matrix-free spectra beside scikit-rmt, freealg and matfree, in one run.

    PYTHONPATH=. RMTSIM_SCIKIT_RMT=… RMTSIM_FREEALG=… RMTSIM_MATFREE=… python benchmarks/spectral_tools.py

Each variable names the interpreter of an environment with the peer; a peer that is not named is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.common import report, seconds
from benchmarks.laws import peer
from rmtsim.laws import Semicircle, TracyWidom
from rmtsim.laws.discrete import Discrete
from rmtsim.laws.free import free_sum
from rmtsim.matrix_free import operator_spectrum, operator_trace

_TRACY_WIDOM = """
import json, sys, time
import numpy as np
from skrmt.ensemble.tracy_widom_approximator import TW_Approximator
task = json.load(sys.stdin)
x = np.array(task["x"])
law = TW_Approximator(beta=task["beta"])
law.cdf(x)
start = time.perf_counter()
values = law.cdf(x)
print(json.dumps([time.perf_counter() - start, np.asarray(values).tolist()]))
"""

_DEFORMED_WIGNER = """
import json, sys, time
import numpy as np
from freealg.distributions import DeformedWigner
task = json.load(sys.stdin)
x = np.array(task["x"])
start = time.perf_counter()
values = DeformedWigner(t=task["t"], w=task["w"], sigma=1.0).density(x, eta=task["eta"])
print(json.dumps([time.perf_counter() - start, np.asarray(values).tolist()]))
"""

_MATFREE = """
import json, sys, time
import jax, jax.numpy as jnp
import numpy as np
jax.config.update("jax_enable_x64", True)
from matfree import decomp, funm, stochtrace
task = json.load(sys.stdin)
n = task["size"]
g = np.random.default_rng(0).standard_normal((n, n)) / np.sqrt(n)
matrix = jnp.asarray(g @ g.T)
matvec = lambda v: matrix @ v
if task["what"] == "slq":
    integrand = funm.monte_carlo_funm_sym(funm.dense_funm_sym_eigh(jnp.log1p), decomp.tridiag_sym(task["steps"]))
    sampler = stochtrace.sampler_sphere(jnp.ones(n), num=task["probes"])
    estimate = jax.jit(lambda key: stochtrace.estimator_monte_carlo_mean_and_sem(integrand, sampler)(matvec, key))
else:
    sampler = stochtrace.sampler_sphere(jnp.ones(n), num=task["probes"])
    integrand = stochtrace.leave_one_out_xtrace()
    estimate = jax.jit(
        lambda key: stochtrace.estimator_leave_one_out_mean_and_sem(integrand, sampler)(matvec, key)
    )
keys = jax.random.split(jax.random.PRNGKey(1), 3)
jax.block_until_ready(estimate(keys[0]))
best = float("inf")
for key in keys[1:]:
    start = time.perf_counter()
    value, error = jax.block_until_ready(estimate(key))
    best = min(best, time.perf_counter() - start)
print(json.dumps([best, [float(value), float(error)]]))
"""


def _row(what: str, alternative: str, own: float, other: float, note: str) -> dict[str, Any]:
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim (ms)": f"{1e3 * own:.3g}",
        "alternative (ms)": f"{1e3 * other:.3g}",
        "ratio": f"{other / own:.3g}",
        "note": note,
    }


def tracy_widom_rows() -> list[dict[str, Any]]:
    rows = []
    for beta in (1, 2, 4):
        law = TracyWidom(beta)
        x = np.linspace(-4, 3, 200)
        # Its β = 4 law has its argument divided by √2, as the tables of Tracy and Widom have.
        answer = peer("RMTSIM_SCIKIT_RMT", _TRACY_WIDOM, {"x": x.tolist(), "beta": beta})
        if answer is None:
            return []
        differences = [
            float(np.abs(law.cdf(scale * x) - answer[1]).max()) for scale in (1.0, 2**0.5, 2**-0.5)
        ]
        first = int(np.argmin(differences))
        note = f"largest difference {differences[first]:.1e}" + (
            "" if first == 0 else ", other scale of β = 4"
        )
        rows.append(
            _row(
                f"Tracy–Widom cdf, β = {beta}, 200 points",
                "scikit-rmt",
                seconds(lambda law=law, x=x: law.cdf(x)),
                answer[0],
                note,
            )
        )
    return rows


def free_sum_rows() -> list[dict[str, Any]]:
    rows = []
    for count in (2, 6):
        places = np.linspace(-3, 3, count)
        law = free_sum(Discrete(places), Semicircle())
        x = np.concatenate([np.linspace(a, b, 102)[1:-1] for a, b in law.support])
        exact = np.asarray(law.density(x))
        task = {"t": places.tolist(), "w": [1 / count] * count, "x": x.tolist(), "eta": 0.0}
        answer = peer("RMTSIM_FREEALG", _DEFORMED_WIGNER, task)
        if answer is None:
            return []
        off = np.abs(answer[1] - exact).max() / exact.max() if answer[1].size else float("nan")
        own = seconds(
            lambda places=places, x=x: free_sum(Discrete(places), Semicircle()).density(x), repeats=2
        )
        rows.append(
            _row(
                f"{count} atoms ⊞ semicircle, construction and density, {x.size} points",
                "freealg, eta = 0",
                own,
                answer[0],
                f"largest difference {off:.1e} of the peak",
            )
        )
    return rows


def matrix_free_rows() -> list[dict[str, Any]]:
    size, probes, steps = 2000, 16, 40
    g = np.random.default_rng(0).standard_normal((size, size)) / np.sqrt(size)
    matrix = g @ g.T
    values = np.linalg.eigvalsh(matrix)
    rows = []
    cases = (
        (
            "slq",
            f"tr log(1 + A), size {size}, {probes} probes of {steps} Lanczos steps",
            np.log1p(values).sum(),
        ),
        ("xtrace", f"tr A by XTrace, size {size}, {probes} test vectors", values.sum()),
    )
    for what, words, exact in cases:
        answer = peer(
            "RMTSIM_MATFREE", _MATFREE, {"what": what, "size": size, "probes": probes, "steps": steps}
        )
        if answer is None:
            return []

        def ours(what: str = what) -> tuple[float, float]:
            rng = np.random.default_rng(1)
            if what == "xtrace":
                found = operator_trace(matrix, rng, products=2 * probes)
                return found.value, found.error
            density = operator_spectrum(matrix, rng, probes=probes, steps=steps, exact_up_to=0)
            estimate = density.average(np.log1p)
            return size * estimate.value, size * estimate.error

        value, error = ours()
        note = (
            f"off by {abs(value / exact - 1):.1e} (said {error / exact:.1e}); "
            f"matfree by {abs(answer[1][0] / exact - 1):.1e} (said {answer[1][1] / exact:.1e})"
            if answer[1].size
            else ""
        )
        rows.append(_row(words, "matfree, jit", seconds(ours, repeats=2), answer[0], note))
    return rows


if __name__ == "__main__":
    report("Spectral tools", [*tracy_widom_rows(), *free_sum_rows(), *matrix_free_rows()])
