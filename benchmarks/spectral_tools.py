"""Tracy–Widom, free convolution and matrix-free spectra beside scikit-rmt, freealg and matfree, in one run.

    RMTSIM_SCIKIT_RMT=… RMTSIM_FREEALG=… RMTSIM_MATFREE=… python -m benchmarks.spectral_tools [SECTION …]

Sections: tracy-widom, free-sum, generalised, compression, matrix-free. Each variable names the interpreter of an
environment with the peer; a peer that is not named is left out.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report, seconds
from benchmarks.laws import peer
from rmtsim.laws import (
    Discrete,
    GeneralizedMarchenkoPastur,
    MarchenkoPastur,
    Semicircle,
    TracyWidom,
    free_compression,
    free_sum,
)
from rmtsim.laws._base import SpectralLaw
from rmtsim.matrix_free import operator_spectrum, operator_trace

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

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

_TIMED = """
import json, sys, time
import numpy as np
task = json.load(sys.stdin)
x = np.array(task["x"])
def answer(density):
    values = density()
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        values = density()
        best = min(best, time.perf_counter() - start)
    print(json.dumps([best, np.asarray(values).ravel().tolist()]))
"""

_DEFORMED_WIGNER = (
    _TIMED
    + """
from freealg.distributions import DeformedWigner
answer(lambda: DeformedWigner(t=task["t"], w=task["w"], sigma=1.0).density(x, eta=task["eta"]))
"""
)

_COMPOUND = (
    _TIMED
    + """
from freealg.distributions import CompoundFreePoisson
answer(lambda: CompoundFreePoisson(t=task["t"], w=task["w"], lam=task["lam"]).density(x, eta=task["eta"]))
"""
)

_CORNER = (
    _TIMED
    + """
from freealg import AlgebraicForm
from freealg.distributions import CompoundFreePoisson
form = AlgebraicForm(CompoundFreePoisson(t=[1.0], w=[1.0], lam=1.0), n=2)
form.fit(deg_m=2, deg_z=1)
answer(lambda: form.decompress(1, x))
"""
)

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
keys = jax.random.split(jax.random.PRNGKey(1), 4)
jax.block_until_ready(estimate(keys[0]))
best = float("inf")
for key in keys[1:]:
    start = time.process_time()
    value, error = jax.block_until_ready(estimate(key))
    best = min(best, time.process_time() - start)
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


def _fifty_digits(equation: Callable[[Any, Any], Any], x: FloatArray, start: ComplexArray) -> FloatArray:
    """Density at x from the root s of an equation in (s, x), by Newton's method in fifty digits."""
    with mpmath.workdps(50):
        roots = [
            mpmath.findroot(lambda s, x=point: equation(s, mpmath.mpf(x)), mpmath.mpc(guess))
            for point, guess in zip(x.tolist(), start.tolist(), strict=True)
        ]
        return np.array([float(root.imag / mpmath.pi) for root in roots])


def _beside(
    what: str,
    law: Callable[[], SpectralLaw],
    equation: Callable[[Any, Any], Any],
    code: str,
    task: dict[str, object],
    settings: Sequence[tuple[str, float]],
) -> list[dict[str, Any]]:
    """Rows of one law: construction with density and density alone, errors of both sides in units of the peak."""
    known = law()
    x = np.concatenate([np.linspace(a, b, 102)[1:-1] for a, b in known.support])
    values = np.asarray(known.density(x))
    some = slice(7, None, max(1, x.size // 12))
    above = np.asarray(known.stieltjes(x[some] + 1e-9j))
    exact = _fifty_digits(equation, x[some], above)
    ours = np.abs(values[some] - exact).max() / exact.max()
    rows = []
    for words, height in settings:
        answer = peer("RMTSIM_FREEALG", code, {**task, "x": x.tolist(), "eta": height})
        if answer is None:
            return []
        far = np.abs(answer[1][some] - exact).max() / exact.max() if answer[1].size else np.nan
        note = f"errors against fifty digits, of the peak: ours {ours:.0e}, its {far:.0e}"
        built = seconds(lambda: np.asarray(law().density(x)), repeats=2)
        at_hand = seconds(lambda: np.asarray(known.density(x)), repeats=3)
        rows.append(_row(f"{what}, construction and density", words, built, answer[0], note))
        rows.append(_row(f"{what}, density, law at hand", words, at_hand, answer[0], note))
    return rows


def free_sum_rows() -> list[dict[str, Any]]:
    rows = []
    for count in (2, 6, 20):
        places = np.linspace(-3, 3, count)
        rows += _beside(
            f"{count} atoms ⊞ semicircle",
            lambda places=places: free_sum(Discrete(places), Semicircle()),
            lambda s, x, places=places: s - sum(1 / (t - x - s) for t in places.tolist()) / len(places),
            _DEFORMED_WIGNER,
            {"t": places.tolist(), "w": [1 / count] * count},
            (("freealg, eta = 0", 0.0), ("freealg, its eta", 1e-3)),
        )
    return rows


def generalised_rows() -> list[dict[str, Any]]:
    ratio, atoms = 0.1, np.array([1.0, 3.0, 10.0])
    return _beside(
        "generalised law, ratio 0.1, populations 1, 3, 10",
        lambda: GeneralizedMarchenkoPastur(ratio, atoms),
        lambda s, x: 1 / s + x - sum(t / (1 + ratio * t * s) for t in atoms.tolist()) / 3,
        _COMPOUND,
        {"t": (ratio * atoms).tolist(), "w": [1 / 3] * 3, "lam": 1 / ratio},
        # On the axis itself it takes a wrong root at some points.
        (("freealg, eta = 1e-9", 1e-9), ("freealg, its eta", 2e-4)),
    )


def compression_rows() -> list[dict[str, Any]]:
    """Half a covariance's features: the free Poisson law of rate one becomes Marchenko and Pastur's of ratio ½."""
    return _beside(
        "corner of half the size of MP(1)",
        lambda: free_compression(MarchenkoPastur(1.0), 0.5),
        # MP's own equation: c·x·s² + (x + c - 1)·s + 1 = 0, c = 1/2.
        lambda s, x: x * s * s / 2 + (x - mpmath.mpf(1) / 2) * s + 1,
        _CORNER,
        {},
        (("freealg, decompress to half the size", 0.0),),
    )


_processor_seconds = functools.partial(seconds, clock=time.process_time)


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
        rows.append(_row(words, "matfree, jit", _processor_seconds(ours), answer[0], note))
    return rows


SECTIONS = {
    "tracy-widom": tracy_widom_rows,
    "free-sum": free_sum_rows,
    "generalised": generalised_rows,
    "compression": compression_rows,
    "matrix-free": matrix_free_rows,
}

if __name__ == "__main__":
    wanted = [word for word in sys.argv[1:] if word in SECTIONS] or list(SECTIONS)
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in SECTIONS]
    report("Spectral tools", [row for name in wanted for row in SECTIONS[name]()])
