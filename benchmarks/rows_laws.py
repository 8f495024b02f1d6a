"""Rows of spectral laws, random matrices, operators, learned step sizes and batches of a run.

Packages that pin other versions of NumPy are measured in interpreters of their own: RMTSIM_SCIKIT_RMT, RMTSIM_FREEALG
and RMTSIM_MATFREE name them; rows of a peer that is not named say so.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from benchmarks.laws import fixed_point, inside
from benchmarks.measure import Row, Sides, peer

_LEAST = """
import json, sys, time
import numpy as np
task = json.load(sys.stdin)
x = np.array(task.get("x", []))
def answer(function, repeats=3, calls=1):
    best = float("inf")
    for number in range(repeats + 1):
        start = time.perf_counter()
        for _ in range(calls):
            value = function()
        if number:
            best = min(best, (time.perf_counter() - start) / calls)
    print(json.dumps([best, np.asarray(value).ravel().tolist()]))
"""

_SCIKIT_PPF = (
    _LEAST
    + """
from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution
answer(lambda: MarchenkoPasturDistribution(ratio=0.5).ppf(x), 1)
"""
)

_SCIKIT_MANOVA = (
    _LEAST
    + """
from skrmt.ensemble.spectral_law import ManovaSpectrumDistribution
answer(lambda: ManovaSpectrumDistribution(ratio_a=2.0, ratio_b=4.0).cdf(x), 1)
"""
)

_SCIKIT_GOE = (
    _LEAST
    + """
from skrmt.ensemble.gaussian_ensemble import GaussianEnsemble
answer(lambda: GaussianEnsemble(beta=1, n=1000, tridiagonal_form=True, random_state=1).eigvals())
"""
)

_FREEALG_MP = (
    _LEAST
    + """
from freealg.distributions import MarchenkoPastur
answer(lambda: MarchenkoPastur(0.5).density(x), 20, 100)
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
sampler = stochtrace.sampler_sphere(jnp.ones(n), num=task["probes"])
if task["what"] == "quadrature":
    integrand = funm.monte_carlo_funm_sym(funm.dense_funm_sym_eigh(jnp.log1p), decomp.tridiag_sym(task["steps"]))
    estimate = jax.jit(lambda key: stochtrace.estimator_monte_carlo_mean_and_sem(integrand, sampler)(matvec, key))
elif task["what"] == "xtrace":
    integrand = stochtrace.leave_one_out_xtrace()
    estimate = jax.jit(lambda key: stochtrace.estimator_leave_one_out_mean_and_sem(integrand, sampler)(matvec, key))
else:
    vectors = jnp.asarray(np.random.default_rng(1).standard_normal((n, task["probes"])))
    product = jax.jit(lambda matrix, vectors: matrix @ vectors)
    estimate = lambda key: product(matrix, vectors)
keys = jax.random.split(jax.random.PRNGKey(1), 12)
jax.block_until_ready(estimate(keys[0]))
best = float("inf")
for key in keys[1:]:
    start = time.perf_counter()
    jax.block_until_ready(estimate(key))
    best = min(best, time.perf_counter() - start)
print(json.dumps([best]))
"""


def quantiles() -> Sides:
    from rmtsim.laws import MarchenkoPastur

    q = np.linspace(0.001, 0.999, 200)
    return Sides(
        lambda: MarchenkoPastur(0.5).ppf(q), peer("RMTSIM_SCIKIT_RMT", _SCIKIT_PPF, {"x": q.tolist()})[0]
    )


def wachter() -> Sides:
    from rmtsim.laws import Wachter

    law = Wachter(2.0, 4.0)
    x = np.linspace(*law.support[0], 202)[1:-1]
    seconds, values = peer("RMTSIM_SCIKIT_RMT", _SCIKIT_MANOVA, {"x": x.tolist()})
    assert np.allclose(values, law.cdf(x), atol=1e-3)
    return Sides(lambda: law.cdf(x), seconds)


def closed_form() -> Sides:
    from rmtsim.laws import MarchenkoPastur

    x = np.linspace(0.1, 2.9, 1000)
    seconds = peer("RMTSIM_FREEALG", _FREEALG_MP, {"x": x.tolist()})[0]
    return Sides(
        lambda: MarchenkoPastur(0.5).density(x), seconds, lambda: np.sqrt((x - 0.08) * (2.92 - x)) / x
    )


def density(count: int) -> Sides:
    """Density of a generalised Marchenko–Pastur law at 200 points, with construction."""
    from rmtsim.laws import GeneralizedMarchenkoPastur

    atoms, ratio = np.random.default_rng(1).uniform(1, 3, count), 0.5
    law = GeneralizedMarchenkoPastur(ratio, atoms)
    x = inside(law, 200)
    height = 1e-4 * (law.support[-1][1] - law.support[0][0])
    s = (x + 1j) ** -1
    return Sides(
        lambda: GeneralizedMarchenkoPastur(ratio, atoms).density(x),
        lambda: fixed_point(ratio, atoms, x, height, 1e-9),
        lambda: 1 / ((atoms / (1 + ratio * s[:, None] * atoms)).mean(axis=1) - x),
    )


def eigenvalues() -> Sides:
    from rmtsim.ensembles import gaussian_tridiagonal

    seconds = peer("RMTSIM_SCIKIT_RMT", _SCIKIT_GOE, {})[0]
    return Sides(lambda: gaussian_tridiagonal(1000, np.random.default_rng(0)).eigenvalues(), seconds)


def largest(size: int) -> Sides:
    from scipy.linalg import eigvalsh_tridiagonal

    from rmtsim.ensembles import gaussian_tridiagonal

    t = gaussian_tridiagonal(size, np.random.default_rng(0))

    def lapack() -> Any:
        last = (size - 1, size - 1)
        return eigvalsh_tridiagonal(
            t.diagonal, t.off_diagonal, select="i", select_range=last, lapack_driver="stebz"
        )

    assert math.isclose(float(t.largest(1)[0]), float(lapack()[0]), rel_tol=1e-10)
    return Sides(lambda: t.largest(1), lapack)


def operator(what: str) -> Sides:
    """Estimates from products with a matrix of size 2000; the floor is the products alone, in NumPy."""
    from rmtsim.matrix_free import operator_spectrum, operator_trace

    size, probes, steps = 2000, 16, 40
    task = {"what": what, "size": size, "probes": probes, "steps": steps}
    seconds = peer("RMTSIM_MATFREE", _MATFREE, task)[0]
    g = np.random.default_rng(0).standard_normal((size, size)) / np.sqrt(size)
    matrix, rng = g @ g.T, np.random.default_rng(1)
    vectors = rng.standard_normal((size, probes))
    if what == "xtrace":
        return Sides(
            lambda: operator_trace(matrix, rng, products=2 * probes),
            seconds,
            lambda: [matrix @ vectors for _ in range(2)],
        )
    if what == "product":
        return Sides(lambda: matrix @ vectors, seconds)
    return Sides(
        lambda: operator_spectrum(matrix, rng, probes=probes, steps=steps, exact_up_to=0).average(np.log1p),
        seconds,
        lambda: [matrix @ vectors for _ in range(steps)],
    )


def stochastic_descent() -> Sides:
    from rmtsim.papers.l2l.simulation.least_squares import descend_stochastically, draw_task

    task = draw_task(100, 200, 1.0, np.random.default_rng(0))
    order = np.random.default_rng(1).integers(100, size=20_000)

    def plain() -> Any:
        weights = np.zeros(200)
        for i in order:
            x = task.design[i]
            weights -= 1e-3 * (x @ weights - task.labels[i]) * x
        return weights

    return Sides(lambda: descend_stochastically(task, 1e-3, 20_000, np.random.default_rng(1)), plain)


def expected_error() -> Sides:
    from scipy.integrate import quad

    from rmtsim.papers.l2l.theory import expected_error

    low, high = (1 - math.sqrt(2.0)) ** 2, (1 + math.sqrt(2.0)) ** 2

    def integrand(x: float) -> float:
        p = (1 - 0.1 * x) ** 40
        return (p * p + 2 * (1 - p) ** 2 / x) * math.sqrt((x - low) * (high - x)) / (4 * math.pi * x)

    def plain() -> float:
        return quad(integrand, low, high, limit=500)[0] + 0.5

    assert math.isclose(plain(), expected_error(0.1, 40, 1.0, 2.0), rel_tol=1e-6)
    return Sides(lambda: expected_error(0.1, 40, 1.0, 2.0), plain)


def batches() -> Sides:
    """Three hundred batches of a sampler that costs nothing, with a store."""
    import tempfile
    from pathlib import Path

    from benchmarks.runs import keys
    from rmtsim.runs._pools.pool import open_pool
    from rmtsim.runs._runner import StoredRunner
    from rmtsim.runs._store.store import Store
    from rmtsim.runs._work import run_batch

    folder = tempfile.TemporaryDirectory()
    runner = StoredRunner(open_pool(None), Store(Path(folder.name) / "runs.sqlite"))
    seeds = iter(range(10**6))

    def ours() -> Any:
        assert folder
        return list(runner.run(keys(300, seed=next(seeds))))

    return Sides(ours, lambda: [run_batch(key) for key in keys(300)])


_LAWS, _MATRICES, _OPERATORS, _OTHER = "spectral laws", "random matrices", "operators", "step sizes and runs"
_part = functools.partial

ROWS = [
    Row("mp.ppf", _LAWS, "Marchenko–Pastur ppf, 200 points", quantiles, "scikit-rmt", quick=False),
    Row(
        "mp.density",
        _LAWS,
        "Marchenko–Pastur density, 1000 points, with construction",
        closed_form,
        "freealg",
        "the formula in NumPy",
    ),
    Row("wachter", _LAWS, "Wachter (MANOVA) cdf, 200 points", wachter, "scikit-rmt", quick=False),
    *(
        Row(
            f"density.{n}",
            _LAWS,
            f"generalised law, {n} atoms, density at 200 points",
            _part(density, n),
            "damped fixed point, error 1 %",
            "one evaluation of the equation",
            n <= 30,
            ("density at 200 points", n),
        )
        for n in (3, 10, 30, 100, 300)
    ),
    Row("goe.all", _MATRICES, "all eigenvalues of a GOE matrix, n = 1000", eigenvalues, "scikit-rmt"),
    *(
        Row(
            f"goe.largest.{n}",
            _MATRICES,
            f"largest eigenvalue, tridiagonal, n = {n:,}".replace(",", " "),
            _part(largest, n),
            "SciPy `stebz`",
            "",
            n < 10**6,
            ("largest eigenvalue, tridiagonal", n),
        )
        for n in (1000, 10_000, 100_000, 10**6)
    ),
    Row(
        "quadrature",
        _OPERATORS,
        "tr log(1 + A), size 2000, 16 probes of 40 steps",
        _part(operator, "quadrature"),
        "matfree (JAX, compiled)",
        "40 products with 16 vectors",
    ),
    Row(
        "xtrace",
        _OPERATORS,
        "tr A by XTrace, size 2000, 16 vectors",
        _part(operator, "xtrace"),
        "matfree (JAX, compiled)",
        "2 products with 16 vectors",
    ),
    Row(
        "product",
        _OPERATORS,
        "A times 16 vectors, size 2000: NumPy's BLAS",
        _part(operator, "product"),
        "JAX, compiled",
    ),
    Row("sgd", _OTHER, "20 000 steps of SGD, d = 200", stochastic_descent, "NumPy"),
    Row(
        "moments",
        _OTHER,
        "moments of (1 − ηλ)ᵗ, η = 0.1, t = 40, d/n = 2",
        expected_error,
        "`scipy.integrate.quad`",
    ),
    Row("batches", _OTHER, "300 batches with a store", batches, "plain loop"),
]
