"""Worst errors of the spectral laws against fifty digits, beside scikit-rmt and freealg on the same points.

Run from the repository's root with PYTHONPATH=. (the oracle lives in tests/law_oracle.py); peers are named as
in laws.py.
"""

from __future__ import annotations

import json

import numpy as np

from benchmarks.common import report
from benchmarks.laws import peer
from rmtsim.laws import GeneralizedMarchenkoPastur, MarchenkoPastur
from tests import law_oracle as oracle

_SCIKIT = """
import json, sys
import numpy as np
from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution
task = json.load(sys.stdin)
values = []
for ratio, variance, x in task["points"]:
    law = MarchenkoPasturDistribution(ratio=ratio, sigma=variance**0.5)
    values.append([float(law.pdf(x)), float(law.cdf(x))])
print(json.dumps([0.0, values]))
"""

_FREEALG_MP = """
import json, sys
import numpy as np
from freealg.distributions import MarchenkoPastur
task = json.load(sys.stdin)
values = []
for ratio, variance, x in task["points"]:
    law = MarchenkoPastur(ratio, variance**0.5)
    values.append(float(law.density(np.array([x]))[0]))
print(json.dumps([0.0, values]))
"""

_FREEALG = """
import json, sys
import numpy as np
from freealg.distributions import CompoundFreePoisson
task = json.load(sys.stdin)
values = []
for ratio, atoms, weights, x in task["cases"]:
    law = CompoundFreePoisson(t=[ratio * t for t in atoms], w=weights, lam=1 / ratio)
    density = [law.density(np.array(x), eta=eta).tolist() for eta in (2e-4, 0.0)]
    values.append([density, [list(ends) for ends in law.support()]])
print(json.dumps([0.0, json.dumps(values)]))
"""


def worst(values: list[float]) -> str:
    return f"{max(values):.1e}" if values else "–"


def marchenko_pastur() -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    points = []
    for _ in range(400):
        ratio, variance = 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-6, 6)
        ((lower, upper),) = MarchenkoPastur(ratio, variance).support
        x = lower + (upper - lower) * rng.choice([rng.uniform(0.01, 0.99), 1e-9, 1 - 1e-9])
        points.append((ratio, variance, float(x)))
    density = [oracle.mp_density(*point) for point in points]
    ours = [
        oracle.relative_error(MarchenkoPastur(r, v).density(x), exact)
        for (r, v, x), exact in zip(points, density, strict=True)
    ]
    few = points[:100]
    cdf = [oracle.mp_cdf(*point) for point in few]
    ours_cdf = [
        abs(float(MarchenkoPastur(r, v).cdf(x) - exact)) for (r, v, x), exact in zip(few, cdf, strict=True)
    ]
    stieltjes = []
    for r, v, x in points:
        z = complex(x, v * np.sqrt(r) * 10 ** rng.uniform(-9, 3))
        exact = oracle.mp_stieltjes(r, v, z)
        stieltjes.append(oracle.relative_error(MarchenkoPastur(r, v).stieltjes(z), exact))
    moments = [
        oracle.relative_error(MarchenkoPastur(r, v).moment(k), oracle.mp_moment(r, v, k))
        for r, v, _ in points[:60]
        for k in (1, 5, 12, 20)
    ]
    q = rng.random(2000)
    inverse = max(
        float(np.abs(law.cdf(law.ppf(q)) - np.maximum(q, law.cdf(0.0))).max())
        for law in (MarchenkoPastur(10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-6, 6)) for _ in range(40))
    )
    scikit = peer("RMTSIM_SCIKIT_RMT", _SCIKIT, {"points": points})
    free = peer("RMTSIM_FREEALG", _FREEALG_MP, {"points": points})
    below = [i for i, (ratio, _, _) in enumerate(points) if ratio <= 1]
    above = [i for i, (ratio, _, _) in enumerate(points) if ratio > 1]

    def of(answer, chosen, column=None):
        if answer is None:
            return "not run"
        values = answer[1] if column is None else answer[1][:, column]
        return worst([oracle.relative_error(float(values[i]), density[i]) for i in chosen])

    def of_cdf(chosen):
        if scikit is None:
            return "not run"
        return worst([abs(float(scikit[1][i, 1] - cdf[i])) for i in chosen if i < len(few)])

    rows = [
        (
            "MP density, relative, ratio ≤ 1",
            worst([ours[i] for i in below]),
            of(scikit, below, 0),
            of(free, below),
        ),
        (
            "MP density, relative, ratio > 1",
            worst([ours[i] for i in above]),
            of(scikit, above, 0),
            of(free, above),
        ),
        (
            "MP cdf, absolute, ratio ≤ 1",
            worst([ours_cdf[i] for i in below if i < len(few)]),
            of_cdf(below),
            "–",
        ),
        (
            "MP cdf, absolute, ratio > 1",
            worst([ours_cdf[i] for i in above if i < len(few)]),
            of_cdf(above),
            "–",
        ),
        ("MP Stieltjes transform, relative", worst(stieltjes), "–", "–"),
        ("MP moments k ≤ 20, relative", worst(moments), "–", "–"),
        ("MP cdf(ppf(q)) - q", f"{inverse:.1e}", "–", "–"),
    ]
    return [dict(zip(("what", "rmtsim", "scikit-rmt", "freealg"), row, strict=True)) for row in rows]


def populations() -> list[tuple[float, list[float], list[float]]]:
    rng = np.random.default_rng(1)
    cases = [(10.0, [1.0, 3.0, 7.0], [1 / 3] * 3), (0.1, [1.0, 3.0, 7.0], [1 / 3] * 3)]
    for _ in range(20):
        size = int(rng.integers(2, 7))
        weights = rng.dirichlet(np.ones(size))
        cases.append(
            (float(10 ** rng.uniform(-1.5, 1.5)), (10 ** rng.uniform(-1, 1, size)).tolist(), weights.tolist())
        )
    return cases


def generalized() -> list[dict[str, object]]:
    rows = []
    for sign in ("positive", "both signs"):
        cases = populations()
        if sign == "both signs":
            cases = [(r, [t * (-1) ** k for k, t in enumerate(atoms)], w) for r, atoms, w in cases]
        tasks, exact, errors, edge_errors, residuals = [], [], [], [], []
        for ratio, atoms, weights in cases:
            law = GeneralizedMarchenkoPastur(ratio, atoms, weights)
            x = np.concatenate([lo + (up - lo) * np.array([0.02, 0.4, 0.97]) for lo, up in law.support])
            values = [oracle.generalized_density(ratio, atoms, weights, float(point)) for point in x]
            edges = [float(edge) for edge in oracle.generalized_edges(ratio, atoms, weights)]
            tasks.append((ratio, atoms, weights, x.tolist()))
            exact.append((values, edges))
            errors += [oracle.relative_error(a, b) for a, b in zip(law.density(x), values, strict=True)]
            found = np.ravel(law.support)
            edge_errors += [abs(a / b - 1) for a, b in zip(found, edges, strict=True)]
            residuals += law.boundary_value(x).residual.tolist()
        answer = None
        if sign == "positive":
            answer = peer("RMTSIM_FREEALG", _FREEALG, {"cases": tasks})
        smeared, sharp, wrong, theirs_edges = [], [], 0, []
        if answer is not None:
            for (densities, support), (values, edges) in zip(json.loads(str(answer[1])), exact, strict=True):
                for store, found in ((smeared, densities[0]), (sharp, densities[1])):
                    store += [oracle.relative_error(a, b) for a, b in zip(found, values, strict=True)]
                if len(support) != len(edges) // 2:
                    wrong += 1
                else:
                    theirs_edges += [abs(a / b - 1) for a, b in zip(np.ravel(support), edges, strict=True)]
        name = f"generalised MP, {len(cases)} populations, {sign}"
        rows.append(
            (
                f"{name}: density, relative",
                worst(errors),
                "–",
                f"{worst(smeared)} (default), {worst(sharp)} (eta = 0)" if smeared else "–",
            )
        )
        rows.append(
            (
                f"{name}: edges, relative",
                worst(edge_errors),
                "–",
                f"{worst(theirs_edges)}, {wrong} wrong counts" if smeared else "–",
            )
        )
        rows.append((f"{name}: residual of the certificate", worst(residuals), "–", "–"))
    return [dict(zip(("what", "rmtsim", "scikit-rmt", "freealg"), row, strict=True)) for row in rows]


if __name__ == "__main__":
    report("Accuracy of spectral laws", [*marchenko_pastur(), *generalized()])
