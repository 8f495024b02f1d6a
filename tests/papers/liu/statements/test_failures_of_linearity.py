"""Sections 4 and 5: cheap verdicts are as known, samplers agree with the engine, the adversary stays in the ball."""

import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import find
from rmtsim.networks import activation
from rmtsim.papers.liu.simulation.architectures import shallow, with_output
from rmtsim.papers.liu.simulation.shallow_networks import draw_shallow, shallow_at
from rmtsim.papers.liu.simulation.shifted_sums import chosen_shifts


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("liu.eq27", "CONFIRMED"),
        ("liu.eq122", "REFUTED"),
        ("liu.eq122/corrected", "CONFIRMED"),
        ("liu.eq124", "REFUTED"),
        ("liu.eq124/corrected", "CONFIRMED"),
        ("liu.lemmaH.1", "REFUTED"),
        ("liu.lemmaH.1.fixed", "CONFIRMED"),
        ("liu.thm4.1", "REFUTED"),
        ("liu.sec4.always", "REFUTED"),
        ("liu.appH.activations", "REFUTED"),
        ("liu.appH.activations/corrected", "CONFIRMED"),
        ("liu.eq33", "REFUTED"),
        ("liu.eq109", "CONFIRMED"),
    ],
)
def test_cheap_verdicts(name, verdict):
    assert str(verify(name, budget=3)[0].verdict) == verdict


def test_shifts_stay_in_the_ball_and_reach_zero_when_they_can():
    x, y = np.random.default_rng(0).standard_normal((2, 50, 900))
    s, t = chosen_shifts(x, y, 1.0)
    assert np.linalg.norm(s, axis=1).max() <= 1 + 1e-12
    assert np.linalg.norm(t, axis=1).max() <= 1 + 1e-12
    sums = np.abs(((x + s) * (y + t) ** 2).sum(axis=1)) / 30
    starts = np.abs((x * y**2).sum(axis=1)) / 30
    assert sums[starts < 3].max() < 1e-12
    assert (sums <= starts).all()


def test_batches_are_the_engine_s_networks():
    network = shallow(6, np.random.default_rng(0), "tanh")
    w, v = (part.ravel() for part in network.weights)
    at = shallow_at(w[None], v[None], "tanh", 1.3)
    bent = with_output(network, "swish")
    phi = activation("swish")
    norm = at.hessian_norms(phi.derivative(at.value, 1), phi.derivative(at.value, 2))
    assert norm[0] == pytest.approx(np.linalg.norm(bent.hessian([[1.3]])[:6, :6], 2), rel=1e-10)
    assert at.kernel[0] == pytest.approx(float(np.sum(network.gradient([[1.3]])[:6] ** 2)), rel=1e-12)


def test_a_wide_network_descends_like_its_linearisation():
    from rmtsim.papers.liu.statements import optimisation

    gaps = []
    for size in (32, 2048):
        w, v = optimisation.draw(size, np.random.default_rng(2), 12)
        options = (0.5, 60, optimisation.step_size(0.5))
        change = optimisation.descend(w, v, *options).change
        gaps.append(np.abs(change - optimisation.linearised_change(w, v, *options)).mean())
    assert gaps[1] < 0.01 < gaps[0]


def test_draws_have_the_law_of_the_network():
    _, v, at = draw_shallow(500, np.random.default_rng(1), 400, "tanh", 1.0)
    assert set(np.unique(v)) == {-1.0, 1.0}
    assert at.value.var() == pytest.approx(0.394, abs=0.1)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("liu.thm4.1/corrected", {"radius": -1.0}, "radius=-1.0"),
        ("liu.sec4.hessian", {"output": 9}, "output=9"),
        ("liu.sec4.change", {"label": 0.0}, "label=0.0"),
        ("liu.thm5.1", {"bend": 1.0}, "bend=1.0"),
        ("liu.eq33", {"delta": 0.5}, "delta=0.5"),
    ],
)
def test_bad_parameters_are_one_clear_line(name, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        find(name).prediction(changes)
    assert "\n" not in str(caught.value)
