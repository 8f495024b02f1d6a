"""Verdicts from shared randomness: one draw measures all sizes."""

import math

import numpy as np
import pytest

from rmtsim.claims import claim
from rmtsim.claims._files import load_file
from rmtsim.errors import SamplerError
from rmtsim.verdicts import verify

LEVEL = 0.05
SIZES = (16, 32, 64, 128)


def inverse_trace(x):
    gram = np.swapaxes(x, -1, -2) @ x / x.shape[-2]
    return np.trace(np.linalg.inv(gram), axis1=-2, axis2=-1) / 2


def nested(sizes, rng):
    x = rng.standard_normal((64, sizes[-1], 2))
    return np.stack([inverse_trace(x.reshape(64, -1, n, 2)).mean(axis=1) for n in sizes], axis=1)


def separate(size, rng):
    return inverse_trace(rng.standard_normal((64, size, 2)))


def _claims(limit=1.0, tolerance=0.02):
    stated = {"limit": limit, "tolerance": tolerance, "sizes": (32, 64, 128, 256), "exponents": (1.0,)}
    return (
        claim("inverse.nested", coupled=True, cost=2.56e-4, **stated)(nested),
        claim("inverse.separate", cost=lambda n: 1e-6 * n, **stated)(separate),
    )


def test_shared_randomness_narrows_the_interval():
    coupled, plain = (verify(item, budget=3, seed=1)[0].points[0] for item in _claims(tolerance=1e-9))
    assert coupled.nominal == pytest.approx(plain.nominal, rel=0.1)
    assert coupled.interval[0] < 1 < coupled.interval[1]
    assert plain.interval[1] - plain.interval[0] > 1.5 * (coupled.interval[1] - coupled.interval[0])


@pytest.mark.parametrize(("limit", "verdict"), [(1.0, "CONFIRMED"), (1.06, "REFUTED"), (0.94, "REFUTED")])
def test_coupled_verdicts(limit, verdict):
    (result,) = verify(_claims(limit)[0], budget=3)
    assert str(result.verdict) == verdict
    assert sum(result.deciding.weights) == pytest.approx(1)
    assert len(set(result.deciding.replicates)) == 1


def test_a_coupled_rate_with_an_amplitude():
    def gap(sizes, rng):
        noise = rng.standard_normal()
        return [3 / n * (1 + 1 / n) * (1 + 0.3 * noise + 0.03 * rng.standard_normal()) for n in sizes]

    stated = {
        "tolerance": 0.1,
        "sizes": (20, 40, 80, 160),
        "coupled": True,
        "cost": 1e-5,
        "exponents": (1.0,),
    }
    (amplitude,) = verify(claim("gap", rate=1.0, amplitude=3.0, **stated)(gap), budget=2)
    (exponent,) = verify(claim("gap", rate=1.0, **stated)(gap), budget=2)
    assert [str(result.verdict) for result in (amplitude, exponent)] == ["CONFIRMED"] * 2


FILE = """
import numpy as np
from rmtsim.claims import claim

@claim("nested.mean", limit=1.0, tolerance=0.01, sizes=(8, 16, 32), coupled=True, exponents=(1.0,), cost=1e-3)
def means(sizes, rng):
    x = rng.exponential(size=sizes[-1])
    return [np.mean(x.reshape(-1, n).mean(axis=1) ** 2) for n in sizes]
"""


@pytest.mark.thorough
def test_store_and_workers_give_the_same_bytes(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    (item,) = load_file(path)
    store = tmp_path / "runs.sqlite"
    plain, kept, reused, shared = (
        verify(item, budget=2, **options)[0].digest
        for options in ({}, {"store": store}, {"store": store}, {"executor": 2})
    )
    assert plain == kept == reused == shared


@pytest.mark.parametrize(
    ("returned", "match"),
    [
        (lambda sizes: [1.0, 2.0], r"shape \(2,\); expected 3 real numbers, one per size"),
        (lambda sizes: 1.0, r"shape \(\)"),
        (lambda sizes: [1.0, math.nan, 2.0], "returned nan"),
        (lambda sizes: None, "returned None"),
    ],
)
def test_what_a_coupled_function_returns_is_checked(returned, match):
    item = claim("bad", limit=1.0, tolerance=0.1, sizes=(8, 16, 32), coupled=True)(
        lambda sizes, rng: returned(sizes)
    )
    with pytest.raises(SamplerError, match=match):
        verify(item, budget=1)


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"limit": None, "probability": 1.0}, ValueError, "coupled=True belongs to a limit or a rate"),
        ({"support": (0.0, 1.0)}, ValueError, "leave one of them out"),
        ({"sizes": (8,)}, ValueError, "at least two sizes"),
    ],
)
def test_what_cannot_be_coupled_is_refused(changes, error, match):
    fields = {"limit": 1.0, "tolerance": 0.1, "sizes": (8, 16), "coupled": True, **changes}
    with pytest.raises(error, match=match):
        claim("bad", **fields)(nested)


def test_a_coupled_function_takes_sizes():
    with pytest.raises(TypeError, match=r"expected separate\(sizes, rng\)"):
        claim("bad", limit=1.0, tolerance=0.1, sizes=(8, 16), coupled=True)(separate)
