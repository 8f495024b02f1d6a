"""Worst errors of Tracy–Widom, spacing, Wachter, Kesten–McKay, arcsine laws and free sums against fifty digits.

    RMTSIM_SCIKIT_RMT=… RMTSIM_FREEALG=… python -m benchmarks.classical_accuracy [SECTION …]

References: Fredholm determinants by Gauss–Legendre quadrature in fifty digits and more (two rules must agree in
eighteen), the printed densities integrated in an angle, roots of the free sum's equation. Peers answer at the same
points.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

import mpmath
import numpy as np

from benchmarks.common import report
from benchmarks.laws import peer
from rmtsim.laws import Arcsine, Discrete, GaudinMehta, KestenMcKay, Semicircle, TracyWidom, Wachter, free_sum
from tests.laws.test_classical import integral, printed
from tests.laws.test_spacings import truth as spacing_truth

Row = dict[str, object]

_SCIKIT = """
import json, sys
import numpy as np
task = json.load(sys.stdin)
x = np.array(task["x"])
if task["what"] == "tracy-widom":
    from skrmt.ensemble.tracy_widom_approximator import TW_Approximator
    law = TW_Approximator(beta=task["beta"])
else:
    from skrmt.ensemble.spectral_law import ManovaSpectrumDistribution
    law = ManovaSpectrumDistribution(ratio_a=task["first"], ratio_b=task["second"])
print(json.dumps([0.0, [np.asarray(law.cdf(x)).tolist(), np.asarray(law.pdf(x)).tolist()]]))
"""

_FREEALG = """
import json, sys
import numpy as np
import freealg.distributions as d
task = json.load(sys.stdin)
law = getattr(d, task["name"])(*task["arguments"])
extra = {} if task["eta"] is None else {"eta": task["eta"]}
print(json.dumps([0.0, np.asarray(law.density(np.array(task["x"]), **extra)).tolist()]))
"""


def row(what: str, ours: Any, scikit: Any = None, free: Any = None) -> Row:
    def shown(errors: Any) -> str:
        return "–" if errors is None else f"{max(float(e) for e in errors):.1e}"

    return {"what": what, "rmtsim": shown(ours), "scikit-rmt": shown(scikit), "freealg": shown(free)}


def relative(values: Any, exact: Any) -> list[Any]:
    return [abs(mpmath.mpf(float(v)) / e - 1) for v, e in zip(values, exact, strict=True)]


def absolute(values: Any, exact: Any) -> list[Any]:
    return [abs(mpmath.mpf(float(v)) - e) for v, e in zip(values, exact, strict=True)]


@functools.cache
def legendre(count: int, digits: int) -> tuple[list[Any], list[Any]]:
    nodes, weights = [], []
    with mpmath.workdps(digits):
        for start in np.polynomial.legendre.leggauss(count)[0]:
            x = mpmath.mpf(float(start))
            # Newton's method doubles the digits; sixteen are right at the start.
            for _ in range(2 + math.ceil(math.log2(digits / 15))):
                before, value = mpmath.mpf(1), x
                for k in range(2, count + 1):
                    before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
                slope = count * (x * value - before) / (x**2 - 1)
                x -= value / slope
            nodes.append(x)
            weights.append(2 / ((1 - x**2) * slope**2))
    return nodes, weights


@functools.cache
def airy_determinants(t: Any, digits: int, count: int) -> tuple[Any, Any]:
    """det(1 ∓ V_t), V_t(x, y) = Ai(x + y + t) on (0, ∞)."""
    with mpmath.workdps(digits):
        # Airy's function falls like e^{-2s³ᐟ²/3}: so far that thirty digits of it are gone.
        reach = mpmath.mpf(21) - t if t < 0 else min(mpmath.mpf(21), 70 / mpmath.sqrt(t + 1))
        nodes, weights = legendre(count, digits)
        x = [reach * (u + 1) / 2 for u in nodes]
        w = [mpmath.sqrt(reach * v / 2) for v in weights]
        kernel = mpmath.matrix(count, count)
        for i in range(count):
            for j in range(i + 1):
                kernel[i, j] = kernel[j, i] = w[i] * w[j] * mpmath.airyai(x[i] + x[j] + t)
        one = mpmath.eye(count)
        return mpmath.det(one - kernel), mpmath.det(one + kernel)


def tracy_widom_cdf(beta: int, x: Any, digits: int, count: int) -> Any:
    with mpmath.workdps(digits):
        t = mpmath.mpf(x) * (mpmath.sqrt(2) if beta == 4 else 1)
        minus, plus = airy_determinants(t, digits, count)
        return {1: minus, 2: minus * plus, 4: (minus + plus) / 2}[beta]


def checked(beta: int, x: float, digits: int) -> Any:
    """The cdf from two rules that agree in eighteen digits of the smaller tail."""
    # Left of zero the kernel oscillates on (0, -t), and the determinant is small.
    count = int(44 + 4.5 * max(0.0, -x * (math.sqrt(2) if beta == 4 else 1))) if x < 5 else 34
    one, two = (tracy_widom_cdf(beta, x, digits, n) for n in (count, count + 6))
    with mpmath.workdps(digits):
        if not abs(one - two) < mpmath.mpf(10) ** -18 * min(two, 1 - two):
            raise AssertionError(f"beta={beta}, x={x}: {count} nodes are too few")
    return two


CENTRAL = {1: (4, 5), 2: (-1, 5), 3: (4, 105), 4: (-1, 280)}
"""Coefficients of the first derivative from differences, of order eight."""


def tracy_widom(beta: int) -> list[Row]:
    rows = []
    middle = [-5.0, -3.1, -1.3, 2.7]
    with mpmath.workdps(50):
        law = TracyWidom(beta)
        exact = [checked(beta, x, 50) for x in middle]
        step = mpmath.mpf(10) ** -4
        places = middle[2:3]
        slopes = [
            sum(
                mpmath.mpf(a)
                / b
                * (tracy_widom_cdf(beta, x + k * step, 50, 42) - tracy_widom_cdf(beta, x - k * step, 50, 42))
                for k, (a, b) in CENTRAL.items()
            )
            / step
            for x in map(mpmath.mpf, places)
        ]
        # Its β = 4 law may have another scale; the one that fits is taken.
        theirs = []
        for scale in (1.0, math.sqrt(2), 1 / math.sqrt(2)):
            task = {"what": "tracy-widom", "beta": beta, "x": (np.array(middle) / scale).tolist()}
            answer = peer("RMTSIM_SCIKIT_RMT", _SCIKIT, task)
            if answer is not None and answer[1].size:
                theirs.append((answer[1][0], answer[1][1] / scale))
        best = min(theirs, key=lambda pair: max(absolute(pair[0], exact)), default=None)
        cdf = None if best is None else relative(best[0], exact)
        pdf = None if best is None else relative(best[1][2:3], slopes)
        tail = None if best is None else relative(1 - best[0], [1 - e for e in exact])
        name = f"Tracy–Widom β = {beta}"
        rows.append(row(f"{name}: cdf, relative, -5 … 2.7", relative(law.cdf(middle), exact), cdf))
        rows.append(
            row(f"{name}: sf, relative, -5 … 2.7", relative(law.sf(middle), [1 - e for e in exact]), tail)
        )
        rows.append(row(f"{name}: density, relative", relative(law.density(places), slopes), pdf))
        rows.append(far_tails(beta, law))
    return rows


def far_tails(beta: int, law: TracyWidom) -> Row:
    """Logarithms at the quantile of 1e-100 on the left and of 1e-290 on the right.

    So far to the right the determinant is its first term that does not cancel, all further ones being 1e-290 of it:
    tr V, tr V² and ½(tr V² - (tr V)²) for β = 1, 2, 4.
    """
    errors = []
    x = float(law.ppf(1e-100))
    with mpmath.workdps(70):
        errors += relative([law.logcdf(x)], [mpmath.log(checked(beta, x, 70))])
    x = float(law.isf(1e-290))
    with mpmath.workdps(50):
        t = mpmath.mpf(x) * (mpmath.sqrt(2) if beta == 4 else 1)
        parts = [0, 0.2, 0.5, 1, 2, 4, 8]
        # In units of Ai(t): the quadrature stops at an absolute error.
        unit = mpmath.airyai(t)
        first = mpmath.quad(lambda s: mpmath.airyai(s + t) / unit, parts) / 2
        second = mpmath.quad(lambda s: s * (mpmath.airyai(s + t) / unit) ** 2, parts)
        tail = {1: first, 2: second, 4: (second - first**2) / 2}[beta]
        power = 1 if beta == 1 else 2
        errors += relative([law.logsf(x)], [mpmath.log(tail) + power * mpmath.log(unit)])
    return row(f"Tracy–Widom β = {beta}: log cdf at 1e-100, log sf at 1e-290, relative", errors)


def spacings() -> list[Row]:
    rows = []
    places = [0.02, 0.3, 0.9, 1.6, 2.4]
    with mpmath.workdps(50):
        for beta in (1, 2, 4):
            law = GaudinMehta(beta)
            exact = [spacing_truth(beta, s) for s in places]
            name = f"Gaudin–Mehta β = {beta}, 0.02 … 2.4"
            rows.append(row(f"{name}: cdf, relative", relative(law.cdf(places), [c for c, _ in exact])))
            rows.append(
                row(f"{name}: density, relative", relative(law.density(places), [d for _, d in exact]))
            )
    return rows


def classical() -> list[Row]:
    rows = []
    families: dict[str, list[Any]] = {
        "Wachter": [Wachter(2.0, 3.0), Wachter(1.0, 1.7), Wachter(30.0, 1.2), Wachter(4.0, 1.1)],
        "Kesten–McKay": [KestenMcKay(2), KestenMcKay(3), KestenMcKay(10), KestenMcKay(40)],
        "arcsine": [Arcsine(), Arcsine(0.3), Arcsine(40.0)],
    }
    with mpmath.workdps(50):
        for name, laws in families.items():
            errors: dict[str, list[Any]] = {
                key: [] for key in ("density", "cdf", "stieltjes", "scikit", "free")
            }
            scikit_density: list[Any] = []
            for law in laws:
                density, low, high = printed(law)
                x = [float(low + share * (high - low)) for share in (1e-6, 0.03, 0.5, 0.98)]
                slopes = [density(mpmath.mpf(point)) for point in x]
                masses = [integral(law, lambda _: mpmath.mpf(1), point) for point in x]
                errors["density"] += relative(law.density(x), slopes)
                errors["cdf"] += absolute(law.cdf(x), masses)
                for share in (0.3 + 0.2j, 1.5 + 1j):
                    # Not nearer than the reference's quadrature resolves.
                    z = share * (law.support[0][1] - law.support[0][0])
                    at = mpmath.mpc(z)
                    transform = integral(law, lambda t, at=at: 1 / (t - at), None)
                    errors["stieltjes"].append(abs(mpmath.mpc(law.stieltjes(z)) / transform - 1))
                if isinstance(law, Wachter):
                    task = {"what": "manova", "first": law.first, "second": law.second, "x": x}
                    answer = peer("RMTSIM_SCIKIT_RMT", _SCIKIT, task)
                    if answer is not None and answer[1].size:
                        errors["scikit"] += absolute(answer[1][0], masses)
                        scikit_density += relative(answer[1][1], slopes)
                asked = {Wachter: "Wachter", KestenMcKay: "KestenMcKay"}.get(type(law))
                if asked is not None:
                    arguments = [law.first, law.second] if isinstance(law, Wachter) else [law.degree]
                    task = {"name": asked, "arguments": arguments, "x": x, "eta": None}
                    answer = peer("RMTSIM_FREEALG", _FREEALG, task)
                    if answer is not None and answer[1].size:
                        errors["free"] += relative(answer[1], slopes)
            rows.append(
                row(
                    f"{name}: density, relative",
                    errors["density"],
                    scikit_density or None,
                    errors["free"] or None,
                )
            )
            rows.append(row(f"{name}: cdf, absolute", errors["cdf"], errors["scikit"] or None))
            rows.append(row(f"{name}: Stieltjes transform, relative", errors["stieltjes"]))
    return rows


def free_sums() -> list[Row]:
    rng = np.random.default_rng(5)
    density, edges, transforms, theirs = [], [], [], []
    with mpmath.workdps(50):
        for count in (2, 2, 3, 4, 6):
            places = np.sort(rng.uniform(-3, 3, count)).round(3)
            law = free_sum(Discrete(places), Semicircle())
            atoms = [mpmath.mpf(float(t)) for t in places]

            def equation(s: Any, z: Any, atoms: Any = atoms) -> Any:
                return s - sum(1 / (t - z - s) for t in atoms) / len(atoms)

            x = np.concatenate([np.linspace(a, b, 6)[1:-1] for a, b in law.support])
            found = [
                mpmath.findroot(
                    lambda s, z=z: equation(s, mpmath.mpf(z)), mpmath.mpc(law.stieltjes(z + 1e-9j))
                )
                for z in x.tolist()
            ]
            exact = [root.imag / mpmath.pi for root in found]
            density += relative(law.density(x), exact)
            for z in (0.2 + 0.1j, 5.0 + 0j):
                root = mpmath.findroot(
                    lambda s, z=z: equation(s, mpmath.mpc(z)), mpmath.mpc(complex(law.stieltjes(z)))
                )
                transforms.append(abs(mpmath.mpc(complex(law.stieltjes(z))) / root - 1))
            # An edge is a real critical value of w ↦ w - s_A(w).
            for end in np.ravel(law.support).tolist():
                w = mpmath.mpf(end + float(np.real(law.stieltjes(end + 1e-14j))))
                w = mpmath.findroot(lambda w, a=atoms: 1 - sum(1 / (t - w) ** 2 for t in a) / len(a), w)
                edges += absolute([end], [w - sum(1 / (t - w) for t in atoms) / len(atoms)])
            task = {
                "name": "DeformedWigner",
                "arguments": [places.tolist(), [1 / count] * count, 1.0],
                "x": x.tolist(),
                "eta": 0.0,
            }
            answer = peer("RMTSIM_FREEALG", _FREEALG, task)
            if answer is not None and answer[1].size:
                theirs += relative(answer[1], exact)
    name = "atoms ⊞ semicircle, 5 populations"
    return [
        row(f"{name}: density, relative", density, None, theirs or None),
        row(f"{name}: edges, absolute", edges),
        row(f"{name}: Stieltjes transform, relative", transforms),
    ]


SECTIONS = {
    **{f"tracy-widom-{beta}": functools.partial(tracy_widom, beta) for beta in (1, 2, 4)},
    "spacings": spacings,
    "classical": classical,
    "free-sums": free_sums,
}

if __name__ == "__main__":
    wanted = [word for word in sys.argv[1:] if word in SECTIONS] or list(SECTIONS)
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in SECTIONS]
    report("Accuracy of classical laws", [each for name in wanted for each in SECTIONS[name]()])
