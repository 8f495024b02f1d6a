"""True statements from outside the bundled papers, encoded as a user would and tested with default settings.

``python benchmarks/outside.py`` runs all on two workers and prints a table for docs/calibration-statements.md: the
verdict, what an INCONCLUSIVE one lacks, and the seconds. Every statement is true (a theorem or a well-known fact), so
CONFIRMED is right. Tolerances are about one per cent of the quantity; exponents are declared where the source states
or implies them, with the reason, as the explanation of an open verdict asks a user to do.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
import scipy.stats

from rmtsim import claim, verify

SIZES = (40, 80, 160, 320)
SMALL = (20, 40, 80, 160)
TINY = (10, 20, 40, 80)


def dense(size):
    """Seconds of eigenvalues of a dense matrix."""
    return 2e-5 + 2e-7 * size**2


def _wigner(size, rng):
    a = rng.standard_normal((size, size))
    return (a + a.T) / math.sqrt(2 * size)


def _wishart(size, rng, ratio=0.5):
    """Sample covariance of ``size`` Gaussian samples in ratio·size dimensions."""
    x = rng.standard_normal((size, round(ratio * size)))
    return x.T @ x / size


def wigner_edge(size, rng):
    """The largest eigenvalue of a GOE matrix tends to 2 (Tracy–Widom: with corrections n^-2/3)."""
    return np.linalg.eigvalsh(_wigner(size, rng))[-1]


def wigner_fourth(size, rng):
    """tr W⁴/n tends to the second Catalan number, 2, like 5/n (Wigner; the GOE has 2 + 5/n + 5/n²)."""
    w = _wigner(size, rng)
    return ((w @ w) ** 2).sum() / size


def wigner_law(size, rng):
    """The spectrum of a Wigner matrix follows the semicircle."""
    return np.linalg.eigvalsh(_wigner(size, rng))


def semicircle_cdf(x):
    """Distribution function of the semicircle on [-2, 2]."""
    x = np.clip(x, -2, 2)
    return 0.5 + x * np.sqrt(4 - x**2) / (4 * math.pi) + np.arcsin(x / 2) / math.pi


def tracy_widom_mean(size, rng):
    """n^(2/3)·(λ_max - 2) tends to the Tracy–Widom mean, -1.2065 (β = 1)."""
    return size ** (2 / 3) * (np.linalg.eigvalsh(_wigner(size, rng))[-1] - 2)


def mp_upper_edge(size, rng):
    """The largest eigenvalue of a sample covariance tends to (1 + √γ)² at rate n^-2/3."""
    return np.linalg.eigvalsh(_wishart(size, rng))[-1]


def mp_lower_edge(size, rng):
    """The smallest one tends to (1 - √γ)² at rate n^-2/3."""
    return np.linalg.eigvalsh(_wishart(size, rng))[0]


def mp_second(size, rng):
    """tr S²/p tends to 1 + γ."""
    s = _wishart(size, rng)
    return (s**2).sum() / len(s)


def mp_third(size, rng):
    """tr S³/p tends to 1 + 3γ + γ²."""
    s = _wishart(size, rng)
    return ((s @ s) * s).sum() / len(s)


def mp_inverse(size, rng):
    """tr S⁻¹/p tends to 1/(1 - γ)."""
    return np.trace(np.linalg.inv(_wishart(size, rng))) / round(size / 2)


def log_det(size, rng):
    """log det S/p tends to ((γ - 1)/γ)·log(1 - γ) - 1, here at γ = 1/2."""
    return np.linalg.slogdet(_wishart(size, rng))[1] / round(size / 2)


def bbp(size, rng):
    """A population spike 4 gives an outlier at 4·(1 + γ/3) (Baik, Ben Arous, Péché)."""
    x = rng.standard_normal((size, size // 2))
    x[:, 0] *= 2
    return np.linalg.eigvalsh(x.T @ x / size)[-1]


def spiked_vector(size, rng):
    """The squared overlap of a spike θ = 2 of a Wigner matrix tends to 1 - 1/θ² (Benaych-Georges, Nadakuditi)."""
    w = _wigner(size, rng)
    w[0, 0] += 2
    return np.linalg.eigh(w)[1][0, -1] ** 2


def spiked_value(size, rng):
    """The outlier of that matrix tends to θ + 1/θ = 2.5."""
    w = _wigner(size, rng)
    w[0, 0] += 2
    return np.linalg.eigvalsh(w)[-1]


def davidson_szarek(size, rng):
    """P(s_max(G)/√n > 1 + √γ + t) ≤ exp(-n·t²/2), here for γ = 1/2, t = 0.03."""
    x = rng.standard_normal((size, size // 2))
    return np.linalg.norm(x, 2) > math.sqrt(size) * (1 + math.sqrt(0.5) + 0.03)


def gordon(size, rng):
    """E s_max(G) ≤ √n + √p."""
    return np.linalg.norm(rng.standard_normal((size, size // 2)), 2) / math.sqrt(size)


def circular(size, rng):
    """The share of eigenvalues of a Ginibre matrix in |z| < 1/2 tends to 1/4 (Girko)."""
    z = np.linalg.eigvals(rng.standard_normal((size, size)) / math.sqrt(size))
    return (np.abs(z) < 0.5).mean()


def ginibre_radius(size, rng):
    """The spectral radius of a Ginibre matrix tends to 1."""
    return np.abs(np.linalg.eigvals(rng.standard_normal((size, size)) / math.sqrt(size))).max()


def linear_statistic(size, rng, replicates):
    """tr W² - n of GOE matrices is asymptotically normal with variance 4 (Johansson); here by its own law."""
    diagonal = 2 * rng.chisquare(size, replicates) / size
    off = 2 * rng.chisquare(size * (size - 1) / 2, replicates) / size
    return (diagonal + off - (size + 1)) / 2


def haar_entry(size, rng, replicates):
    """√n·O_11 of a Haar orthogonal matrix is asymptotically standard normal (Borel)."""
    first = rng.standard_normal(replicates)
    return math.sqrt(size) * first / np.sqrt(first**2 + rng.chisquare(size - 1, replicates))


def haar_fourth(size, rng, replicates):
    """n²·E O_11⁴ tends to 3."""
    return haar_entry(size, rng, replicates) ** 4


def smallest_singular(size, rng):
    """P(√n·s_min(G) ≤ 1) of a square Gaussian matrix tends to 1 - exp(-1/2 - 1) (Edelman)."""
    return np.linalg.svd(rng.standard_normal((size, size)), compute_uv=False)[-1] * math.sqrt(size) <= 1


def condition_number(size, rng):
    """E log κ(G) - log n tends to 1.537 (Edelman)."""
    s = np.linalg.svd(rng.standard_normal((size, size)), compute_uv=False)
    return math.log(s[0] / s[-1] / size)


def spacing_ratio(size, rng):
    """The mean ratio of consecutive spacings of GOE eigenvalues is 0.5307 (Atas et al.)."""
    values = np.linalg.eigvalsh(_wigner(size, rng))
    gaps = np.diff(values[size // 4 : -size // 4])
    return (np.minimum(gaps[1:], gaps[:-1]) / np.maximum(gaps[1:], gaps[:-1])).mean()


def free_sum_edge(size, rng):
    """The upper edge of A + UBU*, eigenvalues ±1 half each, tends to 2 (arcsine law)."""
    signs = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    q = np.linalg.qr(rng.standard_normal((size, size)))[0]
    return ((np.diag(signs) + (q * signs) @ q.T) ** 2).sum() / size


def ridgeless_risk(size, rng):
    """Variance of the minimum-norm interpolator, p = 2n: 1/(γ - 1) = 1 (Hastie et al.)."""
    x = rng.standard_normal((size, 2 * size))
    return np.trace(np.linalg.inv(x @ x.T))


def ridge_variance(size, rng):
    """Variance of ridge regression, n = 2p, λ = 1, by the derivative of the Marchenko–Pastur transform."""
    s = np.linalg.eigvalsh(_wishart(size, rng))
    return (s / (s + 1) ** 2).mean() / 2


def least_squares_risk(size, rng):
    """Variance of least squares, n = 2p: γ/(1 - γ) = 1 (Hastie et al.)."""
    x = rng.standard_normal((size, size // 2))
    return np.trace(np.linalg.inv(x.T @ x))


def hanin_nica(size, rng, replicates):
    """Four Gaussian layers of width n: n·E log‖Wx‖² tends to -4 (Hanin, Nica); norms are products of χ²."""
    return size * np.log(rng.chisquare(size, (replicates, 4)) / size).sum(axis=1)


def relu_norm(size, rng):
    """‖φ(Wx)‖² of He-initialised ReLU layers keeps its mean, 1, through three layers."""
    x = np.full(size, 1 / math.sqrt(size))
    for _ in range(3):
        x = np.maximum(0, rng.standard_normal((size, size)) @ x * math.sqrt(2 / size))
    return (x**2).sum()


def random_features(size, rng):
    """The random-feature kernel of ReLU at angle π/2 tends to 1/(2π) (arc-cosine kernel)."""
    w = rng.standard_normal((size, 2))
    return (np.maximum(0, w[:, 0]) * np.maximum(0, w[:, 1])).mean()


def pennington_worah(size, rng):
    """tr M²/n of M = YYᵀ/m, Y = f(WX), f odd, Gaussian: second moment from η and ζ (Pennington, Worah)."""
    y = np.sign(rng.standard_normal((size, size)) @ rng.standard_normal((size, size)))
    m = y @ y.T / size
    return (m**2).sum() / size


def pennington_bahri(size, rng):
    """tr(H0 + H1)²/n of a Wishart plus an independent Wigner matrix tends to 1 + γ + ε² (Pennington, Bahri)."""
    x = rng.standard_normal((size, size))
    h = x @ x.T / size + 0.5 * _wigner(size, rng)
    return (h**2).sum() / size


def louart(size, rng):
    """The Gram matrix of random sign features of Gaussian data: the limit of tr K²/n (Louart et al.)."""
    x = rng.standard_normal((size, size))
    x /= np.linalg.norm(x, axis=0)
    s = np.sign(rng.standard_normal((size, size)) @ x)
    return (np.square(s.T @ s / size)).sum() / size


def ntk_diagonal(size, rng):
    """The tangent kernel of a two-layer ReLU network at one input of norm 1 tends to 1 at initialisation."""
    w, a = rng.standard_normal(size), rng.standard_normal(size)
    return 2 * ((np.maximum(0, w) ** 2).mean() + (a**2 * (w > 0)).mean()) / 2


def dropout_variance(size, rng):
    """Dropout with rate 1/2 of a unit with Gaussian inputs and equal weights adds variance 1."""
    x = rng.standard_normal(size)
    return (x * (2 * rng.integers(0, 2, size) - 1)).sum() ** 2 / size


def central_limit(size, rng, replicates):
    """√n·(mean of exponentials - 1) is asymptotically standard normal."""
    return (rng.gamma(size, size=replicates) - size) / math.sqrt(size)


def statements():
    """All statements as claims."""
    half = math.sqrt(0.5)
    # tr M²/n for square Y = sign(WX): Gaussian moments η = 1 and ζ = 2/π enter as 2η² + ζ² (Pennington, Worah).
    sign_second = 2 + (2 / math.pi) ** 2
    ridge = _mp_variance(1.0, 0.5)
    t = {"tolerance": 0.02}
    made = [
        (
            "wigner.edge",
            wigner_edge,
            {"limit": 2.0, "exponents": (2 / 3,), **t},
            SIZES,
        ),
        (
            "wigner.fourth",
            wigner_fourth,
            {"limit": 2.0, "rate": 1.0, "amplitude": 5.0, "tolerance": 0.5, "exponents": (1.0,)},
            TINY,
        ),
        ("wigner.law", wigner_law, {"law": semicircle_cdf, **t, "exponents": (1.0,)}, SIZES),
        (
            "tracy.widom",
            tracy_widom_mean,
            {"limit": -1.2065, "exponents": (1 / 3,), "tolerance": 0.1, "mode": "mean"},
            SIZES,
        ),
        (
            "mp.upper",
            mp_upper_edge,
            {"limit": (1 + half) ** 2, "exponents": (2 / 3,), "tolerance": 0.03},
            SIZES,
        ),
        (
            "mp.lower",
            mp_lower_edge,
            {"limit": (1 - half) ** 2, "exponents": (2 / 3,), "tolerance": 0.005},
            SIZES,
        ),
        ("mp.second", mp_second, {"limit": 1.5, "exponents": (1.0,), **t}, SIZES),
        ("mp.third", mp_third, {"limit": 1 + 1.5 + 0.25, "exponents": (1.0,), "tolerance": 0.03}, SIZES),
        ("mp.inverse", mp_inverse, {"limit": 2.0, "exponents": (1.0,), **t}, SIZES),
        ("log.det", log_det, {"limit": math.log(2) - 1, "exponents": (1.0,), "tolerance": 0.005}, SIZES),
        ("bbp", bbp, {"limit": 4 * (1 + 0.5 / 3), "exponents": (1.0,), "tolerance": 0.05}, SIZES),
        ("spiked.vector", spiked_vector, {"limit": 0.75, "exponents": (1.0,), "tolerance": 0.01}, SIZES),
        ("spiked.value", spiked_value, {"limit": 2.5, "exponents": (1.0,), **t}, SIZES),
        (
            "davidson.szarek",
            davidson_szarek,
            {"bound": lambda size: math.exp(-size * 0.03**2 / 2), "of": "probability", "tolerance": 1e-3},
            SMALL,
        ),
        ("gordon", gordon, {"bound": 1 + half, "of": "mean", "tolerance": 1e-3}, SMALL),
        ("circular", circular, {"limit": 0.25, "exponents": (1.0,), "tolerance": 0.005}, SIZES),
        ("ginibre.radius", ginibre_radius, {"limit": 1.0, "tolerance": 0.05, "exponents": (0.5,)}, SIZES),
        (
            "linear.statistic",
            linear_statistic,
            {"law": scipy.stats.norm(), "tolerance": 0.02, "cost": 1e-6},
            SIZES,
        ),
        ("haar.entry", haar_entry, {"law": scipy.stats.norm(), "tolerance": 0.02, "cost": 1e-6}, SIZES),
        (
            "haar.fourth",
            haar_fourth,
            {"limit": 3.0, "exponents": (1.0,), "tolerance": 0.06, "mode": "mean", "cost": 1e-6},
            SIZES,
        ),
        (
            "smallest.singular",
            smallest_singular,
            {"probability": 1 - math.exp(-1.5), "exponents": (1.0,), **t},
            TINY,
        ),
        (
            "condition.number",
            condition_number,
            {"limit": 1.537, "exponents": (1.0,), "tolerance": 0.06, "mode": "mean"},
            TINY,
        ),
        ("spacing.ratio", spacing_ratio, {"limit": 0.5307, "exponents": (1.0,), "tolerance": 0.005}, SIZES),
        ("free.sum", free_sum_edge, {"limit": 2.0, "exponents": (1.0,), **t}, SIZES),
        ("ridgeless", ridgeless_risk, {"limit": 1.0, "exponents": (1.0,), **t}, SIZES),
        ("ridge.variance", ridge_variance, {"limit": ridge, "exponents": (1.0,), "tolerance": 0.002}, SIZES),
        ("least.squares", least_squares_risk, {"limit": 1.0, "exponents": (1.0,), **t}, SIZES),
        (
            "hanin.nica",
            hanin_nica,
            {"limit": -4.0, "exponents": (1.0,), "tolerance": 0.2, "mode": "mean", "cost": 1e-6},
            TINY,
        ),
        (
            "relu.norm",
            relu_norm,
            {"limit": 1.0, "exponents": (1.0,), **t, "cost": lambda n: 1e-8 * n**2},
            SMALL,
        ),
        (
            "random.features",
            random_features,
            {"limit": 1 / (2 * math.pi), "exponents": (1.0,), "tolerance": 0.002, "cost": 1e-5},
            SIZES,
        ),
        (
            "pennington.worah",
            pennington_worah,
            {"limit": sign_second, "exponents": (1.0,), "tolerance": 0.03},
            SIZES,
        ),
        ("pennington.bahri", pennington_bahri, {"limit": 2.25, "exponents": (1.0,), **t}, SIZES),
        ("louart", louart, {"limit": sign_second, "exponents": (1.0,), "tolerance": 0.03}, SIZES),
        ("ntk.diagonal", ntk_diagonal, {"limit": 1.0, "exponents": (1.0,), **t, "cost": 1e-5}, SIZES),
        (
            "dropout",
            dropout_variance,
            {"limit": 1.0, "exponents": (1.0,), **t, "mode": "mean", "cost": 1e-5},
            SIZES,
        ),
        (
            "central.limit",
            central_limit,
            {"law": scipy.stats.norm(), "tolerance": 0.02, "cost": 1e-6, "exponents": (1.0,)},
            SIZES,
        ),
    ]
    return [
        claim(name, function, **{"cost": dense, "sizes": sizes, **options})
        for name, function, options, sizes in made
    ]


def _mp_variance(lam, gamma):
    """γ·∫ s/(s + λ)² dF(s) under the Marchenko–Pastur law of ratio γ, by quadrature."""
    low, high = (1 - math.sqrt(gamma)) ** 2, (1 + math.sqrt(gamma)) ** 2
    angle = (np.arange(2000) + 0.5) / 2000 * math.pi
    x = (low + high) / 2 + (high - low) / 2 * np.cos(angle)
    weight = ((high - low) / 2 * np.sin(angle)) ** 2 / (2 * math.pi * gamma * x) * math.pi / 2000
    return float((weight * x / (x + lam) ** 2).sum()) * gamma


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--budget", type=float, default=None, help="seconds for all together (default: 120 each)"
    )
    parser.add_argument(
        "--max-wall", type=float, default=None, help="stop after so many seconds of the clock"
    )
    parser.add_argument("--plan", default="measured", help="unit of the budget, as in rmtsim verify")
    parser.add_argument("--only", default="", help="statements whose name contains this")
    arguments = parser.parse_args()
    chosen = [each for each in statements() if arguments.only in each.id]
    started = time.monotonic()
    results = verify(
        chosen,
        seed=arguments.seed,
        budget=arguments.budget,
        stop=None if arguments.max_wall is None else lambda: time.monotonic() - started > arguments.max_wall,
        plan=arguments.plan,
        executor=arguments.workers,
        progress=lambda step: step.result and print(f"  {step.result!r}", flush=True),
    )
    print("| statement | verdict | estimate | stated | seconds | lacks |")
    print("|---|---|---|---|---|---|")
    for result in results:
        point = result.deciding
        estimate = "" if point.estimate is None else f"{point.estimate:.4g}"
        stated = "" if point.predicted is None else f"{point.predicted:.4g} ± {point.tolerance:.2g}"
        cells = (result.claim, str(result.verdict), estimate, stated, f"{result.seconds:.1f}", point.needs)
        print(f"| {' | '.join(cells)} |")
    right = sum(str(result.verdict) == "CONFIRMED" for result in results)
    wrong = sum(str(result.verdict) == "REFUTED" for result in results)
    took = time.monotonic() - started
    print(f"\n{right} of {len(results)} decided rightly, {wrong} wrongly, in {took:.0f} s of the clock")


if __name__ == "__main__":
    main()
