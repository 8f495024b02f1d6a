"""Level and power of rank estimates on noise of many kinds, beside Tracy–Widom, parallel analysis and sign flips.

python benchmarks/rank.py --rows 200 --columns 100 --save rank.json     # computes rows of the table
python benchmarks/rank.py --save rank.json --page docs/real-data.md    # writes the tables into the page

A row is a kind of noise. "rmtsim" is ``spectrum(data).rank``, "Tracy–Widom" the number of outliers of
``spectrum(data, test="tracy-widom")`` whatever its bulk looks like, "parallel analysis" compares the largest eigenvalue
with those of nineteen matrices whose columns are permuted each by itself, "sign flips" with nineteen matrices whose
entries have random signs (both have level 0.05 if none of the nineteen is as large). Level is the share of draws of
pure noise with at least one component, "no rank" the share in which rmtsim gives no number. Power is the share of
draws with one component of the given strength, in units of the threshold of white noise, in which one is found.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rmtsim.spectra import spectrum

Array = NDArray[Any]
Noise = Callable[[np.random.Generator, int, int], Array]
LEVEL = 0.05
STRENGTH = 2.0
PEERS = 19
METHODS = ("rmtsim", "Tracy–Widom", "parallel analysis", "sign flips")


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


def _constants(rng: np.random.Generator, n: int, p: int) -> Array:
    z = rng.standard_normal((n, p))
    z[:, :2] = 0.0
    return z


def _variances(count: int) -> Array:
    return np.sqrt(np.linspace(0.5, 2, count))


def _blocks(rng: np.random.Generator, n: int, p: int) -> Array:
    """Pairs of columns with a correlation of 0.3."""
    z = rng.standard_normal((n, p))
    z[:, 1::2] = 0.3 * z[:, 0 : 2 * (p // 2) : 2] + np.sqrt(1 - 0.09) * z[:, 1::2]
    return z


def _complex(rng: np.random.Generator, n: int, p: int) -> Array:
    return np.asarray(rng.standard_normal((n, p)) + 1j * rng.standard_normal((n, p)))


def _moving_average(rng: np.random.Generator, n: int, p: int) -> Array:
    """Rows that average three neighbours of white noise."""
    z = rng.standard_normal((n + 2, p))
    return np.asarray(z[2:] + 0.6 * z[1:-1] + 0.4 * z[:-2])


def _weak_factors(rng: np.random.Generator, n: int, p: int) -> Array:
    """Ten factors, each of half the strength that is visible, on top of white noise."""
    left, right = rng.standard_normal((n, 10)), rng.standard_normal((10, p))
    return np.asarray(rng.standard_normal((n, p)) + 0.5 * (n * p) ** -0.25 * left @ right)


def _row_groups(rng: np.random.Generator, n: int, p: int) -> Array:
    """A third of the rows has three times the standard deviation of the others."""
    return np.asarray(rng.standard_normal((n, p)) * np.where(rng.random(n) < 1 / 3, 3, 1)[:, None])


NOISE: dict[str, Noise] = {
    "Gaussian": lambda rng, n, p: rng.standard_normal((n, p)),
    "Gaussian, complex": _complex,
    "Rademacher": lambda rng, n, p: rng.choice([-1.0, 1.0], (n, p)),
    "Laplace": lambda rng, n, p: rng.laplace(size=(n, p)),
    "t, 5 degrees": lambda rng, n, p: rng.standard_t(5, (n, p)),
    "t, 3 degrees": lambda rng, n, p: rng.standard_t(3, (n, p)),
    "lognormal, centred": lambda rng, n, p: rng.lognormal(size=(n, p)) - np.exp(0.5),
    "Bernoulli 0.05, centred": lambda rng, n, p: (rng.random((n, p)) < 0.05) - 0.05,
    "counts (Poisson 2), centred": lambda rng, n, p: rng.poisson(2.0, (n, p)) - 2.0,
    "mixture, one entry in 50 five times as large": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.where(rng.random((n, p)) < 0.02, 5, 1)
    ),
    "column variances 0.5 to 2": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(p),
    "row variances 0.5 to 2": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(n)[:, None],
    "both": lambda rng, n, p: rng.standard_normal((n, p)) * _variances(p) * _variances(n)[:, None],
    "heavy rows (elliptical, t 5 degrees)": lambda rng, n, p: (
        rng.standard_normal((n, p)) * np.sqrt(5 / rng.chisquare(5, n))[:, None]
    ),
    **{f"rows autoregressive, {memory}": _autocorrelated(memory) for memory in (0.1, 0.2, 0.5, 0.9)},
    "columns autoregressive, 0.3": _turned(_autocorrelated(0.3)),
    "pairs of correlated columns": _blocks,
    "two equal columns": _copies,
    "two constant columns": _constants,
    "gamma, shape 1, centred": lambda rng, n, p: rng.standard_gamma(1.0, (n, p)) - 1.0,
    "zero-inflated counts, centred": lambda rng, n, p: (
        rng.poisson(3.0, (n, p)) * (rng.random((n, p)) < 0.3) - 0.9
    ),
    "two groups of rows, scales 1 and 3": _row_groups,
    "rows moving average of order 2": _moving_average,
    "ten factors below the threshold": _weak_factors,
    "Gaussian rounded to integers": lambda rng, n, p: np.round(rng.standard_normal((n, p))),
    "t, 4 degrees, column variances 0.5 to 2": lambda rng, n, p: rng.standard_t(4, (n, p)) * _variances(p),
}


def _largest(stack: Array) -> Array:
    turned = np.swapaxes(stack.conj(), -1, -2)
    gram = turned @ stack if stack.shape[-2] >= stack.shape[-1] else stack @ turned
    return np.asarray(np.linalg.eigvalsh(gram)[..., -1])


def _peers(data: Array, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether parallel analysis and sign flips find a component."""
    shuffled = rng.permuted(np.broadcast_to(data, (PEERS, *data.shape)), axis=1)
    flipped = data * rng.choice([-1.0, 1.0], (PEERS, *data.shape))
    top = float(_largest(data))
    return top > float(_largest(shuffled).max()), top > float(_largest(flipped).max())


def _found(data: Array, rng: np.random.Generator, peers: bool) -> tuple[int | None, list[float]]:
    """The rank, and who finds a component."""
    rank = spectrum(data, level=LEVEL, kind="covariance").rank
    known = bool(spectrum(data, level=LEVEL, kind="covariance", test="tracy-widom").outliers)
    return rank, [bool(rank), known, *(_peers(data, rng) if peers else (np.nan, np.nan))]


def measure(name: str, shape: tuple[int, int], draws: int, fewer: int, seed: int) -> dict[str, Any]:
    """Levels, share without a rank, powers; peers and powers from ``fewer`` draws."""
    rows, columns = shape
    false, found, none, exact = [], [], 0, 0
    for draw in range(draws):
        rng = np.random.default_rng([seed, *shape, *name.encode(), draw])
        noise = NOISE[name](rng, rows, columns)
        rank, who = _found(noise, rng, draw < fewer)
        false.append(who)
        none += rank is None
        if draw >= fewer:
            continue
        left, right = rng.standard_normal(rows), rng.standard_normal(columns)
        direction = np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))
        # The threshold of ‖u‖‖v‖ for white noise is σ(n p)^(1/4).
        data = noise + STRENGTH * noise.std() * (rows * columns) ** 0.25 * direction
        rank, who = _found(data, rng, True)
        found.append(who)
        exact += rank == 1
    return {
        "level": np.nanmean(false, axis=0).tolist(),
        "power": np.mean(found, axis=0).tolist() if fewer else None,
        "none": none / draws,
        "one": exact / max(fewer, 1),
        "draws": draws,
        "fewer": fewer,
    }


def localised(shape: tuple[int, int], strength: float, draws: int, seed: int) -> dict[str, Any]:
    """Power in Gaussian noise for a component along one column, along one row, and spread over all."""
    rows, columns = shape
    powers = {}
    for where in ("column", "row", "spread"):
        found = []
        for draw in range(draws):
            rng = np.random.default_rng([seed, *shape, 77, draw])
            noise = rng.standard_normal(shape)
            left, right = rng.standard_normal(rows), rng.standard_normal(columns)
            if where == "column":
                right = np.eye(columns)[0]
            if where == "row":
                left = np.eye(rows)[0]
            size = strength * (rows * columns) ** 0.25 / np.linalg.norm(left) / np.linalg.norm(right)
            found.append(_found(noise + size * np.outer(left, right), rng, True)[1])
        powers[where] = np.mean(found, axis=0).tolist()
    return {"strength": strength, "powers": powers, "draws": draws}


def tables(results: dict[str, Any]) -> str:
    """The tables in Markdown."""
    lines = []
    for size in sorted({key.split(" | ")[0] for key in results}, key=lambda text: -int(text.split(" ")[0])):
        rows = {key.split(" | ")[1]: row for key, row in results.items() if key.startswith(f"{size} | ")}
        draws = sorted({(row["draws"], row["fewer"]) for row in rows.values() if "level" in row})
        noise = {name: row for name, row in rows.items() if "level" in row}
        if noise:
            counts = ", ".join(f"{a} draws of noise, {b} with a component or for peers" for a, b in draws)
            heads = " | ".join(METHODS)
            lines += [
                f"{size}, level {LEVEL}, strength {STRENGTH:g}: {counts}.\n",
                f"| noise | level: {heads} | no rank | power: {heads} | rank 1 |",
                "|---|" + "---|" * 10,
            ]
            for name, row in noise.items():
                level = " | ".join(f"{value:.3f}" for value in row["level"])
                power = " | ".join(f"{value:.2f}" for value in row["power"])
                lines.append(f"| {name} | {level} | {row['none']:.2f} | {power} | {row['one']:.2f} |")
            lines.append("")
        local = {name: row for name, row in rows.items() if "powers" in row}
        if local:
            drawn = next(iter(local.values()))["draws"]
            lines += [
                f"{size}, Gaussian noise, power by the place of the component ({drawn} draws):\n",
                f"| strength | place | {' | '.join(METHODS)} |",
                "|---|---|---|---|---|---|",
            ]
            for row in local.values():
                for where, values in row["powers"].items():
                    power = " | ".join(f"{value:.2f}" for value in values)
                    lines.append(f"| {row['strength']:g} | {where} | {power} |")
            lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Compute rows, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--fewer", type=int, default=100, help="draws with a component, and for peers")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--noise", nargs="*", choices=list(NOISE), default=list(NOISE))
    parser.add_argument(
        "--local", nargs="*", type=float, default=[], help="strengths of localised components"
    )
    parser.add_argument("--seed", type=int, default=20261118)
    parser.add_argument("--save", type=Path, help="JSON file that collects the rows")
    parser.add_argument("--page", type=Path, help="Markdown page that gets the tables of the JSON file")
    options = parser.parse_args()
    results = json.loads(options.save.read_text()) if options.save and options.save.exists() else {}
    if options.page:
        text = options.page.read_text(encoding="utf-8")
        begin, end = "<!-- rank: begin -->", "<!-- rank: end -->"
        block = f"{begin}\n{tables(results)}{end}"
        options.page.write_text(
            re.sub(f"{begin}.*?{end}", lambda _: block, text, flags=re.DOTALL), encoding="utf-8"
        )
        return
    shape = (options.rows, options.columns)
    size = f"{shape[0]} × {shape[1]}"

    def keep(key: str, row: dict[str, Any]) -> None:
        results[f"{size} | {key}"] = row
        print(
            key,
            {k: np.round(v, 3).tolist() if isinstance(v, list) else v for k, v in row.items()},
            flush=True,
        )
        if options.save:
            options.save.write_text(json.dumps(results))

    for name in options.noise:
        keep(name, measure(name, shape, options.draws, options.fewer, options.seed))
    for strength in options.local:
        keep(f"local {strength:g}", localised(shape, strength, options.fewer, options.seed))


if __name__ == "__main__":
    main()
