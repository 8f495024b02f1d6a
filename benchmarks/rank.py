"""Level and power of rank estimates on noise of several kinds: the default of ``spectrum`` beside its two tests.

python benchmarks/rank.py --draws 400

A row is a kind of noise. For each method: share of draws of pure noise with a rank above zero ("level"), share of draws
with one component of strength 1.5 times the threshold in which the rank is at least one ("power"), and share of the
former draws in which the method gives no rank ("none").
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra import spectrum

Array = NDArray[np.float64]
METHODS = ("auto", "tracy-widom", "signs")
LEVEL = 0.05


def _autocorrelated(rng: np.random.Generator, rows: int, columns: int, memory: float) -> Array:
    z = rng.standard_normal((rows, columns))
    for row in range(1, rows):
        z[row] = memory * z[row - 1] + np.sqrt(1 - memory**2) * z[row]
    return z


def _sparse(rng: np.random.Generator, n: int, p: int) -> Array:
    return (rng.random((n, p)) < 0.05) - 0.05


NOISE: dict[str, Callable[[np.random.Generator, int, int], Array]] = {
    "Gaussian": lambda rng, n, p: rng.standard_normal((n, p)),
    "uniform": lambda rng, n, p: rng.uniform(-1, 1, (n, p)),
    "Laplace": lambda rng, n, p: rng.laplace(size=(n, p)),
    "t, 5 degrees": lambda rng, n, p: rng.standard_t(5, (n, p)),
    "t, 3 degrees": lambda rng, n, p: rng.standard_t(3, (n, p)),
    "lognormal, centred": lambda rng, n, p: rng.lognormal(size=(n, p)) - np.exp(0.5),
    "Bernoulli 0.05, centred": _sparse,
    "column variances 0.5 to 2": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.sqrt(np.linspace(0.5, 2, p))
    ),
    "row variances 0.5 to 2": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.sqrt(np.linspace(0.5, 2, n))[:, None]
    ),
    "elliptical, t 5 degrees": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.sqrt(5 / rng.chisquare(5, n))[:, None]
    ),
    "rows autocorrelated, 0.2": lambda rng, n, p: _autocorrelated(rng, n, p, 0.2),
    "rows autocorrelated, 0.5": lambda rng, n, p: _autocorrelated(rng, n, p, 0.5),
}


def measure(
    name: str, methods: list[str], shape: tuple[int, int], draws: int, seed: int
) -> dict[str, tuple[float, ...]]:
    """Level, power and share without a rank of each method, on the same draws."""
    rows, columns = shape
    counts = {method: np.zeros(3) for method in methods}
    for draw in range(draws):
        rng = np.random.default_rng([seed, sorted(NOISE).index(name), draw])
        noise = NOISE[name](rng, rows, columns)
        left, right = rng.standard_normal(rows), rng.standard_normal(columns)
        # The threshold of ‖u‖‖v‖ for white noise is σ(n p)^(1/4).
        strength = 1.5 * noise.std() * (rows * columns) ** 0.25
        signal = strength * np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))
        for method in methods:
            alone = spectrum(noise, level=LEVEL, test=method, rng=rng).rank
            with_signal = spectrum(noise + signal, level=LEVEL, test=method, rng=rng).rank
            counts[method] += [bool(alone), bool(with_signal), alone is None]
    return {method: tuple((total / draws).tolist()) for method, total in counts.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--noise", nargs="+", choices=list(NOISE), default=list(NOISE))
    parser.add_argument("--seed", type=int, default=20261117)
    options = parser.parse_args()
    heading = " | ".join(f"{method}: level, power, none" for method in options.methods)
    print(f"{options.rows} × {options.columns}, level {LEVEL}, {options.draws} draws")
    print(f"| noise | {heading} |")
    print("|---|" + "---|" * len(options.methods))
    for name in options.noise:
        shape = (options.rows, options.columns)
        found = measure(name, options.methods, shape, options.draws, options.seed)
        cells = " | ".join(", ".join(f"{value:.2f}" for value in found[method]) for method in options.methods)
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
