"""An integer, a generator with that seed and a seed sequence are one source, in every function that draws."""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import rmtsim
from rmtsim import ensembles, laws
from rmtsim._internal.randomness import RandomSource, generator, root_seed
from rmtsim.claims import Parameter
from rmtsim.curvature import sample_linear
from rmtsim.laws.self_energy import Wigner
from rmtsim.matrix_free import operator_extremes, operator_spectrum, operator_trace
from rmtsim.networks import fully_connected, hessian_extremes, hessian_spectrum
from rmtsim.spectra import empirical, gaussian_matrix, random_matrix, spectrum

DATA = np.random.default_rng(0).standard_t(4, (60, 30))
SYMMETRIC = ensembles.gaussian(40, np.random.default_rng(0))
NETWORK = fully_connected((3, 8, 2), "tanh").sample(0)
DRAWS = {
    "gaussian": lambda rng: ensembles.gaussian(5, rng),
    "gaussian_tridiagonal": lambda rng: ensembles.gaussian_tridiagonal(5, rng).diagonal,
    "wishart": lambda rng: ensembles.wishart(3, 7, rng),
    "weighted_wishart": lambda rng: ensembles.weighted_wishart(3, [1.0, 2.0], rng),
    "jacobi": lambda rng: ensembles.jacobi(3, 5, 6, rng),
    "haar": lambda rng: ensembles.haar(4, rng),
    "circular": lambda rng: ensembles.circular(4, rng, beta=1),
    "elliptic": lambda rng: ensembles.elliptic(4, rng, correlation=0.3),
    "ginibre": lambda rng: ensembles.ginibre(4, rng),
    "random_matrix": lambda rng: random_matrix(laws.MarchenkoPastur(0.5), 6, rng),
    "random_matrix, Wachter": lambda rng: random_matrix(laws.Wachter(2.0, 3.0), 6, rng),
    "random_matrix, free": lambda rng: random_matrix(
        laws.free_sum(laws.Semicircle(), laws.Discrete([-1, 1])), 6, rng
    ),
    "rvs": lambda rng: laws.Semicircle().rvs(5, rng),
    "null level": lambda rng: (
        empirical(np.linspace(-2, 2, 9)).test(laws.Semicircle(), rng=rng, level=0.1).threshold
    ),
    "spectrum by signs": lambda rng: spectrum(DATA, test="signs", rng=rng).rank or 0,
    "operator_trace": lambda rng: operator_trace(SYMMETRIC, rng, products=12).value,
    "quadrature": lambda rng: (
        operator_spectrum(SYMMETRIC, rng, probes=2, steps=5, exact_up_to=2).moment(1).value
    ),
    "network": lambda rng: fully_connected((3, 2)).sample(rng).parameters,
    "hessian_extremes": lambda rng: hessian_extremes(NETWORK, DATA[:, :3], DATA[:, :2], rng=rng).values,
    "hessian_spectrum": lambda rng: (
        hessian_spectrum(NETWORK, DATA[:, :3], DATA[:, :2], rng=rng, probes=2, steps=5, exact_up_to=2)[0]
        .moment(1)
        .value
    ),
    "operator_extremes": lambda rng: operator_extremes(SYMMETRIC, rng).values,
    "gaussian_matrix": lambda rng: gaussian_matrix(Wigner(4), rng),
    "null_level": lambda rng: empirical(np.linspace(-2, 2, 9)).null_level(
        laws.Semicircle(), rng=rng, level=0.2
    ),
    "Parameter.draw": lambda rng: Parameter("x", "a number", 1.0).draw(rng),
    "sample_linear": lambda rng: sample_linear(3, 4, 5, rng).inputs,
}


@pytest.mark.parametrize("name", DRAWS)
def test_equal_sources_give_equal_draws(name):
    draw = DRAWS[name]
    first = np.asarray(draw(7))
    for source in (np.random.default_rng(7), np.random.SeedSequence(7), np.random.PCG64(7), np.int64(7)):
        np.testing.assert_array_equal(draw(source), first)
    shared = np.random.default_rng(7)
    draw(shared)
    assert shared.random() != np.random.default_rng(7).random()  # a generator advances
    with pytest.raises((TypeError, ValueError), match=r"rng|random_state"):
        draw(0.5)


def _public():
    """Public functions, and methods of public classes, that docs/api.md names."""
    page = Path(__file__).parents[2].joinpath("docs", "api.md").read_text(encoding="utf-8")
    for package, names in re.findall(r"^### `([\w.]+)`$(.*?)(?=^##|\Z)", page, flags=re.M | re.S):
        if package in ("rmtsim.estimators", "rmtsim.testing.strategies"):
            continue  # scikit-learn's convention is random_state; a strategy draws from Hypothesis
        for name in re.findall(r"^- `(\w+)`", names, flags=re.M):
            found = getattr(importlib.import_module(package), name)
            yield f"{package}.{name}", found
            if inspect.isclass(found):
                yield from (
                    (f"{package}.{name}.{key}", value)
                    for key, value in inspect.getmembers(found, callable)
                    if not key.startswith("_")
                )


def test_every_public_rng_accepts_every_source_by_its_annotation():
    """Annotations that a type checker shows: SPEC 7's sources are accepted wherever something is drawn."""
    checked = set()
    for name, function in _public():
        try:
            parameters = inspect.signature(function).parameters
        except (ValueError, TypeError):
            continue
        assert "generator" not in parameters, name
        if "rng" in parameters:
            assert parameters["rng"].annotation in ("RandomSource", RandomSource), name
            checked.add(name)
    assert len(checked) > 80


def test_factors_of_one_draw_are_independent():
    """An integer seed is made a generator once: two factors, or the replicates of a null, must not be equal."""
    first = ensembles.jacobi(4, 50, 50, 3)
    assert np.abs(first - 0.5 * np.eye(4)).max() > 1e-3  # equal factors give exactly one half of the identity


def test_sources():
    assert generator("rng", None).random() != generator("rng", None).random()
    assert generator("rng", [1, 2]).random() == np.random.default_rng([1, 2]).random()
    for wrong in (True, 2.5, "3", [0.5], [], object()):
        with pytest.raises(TypeError, match="rng="):
            generator("rng", wrong)
    with pytest.raises(ValueError, match="rng=-1"):
        generator("rng", -1)
    assert root_seed("seed", np.int64(5)) == 5
    assert root_seed("seed", None) != root_seed("seed", None)


def test_verify_takes_any_source():
    digests = {
        rmtsim.verify("dong.eq3/corrected", budget=0.5, **source)[0].seed
        for source in ({"seed": 4}, {"rng": 4}, {"rng": np.int64(4)})
    }
    assert digests == {4}
    with pytest.raises(TypeError, match="two names"):
        rmtsim.verify("dong.eq3/corrected", seed=1, rng=2)
