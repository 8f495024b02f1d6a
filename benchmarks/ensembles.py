"""Wachter's law and tridiagonal ensembles beside scikit-rmt and SciPy, in one run.

    PYTHONPATH=. RMTSIM_SCIKIT_RMT=/path/to/its/python python benchmarks/ensembles.py

scikit-rmt runs in its own environment (it pins other versions); without the variable its rows are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from benchmarks.common import report, seconds
from benchmarks.laws import peer
from rmtsim.ensembles import gaussian_tridiagonal
from rmtsim.laws import Wachter

_MANOVA = """
import json, sys, time
import numpy as np
from skrmt.ensemble.spectral_law import ManovaSpectrumDistribution
task = json.load(sys.stdin)
x = np.array(task["x"])
law = ManovaSpectrumDistribution(ratio_a=task["a"], ratio_b=task["b"])
start = time.perf_counter()
values = law.cdf(x)
print(json.dumps([time.perf_counter() - start, np.asarray(values).tolist()]))
"""

_GOE = """
import json, sys, time
import numpy as np
from skrmt.ensemble.gaussian_ensemble import GaussianEnsemble
task = json.load(sys.stdin)
best = float("inf")
for seed in range(4):
    start = time.perf_counter()
    GaussianEnsemble(beta=1, n=task["n"], tridiagonal_form=True, random_state=seed).eigvals()
    if seed:
        best = min(best, time.perf_counter() - start)
print(json.dumps([best, []]))
"""


def wachter_row() -> dict[str, Any] | None:
    law = Wachter(2.0, 4.0)
    x = np.linspace(*law.support[0], 202)[1:-1]
    # Its documentation says p/n₁ and p/n₂; its formula takes n₁/p and n₂/p, and with the former gives no number at all.
    answer = peer("RMTSIM_SCIKIT_RMT", _MANOVA, {"x": x.tolist(), "a": 2.0, "b": 4.0})
    if answer is None:
        return None
    own = seconds(lambda: law.cdf(x))
    difference = float(np.abs(law.cdf(x) - answer[1]).max()) if len(answer[1]) else float("nan")
    return _row(
        "Wachter (MANOVA) cdf, 200 points",
        "scikit-rmt",
        own,
        answer[0],
        f"largest difference {difference:.1e}",
    )


def spectrum_row() -> dict[str, Any] | None:
    answer = peer("RMTSIM_SCIKIT_RMT", _GOE, {"n": 1000})
    if answer is None:
        return None
    own = seconds(lambda: gaussian_tridiagonal(1000, np.random.default_rng(0)).eigenvalues())
    return _row("drawing GOE, n = 1000, all eigenvalues, tridiagonal", "scikit-rmt", own, answer[0], "")


def extreme_rows() -> list[dict[str, Any]]:
    rows = []
    for n in (1000, 10**6):
        t = gaussian_tridiagonal(n, np.random.default_rng(0))

        def lapack(t: Any = t, n: int = n) -> Any:
            return eigvalsh_tridiagonal(
                t.diagonal, t.off_diagonal, select="i", select_range=(n - 1, n - 1), lapack_driver="stebz"
            )

        own, other = seconds(lambda t=t: t.largest(1)), seconds(lapack)
        difference = abs(float(t.largest(1)[0] - lapack()[0]))
        rows.append(
            _row(
                f"largest eigenvalue, tridiagonal, n = {n:,}",
                "SciPy stebz",
                own,
                other,
                f"difference {difference:.1e}",
            )
        )
    return rows


def _row(what: str, alternative: str, own: float, other: float, note: str) -> dict[str, Any]:
    return {
        "what": what,
        "alternative": alternative,
        "rmtsim (ms)": 1e3 * own,
        "alternative (ms)": 1e3 * other,
        "ratio": other / own,
        "note": note,
    }


if __name__ == "__main__":
    found = [wachter_row(), spectrum_row(), *extreme_rows()]
    report("Ensembles and Wachter's law", [row for row in found if row is not None])
