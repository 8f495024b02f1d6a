"""Level and power of rank estimates on noise of many kinds: the default of ``spectrum`` beside the Tracy–Widom test.

python benchmarks/rank.py --draws 400

A row is a kind of noise. "default" is ``spectrum(data).rank``, "Tracy–Widom" the number of outliers of
``spectrum(data, test="tracy-widom")`` whatever its bulk looks like. Level is the share of draws of pure noise with at
least one component, "none" the share of these draws in which the default gives no rank, power the share of draws with
one component of the given strength, in units of the threshold of white noise, in which at least one is found.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra import spectrum

Array = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Array]
LEVEL = 0.05
STRENGTHS = (1.1, 1.5, 2.0)


def _autocorrelated(memory: float) -> Noise:
    def draw(rng: np.random.Generator, n: int, p: int) -> Array:
        z = rng.standard_normal((n, p))
        for row in range(1, n):
            z[row] = memory * z[row - 1] + np.sqrt(1 - memory**2) * z[row]
        return z

    return draw


def _turned(noise: Noise) -> Noise:
    return lambda rng, n, p: noise(rng, p, n).T


def _copies(rng: np.random.Generator, n: int, p: int) -> Array:
    z = rng.standard_normal((n, p))
    z[:, 1] = z[:, 0]
    return z


def _variances(count: int) -> Array:
    return np.sqrt(np.linspace(0.5, 2, count))


NOISE: dict[str, Noise] = {
    "Gaussian": lambda rng, n, p: rng.standard_normal((n, p)),
    "Rademacher": lambda rng, n, p: rng.choice([-1.0, 1.0], (n, p)),
    "uniform": lambda rng, n, p: rng.uniform(-1, 1, (n, p)),
    "Laplace": lambda rng, n, p: rng.laplace(size=(n, p)),
    "t, 5 degrees": lambda rng, n, p: rng.standard_t(5, (n, p)),
    "t, 3 degrees": lambda rng, n, p: rng.standard_t(3, (n, p)),
    "lognormal, centred": lambda rng, n, p: rng.lognormal(size=(n, p)) - np.exp(0.5),
    "Bernoulli 0.05, centred": lambda rng, n, p: (rng.random((n, p)) < 0.05) - 0.05,
    "Poisson 2, centred": lambda rng, n, p: rng.poisson(2.0, (n, p)) - 2.0,
    "column variances 0.5 to 2": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(p),
    "row variances 0.5 to 2": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(n)[:, None],
    "both": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(p) * _variances(n)[:, None],
    "elliptical, t 5 degrees": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.sqrt(5 / rng.chisquare(5, n))[:, None]
    ),
    **{f"rows autoregressive, {memory}": _autocorrelated(memory) for memory in (0.1, 0.2, 0.5, 0.9)},
    "columns autoregressive, 0.3": _turned(_autocorrelated(0.3)),
    "columns autoregressive, 0.7": _turned(_autocorrelated(0.7)),
    "two equal columns": _copies,
}


def measure(
    name: str, shape: tuple[int, int], draws: int, powers: int, seed: int
) -> tuple[float, float, float, list[tuple[float, float]]]:
    """Level of the default and of Tracy–Widom, share without a rank, and powers of both at each strength."""
    rows, columns = shape
    false, none, found = np.zeros(2), 0, np.zeros((len(STRENGTHS), 2))
    for draw in range(draws):
        rng = np.random.default_rng([seed, *shape, sorted(NOISE).index(name), draw])
        noise = NOISE[name](rng, rows, columns)
        rank = spectrum(noise, level=LEVEL).rank
        false += [bool(rank), bool(spectrum(noise, level=LEVEL, test="tracy-widom").outliers)]
        none += rank is None
        if draw >= powers:
            continue
        left, right = rng.standard_normal(rows), rng.standard_normal(columns)
        direction = np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))
        for place, strength in enumerate(STRENGTHS):
            # The threshold of ‖u‖‖v‖ for white noise is σ(n p)^(1/4).
            data = noise + strength * noise.std() * (rows * columns) ** 0.25 * direction
            found[place] += [
                bool(spectrum(data, level=LEVEL).rank),
                bool(spectrum(data, level=LEVEL, test="tracy-widom").outliers),
            ]
    shares = [(a, b) for a, b in (found / max(powers, 1)).tolist()]
    return float(false[0]) / draws, float(false[1]) / draws, none / draws, shares


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--powers", type=int, default=0, help="draws with a component")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--noise", nargs="+", choices=list(NOISE), default=list(NOISE))
    parser.add_argument("--seed", type=int, default=20261118)
    options = parser.parse_args()
    shape = (options.rows, options.columns)
    print(f"{shape[0]} × {shape[1]}, level {LEVEL}, {options.draws} draws, power from {options.powers}")
    strengths = "".join(f" power at {strength}: default, Tracy–Widom |" for strength in STRENGTHS)
    print(f"| noise | level: default | none | level: Tracy–Widom |{strengths if options.powers else ''}")
    print("|---|---|---|---|" + "---|" * (len(STRENGTHS) if options.powers else 0))
    for name in options.noise:
        level, other, none, powers = measure(name, shape, options.draws, options.powers, options.seed)
        cells = "".join(f" {a:.2f}, {b:.2f} |" for a, b in powers) if options.powers else ""
        print(f"| {name} | {level:.3f} | {none:.2f} | {other:.2f} |{cells}", flush=True)


if __name__ == "__main__":
    main()
