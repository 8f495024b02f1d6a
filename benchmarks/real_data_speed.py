"""Real-data tools and laws beside numpy, scikit-learn, scikit-rmt and freealg, in one run.

    PYTHONPATH=. RMTSIM_SCIKIT_RMT=… RMTSIM_FREEALG=… python benchmarks/real_data_speed.py

Each variable names the interpreter of an environment with the peer (which pins other versions of NumPy); a peer that
is not named is left out. Times by the clock, best of several; run it a second time with OPENBLAS_NUM_THREADS=1 and
OMP_NUM_THREADS=1. "ratio" is the alternative's time over that of rmtsim; for ``spectrum`` the inverse counts: it has
to form the Gram matrix and its eigenvalues itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.covariance import OAS, LedoitWolf
from sklearn.decomposition import PCA, TruncatedSVD

from benchmarks.common import report, seconds
from benchmarks.laws import peer
from rmtsim.estimators import MarchenkoPasturWhitener, NonlinearShrinkage, SingularValueDenoiser, TestedPCA
from rmtsim.laws import Discrete, MarchenkoPastur, Semicircle, TracyWidom, free_sum
from rmtsim.spectra import spectrum

_PEER = """
import json, sys, time
import numpy as np
task = json.load(sys.stdin)
x = np.array(task["x"])
def answer(function):
    values, best = function(), float("inf")
    for _ in range(task["repeats"]):
        start = time.perf_counter()
        values = function()
        best = min(best, time.perf_counter() - start)
    print(json.dumps([best, np.ravel(values).tolist()]))
"""
_TRACY_WIDOM = """
from skrmt.ensemble.tracy_widom_approximator import TW_Approximator
law = TW_Approximator(beta=1)
answer(lambda: law.cdf(x))
"""
_SKRMT_CDF = """
from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution
answer(lambda: MarchenkoPasturDistribution(ratio=0.5).cdf(x))
"""
_FREEALG_DENSITY = """
from freealg.distributions import MarchenkoPastur
answer(lambda: MarchenkoPastur(0.5).density(x))
"""
_FREEALG_SUM = """
from freealg.distributions import DeformedWigner
def density():
    return DeformedWigner(t=task["t"], w=task["w"], sigma=1.0).density(x, eta=task["eta"])
answer(density)
"""


def _row(what: str, alternative: str, own: float, other: float) -> dict[str, Any]:
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim (ms)": f"{1e3 * own:.3g}",
        "alternative (ms)": f"{1e3 * other:.3g}",
        "ratio": f"{other / own:.3g}",
    }


def matrix_rows() -> list[dict[str, Any]]:
    """``spectrum`` and the estimators beside NumPy and scikit-learn."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((5000, 2000))
    spiked = noise + 0.3 * rng.standard_normal((5000, 5)) @ rng.standard_normal((5, 2000))
    rows = []
    for name, data in (("noise", noise), ("five components", spiked)):
        bare = seconds(lambda data=data: np.linalg.eigvalsh(data.T @ data))
        own = seconds(lambda data=data: spectrum(data))
        rows.append(_row(f"`spectrum`, 5000×2000, {name}", "NumPy: Gram matrix and eigenvalues", own, bare))
    small = spiked[:1000, :100].copy()
    pairs: list[tuple[str, str, Callable[[], Any], Callable[[], Any]]] = [
        (
            "covariance",
            "scikit-learn `LedoitWolf`",
            lambda: NonlinearShrinkage().fit(small),
            lambda: LedoitWolf().fit(small),
        ),
        (
            "covariance",
            "scikit-learn `OAS`",
            lambda: NonlinearShrinkage().fit(small),
            lambda: OAS().fit(small),
        ),
        (
            "components with their number",
            "scikit-learn `PCA(n_components='mle')`",
            lambda: TestedPCA().fit(small),
            lambda: PCA(n_components="mle", svd_solver="full").fit(small),
        ),
        (
            "denoising",
            "scikit-learn `TruncatedSVD(5)`, rank given",
            lambda: SingularValueDenoiser().fit(small),
            lambda: TruncatedSVD(5).fit(small),
        ),
        (
            "whitening",
            "scikit-learn `PCA(whiten=True)`",
            lambda: MarchenkoPasturWhitener().fit(small),
            lambda: PCA(whiten=True).fit(small),
        ),
    ]
    for what, alternative, ours, theirs in pairs:
        rows.append(
            _row(f"{what}, 1000×100", alternative, seconds(ours, repeats=5), seconds(theirs, repeats=5))
        )
    return rows


def law_rows() -> list[dict[str, Any]]:
    """Laws beside scikit-rmt and freealg."""
    rows = []

    def beside(what: str, variable: str, name: str, code: str, ours: Callable[[], Any], **task: Any) -> None:
        answer = peer(variable, _PEER + code, {"repeats": 20, **task})
        if answer is not None:
            rows.append(_row(what, name, seconds(ours, repeats=20), answer[0]))

    x = np.linspace(-5.0, 3.0, 200)
    tracy_widom = TracyWidom(1)
    beside(
        "Tracy–Widom cdf, β = 1, 200 points",
        "RMTSIM_SCIKIT_RMT",
        "scikit-rmt (four digits)",
        _TRACY_WIDOM,
        lambda: tracy_widom.cdf(x),
        x=x.tolist(),
    )
    y = np.linspace(0.1, 2.9, 1000)
    beside(
        "Marchenko–Pastur cdf, 1000 points, with construction",
        "RMTSIM_SCIKIT_RMT",
        "scikit-rmt",
        _SKRMT_CDF,
        lambda: MarchenkoPastur(0.5).cdf(y),
        x=y.tolist(),
    )
    beside(
        "Marchenko–Pastur density, 1000 points, with construction",
        "RMTSIM_FREEALG",
        "freealg",
        _FREEALG_DENSITY,
        lambda: MarchenkoPastur(0.5).density(y),
        x=y.tolist(),
    )
    for count in (2, 6, 20):
        places = np.linspace(-3.0, 3.0, count)
        points = np.linspace(-4.5, 4.5, 200)
        for words, height in (("freealg at η = 0", 0.0), ("freealg at its own η (three digits)", 1e-3)):
            beside(
                f"{count} atoms ⊞ semicircle, with construction",
                "RMTSIM_FREEALG",
                words,
                _FREEALG_SUM,
                lambda places=places, points=points: free_sum(Discrete(places), Semicircle()).density(points),
                x=points.tolist(),
                t=places.tolist(),
                w=[1 / count] * count,
                eta=height,
                repeats=3,
            )
    return rows


if __name__ == "__main__":
    report("Real data and laws beside their peers", [*matrix_rows(), *law_rows()])
