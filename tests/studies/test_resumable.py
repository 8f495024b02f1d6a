"""Finished runs are read back, a line cut off by a crash is not; slopes of a few runs; the bottleneck network."""

import importlib

import numpy as np
import pytest

from rmtsim.networks import Architecture, Network, dense


def test_finished_runs_are_not_run_again(tmp_path):
    resumable = importlib.import_module("resumable")
    runs = resumable.FinishedRuns(tmp_path, "study")
    assert runs.result({"run": 0}, lambda: {"value": 1.5}) == {"value": 1.5}
    with open(tmp_path / "study.runs.jsonl", "a", encoding="utf-8") as handle:
        handle.write('{"setting": {"run": 1}, "res')
    again = resumable.FinishedRuns(tmp_path, "study")
    assert again.result({"run": 0}, lambda: pytest.fail("was there")) == {"value": 1.5}
    assert again.result({"run": 1}, lambda: 2.0) == 2.0
    assert (
        resumable.FinishedRuns(tmp_path, "study").result({"run": 1}, lambda: pytest.fail("was there")) == 2.0
    )


def test_slopes_of_powers():
    resumable = importlib.import_module("resumable")
    rng = np.random.default_rng(0)
    values = [4.0 * size**-0.5 * rng.uniform(0.9, 1.1, 400) for size in (10, 100, 1000)]
    slope, error = resumable.slope_of_means((10, 100, 1000), values, rng)
    assert abs(slope + 0.5) < 2 * error < 0.01


def test_the_bottleneck_network_is_that_of_the_engine():
    module = importlib.import_module("bottleneck_network")
    rng = np.random.default_rng(1)
    x, scales = rng.standard_normal(7), (0.4, 1.0, 0.3)
    mine = module.BottleneckNetwork.draw(20, 3, scales, rng)
    layers = (
        dense(1, 20, "relu", bias=True),
        dense(20, 3, scale=0.4),
        dense(3, 20, "relu", scale=1.0),
        dense(20, 3, scale=0.3),
    )

    def flat(network):
        parts = (network.a, network.c, network.inward, network.outward, network.v)
        return np.concatenate([part.ravel() for part in parts]).astype(float)

    engine = Network(Architecture(layers), flat(mine))
    seen = mine.look(x)
    assert seen.output == pytest.approx(engine.output(x[:, None]), rel=1e-5, abs=1e-5)
    assert seen.kernel == pytest.approx(engine.tangent_kernel(x[:, None]), rel=1e-4, abs=1e-3)
    cotangents = rng.standard_normal((7, 3))
    wanted = engine.parameters - np.einsum("nkp,nk->p", engine.jacobian(x[:, None]), cotangents)
    assert flat(mine.moved(seen, x, cotangents)) == pytest.approx(wanted, rel=1e-4, abs=1e-4)
