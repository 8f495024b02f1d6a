"""Twins of the statements about random matrices."""

import numpy as np

from tests.papers.twinning import twin


def symmetric(variance, rng):
    drawn = rng.normal(size=variance.shape) * np.sqrt(variance)
    return np.triu(drawn) + np.triu(drawn, 1).T


def wigner_variance(n, variance):
    return (np.ones((n, n)) + np.eye(n)) * variance / n


def two_block_variance(n, across):
    first = np.arange(n) < n // 2
    profile = np.where(first[:, None] & first, 1.0, np.where(first[:, None] | first, across, 0.1))
    return profile / n


def banded_variance(n, width):
    x = (np.arange(n) + 0.5) / n
    return (0.2 + np.exp(-((x[:, None] - x) ** 2) / (2 * width**2))) / n


VARIANCES = {
    "wigner": ("variance", wigner_variance),
    "two-block": ("across", two_block_variance),
    "banded": ("width", banded_variance),
}


def draw(ensemble, n, rng, point):
    if ensemble == "separable":
        index = np.arange(n)
        factor = np.linalg.cholesky(point["correlation"] ** np.abs(index[:, None] - index))
        return factor @ symmetric(wigner_variance(n, 1.0), rng) @ factor.T
    if ensemble == "rectangular":
        x = rng.normal(size=(max(1, round(point["ratio"] * n)), n)) / np.sqrt(n)
        return np.block([[np.zeros((len(x), len(x))), x], [x.T, np.zeros((n, n))]])
    name, variance = VARIANCES[ensemble]
    return symmetric(variance(n, point[name]), rng)


TRACES = {}


def trace_of_solution(ensemble, n, z, point):
    """tr M: with independent entries M is diagonal, S[M]_ii = Σ_j E|h_ij|² M_jj; for Wigner matrices v(tr M)/n."""
    name, variance = VARIANCES[ensemble]
    key = (ensemble, n, z, point[name])
    if key not in TRACES:
        s = np.full((n, n), point[name] / n) if ensemble == "wigner" else variance(n, point[name])
        m = np.full(n, 1j)
        for _ in range(3000):
            m = 0.5 * m - 0.5 / (z + s @ m)
        TRACES[key] = m.sum()
    return TRACES[key]


def at(first, second):
    return [(12, {**first, "x": 0.5, "height": 0.5}), (20, {**second, "x": -0.3, "height": 1.0})]


def gap(size, rng, ensemble, corrected, x, height, **point):
    z = complex(x, height)
    h = draw(ensemble, size, rng, point)
    found = abs(np.trace(np.linalg.inv(h - z * np.eye(len(h)))) - trace_of_solution(ensemble, size, z, point))
    return found / len(h) if corrected else found


for _name, _first, _second in (
    ("wigner", {"variance": 1.0}, {"variance": 2.0}),
    ("two-block", {"across": 0.2}, {"across": 1.0}),
    ("banded", {"width": 0.15}, {"width": 0.4}),
):
    _ids = ["li.thm2.c." + _name] + (["li.eq8"] if _name == "wigner" else [])
    twin(
        {
            f"{each}{form}": {"ensemble": _name, "corrected": bool(form)}
            for each in _ids
            for form in ("", "/corrected")
        },
        at(_first, _second),
        replicates=1000,
    )(gap)


def asymmetry(size, rng, ensemble, **point):
    values = np.linalg.eigvalsh(draw(ensemble, size, rng, point))
    places = np.concatenate([values, -values])
    ours = np.array([np.mean(values <= place) for place in places])
    mirrored = np.array([np.mean(-values <= place) for place in places])
    return np.abs(ours - mirrored).max()


def imbalance(size, rng, ensemble, **point):
    values = np.linalg.eigvalsh(draw(ensemble, size, rng, point))
    values = values[np.abs(values) > 1e-10 * np.sqrt(np.mean(values**2))]
    return abs(np.mean(values < 0) - 0.5)


for _name, _first, _second in (
    ("wigner", {"variance": 1.0}, {"variance": 2.0}),
    ("two-block", {"across": 0.2}, {"across": 1.0}),
    ("banded", {"width": 0.15}, {"width": 0.4}),
    ("separable", {"correlation": 0.5}, {"correlation": 0.8}),
):
    _points = [(13, _first), (20, _second)]
    twin({f"li.thm3.symmetry.{_name}": {"ensemble": _name}}, _points, replicates=500)(asymmetry)
    twin({f"li.thm3.half.{_name}": {"ensemble": _name}}, _points, replicates=1000)(imbalance)

_RECTANGULAR = [(6, {"ratio": 0.5}), (5, {"ratio": 2.0})]
twin({"li.thm3.half.rectangular": {"ensemble": "rectangular"}}, _RECTANGULAR, replicates=20, accuracy=1e-12)(
    imbalance
)


@twin({"li.thm3.symmetry.rectangular": {}}, _RECTANGULAR, replicates=20, accuracy=1e-10)
def mirror(size, rng, ratio):
    values = np.sort(np.linalg.eigvalsh(draw("rectangular", size, rng, {"ratio": ratio})))
    return np.abs(values + values[::-1]).sum() / np.abs(values).sum()


@twin("li.thm2.law.wigner", [(16, {"variance": 1.0}), (24, {"variance": 2.0})], replicates=400, accuracy=1e-6)
def law(size, rng, variance):
    values = np.linalg.eigvalsh(symmetric(wigner_variance(size, variance), rng)) / np.sqrt(variance)
    u = np.clip(values / 2, -1, 1)
    stated = 0.5 + (u * np.sqrt(1 - u**2) + np.arcsin(u)) / np.pi
    steps = np.arange(size + 1) / size
    return max(np.abs(steps[1:] - stated).max(), np.abs(steps[:-1] - stated).max())
