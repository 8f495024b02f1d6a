"""Loss of covariance estimators: simulated populations, and held-out likelihood on data that scikit-learn ships.

python benchmarks/covariance.py --draws 20

Simulated: mean of ‖Σ̂ − Σ‖²_F over draws, in units of the sample covariance's. Real, standardised: mean log-likelihood
of rows left out, five folds.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.covariance import OAS, EmpiricalCovariance, LedoitWolf
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold, cross_val_score

from rmtsim.estimators import NonlinearShrinkage

RATIOS = (0.1, 0.5, 1.0, 2.0, 5.0)


def populations(p: int) -> dict[str, tuple[np.ndarray, bool]]:
    """Population covariances by name, and whether the rows are elliptical with heavy tails."""
    lags = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return {
        "identity": (np.eye(p), False),
        "spiked": (np.diag(np.r_[np.full(3, 15.0), np.ones(p - 3)]), False),
        "two atoms": (np.diag(np.repeat([1.0, 10.0], p // 2)), False),
        "autoregressive 0.7": (0.7**lags, False),
        "two atoms, t 5 degrees": (np.diag(np.repeat([1.0, 10.0], p // 2)), True),
    }


def simulated(draws: int, p: int, seed: int) -> None:
    print(f"{p} features, {draws} draws: mean squared Frobenius loss over that of the sample covariance")
    print("| population | p/n | rmtsim | Ledoit–Wolf | OAS |\n|---|---|---|---|---|")
    for name, (sigma, heavy) in populations(p).items():
        root = np.linalg.cholesky(sigma)
        for ratio in RATIOS:
            n = round(p / ratio)
            losses = np.zeros(4)
            for draw in range(draws):
                rng = np.random.default_rng([seed, n, draw])
                x = rng.standard_normal((n, p)) @ root.T
                if heavy:
                    x *= np.sqrt(3 / rng.chisquare(5, n))[:, None]
                for place, estimator in enumerate(
                    (NonlinearShrinkage(), LedoitWolf(), OAS(), EmpiricalCovariance())
                ):
                    losses[place] += np.linalg.norm(estimator.fit(x).covariance_ - sigma) ** 2
            own, linear, oas = losses[:3] / losses[3]
            print(f"| {name} | {ratio} | {own:.3g} | {linear:.3g} | {oas:.3g} |", flush=True)


def real() -> None:
    print(
        "| data | rmtsim, Stein | Ledoit–Wolf | OAS | sample | components and equal noise (their number) |\n"
        "|---|---|---|---|---|---|"
    )
    for load in (load_breast_cancer, load_digits, load_wine, load_diabetes):
        x = load().data
        x = x[:, x.std(axis=0) > 0.1 * x.std(axis=0).max()] if load is load_digits else x
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        folds = KFold(5, shuffle=True, random_state=0)
        scores = [
            cross_val_score(estimator, x, cv=folds).mean()
            for estimator in (NonlinearShrinkage(loss="stein"), LedoitWolf(), OAS(), EmpiricalCovariance())
        ]
        few = [cross_val_score(PCA(count), x, cv=folds).mean() for count in range(1, x.shape[1])]
        best = int(np.argmax(few))
        shown = " | ".join(f"{score:.4g}" for score in scores)
        print(f"| {load.__name__[5:]} {x.shape} | {shown} | {few[best]:.4g} ({best + 1}) |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--features", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261118)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    real()
    simulated(options.draws, options.features, options.seed)


if __name__ == "__main__":
    main()
