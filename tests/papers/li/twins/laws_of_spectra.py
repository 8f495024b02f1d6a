"""Twins of the statements about the spectra of random matrices and the laws they follow."""

import numpy as np

from tests.papers.li.twins.ensembles import (
    banded_variance,
    draw,
    symmetric,
    two_block_variance,
    wigner_variance,
)
from tests.papers.twinning import twin

TRACES, LAWS = {}, {}


def wigner(n, rng):
    return symmetric(wigner_variance(n, 1.0), rng)


def drawn(ensemble, n, rng, point):
    if ensemble == "deformed":
        a = np.where(np.arange(n) < n // 2, -1.0, 1.0) * point["separation"]
        return np.diag(a) + wigner(n, rng)
    return draw(ensemble, n, rng, point)


def solved_trace(ensemble, n, z, point):
    """t of the recipe, by a damped iteration of its few unknowns."""
    if ensemble == "rectangular":
        rows, u, w = max(1, round(point["ratio"] * n)), 1j, 1j
        for _ in range(3000):
            u, w = 0.5 * u - 0.5 / (z + w), 0.5 * w - 0.5 / (z + rows / n * u)
        return rows * u + n * w
    q = 1j
    if ensemble == "separable":
        index = np.arange(n)
        s = np.linalg.eigvalsh(point["correlation"] ** np.abs(index[:, None] - index))
        for _ in range(3000):
            q = 0.5 * q + 0.5 * np.mean(-s / (z + s * q))
        return np.sum(-1 / (z + s * q))
    a = np.where(np.arange(n) < n // 2, -1.0, 1.0) * point["separation"]
    for _ in range(3000):
        q = 0.5 * q + 0.5 * np.mean(1 / (a - z - q))
    return np.sum(1 / (a - z - q))


def gap(size, rng, ensemble, corrected, x, height, **point):
    z = complex(x, height)
    key = (ensemble, size, z, *point.values())
    if key not in TRACES:
        TRACES[key] = solved_trace(ensemble, size, z, point)
    h = drawn(ensemble, size, rng, point)
    found = abs(np.trace(np.linalg.inv(h - z * np.eye(len(h)))) - TRACES[key])
    return found / len(h) if corrected else found


def mean_trace(ensemble, z, m, point):
    """One step of the equations of the law of infinite matrices: new unknowns (last axis) from m."""
    if ensemble == "deformed":
        a = np.array([-1.0, 1.0]) * point["separation"]
        return 1 / (a - z - m.mean(axis=-1, keepdims=True))
    if ensemble == "separable":
        r = point["correlation"]
        s = (1 - r**2) / (1 - 2 * r * np.cos(np.pi * (np.arange(64) + 0.5) / 64) + r**2)
        return -1 / (z + s * (m * s).mean(axis=-1, keepdims=True))
    if ensemble == "two-block":
        return -1 / (z + m @ two_block_variance(2, point["across"]))
    # The places x_k and x_(65-k) have the same solution: half of them are unknowns.
    s = banded_variance(64, point["width"])
    return -1 / (z + m @ (s[:32, :32] + s[:32, :31:-1]).T)


UNKNOWNS = {"deformed": 2, "separable": 64, "two-block": 2, "banded": 32}


def distribution(ensemble, point, places=240, step=0.7, sweeps=20):
    """Grid x ≥ 0 and F there: F(x) = ½ - (1/π) ∫ Re m(x + iy) dy, y from 0 to ∞, as the laws are symmetric."""
    # The law ends at 2‖S‖^½ at most, beyond the largest eigenvalue of the mean.
    edge = {
        "deformed": lambda separation: 2 + separation,
        "separable": lambda correlation: 2 * np.sqrt((1 + correlation) / (1 - correlation)),
        "two-block": lambda across: 2 * np.sqrt((1 + across) / 2),
        "banded": lambda width: 2 * np.sqrt(1.2),
    }[ensemble](**point)
    # Places are denser at the middle, where a separable law has its peak.
    x = edge * np.linspace(0, 1, places) ** 1.5
    heights = np.exp(np.arange(np.log(1e6), np.log(1e-5), -step))
    m, total = np.full((places, UNKNOWNS[ensemble]), 1e-6j), np.zeros(places)
    for height in heights:
        z = (x + 1j * height)[:, None]
        for _ in range(sweeps):
            m = 0.5 * (m + mean_trace(ensemble, z, m, point))
        total += m.mean(axis=-1).real * height * step
    return x, 0.5 - total / np.pi


def continuous(values, law):
    x, f = law
    stated = np.where(values >= 0, np.interp(values, x, f), 1 - np.interp(-values, x, f))
    steps = np.arange(len(values) + 1) / len(values)
    return max(np.abs(steps[1:] - stated).max(), np.abs(steps[:-1] - stated).max())


def distance(size, rng, ensemble, **point):
    key = (ensemble, *point.values())
    if key not in LAWS:
        LAWS[key] = distribution(ensemble, point)
    return continuous(np.linalg.eigvalsh(drawn(ensemble, size, rng, point)), LAWS[key])


PLACES = [(12, {"x": 0.5, "height": 0.5}), (20, {"x": -0.3, "height": 1.0})]
for _name, _parameter, _values in (
    ("separable", "correlation", (0.5, 0.8)),
    ("deformed", "separation", (1.4, 0.6)),
    ("rectangular", "ratio", (0.5, 2.0)),
    ("two-block", "across", (0.2, 1.0)),
    ("banded", "width", (0.15, 0.4)),
):
    _points = [{_parameter: value} for value in _values]
    if _name in ("separable", "deformed", "rectangular"):
        twin(
            {
                f"li.thm2.c.{_name}": {"ensemble": _name, "corrected": False},
                f"li.thm2.c.{_name}/corrected": {"ensemble": _name, "corrected": True},
            },
            [(n, {**place, **point}) for (n, place), point in zip(PLACES, _points, strict=True)],
            replicates=1000,
        )(gap)
    if _name != "rectangular":
        # Both distribution functions come from densities on grids.
        twin(
            {f"li.thm2.law.{_name}": {"ensemble": _name}},
            [(12, _points[0]), (20, _points[1])],
            replicates=600,
            accuracy=2e-4,
        )(distance)


def singular_law(ratio, count=4000):
    """Grid of x > 0 and F there, of the density √(4x² - (x² + 1 - ratio)²)/(π(1 + ratio)x)."""
    low, high = abs(1 - np.sqrt(ratio)), 1 + np.sqrt(ratio)
    # x² in the middle of its interval plus half of it times -cos(angle): the root is 2√ratio·sin(angle).
    angle = np.linspace(0, np.pi, count)
    square = (low**2 + high**2) / 2 - 2 * np.sqrt(ratio) * np.cos(angle)
    # density·dx = 2√ratio·sin(angle)/(π(1 + ratio)x)·√ratio·sin(angle)/x·d angle
    rate = 2 * ratio * np.sin(angle) ** 2 / (np.pi * (1 + ratio) * np.maximum(square, 1e-300))
    below = np.append(0, np.cumsum((rate[1:] + rate[:-1]) / 2) * (angle[1] - angle[0]))
    start = 0.5 + abs(1 - ratio) / (1 + ratio) / 2
    return np.sqrt(square), start + below


@twin("li.thm2.law.rectangular", [(9, {"ratio": 0.5}), (6, {"ratio": 2.0})], replicates=600, accuracy=2e-4)
def rectangular_distance(size, rng, ratio):
    if ratio not in LAWS:
        LAWS[ratio] = singular_law(ratio)
    rows = max(1, round(ratio * size))
    values = np.linalg.svd(rng.normal(size=(rows, size)) / np.sqrt(size), compute_uv=False)
    side = rows + size
    # All is mirrored: the distance over x ≥ 0, where F_H starts at ½ plus half of the zeros.
    zeros = side - 2 * len(values)
    stated = np.interp(np.sort(values), *LAWS[ratio])
    steps = (len(values) + zeros + np.arange(len(values) + 1)) / side
    jump = abs(steps[0] - LAWS[ratio][1][0])
    return max(jump, np.abs(steps[1:] - stated).max(), np.abs(steps[:-1] - stated).max())


@twin(
    {"li.lemmaF.2": {}, "li.lemmaF.2/corrected": {}},
    [(12, {"factor": 2.0, "reach": 1.0}), (20, {"factor": 0.5, "reach": 0.6})],
    replicates=1000,
)
def window(size, rng, factor, reach):
    values = factor * np.linalg.eigvalsh(wigner(size, rng))
    return np.mean((values > -reach) & (values <= reach))


@twin(
    {
        "li.remarkD.4.eigenvalues": {"corrected": False},
        "li.remarkD.4.eigenvalues/corrected": {"corrected": True},
    },
    [(8, {}), (20, {})],
    replicates=4000,
)
def outside(size, rng, corrected):
    excess = np.abs(np.linalg.eigvalsh(wigner(size, rng))).max() - 2 * np.sqrt(1 + 1 / size)
    return max(0.0, excess) if corrected else float(excess <= 0)


@twin(
    {"li.sec4.3.2.pairing": {}, "li.sec4.3.2.pairing/corrected": {}},
    [(9, {}), (16, {})],
    replicates=1000,
)
def pairing(size, rng):
    values = np.linalg.eigvalsh(wigner(size, rng))
    return np.abs(values + values[::-1]).sum() / np.abs(values).sum()


@twin(
    {"li.appB.2.wigner": {"power": 0}, "li.appB.2.wigner/corrected": {"power": 0.5}},
    [(9, {}), (16, {})],
    replicates=2000,
)
def semicircle_share(size, rng, power):
    values = np.sqrt(size) * np.linalg.eigvalsh(wigner(size, rng))
    return np.mean(np.abs(values / size**power) <= 2)
